"""What each open decision of a hand is worth now, by the cards that can be seen: the trainer's figures (X-03).

Values are net results in initial stakes of the hand, best play following. Insurance is told by itself, as what it
brings or costs in initial stakes; where even money is offered, as what the Blackjack is worth with it and without.

>>> from ventuno.sheets import load
>>> sixteen = {"stage": "play", "hand": [10, 6], "up": 10, "seen": [], "split": False, "added": False}
>>> found = worths(load("sisal"), sixteen)
>>> max(found, key=found.__getitem__)
'hit'
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ventuno.core.rules.sheet import DUEL, Sheet
from ventuno.odds.exact.duel import FOLD, Plan, value_plans

INSURANCE = "insurance"
ACE, TEN = 1, 10


def value_decisions(sheet: Sheet, asked: Mapping[str, Any]) -> dict[str, float]:
    """`asked` names the hand and the cards seen beside it by their values, an ace counting 1."""
    if sheet.game.family == DUEL:
        return _value_plans(sheet, asked)
    return _value_insurance(sheet, asked) if asked["stage"] == INSURANCE else _value_actions(sheet, asked)


def _value_actions(sheet: Sheet, asked: Mapping[str, Any]) -> dict[str, float]:
    from ventuno.odds.exact.action_values import values

    hand, seen = tuple(asked["hand"]), list(asked["seen"])
    if asked["split"]:
        seen.remove(hand[0])  # the fellow of the first card: `values` counts it as gone by itself
    values_by_action = values(sheet, hand, asked["up"], seen=seen, split=asked["split"], added=asked["added"])
    return dict(values_by_action)


def _value_insurance(sheet: Sheet, asked: Mapping[str, Any]) -> dict[str, float]:
    """Insurance costs half a stake (V-06); even money settles a Blackjack at once (L-08)."""
    from ventuno.odds.exact.action_values import insurance

    hand, seen = tuple(asked["hand"]), tuple(asked["seen"])
    value = insurance(sheet, hand, seen=seen)
    if sheet.insurance.even_money and sorted(hand) == [ACE, TEN]:
        against = (value + 1) / (float(sheet.insurance.pays.profit) + 1)
        return {"even-money": 1.0, "decline": float(sheet.blackjack.pays.profit) * (1 - against)}
    return {"insure": value / 2, "decline": 0.0}


def _value_plans(sheet: Sheet, asked: Mapping[str, Any]) -> dict[str, float]:
    """`hand` is the up-card, and the community card once one is chosen; `left` and `right` lie between (D-06…D-09)."""
    up, *taken = asked["hand"]
    left, right = asked["left"], asked["right"]
    values_by_plan = value_plans(sheet, (up, *sorted((left, right))), asked["seen"])
    with_card = {
        card: {
            hits: float(values_by_plan[Plan(card, hits)])
            for hits in (False, True)
            if Plan(card, hits) in values_by_plan
        }
        for card in (left, right)
    }
    if taken:
        return {("hit" if hits else "stand"): value for hits, value in with_card[taken[0]].items()}
    best = {card: max(values.values()) for card, values in with_card.items()}
    return {"left": best[left], "right": best[right], "fold": float(values_by_plan[FOLD])}
