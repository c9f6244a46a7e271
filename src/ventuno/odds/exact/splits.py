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

from ventuno.core.messages.certificate_notes import Note
from ventuno.odds.exact.dealer import NATURAL
from ventuno.odds.exact.hand_tree import HandTree, Play, World, build_tree, count_added_stakes, evaluate_play
from ventuno.odds.exact.rules import Floats, Ints, Rules

Measure: TypeAlias = Callable[[HandTree, Ints], Floats]
"""Something that adds up over hands: from a table and how it is played, a number per hand."""
ByWorld: TypeAlias = dict[World, tuple[float, float]]
"""The measure of a hand of one split card, and of a pair of them."""


def describe_method(rules: Rules) -> Note:
    """How a main bet with such splits is solved, as its certificate says it."""
    return Note("method-exact") if rules.hands == 2 else Note("method-fixed", {"hands": rules.hands})


@cache
def list_patterns(most: int) -> tuple[tuple[int, int, int, int], ...]:
    """Ways in which splitting can end: (pair cards drawn, hands known to be no pair, free hands, number of ways).

    Hands are completed from the left; a pair card splits again while there are fewer than `most` hands. The first
    hand is among those known to be no pair, if there are any.
    """
    counts: Counter[tuple[int, int, int]] = Counter()

    def deal(hands: int, waiting: int, no_pair: int) -> None:
        if hands == most or waiting == 0:
            counts[hands - 2, no_pair, hands - no_pair] += 1
        else:
            deal(hands, waiting - 1, no_pair + 1)
            deal(hands + 1, waiting + 1, no_pair)

    deal(2, 2, 0)
    return tuple((*key, ways) for key, ways in sorted(counts.items()))


def find_deepest(most: int) -> int:
    """The largest number of pair cards gone, the hand's own apart, that any pattern asks for."""
    return max(1 + drawn + (no_pair if free else no_pair - 1) for drawn, no_pair, free, _ in list_patterns(most))


def measure_value(tree: HandTree, act: Ints) -> Floats:
    return evaluate_play(tree, act, tree.loss).val


def measure_undoubled(tree: HandTree, act: Ints) -> Floats:
    """The value of a stake that lies on each hand and is never doubled (V-30)."""
    return evaluate_play(tree, act, np.repeat(tree.loss[:, :1], 2, axis=1), 1.0).val


def measure_hands(tree: HandTree, _: Ints) -> Floats:
    """One stake for each hand; with a peek, where it finds nothing."""
    return 1.0 - tree.ends[:, NATURAL] if tree.peek else np.ones(len(tree.ends))


def measure_stakes(tree: HandTree, act: Ints) -> Floats:
    """All stakes, doubled ones twice."""
    return measure_hands(tree, act) + count_added_stakes(tree, act)


class Splits:
    """Sums over the hands that come out of splitting each pair against the up-card of a table."""

    def __init__(self, tree: HandTree) -> None:
        self._tree = tree
        again = [card for card in range(1, 11) if tree.rules.most_hands(card) > 2]
        gone = range(2, find_deepest(tree.rules.hands) + 1)
        worlds = tuple((card, others, kind) for kind in range(tree.mate + 1) for card in again for others in gone)
        self._deep = build_tree(tree.rules, tree.up, worlds) if worlds else None
        blocks = [np.r_[tree.hands.block((card, 1, kind))] for card, _, kind in worlds]
        self._source = np.concatenate(blocks) if worlds else np.zeros(0, np.int64)

    def value_splits(self, play: Play) -> Floats:
        """The value of splitting each pair (V-14, L-10)."""
        return self.sum_hands(play, measure_value, play.val)[1]

    def sum_hands(self, play: Play, measure: Measure, ready: Floats) -> tuple[Floats, Floats]:
        """The sum of a measure over the first hand of each split alone, and over all hands.

        `ready` is the measure of the table's own hands.
        """
        measures: ByWorld = {}
        for where, act in [(self._tree, play.act)] + ([(self._deep, play.act[self._source])] if self._deep else []):
            per_hand = ready if where is self._tree else measure(where, act)
            for world, (alone, pair) in where.hands.openings.items():
                measures[world] = float(per_hand[alone]), float(per_hand[pair])
        first, every = (
            np.array([self._sum(card, measures, others) for card in range(1, 11)]) for others in (False, True)
        )
        return first, every

    def _sum(self, card: int, measures: ByWorld, others: bool) -> float:
        rules, mate = self._tree.rules, self._tree.mate
        most = rules.most_hands(card)
        if most == 2:
            return measures[card, 1, 0][0] + (measures[card, 1, mate][0] if others else 0.0)
        copies, left = int(rules.pairing[card - 1]) - 2, int(rules.shoe.sum()) - 3
        alike = copies / max(rules.shoe[card - 1] - 2, 1.0) if self._tree.up == card else 0.0
        result = 0.0
        for chance, pairing in ((alike, copies - 1), (1.0 - alike, copies)):
            if chance > 0.0 and pairing >= 0:
                case = _Case(card, pairing, left, mate if others else None, measures)
                result += chance * sum(ways * case.sum_pattern(*rest) for *rest, ways in list_patterns(most))
        return result


@dataclass(frozen=True, slots=True)
class _Case:
    """A pair with so many cards left, `pairing` of which pair with it."""

    card: int
    pairing: int
    left: int
    mate: int | None
    measures: ByWorld

    def sum_pattern(self, drawn: int, no_pair: int, free: int) -> float:
        """The sum over hands in the cases of one pattern."""
        total = self.sum_hand(0, drawn, no_pair - 1, True) if no_pair else self.sum_hand(0, drawn, 0, False)
        if self.mate is not None:
            total += (no_pair - 1) * self.sum_hand(self.mate, drawn, no_pair - 1, True) if no_pair else 0.0
            total += (free if no_pair else free - 1) * self.sum_hand(self.mate, drawn, no_pair, False)
        return perm(self.pairing, drawn) / perm(self.left, drawn) * total

    def sum_hand(self, kind: int, drawn: int, others: int, own: bool) -> float:
        """A hand beside so many others known to be no pair, itself known to be none (`own`) or free."""
        result, pairing, left = 0.0, self.pairing - drawn, self.left - drawn
        for gone in range(min(others, pairing) + 1):
            alone, pair = self.measures[self.card, 1 + drawn + gone, kind]
            again = (pairing - gone) / (left - gone) if own else 0.0
            chance = comb(others, gone) * perm(pairing, gone) / perm(left, gone)
            result += (-1) ** gone * chance * (alone - again * pair)
        return result
