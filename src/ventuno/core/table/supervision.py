"""The supervisor's acts: pause, resume, void, new limits, closing. Each names its author (V-43, V-76…V-78, X-10)."""

from __future__ import annotations

from typing import TypeAlias, assert_never

from ventuno.core.messages import events, refusals
from ventuno.core.messages.commands import ChangeLimits, CloseTable, Pause, Resume, Void
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import Refusal
from ventuno.core.table import seats
from ventuno.core.table.state import PauseNote, Phase, Table, list_wagers

Supervised: TypeAlias = (
    events.LimitsChanged | events.TablePausedBy | events.TableResumed | events.TableClosingBy | events.TableClosed
)
CLOSES = "table-closes"


def decide(table: Table, command: Pause | Resume | Void | ChangeLimits | CloseTable) -> list[Event] | Refusal:
    match command:
        case Pause(by, reason, at):
            if table.pause:
                return refusals.TablePaused(table.pause.reason)
            remaining = None if table.deadline is None else max(table.deadline - at, 0)
            return [events.TablePausedBy(by, reason, remaining, at)]
        case Resume(by, at):
            if table.pause is None:
                return refusals.WrongPhase("running")
            return [events.TableResumed(by, _deadline(table, table.pause.remaining, at), at)]
        case Void():
            return _void(table, command)
        case ChangeLimits(limits, by, _, reason):
            return _limits(table, dict(limits), by, reason)
        case CloseTable(by, reason):
            return (
                [events.TableClosingBy(by, reason)] if table.closing is None else refusals.TableClosing(table.closing)
            )
        case _:
            assert_never(command)


def evolve(table: Table, event: Supervised) -> Table:
    match event:
        case events.LimitsChanged(limits):
            return table._replace(next_limits={**table.next_limits, **limits})
        case events.TablePausedBy(by, reason, remaining, at):
            return table._replace(pause=PauseNote(by, reason, remaining, at), deadline=None)
        case events.TableResumed():
            return resume(table, event)
        case events.TableClosingBy(_, reason):
            return table._replace(closing=reason)
        case events.TableClosed():
            return table._replace(phase=Phase.CLOSED, slips={}, pause=None, deadline=None)
        case _:
            assert_never(event)


def _deadline(table: Table, remaining: int | None, at: int) -> int | None:
    """Nobody returns to less time than was left, nor to less than the sheet's minimum (R-06)."""
    if remaining is None:
        return None
    return at + max(remaining, table.sheet.clocks.after_pause * 1000)


def resume(table: Table, event: events.TableResumed) -> Table:
    """Betting counts as opened so much later as its end has moved: the floor of deal now and the whole time move with
    the deadline, and nobody who bets behind loses what the pause lasted (V-38, V-77).

    Logs of earlier versions do not say when a pause began: there nothing moves, as nothing did.
    """
    opened, pause = table.opened, table.pause
    if table.phase is Phase.BETTING and pause and pause.at is not None and event.at is not None:
        left = event.deadline - event.at if event.deadline is not None else 0
        opened += max(event.at - pause.at + left - (pause.remaining or 0), 0)
    if table.studio and table.studio.misdeal:
        table = table._replace(studio=table.studio._replace(misdeal=""))
    return table._replace(pause=None, deadline=event.deadline, opened=opened)


def find_voidable(table: Table) -> str:
    """What a void would void: the code of the open round, or the bets of the coming one by its number; else nothing."""
    if table.phase is Phase.ROUND and table.round:
        return table.round.code
    lying = table.phase is Phase.BETTING and any(slip.steps for slip in table.slips.values())
    return f"bets-{table.rounds + 1}" if lying else ""


def _void(table: Table, command: Void) -> list[Event] | Refusal:
    """Every stake goes back to who placed it: each balance ends as it was before the round (reading 15)."""
    open_now = find_voidable(table)
    if not open_now:
        return refusals.NothingToVoid()
    if command.round and command.round != open_now:
        return refusals.OtherRound(command.round)
    refunds = [events.Follow(player, table.total_stake_of(player)) for player in table.purses]
    results = table.sheet.clocks.results
    deadline = command.at + results * 1000 if results else None
    back = tuple(refund for refund in refunds if refund.amount)
    return [events.RoundVoided(command.by, command.reason, back, deadline, command.at), *seats.free_left_seats(table)]


def _limits(table: Table, limits: dict[str, tuple[int, int]], by: str, reason: str) -> list[Event] | Refusal:
    unit = table.sheet.stakes.unit
    for bet, (least, most) in limits.items():
        if bet not in table.limits:
            return refusals.BetNotOffered(bet)
        if least % unit or most % unit:
            return refusals.NotAMultiple(unit, least if least % unit else most)
        if not 0 < least <= most:
            return refusals.LimitReached(bet, most, least)
    return [events.LimitsChanged(limits, by, reason)]


def may_close(table: Table) -> bool:
    """Nothing is open at a closing table, and nobody is looking at results any more (X-10)."""
    if table.phase in (Phase.ROUND, Phase.CLOSED):
        return False
    return table.phase is not Phase.RESULTS or table.deadline is None


def close_table(table: Table) -> list[Event]:
    """Bets that were never dealt and all money go back, seats are left, shoes retire so that they can be opened."""
    batch: list[Event] = []
    for player, slip in table.slips.items():
        if wagers := list_wagers(slip.totals()):
            batch.append(events.BetRemoved(player, wagers, CLOSES))
    if not table.sheet.game.solo:
        batch += [events.SeatFreed(seat.player, box, CLOSES) for box, seat in enumerate(table.seats, start=1) if seat]
    money = {player: purse + table.total_stake_of(player) for player, purse in table.purses.items()}
    batch += [events.MoneyTaken(player, amount) for player, amount in money.items() if amount]
    batch += [events.ShoeRetired(shoe.number) for shoe in (table.shoe, table.spare) if shoe]
    return [*batch, events.TableClosed()]
