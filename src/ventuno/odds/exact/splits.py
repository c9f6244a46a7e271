"""What splitting is worth. Two hands: exact. Three or four: exact for a fixed way to play the hands (the literature's
fixed-strategy method), by inclusion and exclusion over the pair cards that the other hands did not get.

Each split hand is played best by its own cards, the other split card known to be gone; hands do not look at each other.
Then all hands that follow one strategy are alike, whatever the order in which they are dealt.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import comb, perm
from typing import TypeAlias

import numpy as np

from ventuno.core.messages.certificate_notes import written
from ventuno.odds.exact.dealer import NATURAL
from ventuno.odds.exact.hand_tree import Play, Table, doubled, follow, table
from ventuno.odds.exact.player_hands import World
from ventuno.odds.exact.rules import Floats, Ints, Terms

Measure: TypeAlias = Callable[[Table, Ints], Floats]
"""Something that adds up over hands: from a table and how it is played, a number per hand."""
ByWorld: TypeAlias = dict[World, tuple[float, float]]
"""The measure of a hand of one split card, and of a pair of them."""


def method(terms: Terms) -> str:
    """How a main bet with such splits is solved, as its certificate says it."""
    return written("method-exact") if terms.hands == 2 else written("method-fixed", hands=terms.hands)


@cache
def patterns(most: int) -> tuple[tuple[int, int, int, int], ...]:
    """Ways in which splitting can end: (pair cards drawn, hands known to be no pair, free hands, number of ways).

    Hands are completed from the left; a pair card splits again while there are fewer than `most` hands. The first
    hand is among those known to be no pair, if there are any.
    """
    found: Counter[tuple[int, int, int]] = Counter()

    def deal(hands: int, waiting: int, known: int) -> None:
        if hands == most or waiting == 0:
            found[hands - 2, known, hands - known] += 1
        else:
            deal(hands, waiting - 1, known + 1)
            deal(hands + 1, waiting + 1, known)

    deal(2, 2, 0)
    return tuple((*key, ways) for key, ways in sorted(found.items()))


def deepest(most: int) -> int:
    """The largest number of pair cards gone, the hand's own apart, that any pattern asks for."""
    return max(1 + drawn + (known if free else known - 1) for drawn, known, free, _ in patterns(most))


def value(one: Table, act: Ints) -> Floats:
    return follow(one, act, one.loss).val


def plain_value(one: Table, act: Ints) -> Floats:
    """The value of a stake that lies on each hand and is never doubled (V-30)."""
    return follow(one, act, np.repeat(one.loss[:, :1], 2, axis=1), 1.0).val


def hands(one: Table, _: Ints) -> Floats:
    """One stake for each hand; with a peek, where it finds nothing."""
    return 1.0 - one.ends[:, NATURAL] if one.peek else np.ones(len(one.ends))


def stakes(one: Table, act: Ints) -> Floats:
    """All stakes, doubled ones twice."""
    return hands(one, act) + doubled(one, act)


class Splits:
    """Sums over the hands that come out of splitting each pair against the up-card of a table."""

    def __init__(self, one: Table) -> None:
        self._one = one
        again = [card for card in range(1, 11) if one.terms.most_hands(card) > 2]
        gone = range(2, deepest(one.terms.hands) + 1)
        worlds = tuple((card, others, kind) for kind in range(one.mate + 1) for card in again for others in gone)
        self._deep = table(one.terms, one.up, worlds) if worlds else None
        blocks = [np.r_[one.hands.block((card, 1, kind))] for card, _, kind in worlds]
        self._source = np.concatenate(blocks) if worlds else np.zeros(0, np.int64)

    def values(self, play: Play) -> Floats:
        """The value of splitting each pair (V-14, L-10)."""
        return self.sums(play, value, play.val)[1]

    def sums(self, play: Play, measure: Measure, ready: Floats) -> tuple[Floats, Floats]:
        """The sum of a measure over the first hand of each split alone, and over all hands.

        `ready` is the measure of the table's own hands.
        """
        found: ByWorld = {}
        for where, act in [(self._one, play.act)] + ([(self._deep, play.act[self._source])] if self._deep else []):
            per_hand = ready if where is self._one else measure(where, act)
            for world, (alone, pair) in where.openings.items():
                found[world] = float(per_hand[alone]), float(per_hand[pair])
        first, every = (np.array([self._sum(card, found, others) for card in range(1, 11)]) for others in (False, True))
        return first, every

    def _sum(self, card: int, found: ByWorld, others: bool) -> float:
        terms, mate = self._one.terms, self._one.mate
        most = terms.most_hands(card)
        if most == 2:
            return found[card, 1, 0][0] + (found[card, 1, mate][0] if others else 0.0)
        copies, left = int(terms.pairing[card - 1]) - 2, int(terms.shoe.sum()) - 3
        alike = copies / max(terms.shoe[card - 1] - 2, 1.0) if self._one.up == card else 0.0
        result = 0.0
        for chance, pairing in ((alike, copies - 1), (1.0 - alike, copies)):
            if chance > 0.0 and pairing >= 0:
                case = _Case(card, pairing, left, mate if others else None, found)
                result += chance * sum(ways * case.pattern(*rest) for *rest, ways in patterns(most))
        return result


@dataclass(frozen=True, slots=True)
class _Case:
    """A pair with so many cards left, `pairing` of which pair with it."""

    card: int
    pairing: int
    left: int
    mate: int | None
    found: ByWorld

    def pattern(self, drawn: int, known: int, free: int) -> float:
        """The sum over hands in the cases of one pattern."""
        total = self.hand(0, drawn, known - 1, True) if known else self.hand(0, drawn, 0, False)
        if self.mate is not None:
            total += (known - 1) * self.hand(self.mate, drawn, known - 1, True) if known else 0.0
            total += (free if known else free - 1) * self.hand(self.mate, drawn, known, False)
        return perm(self.pairing, drawn) / perm(self.left, drawn) * total

    def hand(self, kind: int, drawn: int, others: int, own: bool) -> float:
        """A hand beside so many others known to be no pair, itself known to be none (`own`) or free."""
        result, pairing, left = 0.0, self.pairing - drawn, self.left - drawn
        for gone in range(min(others, pairing) + 1):
            alone, pair = self.found[self.card, 1 + drawn + gone, kind]
            again = (pairing - gone) / (left - gone) if own else 0.0
            chance = comb(others, gone) * perm(pairing, gone) / perm(left, gone)
            result += (-1) ** gone * chance * (alone - again * pair)
        return result
