"""What the mathematics needs to know of a sheet of the blackjack family: its switches as numbers and arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import perm
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ventuno.core.rules.sheet import BLACKJACK, Sheet

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.integer[Any]]
Bools: TypeAlias = NDArray[np.bool_]

_TAKES = {"all": ((1, 2), (1, 2)), "original-and-splits": ((1, 1), (1, 1)), "original": ((1, 1), (0, 0))}
"""What a dealer Blackjack takes of a hand that has not bust: on the original stake or an added one; single, doubled."""


class NotSolvable(ValueError):
    """This solver has no exact answer for the sheet; the message names the reason."""


@dataclass(frozen=True)
class Rules:
    """Arrays by card value, ace first.

    `pairing` counts the cards that pair with a given one, itself included; `same` is the chance that two cards of that
    value may be split; `loss` is what a dealer Blackjack takes, by up-card, kind of stake, single or doubled.
    """

    shoe: Floats
    pairing: Floats
    same: Floats
    peek: Bools
    loss: Floats
    hits_soft_17: bool
    double_on: range
    double_after_split: bool
    one_card_aces: bool
    hands: int
    charlie: int
    surrender: bool
    pays: Fraction
    insurance: Fraction | None
    even_money: bool

    @cached_property
    def unequal(self) -> bool:
        """A Blackjack takes less of an added stake than of the original: the two are played differently."""
        return bool(((self.loss[:, 0] != self.loss[:, 1]).any(axis=1) & ~self.peek).any())

    def most_hands(self, split: int) -> int:
        """Aces that get one card each are never split again."""
        return 2 if split == 1 and self.one_card_aces else self.hands


def read_rules(sheet: Sheet, ranks: Sequence[int] | None = None) -> Rules:
    """Read a sheet. `ranks` replaces its decks by any shoe: thirteen counts in the order 2…9, T, J, Q, K, A."""
    if sheet.game.family != BLACKJACK:
        raise NotSolvable(f"{sheet.game.id}: the {sheet.game.family} family has its own solver")
    counts = [4 * sheet.shoe.decks] * 13 if ranks is None else list(ranks)
    if len(counts) != 13 or min(counts) < 0 or sum(counts) < 12:
        raise NotSolvable(f"a shoe is thirteen counts and at least twelve cards, not {counts}")
    tens = counts[8:12]
    shoe = np.array([counts[12], *counts[:8], sum(tens)], dtype=np.float64)
    same, pairing = np.ones(10), shoe.copy()
    if sheet.split.equal == "rank":
        ten_copies = [copies for copies in tens if copies]
        if len(set(ten_copies)) > 1 and sheet.split.hands > 2:
            raise NotSolvable("a shoe with unequal ranks of tens cannot be split by rank to more than two hands here")
        pairing[9] = max(ten_copies, default=0)
        same[9] = sum(perm(copies, 2) for copies in ten_copies) / max(perm(sum(ten_copies), 2), 1)
    takes = {0: _TAKES[sheet.dealer_blackjack_takes.ace], 9: _TAKES[sheet.dealer_blackjack_takes.ten]}
    by_up = np.array([takes.get(up, _TAKES["all"]) for up in range(10)], dtype=np.float64)
    peek = np.zeros(10, dtype=np.bool_)
    peek[0], peek[9] = "A" in sheet.dealer.peek, "ten" in sheet.dealer.peek
    return Rules(
        shoe=shoe,
        pairing=pairing,
        same=same,
        peek=peek,
        loss=by_up,
        hits_soft_17=sheet.dealer.soft_17 == "hit",
        double_on=sheet.double.totals,
        double_after_split=sheet.double.after_split,
        one_card_aces=sheet.split.aces == "one-card",
        hands=sheet.split.hands,
        charlie=sheet.charlie,
        surrender=sheet.surrender == "late",
        pays=sheet.blackjack.pays.profit,
        insurance=sheet.insurance.pays.profit if sheet.insurance.offered else None,
        even_money=sheet.insurance.offered and sheet.insurance.even_money,
    )
