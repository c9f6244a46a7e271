"""Betting: chips on spots, limits, undo, clear, repeat, double, deal now (V-36…V-52, S-12…S-16, L-04, L-16)."""

from __future__ import annotations

from typing import assert_never

from ventuno.core.messages.commands import (
    ClearBets,
    DealNow,
    DoubleBets,
    PlaceBet,
    RemoveBet,
    RepeatBets,
    Spot,
    UndoBet,
)
from ventuno.core.messages.events import BetPlaced, BetRemoved, BetsFinalised, Event, Wager
from ventuno.core.messages.refusals import (
    ActionNotAllowed,
    AlreadyBetting,
    AmountNotPositive,
    BehindForbidden,
    BelowMinimum,
    BetNotOffered,
    BetsFinal,
    BettingClosed,
    BoxEmpty,
    FundsMissing,
    LimitReached,
    MainBetMissing,
    NoBets,
    NoSuchBox,
    NotAMultiple,
    NothingToRepeat,
    NotSeated,
    OwnBox,
    Refusal,
    RoundCapReached,
    TableClosing,
    UnknownPlayer,
)
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.state import BETTING, NO_SLIP, Slip, Table

BetCommand = PlaceBet | RemoveBet | UndoBet | ClearBets | RepeatBets | DoubleBets | DealNow
Totals = dict[tuple[int, str], Cents]


def decide(table: Table, command: BetCommand) -> list[Event] | Refusal:
    """Bets are taken while betting is open, by the server's clock (V-45)."""
    if closed := check_now(table, command.player, command.at):
        return closed
    player, slip = command.player, table.slips.get(command.player, NO_SLIP)
    match command:
        case PlaceBet():
            return _place(table, slip, command)
        case RemoveBet(spot=spot, amount=amount):
            return _remove(table, player, slip, spot, amount)
        case UndoBet():
            return _undo(player, slip)
        case ClearBets():
            return _clear(player, slip)
        case RepeatBets(times=times):
            return _repeat(table, player, slip, times)
        case DoubleBets():
            return _double(table, player, slip)
        case DealNow():
            return _finalise(table, player, slip)
        case _:
            assert_never(command)


def decide_all_acts(table: Table, player: PlayerId) -> dict[str, list[Event] | Refusal]:
    """The acts of betting that name no spot, each as `decide` answers it while bets are taken (X-19)."""
    slip = table.slips.get(player, NO_SLIP)
    return {
        "undo": _undo(player, slip),
        "clear": _clear(player, slip),
        "repeat": _repeat(table, player, slip, 1),
        "repeat-double": _repeat(table, player, slip, 2),
        "double": _double(table, player, slip),
        "deal": _finalise(table, player, slip),
    }


def check_now(table: Table, player: PlayerId, at: int) -> Refusal | None:
    """Why this player cannot bet at this moment, whatever the bet."""
    if table.closing is not None:
        return TableClosing(table.closing)
    if table.phase is not BETTING or (table.deadline is not None and at >= table.deadline):
        return BettingClosed()
    if player not in table.purses:
        return UnknownPlayer(player)
    return BetsFinal() if table.slips.get(player, NO_SLIP).final else None


def check_spot(table: Table, player: PlayerId, spot: Spot, totals: Totals) -> Refusal | None:
    """Why this player cannot bet on this spot, whatever the amount."""
    box, bet = spot
    if bet not in table.limits:
        return BetNotOffered(bet)
    if bet in table.sheet.sides and table.sheet.sides[bet].kind == "dealer-pair":
        if box:
            return BetNotOffered(f"{bet} on a box")
        return None if any(kind == "main" for _, kind in totals) else MainBetMissing(bet)
    if not 1 <= box <= len(table.seats):
        return NoSuchBox(box, len(table.seats))
    return check_at_box(table, player, box, bet, totals)


def check_at_box(table: Table, player: PlayerId, box: int, bet: str, totals: Totals) -> Refusal | None:
    """The same of a bet that is offered at the boxes, on one that is there."""
    seat = table.seats[box - 1]
    owner = seat.player if seat else None
    if bet == "behind":
        if owner is None:
            return BoxEmpty(box)
        if owner == player:
            return OwnBox(box)
        return BehindForbidden(box) if owner in table.forbids else None
    if owner != player:
        return NotSeated(box)
    return MainBetMissing(bet) if bet != "main" and (box, "main") not in totals else None


def _place(table: Table, slip: Slip, command: PlaceBet) -> list[Event] | Refusal:
    player, amount = command.player, command.amount
    if amount <= 0:
        return AmountNotPositive(amount)
    if amount % table.sheet.stakes.unit:
        return NotAMultiple(table.sheet.stakes.unit, amount)
    totals, wagers = slip.totals(), []
    refusal: Refusal | None = None
    for spot in command.spots:
        if closed := check_spot(table, player, spot, totals):
            return closed
        box, bet = spot
        most = table.limit(bet, player)[1]
        staked = totals.get(spot, 0)
        room = amount if staked + amount <= most else most - staked
        if room < amount and (command.exact or room <= 0):
            refusal = LimitReached(bet, most, staked + amount)
            if command.exact:
                return refusal
            continue
        wagers.append(Wager(box, bet, room))
        totals[spot] = staked + room
    return _place_wagers(table, player, slip, tuple(wagers)) if wagers else refusal or NoBets()


