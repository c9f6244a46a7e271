"""Two split hands at once: how both of them and the dealer end, exactly.

The return of a split needs only one hand at a time; its spread needs both. The chance of two hands depends only on the
union of their cards, so the dealer is asked once for each union.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
from numba import njit

from ventuno.odds import dealer
from ventuno.odds.kernels import CHARLIE, DOUBLE, HIT, STAND
from ventuno.odds.play import Play, Table
from ventuno.odds.player import UNITS
from ventuno.odds.terms import Floats, Ints

Finals: TypeAlias = tuple[Ints, Ints, Floats, Ints]
"""Sets of cards beyond the split card by points, their classes, their numbers of orders; where each points begin."""

_SHIFTS, _POINTS = 6 * np.arange(10, dtype=np.int64), np.arange(1, 11)
CLASSES = 15
"""Classes of a hand that did not simply bust: see `finals`; one more stands for the plain bust."""
CHUNK = 4096
MOST_POINTS = 32
BAND = 1 << 16
"""Pairs of sets that are taken together: enough for speed, few enough for memory."""
WIDTH = 8
"""Ends are held eight to a row: whole vectors."""


def split_ends(table: Table, play: Play, card: int) -> Floats:
    """Chances [class of first hand, class of second, dealer's end] after splitting a pair; class 15 is a bust."""
    first = _finals(table, play, card, 0)
    second = _finals(table, play, card, 1) if table.mate else first
    shoe = table.rest[table.pairs[card - 1]]
    both = _both(table, first, second, shoe)
    out = np.zeros((CLASSES + 1, CLASSES + 1, dealer.ENDS))
    out[:CLASSES, :CLASSES] = both
    out[:CLASSES, CLASSES] = _alone(table, first, shoe) - both.sum(axis=1)
    out[CLASSES, :CLASSES] = _alone(table, second, shoe) - both.sum(axis=0)
    out[CLASSES, CLASSES] = table.ends[table.pairs[card - 1]] - out.sum(axis=(0, 1))
    return out


def _finals(table: Table, play: Play, card: int, kind: int) -> Finals:
    one = table.hands
    number = one.worlds.index((card, 1, kind))
    rows = one.order[one.world[one.order] == number][::-1].copy()
    keys = one.cards @ UNITS - UNITS[card - 1]
    size = 12 * len(rows)
    found, classes, ways = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size)
    count = finals(rows, one.start[number], one.follow, keys, one.total, table.state, play.act, found, classes, ways)
    points = (found[:count, None] >> _SHIFTS & 63) @ _POINTS
    by_points = np.argsort(points, kind="stable")
    starts = np.searchsorted(points[by_points], np.arange(MOST_POINTS + 1))
    return found[by_points], classes[by_points], ways[by_points], starts


