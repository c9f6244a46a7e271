"""Durability is not traded: a store opens on safe settings alone (G-23), and a house comes back only whole (R-06).

`open_store` is the one door to a database. `recover` brings the rooms back from snapshots and records, and lists
everything that does not agree: chains (G-11), balances against postings (I-5), postings against tables (I-1…I-3).
"""

from __future__ import annotations

import asyncio
import gc
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import msgspec
from sqlalchemy.engine import URL, make_url

from ventuno.core.messages.events import BettingEnded
from ventuno.core.rules.money import Cents
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.fold import evolve
from ventuno.house.store import codec, schema, sqlite
from ventuno.house.store.file_lock import DiskReserve, FileLock
from ventuno.house.store.read_only import ReadOnlyStore, check_revision
from ventuno.house.store.records import ChainBroken, Head, Record, check_chain
from ventuno.house.store.sqlite_connection import PRAGMAS, connect, read_settings
from ventuno.house.store.store import Snapshot, Store, is_permanent
from ventuno.house.store.streams import check_tail
from ventuno.house.store.writer_process import WriterProcess
from ventuno.house.tables import live_table as rooms
from ventuno.house.tables.live_table import LiveTable

TABLE_PREFIX = "table:"
_SYNCHRONOUS = ("off", "normal", "full", "extra")


class Unsafe(RuntimeError):
    """The database would lose acknowledged play in a crash or a power cut.

    Change its settings, or start with --unsafe: every screen then says so.
    """


class StoreInconsistent(RuntimeError):
    """What is stored does not agree with itself, so the house does not open. `faults` lists all that is wrong.

    Restore a good copy, or have the faults explained; nothing is repaired here.
    """

    def __init__(self, faults: list[str]) -> None:
        shown = faults[:20] + [f"and {len(faults) - 20} more"] * (len(faults) > 20)
        super().__init__("; ".join(shown))
        self.faults = faults


def find_sqlite_faults(settings: Mapping[str, str]) -> list[str]:
    """What is unsafe in a SQLite connection's settings."""
    level = settings["synchronous"]
    name = _SYNCHRONOUS[int(level)] if level.isdigit() and int(level) < len(_SYNCHRONOUS) else level
    faults = (
        [] if name in ("full", "extra") else [f"synchronous={name}, not full: a power cut loses what was acknowledged"]
    )
    if settings["journal_mode"] not in ("wal", "delete"):
        faults.append(f"journal_mode={settings['journal_mode']}, not wal or delete: a crash can ruin the file")
    return faults


def find_postgres_faults(settings: Mapping[str, str]) -> list[str]:
    """What is unsafe in a PostgreSQL session's settings."""
    return [
        f"{name}=off: {what}"
        for name, what in (
            ("fsync", "a power cut can ruin the database"),
            ("synchronous_commit", "a crash loses what was acknowledged"),
            ("full_page_writes", "a power cut can ruin pages half written"),
        )
        if settings[name] == "off"
    ]


def check_safety(faults: list[str], *, unsafe: bool) -> str:
    """The warning for every screen, or Unsafe where nobody has said that he knows."""
    if faults and not unsafe:
        raise Unsafe("; ".join(faults))
    return f"UNSAFE: {'; '.join(faults)}" if faults else ""


