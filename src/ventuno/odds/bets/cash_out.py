"""Cash out (F-09, F-10): the reconstruction of its table (reading 18). `offers` counts who takes every offer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ventuno.core.rules.sheet import Sheet
from ventuno.odds.exact.dealer import NATURAL
from ventuno.odds.exact.hand_tree import HandTree, build_tree
from ventuno.odds.exact.rules import read_rules
from ventuno.odds.exact.solver import value_first_hands
from ventuno.odds.exact.strategy import UP_CARDS

Rows = Mapping[str, tuple[int, ...]]
STEP = 10_000
"""Margins are sought in steps of a ten-thousandth of the stake."""


@dataclass(frozen=True, slots=True)
class Offers:
    """A table of offers in hundredths of the stake, for the up-cards 2…9, ten, ace."""

    margin: float
    hard: Rows
    soft: Rows
    rtp: float

    @property
    def least(self) -> int:
        return min(min(row) for row in (*self.hard.values(), *self.soft.values()))

    @property
    def most(self) -> int:
        return max(max(row) for row in (*self.hard.values(), *self.soft.values()))


@dataclass(frozen=True, slots=True)
class _FirstHand:
    """A first hand: its line, its chance together with the up-card and without what a peek ends, and what comes back
    when it is played on. A Blackjack gets no offer."""

    soft: bool
    total: int
    up: int
    pair: bool
    natural: bool
    chance: float
    value: float

    def price_in(self, hard: Rows, soft: Rows) -> float:
        """The price in a table of offers, per unit stake."""
        return (soft if self.soft else hard)[str(self.total)][UP_CARDS.index(self.up)] / 100


def reconstruct(sheet: Sheet, wanted: float) -> Offers:
    """The table of reading 18: mean values less the flat margin for which the return comes nearest to `wanted`."""
    firsts = list(_list_first_hands(sheet))
    means = _average_by_line(firsts)

    def offers(step: int) -> Offers:
        margin = step / STEP
        hard, soft = (_rows(means, is_soft, margin) for is_soft in (False, True))
        return Offers(margin, hard, soft, _return(firsts, hard, soft))

    low, high = 0, STEP // 2
    while high - low > 1:
        middle = (low + high) // 2
        if offers(middle).rtp >= wanted:
            low = middle
        else:
            high = middle
    return min(
        (offers(step) for step in (low, high)), key=lambda candidate: (abs(candidate.rtp - wanted), candidate.margin)
    )


def find_gains(sheet: Sheet) -> Mapping[tuple[bool, int, int], float]:
    """Where an offer is worth more than playing on: by soft, total and up-card, the most that it gains (F-13)."""
    best_gains: dict[tuple[bool, int, int], float] = {}
    for first in _list_first_hands(sheet):
        if not first.natural:
            key = first.soft, first.total, first.up
            gain = first.price_in(sheet.cash_out.hard, sheet.cash_out.soft) - first.value
            best_gains[key] = max(gain, best_gains.get(key, gain))
    return {key: gain for key, gain in best_gains.items() if gain > 0.0}


def _list_first_hands(sheet: Sheet) -> Iterator[_FirstHand]:
    rules = read_rules(sheet)
    for up in UP_CARDS:
        tree = build_tree(rules, up)
        values = value_first_hands(tree)
        for row in np.flatnonzero(tree.deal > 0.0):
            yield _first_hand(tree, int(row), float(values[row]))


def _first_hand(tree: HandTree, row: int, value: float) -> _FirstHand:
    meets, natural = float(tree.ends[row, NATURAL]), row == tree.natural
    plays = 1.0 - meets if tree.peek and not natural else 1.0
    back = 1.0 + float(tree.rules.pays) * (1.0 - meets) if natural else 1.0 + value / plays
    return _FirstHand(
        soft=bool(tree.hands.cards[row, 0]),
        total=int(tree.hands.total[row]),
        up=tree.up,
        pair=bool(tree.hands.cards[row].max() == 2),
        natural=natural,
        chance=float(tree.deal[row]) * plays,
        value=back,
    )


def _average_by_line(firsts: Iterable[_FirstHand]) -> Mapping[tuple[bool, int, int], float]:
    """The mean value of each line; pairs count only where there is nothing else: hard 4, soft 12, hard 20."""
    hands_by_line: dict[tuple[bool, int, int], list[_FirstHand]] = {}
    for first in firsts:
        if not first.natural:
            hands_by_line.setdefault((first.soft, first.total, first.up), []).append(first)
    means = {}
    for key, every in hands_by_line.items():
        some = [first for first in every if not first.pair] or every
        means[key] = sum(first.chance * first.value for first in some) / sum(first.chance for first in some)
    return means


def _rows(means: Mapping[tuple[bool, int, int], float], soft: bool, margin: float) -> Rows:
    totals = range(12, 21) if soft else range(4, 21)
    return {str(total): tuple(round(100 * (means[soft, total, up] - margin)) for up in UP_CARDS) for total in totals}


def _return(firsts: Iterable[_FirstHand], hard: Rows, soft: Rows) -> float:
    return 100.0 * sum(
        first.chance * (first.value if first.natural else first.price_in(hard, soft)) for first in firsts
    )
