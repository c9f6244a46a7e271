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
from ventuno.odds.exact.player_hands import ONE_CARD, TWENTY_ONE, Hands
from ventuno.odds.kernels.loops.codes import CHARLIE, FREE, MUST_HIT, MUST_STAND

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.integer[Any]]
Bools: TypeAlias = NDArray[np.bool_]

_DOUBLES = {"any-two": (4, 20), "9-11": (9, 11), "10-11": (10, 11)}
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
    double_on: tuple[int, int]
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
        double_on=_DOUBLES[sheet.double.on],
        double_after_split=sheet.double.after_split,
        one_card_aces=sheet.split.aces == "one-card",
        hands=sheet.split.hands,
        charlie=sheet.charlie,
        surrender=sheet.surrender == "late",
        pays=sheet.blackjack.pays.profit,
        insurance=sheet.insurance.pays.profit if sheet.insurance.offered else None,
        even_money=sheet.insurance.offered and sheet.insurance.even_money,
    )


def find_states(rules: Rules, hands: Hands) -> tuple[Ints, Bools]:
    """For each hand what it must do by itself, and whether it may double and surrender.

    21 stands (reading 3), Charlie wins, split aces may be held to one card (V-15), a hand of fewer than two cards is
    dealt on. Doubling is for two cards (V-11), surrender for the hand as dealt.
    """
    state = np.zeros(len(hands.total), dtype=np.int64)
    state[hands.line == TWENTY_ONE] = MUST_STAND
    split = np.array([world[0] for world in hands.worlds])[hands.world]
    if rules.one_card_aces:
        state[(split == 1) & (hands.size >= 2)] = MUST_STAND
    if rules.charlie:
        state[hands.size >= rules.charlie] = CHARLIE
    state[hands.line >= ONE_CARD] = MUST_HIT
    low, high = rules.double_on
    two = (hands.size == 2) & (state == FREE)
    may = np.zeros((len(state), 2), dtype=np.bool_)
    may[:, 0] = two & (hands.total >= low) & (hands.total <= high) & ((split == 0) | rules.double_after_split)
    may[:, 1] = two & (split == 0) & rules.surrender
    return state, may
