"""Fresh entropy from the kernel, watched for the ways in which a source breaks (R-21, R-27).

Every shoe draws its own 384 bits: no clock, no counter, nothing that an earlier shoe put out (R-24).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256
from typing import NoReturn

from ventuno.house.store.secrets import Secret

SEED_SIZE = 48
BLOCK = 16
STUCK_RUN = 8
"""So many equal bytes in a row come by chance once in 2^56 places: the source is stuck."""
REMEMBERED_BLOCKS = 4096


class RandomnessFailed(Exception):
    """The generator cannot be trusted: tables that need it stop before their next deal (R-27). It stays so until a
    person has looked and started the house again."""


class EntropySource(Secret):
    """Bytes of the kernel, or of what a test puts in its place; once it has failed it gives nothing more."""

    __slots__ = ("_failure", "_read", "_seen")

    def __init__(self, read: Callable[[int], bytes] = os.urandom) -> None:
        self._read = read
        self._seen: dict[bytes, None] = {}
        self._failure = ""

    @property
    def failure(self) -> str:
        """Why the source stopped, or nothing."""
        return self._failure

    def draw(self, size: int = SEED_SIZE) -> bytes:
        """So many fresh bytes; raises RandomnessFailed when they are not, now and ever after."""
        if self._failure:
            raise RandomnessFailed(self._failure)
        try:
            drawn = bytes(self._read(size))
        except (OSError, NotImplementedError):
            self._fail_with("entropy-silent")
        if len(drawn) != size:
            self._fail_with("entropy-short")
        self._check_stuck(drawn)
        self._check_repeated(drawn)
        return drawn

    def _check_stuck(self, drawn: bytes) -> None:
        run, last = 0, -1
        for byte in drawn:
            run = run + 1 if byte == last else 1
            last = byte
            if run >= STUCK_RUN:
                self._fail_with("entropy-stuck")

    def _check_repeated(self, drawn: bytes) -> None:
        """Of earlier blocks only digests are kept."""
        for start in range(0, len(drawn) - BLOCK + 1, BLOCK):
            digest = sha256(drawn[start : start + BLOCK]).digest()
            if digest in self._seen:
                self._fail_with("entropy-repeated")
            self._seen[digest] = None
        while len(self._seen) > REMEMBERED_BLOCKS:
            del self._seen[next(iter(self._seen))]

    def _fail_with(self, reason: str) -> NoReturn:
        self._failure = reason
        raise RandomnessFailed(reason)
