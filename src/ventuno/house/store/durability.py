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
from ventuno.house.store.file_lock import Ballast, Lock
from ventuno.house.store.read_only import Beside, fitting
from ventuno.house.store.records import ChainBroken, Head, Record, check
from ventuno.house.store.sqlite_connection import PRAGMAS, connect, settings
from ventuno.house.store.store import Snapshot, Store, is_milestone
from ventuno.house.store.streams import tail_of
from ventuno.house.store.writer_process import Scribe
from ventuno.house.tables import live_table as rooms
from ventuno.house.tables.live_table import Room

TABLES = "table:"
_SYNCHRONOUS = ("off", "normal", "full", "extra")


class Unsafe(RuntimeError):
    """The database would lose acknowledged play in a crash or a power cut.

    Change its settings, or start with --unsafe: every screen then says so.
    """


class NotWhole(RuntimeError):
    """What is stored does not agree with itself, so the house does not open. `faults` lists all that is wrong.

    Restore a good copy, or have the faults explained; nothing is repaired here.
    """

    def __init__(self, faults: list[str]) -> None:
        shown = faults[:20] + [f"and {len(faults) - 20} more"] * (len(faults) > 20)
        super().__init__("; ".join(shown))
        self.faults = faults


def sqlite_faults(settings: Mapping[str, str]) -> list[str]:
    """What is unsafe in a SQLite connection's settings."""
    level = settings["synchronous"]
    name = _SYNCHRONOUS[int(level)] if level.isdigit() and int(level) < len(_SYNCHRONOUS) else level
    found = (
        [] if name in ("full", "extra") else [f"synchronous={name}, not full: a power cut loses what was acknowledged"]
    )
    if settings["journal_mode"] not in ("wal", "delete"):
        found.append(f"journal_mode={settings['journal_mode']}, not wal or delete: a crash can ruin the file")
    return found


def postgres_faults(settings: Mapping[str, str]) -> list[str]:
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


def judged(faults: list[str], *, unsafe: bool) -> str:
    """The warning for every screen, or Unsafe where nobody has said that he knows."""
    if faults and not unsafe:
        raise Unsafe("; ".join(faults))
    return f"UNSAFE: {'; '.join(faults)}" if faults else ""


async def open_store(url: str, *, unsafe: bool = False, alone: bool = True, apart: bool = False) -> Store:
    """The store at `sqlite:///FILE` or `postgresql://…`, migrated, its settings judged.

    It is held by this process alone until it is closed; HouseOpen where another holds it. Who only reads, beside a
    house that plays, says `alone=False`: nothing is made or migrated then, and NotReadable says what does not fit. With
    `apart` a process of its own writes a SQLite file, so that play has this one for itself. A query on a SQLite address
    sets pragmas: `sqlite:///house.db?synchronous=normal`.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        return await _open_sqlite(parsed, unsafe=unsafe, alone=alone, apart=apart)
    from ventuno.house.store import postgres

    writer = await postgres.connect(url)
    try:
        if alone:
            await postgres.claim(writer)
        found = await postgres.revision(writer)
        if not alone:
            fitting(found)
        elif found != schema.REVISION:
            await asyncio.to_thread(_migrate, url)
        warning = judged(postgres_faults(await postgres.settings(writer)), unsafe=unsafe)
        return await postgres.PostgresStore.opened(url, writer, warning, alone=alone)
    except BaseException:
        await writer.close()
        raise


async def _open_sqlite(url: URL, *, unsafe: bool, alone: bool, apart: bool) -> Store:
    path = url.database or ""
    if path in ("", ":memory:"):
        raise Unsafe("a house in memory keeps nothing: name a file")
    if not alone:
        return Beside(path)
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    lock = Lock(path)
    try:
        if not Path(path).exists() or _revision(path) != schema.REVISION:
            await asyncio.to_thread(_migrate, url.render_as_string(hide_password=False))
        pragmas = PRAGMAS | {name: str(value) for name, value in url.query.items()}
        with closing(connect(path, pragmas)) as connection:
            warning = judged(sqlite_faults(settings(connection)), unsafe=unsafe)
        full = Ballast(path).set_aside()
        writer = await Scribe.opened(path, pragmas, lock) if apart else sqlite.threaded(path, pragmas)
        store = sqlite.SqliteStore(path, writer, warning, lock)
        store.full = full
        return store
    except BaseException:
        lock.release()
        raise


def _migrate(url: str) -> None:
    from ventuno.house.store.migrations import migrate  # takes a quarter of a second to load: only where it is needed

    migrate(url)


class _Kept(NamedTuple):
    """A room in a snapshot."""

    hash: str
    sheet: str
    practice: bool
    first: int
    table: msgspec.Raw


def photograph(room: Room, last: int = 0) -> Snapshot:
    """A snapshot of a room that has one of its record `last`; it holds undealt cards, as the log does, and never leaves
    the house. It is taken between rounds: an open one is read from its beginning when the house comes back.
    """
    table = msgspec.Raw(codec.freeze(room.table))
    kept = _Kept(room.head.hash.hex(), room.table.sheet.hash, room.practice, room.first, table)
    mark = room.version if is_milestone(room.version, last) else None
    return Snapshot(room.stream, room.version, msgspec.json.encode(kept), mark)


def developed(snapshot: Snapshot, records: list[Record], sheets: Mapping[str, Sheet]) -> Room:
    """The room of a snapshot and the records from the one it was taken at: chain checked, the rest folded."""
    kept = codec.typed(snapshot.body, _Kept)
    head = tail_of(records, snapshot, kept.hash)
    table, first = codec.thaw(kept.table, sheets[kept.sheet]), kept.first
    for record in records[1:]:
        event = codec.table_event(record.kind, record.body)
        first = record.seq if isinstance(event, BettingEnded) else first
        table = evolve(table, event)
    return Room(snapshot.stream, table, head, kept.practice, first)


@dataclass(frozen=True, slots=True)
class Recovered:
    """A house as the store holds it; `last` is the newest time in it, the last known moment of its life."""

    rooms: dict[str, Room]
    balances: dict[str, Cents]
    last: int
    heads: dict[str, Head]
    photographed: dict[str, int]
    """The record of each table's snapshot."""


