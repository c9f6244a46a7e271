"""Betting: chips on spots, limits, undo, clear, repeat, double, deal now (V-36…V-52, S-12…S-16, L-04, L-16).

When betting ends, what cannot be played goes back, and the boxes of the round are made (V-27, V-45). The game code of a
round is table, date and GMT time of the start, and a counter that makes it unique (V-66, R-01).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import assert_never

from ventuno.core.messages import commands, events, refusals
from ventuno.core.messages.events import Event, Wager
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table import pace, seats
from ventuno.core.table.round import Behind, Box, Round, Stage
from ventuno.core.table.state import BETTING, NO_SLIP, Slip, Table, list_wagers

BetCommand = (
    commands.PlaceBet
    | commands.RemoveBet
    | commands.UndoBet
    | commands.ClearBets
    | commands.RepeatBets
    | commands.DoubleBets
    | commands.DealNow
)
Totals = dict[tuple[int, str], Cents]
_DAY = 86_400_000


def decide(table: Table, command: BetCommand) -> list[Event] | Refusal:
    """Bets are taken while betting is open, by the server's clock (V-45)."""
    if closed := check_now(table, command.player, command.at):
        return closed
    player, slip = command.player, table.slips.get(command.player, NO_SLIP)
    match command:
        case commands.PlaceBet():
            return _place(table, slip, command)
        case commands.RemoveBet(spot=spot, amount=amount):
            return _remove(table, player, slip, spot, amount)
        case commands.UndoBet():
            return _undo(player, slip)
        case commands.ClearBets():
            return _clear(player, slip)
        case commands.RepeatBets(times=times):
            return _repeat(table, player, slip, times)
        case commands.DoubleBets():
            return _double(table, player, slip)
        case commands.DealNow():
            return _finalise(table, player, slip)
        case _:
            assert_never(command)


def decide_all_acts(table: Table, player: PlayerId) -> dict[str, list[Event] | Refusal]:
    """The acts of betting that name no spot, each as `decide` answers it while bets are taken (X-19).

    Of an act that gives back, only that it may be: it costs nothing.
    """
    slip = table.slips.get(player, NO_SLIP)
    back: list[Event] | Refusal = [] if slip.steps else refusals.NoBets()
    already = refusals.AlreadyBetting() if slip.steps else None
    return {
        "undo": back,
        "clear": back,
        "repeat": already or _repeat(table, player, slip, 1),
        "repeat-double": already or _repeat(table, player, slip, 2),
        "double": _double(table, player, slip),
        "deal": _finalise(table, player, slip),
    }


def check_now(table: Table, player: PlayerId, at: int) -> Refusal | None:
    """Why this player cannot bet at this moment, whatever the bet."""
    if table.closing is not None:
        return refusals.TableClosing(table.closing)
    if table.phase is not BETTING or (table.deadline is not None and at >= table.deadline):
        return refusals.BettingClosed()
    if player not in table.purses:
        return refusals.UnknownPlayer(player)
    return refusals.BetsFinal() if table.slips.get(player, NO_SLIP).final else None


def check_spot(table: Table, player: PlayerId, spot: commands.Spot, totals: Totals) -> Refusal | None:
    """Why this player cannot bet on this spot, whatever the amount."""
    box, bet = spot
    if bet not in table.limits:
        return refusals.BetNotOffered(bet)
    if bet in table.sheet.sides and table.sheet.sides[bet].kind == "dealer-pair":
        if box:
            return refusals.BetNotOffered(f"{bet} on a box")
        return None if any(kind == "main" for _, kind in totals) else refusals.MainBetMissing(bet)
    if not 1 <= box <= len(table.seats):
        return refusals.NoSuchBox(box, len(table.seats))
    return check_at_box(table, player, box, bet, totals)


