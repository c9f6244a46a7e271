"""The scenario of a round that was played: from the log back to cards, bets and decisions (X-02, X-18).

Enacting the scenario gives the same settlement, so any stored round can be checked, printed and studied alone.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import get_args

from ventuno.core.messages import events
from ventuno.core.messages.desk_events import CardScanned, ScanTakenBack
from ventuno.core.messages.events import Event
from ventuno.core.rules.cards import Card, Shoe
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.scenario.scenario import TIMEOUT, BehindEntry, BonusEntry, BoxEntry, DecisionEntry, Scenario
from ventuno.core.table.fold import evolve
from ventuno.core.table.round import Action, Origin, Round
from ventuno.core.table.shoes import count_cards
from ventuno.core.table.state import Table

_ACTIONS: dict[type, Action] = {
    events.HandHit: Action.HIT,
    events.HiddenTurned: Action.HIT,
    events.HandStood: Action.STAND,
    events.HandDoubled: Action.DOUBLE,
    events.HandSplit: Action.SPLIT,
    events.HandCashedOut: Action.CASH_OUT,
    events.HandSurrendered: Action.SURRENDER,
    events.HandFolded: Action.FOLD,
}


def extract_scenario(opening: Table, log: Iterable[Event]) -> Scenario:
    """The last round that ends betting within the log, which leads on from the opening state; or the one open there.

    Balances count money brought during the round as if it had been there; a decision that was replaced for want of
    funds is recorded as what was done, and a bettor behind follows what he did follow: so the lines come out the same.
    """
    played = tuple(log)
    first = max([place for place, event in enumerate(played) if isinstance(event, events.BettingEnded)], default=-1)
    begun, round_log = opening, [*played[max(first, 0) :]]
    for event in played[: first + 1]:
        begun = evolve(begun, event)
    play, shoe = begun.round, begun.shoe
    if play is None or shoe is None:
        raise LookupError("no round began in this log")
    while (
        round_log and not isinstance(round_log[-1], events.RoundSettled) and events.RoundSettled in map(type, round_log)
    ):
        round_log.pop()
    answers = [event for event in round_log if isinstance(event, events.InsuranceAnswered)]
    decisions = [word for event in round_log if type(event) in _DECIDED and (word := _word(event)) is not None]
    return Scenario(
        game=begun.sheet.game.id,
        shoe=_list_cards(begun, shoe, round_log),
        boxes=_boxes(play, round_log),
        players=_balances(begun, round_log),
        table={bet: stake for _, bet, stake in play.table_bets},
        decisions=(*_answers(play, answers), *decisions),
        bonus=_bonus(round_log),
    )


def _list_cards(begun: Table, shoe: Shoe, log: list[Event]) -> tuple[Card, ...]:
    """The cards of the round in their order: those that left its shoe, or that were scanned and not taken back."""
    if begun.studio is None:
        return shoe.next(sum([count_cards(event) for event in log]))
    scanned: list[Card] = []
    for event in log:
        if isinstance(event, CardScanned):
            scanned.append(event.card)
        elif isinstance(event, ScanTakenBack):
            scanned.pop()
    return tuple(scanned)


def _balances(begun: Table, log: list[Event]) -> dict[PlayerId, Cents]:
    balances = {player: begun.purse(player) + begun.total_stake_of(player) for player in begun.purses}
    for event in log:
        if isinstance(event, events.MoneyBrought):
            balances[event.player] = balances.get(event.player, 0) + event.amount
    return balances


def _boxes(play: Round, log: list[Event]) -> tuple[BoxEntry, ...]:
    """Bets as they stood when betting ended; each bettor behind follows what he was seen to follow."""
    doubled = {
        (event.box, bettor.player) for event in log if isinstance(event, events.HandDoubled) for bettor in event.follows
    }
    split = {
        (event.box, bettor.player) for event in log if isinstance(event, events.HandSplit) for bettor in event.follows
    }
    return tuple(
        BoxEntry(
            box.number,
            box.player,
            box.main,
            dict(box.sides),
            tuple(
                BehindEntry(
                    bettor.player,
                    bettor.stakes[0][0],
                    (box.number, bettor.player) in doubled,
                    (box.number, bettor.player) in split,
                )
                for bettor in box.behind
            ),
        )
        for box in play.boxes
    )


def _answers(play: Round, given: list[events.InsuranceAnswered]) -> tuple[DecisionEntry, ...]:
    """Insurance answers come in any order at a live table; a scenario asks box by box, owner first."""
    by_place = {(answer.box, answer.player): answer for answer in given}
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


def _answer(event: events.InsuranceAnswered) -> str:
    if event.even_money:
        return Action.EVEN_MONEY
    if event.origin is Origin.TIMEOUT:
        return TIMEOUT
    return Action.INSURE if event.amount else Action.DECLINE


_Decided = (
    events.HandHit
    | events.HiddenTurned
    | events.HandStood
    | events.HandDoubled
    | events.HandSplit
    | events.HandCashedOut
    | events.HandSurrendered
    | events.HandFolded
    | events.CommunityChosen
)
_DECIDED = frozenset(get_args(_Decided))


def _word(event: Event) -> DecisionEntry | None:
    """What was decided; what the rules do by themselves is not listed."""
    if not isinstance(event, _Decided) or event.origin is Origin.RULE:
        return None
    if event.origin is Origin.TIMEOUT:
        return DecisionEntry(event.box, TIMEOUT)
    if isinstance(event, events.CommunityChosen):
        return DecisionEntry(event.box, Action.RIGHT if event.side else Action.LEFT)
    return DecisionEntry(event.box, _ACTIONS[type(event)])


def _bonus(log: list[Event]) -> tuple[BonusEntry, ...]:
    draws: list[BonusEntry] = []
    for event in log:
        if isinstance(event, events.WheelSpun):
            draws.append(BonusEntry(event.segment, event.boxes, event.start))
        elif isinstance(event, events.BoardSpun):
            last = draws.pop()
            spins = (*last.spins, event.locks)
            draws.append(BonusEntry(last.wheel, last.boxes, last.start, spins, event.diamonds))
    return tuple(draws)
