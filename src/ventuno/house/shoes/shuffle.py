"""Unbiased numbers from a stream of bytes, and the Fisher-Yates shuffle over them (R-22, G-12).

A number below n is a word of the stream modulo n, words of the incomplete last block thrown away: every accepted value
has exactly `space // n` words that lead to it. There is no float and no other scaling.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from ventuno.house.shoes.drbg import HmacDrbg
from ventuno.house.store.secrets import Secret

CHUNK = 1024
"""The stream is the concatenation of `generate(1024)`; a verifier asks in the same portions."""
NARROW, WIDE = 2, 8
NARROW_MOST = 2**12
MOST = 2**56

Item = TypeVar("Item")
Below = Callable[[int], int]
"""An unbiased whole number from 0 up to, but not including, the one given."""


class RangeUnfit(ValueError):
    """Numbers are drawn below a bound from 1 to 2^56."""


def find_word_size(bound: int) -> int:
    """Bytes of a word: two for bounds up to 2^12, eight above, so that few words are thrown away."""
    if not 1 <= bound <= MOST:
        raise RangeUnfit(f"no number is drawn below {bound}; bounds go from 1 to 2^56")
    return NARROW if bound <= NARROW_MOST else WIDE


def reduce_word(word: int, bound: int, space: int) -> int | None:
    """The number that a word of so large a space stands for; None where the word is thrown away."""
    return word % bound if word < space - space % bound else None


class Stream(Secret):
    """The bytes of a generator, taken in order and never twice."""

    __slots__ = ("_at", "_buffer", "_drbg")

    def __init__(self, drbg: HmacDrbg) -> None:
        self._drbg, self._buffer, self._at = drbg, b"", 0

    def take(self, size: int) -> bytes:
        at, end = self._at, self._at + size
        while end > len(self._buffer):
            self._buffer, at, end = self._buffer[at:] + self._drbg.generate(CHUNK), 0, size
        self._at = end
        return self._buffer[at:end]

    def below(self, bound: int) -> int:
        size = find_word_size(bound)
        while True:
            number = reduce_word(int.from_bytes(self.take(size), "big"), bound, 256**size)
            if number is not None:
                return number


def shuffle(items: Sequence[Item], below: Below) -> tuple[Item, ...]:
    """Fisher-Yates from the last place down: place i changes with a place from 0 to i, itself included."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        other = below(last + 1)
        order[last], order[other] = order[other], order[last]
    return tuple(order)
