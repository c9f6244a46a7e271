"""Recovery: every table comes back from its newest snapshot and the records after it, or no house opens (R-06).

Everything that does not agree is listed: chains (G-11), balances against postings (I-5). A permanent snapshot lets a
reader start from there when he looks at a table as it was long ago.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import msgspec

from ventuno.core.messages.events import BettingEnded
from ventuno.core.rules.money import Cents
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.fold import evolve
from ventuno.house.store.durability import StoreInconsistent
from ventuno.house.store.records import (
    ChainBroken,
    Head,
    Record,
    Snapshot,
    check_chain,
    check_tail,
    decode_body,
    decode_table,
    describe_fault,
    encode_table,
    read_table_event,
)
from ventuno.house.store.store import Store, is_permanent
from ventuno.house.tables.authority import LiveTable, recover_table

TABLE_PREFIX = "table:"


class _StoredTable(NamedTuple):
    """A table in a snapshot."""

    hash: str
    sheet: str
    practice: bool
    first: int
    table: msgspec.Raw


@dataclass(frozen=True, slots=True)
class RecoveredHouse:
    """A house as the store holds it. `last` is the newest time in it; `snapshot_seqs` the record of each snapshot."""

    rooms: dict[str, LiveTable]
    balances: dict[str, Cents]
    last: int
    heads: dict[str, Head]
    snapshot_seqs: dict[str, int]


def take_snapshot(live: LiveTable, last: int = 0) -> Snapshot:
    """A snapshot of a table whose snapshot before was taken at record `last`.

    It holds undealt cards, as the log does, and never leaves the house. It is taken between rounds: an open round is
    read from its beginning when the house comes back.
    """
    table = msgspec.Raw(encode_table(live.table))
    stored = _StoredTable(live.head.hash.hex(), live.table.sheet.hash, live.practice, live.first, table)
    mark = live.version if is_permanent(live.version, last) else None
    return Snapshot(live.stream, live.version, msgspec.json.encode(stored), mark)


def rebuild_table(snapshot: Snapshot | None, records: list[Record], sheets: Mapping[str, Sheet]) -> LiveTable:
    """The table that its records leave, from the one that a snapshot was taken at or from the first; chain checked."""
    if not records:
        raise ChainBroken("a stream without records")
    if snapshot is None:
        return recover_table(records, dict(sheets))
    stored = decode_body(snapshot.body, _StoredTable)
    head = check_tail(records, snapshot, stored.hash)
    table, first = decode_table(stored.table, sheets[stored.sheet]), stored.first
    for record in records[1:]:
        event = read_table_event(record.kind, record.body)
        first = record.seq if isinstance(event, BettingEnded) else first
        table = evolve(table, event)
    return LiveTable(snapshot.stream, table, head, stored.practice, first)


async def rebuild_table_before(
    store: Store, stream: str, seq: int, sheets: Mapping[str, Sheet], newest: Snapshot | None = None
) -> LiveTable:
    """A table as it was before one of its records: from the newest snapshot or the last permanent one before it."""
    base = newest if newest and newest.seq < seq else await store.find_permanent_snapshot(stream, seq - 1)
    records = await store.read_records(stream, base.seq - 1 if base else 0, seq - 1)
    return rebuild_table(base, records, sheets)


async def recover(store: Store, sheets: Mapping[str, Sheet], *, deep: bool = False) -> RecoveredHouse:
    """Everything the store holds, or StoreInconsistent with the list of what does not agree.

    `deep` reads every record of every stream from the first, and compares each snapshot with the fold (G-11).
    """
    with _without_garbage_collection():
        return await _recover(store, sheets, deep=deep)


async def _recover(store: Store, sheets: Mapping[str, Sheet], *, deep: bool) -> RecoveredHouse:
    heads, snapshots = await store.read_heads(), await store.read_snapshots(TABLE_PREFIX)
    tails = await store.read_tails(TABLE_PREFIX)
    tables: dict[str, LiveTable] = {}
    faults: list[str] = []
    last = 0
    for stream in [name for name in heads if name.startswith(TABLE_PREFIX)]:
        records = tails.get(stream, [])
        try:
            live = rebuild_table(snapshots.get(stream), records, sheets)
            if live.head != heads[stream]:
                raise ChainBroken(f"{stream}: ends at {live.head.seq}, was written up to {heads[stream].seq}")
        except Exception as fault:  # whatever does not fold is listed with the other faults
            faults.append(describe_fault(stream, fault))
            continue
        tables[live.table.id] = live
        last = max(last, records[-1].at)
    if deep:
        faults += await _check_all_streams(store, heads, tables, sheets)
    balances, sums = await store.read_balances(), await store.sum_postings()
    faults += compare_balances(balances, sums)
    if faults:
        raise StoreInconsistent(faults)
    nonzero = {account: amount for account, amount in sums.items() if amount}
    snapshot_seqs = {stream.removeprefix(TABLE_PREFIX): snapshot.seq for stream, snapshot in snapshots.items()}
    return RecoveredHouse(tables, nonzero, last, heads, snapshot_seqs)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Nothing that recovery makes is garbage: looking for it takes a fifth of the time, and again ever after."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_on:
            gc.enable()


async def _check_all_streams(
    store: Store, heads: Mapping[str, Head], tables: Mapping[str, LiveTable], sheets: Mapping[str, Sheet]
) -> list[str]:
    """Every stream from its first record: the chain, and for tables the whole fold."""
    faults = []
    recovered = {live.stream: live for live in tables.values()}
    for stream, head in heads.items():
        records = await store.read_records(stream)
        try:
            if check_chain(records) != head:
                faults.append(f"{stream}: ends at {records[-1].seq if records else 0}, was written up to {head.seq}")
            elif stream in recovered and recover_table(records, dict(sheets)) != recovered[stream]:
                faults.append(f"{stream}: its snapshot is not what its records say")
        except ChainBroken as fault:
            faults.append(str(fault))
    return faults


def compare_balances(balances: Mapping[str, Cents], sums: Mapping[str, Cents]) -> list[str]:
    """Each running balance is the sum of its postings (I-5)."""
    return [
        f"{account} holds {balances.get(account, 0)}, its postings sum to {sums.get(account, 0)}"
        for account in sorted({*balances, *sums})
        if balances.get(account, 0) != sums.get(account, 0)
    ]