async def open_store(url: str, *, unsafe: bool = False, exclusive: bool = True, writer_process: bool = False) -> Store:
    """The store at `sqlite:///FILE` or `postgresql://…`, migrated, its settings judged.

    It is held by this process alone until it is closed; HouseOpen where another holds it. Who only reads, beside a
    house that plays, says `alone=False`: nothing is made or migrated then, and NotReadable says what does not fit. With
    `apart` a process of its own writes a SQLite file, so that play has this one for itself. A query on a SQLite address
    sets pragmas: `sqlite:///house.db?synchronous=normal`.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return await _open_sqlite(parsed, unsafe=unsafe, exclusive=exclusive, writer_process=writer_process)
    from ventuno.house.store import postgres

    writer = await postgres.connect(url)
    try:
        if exclusive:
            await postgres.take_lock(writer)
        revision = await postgres.read_revision(writer)
        if not exclusive:
            check_revision(revision)
        elif revision != schema.REVISION:
            await asyncio.to_thread(_migrate, url)
        warning = check_safety(find_postgres_faults(await postgres.read_settings(writer)), unsafe=unsafe)
        return await postgres.PostgresStore.open(url, writer, warning, alone=exclusive)
    except BaseException:
        await writer.close()
        raise


async def _open_sqlite(url: URL, *, unsafe: bool, exclusive: bool, writer_process: bool) -> Store:
    path = url.database or ""
    if path in ("", ":memory:"):
        raise Unsafe("a house in memory keeps nothing: name a file")
    if not exclusive:
        return ReadOnlyStore(path)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    try:
        if not Path(path).exists() or _read_revision(path) != schema.REVISION:
            await asyncio.to_thread(_migrate, url.render_as_string(hide_password=False))
        pragmas = PRAGMAS | {name: str(value) for name, value in url.query.items()}
        with closing(connect(path, pragmas)) as connection:
            warning = check_safety(find_sqlite_faults(read_settings(connection)), unsafe=unsafe)
        full = DiskReserve(path).reserve()
        writer = (
            await WriterProcess.start(path, pragmas, lock)
            if writer_process
            else sqlite.start_writer_thread(path, pragmas)
        )
        store = sqlite.SqliteStore(path, writer, warning, lock)
        store.full = full
        return store
    except BaseException:
        lock.release()
        raise


def _migrate(url: str) -> None:
    from ventuno.house.store.migrations import migrate  # takes a quarter of a second to load: only where it is needed

    migrate(url)


class _StoredRoom(NamedTuple):
    """A room in a snapshot."""

    hash: str
    sheet: str
    practice: bool
    first: int
    table: msgspec.Raw


def take_snapshot(live: LiveTable, last: int = 0) -> Snapshot:
    """A snapshot of a room that has one of its record `last`; it holds undealt cards, as the log does, and never leaves
    the house. It is taken between rounds: an open one is read from its beginning when the house comes back.
    """
    table = msgspec.Raw(codec.encode_table(live.table))
    stored = _StoredRoom(live.head.hash.hex(), live.table.sheet.hash, live.practice, live.first, table)
    mark = live.version if is_permanent(live.version, last) else None
    return Snapshot(live.stream, live.version, msgspec.json.encode(stored), mark)


def restore_room(snapshot: Snapshot, records: list[Record], sheets: Mapping[str, Sheet]) -> LiveTable:
    """The room of a snapshot and the records from the one it was taken at: chain checked, the rest folded."""
    stored = codec.decode(snapshot.body, _StoredRoom)
    head = check_tail(records, snapshot, stored.hash)
    table, first = codec.decode_table(stored.table, sheets[stored.sheet]), stored.first
    for record in records[1:]:
        event = codec.read_table_event(record.kind, record.body)
        first = record.seq if isinstance(event, BettingEnded) else first
        table = evolve(table, event)
    return LiveTable(snapshot.stream, table, head, stored.practice, first)


@dataclass(frozen=True, slots=True)
class RecoveredHouse:
    """A house as the store holds it; `last` is the newest time in it, the last known moment of its life."""

    rooms: dict[str, LiveTable]
    balances: dict[str, Cents]
    last: int
    heads: dict[str, Head]
    snapshot_seqs: dict[str, int]
    """The record of each table's snapshot."""


async def recover(store: Store, sheets: Mapping[str, Sheet], *, deep: bool = False) -> RecoveredHouse:
    """Everything the store holds, or NotWhole with the list of what does not agree.

    `deep` reads every record of every stream from the first, and compares each snapshot with the fold (G-11).
    """
    with _garbage_collection_off():
        return await _recover(store, sheets, deep=deep)


