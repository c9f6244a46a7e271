"""Two split hands at once: how both of them and the dealer end, exactly.

The return of a split needs only one hand at a time; its spread needs both. The chance of two hands depends only on the
union of their cards, so the dealer is asked once for each union.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from ventuno.odds import dealer, kernels
from ventuno.odds.play import Play, Table
from ventuno.odds.player import UNITS
from ventuno.odds.terms import Floats, Ints

Finals: TypeAlias = tuple[Ints, Ints, Floats]
"""Sets of cards beyond the split card, their classes, their numbers of orders."""

CLASSES = 15
"""Classes of a hand that did not simply bust: see `kernels.finals`; one more stands for the plain bust."""
CHUNK = 8192


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
    count = kernels.finals(
        rows, one.start[number], one.follow, keys, one.total, table.state, play.act, found, classes, ways
    )
    return found[:count].copy(), classes[:count].copy(), ways[:count].copy()


def _both(table: Table, first: Finals, second: Finals, shoe: Floats) -> Floats:
    alike = first is second
    pairs = len(first[0]) * (len(first[0]) + 1) // 2 if alike else len(first[0]) * len(second[0])
    place = np.empty(pairs, np.int32)
    size, count = 1 << max(pairs // 5, 64).bit_length(), -1
    while count < 0:
        unions, slots = np.empty(size // 2, np.int64), np.full((size, 2), -1)
        count = kernels.meet(first[0], second[0], alike, slots, unions, place)
        size *= 2
    del slots
    out = np.zeros((CLASSES, CLASSES, dealer.ENDS))
    ends = _ends(table, unions[:count], shoe)
    kernels.join(place, alike, first[2], second[2], first[1], second[1], ends, out)
    return (out + out.transpose(1, 0, 2)) / 2 if alike else out


def _alone(table: Table, finals: Finals, shoe: Floats) -> Floats:
    out = np.zeros((CLASSES, dealer.ENDS))
    np.add.at(out, finals[1], finals[2][:, None] * _ends(table, finals[0], shoe))
    return out


def _ends(table: Table, keys: Ints, shoe: Floats) -> Floats:
    """For each set of cards: the chance of drawing it in one order and of each end of the dealer after it."""
    out = np.empty((len(keys), dealer.ENDS))
    for first in range(0, len(keys), CHUNK):
        some = keys[first : first + CHUNK]
        shoes, weight = np.empty((len(some), 10)), np.empty(len(some))
        kernels.chances(some, shoe, shoes, weight)
        out[first : first + CHUNK] = weight[:, None] * dealer.ends(shoes, table.up, table.terms.hits_soft_17)
    return out