def _both(table: Table, first: Finals, second: Finals, shoe: Floats) -> Floats:
    """Unions of different points are different, so bands of points are taken one after the other."""
    alike = first is second
    out = np.zeros((CLASSES, CLASSES, WIDTH))
    for low, high, pairs in _bands(first[3], second[3]):
        place = np.empty(pairs, np.int32)
        size, count = 1 << max(pairs // 5, min(pairs, 8192)).bit_length(), -1
        while count < 0:
            unions, slots = np.empty(3 * size // 4, np.int64), np.full((size, 2), -1)
            count = meet(first[0], second[0], first[3], second[3], low, high, alike, slots, unions, place)
            size *= 2
        del slots
        ends = _ends(table, unions[:count], shoe)
        join(place, first[3], second[3], low, high, alike, first[2], second[2], first[1], second[1], ends, out)
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


def _alone(table: Table, finals: Finals, shoe: Floats) -> Floats:
    out = np.zeros((CLASSES, WIDTH))
    np.add.at(out, finals[1], finals[2][:, None] * _ends(table, finals[0], shoe))
    return out[:, : dealer.ENDS]


def _ends(table: Table, keys: Ints, shoe: Floats) -> Floats:
    """For each set of cards: the chance of drawing it in one order and of each end of the dealer after it."""
    out = np.zeros((len(keys), WIDTH))
    for first in range(0, len(keys), CHUNK):
        some = keys[first : first + CHUNK]
        shoes, weight = np.empty((len(some), 10)), np.empty(len(some))
        chances(some, shoe, shoes, weight)
        out[first : first + CHUNK, : dealer.ENDS] = weight[:, None] * dealer.ends(
            shoes, table.up, table.terms.hits_soft_17
        )
    return out


@njit(cache=True, error_model="numpy")
def finals(rows, base, follow, keys, total, state, act, out_key, out_class, out_ways):  # type: ignore[no-untyped-def]
    """The sets of cards with which one split hand can end without a plain bust, each with its number of orders.

    `rows` are the hands of one world, earlier hands first, the lone split card at their head. Classes: 0 up to 16,
    1…5 for 17…21, 6 Charlie; 7 more when doubled; 14 doubled and bust.
    """
    ways, twice = np.zeros(rows.shape[0]), np.zeros(rows.shape[0])
    ways[rows[0] - base] = 1.0
    found = 0
    for e in rows:
        held, a = ways[e - base], act[e]
        if held == 0.0:
            continue
        if a == STAND:
            out_key[found], out_class[found], out_ways[found] = keys[e], ending(total[e], state[e]), held
            found += 1
            continue
        for v in range(10):
            f = follow[e, v]
            if f >= 0 and a == HIT:
                ways[f - base] += held
            elif f >= 0:
                twice[f - base] += held
            elif a == DOUBLE:
                out_key[found], out_class[found], out_ways[found] = keys[e] + (1 << (6 * v)), 14, held
                found += 1
    for e in rows:
        if twice[e - base] > 0.0:
            out_key[found], out_class[found] = keys[e], 7 + ending(total[e], state[e])
            out_ways[found] = twice[e - base]
            found += 1
    return found


@njit(cache=True, error_model="numpy")
def ending(total, state):  # type: ignore[no-untyped-def]
    return 6 if state == CHARLIE else max(total - 16, 0)


@njit(cache=True, error_model="numpy")
def span(points, low, high, starts):  # type: ignore[no-untyped-def]
    """The sets that make `low` points and less than `high` together with one of so many points."""
    last = starts.shape[0] - 1
    return starts[min(max(low - points, 0), last)], starts[min(max(high - points, 0), last)]


@njit(cache=True, error_model="numpy")
def meet(left, right, begins, starts, low, high, alike, slots, unions, place):  # type: ignore[no-untyped-def]
    """Number the different unions of a set of one list and a set of the other; -1 if there is no room for them.

    Where both lists are alike, each pair is met once. `place` gets the number of each pair in the order of the loops.
    """
    mask, found, pair = slots.shape[0] - 1, 0, 0
    for points in range(begins.shape[0] - 1):
        first, last = span(points, low, high, starts)
        for i in range(begins[points], begins[points + 1]):
            for j in range(max(first, i) if alike else first, last):
                key = left[i] + right[j]
                at = (key * 0x9E3779B97F4A7C15 >> 20) & mask
                while slots[at, 0] != key:
                    if slots[at, 0] < 0:
                        if found == unions.shape[0]:
                            return -1
                        slots[at, 0], slots[at, 1], unions[found] = key, found, key
                        found += 1
                        break
                    at = (at + 1) & mask
                place[pair] = slots[at, 1]
                pair += 1
    return found


@njit(cache=True, error_model="numpy")
def chances(keys, shoe, shoes, weight):  # type: ignore[no-untyped-def]
    """For each set of cards the shoe without it, and the chance of drawing it in one given order."""
    left = 0.0
    for v in range(10):
        left += shoe[v]
    each = np.zeros(64)
    for n in range(64):
        each[n] = 1.0 / (left - n) if left > n else 0.0
    for i in range(keys.shape[0]):
        n, result = 0, 1.0
        for v in range(10):
            copies = (keys[i] >> (6 * v)) & 63
            for k in range(copies):
                result *= (shoe[v] - k) * each[n]
                n += 1
            shoes[i, v] = shoe[v] - copies
        weight[i] = result


@njit(cache=True, error_model="numpy")
def join(place, begins, starts, low, high, alike, ways, others, classes, mates, ends, out):  # type: ignore[no-untyped-def]
    """Chances of the classes of two split hands together with the dealer's end."""
    pair = 0
    for points in range(begins.shape[0] - 1):
        first, last = span(points, low, high, starts)
        for i in range(begins[points], begins[points + 1]):
            for j in range(max(first, i) if alike else first, last):
                chance = ways[i] * others[j] * (2.0 if alike and i != j else 1.0)
                here, row = out[classes[i], mates[j]], ends[place[pair]]
                for k in range(WIDTH):
                    here[k] += chance * row[k]
                pair += 1