async def _recover(store: Store, sheets: Mapping[str, Sheet], *, deep: bool) -> RecoveredHouse:
    heads, snapshots, tails = (
        await store.read_heads(),
        await store.read_snapshots(TABLE_PREFIX),
        await store.read_tails(TABLE_PREFIX),
    )
    tables: dict[str, LiveTable] = {}
    faults: list[str] = []
    last = 0
    for stream in [snapshot for snapshot in heads if snapshot.startswith(TABLE_PREFIX)]:
        records = tails.get(stream, [])
        try:
            live = rebuild_room(snapshots.get(stream), records, sheets)
            if live.head != heads[stream]:
                raise ChainBroken(f"{stream}: ends at {live.head.seq}, was written up to {heads[stream].seq}")
        except Exception as fault:  # whatever does not fold is a fault to be listed with the others
            faults.append(
                str(fault) if isinstance(fault, ChainBroken) else f"{stream}: {type(fault).__name__}: {fault}"
            )
            continue
        tables[live.table.id] = live
        last = max(last, records[-1].at)
    if deep:
        faults += await _check_all_streams(store, heads, tables, sheets)
    balances, sums = await store.read_balances(), await store.sum_postings()
    faults += _compare_balances(balances, sums)
    if faults:
        raise StoreInconsistent(faults)
    snapshot_seqs = {stream.removeprefix(TABLE_PREFIX): snapshot.seq for stream, snapshot in snapshots.items()}
    return RecoveredHouse(
        tables, {account: amount for account, amount in sums.items() if amount}, last, heads, snapshot_seqs
    )


@contextmanager
def _garbage_collection_off() -> Iterator[None]:
    """Nothing that recovery makes is garbage: looking for it takes a fifth of the time, and again ever after."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


def rebuild_room(snapshot: Snapshot | None, records: list[Record], sheets: Mapping[str, Sheet]) -> LiveTable:
    """The room that its records leave, from the one that a snapshot was taken at or from the first."""
    if not records:
        raise ChainBroken("a stream without records")
    return restore_room(snapshot, records, sheets) if snapshot else rooms.recover_table(records, dict(sheets))


async def rebuild_room_before(
    store: Store, stream: str, seq: int, sheets: Mapping[str, Sheet], newest: Snapshot | None = None
) -> LiveTable:
    """A table as it was before one of its records, however long ago: from the last state that stayed, or the newest."""
    base = newest if newest and newest.seq < seq else await store.find_permanent_snapshot(stream, seq - 1)
    records = await store.read_records(stream, base.seq - 1 if base else 0, seq - 1)
    return rebuild_room(base, records, sheets)


async def _check_all_streams(
    store: Store, heads: Mapping[str, Head], tables: Mapping[str, LiveTable], sheets: Mapping[str, Sheet]
) -> list[str]:
    """Every stream from its first record: the chain, and for tables the whole fold."""
    faults = []
    live = {recovered.stream: recovered for recovered in tables.values()}
    for stream, head in heads.items():
        records = await store.read_records(stream)
        try:
            if check_chain(records) != head:
                faults.append(f"{stream}: ends at {records[-1].seq if records else 0}, was written up to {head.seq}")
            elif stream in live and rooms.recover_table(records, dict(sheets)) != live[stream]:
                faults.append(f"{stream}: its snapshot is not what its records say")
        except ChainBroken as fault:
            faults.append(str(fault))
    return faults


def _compare_balances(balances: Mapping[str, Cents], sums: Mapping[str, Cents]) -> list[str]:
    """I-5: each running balance is the sum of its postings."""
    return [
        f"{account} holds {balances.get(account, 0)}, its postings sum to {sums.get(account, 0)}"
        for account in sorted({*balances, *sums})
        if balances.get(account, 0) != sums.get(account, 0)
    ]


def _read_revision(path: str) -> str:
    """The step of the migrations that a file is at, or nothing."""
    connection = sqlite3.connect(path)
    try:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])
    except (sqlite3.OperationalError, TypeError):
        return ""
    finally:
        connection.close()
