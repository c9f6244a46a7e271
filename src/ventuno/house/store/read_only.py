"""A SQLite file that is only looked at, beside its house or after it: nothing is written, nor made (R-14, X-02)."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from ventuno.house.store import schema
from ventuno.house.store.records import Batch
from ventuno.house.store.sqlite_connection import run_query
from ventuno.house.store.store import HouseOpen, OnDone, Snapshot, Store

_MODE_BYTES = slice(18, 20)
_WAL = b"\x02\x02"
"""Bytes of a file's head that say how it is written, and what they are where it has a write-ahead log."""
_BUSY_TIMEOUT = 5000
"""Milliseconds that are waited for a writer."""


class NotReadable(RuntimeError):
    """There is no house here that this version reads. Nothing is brought up to date for a look: `serve` does that."""


def check_revision(revision: str) -> None:
    """NotReadable unless the schema that was found is the one this version reads."""
    if not revision:
        raise NotReadable("no house is kept there")
    if revision != schema.REVISION:
        raise NotReadable(f"the house there is at revision {revision[:40]!r}, and {schema.REVISION!r} is read here")


def connect_read_only(path: str) -> sqlite3.Connection:
    """A connection that cannot write.

    SQLite makes a log beside a file that has none, even for who only reads. So a file that nobody has open is taken as
    it lies; where there is a log, a house plays or was killed, and what the log holds is read with the file.
    """
    file = Path(os.path.realpath(path))
    with file.open("rb") as raw:
        has_log = raw.read(20)[_MODE_BYTES] == _WAL
    is_closed = has_log and not Path(f"{file}-wal").exists()
    address = f"{file.as_uri()}?mode=ro{'&immutable=1' * is_closed}"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
    connection.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT}").fetchall()
    return connection


def _read_revision(connection: sqlite3.Connection) -> str:
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchall():
        return ""
    rows = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    return str(rows[0][0]) if rows else ""


class ReadOnlyStore(Store):
    """The questions of a store, answered from such a connection; whoever hands in a batch is refused."""

    def __init__(self, path: str) -> None:
        if not Path(path).is_file():
            raise NotReadable("there is no such file")
        try:
            self._connection = connect_read_only(path)
            try:
                check_revision(_read_revision(self._connection))
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