async def recover(store: Store, sheets: Mapping[str, Sheet], *, deep: bool = False) -> Recovered:
    """Everything the store holds, or NotWhole with the list of what does not agree.

    `deep` reads every record of every stream from the first, and compares each snapshot with the fold (G-11).
    """
    with _collector_resting():
        return await _recovered(store, sheets, deep=deep)


async def _recovered(store: Store, sheets: Mapping[str, Sheet], *, deep: bool) -> Recovered:
    heads, taken, tails = await store.streams(), await store.snapshots(TABLES), await store.tails(TABLES)
    found: dict[str, Room] = {}
    faults: list[str] = []
    last = 0
    for stream in [one for one in heads if one.startswith(TABLES)]:
        records = tails.get(stream, [])
        try:
            room = room_of(taken.get(stream), records, sheets)
            if room.head != heads[stream]:
                raise ChainBroken(f"{stream}: ends at {room.head.seq}, was written up to {heads[stream].seq}")
        except Exception as fault:  # whatever does not fold is a fault to be listed with the others
            faults.append(
                str(fault) if isinstance(fault, ChainBroken) else f"{stream}: {type(fault).__name__}: {fault}"
            )
            continue
        found[room.table.id] = room
        last = max(last, records[-1].at)
    if deep:
        faults += await _deep_faults(store, heads, found, sheets)
    balances, sums = await store.balances(), await store.sums()
    faults += _differences(balances, sums)
    if faults:
        raise NotWhole(faults)
    photographed = {stream.removeprefix(TABLES): one.seq for stream, one in taken.items()}
    return Recovered(found, {account: amount for account, amount in sums.items() if amount}, last, heads, photographed)


@contextmanager
def _collector_resting() -> Iterator[None]:
    """Nothing that recovery makes is garbage: looking for it takes a fifth of the time, and again ever after."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


def room_of(snapshot: Snapshot | None, records: list[Record], sheets: Mapping[str, Sheet]) -> Room:
    """The room that its records leave, from the one that a snapshot was taken at or from the first."""
    if not records:
        raise ChainBroken("a stream without records")
    return developed(snapshot, records, sheets) if snapshot else rooms.recovered(records, dict(sheets))


async def room_before(
    store: Store, stream: str, seq: int, sheets: Mapping[str, Sheet], newest: Snapshot | None = None
) -> Room:
    """A table as it was before one of its records, however long ago: from the last state that stayed, or the newest."""
    base = newest if newest and newest.seq < seq else await store.milestone(stream, seq - 1)
    records = await store.records(stream, base.seq - 1 if base else 0, seq - 1)
    return room_of(base, records, sheets)


async def _deep_faults(
    store: Store, heads: Mapping[str, Head], found: Mapping[str, Room], sheets: Mapping[str, Sheet]
) -> list[str]:
    """Every stream from its first record: the chain, and for tables the whole fold."""
    faults = []
    live = {room.stream: room for room in found.values()}
    for stream, head in heads.items():
        records = await store.records(stream)
        try:
            if check(records) != head:
                faults.append(f"{stream}: ends at {records[-1].seq if records else 0}, was written up to {head.seq}")
            elif stream in live and rooms.recovered(records, dict(sheets)) != live[stream]:
                faults.append(f"{stream}: its snapshot is not what its records say")
        except ChainBroken as fault:
            faults.append(str(fault))
    return faults


def _differences(balances: Mapping[str, Cents], sums: Mapping[str, Cents]) -> list[str]:
    """I-5: each running balance is the sum of its postings."""
    return [
        f"{account} holds {balances.get(account, 0)}, its postings sum to {sums.get(account, 0)}"
        for account in sorted({*balances, *sums})
        if balances.get(account, 0) != sums.get(account, 0)
    ]


def _revision(path: str) -> str:
    """The step of the migrations that a file is at, or nothing."""
    connection = sqlite3.connect(path)
    try:
        return str(connection.execute("SELECT version_num FROM alembic_version").fetchone()[0])
    except (sqlite3.OperationalError, TypeError):
        return ""
    finally:
        connection.close()