def _place_wagers(table: Table, player: PlayerId, slip: Slip, wagers: tuple[Wager, ...]) -> list[Event] | Refusal:
    """Funds and the cap of the round; where a raise will be due the purse must cover it too (D-03, reading 23)."""
    needed, stakes = sum([wager.amount for wager in wagers]), table.sheet.stakes
    if stakes.round_cap and slip.total + needed > stakes.round_cap:
        return RoundCapReached(stakes.round_cap, slip.total + needed)
    if stakes.reserve > 1:
        needed += _reserve(table, (*slip.steps, wagers))
    if needed > table.purse(player):
        return FundsMissing(needed, table.purse(player))
    return [BetPlaced(player, wagers)]


def _reserve(table: Table, steps: tuple[tuple[Wager, ...], ...]) -> Cents:
    """What a sheet wants kept for later: so many times the antes, less those that lie there."""
    if table.sheet.stakes.reserve == 1:
        return 0
    antes = sum([amount for step in steps for _, bet, amount in step if bet == "main"])
    return antes * (table.sheet.stakes.reserve - 1)


def _undo(player: PlayerId, slip: Slip) -> list[Event] | Refusal:
    """The last act of betting, and with it what cannot lie there alone (V-51)."""
    if not slip.steps:
        return NoBets()
    left = Slip(slip.steps[:-1]).totals()
    return [BetRemoved(player, (*slip.steps[-1], *_orphans(left)), "undo")]


def _clear(player: PlayerId, slip: Slip) -> list[Event] | Refusal:
    return [BetRemoved(player, _wagers(slip.totals()), "clear")] if slip.steps else NoBets()


def _remove(table: Table, player: PlayerId, slip: Slip, spot: Spot, amount: Cents) -> list[Event] | Refusal:
    """Taking a main bet off takes the side bets of that box with it (S-14)."""
    totals, unit = slip.totals(), table.sheet.stakes.unit
    if spot not in totals:
        return NoBets()
    if amount < 0:
        return AmountNotPositive(amount)
    if amount % unit:
        return NotAMultiple(unit, amount)
    taken = min(amount or totals[spot], totals[spot])
    left = {place: staked for place, staked in totals.items() if place != spot or staked > taken}
    return [BetRemoved(player, (Wager(*spot, taken), *_orphans(left)), "removed")]


def _orphans(totals: Totals) -> list[Wager]:
    """Bets that have lost the main bet they stood beside (V-23, S-08, L-03)."""
    mains = {box for box, bet in totals if bet == "main"}
    return [
        Wager(box, bet, amount)
        for (box, bet), amount in totals.items()
        if bet not in ("main", "behind") and (box not in mains if box else not mains)
    ]


def _repeat(table: Table, player: PlayerId, slip: Slip, times: int) -> list[Event] | Refusal:
    if slip.steps:
        return AlreadyBetting()
    if times < 1 or (times > 1 and not table.sheet.options.double_bets):
        return ActionNotAllowed("repeat", "not-so-often")
    again = sorted(table.previous.get(player, ()), key=lambda wager: wager.bet != "main")
    wagers = tuple(Wager(box, bet, amount * times) for box, bet, amount in again)
    if not wagers:
        return NothingToRepeat()
    totals: Totals = {}
    for box, bet, amount in wagers:
        if refusal := check_spot(table, player, Spot(box, bet), totals):
            return refusal
        if amount > (most := table.limit(bet, player)[1]):
            return LimitReached(bet, most, amount)
        totals[box, bet] = amount
    return _place_wagers(table, player, slip, wagers)


def _double(table: Table, player: PlayerId, slip: Slip) -> list[Event] | Refusal:
    """Doubles every bet, each up to its maximum (V-50)."""
    if not table.sheet.options.double_bets:
        return ActionNotAllowed("double", "not-before-deal")
    if not slip.steps:
        return NoBets()
    wagers = []
    for (box, bet), staked in slip.totals().items():
        room = min(staked, table.limit(bet, player)[1] - staked)
        if room > 0:
            wagers.append(Wager(box, bet, room))
    if not wagers:
        bet, staked = next((bet, staked) for (_, bet), staked in slip.totals().items())
        return LimitReached(bet, table.limit(bet, player)[1], staked * 2)
    return _place_wagers(table, player, slip, tuple(wagers))


def _finalise(table: Table, player: PlayerId, slip: Slip) -> list[Event] | Refusal:
    """V-36: only a seated player whose bets reach the minimum may press; at a table for one this is DEAL."""
    if not (table.sheet.options.deal_now or table.sheet.game.solo):
        return ActionNotAllowed("deal", "not-here")
    totals = slip.totals()
    if not any(bet == "main" for _, bet in totals):
        return NoBets()
    for (_, bet), staked in totals.items():
        if staked < (least := table.limit(bet, player)[0]):
            return BelowMinimum(bet, least, staked)
    if (reserve := _reserve(table, slip.steps)) > table.purse(player):
        return FundsMissing(reserve, table.purse(player))
    return [BetsFinalised(player)]


def remove_wagers(steps: tuple[tuple[Wager, ...], ...], wagers: tuple[Wager, ...]) -> tuple[tuple[Wager, ...], ...]:
    """The steps with these amounts taken off, the latest first; steps that become empty are gone."""
    due: Totals = {}
    for box, bet, amount in wagers:
        due[box, bet] = due.get((box, bet), 0) + amount
    kept = []
    for step in reversed(steps):
        rest = []
        for box, bet, amount in reversed(step):
            taken = min(amount, due.get((box, bet), 0))
            if taken:
                due[box, bet] -= taken
            if amount > taken:
                rest.append(Wager(box, bet, amount - taken))
        if rest:
            kept.append(tuple(reversed(rest)))
    return tuple(reversed(kept))


def _wagers(totals: Totals) -> tuple[Wager, ...]:
    return tuple([Wager(box, bet, amount) for (box, bet), amount in totals.items()])
