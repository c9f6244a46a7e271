"""The exact value of each action now: for researchers by `values`, for the trainer by `value_decisions` (X-03).

>>> from ventuno.sheets import load
>>> by_action = values(load("ventuno"), (10, 6), 10)
>>> max(by_action, key=by_action.__getitem__)
'hit'
>>> sixteen = {"stage": "play", "hand": [10, 6], "up": 10, "seen": [], "split": False, "added": False}
>>> max(value_decisions(load("sisal"), sixteen).items(), key=lambda pair: pair[1])[0]
'hit'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from ventuno.core.rules.sheet import DUEL, Sheet
from ventuno.odds.exact.chart import UP_CARDS
from ventuno.odds.exact.dealer import NATURAL
from ventuno.odds.exact.duel import FOLD, Plan, value_plans
from ventuno.odds.exact.hand_tree import ACE, DEALT, TEN, HandTree, Play, World, build_tree
from ventuno.odds.exact.returns import value_insurance
from ventuno.odds.exact.rules import NotSolvable, read_rules
from ventuno.odds.exact.solver import find_best_play
from ventuno.odds.exact.splits import Splits
from ventuno.odds.kernels.loops.codes import DOUBLE, FREE, HIT, STAND, SURRENDER

ACTIONS = {"stand": STAND, "hit": HIT, "double": DOUBLE, "surrender": SURRENDER}


def values(
    sheet: Sheet,
    hand: Sequence[int],
    up: int,
    *,
    seen: Sequence[int] = (),
    split: bool = False,
    added: bool = False,
) -> dict[str, float]:
    """Net result per initial stake of each legal action and best play after it, the dealer not known to have Blackjack.

    `hand` are card values (1 is the ace), `up` is the up-card's; `seen` are other cards known to be gone. With `split`
    the hand came from a split of its first card, whose fellow is gone too; `added` says that it lies on the stake that
    the split added. The other hand of a split is not counted, and splitting again is not valued. After a peek the
    values are those of a dealer without Blackjack.
    """
    tree, play = _solve(sheet, up, tuple(sorted(seen)))
    world: World = (hand[0], 1, int(added and tree.rules.unequal)) if split else DEALT
    row = _find_row(tree, tuple(hand), world, len(seen))
    scale = 1.0 - float(tree.ends[row, NATURAL]) if tree.peek else 1.0
    if not split and row == tree.hands.natural:
        meets = float(tree.ends[row, NATURAL])
        return {"stand": float(tree.rules.pays) * (1.0 if tree.peek else 1.0 - meets)}
    values_by_action = {
        name: float(play.quality[row, act]) / scale for name, act in ACTIONS.items() if play.quality[row, act] > -9.0
    }
    if tree.state[row] == FREE and not split:
        if row in tree.hands.pairs:
            values_by_action["split"] = float(play.worth[hand[0] - 1]) / scale
        if len(hand) == 2 and sheet.cash_out.offered:
            offer = sheet.cash_out.offer(int(tree.hands.total[row]), ACE in hand, up)
            values_by_action["cash-out"] = offer / 100 - 1.0
    return values_by_action


def insurance(sheet: Sheet, hand: Sequence[int], *, seen: Sequence[int] = ()) -> float:
    """The value of insurance against an ace, per unit staked on it, for a first hand (V-06)."""
    tree, _ = _solve(sheet, ACE, tuple(sorted(seen)))
    return float(value_insurance(tree)[_find_row(tree, tuple(hand), DEALT, len(seen))])


@lru_cache(maxsize=20)
def _solve(sheet: Sheet, up: int, seen: tuple[int, ...]) -> tuple[HandTree, Play]:
    if up not in UP_CARDS or any(card not in UP_CARDS for card in seen):
        raise NotSolvable(f"card values are 1 (ace) to 10, not {up} and {list(seen)}")
    rules = read_rules(sheet)
    gone = np.bincount(np.array(seen, dtype=np.int64) - 1, minlength=10) if seen else np.zeros(10)
    tree = build_tree(replace(rules, shoe=rules.shoe - gone), up)
    return tree, find_best_play(tree, Splits(tree))


def _find_row(tree: HandTree, hand: tuple[int, ...], world: World, seen: int) -> int:
    try:
        row = tree.hands.find_row(hand, world)
    except (KeyError, ValueError):
        raise NotSolvable(f"{list(hand)} is no hand that can still be played") from None
    if tree.rest[row].min() < 0 or tree.hands.size[row] < 2:
        raise NotSolvable(f"{list(hand)} against {tree.up} with {seen} cards seen: the shoe has no such cards")
    return row


def value_decisions(sheet: Sheet, asked: Mapping[str, Any]) -> dict[str, float]:
    """`asked` names the hand and the cards seen beside it by their values, an ace counting 1."""
    if sheet.game.family == DUEL:
        return _value_plans(sheet, asked)
    return _value_insurance(sheet, asked) if asked["stage"] == "insurance" else _value_actions(sheet, asked)


def _value_actions(sheet: Sheet, asked: Mapping[str, Any]) -> dict[str, float]:
    hand, seen = tuple(asked["hand"]), list(asked["seen"])
    if asked["split"]:
        seen.remove(hand[0])  # the fellow of the first card: `values` counts it as gone by itself
    return values(sheet, hand, asked["up"], seen=seen, split=asked["split"], added=asked["added"])


def _value_insurance(sheet: Sheet, asked: Mapping[str, Any]) -> dict[str, float]:
    """Insurance costs half a stake (V-06); even money settles a Blackjack at once (L-08)."""
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
