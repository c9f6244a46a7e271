"""The store on PostgreSQL: the same groups through one writing connection, and a few connections to read."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from time import monotonic
from typing import Any

import asyncpg
from sqlalchemy import BigInteger, Boolean, LargeBinary, Text
from sqlalchemy.dialects.postgresql.asyncpg import dialect

from ventuno.house.store import queries, schema
from ventuno.house.store.records import ERASED, Batch, KeyRow, Snapshot
from ventuno.house.store.store import (
    BooksDivided,
    HeldByNodes,
    HouseOpen,
    LockLost,
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
    take_group,
)

GROUP_LIMIT = 2_000
"""Batches in one group at most."""
ROOM_SECONDS = 0.25
"""Seconds between two attempts to write on a full disk."""
MAX_READERS = 4
CLOSE_TIMEOUT = 5.0
"""Seconds that connections have to say good-bye."""
CONNECT_TIMEOUT, NODE_CONNECT_TIMEOUT, ALONE_CONNECT_TIMEOUT = 2.0, 5.0, 60.0
"""Seconds that a server has to take a connection: one of several, the only one of nodes, that of one process."""
LOST = (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError)
"""How a connection says that it, or its server, is gone or not fit."""
NODES = "ventuno/"
"""How sessions of nodes are called, before the name of the node."""
HOUSE_LOCK = 0x76656E74756E6F
"""The advisory lock of a house, in each database its own."""
KEEPALIVE = {"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3"}
SETTINGS = ("fsync", "synchronous_commit", "full_page_writes", "synchronous_standby_names")
_QUERIES = queries.compile_queries(dialect())  # type: ignore[no-untyped-call]
_KEYS = "SELECT key, digest, answer FROM keys WHERE key = ANY($1::text[])"
_LOCK = (
    "locktype = 'advisory' AND granted AND (classid::bigint << 32 | objid::bigint) = $1 "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_HOLDS = f"SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND {_LOCK}"
ARRAYS = {Text: "text[]", BigInteger: "bigint[]", LargeBinary: "bytea[]", Boolean: "boolean[]"}


def _make_insert(table: str) -> str:
    """All rows of a table in one statement and one journey: each column comes as an array."""
    columns = list(schema.metadata.tables[table].columns)
    listed = ", ".join(f'"{column.name}"' for column in columns)
    arrays = ", ".join(f"${place}::{ARRAYS[type(column.type)]}" for place, column in enumerate(columns, 1))
    return f"INSERT INTO {table} ({listed}) SELECT * FROM unnest({arrays}) {schema.UPSERT_CLAUSES.get(table, '')}"


_INSERTS = {table: _make_insert(table) for table in schema.metadata.tables}


def make_dsn(url: str) -> str:
    """The address as asyncpg takes it."""
    return f"postgresql://{url.partition('://')[2]}"


def split_hosts(url: str) -> list[str]:
    """An address of several servers as one address for each, in their order.

    >>> split_hosts("postgresql://me:word@a,b:5433/house?sslmode=require")
    ['postgresql://me:word@a/house?sslmode=require', 'postgresql://me:word@b:5433/house?sslmode=require']
    """
    place, slash, rest = make_dsn(url).removeprefix("postgresql://").partition("/")
    user, at, hosts = place.rpartition("@")
    return [f"postgresql://{user}{at}{host}{slash}{rest}" for host in hosts.split(",")]


async def connect(url: str, name: str = "") -> Any:
    """A connection whose loss the server notices within half a minute, even if nobody says good-bye.

    Of several servers all are asked at once, and the first that may be written to is taken: a standby that was promoted
    is found, and a machine that does not answer holds nobody up.
    """
    settings = KEEPALIVE | ({"application_name": name} if name else {})
    addresses = split_hosts(url)
    if len(addresses) == 1:
        timeout = NODE_CONNECT_TIMEOUT if name.startswith(NODES) else ALONE_CONNECT_TIMEOUT
        return await asyncpg.connect(addresses[0], server_settings=settings, timeout=timeout)
    waiting: set[asyncio.Task[Any]] = {asyncio.create_task(_try_server(address, settings)) for address in addresses}
    chosen, faults = None, list[Exception]()
    try:
        while waiting and chosen is None:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for outcome in (task.result() for task in done):
                if isinstance(outcome, Exception):
                    faults.append(outcome)
                elif chosen is None:
                    chosen = outcome
                else:
                    outcome.terminate()
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
    if chosen is None:
        raise StoreFailed("no server of the database can be written to: " + "; ".join(map(str, faults)))
    return chosen


async def _try_server(address: str, settings: dict[str, str]) -> Any:
    """A connection to a server that may be written to, or why there is none."""
    try:
        return await asyncpg.connect(
            address, server_settings=settings, target_session_attrs="read-write", timeout=CONNECT_TIMEOUT
        )
    except LOST as fault:
        return fault


async def take_lock(connection: Any, wait: float = 2.0) -> None:
    """Make this session the one that writes. Lock and writes share it: who loses one has lost the other (T-7).

    The session of a process that was killed ends when the server notices, a moment later: that long is waited.
    """
    until = monotonic() + wait
    while not await connection.fetchval("SELECT pg_try_advisory_lock($1)", HOUSE_LOCK):
        if monotonic() > until:
            if nodes := await _list_holding_nodes(connection):
                raise HeldByNodes(
                    f"the nodes {', '.join(nodes)} keep this house: stop them all first, or serve with --role host"
                )
            raise HouseOpen(f"{await _describe_holder(connection)} has a house open on this database")
        await asyncio.sleep(0.05)


async def share_lock(connection: Any, wait: float = 2.0) -> None:
    """Make this session one of the nodes that keep the house together: no house of one process opens meanwhile."""
    until = monotonic() + wait
    while not await connection.fetchval("SELECT pg_try_advisory_lock_shared($1)", HOUSE_LOCK):
        if monotonic() > until:
            raise HouseOpen(
                f"{await _describe_holder(connection)} has a house of one process open on this database: stop it first"
            )
        await asyncio.sleep(0.05)


async def check_undivided(connection: Any) -> None:
    """BooksDivided where several owners have written these books: their money has a row for each pit."""
    if await connection.fetchval("SELECT EXISTS (SELECT FROM streams)"):
        raise BooksDivided("the books on this database are divided between pits: no house of one owner opens them")


async def _list_holding_nodes(connection: Any) -> list[str]:
    rows = await connection.fetch(
        f"SELECT application_name FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE {_LOCK}", HOUSE_LOCK
    )
    return sorted({row[0].split("/")[1] for row in rows if row[0].startswith(NODES)})


async def check_lock(connection: Any) -> None:
    """One journey to the server: LockLost where this session is not the one that has the lock."""
    if not await connection.fetchval(_HOLDS, HOUSE_LOCK):
        raise LockLost("this session does not hold the lock of the house")


async def _describe_holder(connection: Any) -> str:
    row = await connection.fetchrow(
        f"SELECT pid, client_addr, backend_start FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE {_LOCK}",
        HOUSE_LOCK,
    )
    return f"session {row[0]} from {row[1] or 'this machine'} since {row[2]:%Y-%m-%d %H:%M:%S}" if row else "a session"


async def read_settings(connection: Any) -> dict[str, str]:
    """What the server really does for this connection, as it says itself."""
    return {name: str(await connection.fetchval(f"SHOW {name}")).lower() for name in SETTINGS}


async def read_revision(connection: Any) -> str:
    """The step of the migrations that a database is at, or nothing."""
    if await connection.fetchval("SELECT to_regclass('alembic_version')") is None:
        return ""
    return str(await connection.fetchval("SELECT version_num FROM alembic_version"))


async def is_ahead(connection: Any, revision: str) -> bool:
    """Whether a database at this step is newer than this program, and lets it go on all the same."""
    oldest = await connection.fetchval("SELECT obj_description('alembic_version'::regclass)") if revision else None
    return bool(oldest) and str(oldest) <= schema.REVISION < revision


async def insert(connection: Any, table: str, rows: Iterable[tuple[Any, ...]]) -> list[Any]:
    columns = list(zip(*rows, strict=True))
    return list(await connection.fetch(_INSERTS[table], *columns)) if columns else []


async def write(connection: Any, group: list[WriteRequest], place: int) -> int:
    """One transaction for the whole group. It is durable when this returns; any error means that it may not be."""
    rows = collect_rows(group, place)
    erased, freed = collect_erased(group)
    if not (any(rows.values()) or erased or freed):
        await check_lock(connection)
        return place
    async with connection.transaction():
        for row in freed:
            await connection.execute("DELETE FROM names WHERE kind = $1 AND name = $2 AND owner = $3", *row)
        for table, listed in rows.items():
            check_overdrawn(await insert(connection, table, listed))
        for stream, seq in erased:
            await connection.execute("UPDATE log SET body = $1 WHERE stream = $2 AND seq = $3", ERASED, stream, seq)
    return place + len(rows["keys"])


async def open_readers(url: str, name: str = "") -> Any:
    """Connections to read with, the first of them made at once."""

    async def connect_reader(*_arguments: Any, **_options: Any) -> Any:
        return await connect(url, name)

    return await asyncpg.create_pool(min_size=1, max_size=MAX_READERS, connect=connect_reader)


Write = Callable[[Any, list[WriteRequest], int], Awaitable[int]]
"""Makes a group durable by a connection; given the place of the last key, it gives the next."""


class PostgresStore(Store):
    """A database, its one writer and its readers. Open it with `open_store`; an owner brings its own `write`."""

    def __init__(
        self, writer: Any, readers: Any, place: int, unsafe: str = "", *, alone: bool = True, write: Write = write
    ) -> None:
        self.unsafe, self._alone, self._write_group = unsafe, alone, write
        self._connection, self._readers, self._place = writer, readers, place
        self._waiting: deque[WriteRequest] = deque()
        self._wakeup = asyncio.Event()
        self._failure: StoreFailed | None = None
        self._closing = False
        self._key_lookups: dict[str, asyncio.Future[KeyRow | None]] = {}
        self._lookup_task: asyncio.Task[None] | None = None
        self._task = asyncio.create_task(self._run(), name="ventuno-writer")

    @classmethod
    async def open(
        cls, url: str, writer: Any, unsafe: str = "", *, alone: bool = True, write: Write = write, readers: Any = None
    ) -> PostgresStore:
        query = _QUERIES["place"]
        place = await writer.fetchval(query.text, *query.values({}))
        return cls(writer, readers or await open_readers(url), place, unsafe, alone=alone, write=write)

    def submit(self, batch: Batch, done: OnDone, snapshot: Snapshot | None = None) -> None:
        if not self._alone:
            raise HouseOpen("this store was opened to read beside a house")
        self._waiting.append(WriteRequest(batch, done, snapshot))
        self._wakeup.set()

    async def _run(self) -> None:
        while not (self._closing and not self._waiting):
            await self._wakeup.wait()
            self._wakeup.clear()
            while self._waiting:
                group = take_group(self._waiting, GROUP_LIMIT)
                notify(group, self._failure or await self._write(group))

    async def _write(self, group: list[WriteRequest]) -> StoreFailed | None:
        """Write a group; an error is final: a lost connection does not say whether the commit was done (T-6).

        A server whose disk is full says that it has kept nothing: the group is tried again until there is room.
        """
        while True:
            try:
                self._place = await self._write_group(self._connection, group, self._place)
            except Exception as fault:
                if is_disk_full(fault) and not self._closing:
                    self.full = f"the disk of the database is full: {fault}"
                    await asyncio.sleep(ROOM_SECONDS)
                    continue
                self._failure = make_failure(fault)
            else:
                self.full = ""
            return self._failure

    async def find_key(self, key: str) -> KeyRow | None:
        """Keys that are looked for at the same moment go in one journey."""
        if key not in self._key_lookups:
            self._key_lookups[key] = asyncio.get_running_loop().create_future()
        if self._lookup_task is None or self._lookup_task.done():
            self._lookup_task = asyncio.create_task(self._look_up_keys())
        return await asyncio.shield(self._key_lookups[key])

    async def _look_up_keys(self) -> None:
        while self._key_lookups:
            lookups, self._key_lookups = self._key_lookups, {}
            try:
                rows = {row[0]: KeyRow(*row) for row in await self._read(_KEYS, list(lookups))}
            except StoreFailed as fault:
                for waiting in lookups.values():
                    waiting.set_exception(fault)
                    waiting.exception()
                continue
            for key, waiting in lookups.items():
                waiting.set_result(rows.get(key))

    async def measure(self) -> StoreSize:
        return StoreSize((await self._read("SELECT pg_database_size(current_database())"))[0][0])

    async def _ask(self, name: str, values: dict[str, Any]) -> list[Any]:
        query = _QUERIES[name]
        return [tuple(row) for row in await self._read(query.text, *query.values(values))]

    async def _read(self, text: str, *values: Any) -> list[Any]:
        """Rows, or StoreFailed where the server does not answer: nothing was decided, and nothing is lost."""
        try:
            return list(await self._readers.fetch(text, *values))
        except LOST as fault:
            raise StoreFailed(f"the store cannot be read: {type(fault).__name__}: {fault}") from fault

    async def close(self) -> None:
        self._closing = True
        self._wakeup.set()
        await self._task
        with suppress(Exception):
            await self._connection.close()
        with suppress(Exception):
            await asyncio.wait_for(self._readers.close(), CLOSE_TIMEOUT)
