"""The books read again beside play, from the first record of every stream to its end (G-11).

A house opens from its photographs and what was written since. Whatever was changed in older records is found here:
some minutes after the start, and every day.
"""

from __future__ import annotations

import asyncio
import logging

from ventuno.house.store.records import ChainBroken, Head, check
from ventuno.house.store.store import Store, StoreFailed

FIRST, EVERY = 120.0, 24 * 3600.0
"""Seconds before the books are read for the first time, and from one reading to the next."""
PAUSE = 0.5
"""Seconds between two pages: play goes first."""
_log = logging.getLogger(__name__)


class Rereading:
    """`faults` are those of the last reading, or of the one that goes on."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.faults: list[str] = []

    async def go_on(self) -> None:
        await asyncio.sleep(FIRST)
        while True:
            await self.read(PAUSE)
            await asyncio.sleep(EVERY)

    async def read(self, pause: float = 0.0) -> list[str]:
        """Every stream up to where it ends now."""
        self.faults = []
        for stream, head in (await self._store.streams()).items():
            try:
                await self._read(stream, head, pause)
            except StoreFailed:
                raise
            except Exception as fault:  # whatever cannot be read is a fault to be listed with the others
                told = str(fault) if isinstance(fault, ChainBroken) else f"{stream}: {type(fault).__name__}: {fault}"
                self.faults.append(told)
                _log.critical("the books are wrong: %s", told)
        return self.faults

    async def _read(self, stream: str, head: Head, pause: float) -> None:
        last = Head()
        async for page in self._store.each_record(stream, upto=head.seq):
            last = check(page, last)
            await asyncio.sleep(pause)
        if last != head:
            raise ChainBroken(f"{stream}: ends at {last.seq}, was written up to {head.seq}")
