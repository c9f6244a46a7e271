"""The distribution of the net result of a round: every result with its exact chance.

The return of a split needs only one hand at a time; its spread needs both. The chance of two hands depends only on the
union of their cards, so the dealer is asked once for each union.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from math import sqrt
from typing import TypeAlias

import numpy as np

from ventuno.odds.exact import dealer
from ventuno.odds.exact.chart import find_unsplit_chances
from ventuno.odds.exact.dealer import BUST, NATURAL
from ventuno.odds.exact.hand_tree import ACE, UNITS, HandTree, Play, count_hands
from ventuno.odds.exact.rules import Bools, Floats, Ints
from ventuno.odds.kernels import registry
from ventuno.odds.kernels.loops.codes import CHARLIE, STAND, SURRENDER, WIDTH

HALVES, ZERO = 17, 8
"""Results -4…4 in half stakes, counted from the left."""
_CHARLIE, _DOUBLED = 6, 7
Finals: TypeAlias = tuple[Ints, Ints, Floats, Ints]
"""Sets of cards beyond the split card by points, their classes, their numbers of orders; where each points begin."""
_SHIFTS, _POINTS = 6 * np.arange(10, dtype=np.int64), np.arange(1, 11)
CLASSES = 15
"""Classes of a hand that did not simply bust: see the loop `finals`; one more stands for the plain bust."""
CHUNK = 4096
MOST_POINTS = 32
BAND = 1 << 16
"""Pairs of sets that are taken together: enough for speed, few enough for memory."""


def find_outcomes(tree: HandTree, play: Play, insured: Bools, even_money: bool) -> Mapping[Fraction, float]:
    """Chance of each net result per initial stake together with the tree's up-card.

    `insured` says which first hands take insurance against an ace.
    """
    chances_by_result: defaultdict[Fraction, float] = defaultdict(float)
    insured_now = insured if tree.up == ACE else np.zeros_like(insured)
    for insurance in (False, True):
        dealt = insured_now == insurance
        if not dealt[tree.deal > 0.0].any():
            continue
        lost, paid = (Fraction(-1, 2), (tree.rules.insurance or 0) / Fraction(2)) if insurance else (0, 0)
        for natural, chances in enumerate(_count_halves(tree, play, dealt)):
            for half in np.flatnonzero(chances):
                chances_by_result[Fraction(int(half) - ZERO, 2) + (paid if natural else lost)] += float(chances[half])
        if dealt[tree.hands.natural]:
            chance, meets = float(tree.deal[tree.hands.natural]), float(tree.ends[tree.hands.natural, NATURAL])
            even = even_money and tree.up == ACE
            chances_by_result[(Fraction(1) if even else tree.rules.pays) + lost] += chance * (1.0 - meets)
            chances_by_result[Fraction(int(even)) + paid] += chance * meets
    return chances_by_result


def merge(parts: Iterable[Mapping[Fraction, float]]) -> Mapping[Fraction, float]:
    """One distribution from those of all up-cards."""
    totals: defaultdict[Fraction, float] = defaultdict(float)
    for part in parts:
        for result, chance in part.items():
            totals[result] += chance
    return {result: totals[result] for result in sorted(totals) if totals[result] > 0.0}


def mean(distribution: Mapping[Fraction, float]) -> float:
    return sum(float(result) * chance for result, chance in distribution.items())


def deviation(distribution: Mapping[Fraction, float]) -> float:
    """The standard deviation."""
    square = sum(float(result) ** 2 * chance for result, chance in distribution.items())
    return sqrt(square - mean(distribution) ** 2)


def compare_to_dealer(kind: int, end: int) -> int:
    """Whether a standing hand wins (1), ties (0) or loses (-1): classes 0 up to 16, 1…5 for 17…21, 6 Charlie."""
    if kind == _CHARLIE or end == BUST:
        return 1
    return (kind > end + 1) - (kind < end + 1)


def tabulate_results(loss: Floats) -> Ints:
    """The result of a hand by class and dealer's end; the last two classes have bust, doubled and single."""
    out = np.empty((CLASSES + 1, NATURAL + 1), dtype=np.int64)
    for kind in range(CLASSES - 1):
        stake = 2 if kind >= _DOUBLED else 1
        out[kind, :NATURAL] = [stake * compare_to_dealer(kind % _DOUBLED, end) for end in range(NATURAL)]
        out[kind, NATURAL] = -loss[stake - 1]
    out[CLASSES - 1], out[CLASSES] = -2, -1
    return out


def _count_halves(tree: HandTree, play: Play, dealt: Bools) -> Floats:
    """Chances by result in half stakes, without and with a dealer Blackjack, of all hands but Blackjacks."""
    chances = _count_unsplit(tree, play, np.where(dealt, find_unsplit_chances(tree, play.split), 0.0))
    single, added = tabulate_results(tree.loss[0]), tabulate_results(tree.loss[1])
    for card in range(1, 11):
        part = tree.splittable[card - 1]
        if play.split[card - 1] and dealt[tree.hands.pairs[card - 1]] and part > 0.0:
            chances += part * _count(single[:, None] + added[None, :], find_split_ends(tree, play, card))
    if tree.peek:
        meets = chances[1].sum()
        chances[1] = 0.0
        chances[1, ZERO - 2] = meets
    return chances


