"""Two split hands at once: how both of them and the dealer end, exactly.

The return of a split needs only one hand at a time; its spread needs both. The chance of two hands depends only on the
union of their cards, so the dealer is asked once for each union.
"""

from __future__ import annotations

import numpy as np

from ventuno.odds import dealer, kernels
from ventuno.odds.play import Play, Table
from ventuno.odds.terms import Floats, Ints

CLASSES = 15
"""Classes of a hand that did not simply bust: see `kernels.finals`; one more stands for the plain bust."""
UNITS = np.left_shift(np.int64(1), 6 * np.arange(10, dtype=np.int64))


def split_ends(table: Table, play: Play, card: int, up: int) -> Floats:
    """Chances [class of first hand, class of second, dealer's end] after splitting a pair; class 15 is a bust."""
    left, right = (_finals(table, play, card, up, kind) for kind in (0, table.mate))
    shoe = table.terms.shoe.copy()
    shoe[card - 1] -= 2
    shoe[up] -= 1
    out = np.zeros((CLASSES + 1, CLASSES + 1, dealer.ENDS))
    out[:CLASSES, :CLASSES] = _both(table, left, right, shoe, up)
    out[:CLASSES, CLASSES] = _alone(table, left, shoe, up) - out[:CLASSES, :CLASSES].sum(axis=1)
    out[CLASSES, :CLASSES] = _alone(table, right, shoe, up) - out[:CLASSES, :CLASSES].sum(axis=0)
    everything = dealer.ends(shoe[None, :], up + 1, table.terms.hits_soft_17)[0]
    out[CLASSES, CLASSES] = everything - out.sum(axis=(0, 1))
    return out


def _finals(table: Table, play: Play, card: int, up: int, kind: int) -> tuple[Ints, Ints, Floats]:
    one = table.hands
    number = one.worlds.index((card, 1, kind))
    rows = one.order[one.world[one.order] == number][::-1].copy()
    keys = one.cards @ UNITS - UNITS[card - 1]
    size = 12 * len(rows)
    found, classes, ways = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size)
    count = kernels.finals(
        rows, one.start[number], one.follow, keys, one.total, table.state, play.act[up], found, classes, ways
    )
    return found[:count], classes[:count], ways[:count]


def _both(
    table: Table, left: tuple[Ints, Ints, Floats], right: tuple[Ints, Ints, Floats], shoe: Floats, up: int
) -> Floats:
    alike = table.mate == 0
    place = np.empty((len(left[0]), len(right[0])), np.int32)
    size, count = 1 << max(place.size // 8, 64).bit_length(), -1
    while count < 0:
        unions = np.empty(size // 2, np.int64)
        empty, number = np.full(size, -1), np.empty(size, np.int32)
        count = kernels.meet(left[0], right[0], alike, empty, place, number, unions)
        size *= 2
    weight, ends = _ends(table, unions[:count], shoe, up)
    out = np.zeros((CLASSES, CLASSES, dealer.ENDS))
    kernels.join(place, alike, left[2], right[2], left[1], right[1], weight, ends, out)
    return out


def _alone(table: Table, finals: tuple[Ints, Ints, Floats], shoe: Floats, up: int) -> Floats:
    weight, ends = _ends(table, finals[0], shoe, up)
    out = np.zeros((CLASSES, dealer.ENDS))
    np.add.at(out, finals[1], (finals[2] * weight)[:, None] * ends)
    return out


def _ends(table: Table, keys: Ints, shoe: Floats, up: int) -> tuple[Floats, Floats]:
    shoes, weight = np.empty((len(keys), 10)), np.empty(len(keys))
    kernels.chances(keys, shoe, shoes, weight)
    return weight, dealer.ends(shoes, up + 1, table.terms.hits_soft_17)
