"""Checks everything a house has written, from the first record to the last, and plays every round again (G-11, I-5).

Books are only read, also beside a house that plays: each stream is read up to where it ended when the check began.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from ventuno.core.messages.events import RoundSettled
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.fold import evolve, open_table
from ventuno.house.history import export
from ventuno.house.history.in_memory import TABLE_PREFIX, derive_rows
from ventuno.house.history.round_detail import RecordedRound, has_same_payouts
from ventuno.house.money.wallet import Wallet
from ventuno.house.store.audit_log import STREAM, find_unexplained
from ventuno.house.store.records import (
    ERASED,
    ChainBroken,
    Head,
    Record,
    RoundRow,
    ShareRow,
    Snapshot,
    check_chain,
    decode_body,
    describe_fault,
    read_table_event,
)
from ventuno.house.store.store import Store, StoreFailed
from ventuno.house.tables import recovery, snapshots
from ventuno.house.tables.authority import TableOpened, recover_table

TRIES = 3
"""Looks at the balances: what differs in all of them is wrong, what differs once was written between two reads."""
Report = Callable[[int, int], None]
"""Told how many records were checked, of how many."""


@dataclass(slots=True)
class CheckedBooks:
    """How much was checked, and everything that is wrong."""

    streams: int = 0
    records: int = 0
    rounds: int = 0
    accounts: int = 0
    faults: list[str] = field(default_factory=list)


async def check_books(store: Store, sheets: Mapping[str, Sheet], report: Report = lambda *_: None) -> CheckedBooks:
    """Chains, events, postings, rounds, payouts, snapshots and balances."""
    heads = await store.read_heads()
    taken = await store.read_snapshots(TABLE_PREFIX)
    rounds, shares = await _read_rounds(store, heads)
    empty: list[tuple[str, int]] = []
    checked, total = CheckedBooks(), sum(head.seq for head in heads.values())
    for stream, head in heads.items():
        records: list[Record] = []
        try:
            records = await _read_stream(store, stream, head)
            empty += [(stream, record.seq) for record in records if record.body == ERASED]
            rows = rounds.pop(stream, [])
            checked.faults += await _check_rows(store, records, rows, shares, sheets)
            if stream.startswith(TABLE_PREFIX):
                checked.faults += _check_table(records, rows, taken.get(stream), sheets)
                checked.rounds += len(rows)
        except StoreFailed:
            raise
        except Exception as fault:  # whatever cannot be read or played is listed with the other faults
            checked.faults.append(describe_fault(stream, fault))
        checked.streams += 1
        checked.records += head.seq
        report(checked.records, total)
    checked.faults += find_unexplained(empty, await store.read_records(STREAM))
    checked.faults += [f"{row.code}: a round of no stream" for rows in rounds.values() for row in rows]
    checked.faults += await snapshots.find_differing(store)
    balances = await store.sum_postings()
    checked.accounts = len(balances)
    checked.faults += Wallet(balances).find_faults() + await _compare_balances(store)
    return checked


async def _read_rounds(
    store: Store, heads: Mapping[str, Head]
) -> tuple[dict[str, list[RoundRow]], dict[str, list[ShareRow]]]:
    """Rounds by stream and shares by round, of what was there when the check began."""
    rounds: dict[str, list[RoundRow]] = {}
    shares: dict[str, list[ShareRow]] = {}
    last = -1, ""
    while page := await store.list_rounds(last):
        last = page[-1].ended, page[-1].code
        for row in page:
            if row.last <= heads.get(row.stream, Head(row.last)).seq:
                rounds.setdefault(row.stream, []).append(row)
    place = -1, "", ""
    while lines := await store.list_shares(place):
        place = lines[-1].ended, lines[-1].code, lines[-1].player
        for share in lines:
            shares.setdefault(share.code, []).append(share)
    return rounds, shares


async def _read_stream(store: Store, stream: str, head: Head) -> list[Record]:
    records = await store.read_records(stream, upto=head.seq)
    if (last := check_chain(records)) != head:
        raise ChainBroken(f"{stream}: ends at {last.seq}, was written up to {head.seq}")
    export.read_events(stream, records)
    return records


async def _check_rows(
    store: Store,
    records: list[Record],
    rounds: list[RoundRow],
    shares: Mapping[str, list[ShareRow]],
    sheets: Mapping[str, Sheet],
) -> list[str]:
    """Every posting, round and share that was written follows from an event, and none is missing."""
    stream = records[0].stream
    derived = derive_rows({stream: records}, sheets)
    written = await store.read_postings(stream, last=records[-1].seq)
    sums = Counter[int]()
    for row in written:
        sums[row.seq] += row.amount
    return [
        *(f"{stream}: the postings of record {seq} sum to {total}" for seq, total in sums.items() if total),
        *export.compare_rows("posting", written, derived.postings),
        *export.compare_rows("round", rounds, derived.rounds),
        *export.compare_rows("share", (share for row in rounds for share in shares.get(row.code, ())), derived.shares),
    ]


def _check_table(
    records: list[Record], rows: list[RoundRow], snapshot: Snapshot | None, sheets: Mapping[str, Sheet]
) -> list[str]:
    """Every round pays the same when it is played again; the snapshot is what the records say (R-16)."""
    faults = [
        f"{played.row.code}: played again it pays otherwise"
        for played in _iterate_rounds(records, rows, sheets)
        if any(isinstance(event, RoundSettled) for event in played.events) and not has_same_payouts(played)
    ]
    if snapshot and snapshot.seq <= len(records):
        rebuilt = recovery.rebuild_table(snapshot, records[snapshot.seq - 1 :], sheets)
        if rebuilt != recover_table(records, dict(sheets)):
            faults.append(f"{records[0].stream}: its snapshot is not what its records say")
    return faults


def _iterate_rounds(
    records: list[Record], rows: list[RoundRow], sheets: Mapping[str, Sheet]
) -> Iterator[RecordedRound]:
    """Each round with the table as it was before it; the table is folded once for all of them."""
    opened = decode_body(records[0].body, TableOpened)
    table = open_table(opened.table, sheets[opened.sheet], opened.owner or None)
    first_by_row = {row.first: row for row in rows}
    events = [read_table_event(record.kind, record.body) for record in records[1:]]
    for record, event in zip(records[1:], events, strict=True):
        if row := first_by_row.get(record.seq):
            part = slice(row.first - 1, row.last)
            yield RecordedRound(row, table, tuple(records[part]), tuple(events[row.first - 2 : row.last - 1]))
        table = evolve(table, event)


async def _compare_balances(store: Store) -> list[str]:
    """Running balances that are not the sum of their postings, also when one looks again (I-5)."""
    faults: set[str] = set()
    for number in range(TRIES):
        differing = set(recovery.compare_balances(await store.read_balances(), await store.sum_postings()))
        faults = differing if number == 0 else faults & differing
        if not faults:
            break
    return sorted(faults)
