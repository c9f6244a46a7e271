"""What a table does by itself: asks the next decision, plays for who has left, settles, opens betting again."""

from __future__ import annotations

from collections.abc import Sequence

from ventuno.core.games import insurance
from ventuno.core.games.engines import engine
from ventuno.core.messages.events import BettingOpened, DecisionAsked, Event, RoundAbandoned, RoundSettled, ShoeRetired
from ventuno.core.messages.refusals import Refusal, TooEarly, WrongPhase
from ventuno.core.table import betting, legal, pace, scanning, seats, supervision
from ventuno.core.table.decisions import drop_refusal, replace_decision, time_out
from ventuno.core.table.round import INSURANCE, Action, Box, Origin, Round
from ventuno.core.table.shoes import OutOfCards
from ventuno.core.table.state import BETTING, CLOSED, RESULTS, ROUND, Table


def next_events(table: Table, at: int, log: Sequence[Event] = ()) -> list[Event]:
    """The events that follow without a command; none when somebody has to speak. `log` is what led here."""
    if table.closing is not None and supervision.may_close(table):
        return supervision.close_table(table)
    if table.pause or table.phase is CLOSED:
        return []
    phase, play = table.phase, table.round
    if phase is ROUND:
        if play is None or (table.deadline is not None and play.stage is not INSURANCE):
            return []
        return _in_round(table, play, at, log)
    if phase is BETTING:
        return _in_betting(table, at)
    if phase is RESULTS:
        return [] if table.deadline is not None else _after_results(table, at)
    if table.shoe is None or (table.studio is not None and scanning.find_burn(table)):
        return []
    return [BettingOpened(betting.idle_deadline(table, at), at)]


def tick(table: Table, at: int) -> list[Event] | Refusal:
    """The deadline has come: betting closes, decisions time out, results make way for the next round."""
    if table.deadline is None:
        return WrongPhase("no-clock")
    if at < table.deadline:
        return TooEarly(table.deadline, at)
    if table.phase is BETTING:
        return betting.close(table, at)
    if table.phase is RESULTS or table.round is None:
        return _after_results(table, at)
    if not table.sheet.clocks.decision and not table.round.abandoned:
        return [RoundAbandoned()]
    if table.round.stage is INSURANCE:
        answers: list[Event] = []
        for player, box in insurance.waiting(table.round):
            answers += drop_refusal(insurance.answer(table, player, box, Action.DECLINE, Origin.TIMEOUT))
        return answers
    now = legal.turn(table.round)
    return time_out(table, table.round, "", now[0].number) if now else WrongPhase(table.phase)


def _in_round(table: Table, play: Round, at: int, log: Sequence[Event]) -> list[Event]:
    """Nobody is being asked: the dealer's next step, or the next question, or the end."""
    rules = engine(table.sheet)
    try:
        event = rules.step(table, play)
    except OutOfCards:
        if table.studio is None:
            raise
        return []
    if event is not None:
        return [event]
    if play.stage is INSURANCE:
        return _ask_insurance(table, play, at, log)
    now = legal.turn(play)
    if now is None:
        settled = RoundSettled(rules.settle(table, play), _clock(table.sheet.clocks.results, table, at, log), at)
        return [settled, *seats.free_left_seats(table)]
    box, index = now
    return _without_asking(table, box, index) or [_ask(table, box, index, at, log)]


def _without_asking(table: Table, box: Box, index: int) -> list[Event]:
    """An early decision is executed at once (V-54); a box whose player has left plays by the time-out rules (V-41)."""
    if index < 0:
        return []
    if box.early is not None:
        verdict = legal.price(table, box, index, box.early)
        if isinstance(verdict, tuple):
            return replace_decision(table, box, index, box.early, verdict) or []
        return drop_refusal(engine(table.sheet).act(table, box, index, box.early, Origin.EARLY))
    if table.round and (table.round.abandoned or _has_left(table, box)):
        return drop_refusal(time_out(table, table.round, "", box.number))
    return []


def _ask_insurance(table: Table, play: Round, at: int, log: Sequence[Event]) -> list[Event]:
    for player, box in insurance.waiting(play):
        if play.abandoned or (player == box.player and _has_left(table, box)):
            return drop_refusal(time_out(table, play, player, box.number))
    if table.deadline is not None:
        return []
    return [DecisionAsked(0, 0, _clock(table.sheet.clocks.insurance, table, at, log, abandoned=True))]


def _ask(table: Table, box: Box, index: int, at: int, log: Sequence[Event]) -> DecisionAsked:
    if table.round and table.round.abandoned:
        return DecisionAsked(box.number, index + 1, at)
    seconds = pace.find_seconds(table, box, index)
    return DecisionAsked(box.number, index + 1, _clock(seconds, table, at, log, abandoned=True))


def _in_betting(table: Table, at: int) -> list[Event]:
    if not betting.is_betting(table):
        due = betting.idle_deadline(table, at) if table.deadline is None else None
        return [BettingOpened(due, at)] if due is not None else []
    ready = betting.may_start(table)
    if table.sheet.game.solo:
        return betting.close(table, at) if ready else []
    if ready:
        floor = betting.deadline_floor(table)
        if at >= floor:
            return betting.close(table, at)
        return [BettingOpened(floor, table.opened)] if table.deadline is None or floor < table.deadline else []
    if table.deadline is None or pace.is_waiting(table):
        return [BettingOpened(_clock(table.sheet.clocks.betting, table, at), at)]
    if not betting.is_hurried(table):
        return []
    return [BettingOpened(table.opened + table.sheet.clocks.betting * 1000, table.opened)]


def _after_results(table: Table, at: int) -> list[Event]:
    if table.closing is not None:
        return supervision.close_table(table)
    if table.shoe and table.shoe.is_out:
        return [ShoeRetired(table.shoe.number)]
    return [BettingOpened(betting.idle_deadline(table, at), at)]


def _has_left(table: Table, box: Box) -> bool:
    seat = table.seats[box.number - 1]
    return seat is None or seat.leaving or seat.player != box.player


def _clock(seconds: int, table: Table, at: int, log: Sequence[Event] = (), *, abandoned: bool = False) -> int | None:
    """A deadline, so much later as the cards of this log take to be shown; where nobody is hurried the long one of an
    abandoned round, or none (reading 17).
    """
    if seconds:
        return pace.find_start(table, at, log) + seconds * 1000
    return at + table.sheet.clocks.abandoned * 1000 if abandoned else None
