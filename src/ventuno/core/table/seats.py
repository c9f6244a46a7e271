"""Seats: taking, leaving, losing them; whether others may bet behind (V-39…V-42, V-33)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from ventuno.core.messages import events, refusals
from ventuno.core.messages.commands import AllowBehind, ChooseFollow, KeepSeat, LeaveSeat, TakeSeat
from ventuno.core.messages.events import Event, Wager
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.state import NO_SLIP, Phase, Seat, Slip, Table, list_wagers

SeatCommand = TakeSeat | LeaveSeat | KeepSeat | AllowBehind | ChooseFollow


def decide(table: Table, command: SeatCommand) -> list[Event] | Refusal:
    match command:
        case TakeSeat(player, box):
            return check_seat(table, player, box) or [events.SeatTaken(player, box)]
        case LeaveSeat(player, box, at):
            return _leave(table, player, box, at)
        case KeepSeat(player, box):
            return _keep(table, player, box)
        case AllowBehind(player, allowed):
            return _check_behind(table, player) or [events.BehindAllowed(player, allowed)]
        case ChooseFollow(player, box, double, split):
            if refusal := _check_behind(table, player):
                return refusal
            if not 1 <= box <= len(table.seats):
                return refusals.NoSuchBox(box, len(table.seats))
            return [events.FollowChosen(player, box, double, split)]
        case _:
            assert_never(command)


def check_seat(table: Table, player: PlayerId, box: int) -> Refusal | None:
    """Why this player may not sit here; None when he may."""
    if table.sheet.game.solo:
        return refusals.SoloTable()
    if table.closing is not None:
        return refusals.TableClosing(table.closing)
    if not 1 <= box <= len(table.seats):
        return refusals.NoSuchBox(box, len(table.seats))
    if table.seats[box - 1]:
        return refusals.BoxTaken(box)
    if player not in table.purses:
        return refusals.UnknownPlayer(player)
    seat_count = sum(1 for seat in table.seats if seat and seat.player == player)
    if seat_count >= table.sheet.seats.per_player:
        return refusals.SeatsFull(table.sheet.seats.per_player)
    return None


def _check_behind(table: Table, player: PlayerId) -> Refusal | None:
    """Why nothing is kept for this player about bets behind: who only watches has none (V-33)."""
    if not table.sheet.options.behind:
        return refusals.BetNotOffered("behind")
    return None if player in table.purses else refusals.UnknownPlayer(player)


def _leave(table: Table, player: PlayerId, box: int, at: int) -> list[Event] | Refusal:
    """A box with bets that can no longer be taken back stays in play; otherwise all bets on it go back (V-27, V-41)."""
    if table.sheet.game.solo:
        return refusals.SoloTable()
    if table.owner(box) != player:
        return refusals.NotSeated(box)
    in_play = table.phase is Phase.ROUND and table.round is not None and table.round.box(box) is not None
    slip = table.slips.get(player, NO_SLIP)
    locked = slip.final or (table.deadline is not None and at >= table.deadline)
    if in_play or (locked and (box, "main") in slip.totals()):
        return [events.SeatLeaving(player, box)]
    batch: list[Event] = []
    if back := tuple([wager for wager in list_wagers(slip.totals()) if wager.box == box]):
        batch.append(events.BetRemoved(player, back, "left"))
    for other, behind in table.slips.items():
        if stake := behind.totals().get((box, "behind")):
            batch.append(events.BetRemoved(other, (Wager(box, "behind", stake),), "owner-sits-out"))
    return [*batch, events.SeatFreed(player, box, "left")]


def _keep(table: Table, player: PlayerId, box: int) -> list[Event] | Refusal:
    """Who sits may say that he stays; whoever has left his seat for the end of the round has left it (V-41, V-42)."""
    if table.sheet.game.solo:
        return refusals.SoloTable()
    seat = table.seats[box - 1] if 1 <= box <= len(table.seats) else None
    if seat is None or seat.player != player or seat.leaving:
        return refusals.NotSeated(box)
    return [events.SeatKept(player, box)]


def find_warned(table: Table, player: PlayerId) -> tuple[int, ...]:
    """The boxes that this player loses with one more round without a bet (V-42)."""
    rules = table.sheet.seats
    if not rules.lost_after or table.sheet.game.solo:
        return ()
    seats = enumerate(table.seats, start=1)
    return tuple([box for box, seat in seats if seat and seat.player == player and seat.idle >= rules.warned_after])


def warn_or_free_idle_seats(table: Table, betting: frozenset[PlayerId]) -> Iterator[Event]:
    """Who sat without a bet that is played is warned, then loses the seat (V-42, reading 10)."""
    rules = table.sheet.seats
    if not rules.lost_after or table.sheet.game.solo:
        return
    for box, seat in enumerate(table.seats, start=1):
        if seat and seat.player not in betting:
            idle = seat.idle + 1
            if idle >= rules.lost_after:
                yield events.SeatFreed(seat.player, box, "inactive")
            elif idle >= rules.warned_after:
                yield events.SeatWarned(seat.player, box, idle)


def may_lose_seats(table: Table) -> bool:
    """Whether somebody sits here who loses his seat without a bet: then betting has an end also while nobody bets."""
    return bool(table.sheet.seats.lost_after) and not table.sheet.game.solo and any(table.seats)


def free_left_seats(table: Table) -> Iterator[Event]:
    """Who left during the round gives up the seat now (V-41)."""
    for box, seat in enumerate(table.seats, start=1):
        if seat and seat.leaving:
            yield events.SeatFreed(seat.player, box, "left")


def with_seat(table: Table, box: int, seat: Seat | None) -> tuple[Seat | None, ...]:
    return (*table.seats[: box - 1], seat, *table.seats[box:])


def count_idle_round(table: Table) -> tuple[Seat | None, ...]:
    """The seats with this round counted: a bet clears the idle rounds. Where nothing changes they are the same."""
    if table.sheet.game.solo:
        return table.seats
    counted = tuple([seat and _count_idle(seat, table.slips.get(seat.player, NO_SLIP)) for seat in table.seats])
    return table.seats if counted == table.seats else counted


def _count_idle(seat: Seat, slip: Slip) -> Seat:
    idle = 0 if slip.steps else seat.idle + 1
    return seat if seat.idle == idle else Seat(seat.player, idle, seat.leaving)


def list_seated(table: Table) -> tuple[PlayerId, ...]:
    """Everybody who sits, once, in the order of the seats."""
    return tuple(dict.fromkeys(seat.player for seat in table.seats if seat))
