"""The store on SQLite: connections, the one writer with its group commit, and the readers beside it.

The writer runs in a thread, or in a process of its own (`writer_process`). Each group of batches is one transaction in
the write-ahead log and one sync of the disk.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sqlite3
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import chain
from pathlib import Path
from queue import Empty, SimpleQueue
from subprocess import DEVNULL
from threading import Event, Thread
from time import monotonic
from typing import Any, Protocol

import msgspec
from sqlalchemy.dialects import sqlite

from ventuno.house.store import queries, schema
from ventuno.house.store.body_packing import pack, unpack
from ventuno.house.store.file_lock import FULL, DiskReserve, FileLock, HeldFiles
from ventuno.house.store.records import ERASED, Batch, KeyRow, Snapshot
from ventuno.house.store.store import (
    OnDone,
    Store,
    StoreFailed,
    StoreSize,
    WriteRequest,
    check_overdrawn,
    collect_erased,
    collect_rows,
    is_disk_full,
    make_failure,
    notify,
)

LOG_LIMIT = 16 << 20
"""Bytes of SQLite's log from which on it is carried over, and to which it is cut when it begins anew."""
PRAGMAS = {
    "journal_mode": "wal",
    "synchronous": "full",
    "cache_size": "-65536",
    "busy_timeout": "5000",
    "wal_autocheckpoint": "0",
    "journal_size_limit": str(LOG_LIMIT),
    "fullfsync": "1",
    "checkpoint_fullfsync": "1",
}
"""Checkpoints are the writer's own: SQLite says nothing when one that it began by itself fails. macOS alone heeds
`fullfsync`: a sync there leaves what was written in the drive's cache, where a power cut takes it."""
CHECKPOINT_ROWS = 20_000
"""Rows between two checkpoints, where the log does not ask for one earlier."""
GROUP_SECONDS = 0.005
"""How long a group may go on taking in what waits, in seconds."""
GROUP_LIMIT = 2_000
"""Batches in one group at most."""
HANDOVER_LIMIT = 256
"""Batches that are handed to the writer together."""
LENGTH_SIZE = 4
"""Bytes that say how long a packet to the writer's process is."""
FAULT_MARK = "!"
"""Begins the last line of a writer that could not write."""
FULL_MARK = "~"
"""The line of a writer that has met a full disk, and waits for room."""
ROOM_SECONDS = 0.25
"""Seconds between two attempts to write on a full disk."""
WRITER_MODULE = "ventuno.house.store.writer_process"
SWITCH_INTERVAL = 0.0005
"""Seconds after which the writer, who asks for the interpreter at every statement, is given it by the loop."""
_pack = msgspec.msgpack.Encoder().encode
_SIZES = (512, 128, 64, *range(32, 0, -1))
_QUERIES = queries.compile_queries(sqlite.dialect(paramstyle="qmark"))
_BODIES = {"records": 4, "tails": 4, "settlements": 2}
"""The queries that give bodies of records, and in which column."""
_MODE_BYTES = slice(18, 20)
_WAL = b"\x02\x02"
"""Bytes of a file's head that say how it is written, and what they are where it has a write-ahead log."""

Notify = Callable[[Sequence[WriteRequest], StoreFailed | None], None]


class NotReadable(RuntimeError):
    """There is no house here that this version reads. Nothing is brought up to date for a look: `serve` does that."""


class Connection(Protocol):
    """What the writer needs of a connection: the standard library's has it, and APSW's, which the fault tests use."""

    def execute(self, statement: str, values: Any = (), /) -> Any: ...

    def close(self) -> None: ...


