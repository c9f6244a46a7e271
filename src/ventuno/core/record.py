"""The scenario of a round that was played: from the log back to cards, bets and decisions (X-02, X-18).

Enacting the scenario gives the same settlement, so any stored round can be checked, printed and studied alone.
"""

from __future__ import annotations

from collections.abc import Iterable

from ventuno.core.events import (
    BettingEnded,
    BoardSpun,
    CommunityChosen,
    DecisionReplaced,
    Event,
    HandCashedOut,
    HandDoubled,
    HandFolded,
    HandHit,
    HandSplit,
    HandStood,
    HandSurrendered,
    HiddenTurned,
    InsuranceAnswered,
    WheelSpun,
)
from ventuno.core.evolution import evolve
from ventuno.core.round import Action, Origin, Round
from ventuno.core.scenario import TIMEOUT, BehindEntry, BonusEntry, BoxEntry, DecisionEntry, Scenario
from ventuno.core.state import Table

_ACTIONS: dict[type, Action] = {
    HandHit: Action.HIT,
    HiddenTurned: Action.HIT,
    HandStood: Action.STAND,
    HandDoubled: Action.DOUBLE,
    HandSplit: Action.SPLIT,
    HandCashedOut: Action.CASH_OUT,
    HandSurrendered: Action.SURRENDER,
    HandFolded: Action.FOLD,
}


def recorded(opening: Table, log: Iterable[Event]) -> Scenario:
    """The last round that ends betting within the log, which leads on from the opening state."""
    table = begun = opening
    answers: list[InsuranceAnswered] = []
    decisions: list[DecisionEntry] = []
    draws: list[BonusEntry] = []
    asked: Action | None = None
    end = 0
    for event in log:
        table = evolve(table, event)
        if isinstance(event, BettingEnded):
            begun, answers, decisions, draws = table, [], [], []
        if isinstance(event, InsuranceAnswered):
            answers.append(event)
        elif isinstance(event, DecisionReplaced):
            asked = event.asked
        elif word := _word(event, asked):
            decisions.append(word)
            asked = None
        else:
            draws = _drawn(draws, event)
        end = table.shoe.position if table.shoe else end
    play = begun.round
    if play is None or begun.shoe is None:
        raise LookupError("no round began in this log")
    return Scenario(
        game=begun.sheet.game.id,
        shoe=begun.shoe.cards[begun.shoe.position : end],
        boxes=_boxes(play, table.round or play),
        players={player: begun.purse(player) + begun.staked(player) for player in begun.purses},
        table={bet: stake for _, bet, stake in play.table_bets},
        decisions=(*_answers(play, answers), *decisions),
        bonus=tuple(draws),
    )


def _boxes(play: Round, end: Round) -> tuple[BoxEntry, ...]:
    """Bets as they stood when betting ended; pre-decisions as they stood in the end."""
    follows = {(box.number, one.player): one for box in end.boxes for one in box.behind}
    return tuple(
        BoxEntry(
            box.number,
            box.player,
            box.main,
            dict(box.sides),
            tuple(
                BehindEntry(
                    one.player,
                    one.stakes[0][0],
                    follows[box.number, one.player].follow_double,
                    follows[box.number, one.player].follow_split,
                )
                for one in box.behind
            ),
        )
        for box in play.boxes
    )


def _answers(play: Round, given: list[InsuranceAnswered]) -> tuple[DecisionEntry, ...]:
    """Insurance answers come in any order at a live table; a scenario asks box by box, owner first."""
    by_place = {(one.box, one.player): one for one in given}
    order = [
        (box.number, player, box.player)
        for box in play.boxes
        for player in (box.player, *(b.player for b in box.behind))
    ]
    return tuple(
        DecisionEntry(number, _answer(by_place[number, player]), player if player != owner else None)
        for number, player, owner in order
        if (number, player) in by_place
    )


def _answer(event: InsuranceAnswered) -> str:
    if event.even_money:
        return Action.EVEN_MONEY
    if event.origin is Origin.TIMEOUT:
        return TIMEOUT
    return Action.INSURE if event.amount else Action.DECLINE


_Decided = (
    HandHit
    | HiddenTurned
    | HandStood
    | HandDoubled
    | HandSplit
    | HandCashedOut
    | HandSurrendered
    | HandFolded
    | CommunityChosen
)


def _word(event: Event, asked: Action | None) -> DecisionEntry | None:
    """What was decided; what the rules do by themselves is not listed."""
    if not isinstance(event, _Decided) or event.origin is Origin.RULE:
        return None
    if event.origin is Origin.TIMEOUT:
        return DecisionEntry(event.box, TIMEOUT)
    if isinstance(event, CommunityChosen):
        return DecisionEntry(event.box, Action.RIGHT if event.side else Action.LEFT)
    return DecisionEntry(event.box, asked or _ACTIONS[type(event)])


def _drawn(draws: list[BonusEntry], event: Event) -> list[BonusEntry]:
    if isinstance(event, WheelSpun):
        return [*draws, BonusEntry(event.segment, event.boxes, event.start)]
    if isinstance(event, BoardSpun):
        last = draws[-1]
        return [*draws[:-1], BonusEntry(last.wheel, last.boxes, last.start, (*last.spins, event.locks), event.diamonds)]
    return draws