def _count_unsplit(tree: HandTree, play: Play, start: Floats) -> Floats:
    mass, twice, bust = count_hands(tree, play.act, start)
    ends = np.zeros((CLASSES + 1, NATURAL + 1))
    for masses, first in ((np.where(play.act == STAND, mass, 0.0), 0), (twice, _DOUBLED)):
        kinds = np.where(tree.state == CHARLIE, _CHARLIE, np.maximum(tree.hands.total - 16, 0))
        for kind in range(_DOUBLED):
            rows = np.flatnonzero((masses > 0.0) & (kinds == kind))
            ends[kind + first] = (masses[rows, None] * tree.ends[rows]).sum(axis=0)
    ends[CLASSES, [BUST, NATURAL]] = bust[:2]
    ends[CLASSES - 1, [BUST, NATURAL]] = bust[2:]
    chances = _count(tabulate_results(tree.loss[0]), ends)
    rows = np.flatnonzero(play.act == SURRENDER)
    meets = float((mass[rows] * tree.ends[rows, NATURAL]).sum())
    chances[0, ZERO - 1] += mass[rows].sum() - meets
    chances[1, ZERO - 2 * int(tree.loss[0, 0])] += meets
    return chances


def _count(net_results: Ints, ends: Floats) -> Floats:
    out = np.zeros((2, HALVES))
    for natural, part in enumerate((slice(0, NATURAL), slice(NATURAL, None))):
        out[natural] = np.bincount(2 * net_results[..., part].ravel() + ZERO, ends[..., part].ravel(), minlength=HALVES)
    return out


def find_split_ends(tree: HandTree, play: Play, card: int) -> Floats:
    """Chances [class of first hand, class of second, dealer's end] after splitting a pair; class 15 is a bust."""
    first = _list_finals(tree, play, card, 0)
    second = _list_finals(tree, play, card, 1) if tree.mate else first
    shoe = tree.rest[tree.hands.pairs[card - 1]]
    both = _join_hands(tree, first, second, shoe)
    out = np.zeros((CLASSES + 1, CLASSES + 1, dealer.ENDS))
    out[:CLASSES, :CLASSES] = both
    out[:CLASSES, CLASSES] = _sum_alone(tree, first, shoe) - both.sum(axis=1)
    out[CLASSES, :CLASSES] = _sum_alone(tree, second, shoe) - both.sum(axis=0)
    out[CLASSES, CLASSES] = tree.ends[tree.hands.pairs[card - 1]] - out.sum(axis=(0, 1))
    return out


def _list_finals(tree: HandTree, play: Play, card: int, kind: int) -> Finals:
    hands = tree.hands
    number = hands.worlds.index((card, 1, kind))
    rows = hands.order[hands.world[hands.order] == number][::-1].copy()
    keys = hands.cards @ UNITS - UNITS[card - 1]
    size = 12 * len(rows)
    sets, classes, ways = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size)
    room, counted = np.zeros((2, len(rows))), np.zeros(1, np.int64)
    registry.finals(
        *(rows, hands.start[number], hands.follow, keys, hands.total, tree.state, play.act),
        *(room, sets, classes, ways, counted),
    )
    count = int(counted[0])
    points = (sets[:count, None] >> _SHIFTS & 63) @ _POINTS
    by_points = np.argsort(points, kind="stable")
    starts = np.searchsorted(points[by_points], np.arange(MOST_POINTS + 1))
    return sets[by_points], classes[by_points], ways[by_points], starts


def _join_hands(tree: HandTree, first: Finals, second: Finals, shoe: Floats) -> Floats:
    """Unions of different points are different, so bands of points are taken one after the other."""
    alike = first is second
    out = np.zeros((CLASSES, CLASSES, WIDTH))
    for low, high, pairs in _bands(first[3], second[3]):
        place = np.empty(pairs, np.int32)
        size, count = 1 << max(pairs // 5, min(pairs, 8192)).bit_length(), np.full(1, -1)
        band = first[3], second[3], low, high, alike
        while count[0] < 0:
            unions, slots = np.empty(3 * size // 4, np.int64), np.full((size, 2), -1)
            registry.meet(first[0], second[0], *band, slots, unions, place, count)
            size *= 2
        del slots
        ends = _weigh_ends(tree, unions[: count[0]], shoe)
        registry.join(place, *band, first[2], second[2], first[1], second[1], ends, out)
    out = out[:, :, : dealer.ENDS]
    return (out + out.transpose(1, 0, 2)) / 2 if alike else out


def _bands(first: Ints, second: Ints) -> Iterator[tuple[int, int, int]]:
    """Ranges of points that two sets have together, each with its number of pairs: about BAND of them."""
    counts, low, pairs = np.convolve(np.diff(first), np.diff(second)), 0, 0
    for points, count in enumerate(counts.tolist()):
        pairs += count
        if pairs >= BAND or (pairs and points == len(counts) - 1):
            yield low, points + 1, pairs
            low, pairs = points + 1, 0


def _sum_alone(tree: HandTree, finals: Finals, shoe: Floats) -> Floats:
    out = np.zeros((CLASSES, WIDTH))
    np.add.at(out, finals[1], finals[2][:, None] * _weigh_ends(tree, finals[0], shoe))
    return out[:, : dealer.ENDS]


def _weigh_ends(tree: HandTree, keys: Ints, shoe: Floats) -> Floats:
    """For each set of cards: the chance of drawing it in one order and of each end of the dealer after it."""
    out = np.zeros((len(keys), WIDTH))
    for first in range(0, len(keys), CHUNK):
        some = keys[first : first + CHUNK]
        shoes, weight = np.empty((len(some), 10)), np.empty(len(some))
        registry.chances(some, shoe, np.empty(64), shoes, weight)
        out[first : first + CHUNK, : dealer.ENDS] = weight[:, None] * dealer.find_ends(
            shoes, tree.up, tree.rules.hits_soft_17
        )
    return out
