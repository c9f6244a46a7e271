"""The supervisor's acts: pause, resume, void, new limits. Each names its author (V-43, V-76…V-78, R-07, R-08)."""

from __future__ import annotations

from typing import assert_never

from ventuno.core import seats
from ventuno.core.commands import ChangeLimits, Pause, Resume, Void
from ventuno.core.events import Event, Follow, LimitsChanged, RoundVoided, TablePausedBy, TableResumed
from ventuno.core.refusals import (
    BetNotOffered,
    LimitReached,
    NotAMultiple,
    NothingToVoid,
    Refusal,
    TablePaused,
    WrongPhase,
)
from ventuno.core.state import Phase, Table


def decide(table: Table, command: Pause | Resume | Void | ChangeLimits) -> list[Event] | Refusal:
    match command:
        case Pause(by, reason, at):
            if table.pause:
                return TablePaused(table.pause.reason)
            remaining = None if table.deadline is None else max(table.deadline - at, 0)
            return [TablePausedBy(by, reason, remaining)]
        case Resume(by, at):
            if table.pause is None:
                return WrongPhase("running")
            return [TableResumed(by, _deadline(table, table.pause.remaining, at))]
        case Void(by, reason, at):
            return _void(table, by, reason, at)
        case ChangeLimits(limits, by):
            return _limits(table, dict(limits), by)
        case _:
            assert_never(command)


def _deadline(table: Table, remaining: int | None, at: int) -> int | None:
    """Nobody returns to less time than was left, nor to less than the sheet's minimum (R-06)."""
    if remaining is None:
        return None
    return at + max(remaining, table.sheet.clocks.after_pause * 1000)


def _void(table: Table, by: str, reason: str, at: int) -> list[Event] | Refusal:
    """Every stake goes back to who placed it: each balance ends as it was before the round (reading 15)."""
    players = table.purses
    if table.phase is Phase.ROUND and table.round:
        refunds = [Follow(player, table.round.staked(player)) for player in players]
    elif table.phase is Phase.BETTING and any(slip.steps for slip in table.slips.values()):
        refunds = [Follow(player, slip.total) for player, slip in table.slips.items()]
    else:
        return NothingToVoid()
    results = table.sheet.clocks.results
    deadline = at + results * 1000 if results else None
    voided = RoundVoided(by, reason, tuple(one for one in refunds if one.amount), deadline, at)
    return [voided, *seats.after_round(table)]


def _limits(table: Table, limits: dict[str, tuple[int, int]], by: str) -> list[Event] | Refusal:
    unit = table.sheet.stakes.unit
    for bet, (least, most) in limits.items():
        if bet not in table.limits:
            return BetNotOffered(bet)
        if least % unit or most % unit:
            return NotAMultiple(unit, least if least % unit else most)
        if not 0 < least <= most:
            return LimitReached(bet, most, least)
    return [LimitsChanged(limits, by)]
