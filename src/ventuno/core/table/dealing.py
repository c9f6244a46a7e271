"""From bets to cards: betting ends, what cannot be played goes back, the boxes of the round are made (V-27, V-45)."""

from __future__ import annotations

from collections.abc import Mapping

from ventuno.core.messages.events import BetRemoved, BettingEnded, BettingOpened, Event, SeatFreed, Wager
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.scenario.game_code import game_code
from ventuno.core.table import seats
from ventuno.core.table.round import Behind, Box, Round, Stage
from ventuno.core.table.state import BETTING, Slip, Table

Totals = dict[tuple[int, str], Cents]


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


def close(table: Table, at: int) -> list[Event]:
    """End betting; with no playable bet the table waits for the first one instead, and it counts as a round (V-42)."""
    events: list[Event] = []
    kept: list[tuple[PlayerId, Totals]] = []
    for player, slip in table.slips.items():
        staked = slip.totals()
        good = _playable(table, staked)
        if len(good) < len(staked):
            back = [Wager(*spot, amount) for spot, amount in staked.items() if spot not in good]
            events.append(BetRemoved(player, tuple(back), "below-minimum"))
        kept.append((player, good))
    mains = {box for _, good in kept for box, bet in good if bet == "main"}
    betting = set()
    for player, good in kept:
        alone = [Wager(*spot, staked) for spot, staked in good.items() if spot[1] == "behind" and spot[0] not in mains]
        if alone:
            events.append(BetRemoved(player, tuple(alone), "owner-sits-out"))
        if len(alone) < len(good):
            betting.add(player)
    if not mains:
        idle = list(seats.after_betting(table, frozenset()))
        for event in idle:
            if isinstance(event, SeatFreed):
                table = table._replace(seats=seats.with_seat(table, event.box, None))
        return [*events, *idle, BettingOpened(idle_deadline(table, at), at, missed=True)]
    return [
        *events,
        *seats.after_betting(table, frozenset(betting)),
        BettingEnded(game_code(table.id, at, table.rounds + 1), at),
    ]


def idle_deadline(table: Table, at: int) -> int | None:
    """When betting ends that nobody has begun: after the time that a round would take; an empty table has no clock."""
    return at + _idle_seconds(table) * 1000 if seats.may_lose_seats(table) else None


def is_waiting(table: Table) -> bool:
    """Whether the clock is that of a table where nobody bets: the first bet then has the whole time before it."""
    return table.deadline is not None and table.deadline == table.opened + _idle_seconds(table) * 1000


def _idle_seconds(table: Table) -> int:
    """Betting, insurance, one decision, results: nobody is hurried more than beside somebody who plays."""
    clocks = table.sheet.clocks
    return clocks.betting + clocks.insurance + clocks.decision + clocks.results


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


def make_round(table: Table, event: BettingEnded, slips: Mapping[PlayerId, Totals]) -> Round:
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
