"""Everything a house has committed, in memory: what an export writes and an import reads (X-14).

`derive_rows` makes the money again from the events alone: postings, rounds and shares as the authority wrote them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from ventuno.core.messages.desk_events import ShoeDeclared
from ventuno.core.messages.events import BettingEnded, ShoeLoaded, ShoeRetired
from ventuno.core.rules.money import Cents
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table import ledger
from ventuno.core.table.fold import evolve, open_table
from ventuno.house.accounts import accounts, cash_entries
from ventuno.house.accounts.cash_entries import Deposited, Withdrawn
from ventuno.house.integrity import alerts
from ventuno.house.money import corrections
from ventuno.house.money.corrections import CorrectionMade
from ventuno.house.store.records import (
    Head,
    PostingRow,
    Record,
    RoundRow,
    ShareRow,
    decode_body,
    make_posting_rows,
    read_table_event,
)
from ventuno.house.tables.authority import ROUND_ENDS, LiveTable, TableOpened, make_round_rows

TABLE_PREFIX = "table:"


@dataclass
class HouseData:
    """Streams in their order, and the rows beside them in the order of their commits."""

    streams: dict[str, list[Record]] = field(default_factory=dict)
    postings: list[PostingRow] = field(default_factory=list)
    rounds: list[RoundRow] = field(default_factory=list)
    shares: list[ShareRow] = field(default_factory=list)

    def heads(self) -> dict[str, Head]:
        return {stream: Head(records[-1].seq, records[-1].hash) for stream, records in self.streams.items() if records}

    def balances(self) -> dict[str, Cents]:
        """The sums of the postings; accounts at zero are left out."""
        sums: dict[str, Cents] = {}
        for row in self.postings:
            sums[row.account] = sums.get(row.account, 0) + row.amount
        return {account: amount for account, amount in sorted(sums.items()) if amount}

    def find_round(self, code: str) -> RoundRow | None:
        return next((row for row in self.rounds if row.code == code), None)


def derive_rows(streams: Mapping[str, list[Record]], sheets: Mapping[str, Sheet]) -> HouseData:
    """The same streams with every row made anew from their events."""
    data = HouseData({stream: list(records) for stream, records in streams.items()})
    for stream, records in streams.items():
        if stream.startswith(TABLE_PREFIX):
            _derive_table(records, sheets, data)
        else:
            data.postings += derive_account_postings(stream, records)
    return data


def derive_account_postings(stream: str, records: Iterable[Record]) -> list[PostingRow]:
    """What the records of a player or of the corrections move; other streams move nothing."""
    rows: list[PostingRow] = []
    if stream.startswith(accounts.PUBLIC):
        player = stream.removeprefix(accounts.PUBLIC)
        for record in records:
            event = accounts.read_public(record.kind, record.body)
            if isinstance(event, Deposited | Withdrawn):
                rows += make_posting_rows(record, cash_entries.make_postings(player, event))
    elif stream == corrections.STREAM:
        for record in records:
            entry = corrections.read(record.kind, record.body)
            if isinstance(entry, CorrectionMade):
                rows += make_posting_rows(record, corrections.make_postings(entry))
    return rows


def _derive_table(records: list[Record], sheets: Mapping[str, Sheet], data: HouseData) -> None:
    """Fold a table once, and write down what each event pays and ends."""
    first = decode_body(records[0].body, TableOpened)
    table = open_table(first.table, sheets[first.sheet], first.owner or None)
    begun, game = 0, table.sheet.game.id
    for record in records[1:]:
        event = read_table_event(record.kind, record.body)
        begun = record.seq if isinstance(event, BettingEnded) else begun
        before, table = table, evolve(table, event)
        if not first.practice:
            data.postings += make_posting_rows(record, ledger.postings(event, game))
        live = LiveTable(record.stream, table, Head(record.seq, record.hash), first.practice, begun)
        if isinstance(event, ROUND_ENDS) and (ended := make_round_rows(live, before, record, event)):
            data.rounds.append(ended[0])
            data.shares += ended[1]


def find_public_end(records: list[Record]) -> int:
    """How many records of a table may leave the house: all before the first shoe that is still in use (H-1)."""
    shoes: dict[int, int] = {}
    for record in records:
        if record.kind == ShoeLoaded.__name__:
            shoes[decode_body(record.body, ShoeLoaded).number] = record.seq
        elif record.kind == ShoeDeclared.__name__:
            shoes[decode_body(record.body, ShoeDeclared).number] = record.seq
        elif record.kind == ShoeRetired.__name__:
            shoes.pop(decode_body(record.body, ShoeRetired).number, None)
    return min(shoes.values()) - 1 if shoes else len(records)


def select_public(data: HouseData) -> tuple[HouseData, dict[str, int]]:
    """What anybody may read: no private streams, no undealt cards. Also, for each table cut short, where."""
    streams: dict[str, list[Record]] = {}
    withheld: dict[str, int] = {}
    for stream, records in data.streams.items():
        if stream.startswith((accounts.PRIVATE, alerts.STREAM)):
            continue
        most = find_public_end(records) if stream.startswith(TABLE_PREFIX) else len(records)
        if most < len(records):
            withheld[stream] = most + 1
        streams[stream] = records[:most]
    codes = {row.code for row in data.rounds if row.last < withheld.get(row.stream, row.last + 1)}
    return HouseData(
        streams,
        [row for row in data.postings if row.seq < withheld.get(row.stream, row.seq + 1)],
        [row for row in data.rounds if row.code in codes],
        [share for share in data.shares if share.code in codes],
    ), withheld
