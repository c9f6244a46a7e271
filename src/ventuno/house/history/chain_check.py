"""The books read again beside play, from the first record of every stream to its end (G-11).

A house opens from its photographs and what was written since. Whatever was changed in older records is found here:
some minutes after the start, and every day.
"""

from __future__ import annotations

import asyncio
import logging

from ventuno.house.store.records import ChainBroken, Head, check_chain
from ventuno.house.store.store import Store, StoreFailed

FIRST_DELAY, INTERVAL = 120.0, 24 * 3600.0
"""Seconds before the books are read for the first time, and from one reading to the next."""
PAGE_PAUSE = 0.5
"""Seconds between two pages: play goes first."""
_log = logging.getLogger(__name__)


class ChainChecker:
    """`faults` are those of the last reading, or of the one that goes on."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.faults: list[str] = []

    async def run(self) -> None:
        await asyncio.sleep(FIRST_DELAY)
        while True:
            await self.check_all(PAGE_PAUSE)
            await asyncio.sleep(INTERVAL)

    async def check_all(self, pause: float = 0.0) -> list[str]:
        """Every stream up to where it ends now."""
        self.faults = []
        for stream, head in (await self._store.read_heads()).items():
            try:
                await self._check_stream(stream, head, pause)
            except StoreFailed:
                raise
            except Exception as fault:  # whatever cannot be read is a fault to be listed with the others
                text = str(fault) if isinstance(fault, ChainBroken) else f"{stream}: {type(fault).__name__}: {fault}"
                self.faults.append(text)
                _log.critical("the books are wrong: %s", text)
        return self.faults

    async def _check_stream(self, stream: str, head: Head, pause: float) -> None:
        last = Head()
        async for page in self._store.iterate_records(stream, upto=head.seq):
            last = check_chain(page, last)
            await asyncio.sleep(pause)
        if last != head:
            raise ChainBroken(f"{stream}: ends at {last.seq}, was written up to {head.seq}")
