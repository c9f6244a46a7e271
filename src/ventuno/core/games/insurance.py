"""Insurance and even money: offered on an ace, answered box by box (V-06, V-29, S-25, L-07, L-08)."""

from __future__ import annotations

from collections.abc import Iterator

from ventuno.core.messages.events import Event, InsuranceAnswered
from ventuno.core.messages.refusals import ActionNotAllowed, FundsMissing, NotYourTurn, Refusal, RoundCapReached
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.round import Action, Behind, Box, Origin, Round
from ventuno.core.table.state import Table


def waiting(play: Round) -> Iterator[tuple[PlayerId, Box]]:
    """Who still has to answer, in the order in which they are asked: the owner, then each bettor behind."""
    for box in play.boxes:
        if box.insurance is None and not box.even_money:
            yield box.player, box
        for bettor in box.behind:
            if bettor.insurance is None:
                yield bettor.player, box


def waits_for(player: PlayerId, box: Box) -> bool:
    """Whether this player still has to answer on this box."""
    if player == box.player and box.insurance is None and not box.even_money:
        return True
    return any(bettor.insurance is None for bettor in box.behind if bettor.player == player)


def price(table: Table, player: PlayerId, box: Box, action: Action) -> Cents | tuple[Refusal, ...]:
    """What an answer costs this player on this box, or why he may not give it."""
    if table.round is None or not waits_for(player, box):
        return (NotYourTurn(box.number),)
    even_money = table.sheet.insurance.even_money and box.is_natural and player == box.player
    if action is Action.DECLINE:
        return 0
    if action is Action.EVEN_MONEY:
        return 0 if even_money else (ActionNotAllowed(action, "only-blackjack"),)
    if action is not Action.INSURE:
        return (ActionNotAllowed(action, "insurance-asked"),)
    if even_money:
        return (ActionNotAllowed(action, "even-money-instead"),)
    return price_stake(table, player, _stake(player, box) // 2)


def price_stake(table: Table, player: PlayerId, cost: Cents, raised: Cents = 0) -> Cents | tuple[Refusal, ...]:
    """The price of a further stake, or the funds or the cap that forbid it (V-58, S-10); a raise is called one."""
    refusals: list[Refusal] = []
    if cost > table.purse(player):
        refusals.append(FundsMissing(cost, table.purse(player), raised))
    cap = table.sheet.stakes.round_cap
    if cap and table.total_stake_of(player) + cost > cap:
        refusals.append(RoundCapReached(cap, table.total_stake_of(player) + cost))
    return tuple(refusals) or cost


def answer(table: Table, player: PlayerId, box: Box, action: Action, origin: Origin) -> list[Event] | Refusal:
    cost = price(table, player, box, action)
    if isinstance(cost, tuple):
        return cost[0]
    return [InsuranceAnswered(player, box.number, cost, action is Action.EVEN_MONEY, origin)]


def evolve(box: Box, event: InsuranceAnswered) -> Box:
    if event.player == box.player:
        return box._replace(insurance=event.amount, even_money=event.even_money)
    return box._replace(behind=tuple(_record_answer(bettor, event) for bettor in box.behind))


def _record_answer(bettor: Behind, event: InsuranceAnswered) -> Behind:
    return bettor._replace(insurance=event.amount) if bettor.player == event.player else bettor


def _stake(player: PlayerId, box: Box) -> Cents:
    if player == box.player:
        return box.main
    return sum(bettor.stakes[0][0] for bettor in box.behind if bettor.player == player)
