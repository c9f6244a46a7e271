"""Time and order at a table: what the clock allows, what a pause allows, what the dealer may do by himself."""

from __future__ import annotations

from tests.support.simulation.disk import Broken
from ventuno.core.messages.commands import (
    Act,
    ActAll,
    ActEarly,
    ClearBets,
    Command,
    DealNow,
    DoubleBets,
    PlaceBet,
    RemoveBet,
    RepeatBets,
    SpinBoard,
    SpinWheel,
    TakeSeat,
    Tick,
    UndoBet,
)
from ventuno.core.messages.desk_events import CardScanned
from ventuno.core.messages.events import (
    BetPlaced,
    BettingEnded,
    DealerChose,
    DecisionAsked,
    Event,
    HiddenTurned,
    RoundSettled,
    TableClosed,
    TableResumed,
)
from ventuno.core.table.round import DONE, INSURANCE, Round
from ventuno.core.table.state import BETTING, ROUND, PauseNote, Table

SHOWN = 250
"""Milliseconds in which one card is dealt or turned on the screens."""
CLOSES = frozenset((BettingEnded, BetPlaced))
BETS = (PlaceBet, RemoveBet, UndoBet, ClearBets, RepeatBets, DoubleBets, DealNow)
DECISIONS = (Act, ActAll)
STOPPED = (*BETS, *DECISIONS, ActEarly, SpinWheel, SpinBoard, TakeSeat, Tick)
MAY_WAIT = frozenset(("ShoeExhausted", "DrawNeeded", "TablePaused"))
"""Why a clock that has run out may leave a table as it is: the supervisor or the player has to speak."""


def accepted(before: Table, after: Table, command: Command, events: tuple[Event, ...]) -> None:
    """A command was carried out: was it the moment for it? (R-10, H-3, V-76)"""
    late = before.deadline is not None and command.at >= before.deadline
    if before.pause and isinstance(command, STOPPED):
        raise Broken(f"V-76: {command} at a paused table")
    if isinstance(command, BETS):
        slip = before.slips.get(command.player)
        if before.phase is not BETTING or late or (slip and slip.final):
            raise Broken(f"R-10: {command} when bets were closed at {before.deadline}")
    elif isinstance(command, DECISIONS):
        if before.phase is not ROUND or late:
            raise Broken(f"R-10: {command} after {before.deadline}")
        box = before.round.box(command.box) if before.round and isinstance(command, Act) else None
        if box and box.player != command.player and command.player not in [one.player for one in box.behind]:
            raise Broken(f"V-28: {command} for the box of {box.player}")
    elif isinstance(command, Tick):
        if not late:
            raise Broken(f"R-18: the clock struck at {command.at}, {before.deadline} was due")
    elif isinstance(events[0], TableResumed) and before.pause and before.pause.remaining is not None:
        least, until = max(before.pause.remaining, before.sheet.clocks.after_pause * 1000), events[0].deadline
        if until is None or until < command.at + least:
            raise Broken(f"R-06: {until} leaves less than the {least} ms there were")
        _floor(before, before.pause, after, command.at)
    _dealt(before, after, events)
    _asked(before, after, command, events)
    if isinstance(events[-1], TableClosed):
        _closed(after)


def _closed(after: Table) -> None:
    """X-10: a table closes with nobody at it, no money, no bets, no shoe, and no round that was not ended."""
    held = sum(after.purses.values()) + sum([slip.total for slip in after.slips.values()])
    seated = not after.sheet.game.solo and any(after.seats)
    ended = after.round is None or after.round.stage is DONE
    if held or seated or after.shoe or after.spare or not ended:
        raise Broken(f"X-10: {after.id} closed with {held} cents, seats {after.seats}, shoe {after.shoe}")


def _floor(before: Table, pause: PauseNote, after: Table, at: int) -> None:
    """V-38, V-77: bets were open for the floor of deal now at least, the pause not counted."""
    if before.phase is not BETTING or pause.at is None:
        return
    ends = after.deadline if after.phase is BETTING else at
    ran, floor = pause.at - before.opened, before.sheet.clocks.deal_now_floor * 1000
    if ends is not None and ran + ends - at < floor:
        raise Broken(f"V-77: bets were open for {ran} ms and end at {ends}, {floor} ms are due")


def _dealt(before: Table, after: Table, events: tuple[Event, ...]) -> None:
    """H-3: no bet between the close of betting and the end of its round."""
    if CLOSES.isdisjoint(map(type, events)):
        return
    closed = before.phase is ROUND
    for event in events:
        if isinstance(event, BettingEnded):
            closed = True
            _within(before, after)
        elif isinstance(event, RoundSettled):
            closed = False
        elif closed and isinstance(event, BetPlaced):
            raise Broken(f"H-3: {event} after the close")


def _within(before: Table, after: Table) -> None:
    """V-24, V-47: every bet of a round lies between the least and the most of its kind."""
    rules = before.sheet.stakes
    for box in after.round.boxes if after.round else ():
        bets = (("main", box.main), *box.sides)
        for player, bet, stake in (
            *[(box.player, bet, stake) for bet, stake in bets],
            *[(one.player, "behind", one.stakes[0][0]) for one in box.behind],
        ):
            least, most = before.limits[bet]
            if bet in rules.shares:
                most = min(most, before.limits["main"][1] // rules.shares[bet])
            if not least <= stake <= most * rules.vip[min(before.vip.get(player, 0), len(rules.vip) - 1)]:
                raise Broken(f"V-24: {stake} on {bet}, limits are {least} and {most}")


def _asked(before: Table, after: Table, command: Command, events: tuple[Event, ...]) -> None:
    """The time for a decision is the sheet's, from when all cards before it can have been shown (V-56, V-57, V-60)."""
    last = events[-1]
    if not isinstance(last, DecisionAsked) or after.round is None:
        return
    clocks, play = after.sheet.clocks, after.round
    if last.box == 0 or play.stage is INSURANCE:
        seconds = clocks.insurance
    else:
        box = play.box(last.box)
        often = box is not None and last.hand > 0 and box.hands[last.hand - 1].timeouts >= 2
        seconds = clocks.decision_again if often and clocks.decision_again else clocks.decision
    timed = seconds and not (play.abandoned and last.box)
    seconds = 0 if play.abandoned and last.box else seconds or clocks.abandoned
    same = before.round is not None and before.round.code == play.code
    new = _on_felt(play) - (_on_felt(before.round) if same and before.round else 0)
    turned = sum(isinstance(event, (HiddenTurned, DealerChose)) for event in events)
    shown = max(command.at + SHOWN * (new + turned), play.started + SHOWN * _on_felt(play)) if timed else command.at
    if after.studio and timed:  # every card but the last lay there when it was scanned
        shown = command.at + SHOWN * sum(isinstance(event, CardScanned) for event in events)
    if last.deadline != shown + seconds * 1000:
        raise Broken(f"V-56: {seconds} s are due from {shown}, {last.deadline} was said")


def _on_felt(play: Round) -> int:
    """Every card that lies there, open or not."""
    boxes = sum(sum(len(hand.cards) for hand in box.hands) + (box.hidden is not None) for box in play.boxes)
    return boxes + len(play.dealer) + len(play.hidden) + len(play.community)


def refused(before: Table, command: Command, code: str) -> None:
    """A clock that has run out is never refused: a table that waits for it would stand still."""
    if not isinstance(command, Tick) or before.deadline is None or command.at < before.deadline:
        return
    if code not in MAY_WAIT:
        raise Broken(f"R-02: {before.id} was due at {before.deadline}, the clock was refused at {command.at}: {code}")
