"""One answer to every "may I?": each action with its price, or with all its refusals (X-19)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ventuno.core import betting, insurance, ledger
from ventuno.core.cards import VALUES, is_ace, rank
from ventuno.core.commands import ClearBets, DealNow, DoubleBets, RepeatBets, Spot, UndoBet
from ventuno.core.events import Event
from ventuno.core.money import Cents, PlayerId
from ventuno.core.refusals import (
    ActionNotAllowed,
    DrawNeeded,
    LimitReached,
    NotYourTurn,
    Refusal,
    TablePaused,
    TooLate,
    WrongPhase,
)
from ventuno.core.round import CHOOSING, HIT, INSURANCE, PLAY, PLAYING, STAND, Action, Box, Hand, Round, Stage, Status
from ventuno.core.sheet import DUEL, Sheet
from ventuno.core.state import NO_SLIP, ROUND, Phase, Table

Verdict = Cents | tuple[Refusal, ...]

PLAYED = (Action.HIT, Action.STAND, Action.DOUBLE, Action.SPLIT, Action.SURRENDER, Action.CASH_OUT)
CHOICES = (Action.FOLD, Action.LEFT, Action.RIGHT)
ANSWERS = (Action.INSURE, Action.EVEN_MONEY, Action.DECLINE)
_DOUBLE_FROM = {"any-two": 0, "9-11": 9, "10-11": 10}


@dataclass(frozen=True, slots=True)
class Options:
    """All that a player may do now, and why the rest is closed."""

    decisions: Mapping[tuple[int, Action], Verdict]
    early: Mapping[tuple[int, Action], Verdict]
    betting: Mapping[str, Verdict]
    spots: Mapping[Spot, Verdict]


def turn(play: Round) -> tuple[Box, int] | None:
    """The box and hand being played; hand -1 is its bonus (V-10, L-21)."""
    playing = play.stage is PLAY
    for box in play.boxes:
        bonus = box.bonus
        if bonus is not None and bonus.prize is None:
            return box, -1
        if playing:
            for index, one in enumerate(box.hands):
                status = one.status
                if status is PLAYING or status is CHOOSING:
                    return box, index
    return None


def price(table: Table, box: Box, index: int, action: Action) -> Verdict:
    """The cost of a decision on this hand when it is asked, or every reason against it."""
    one = box.hands[index]
    if table.sheet.game.family == DUEL:
        return _duel_price(table, box, one, action)
    sheet = table.sheet
    if action is HIT or action is STAND:
        return 0
    if reason := _forbidden(sheet, box, one, action):
        return (ActionNotAllowed(action, reason),)
    if action is Action.DOUBLE or action is Action.SPLIT:
        return insurance.affordable(table, box.player, one.stake)
    return 0


def _duel_price(table: Table, box: Box, one: Hand, action: Action) -> Verdict:
    choosing = one.status is Status.CHOOSING
    if action not in (CHOICES if choosing else (Action.HIT, Action.STAND)):
        return (ActionNotAllowed(action, "first fold or choose a card" if choosing else "hit or stand"),)
    if action in (Action.LEFT, Action.RIGHT):
        return insurance.affordable(table, box.player, box.main)
    return 0


def _forbidden(sheet: Sheet, box: Box, one: Hand, action: Action) -> str:
    """Why the rules, funds apart, forbid this decision; empty where they allow it."""
    if action not in PLAYED:
        return "nobody is asked this now"
    if len(one.cards) != 2:
        return "only on the first two cards"
    if action is Action.DOUBLE:
        return _double_forbidden(sheet, one)
    if action is Action.SPLIT:
        return _split_forbidden(sheet, box, one)
    if one.split:
        return "not after a split"
    if action is Action.CASH_OUT:
        return "" if sheet.cash_out.offered else "not offered in this game"
    return "" if sheet.surrender == "late" else "not offered in this game"


def _double_forbidden(sheet: Sheet, one: Hand) -> str:
    if one.split and not sheet.double.after_split:
        return "no double after a split"
    least = _DOUBLE_FROM[sheet.double.on]
    return f"only on {sheet.double.on}" if least and not least <= one.total <= 11 else ""


def _split_forbidden(sheet: Sheet, box: Box, one: Hand) -> str:
    first, second = one.cards
    same = rank(first) == rank(second) if sheet.split.equal == "rank" else VALUES[first] == VALUES[second]
    if not same:
        return f"two cards of equal {sheet.split.equal} are needed"
    if len(box.hands) >= sheet.split.hands:
        return f"{sheet.split.hands} hands at most"
    return "split aces take one card" if one.split and is_ace(first) and sheet.split.aces == "one-card" else ""


def may_act(table: Table, player: PlayerId, box_number: int, action: Action, at: int) -> Verdict:
    """The price of a decision by this player on this box now, or the refusals (V-28, V-55)."""
    play = table.round
    if table.pause:
        return (TablePaused(table.pause.reason),)
    if play is None or table.phase is not ROUND:
        return (WrongPhase(table.phase),)
    if table.deadline is not None and at >= table.deadline:
        return (TooLate(table.deadline, at),)
    box = play.box(box_number)
    if play.stage is INSURANCE:
        return insurance.price(table, player, box, action) if box else (NotYourTurn(box_number),)
    now = turn(play)
    if now is None or now[0].number != box_number or now[0].player != player:
        return (NotYourTurn(box_number),)
    return (DrawNeeded(box_number),) if now[1] < 0 else price(table, now[0], now[1], action)


def may_act_early(table: Table, player: PlayerId, box_number: int, action: Action) -> Verdict:
    """The first decision may be chosen before the turn comes (V-54)."""
    play = table.round
    if table.pause:
        return (TablePaused(table.pause.reason),)
    if not table.sheet.options.early_decisions:
        return (ActionNotAllowed(action, "no early decisions in this game"),)
    box = play.box(box_number) if play and table.phase is Phase.ROUND else None
    if play is None or box is None or box.player != player:
        return (NotYourTurn(box_number),)
    now = turn(play)
    played = len(box.hands) > 1 or len(box.hands[0].cards) > 2 or box.hands[0].status is not Status.PLAYING
    if played or (play.stage is Stage.PLAY and now is not None and now[0].number == box_number):
        return (ActionNotAllowed(action, "the turn of this box has come"),)
    return price(table, box, 0, action)


def legal(table: Table, player: PlayerId, at: int) -> Options:
    """Buttons, tooltips and bots read this; decide refuses with the same words."""
    play = table.round if table.phase is Phase.ROUND else None
    decisions: dict[tuple[int, Action], Verdict] = {}
    early: dict[tuple[int, Action], Verdict] = {}
    if play:
        words = ANSWERS if play.stage is Stage.INSURANCE else (*PLAYED, *CHOICES)
        for box in play.boxes:
            mine = box.player == player
            if mine or (play.stage is Stage.INSURANCE and any(one.player == player for one in box.behind)):
                decisions |= {(box.number, word): may_act(table, player, box.number, word, at) for word in words}
            if mine and table.sheet.options.early_decisions:
                early |= {(box.number, word): may_act_early(table, player, box.number, word) for word in PLAYED}
    return Options(decisions, early, _betting(table, player, at), _spots(table, player, at))


def _betting(table: Table, player: PlayerId, at: int) -> dict[str, Verdict]:
    asked: dict[str, betting.BetCommand] = {
        "undo": UndoBet(player, at),
        "clear": ClearBets(player, at),
        "repeat": RepeatBets(player, at),
        "repeat-double": RepeatBets(player, at, 2),
        "double": DoubleBets(player, at),
        "deal": DealNow(player, at),
    }
    if table.pause:
        return dict.fromkeys(asked, (TablePaused(table.pause.reason),))
    answers = {name: betting.decide(table, command) for name, command in asked.items()}
    return {name: (answer,) if isinstance(answer, Refusal) else _cost(answer) for name, answer in answers.items()}


def _cost(events: list[Event]) -> Cents:
    """What an act of betting takes from the purse; what it gives back costs nothing."""
    return max(0, sum(amount for event in events for _, amount in ledger.stakes(event)))


def _spots(table: Table, player: PlayerId, at: int) -> dict[Spot, Verdict]:
    """Each spot with what it still takes, or why it takes nothing."""
    if table.phase is not Phase.BETTING or table.pause:
        return {}
    totals = table.slips.get(player, NO_SLIP).totals()
    closed = betting.refused_now(table, player, at)
    found: dict[Spot, Verdict] = {}
    for bet in table.limits:
        alone = bet in table.sheet.sides and table.sheet.sides[bet].kind == "dealer-pair"
        for box in (0,) if alone else range(1, len(table.seats) + 1):
            spot = Spot(box, bet)
            most, held = table.limit(bet, player)[1], totals.get(spot, 0)
            refusal = closed or betting.refused_spot(table, player, spot, totals)
            if refusal is None and held >= most:
                refusal = LimitReached(bet, most, held + table.sheet.stakes.unit)
            found[spot] = (refusal,) if refusal else most - held
    return found
