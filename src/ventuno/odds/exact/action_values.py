"""The exact value of each action now: for the trainer, for researchers (X-03).

>>> from ventuno.sheets import load
>>> found = values(load("ventuno"), (10, 6), 10)
>>> max(found, key=found.__getitem__)
'hit'
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ventuno.core.rules.sheet import Sheet
from ventuno.odds.exact.dealer import NATURAL
from ventuno.odds.exact.hand_tree import ACE, HandTree, Play, build_tree
from ventuno.odds.exact.player_hands import DEALT, World
from ventuno.odds.exact.returns import value_insurance
from ventuno.odds.exact.rules import NotSolvable, read_rules
from ventuno.odds.exact.solver import find_best_play
from ventuno.odds.exact.splits import Splits
from ventuno.odds.exact.strategy import UP_CARDS
from ventuno.odds.kernels.loops.codes import DOUBLE, FREE, HIT, STAND, SURRENDER

ACTIONS = {"stand": STAND, "hit": HIT, "double": DOUBLE, "surrender": SURRENDER}


@dataclass(frozen=True, eq=False)
class _SheetKey:
    """A sheet as a key: sheets of one hash are the same."""

    sheet: Sheet

    def __hash__(self) -> int:
        return hash(self.sheet.hash)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SheetKey) and self.sheet.hash == other.sheet.hash


def values(
    sheet: Sheet,
    hand: Sequence[int],
    up: int,
    *,
    seen: Sequence[int] = (),
    split: bool = False,
    added: bool = False,
) -> Mapping[str, float]:
    """Net result per initial stake of each legal action and best play after it, the dealer not known to have Blackjack.

    `hand` are card values (1 is the ace), `up` is the up-card's; `seen` are other cards known to be gone. With `split`
    the hand came from a split of its first card, whose fellow is gone too; `added` says that it lies on the stake that
    the split added. The other hand of a split is not counted, and splitting again is not valued. After a peek the
    values are those of a dealer without Blackjack.
    """
    tree, play = _solve(_SheetKey(sheet), up, tuple(sorted(seen)))
    world: World = (hand[0], 1, int(added and tree.rules.unequal)) if split else DEALT
    row = _find_row(tree, tuple(hand), world, len(seen))
    scale = 1.0 - float(tree.ends[row, NATURAL]) if tree.peek else 1.0
    if not split and row == tree.natural:
        meets = float(tree.ends[row, NATURAL])
        return {"stand": float(tree.rules.pays) * (1.0 if tree.peek else 1.0 - meets)}
    values_by_action = {
        name: float(play.quality[row, act]) / scale for name, act in ACTIONS.items() if play.quality[row, act] > -9.0
    }
    if tree.state[row] == FREE and not split:
        if row in tree.pairs:
            values_by_action["split"] = float(play.worth[hand[0] - 1]) / scale
        if len(hand) == 2 and sheet.cash_out.offered:
            values_by_action["cash-out"] = find_offer(sheet, tree, row) - 1.0
    return values_by_action


def insurance(sheet: Sheet, hand: Sequence[int], *, seen: Sequence[int] = ()) -> float:
    """The value of insurance against an ace, per unit staked on it, for a first hand (V-06)."""
    tree, _ = _solve(_SheetKey(sheet), ACE, tuple(sorted(seen)))
    return float(value_insurance(tree)[_find_row(tree, tuple(hand), DEALT, len(seen))])


def find_offer(sheet: Sheet, tree: HandTree, row: int) -> float:
    """The cash-out amount of a first hand per unit stake (F-10)."""
    total = int(tree.hands.total[row])
    soft = bool(tree.hands.cards[row, ACE - 1])
    rows = sheet.cash_out.soft if soft else sheet.cash_out.hard
    return rows[str(total)][UP_CARDS.index(tree.up)] / 100


@lru_cache(maxsize=20)
def _solve(asked: _SheetKey, up: int, seen: tuple[int, ...]) -> tuple[HandTree, Play]:
    if up not in UP_CARDS or any(card not in UP_CARDS for card in seen):
        raise NotSolvable(f"card values are 1 (ace) to 10, not {up} and {list(seen)}")
    rules = read_rules(asked.sheet)
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
