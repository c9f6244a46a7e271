"""The loop of the bonus: each triggered wheel, and each board cell by cell."""

from __future__ import annotations

import numpy as np

from ventuno.odds.kernels.loops.compiler import inlined, loop
from ventuno.odds.kernels.loops.xoshiro import U, high, turned, word


@inlined
def _one(sums, meant, x):  # type: ignore[no-untyped-def]
    """What a random word draws by weight; the likeliest comes first."""
    drawn = np.int64(high(x, U(sums[-1])))
    at = 0
    while sums[at] <= drawn:
        at += 1
    return meant[at]


@loop
def spin(  # type: ignore[no-untyped-def]
    random, triggers, boards, spins, box_cells, held, empty, counts,
    wheel, segments, start, starts, cell, cells, box, boxes, diamond, diamonds,
):  # fmt: skip
    """Play so many bonuses; `counts[1 + prize]` grows by one for each."""
    a, b, c, d = random[0], random[1], random[2], random[3]
    for _ in range(triggers):
        x = word(a, d)
        a, b, c, d = turned(a, b, c, d)
        prize = _one(wheel, segments, x)
        if prize >= 0:
            counts[1 + prize] += 1
            continue
        size, open_cells = boards[-1 - prize, 0], boards[-1 - prize, 0]
        for at in range(size):
            held[at] = 0
            empty[at] = at
        for _k in range(boards[-1 - prize, 1]):
            x = word(a, d)
            a, b, c, d = turned(a, b, c, d)
            taken = high(x, U(open_cells))
            x = x * U(open_cells)
            held[empty[taken]] = _one(start, starts, x)
            open_cells -= 1
            empty[taken] = empty[open_cells]
        left = spins
        while left > 0 and open_cells > 0:
            left -= 1
            at = 0
            while at < open_cells:
                x = word(a, d)
                a, b, c, d = turned(a, b, c, d)
                shown = _one(cell, cells, x)
                if shown == 0:
                    at += 1
                    continue
                held[empty[at]] = shown
                open_cells -= 1
                empty[at] = empty[open_cells]
                # The cell moved here from the end has not been spun yet: `at` stays.
                left = spins
        total = 0
        for first in range(0, size, box_cells):
            shown, full = 0, True
            for at in range(first, first + box_cells):
                shown += held[at]
                full = full and held[at] > 0
            x = word(a, d)
            a, b, c, d = turned(a, b, c, d)
            if full:
                factor = _one(box, boxes, x)
                if factor == 0:
                    x = word(a, d)
                    a, b, c, d = turned(a, b, c, d)
                    shown += _one(diamond, diamonds, x)
                else:
                    shown *= factor
            total += shown
        counts[1 + total] += 1
