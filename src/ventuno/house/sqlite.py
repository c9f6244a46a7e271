"""The store on SQLite: one thread writes groups of batches, each group one transaction and one sync of the disk."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import chain, islice
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, Protocol

from sqlalchemy.dialects import sqlite

from ventuno.house import schema
from ventuno.house.records import Batch
from ventuno.house.store import Done, Entry, Snapshot, Store, StoreFailed, gathered, overdrawn

PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",
    "cache_size": "-65536",
    "busy_timeout": "5000",
    "wal_autocheckpoint": "0",
}
"""Checkpoints are the writer's own: SQLite says nothing when one that it began by itself fails."""
CHECKPOINT = 10_000
"""Rows between two checkpoints."""
GATHER = 0.005
"""How long a group may go on taking in what waits, in seconds."""
LARGEST = 2_000
"""Batches in one group at most."""
_SIZES = (64, 16, 4, 1)
_QUESTIONS = schema.questions(sqlite.dialect(paramstyle="qmark"))

Told = Callable[[Sequence[Entry], StoreFailed | None], None]


class Connection(Protocol):
    """What the writer needs of a connection: the standard library's has it, and APSW's, which the fault tests use."""

    def execute(self, statement: str, values: Any = (), /) -> Any: ...

    def close(self) -> None: ...


def connect(path: str, pragmas: Mapping[str, str] = PRAGMAS) -> sqlite3.Connection:
    """A connection with nothing done behind our back: transactions begin and end where we say."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    prepare(connection, pragmas)
    return connection


def prepare(connection: Connection, pragmas: Mapping[str, str] = PRAGMAS) -> None:
    for name, value in pragmas.items():
        connection.execute(f"PRAGMA {name} = {value}").fetchall()


def settings(connection: Connection) -> dict[str, str]:
    """What the database really does, as it says itself."""
    return {
        name: str(next(iter(connection.execute(f"PRAGMA {name}")))[0]).lower()
        for name in ("journal_mode", "synchronous")
    }


def revision(path: str) -> str:
    """The step of the migrations that a file is at, or nothing."""
    connection = sqlite3.connect(path)
    try:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])
    except (sqlite3.OperationalError, TypeError):
        return ""
    finally:
        connection.close()


def _insert(table: str, count: int) -> str:
    """One statement for many rows: the interpreter lock is let go once for all of them, not once for each."""
    names = [column.name for column in schema.metadata.tables[table].columns]
    marks = f"({', '.join('?' * len(names))})"
    listed = ", ".join(f'"{name}"' for name in names)
    return f"INSERT INTO {table} ({listed}) VALUES {', '.join([marks] * count)} {schema.UPSERTED.get(table, '')}"


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


def write(connection: Connection, group: Sequence[Entry], place: int) -> int:
    """One transaction for the whole group. It is durable when this returns; any error means that it may not be."""
    rows = gathered(group, place)
    if rows.is_empty:
        return place
    connection.execute("BEGIN IMMEDIATE")
    for name, table in schema.APPENDED:
        insert(connection, table.name, rows.appended[name])
    insert(connection, "heads", rows.heads)
    insert(connection, "snapshots", rows.snapshots)
    if found := overdrawn(insert(connection, "accounts", rows.accounts)):
        raise ValueError("; ".join(found))
    connection.execute("COMMIT")
    return place + len(rows.appended["keys"])


class Writer:
    """The one thread that writes. After an error it writes no more, and tells everybody who waits or comes later."""

    def __init__(self, connection: Connection, told: Told, checkpoint: int = CHECKPOINT) -> None:
        self._connection, self._told = connection, told
        self._checkpoint, self._since = checkpoint, 0
        self._place = int(ask(connection, "place")[0][0])
        self._waiting: SimpleQueue[Entry | None] = SimpleQueue()
        self._failure: StoreFailed | None = None
        self._thread = Thread(target=self._run, name="ventuno-writer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def put(self, entry: Entry) -> None:
        self._waiting.put(entry)

    def stop(self) -> None:
        """Write what waits, then end."""
        self._waiting.put(None)
        self._thread.join()
        self._connection.close()

    def _run(self) -> None:
        while (first := self._waiting.get()) is not None:
            group = self._gather(first)
            self._told(group, self._failure or self.write(group))
            self.tidy()

    def _gather(self, first: Entry) -> list[Entry]:
        group, until = [first], monotonic() + GATHER
        with suppress(Empty):
            while len(group) < LARGEST and monotonic() < until:
                entry = self._waiting.get_nowait()
                if entry is None:
                    self._waiting.put(None)
                    break
                group.append(entry)
        return group

    def write(self, group: Sequence[Entry]) -> StoreFailed | None:
        """Write a group; an error is final (T-5): SQLite may or may not hold what it failed to sync."""
        try:
            self._place = write(self._connection, group, self._place)
        except Exception as fault:
            self._fail(fault)
        self._since += sum([len(batch.records) + len(batch.postings) + 1 for batch, _, _ in group])
        return self._failure

    def tidy(self) -> None:
        """Carry the log of SQLite over into the file now and then, after everybody has been told."""
        if self._failure or self._since < self._checkpoint:
            return
        self._since = 0
        try:
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()
        except Exception as fault:
            self._fail(fault)

    def _fail(self, fault: Exception) -> None:
        self._failure = StoreFailed(f"the store stopped: {type(fault).__name__}: {fault}")
        self._failure.__cause__ = fault
        with suppress(Exception):
            self._connection.execute("ROLLBACK")


def ask(connection: Connection, name: str, values: Mapping[str, Any] | None = None) -> list[Any]:
    question = _QUESTIONS[name]
    return list(connection.execute(question.text, question.values(values or {})))


class SqliteStore(Store):
    """A file, its writer, a connection for what must be known at once and one for longer reading."""

    def __init__(self, path: str, connection: Connection, unsafe: str = "") -> None:
        self.unsafe = unsafe
        self._loop = asyncio.get_running_loop()
        self._writer = Writer(connection, self._tell)
        self._near, self._far = connect(path), connect(path)
        self._reader = ThreadPoolExecutor(1, "ventuno-reader")
        self._writer.start()

    def submit(self, batch: Batch, done: Done, snapshot: Snapshot | None = None) -> None:
        self._writer.put(Entry(batch, done, snapshot))

    def _tell(self, group: Sequence[Entry], fault: StoreFailed | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(_told, group, fault)

    async def _ask(self, name: str, values: dict[str, Any]) -> list[Any]:
        if name == "key":
            return ask(self._near, name, values)
        return await self._loop.run_in_executor(self._reader, ask, self._far, name, values)

    async def close(self) -> None:
        await self._loop.run_in_executor(None, self._writer.stop)
        self._reader.shutdown()
        self._near.close()
        self._far.close()


def _told(group: Sequence[Entry], fault: StoreFailed | None) -> None:
    for entry in group:
        entry.done(fault)
