"""Checks every hash chain from its first record, beside play (G-11).

A house opens from snapshots and the records after them. A change in older records is found here, some minutes after the
start and every day.
"""

from __future__ import annotations

import asyncio
import logging

from ventuno.house.store.audit_log import STREAM, find_unexplained
from ventuno.house.store.records import ERASED, ChainBroken, Head, check_chain, describe_fault
from ventuno.house.store.store import Store, StoreFailed

FIRST_DELAY, INTERVAL = 120.0, 24 * 3600.0
"""Seconds before the first check, and from one check to the next."""
PAGE_PAUSE = 0.5
"""Seconds between two pages: play goes first."""
_log = logging.getLogger(__name__)


class ChainChecker:
    """`faults` are those of the last check, or of the running one."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.faults: list[str] = []
        self._empty: list[tuple[str, int]] = []

    async def run(self) -> None:
        await asyncio.sleep(FIRST_DELAY)
        while True:
            await self.check_all(PAGE_PAUSE)
            await asyncio.sleep(INTERVAL)

    async def check_all(self, pause: float = 0.0) -> list[str]:
        """Every stream up to where it ends now."""
        self.faults, self._empty = [], []
        for stream, head in (await self._store.read_heads()).items():
            try:
                await self._check_stream(stream, head, pause)
            except StoreFailed:
                raise
            except Exception as fault:  # whatever cannot be read is listed with the other faults
                self.faults.append(describe_fault(stream, fault))
                _log.critical("the store is wrong: %s", self.faults[-1])
        if self._empty:
            self.faults += find_unexplained(self._empty, await self._store.read_records(STREAM))
        return self.faults

    async def _check_stream(self, stream: str, head: Head, pause: float) -> None:
        last = Head()
        async for page in self._store.iterate_records(stream, upto=head.seq):
            last = check_chain(page, last)
            self._empty += [(stream, record.seq) for record in page if record.body == ERASED]
            await asyncio.sleep(pause)
        if last != head:
            raise ChainBroken(f"{stream}: ends at {last.seq}, was written up to {head.seq}")
