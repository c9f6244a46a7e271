"""The whole table as a fold: `decide` says what follows from a command, `evolve` what an event changes.

`advance` does both at once and is what a running table uses; `decide` is its first half, `replay` folds a log.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ventuno.core.messages.commands import (
    Act,
    ActAll,
    ActEarly,
    AllowBehind,
    BringMoney,
    ChangeLimits,
    ChooseFollow,
    ClearBets,
    CloseTable,
    Command,
    DealNow,
    DoubleBets,
    LeaveSeat,
    LoadShoe,
    Pause,
    PlaceBet,
    RemoveBet,
    RepeatBets,
    Resume,
    SpinBoard,
    SpinWheel,
    TakeMoney,
    TakeSeat,
    Tick,
    TimeOut,
    UndoBet,
    Void,
)
from ventuno.core.messages.events import Event, MoneyBrought, MoneyTaken
from ventuno.core.messages.refusals import (
    AmountNotPositive,
    FundsMissing,
    Refusal,
    SessionCapReached,
    SoloTable,
    TableClosing,
    TablePaused,
)
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_checks import has_room_for_round
from ventuno.core.rules.switches import SheetError
from ventuno.core.table import betting, decisions, progress, seats, shoes, supervision
from ventuno.core.table.evolve import evolve
from ventuno.core.table.state import CLOSED, Phase, Seat, Table

__all__ = ["advance", "decide", "evolve", "open_table", "replay"]

_Outcome = list[Event] | Refusal
_HOUSE = (Pause, Resume, Void, CloseTable, LoadShoe, ChangeLimits)
_ALLOWED_WHILE_PAUSED: tuple[type, ...] = (*_HOUSE, BringMoney, TakeMoney, AllowBehind, LeaveSeat)
"""What may be asked of a paused table."""


def open_table(
    name: str, sheet: Sheet, owner: PlayerId | None = None, purses: Mapping[PlayerId, Cents] | None = None
) -> Table:
    """A new table on a sheet; a game for one belongs to its owner, who holds every box."""
    if not has_room_for_round(sheet):
        raise SheetError(f"a full round of {sheet.seats.count} boxes does not fit in {sheet.shoe.decks} decks")
    if sheet.game.solo and owner is None:
        raise SheetError(f"{sheet.game.name} is a table for one: an owner is needed")
    seat = Seat(owner) if sheet.game.solo and owner is not None else None
    places = (seat,) * sheet.seats.count
    return Table(name, sheet, Phase.SHUFFLING, places, purses=dict(purses or {}), limits=sheet.stakes.limits)


def decide(table: Table, command: Command) -> list[Event] | Refusal:
    """The events that a command leads to, or why not. The table itself stays as it is."""
    outcome = advance(table, command)
    return outcome if isinstance(outcome, Refusal) else outcome[0]


def advance(table: Table, command: Command) -> tuple[list[Event], Table] | Refusal:
    """Decide and evolve together, with all that follows by itself."""
    try:
        batch = _decide_first(table, command)
        if not isinstance(batch, list):
            return batch
        events: list[Event] = []
        while batch:
            for event in batch:
                table = evolve(table, event)
            events += batch
            batch = progress.next_events(table, command.at)
    except shoes.OutOfCards as fault:
        return fault.refusal
    return events, table


def replay(table: Table, log: Iterable[Event]) -> Table:
    """The state after a log: recovery, audit and history are this fold."""
    for event in log:
        table = evolve(table, event)
    return table


def _decide_first(table: Table, command: Command) -> _Outcome:
    if table.phase is CLOSED:
        return TableClosing(table.closing or "")
    if table.pause and not isinstance(command, _ALLOWED_WHILE_PAUSED):
        return TablePaused(table.pause.reason)
    match command:
        case PlaceBet() | DealNow() | RepeatBets() | UndoBet() | ClearBets() | DoubleBets() | RemoveBet():
            return betting.decide(table, command)
        case Act() | SpinBoard() | SpinWheel() | ActEarly() | TimeOut() | ActAll():
            return decisions.decide(table, command)
        case Tick():
            return progress.tick(table, command.at)
        case TakeSeat() | LeaveSeat() | AllowBehind() | ChooseFollow():
            return seats.decide(table, command)
        case LoadShoe():
            return shoes.load(table, command)
        case BringMoney(player, amount, _, vip):
            return _bring(table, player, amount, vip)
        case TakeMoney(player, amount):
            return _take(table, player, amount)
        case Pause() | Resume() | Void() | ChangeLimits() | CloseTable():
            return supervision.decide(table, command)


def _bring(table: Table, player: PlayerId, amount: Cents, vip: int | None) -> _Outcome:
    if amount <= 0 or (vip is not None and vip < 0):
        return AmountNotPositive(amount)
    if table.sheet.game.solo and player != table.owner(1):
        return SoloTable()
    cap, brought = table.sheet.stakes.session_cap, table.brought.get(player, 0) + amount
    if cap and brought > cap:
        return SessionCapReached(cap, brought)
    return [MoneyBrought(player, amount, vip)]


def _take(table: Table, player: PlayerId, amount: Cents) -> _Outcome:
    if amount <= 0:
        return AmountNotPositive(amount)
    if amount > table.purse(player):
        return FundsMissing(amount, table.purse(player))
    return [MoneyTaken(player, amount)]
