"""The lobby: the tables one can go to, from their rooms, with nothing in it that is anybody's own (V-35, X-06)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.state import Phase
from ventuno.house.tables.authority import LiveTable


@dataclass(frozen=True, slots=True)
class TableSummary:
    """A table as the lobby shows it: which boxes are taken and by how many people, not by whom.

    Streaks are lengths without names; limits are those of the viewer's VIP level.
    """

    table: str
    game: str
    name: str
    sheet: str
    seats: int
    free: int
    taken: tuple[int, ...]
    people: int
    limits: Mapping[str, tuple[Cents, Cents]]
    betting_seconds: int
    decision_seconds: int
    streaks: tuple[int, ...]
    phase: Phase
    deadline: int | None
    paused: bool
    rounds: int


def list_tables(tables: Iterable[LiveTable], viewer: PlayerId = "", vip: int = 0) -> list[TableSummary]:
    """Shared tables for everybody, tables for one for their owner; practice tables are their players' own affair."""
    shown = [live for live in tables if not live.practice and _may_see(live, viewer)]
    return sorted((_summarize(live, vip) for live in shown), key=lambda line: (line.free == 0, line.game, line.table))


def _may_see(live: LiveTable, viewer: PlayerId) -> bool:
    table = live.table
    return not table.sheet.game.solo or (viewer != "" and table.owner(1) == viewer)


def _summarize(live: LiveTable, vip: int) -> TableSummary:
    table = live.table
    sheet = table.sheet
    factor = sheet.stakes.vip[min(vip, len(sheet.stakes.vip) - 1)]
    hot = sheet.options.hot_from
    return TableSummary(
        table=table.id,
        game=sheet.game.id,
        name=sheet.game.name,
        sheet=sheet.hash,
        seats=len(table.seats),
        free=sum(seat is None for seat in table.seats),
        taken=tuple(box for box, seat in enumerate(table.seats, start=1) if seat),
        people=len({seat.player for seat in table.seats if seat}),
        limits={bet: (least, most * factor) for bet, (least, most) in table.limits.items()},
        betting_seconds=sheet.clocks.betting,
        decision_seconds=sheet.clocks.decision,
        streaks=tuple(sorted((count for count in table.streaks.values() if hot and count >= hot), reverse=True)),
        phase=table.phase,
        deadline=table.deadline,
        paused=table.pause is not None,
        rounds=table.rounds,
    )