def check_at_box(table: Table, player: PlayerId, box: int, bet: str, totals: Totals) -> Refusal | None:
    """The same of a bet that is offered at the boxes, on one that is there."""
    seat = table.seats[box - 1]
    owner = seat.player if seat else None
    if bet == "behind":
        if owner is None:
            return refusals.BoxEmpty(box)
        if owner == player:
            return refusals.OwnBox(box)
        return refusals.BehindForbidden(box) if owner in table.forbids else None
    if owner != player:
        return refusals.NotSeated(box)
    return refusals.MainBetMissing(bet) if bet != "main" and (box, "main") not in totals else None


def _place(table: Table, slip: Slip, command: commands.PlaceBet) -> list[Event] | Refusal:
    player, amount = command.player, command.amount
    if amount <= 0:
        return refusals.AmountNotPositive(amount)
    if amount % table.sheet.stakes.unit:
        return refusals.NotAMultiple(table.sheet.stakes.unit, amount)
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
            refusal = refusals.LimitReached(bet, most, staked + amount)
            if command.exact:
                return refusal
            continue
        wagers.append(Wager(box, bet, room))
        totals[spot] = staked + room
    return _place_wagers(table, player, slip, tuple(wagers)) if wagers else refusal or refusals.NoBets()


def _place_wagers(table: Table, player: PlayerId, slip: Slip, wagers: tuple[Wager, ...]) -> list[Event] | Refusal:
    """Funds and the cap of the round; where a raise will be due the purse must cover it too (D-03, reading 23)."""
    needed, stakes = sum([wager.amount for wager in wagers]), table.sheet.stakes
    if stakes.round_cap and slip.total + needed > stakes.round_cap:
        return refusals.RoundCapReached(stakes.round_cap, slip.total + needed)
    reserve = _reserve(table, (*slip.steps, wagers)) if stakes.reserve > 1 else 0
    if needed + reserve > table.purse(player):
        return refusals.FundsMissing(needed + reserve, table.purse(player), reserve)
    return [events.BetPlaced(player, wagers)]


def _reserve(table: Table, steps: tuple[tuple[Wager, ...], ...]) -> Cents:
    """What a sheet wants kept for later: so many times the antes, less those that lie there."""
    antes = sum([amount for step in steps for _, bet, amount in step if bet == "main"])
    return antes * (table.sheet.stakes.reserve - 1)


def _undo(player: PlayerId, slip: Slip) -> list[Event] | Refusal:
    """The last act of betting, and with it what cannot lie there alone (V-51)."""
    if not slip.steps:
        return refusals.NoBets()
    left = Slip(slip.steps[:-1]).totals()
    return [events.BetRemoved(player, (*slip.steps[-1], *_orphans(left)), "undo")]


def _clear(player: PlayerId, slip: Slip) -> list[Event] | Refusal:
    return [events.BetRemoved(player, list_wagers(slip.totals()), "clear")] if slip.steps else refusals.NoBets()


def _remove(table: Table, player: PlayerId, slip: Slip, spot: commands.Spot, amount: Cents) -> list[Event] | Refusal:
    """Taking a main bet off takes the side bets of that box with it (S-14)."""
    totals, unit = slip.totals(), table.sheet.stakes.unit
    if spot not in totals:
        return refusals.NoBets()
    if amount < 0:
        return refusals.AmountNotPositive(amount)
    if amount % unit:
        return refusals.NotAMultiple(unit, amount)
    taken = min(amount or totals[spot], totals[spot])
    left = {place: staked for place, staked in totals.items() if place != spot or staked > taken}
    return [events.BetRemoved(player, (Wager(*spot, taken), *_orphans(left)), "removed")]


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
        return refusals.AlreadyBetting()
    if times < 1 or (times > 1 and not table.sheet.options.double_bets):
        return refusals.ActionNotAllowed("repeat", "not-so-often")
    again = sorted(table.previous.get(player, ()), key=lambda wager: wager.bet != "main")
    wagers = tuple(Wager(box, bet, amount * times) for box, bet, amount in again)
    if not wagers:
        return refusals.NothingToRepeat()
    totals: Totals = {}
    for box, bet, amount in wagers:
        if refusal := check_spot(table, player, commands.Spot(box, bet), totals):
            return refusal
        if amount > (most := table.limit(bet, player)[1]):
            return refusals.LimitReached(bet, most, amount)
        totals[box, bet] = amount
    return _place_wagers(table, player, slip, wagers)


