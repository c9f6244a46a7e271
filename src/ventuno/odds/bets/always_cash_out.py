"""Someone who takes every cash-out offer, counted: nothing is left to decide, so all is an exact fraction (F-13)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

from ventuno.core.rules.sheet import Sheet

VALUES = tuple(range(1, 11))


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
        from ventuno.odds.exact.rules import NotSolvable

        raise NotSolvable(f"{sheet.game.id} offers no cash out")
    decks = sheet.shoe.decks
    shoe = {value: decks * (16 if value == 10 else 4) for value in VALUES}
    cards = 52 * decks
    peeks = {1 if one == "A" else 10 for one in sheet.dealer.peek}
    outcomes: dict[Fraction, Fraction] = {}

    def add(net: Fraction | int, chance: Fraction) -> None:
        outcomes[Fraction(net)] = outcomes.get(Fraction(net), Fraction(0)) + chance

    for first in VALUES:
        for second in range(first, 11):
            for up in VALUES:
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
                add(_offer(sheet, first, second, up) - 1, chance * (1 - seen))
    return OffersTaken({net: chance for net, chance in sorted(outcomes.items()) if chance})


def _offer(sheet: Sheet, first: int, second: int, up: int) -> Fraction:
    """The amount on the button for a stake of one (F-10)."""
    soft = first == 1
    table = sheet.cash_out.soft if soft else sheet.cash_out.hard
    return Fraction(table[str(first + second + (10 if soft else 0))][(up - 2) % 10], 100)
