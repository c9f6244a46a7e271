"""Two split hands at once: how both of them and the dealer end, exactly.

The return of a split needs only one hand at a time; its spread needs both. The chance of two hands depends only on the
union of their cards, so the dealer is asked once for each union.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np

from ventuno.odds.exact import dealer
from ventuno.odds.exact.hand_tree import HandTree, Play
from ventuno.odds.exact.player_hands import UNITS
from ventuno.odds.exact.rules import Floats, Ints
from ventuno.odds.kernels import registry
from ventuno.odds.kernels.loops.codes import WIDTH

Finals: TypeAlias = tuple[Ints, Ints, Floats, Ints]
"""Sets of cards beyond the split card by points, their classes, their numbers of orders; where each points begin."""

_SHIFTS, _POINTS = 6 * np.arange(10, dtype=np.int64), np.arange(1, 11)
CLASSES = 15
"""Classes of a hand that did not simply bust: see `finals`; one more stands for the plain bust."""
CHUNK = 4096
MOST_POINTS = 32
BAND = 1 << 16
"""Pairs of sets that are taken together: enough for speed, few enough for memory."""


def find_split_ends(table: HandTree, play: Play, card: int) -> Floats:
    """Chances [class of first hand, class of second, dealer's end] after splitting a pair; class 15 is a bust."""
    first = _list_finals(table, play, card, 0)
    second = _list_finals(table, play, card, 1) if table.mate else first
    shoe = table.rest[table.pairs[card - 1]]
    both = _join_hands(table, first, second, shoe)
    out = np.zeros((CLASSES + 1, CLASSES + 1, dealer.ENDS))
    out[:CLASSES, :CLASSES] = both
    out[:CLASSES, CLASSES] = _sum_alone(table, first, shoe) - both.sum(axis=1)
    out[CLASSES, :CLASSES] = _sum_alone(table, second, shoe) - both.sum(axis=0)
    out[CLASSES, CLASSES] = table.ends[table.pairs[card - 1]] - out.sum(axis=(0, 1))
    return out


def _list_finals(table: HandTree, play: Play, card: int, kind: int) -> Finals:
    hands = table.hands
    number = hands.worlds.index((card, 1, kind))
    rows = hands.order[hands.world[hands.order] == number][::-1].copy()
    keys = hands.cards @ UNITS - UNITS[card - 1]
    size = 12 * len(rows)
    sets, classes, ways = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size)
    room, counted = np.zeros((2, len(rows))), np.zeros(1, np.int64)
    registry.finals(
        *(rows, hands.start[number], hands.follow, keys, hands.total, table.state, play.act),
        *(room, sets, classes, ways, counted),
    )
    count = int(counted[0])
    points = (sets[:count, None] >> _SHIFTS & 63) @ _POINTS
    by_points = np.argsort(points, kind="stable")
    starts = np.searchsorted(points[by_points], np.arange(MOST_POINTS + 1))
    return sets[by_points], classes[by_points], ways[by_points], starts


def _join_hands(table: HandTree, first: Finals, second: Finals, shoe: Floats) -> Floats:
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
        ends = _weigh_ends(table, unions[: count[0]], shoe)
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


def _sum_alone(table: HandTree, finals: Finals, shoe: Floats) -> Floats:
    out = np.zeros((CLASSES, WIDTH))
    np.add.at(out, finals[1], finals[2][:, None] * _weigh_ends(table, finals[0], shoe))
    return out[:, : dealer.ENDS]


def _weigh_ends(table: HandTree, keys: Ints, shoe: Floats) -> Floats:
    """For each set of cards: the chance of drawing it in one order and of each end of the dealer after it."""
    out = np.zeros((len(keys), WIDTH))
    for first in range(0, len(keys), CHUNK):
        some = keys[first : first + CHUNK]
        shoes, weight = np.empty((len(some), 10)), np.empty(len(some))
        registry.chances(some, shoe, np.empty(64), shoes, weight)
        out[first : first + CHUNK, : dealer.ENDS] = weight[:, None] * dealer.find_ends(
            shoes, table.up, table.rules.hits_soft_17
        )
    return out
