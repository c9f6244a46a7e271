"""Five shuffles that are wrong in ways seen in public code: the statistics must reject each, in every run (G-12)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from tests.support.shuffle_statistics import SIZE, Numbers, Shoes
from ventuno.core.rules.cards import pack

Pick = Callable[[int, np.random.Generator, int], Numbers]


def drawn(pick: Pick, seed: int, count: int) -> Shoes:
    """Shoes of a shuffle written for many at once: `pick` says with which place the last one changes, for each."""
    rng = np.random.default_rng(seed)
    shoes: Shoes = np.tile(np.array(pack(8), dtype=np.uint8), (count, 1))
    rows = np.arange(count)
    for last in range(SIZE - 1, -1, -1):
        other = pick(last, rng, count)
        here, there = shoes[:, last].copy(), shoes[rows, other]
        shoes[:, last] = there
        shoes[rows, other] = here
    return shoes


def fair(last: int, rng: np.random.Generator, count: int) -> Numbers:
    return rng.integers(0, last + 1, count)


def modulo(last: int, rng: np.random.Generator, count: int) -> Numbers:
    """A byte modulo n, two bytes where one is too small."""
    return rng.integers(0, 256 if last < 256 else 65536, count) % (last + 1)


def swap_with_any(_: int, rng: np.random.Generator, count: int) -> Numbers:
    return rng.integers(0, SIZE, count)


def off_by_one(last: int, rng: np.random.Generator, count: int) -> Numbers:
    """A card never keeps its place: only cycles of the whole pack come out."""
    return rng.integers(0, max(last, 1), count)


def seconds_as_seed(count: int) -> Shoes:
    """Three shoes in each second of the clock, which is all the seed they have."""
    return np.repeat(drawn(fair, 4, count), 3, axis=0)[:count]


def sixteen_bits(count: int) -> Shoes:
    seeds = np.random.default_rng(5).integers(0, 2**16, count)
    distinct, which = np.unique(seeds, return_inverse=True)
    return drawn(fair, 6, len(distinct))[which]


CONTROLS: dict[str, Callable[[int], Shoes]] = {
    "modulo bias": lambda count: drawn(modulo, 1, count),
    "swap with any place": lambda count: drawn(swap_with_any, 2, count),
    "off by one": lambda count: drawn(off_by_one, 3, count),
    "seed from the clock, used again": seconds_as_seed,
    "seed of sixteen bits": sixteen_bits,
}
