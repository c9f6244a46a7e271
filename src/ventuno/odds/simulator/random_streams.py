"""Where each block of simulated rounds starts its random numbers (`loops.xoshiro` goes on from there)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_MASK = 2**64 - 1


def derive_seeds(seed: int, block: int) -> NDArray[np.uint64]:
    """Four words for one block of work: splitmix64, started from the seed and the number of the block."""
    state, words = _mix(seed & _MASK) ^ _mix(_mix(block & _MASK) + (seed >> 64)), []
    for _ in range(4):
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        words.append(_mix(state))
    return np.array(words, dtype=np.uint64)


def _mix(word: int) -> int:
    word = (word + 0x9E3779B97F4A7C15) & _MASK
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    word = (word ^ word >> 27) * 0x94D049BB133111EB & _MASK
    return word ^ word >> 31
