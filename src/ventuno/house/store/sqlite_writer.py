"""Writes groups of batches to SQLite, each group one transaction and one sync of the disk; in a thread, if wanted."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import chain, islice
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any

from ventuno.house.store import schema
from ventuno.house.store.sqlite_connection import Connection, run_query
from ventuno.house.store.store import StoreFailed, WriteRequest, collect_rows, find_overdrawn, is_disk_full

CHECKPOINT_ROWS = 20_000
"""Rows between two checkpoints."""
GROUP_SECONDS = 0.005
"""How long a group may go on taking in what waits, in seconds."""
GROUP_LIMIT = 2_000
"""Batches in one group at most."""
_SIZES = (512, 128, 64, *range(32, 0, -1))

Notify = Callable[[Sequence[WriteRequest], StoreFailed | None], None]


def _insert(table: str, count: int) -> str:
    """One statement for many rows: the interpreter lock is let go once for all of them, not once for each."""
    names = [column.name for column in schema.metadata.tables[table].columns]
    marks = f"({', '.join('?' * len(names))})"
    listed = ", ".join(f'"{name}"' for name in names)
    return f"INSERT INTO {table} ({listed}) VALUES {', '.join([marks] * count)} {schema.UPSERT_CLAUSES.get(table, '')}"


_INSERTS = {(table, size): _insert(table, size) for table in schema.metadata.tables for size in _SIZES}


def insert(connection: Connection, table: str, rows: Iterable[tuple[Any, ...]]) -> list[Any]:
    """Write rows in as few statements as their number needs; gives back what the statements return."""
    listed, given = iter(rows), []
    chunk = list(islice(listed, _SIZES[0]))
    while chunk:
        start = 0
        for size in _SIZES:
            while len(chunk) - start >= size:
                values = list(chain.from_iterable(chunk[start : start + size]))
                given += list(connection.execute(_INSERTS[table, size], values))
                start += size
        chunk = list(islice(listed, _SIZES[0]))
    return given


def write(connection: Connection, group: Sequence[WriteRequest], place: int) -> int:
    """One transaction for the whole group. It is durable when this returns; any error means that it may not be."""
    rows = collect_rows(group, place)
    if rows.is_empty:
        return place
    connection.execute("BEGIN IMMEDIATE")
    for name, table in schema.APPEND_TABLES:
        insert(connection, table.name, rows.appended[name])
    insert(connection, "heads", rows.heads)
    insert(connection, "snapshots", rows.snapshots)
    insert(connection, "milestones", rows.permanent_snapshots)
    if overdrawn_accounts := find_overdrawn(insert(connection, "accounts", rows.accounts)):
        raise ValueError("; ".join(overdrawn_accounts))
    connection.execute("COMMIT")
    return place + len(rows.appended["keys"])


def run_checkpoint(connection: Connection) -> None:
    """A checkpoint: what the log holds by now goes into the file. The log begins anew once nothing is left in it."""
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


def make_failure(why: str) -> StoreFailed:
    return StoreFailed(f"the store stopped: {why}")


class Writer:
    """The one thread that writes. After an error it writes no more, and tells everybody who waits or comes later."""

    def __init__(self, connection: Connection, notify: Notify, checkpoint: int = CHECKPOINT_ROWS) -> None:
        self._connection, self._notify = connection, notify
        self._checkpoint, self._rows_since_checkpoint = checkpoint, 0
        self._place = int(run_query(connection, "place")[0][0])
        self._waiting: SimpleQueue[Sequence[WriteRequest]] = SimpleQueue()
        self._failure: StoreFailed | None = None
        self.when_full: Callable[[], None] = lambda: None  # no room was set aside
        self._thread = Thread(target=self._run, name="ventuno-writer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def put(self, *entries: WriteRequest) -> None:
        self._waiting.put(entries)

    def stop(self) -> None:
        """Write what waits, then end."""
        self._waiting.put(())
        self._thread.join()
        self._connection.close()

    async def end(self) -> None:
        await asyncio.get_running_loop().run_in_executor(None, self.stop)

    def _run(self) -> None:
        while first := self._waiting.get():
            group = self._collect_group(first)
            self._notify(group, self.write(group))
            self.checkpoint_if_due()

    def _collect_group(self, first: Sequence[WriteRequest]) -> Sequence[WriteRequest]:
        group, until = list(first), monotonic() + GROUP_SECONDS
        with suppress(Empty):
            while len(group) < GROUP_LIMIT and monotonic() < until:
                entries = self._waiting.get_nowait()
                if not entries:
                    self._waiting.put(())
                    break
                group += entries
        return group

    def write(self, group: Sequence[WriteRequest]) -> StoreFailed | None:
        """Write a group; an error is final (T-5): SQLite may or may not hold what it failed to sync."""
        if self._failure:
            return self._failure
        try:
            self._place = write(self._connection, group, self._place)
        except Exception as fault:
            self._fail(fault)
        self._rows_since_checkpoint += sum([len(batch.records) + len(batch.postings) + 1 for batch, _, _ in group])
        return self._failure

    def checkpoint_if_due(self, is_ready: Callable[[], bool] = lambda: True) -> None:
        """Carry the log of SQLite over into the file now and then, after everybody has been told."""
        if self._failure or self._rows_since_checkpoint < self._checkpoint:
            return
        try:
            if is_ready():
                self._rows_since_checkpoint = 0
                run_checkpoint(self._connection)
        except Exception as fault:
            self._fail(fault)

    def _fail(self, fault: Exception) -> None:
        self._failure = make_failure(f"{type(fault).__name__}: {fault}")
        self._failure.__cause__ = fault
        with suppress(Exception):
            self._connection.execute("ROLLBACK")
        if is_disk_full(fault):
            self.when_full()
