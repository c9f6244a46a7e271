"""Everything a house has committed, in memory: what an export writes and an import reads (X-14).

`derived` makes the money again from the events alone: postings, rounds and shares as the authority wrote them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ventuno.core.messages.events import BettingEnded, ShoeLoaded, ShoeRetired
from ventuno.core.rules.money import Cents
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table import ledger
from ventuno.core.table.fold import evolve, open_table
from ventuno.core.table.ledger import Posting
from ventuno.house.accounts import accounts
from ventuno.house.integrity import alerts
from ventuno.house.money import cash_entries, correction_records
from ventuno.house.money.cash_entries import Deposited, Withdrawn
from ventuno.house.money.correction_records import CorrectionMade
from ventuno.house.store import codec
from ventuno.house.store.records import Batch, Head, PostingRow, Record, RoundRow, ShareRow
from ventuno.house.tables.live_table import Room, TableOpened, finished

TABLE = "table:"


@dataclass
class Holdings:
    """Streams in their order, and the rows beside them in the order of their commits."""

    streams: dict[str, list[Record]] = field(default_factory=dict)
    postings: list[PostingRow] = field(default_factory=list)
    rounds: list[RoundRow] = field(default_factory=list)
    shares: list[ShareRow] = field(default_factory=list)

    def add(self, batch: Batch | None) -> None:
        """Take in what was committed."""
        if batch is None:
            return
        for record in batch.records:
            self.streams.setdefault(record.stream, []).append(record)
        self.postings += batch.postings
        self.rounds += batch.rounds
        self.shares += batch.shares

    def heads(self) -> dict[str, Head]:
        return {stream: Head(records[-1].seq, records[-1].hash) for stream, records in self.streams.items() if records}

    def balances(self) -> dict[str, Cents]:
        """The sums of the postings; accounts at zero are left out."""
        sums: dict[str, Cents] = {}
        for row in self.postings:
            sums[row.account] = sums.get(row.account, 0) + row.amount
        return {account: amount for account, amount in sorted(sums.items()) if amount}

    def round(self, code: str) -> RoundRow | None:
        return next((row for row in self.rounds if row.code == code), None)


def derived(streams: Mapping[str, list[Record]], sheets: Mapping[str, Sheet]) -> Holdings:
    """The same streams with every row made anew from their events."""
    made = Holdings({stream: list(records) for stream, records in streams.items()})
    for stream, records in streams.items():
        if stream.startswith(TABLE):
            _table(records, sheets, made)
        elif stream.startswith(accounts.PUBLIC):
            player = stream.removeprefix(accounts.PUBLIC)
            for record in records:
                event = accounts.read_open(record.kind, record.body)
                if isinstance(event, Deposited | Withdrawn):
                    made.postings += _rows(record, cash_entries.postings(player, event))
        elif stream == correction_records.STREAM:
            for record in records:
                entry = correction_records.read(record.kind, record.body)
                if isinstance(entry, CorrectionMade):
                    made.postings += _rows(record, correction_records.postings(entry))
    return made


def _table(records: list[Record], sheets: Mapping[str, Sheet], made: Holdings) -> None:
    """Fold a table once, and write down what each event pays and ends."""
    first = codec.typed(records[0].body, TableOpened)
    table = open_table(first.table, sheets[first.sheet], first.owner or None)
    begun, game = 0, table.sheet.game.id
    for record in records[1:]:
        event = codec.table_event(record.kind, record.body)
        begun = record.seq if isinstance(event, BettingEnded) else begun
        before, table = table, evolve(table, event)
        if not first.practice:
            made.postings += _rows(record, ledger.postings(event, game))
        room = Room(record.stream, table, Head(record.seq, record.hash), first.practice, begun)
        if ended := finished(room, before, record, event):
            made.rounds.append(ended[0])
            made.shares += ended[1]


def _rows(record: Record, moved: Iterable[Posting]) -> Iterator[PostingRow]:
    for one in moved:
        yield PostingRow(record.stream, record.seq, one.account, one.amount, one.criterion, one.arithmetic)


def shown_up_to(records: list[Record]) -> int:
    """How many records of a table may leave the house: all before the first shoe that is still in use (H-1)."""
    shoes: dict[int, int] = {}
    for record in records:
        if record.kind == ShoeLoaded.__name__:
            shoes[codec.typed(record.body, ShoeLoaded).number] = record.seq
        elif record.kind == ShoeRetired.__name__:
            shoes.pop(codec.typed(record.body, ShoeRetired).number, None)
    return min(shoes.values()) - 1 if shoes else len(records)


def public(held: Holdings) -> tuple[Holdings, dict[str, int]]:
    """What anybody may read: no private streams, no undealt cards. Also, for each table cut short, where."""
    streams: dict[str, list[Record]] = {}
    withheld: dict[str, int] = {}
    for stream, records in held.streams.items():
        if stream.startswith((accounts.PRIVATE, alerts.STREAM)):
            continue
        most = shown_up_to(records) if stream.startswith(TABLE) else len(records)
        if most < len(records):
            withheld[stream] = most + 1
        streams[stream] = records[:most]
    kept = {row.code for row in held.rounds if row.last < withheld.get(row.stream, row.last + 1)}
    return Holdings(
        streams,
        [row for row in held.postings if row.seq < withheld.get(row.stream, row.seq + 1)],
        [row for row in held.rounds if row.code in kept],
        [share for share in held.shares if share.code in kept],
    ), withheld
