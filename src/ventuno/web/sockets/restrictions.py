"""What the house and a player's own limits refuse of his options (X-19), in the words of those refusals."""

from __future__ import annotations

from dataclasses import replace

from ventuno.core.rules.money import PlayerId
from ventuno.core.table.state import Table
from ventuno.core.views.private_view import (
    DecisionOption,
    Option,
    Options,
    SpotOption,
    make_decision,
    make_option,
    make_spot,
)
from ventuno.house.integrity.account_links import BEHIND, LinkedAccounts, find_closed_options
from ventuno.house.protection.limit_check import Allowance


def close_linked_boxes(options: Options, table: Table, player: PlayerId, boxes: tuple[int, ...]) -> Options:
    """The options without bets behind these boxes, whose owners' accounts are linked with his (H-5)."""
    words = {word: make_option((refusal,)) for word, refusal in find_closed_options(table, player, boxes).items()}
    spots = [
        make_spot(spot.box, BEHIND, (LinkedAccounts(spot.box),)) if spot.bet == BEHIND and spot.box in boxes else spot
        for spot in options.spots
    ]
    return replace(options, betting={**options.betting, **words}, spots=tuple(spots))


def apply_allowance(options: Options, table: Table, allowance: Allowance) -> Options:
    """The options with what a player's own limits leave him (R-36)."""
    unit, room = table.sheet.stakes.unit, allowance.room
    no_bet = allowance.refuses(unit, raises=False)

    def limit_raise(option: DecisionOption) -> DecisionOption:
        refusal = allowance.refuses(option.price, raises=True) if option.price else None
        return make_decision(option.box, option.action, (refusal,)) if refusal else option

    def limit_bets(option: Option) -> Option:
        refusal = allowance.refuses(option.price, raises=False) if option.price else None
        return make_option((refusal,)) if refusal else option

    def limit_spot(spot: SpotOption) -> SpotOption:
        if spot.price and no_bet:
            return make_spot(spot.box, spot.bet, (no_bet,))
        if not spot.price or room is None or spot.price <= room:
            return spot
        return make_spot(spot.box, spot.bet, room - room % unit)

    return Options(
        decisions=tuple(map(limit_raise, options.decisions)),
        early=tuple(map(limit_raise, options.early)),
        betting={word: limit_bets(option) for word, option in options.betting.items()},
        spots=tuple(map(limit_spot, options.spots)),
    )
