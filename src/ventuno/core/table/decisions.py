"""Decisions at the table: whose, when, at what price; time-outs and substitutes (V-54…V-60, R-09)."""

from __future__ import annotations

from typing import assert_never

from ventuno.core.games import insurance, link
from ventuno.core.games.engines import engine
from ventuno.core.messages.commands import Act, ActAll, ActEarly, SpinBoard, SpinWheel, TimeOut
from ventuno.core.messages.events import BoardSpun, DecisionReplaced, EarlyChosen, Event, WheelSpun
from ventuno.core.messages.refusals import (
    ActionNotAllowed,
    BonusImpossible,
    CardAwaited,
    DrawNeeded,
    FundsMissing,
    NotYourTurn,
    Refusal,
    WrongPhase,
)
from ventuno.core.rules.money import PlayerId
from ventuno.core.table import legal
from ventuno.core.table.round import INSURANCE, PLAYER, Action, BonusGame, Box, Origin, Round, Stage
from ventuno.core.table.state import ROUND, Table

DecisionCommand = Act | ActAll | ActEarly | SpinWheel | SpinBoard | TimeOut


def decide(table: Table, command: DecisionCommand) -> list[Event] | Refusal:
    play = table.round
    if play is None or table.phase is not ROUND:
        return WrongPhase(table.phase)
    match command:
        case Act():
            return _act(table, play, command)
        case ActAll(player, action, at, lag):
            return _act_all(table, play, player, action, at - lag)
        case ActEarly(player, box, action):
            verdict = legal.may_act_early(table, player, box, action or Action.STAND)
            return verdict[0] if isinstance(verdict, tuple) else [EarlyChosen(player, box, action)]
        case SpinWheel(player, box, segment, _, boxes, start):
            bonus = _bonus(play, player, box)
            if isinstance(bonus, Refusal):
                return bonus
            if bonus.segment:
                return BonusImpossible("wheel-spun")
            refusal = link.check_wheel(table.sheet.bonus, segment, boxes, start)
            return refusal or [WheelSpun(player, box, segment, boxes, start)]
        case SpinBoard(player, box, locks, _, diamonds):
            bonus = _bonus(play, player, box)
            if isinstance(bonus, Refusal):
                return bonus
            refusal = link.check_spin(table.sheet.bonus, bonus, locks, diamonds)
            return refusal or [BoardSpun(player, box, locks, diamonds)]
        case TimeOut(box, _, player):
            return time_out(table, play, player, box)
        case _:
            assert_never(command)


def _act(table: Table, play: Round, command: Act) -> list[Event] | Refusal:
    player, action = command.player, command.action
    verdict = legal.may_act(table, player, command.box, action, command.at - command.lag)
    box = play.box(command.box)
    if box is None:
        return NotYourTurn(command.box)
    if play.stage is INSURANCE:
        if isinstance(verdict, tuple):
            return verdict[0]
        return insurance.answer(table, player, box, action, Origin.PLAYER)
    now = legal.turn(play)
    index = now[1] if now else 0
    if isinstance(verdict, tuple):
        return replace_decision(table, box, index, action, verdict) or verdict[0]
    return engine(table.sheet).act(table, box, index, action, PLAYER)


def replace_decision(
    table: Table, box: Box, index: int, action: Action, refusals: tuple[Refusal, ...]
) -> list[Event] | None:
    """The automatic action in place of a double or split that only lacks funds, where the sheet has it so (V-59)."""
    missing = refusals[0]
    if len(refusals) > 1 or not isinstance(missing, FundsMissing) or table.sheet.stakes.missing_funds != "substitute":
        return None
    done = engine(table.sheet).substitute(table, box, index, action)
    follows = engine(table.sheet).act(table, box, index, done, Origin.SUBSTITUTION)
    if isinstance(follows, Refusal):
        return None
    short = missing.needed - missing.available
    return [DecisionReplaced(box.player, box.number, action, done, short), *follows]


def _act_all(table: Table, play: Round, player: PlayerId, action: Action, at: int) -> list[Event] | Refusal:
    """The same answer for every box that still waits for this player; a Blackjack takes even money for yes (L-07)."""
    if play.stage is not Stage.INSURANCE:
        return ActionNotAllowed(action, "only-insurance")
    events: list[Event] = []
    cost = 0
    for who, box in insurance.waiting(play):
        if who != player:
            continue
        word = action
        if action is Action.INSURE and table.sheet.insurance.even_money and box.is_natural:
            word = Action.EVEN_MONEY
        verdict = legal.may_act(table, player, box.number, word, at)
        if isinstance(verdict, tuple):
            return verdict[0]
        cost += verdict
        events += drop_refusal(insurance.answer(table, player, box, word, Origin.PLAYER))
    total = insurance.price_stake(table, player, cost)
    if isinstance(total, tuple):
        return total[0]
    return events or NotYourTurn(0)


def time_out(table: Table, play: Round, player: PlayerId, number: int) -> list[Event] | Refusal:
    """The clock decides in the player's place: insurance declines, a hand follows the time-out rule (V-57, V-60)."""
    box = play.box(number)
    if box is None:
        return NotYourTurn(number)
    if play.stage is Stage.INSURANCE:
        return insurance.answer(table, player or box.player, box, Action.DECLINE, Origin.TIMEOUT)
    now = legal.turn(play)
    if now is None or now[0].number != number or player not in ("", box.player):
        return NotYourTurn(number)
    if now[1] < 0:
        return DrawNeeded(number)
    if play.pending is not None:
        return CardAwaited(number)
    action = engine(table.sheet).timeout(table, box, now[1])
    return engine(table.sheet).act(table, box, now[1], action, Origin.TIMEOUT)


def _bonus(play: Round, player: PlayerId, number: int) -> BonusGame | Refusal:
    now = legal.turn(play)
    if play.stage is Stage.INSURANCE or now is None or now[0].number != number or now[0].player != player:
        return NotYourTurn(number)
    return now[0].bonus if now[1] < 0 and now[0].bonus else NotYourTurn(number)


def drop_refusal(outcome: list[Event] | Refusal) -> list[Event]:
    """The events of what nobody asked for: there is nobody to be refused."""
    return [] if isinstance(outcome, Refusal) else outcome