def connect(path: str, pragmas: Mapping[str, str] = PRAGMAS) -> sqlite3.Connection:
    """A connection with nothing done behind our back: transactions begin and end where we say."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=512)
    apply_pragmas(connection, pragmas)
    return connection


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
    apply_pragmas(connection, {"busy_timeout": PRAGMAS["busy_timeout"]})
    return connection


def apply_pragmas(connection: Connection, pragmas: Mapping[str, str] = PRAGMAS) -> None:
    for name, value in pragmas.items():
        connection.execute(f"PRAGMA {name} = {value}").fetchall()


def read_settings(connection: Connection) -> dict[str, str]:
    """What the database really does, as it says itself."""
    return {
        name: str(next(iter(connection.execute(f"PRAGMA {name}")))[0]).lower()
        for name in ("journal_mode", "synchronous", "fullfsync")
    }


def read_revision(connection: Connection) -> str:
    """The step of the migrations that a file is at, or nothing."""
    if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'").fetchall():
        return ""
    rows = connection.execute("SELECT version_num FROM alembic_version").fetchall()
    return str(rows[0][0]) if rows else ""


def check_revision(revision: str) -> None:
    """NotReadable unless the schema that was found is the one this version reads."""
    if not revision:
        raise NotReadable("no house is kept there")
    if revision not in schema.READABLE:
        raise NotReadable(f"the house there is at revision {revision[:40]!r}, and {schema.REVISION!r} is read here")


def run_query(connection: Connection, name: str, values: Mapping[str, Any] | None = None) -> list[Any]:
    query = _QUERIES[name]
    rows = connection.execute(query.text, query.values(values or {}))
    if (place := _BODIES.get(name)) is None:
        return list(rows)
    return [(*row[:place], unpack(row[place]), *row[place + 1 :]) for row in rows]


def _make_insert(table: str, count: int) -> str:
    """One statement for many rows: the interpreter lock is let go once for all of them, not once for each."""
    names = [column.name for column in schema.metadata.tables[table].columns]
    marks = f"({', '.join('?' * len(names))})"
    listed = ", ".join(f'"{name}"' for name in names)
    return f"INSERT INTO {table} ({listed}) VALUES {', '.join([marks] * count)} {schema.UPSERT_CLAUSES.get(table, '')}"


_INSERTS = {(table, size): _make_insert(table, size) for table in schema.metadata.tables for size in _SIZES}


def insert(connection: Connection, table: str, rows: Sequence[tuple[Any, ...]]) -> list[Any]:
    """Write rows in as few statements as their number needs; gives back what the statements return."""
    start, given = 0, []
    for size in _SIZES:
        while len(rows) - start >= size:
            values = list(chain.from_iterable(rows[start : start + size]))
            given += list(connection.execute(_INSERTS[table, size], values))
            start += size
    return given


def write(connection: Connection, group: Sequence[WriteRequest], place: int) -> int:
    """One transaction for the whole group. It is durable when this returns; any error means that it may not be."""
    rows = collect_rows(group, place)
    erased, freed = collect_erased(group)
    if erased:  # what is taken out is written over, not only let go of
        connection.execute("PRAGMA secure_delete = 1").fetchall()
    connection.execute("BEGIN IMMEDIATE")
    if not (
        any(rows.values()) or erased or freed
    ):  # somebody asks whether the file can be written: now it is ours, and that is the answer
        connection.execute("ROLLBACK")
        return place
    rows["log"] = [(*row[:4], pack(row[4]), *row[5:]) for row in rows["log"]]
    for row in freed:  # before the rows: whoever takes the name next may be in this group
        connection.execute("DELETE FROM names WHERE kind = ? AND name = ? AND owner = ?", tuple(row))
    for table, listed in rows.items():
        check_overdrawn(insert(connection, table, listed))
    for stream, seq in erased:
        connection.execute("UPDATE log SET body = ? WHERE stream = ? AND seq = ?", (ERASED, stream, seq))
    connection.execute("COMMIT")
    return place + len(rows["keys"])


def run_checkpoint(connection: Connection) -> None:
    """A checkpoint: what the log holds by now goes into the file. The log begins anew once nothing is left in it."""
    connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


class Writer:
    """The one thread that writes. After an error it writes no more, and tells everybody who waits or comes later."""

    def __init__(self, connection: Connection, notify: Notify, checkpoint: int = CHECKPOINT_ROWS) -> None:
        self._connection, self._notify = connection, notify
        self._checkpoint, self._rows_since_checkpoint = checkpoint, 0
        self._place = int(run_query(connection, "place")[0][0])
        self._waiting: SimpleQueue[Sequence[WriteRequest]] = SimpleQueue()
        self._failure: StoreFailed | None = None
        self.check_files: Callable[[], None] = lambda: None
        """Raises LockLost where the files are no longer those that were opened."""
        self.measure_log: Callable[[], int] = lambda: 0
        """The bytes of SQLite's log."""
        self.make_room: Callable[[], bool] = lambda: False
        """Asked on a full disk, until it gives up: whether to try once more."""
        self.when_full: Callable[[], None] = lambda: None
        self.stopping = Event()
        self._thread = Thread(target=self._run, name="ventuno-writer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def put(self, *entries: WriteRequest) -> None:
        self._waiting.put(entries)

    def stop(self) -> None:
        """Write what waits, then end."""
        self.stopping.set()
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
        """Write a group; an error is final (T-5): SQLite may or may not hold what it failed to sync.

        What is durable in a file that is no longer the house's is told to nobody (T-7).
        """
        if self._failure:
            return self._failure
        try:
            self._write_where_room_is(group)
            self.check_files()
        except Exception as fault:
            self._fail(fault)
        self._rows_since_checkpoint += sum([len(batch.records) + len(batch.postings) + 1 for batch, _, _ in group])
        return self._failure

    def _write_where_room_is(self, group: Sequence[WriteRequest]) -> None:
        """Write; on a full disk again, as long as somebody looks for room.

        SQLite reports a full disk when it writes frames to its log, before the last of them, which commits, is there:
        the group is not in the file, and what there is of it is written over. A failed sync is another error.
        """
        while True:
            try:
                self._place = write(self._connection, group, self._place)
                return
            except Exception as fault:
                if not is_disk_full(fault):
                    raise
                with suppress(Exception):
                    self._connection.execute("ROLLBACK")
                if not self.make_room():
                    raise

    def checkpoint_if_due(self, is_ready: Callable[[], bool] = lambda: True) -> None:
        """Carry the log of SQLite over into the file now and then, after everybody has been told."""
        if self._failure or (self._rows_since_checkpoint < self._checkpoint and self.measure_log() <= LOG_LIMIT):
            return
        try:
            if is_ready():
                self._rows_since_checkpoint = 0
                run_checkpoint(self._connection)
        except Exception as fault:
            if is_disk_full(fault):  # all is in the log, and is carried over when there is room
                self._rows_since_checkpoint = self._checkpoint
            else:
                self._fail(fault)

    def _fail(self, fault: Exception) -> None:
        self._failure = make_failure(fault)
        with suppress(Exception):
            self._connection.execute("ROLLBACK")


def measure_log(path: str) -> int:
    """The bytes of the write-ahead log of a file."""
    try:
        return os.stat(f"{path}-wal").st_size
    except FileNotFoundError:
        return 0


class RoomMaker:
    """What a writer does on a full disk: says so, gives the reserve back, then waits for room until he is to stop."""

    def __init__(self, path: str, tell_full: Callable[[], None], wait: Callable[[float], bool]) -> None:
        self._reserve, self._tell_full, self._wait = DiskReserve(path), tell_full, wait

    def __call__(self) -> bool:
        self._tell_full()
        return self._reserve.release() or not self._wait(ROOM_SECONDS)


class BatchWriter(Protocol):
    """Takes batches in order and tells each when it is durable, or that it may not be."""

    when_full: Callable[[], None]
    """Called in the loop where the disk is full."""

    def put(self, *entries: WriteRequest) -> None: ...

    async def end(self) -> None:
        """Write what waits, then end."""


def start_writer_thread(path: str, pragmas: Mapping[str, str]) -> Writer:
    """A writer in a thread: nothing is started for it. Play shares the interpreter with it."""
    loop = asyncio.get_running_loop()

    def tell(group: Sequence[WriteRequest], fault: StoreFailed | None) -> None:
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(notify, group, fault)

    def tell_full() -> None:
        with suppress(RuntimeError):
            loop.call_soon_threadsafe(writer.when_full)

    writer = Writer(connect(path, pragmas), tell)
    writer.check_files, writer.measure_log = HeldFiles(path).check, partial(measure_log, path)
    writer.make_room = RoomMaker(path, tell_full, writer.stopping.wait)
    sys.setswitchinterval(min(SWITCH_INTERVAL, sys.getswitchinterval()))
    writer.start()
    return writer


class WriterProcess(asyncio.Protocol):
    """A writer in a process of its own (`writer_process`). Open it with `start`; it ends with `end`, or with the house.

    A writer beside the loop asks for the interpreter at every statement, and takes it from play. Here the loop only
    packs its batches.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.when_full: Callable[[], None] = lambda: None
        self._waiting: deque[WriteRequest] = deque()
        self._buffer = b""
        self._failure: StoreFailed | None = None
        self._transport: asyncio.Transport
        self._ended = asyncio.get_running_loop().create_future()

    @classmethod
    async def start(cls, path: str, pragmas: Mapping[str, str], lock: FileLock) -> WriterProcess:
        own_end, other_end = socket.socketpair()
        with other_end:
            arguments = json.dumps([path, dict(pragmas), other_end.fileno()])
            command = [sys.executable, "-P", "-m", WRITER_MODULE, arguments]
            descriptors = other_end.fileno(), lock.file
            process = subprocess.Popen(
                command, pass_fds=descriptors, stdin=DEVNULL, stdout=DEVNULL, start_new_session=True
            )
        writer = cls(process)
        loop = asyncio.get_running_loop()
        writer._transport, _ = await loop.create_unix_connection(lambda: writer, sock=own_end)
        return writer

    def put(self, *entries: WriteRequest) -> None:
        """Hand over batches; each is told when it is durable, or that it may not be."""
        if self._failure:
            asyncio.get_running_loop().call_soon(notify, entries, self._failure)
            return
        self._waiting.extend(entries)
        self._transport.write(encode_packet(entries))

    async def end(self) -> None:
        """Have written what waits, then let it go."""
        if self._transport.can_write_eof() and not self._ended.done():
            self._transport.write_eof()
        await self._ended
        await asyncio.get_running_loop().run_in_executor(None, self.process.wait)

    def data_received(self, data: bytes) -> None:
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            if line.startswith(FAULT_MARK.encode()):
                self._fail(line[len(FAULT_MARK) :].decode(errors="replace"))
                return
            if line == FULL_MARK.encode():
                self.when_full()
                continue
            for _ in range(int(line)):
                self._waiting.popleft().done(None)

    def connection_lost(self, _fault: Exception | None) -> None:
        """It has ended. Where something waits, or comes later, that is a failure as any other."""
        self._fail("the process that writes has ended")
        self._ended.set_result(None)

    def _fail(self, why: str) -> None:
        self._failure = self._failure or make_failure(why)
        entries, self._waiting = self._waiting, deque()
        notify(entries, self._failure)


def encode_packet(entries: Sequence[WriteRequest]) -> bytes:
    packed = _pack([(entry.batch, entry.snapshot) for entry in entries])
    return len(packed).to_bytes(LENGTH_SIZE, "big") + packed


class SqliteStore(Store):
    """A file, its writer, a connection for what must be known at once and one for longer reading."""

    def __init__(self, path: str, writer: BatchWriter, unsafe: str, lock: FileLock) -> None:
        self.unsafe, self.writer, self._lock = unsafe, writer, lock
        self._loop = asyncio.get_running_loop()
        self._pending: list[WriteRequest] = []
        self._handover: asyncio.Handle | None = None
        self._key_connection, self._read_connection = connect(path), connect(path)
        self._reader = ThreadPoolExecutor(1, "ventuno-reader")
        self._path, self._reserve = path, DiskReserve(path)
        self.full = self._reserve.find_shortage()
        writer.when_full = self._note_full

    def _note_full(self) -> None:
        self.full = FULL

    async def measure(self) -> StoreSize:
        return StoreSize(os.stat(self._path).st_size, measure_log(self._path))

    async def find_shortage(self) -> str:
        return await asyncio.to_thread(self._reserve.find_shortage, self.full)

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

    async def find_key(self, key: str) -> KeyRow | None:
        """At once: it stands before every command whose key is not in memory."""
        row = self._key_connection.execute(_QUERIES["key"].text, (key,)).fetchone()
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
