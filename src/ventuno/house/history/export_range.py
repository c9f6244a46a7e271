"""Some days of a house as a part of its export: the records of each chain that lie in them, and what holds them (X-14).

A chain cannot be cut and still be recomputed from its beginning, so a part says where it begins: for each stream the
number and hash of the record before its first one, and every balance as it stood there. Rounds that ended in these days
are whole, also where they began before. What a table was like before is not in the file: payouts are not worked out
anew, but every record hangs on the one before, every posting follows from its event, and every balance adds up.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ventuno.core.rules.money import Cents
from ventuno.core.table import ledger
from ventuno.house.history.in_memory import TABLE_PREFIX, HouseData, derive_account_postings
from ventuno.house.store.records import Head, PostingRow, Record, RoundRow, make_posting_rows, read_table_event
from ventuno.house.tables.authority import TableOpened
from ventuno.house.tables.practice import is_practice


class Part(NamedTuple):
    """`heads` and `balances` are those before the first record of each stream."""

    data: HouseData
    heads: Mapping[str, Head]
    balances: Mapping[str, Cents]


def cut_range(data: HouseData, first: int, last: int) -> Part:
    """What was written from one moment to another, both included."""
    begins, ends = _find_borders(data, first, last)
    streams = {stream: records[begins[stream] : ends[stream]] for stream, records in data.streams.items()}
    heads = {stream: _find_head(data.streams[stream], begins[stream]) for stream, part in streams.items() if part}
    earlier = HouseData(postings=[row for row in data.postings if row.seq <= begins[row.stream]])
    rounds = [row for row in data.rounds if begins[row.stream] < row.first <= row.last <= ends[row.stream]]
    codes = {row.code for row in rounds}
    kept = HouseData(
        {stream: part for stream, part in streams.items() if part},
        [row for row in data.postings if begins[row.stream] < row.seq <= ends[row.stream]],
        rounds,
        [share for share in data.shares if share.code in codes],
    )
    return Part(kept, heads, earlier.balances())


def _find_borders(data: HouseData, first: int, last: int) -> tuple[dict[str, int], dict[str, int]]:
    """How many records of each stream lie before the part, and how many up to its end."""
    begins, ends = {}, {}
    for stream, records in data.streams.items():
        ends[stream] = max((record.seq for record in records if record.at <= last), default=0)
        begins[stream] = min((record.seq - 1 for record in records if record.at >= first), default=ends[stream])
        begins[stream] = min(begins[stream], ends[stream])
    for row in data.rounds:
        if begins[row.stream] < row.last <= ends[row.stream]:
            begins[row.stream] = min(begins[row.stream], row.first - 1)
    return begins, ends


def _find_head(records: list[Record], count: int) -> Head:
    return Head(records[count - 1].seq, records[count - 1].hash) if count else Head()


def add_balances(before: Mapping[str, Cents], moved: Mapping[str, Cents]) -> dict[str, Cents]:
    """Balances after what was moved; accounts at zero are left out."""
    sums = {account: before.get(account, 0) + moved.get(account, 0) for account in sorted({*before, *moved})}
    return {account: amount for account, amount in sums.items() if amount}


def check_part(part: Part, written: Mapping[str, Cents]) -> list[str]:
    """What is wrong with the money of a part whose chains hold."""
    data = part.data
    derived = [row for stream, records in data.streams.items() for row in _derive(stream, records, data.rounds)]
    faults = [f"posting does not follow from any event: {row}" for row in data.postings if row not in set(derived)]
    faults += [f"posting is missing: {row}" for row in derived if row not in set(data.postings)]
    sums = add_balances(part.balances, data.balances())
    faults += [
        f"{account}: {written.get(account, 0)} is written, {sums.get(account, 0)} adds up"
        for account in sorted({*sums, *written})
        if sums.get(account, 0) != written.get(account, 0)
    ]
    for row in data.rounds:
        seqs = {record.seq for record in data.streams.get(row.stream, ())}
        if not {row.first, row.last} <= seqs:
            faults.append(f"{row.code}: the round is not whole")
    codes = {row.code for row in data.rounds}
    return faults + [f"{share.code}: a share without its round" for share in data.shares if share.code not in codes]


def _derive(stream: str, records: list[Record], rounds: list[RoundRow]) -> list[PostingRow]:
    """The postings of these records, each from its own event; a game is named by the rounds of its table."""
    name = stream.removeprefix(TABLE_PREFIX)
    if not stream.startswith(TABLE_PREFIX):
        return derive_account_postings(stream, records)
    if is_practice(name):
        return []
    game = next((row.game for row in rounds if row.stream == stream), "")
    rows: list[PostingRow] = []
    for record in records:
        if record.kind != TableOpened.__name__:
            rows += make_posting_rows(record, ledger.postings(read_table_event(record.kind, record.body), game))
    return rows
