"""A SQLite file of a house, opened to read beside it."""

from __future__ import annotations

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ventuno.house.store.records import Batch, Snapshot
from ventuno.house.store.sqlite import NotReadable, check_revision, connect_read_only, read_revision, run_query
from ventuno.house.store.store import HouseOpen, OnDone, Store


class ReadOnlyStore(Store):
    """A file that is only read, beside its house or after it: nothing is written, nor made (R-14, X-02)."""

    def __init__(self, path: str) -> None:
        if not Path(path).is_file():
            raise NotReadable("there is no such file")
        try:
            self._connection = connect_read_only(path)
            try:
                check_revision(read_revision(self._connection))
            except BaseException:
                self._connection.close()
                raise
        except sqlite3.Error as fault:
            raise NotReadable(str(fault)) from None
        self._reader = ThreadPoolExecutor(1, "ventuno-reader")

    def submit(self, batch: Batch, done: OnDone, snapshot: Snapshot | None = None) -> None:
        del batch, done, snapshot
        raise HouseOpen("this store was opened to read beside a house")

    async def _ask(self, name: str, values: dict[str, Any]) -> list[Any]:
        """The rows, or NotReadable where the file is damaged."""
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._reader, run_query, self._connection, name, values)
        except sqlite3.Error as fault:
            raise NotReadable(str(fault)) from None

    async def close(self) -> None:
        self._reader.shutdown()
        self._connection.close()