def _double(table: Table, player: PlayerId, slip: Slip) -> list[Event] | Refusal:
    """Doubles every bet, each up to its maximum (V-50)."""
    if not table.sheet.options.double_bets:
        return refusals.ActionNotAllowed("double", "not-before-deal")
    if not slip.steps:
        return refusals.NoBets()
    wagers = []
    for (box, bet), staked in slip.totals().items():
        room = min(staked, table.limit(bet, player)[1] - staked)
        if room > 0:
            wagers.append(Wager(box, bet, room))
    if not wagers:
        bet, staked = next((bet, staked) for (_, bet), staked in slip.totals().items())
        return refusals.LimitReached(bet, table.limit(bet, player)[1], staked * 2)
    return _place_wagers(table, player, slip, tuple(wagers))


def _finalise(table: Table, player: PlayerId, slip: Slip) -> list[Event] | Refusal:
    """V-36: only a seated player whose bets reach the minimum may press; at a table for one this is DEAL."""
    if not (table.sheet.options.deal_now or table.sheet.game.solo):
        return refusals.ActionNotAllowed("deal", "not-here")
    totals = slip.totals()
    if not any(bet == "main" for _, bet in totals):
        return refusals.NoBets()
    for (_, bet), staked in totals.items():
        if staked < (least := table.limit(bet, player)[0]):
            return refusals.BelowMinimum(bet, least, staked)
    if table.sheet.stakes.reserve > 1 and (reserve := _reserve(table, slip.steps)) > table.purse(player):
        return refusals.FundsMissing(reserve, table.purse(player), reserve)
    return [events.BetsFinalised(player)]


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


def may_start(table: Table) -> bool:
    """All who count have pressed deal now: every seated player whose bet reaches the minimum (V-38, reading 8)."""
    slips = table.slips.values()
    if not [slip for slip in slips if slip.final]:
        return False
    able = [slip for slip in slips if _reaches(slip, table.limits["main"][0])]
    return bool(able) and all(slip.final for slip in able)


def _reaches(slip: Slip, least: Cents) -> bool:
    return any(bet == "main" and staked >= least for (_, bet), staked in slip.totals().items())


def deadline_floor(table: Table) -> int:
    """Deal now never cuts the time of bettors behind below this (reading 8)."""
    return table.opened + table.sheet.clocks.deal_now_floor * 1000


def is_hurried(table: Table) -> bool:
    """Whether deal now has cut the time to its floor: that lasts until somebody bets who has not pressed (V-38)."""
    clocks = table.sheet.clocks
    return table.phase is BETTING and table.deadline == deadline_floor(table) and clocks.deal_now_floor < clocks.betting


def close(table: Table, at: int) -> list[Event]:
    """End betting; with no playable bet the table waits for the first one instead, and it counts as a round (V-42)."""
    batch: list[Event] = []
    kept: list[tuple[PlayerId, Totals]] = []
    for player, slip in table.slips.items():
        staked = slip.totals()
        good = _playable(table, staked)
        if len(good) < len(staked):
            back = [Wager(*spot, amount) for spot, amount in staked.items() if spot not in good]
            batch.append(events.BetRemoved(player, tuple(back), "below-minimum"))
        kept.append((player, good))
    mains = {box for _, good in kept for box, bet in good if bet == "main"}
    betting = set()
    for player, good in kept:
        alone = [Wager(*spot, staked) for spot, staked in good.items() if spot[1] == "behind" and spot[0] not in mains]
        if alone:
            batch.append(events.BetRemoved(player, tuple(alone), "owner-sits-out"))
        if len(alone) < len(good):
            betting.add(player)
    if not mains:
        idle = list(seats.warn_or_free_idle_seats(table, frozenset()))
        for event in idle:
            if isinstance(event, events.SeatFreed):
                table = table._replace(seats=seats.with_seat(table, event.box, None))
        return [*batch, *idle, events.BettingOpened(idle_deadline(table, at), at, missed=True)]
    return [
        *batch,
        *seats.warn_or_free_idle_seats(table, frozenset(betting)),
        events.BettingEnded(game_code(table.id, at, table.rounds + 1), at),
    ]


