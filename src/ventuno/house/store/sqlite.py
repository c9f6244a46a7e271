"""The store on SQLite: one writer, in a thread or in a process of its own, and two connections that read beside it."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Protocol

from ventuno.house.store.file_lock import DiskReserve, FileLock
from ventuno.house.store.records import Batch, KeyRow
from ventuno.house.store.sqlite_connection import QUERIES, connect, run_query
from ventuno.house.store.sqlite_writer import Writer
from ventuno.house.store.store import OnDone, Snapshot, Store, StoreFailed, WriteRequest, notify

HANDOVER_LIMIT = 256
"""Batches that are handed to the writer together."""
SWITCH_INTERVAL = 0.0005
"""Seconds after which the writer, who asks for the interpreter at every statement, is given it by the loop."""
_KEY = QUERIES["key"].text


class BatchWriter(Protocol):
    """Takes batches in order and tells each when it is durable, or that it may not be."""

    def put(self, *entries: WriteRequest) -> None: ...

    async def end(self) -> None:
        """Write what waits, then end."""


def start_writer_thread(path: str, pragmas: Mapping[str, str]) -> Writer:
    """A writer in a thread: nothing is started for it. Play shares the interpreter with it."""
    loop = asyncio.get_running_loop()

    def tell(group: Sequence[WriteRequest], fault: StoreFailed | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(notify, group, fault)

    writer = Writer(connect(path, pragmas), tell)
    writer.when_full = DiskReserve(path).release
    sys.setswitchinterval(min(SWITCH_INTERVAL, sys.getswitchinterval()))
    writer.start()
    return writer


class SqliteStore(Store):
    """A file, its writer, a connection for what must be known at once and one for longer reading."""

    def __init__(self, path: str, writer: BatchWriter, unsafe: str, lock: FileLock) -> None:
        self.unsafe, self.writer, self._lock = unsafe, writer, lock
        self._loop = asyncio.get_running_loop()
        self._pending: list[WriteRequest] = []
        self._handover: asyncio.Handle | None = None
        self._key_connection, self._read_connection = connect(path), connect(path)
        self._reader = ThreadPoolExecutor(1, "ventuno-reader")

    def submit(self, batch: Batch, done: OnDone, snapshot: Snapshot | None = None) -> None:
        if not self._pending:
            self._handover = self._loop.call_soon(self._hand_over)
        self._pending.append(WriteRequest(batch, done, snapshot))
        if len(self._pending) >= HANDOVER_LIMIT:
            self._hand_over()

    def _hand_over(self) -> None:
        """What was submitted in one turn of the loop wakes the writer once; it begins while a long turn goes on."""
        if self._handover:
            self._handover.cancel()
        entries, self._pending = self._pending, []
        if entries:
            self.writer.put(*entries)

    async def key(self, key: str) -> KeyRow | None:
        """At once: it stands before every command whose key is not in memory."""
        row = self._key_connection.execute(_KEY, (key,)).fetchone()
        return KeyRow(*row) if row else None

    async def _ask(self, name: str, values: dict[str, Any]) -> list[Any]:
        return await self._loop.run_in_executor(self._reader, run_query, self._read_connection, name, values)

    async def close(self) -> None:
        self._hand_over()
        await self.writer.end()
        self._reader.shutdown()
        self._key_connection.close()
        self._read_connection.close()
        self._lock.release()
