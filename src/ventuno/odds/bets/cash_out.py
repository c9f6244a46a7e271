"""Cash out (F-09, F-10): its table rebuilt (reading 18), and somebody who takes every offer counted exactly (F-13)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np

from ventuno.core.rules.cards import count_values
from ventuno.core.rules.sheet import CashOut, Sheet
from ventuno.odds.exact.chart import UP_CARDS
from ventuno.odds.exact.dealer import NATURAL, best_total
from ventuno.odds.exact.hand_tree import HandTree, build_tree
from ventuno.odds.exact.rules import NotSolvable, read_rules
from ventuno.odds.exact.solver import value_first_hands

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


@dataclass(frozen=True, slots=True)
class FirstHand:
    """A first hand: its line, its chance together with the up-card and without what a peek ends, and what comes back
    when it is played on. A Blackjack gets no offer."""

    soft: bool
    total: int
    up: int
    pair: bool
    natural: bool
    chance: float
    value: float

    def price_in(self, offers: CashOut) -> float:
        """The price in a table of offers, per unit stake."""
        return offers.offer(self.total, self.soft, self.up) / 100


def reconstruct(sheet: Sheet, wanted: float) -> Offers:
    """The table of reading 18: mean values less the flat margin for which the return comes nearest to `wanted`."""
    firsts = list(list_first_hands(sheet))
    means = _average_by_line(firsts)

    def offers(step: int) -> Offers:
        margin = step / STEP
        hard, soft = (_rows(means, is_soft, margin) for is_soft in (False, True))
        return Offers(margin, hard, soft, _return(firsts, CashOut(hard=hard, soft=soft)))

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


def list_first_hands(sheet: Sheet) -> Iterator[FirstHand]:
    """Every first hand against every up-card, with its chance and its value."""
    rules = read_rules(sheet)
    for up in UP_CARDS:
        tree = build_tree(rules, up)
        values = value_first_hands(tree)
        for row in np.flatnonzero(tree.deal > 0.0):
            yield _first_hand(tree, int(row), float(values[row]))


def _first_hand(tree: HandTree, row: int, value: float) -> FirstHand:
    meets, natural = float(tree.ends[row, NATURAL]), row == tree.hands.natural
    plays = 1.0 - meets if tree.peek and not natural else 1.0
    back = 1.0 + float(tree.rules.pays) * (1.0 - meets) if natural else 1.0 + value / plays
    return FirstHand(
        soft=bool(tree.hands.cards[row, 0]),
        total=int(tree.hands.total[row]),
        up=tree.up,
        pair=bool(tree.hands.cards[row].max() == 2),
        natural=natural,
        chance=float(tree.deal[row]) * plays,
        value=back,
    )


def _average_by_line(firsts: Iterable[FirstHand]) -> Mapping[tuple[bool, int, int], float]:
    """The mean value of each line; pairs count only where there is nothing else: hard 4, soft 12, hard 20."""
    hands_by_line: dict[tuple[bool, int, int], list[FirstHand]] = {}
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


def _return(firsts: Iterable[FirstHand], offers: CashOut) -> float:
    return 100.0 * sum(first.chance * (first.value if first.natural else first.price_in(offers)) for first in firsts)


@dataclass(frozen=True, slots=True)
class OffersTaken:
    """Chances by net result of a stake of one; nothing is ever added to the stake."""

    outcomes: Mapping[Fraction, Fraction]

    @property
    def rtp(self) -> Fraction:
        return 1 + sum((net * chance for net, chance in self.outcomes.items()), Fraction(0))

    @property
    def sd(self) -> float:
        squares = sum((net * net * chance for net, chance in self.outcomes.items()), Fraction(0))
        return sqrt(squares - (self.rtp - 1) ** 2)

    @property
    def maximum(self) -> Fraction:
        return max(self.outcomes)


def always_taken(sheet: Sheet) -> OffersTaken:
    """Every hand but a Blackjack takes its offer, after the peek where there is one, and no insurance (reading 18)."""
    if not sheet.cash_out.offered:
        raise NotSolvable(f"{sheet.game.id} offers no cash out")
    decks = sheet.shoe.decks
    shoe, cards = count_values(decks), 52 * decks
    peeks = {1 if card == "A" else 10 for card in sheet.dealer.peek}
    outcomes: dict[Fraction, Fraction] = {}

    def add(net: Fraction | int, chance: Fraction) -> None:
        outcomes[Fraction(net)] = outcomes.get(Fraction(net), Fraction(0)) + chance

    for first in shoe:
        for second in range(first, 11):
            for up in shoe:
                left = dict(shoe)
                ways = 1 if first == second else 2
                for card in (first, second, up):
                    ways *= left[card]
                    left[card] -= 1
                chance = Fraction(ways, cards * (cards - 1) * (cards - 2))
                hole = {1: left[10], 10: left[1]}.get(up, 0)
                blackjack = Fraction(hole, cards - 3)
                if (first, second) == (1, 10):
                    add(0, chance * blackjack)
                    add(sheet.blackjack.pays.profit, chance * (1 - blackjack))
                    continue
                seen = blackjack if up in peeks else Fraction(0)
                add(-1, chance * seen)
                offer = sheet.cash_out.offer(best_total((first, second)), first == 1, up)
                add(Fraction(offer, 100) - 1, chance * (1 - seen))
    return OffersTaken({net: chance for net, chance in sorted(outcomes.items()) if chance})