def idle_deadline(table: Table, at: int) -> int | None:
    """When betting ends that nobody has begun: after the time that a round would take; an empty table has no clock."""
    return at + pace.find_idle_seconds(table) * 1000 if seats.may_lose_seats(table) else None


def _playable(table: Table, totals: Totals) -> Totals:
    """The bets that reach their minimum, side bets only beside a main bet that does."""
    limits = table.limits
    good = {spot: staked for spot, staked in totals.items() if staked >= limits[spot[1]][0]}
    mains = {box for box, bet in good if bet == "main"}
    if len(mains) == len(good):
        return good
    return {
        (box, bet): staked
        for (box, bet), staked in good.items()
        if bet in ("main", "behind") or box in mains or (box == 0 and mains)
    }


def make_round(table: Table, event: events.BettingEnded, slips: Mapping[PlayerId, Totals]) -> Round:
    """The round that the slips make: boxes in ascending number, bets behind in the order of the slips."""
    boxes = []
    for number, seat in enumerate(table.seats, start=1):
        if seat and seat.player in slips and (number, "main") in slips[seat.player]:
            boxes.append(_box(table, slips, number, seat.player))
    bets = [
        (player, bet, stake) for player, totals in slips.items() for (box, bet), stake in totals.items() if box == 0
    ]
    return Round(event.code, event.at, Stage.DEAL, tuple(boxes), tuple(bets))


def _box(table: Table, slips: Mapping[PlayerId, Totals], number: int, owner: PlayerId) -> Box:
    own, spot = slips[owner], (number, "behind")
    sides = [(bet, own[number, bet]) for bet in table.sheet.sides if (number, bet) in own] if len(own) > 1 else ()
    behind = [_behind(table, player, number, totals[spot]) for player, totals in slips.items() if spot in totals]
    return Box(number, owner, own[number, "main"], tuple(sides), (), tuple(behind))


def _behind(table: Table, player: PlayerId, number: int, stake: Cents) -> Behind:
    double, split = table.follows.get((player, number), (False, False))
    return Behind(player, ((stake, 0),), double, split)


def is_betting(table: Table) -> bool:
    if table.phase is BETTING:
        for slip in table.slips.values():
            if slip.steps:
                return True
    return False


def game_code(table: str, at: int, number: int) -> str:
    """
    >>> game_code("T7", 1_794_773_105_000, 12)
    'T7-20261115-200505-12'
    """
    days, rest = divmod(at, _DAY)
    minutes, seconds = divmod(rest // 1000, 60)
    clock = minutes // 60 * 10_000 + minutes % 60 * 100 + seconds
    return f"{table}-{_date(days)}-{clock:06d}-{number}"


@lru_cache(maxsize=8)
def _date(days: int) -> str:
    """The Gregorian date of a day counted from 1970, in years that begin in March."""
    era, day = divmod(days + 719_468, 146_097)
    year = (day - day // 1_460 + day // 36_524 - day // 146_096) // 365
    day -= 365 * year + year // 4 - year // 100
    shifted = (5 * day + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return f"{year + era * 400 + (month <= 2):04d}{month:02d}{day - (153 * shifted + 2) // 5 + 1:02d}"
