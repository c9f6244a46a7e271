"""From bets to cards: betting ends, what cannot be played goes back, the boxes of the round are made (V-27, V-45)."""

from __future__ import annotations

from ventuno.core import seats
from ventuno.core.code import game_code
from ventuno.core.events import BetRemoved, BettingEnded, BettingOpened, Event, Wager
from ventuno.core.money import Cents, PlayerId
from ventuno.core.round import Behind, Box, Round, Stage
from ventuno.core.state import Phase, Table

Totals = dict[tuple[int, str], Cents]


def may_start(table: Table) -> bool:
    """All who count have pressed deal now: every seated player whose bet reaches the minimum (V-38, reading 8)."""
    able = {
        player
        for player, slip in table.slips.items()
        if any(bet == "main" and held >= table.limit("main", player)[0] for (_, bet), held in slip.totals().items())
    }
    return bool(able) and all(table.slips[player].final for player in able)


def deadline_floor(table: Table) -> int:
    """Deal now never cuts the time of bettors behind below this (reading 8)."""
    return table.opened + table.sheet.clocks.deal_now_floor * 1000


def close(table: Table, at: int) -> list[Event]:
    """End betting; with no playable bet the table waits for the first one instead."""
    kept = {player: _playable(table, player, slip.totals()) for player, slip in table.slips.items()}
    events: list[Event] = []
    for player, slip in table.slips.items():
        held, good = slip.totals(), kept[player]
        if back := tuple([Wager(*spot, amount) for spot, amount in held.items() if spot not in good]):
            events.append(BetRemoved(player, back, "below-minimum"))
    mains = {box for totals in kept.values() for box, bet in totals if bet == "main"}
    for player, totals in kept.items():
        alone = [spot for spot in totals if spot[1] == "behind" and spot[0] not in mains]
        if alone:
            events.append(BetRemoved(player, tuple([Wager(*spot, totals[spot]) for spot in alone]), "owner-sits-out"))
    if not mains:
        return [*events, BettingOpened(None, at)]
    return [*events, *seats.after_betting(table), BettingEnded(game_code(table.id, at, table.rounds + 1), at)]


def _playable(table: Table, player: PlayerId, totals: Totals) -> Totals:
    """The bets that reach their minimum, side bets only beside a main bet that does."""
    good = {spot: held for spot, held in totals.items() if held >= table.limit(spot[1], player)[0]}
    mains = {box for box, bet in good if bet == "main"}
    return {
        (box, bet): held
        for (box, bet), held in good.items()
        if bet in ("main", "behind") or box in mains or (box == 0 and mains)
    }


def round_of(table: Table, event: BettingEnded) -> Round:
    """The round that the slips make: boxes in ascending number, bets behind in the order of the slips."""
    slips = {player: slip.totals() for player, slip in table.slips.items()}
    boxes = []
    for number, seat in enumerate(table.seats, start=1):
        if seat and (main := slips.get(seat.player, {}).get((number, "main"))):
            sides = tuple(
                [
                    (bet, slips[seat.player][number, bet])
                    for bet in table.sheet.sides
                    if (number, bet) in slips[seat.player]
                ]
            )
            behind = tuple(
                [
                    _behind(table, player, number, totals)
                    for player, totals in slips.items()
                    if (number, "behind") in totals
                ]
            )
            boxes.append(Box(number, seat.player, main, sides, behind=behind))
    bets = tuple(
        [(player, bet, held) for player, totals in slips.items() for (box, bet), held in totals.items() if box == 0]
    )
    return Round(event.code, event.at, Stage.DEAL, tuple(boxes), bets)


def _behind(table: Table, player: PlayerId, number: int, totals: Totals) -> Behind:
    double, split = table.follows.get((player, number), (False, False))
    return Behind(player, ((totals[number, "behind"], 0),), double, split)


def is_betting(table: Table) -> bool:
    return table.phase is Phase.BETTING and any(slip.steps for slip in table.slips.values())
