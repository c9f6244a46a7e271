"""A table at run time: its state, the end of its log, and the round it is in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import msgspec

from ventuno.core.messages.events import BettingEnded, Event, RoundSettled, RoundVoided
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table import ledger
from ventuno.core.table.fold import evolve, open_table
from ventuno.core.table.state import Phase, Table
from ventuno.house.store import codec
from ventuno.house.store.records import Head, Record, RoundRow, ShareRow, chain_events, check_chain

_BEGINS = BettingEnded.__name__
ROUND_ENDS = (RoundSettled, RoundVoided)


@dataclass(frozen=True, slots=True)
class TableOpened:
    """The first record of a table's stream: its sheet by hash, its owner where it is a table for one."""

    table: str
    sheet: str
    owner: PlayerId
    practice: bool


class LiveTable(msgspec.Struct, frozen=True):
    """A running table between two commands. `first` is where the open round began in the stream."""

    stream: str
    table: Table
    head: Head
    practice: bool = False
    first: int = 0

    @property
    def version(self) -> int:
        return self.head.seq


def open_stream(
    name: str, sheet: Sheet, owner: PlayerId, at: int, *, practice: bool
) -> tuple[LiveTable, tuple[Record, ...]]:
    """A new room and the record that opens its stream."""
    stream = f"table:{name}"
    entry = codec.encode(TableOpened(name, sheet.hash, owner, practice))
    records, head = chain_events(Head(), stream, at, [entry])
    return LiveTable(stream, open_table(name, sheet, owner or None), head, practice), records


def append_events(
    live: LiveTable, table: Table, events: Iterable[Event], at: int
) -> tuple[LiveTable, tuple[Record, ...]]:
    """The room after events, and their records."""
    records, head = chain_events(live.head, live.stream, at, [*map(codec.encode, events)])
    begins = [record.seq for record in records if record.kind == _BEGINS]
    return LiveTable(live.stream, table, head, live.practice, begins[-1] if begins else live.first), records


def recover_table(records: list[Record], sheets: dict[str, Sheet]) -> LiveTable:
    """The room as its records leave it: chain checked, sheet by hash, every event folded (R-06, T-11)."""
    head = check_chain(records)
    first = codec.decode(records[0].body, TableOpened)
    table = open_table(first.table, sheets[first.sheet], first.owner or None)
    begun = 0
    for record in records[1:]:
        event = codec.read_table_event(record.kind, record.body)
        begun = record.seq if isinstance(event, BettingEnded) else begun
        table = evolve(table, event)
    return LiveTable(records[0].stream, table, head, first.practice, begun)


def make_round_rows(
    live: LiveTable, before: Table, record: Record, event: RoundSettled | RoundVoided
) -> tuple[RoundRow, tuple[ShareRow, ...]] | None:
    """The rows of a round that this event ends: where it lies, and what each player had in it."""
    play = live.table.round if isinstance(event, RoundSettled) else before.round
    if play is None:
        return None
    if isinstance(event, RoundVoided) and before.phase is not Phase.ROUND:
        return None
    voided = isinstance(event, RoundVoided)
    sheet = live.table.sheet
    place = live.stream, live.first, record.seq, play.started, event.at
    row = RoundRow(play.code, *place, sheet.game.id, sheet.hash, voided, live.practice)
    returned = dict(ledger.returns(event))
    staked = {player: play.total_stake_of(player) for player in before.purses}
    shares = tuple(
        ShareRow(play.code, player, event.at, amount, returned.get(player, 0))
        for player, amount in staked.items()
        if amount
    )
    return row, shares
