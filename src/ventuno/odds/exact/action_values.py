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
from ventuno.odds.exact.hand_tree import ACE, Play, Table, table
from ventuno.odds.exact.player_hands import DEALT, World
from ventuno.odds.exact.returns import insurance_values
from ventuno.odds.exact.rules import NotSolvable, terms
from ventuno.odds.exact.solver import best_play
from ventuno.odds.exact.splits import Splits
from ventuno.odds.exact.strategy import UP_CARDS
from ventuno.odds.kernels.loops.codes import DOUBLE, FREE, HIT, STAND, SURRENDER

ACTIONS = {"stand": STAND, "hit": HIT, "double": DOUBLE, "surrender": SURRENDER}


@dataclass(frozen=True, eq=False)
class _Asked:
    """A sheet as a key: sheets of one hash are the same."""

    sheet: Sheet

    def __hash__(self) -> int:
        return hash(self.sheet.hash)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self.sheet.hash == other.sheet.hash


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
    one, play = _solved(_Asked(sheet), up, tuple(sorted(seen)))
    world: World = (hand[0], 1, int(added and one.terms.unequal)) if split else DEALT
    row = _row(one, tuple(hand), world, len(seen))
    scale = 1.0 - float(one.ends[row, NATURAL]) if one.peek else 1.0
    if not split and row == one.natural:
        meets = float(one.ends[row, NATURAL])
        return {"stand": float(one.terms.pays) * (1.0 if one.peek else 1.0 - meets)}
    found = {
        name: float(play.quality[row, act]) / scale for name, act in ACTIONS.items() if play.quality[row, act] > -9.0
    }
    if one.state[row] == FREE and not split:
        if row in one.pairs:
            found["split"] = float(play.worth[hand[0] - 1]) / scale
        if len(hand) == 2 and sheet.cash_out.offered:
            found["cash-out"] = offer(sheet, one, row) - 1.0
    return found


def insurance(sheet: Sheet, hand: Sequence[int], *, seen: Sequence[int] = ()) -> float:
    """The value of insurance against an ace, per unit staked on it, for a first hand (V-06)."""
    one, _ = _solved(_Asked(sheet), ACE, tuple(sorted(seen)))
    return float(insurance_values(one)[_row(one, tuple(hand), DEALT, len(seen))])


def offer(sheet: Sheet, one: Table, row: int) -> float:
    """The cash-out amount of a first hand per unit stake (F-10)."""
    total = int(one.hands.total[row])
    soft = bool(one.hands.cards[row, ACE - 1])
    rows = sheet.cash_out.soft if soft else sheet.cash_out.hard
    return rows[str(total)][UP_CARDS.index(one.up)] / 100


@lru_cache(maxsize=20)
def _solved(asked: _Asked, up: int, seen: tuple[int, ...]) -> tuple[Table, Play]:
    if up not in UP_CARDS or any(card not in UP_CARDS for card in seen):
        raise NotSolvable(f"card values are 1 (ace) to 10, not {up} and {list(seen)}")
    rules = terms(asked.sheet)
    gone = np.bincount(np.array(seen, dtype=np.int64) - 1, minlength=10) if seen else np.zeros(10)
    one = table(replace(rules, shoe=rules.shoe - gone), up)
    return one, best_play(one, Splits(one))


def _row(one: Table, hand: tuple[int, ...], world: World, seen: int) -> int:
    try:
        row = one.hands.row(hand, world)
    except (KeyError, ValueError):
        raise NotSolvable(f"{list(hand)} is no hand that can still be played") from None
    if one.rest[row].min() < 0 or one.hands.size[row] < 2:
        raise NotSolvable(f"{list(hand)} against {one.up} with {seen} cards seen: the shoe has no such cards")
    return row
