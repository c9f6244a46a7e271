"""The store on SQLite: one thread writes groups of batches, each group one transaction and one sync of the disk."""

from __future__ import annotations

import asyncio
import fcntl
import os
import sqlite3
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from time import monotonic
from typing import Any, Protocol

from sqlalchemy.dialects import sqlite

from ventuno.house.books import schema
from ventuno.house.books.records import Batch, KeyRow
from ventuno.house.books.store import Done, Entry, HouseOpen, Snapshot, Store, StoreFailed, gathered, is_full, overdrawn

PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",
    "cache_size": "-65536",
    "busy_timeout": "5000",
    "wal_autocheckpoint": "0",
}
"""Checkpoints are the writer's own: SQLite says nothing when one that it began by itself fails."""
CHECKPOINT = 20_000
"""Rows between two checkpoints."""
GATHER = 0.005
"""How long a group may go on taking in what waits, in seconds."""
LARGEST = 2_000
"""Batches in one group at most."""
AT_ONCE = 256
"""Batches that are handed to the writer together."""
BALLAST = 16 << 20
"""Bytes kept for the day the disk is full (T-5)."""
SWITCH = 0.0005
"""Seconds after which the writer, who asks for the interpreter at every statement, is given it by the loop."""
_SIZES = (512, 128, 64, *range(32, 0, -1))
_QUESTIONS = schema.questions(sqlite.dialect(paramstyle="qmark"))
_KEY = _QUESTIONS["key"].text

Told = Callable[[Sequence[Entry], StoreFailed | None], None]


class Connection(Protocol):
    """What the writer needs of a connection: the standard library's has it, and APSW's, which the fault tests use."""

    def execute(self, statement: str, values: Any = (), /) -> Any: ...

    def close(self) -> None: ...


def connect(path: str, pragmas: Mapping[str, str] = PRAGMAS) -> sqlite3.Connection:
    """A connection with nothing done behind our back: transactions begin and end where we say."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=512)
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


class Lock:
    """The house's hold on its file, for as long as the process lives: the kernel lets go of it, even after SIGKILL."""

    def __init__(self, path: str) -> None:
        name = f"{os.path.realpath(path)}.lock"
        self._file = os.open(name, os.O_CREAT | os.O_RDWR, 0o644)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.pread(self._file, 32, 0).decode(errors="replace").strip()
            os.close(self._file)
            raise HouseOpen(f"{path}: a house is open on it, in process {holder or 'unknown'}") from None
        with suppress(OSError):  # only for the message: a full disk does not keep a house from opening
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def release(self) -> None:
        """The file stays: whoever waits for it must find the same one."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


class Ballast:
    """Room set aside beside the database. Once the disk is full it is given back, so that rounds can end (T-5)."""

    def __init__(self, path: str) -> None:
        self._file = Path(f"{path}.reserve")

    def set_aside(self) -> str:
        """Take the room, where twice as much is free; else the words for why this house may only end its rounds."""
        if self._file.exists() and self._file.stat().st_size >= BALLAST:
            return ""
        room = os.statvfs(self._file.parent)
        if room.f_bavail * room.f_frsize >= 2 * BALLAST:
            with suppress(OSError), self._file.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, BALLAST)
                return ""
        self.give_back()
        return f"the disk is full: less than {2 * BALLAST >> 20} MB are left"

    def give_back(self) -> None:
        self._file.unlink(missing_ok=True)


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
        self._waiting: SimpleQueue[Sequence[Entry]] = SimpleQueue()
        self._failure: StoreFailed | None = None
        self.when_full: Callable[[], None] = lambda: None  # no room was set aside
        self._thread = Thread(target=self._run, name="ventuno-writer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def put(self, *entries: Entry) -> None:
        self._waiting.put(entries)

    def stop(self) -> None:
        """Write what waits, then end."""
        self._waiting.put(())
        self._thread.join()
        self._connection.close()

    def _run(self) -> None:
        while first := self._waiting.get():
            group = self._gather(first)
            self._told(group, self._failure or self.write(group))
            self.tidy()

    def _gather(self, first: Sequence[Entry]) -> Sequence[Entry]:
        group, until = list(first), monotonic() + GATHER
        with suppress(Empty):
            while len(group) < LARGEST and monotonic() < until:
                entries = self._waiting.get_nowait()
                if not entries:
                    self._waiting.put(())
                    break
                group += entries
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
        if is_full(fault):
            self.when_full()


def ask(connection: Connection, name: str, values: Mapping[str, Any] | None = None) -> list[Any]:
    question = _QUESTIONS[name]
    return list(connection.execute(question.text, question.values(values or {})))


class SqliteStore(Store):
    """A file, its writer, a connection for what must be known at once and one for longer reading."""

    def __init__(self, path: str, connection: Connection, unsafe: str = "", lock: Lock | None = None) -> None:
        self.unsafe = unsafe
        self._loop = asyncio.get_running_loop()
        self._writer, self._lock = Writer(connection, self._tell), lock
        if lock:
            ballast = Ballast(path)
            self.full, self._writer.when_full = ballast.set_aside(), ballast.give_back
        self._handed_in: list[Entry] = []
        self._turn: asyncio.Handle | None = None
        self._near, self._far = connect(path), connect(path)
        self._reader = ThreadPoolExecutor(1, "ventuno-reader")
        sys.setswitchinterval(min(SWITCH, sys.getswitchinterval()))
        self._writer.start()

    def submit(self, batch: Batch, done: Done, snapshot: Snapshot | None = None) -> None:
        if self._lock is None:
            raise HouseOpen("this store was opened to read beside a house")
        if not self._handed_in:
            self._turn = self._loop.call_soon(self._hand_over)
        self._handed_in.append(Entry(batch, done, snapshot))
        if len(self._handed_in) >= AT_ONCE:
            self._hand_over()

    def _hand_over(self) -> None:
        """What was submitted in one turn of the loop wakes the writer once; it begins while a long turn goes on."""
        if self._turn:
            self._turn.cancel()
        entries, self._handed_in = self._handed_in, []
        if entries:
            self._writer.put(*entries)

    def _tell(self, group: Sequence[Entry], fault: StoreFailed | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(_told, group, fault)

    async def key(self, key: str) -> KeyRow | None:
        """At once: it stands before every command whose key is not in memory."""
        row = self._near.execute(_KEY, (key,)).fetchone()
        return KeyRow(*row) if row else None

    async def _ask(self, name: str, values: dict[str, Any]) -> list[Any]:
        return await self._loop.run_in_executor(self._reader, ask, self._far, name, values)

    async def close(self) -> None:
        self._hand_over()
        await self._loop.run_in_executor(None, self._writer.stop)
        self._reader.shutdown()
        self._near.close()
        self._far.close()
        if self._lock:
            self._lock.release()


def _told(group: Sequence[Entry], fault: StoreFailed | None) -> None:
    for entry in group:
        entry.done(fault)
