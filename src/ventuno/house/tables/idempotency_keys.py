"""The idempotency keys of a house: the last ones in memory, all of them in the store, and which cannot be there (I-4).

Nearly every key is new. A filter knows most of those at once: what it has not seen was never used, and only what it may
have seen is looked up.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable

from ventuno.house.store.records import Batch, KeyRow
from ventuno.house.store.store import Store
from ventuno.house.tables.authority import Authority

RECENT = 5_000
"""Durable keys that stay in memory. Older ones are looked up in the store when they come again."""
PAGE = 5_000
"""Keys that are read together while the filter learns what the store holds."""
BITS = 24
"""Of a place in the filter: two megabytes, in which a million keys leave one look in a hundred for nothing."""


class BloomFilter:
    """Which keys may have been added: no is certain, yes is not."""

    def __init__(self, bits: int = BITS) -> None:
        self._bits, self._mask = bits, (1 << bits) - 1
        self._bitmap = bytearray(1 << bits >> 3)

    def add(self, key: str) -> None:
        number = hash(key)  # drawn anew for each process: nobody can choose keys that collide
        first, second = number & self._mask, number >> self._bits & self._mask
        self._bitmap[first >> 3] |= 1 << (first & 7)
        self._bitmap[second >> 3] |= 1 << (second & 7)

    def __contains__(self, key: str) -> bool:
        number = hash(key)
        first, second = number & self._mask, number >> self._bits & self._mask
        return bool(self._bitmap[first >> 3] >> (first & 7) & self._bitmap[second >> 3] >> (second & 7) & 1)


class IdempotencyKeys:
    def __init__(self, store: Store, authority: Authority) -> None:
        self._store, self._authority = store, authority
        self._recent: deque[str] = deque()
        self._used = BloomFilter()
        self._is_loading = False
        self._looking: dict[str, asyncio.Event] = {}

    def recover(self, recent: Iterable[KeyRow], *, is_all: bool) -> None:
        """Begin with the last keys of the store; where it holds more, they are to be learnt."""
        self._is_loading = not is_all
        for row in recent:
            self._recent.append(row.key)
            self._used.add(row.key)

    async def load_filter(self) -> None:
        """Let the filter know every key of the store; until then each is looked up."""
        last = ""
        while self._is_loading and (page := await self._store.read_keys(last, PAGE)):
            for last in page:
                self._used.add(last)
        self._is_loading = False

    async def find_stored(self, key: str) -> KeyRow | None:
        """What the store holds under a key that is not in memory. One looks at a time, so that only one decides."""
        while key not in self._authority.keys and (self._is_loading or key in self._used):
            if looking := self._looking.get(key):
                await looking.wait()
                continue
            self._looking[key] = asyncio.Event()
            try:
                return await self._store.find_key(key)
            finally:
                self._looking.pop(key).set()  # who waited runs after this one has decided
        return None

    def remember(self, batch: Batch) -> None:
        """Durable keys stay in memory for a while: as many as are recent, however long the house runs."""
        for row in batch.keys:
            self._recent.append(row.key)
            self._used.add(row.key)
        while len(self._recent) > RECENT:
            self._authority.forget(self._recent.popleft())
