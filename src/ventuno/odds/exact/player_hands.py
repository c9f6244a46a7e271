"""All hands a player can hold, as sets of card values, laid out for the kernels.

A world is a situation around the hand: the hand as dealt, or one that began with a split card p while m other cards p
have left the shoe, on the original stake (0) or on a stake added by the split (1). Every world lists its hands with the
way from each to the next by a card.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ventuno.odds.exact.dealer import best_total

Ints: TypeAlias = NDArray[np.integer[Any]]
World: TypeAlias = tuple[int, int, int]
"""Split card or 0, others of it gone, 1 for an added stake."""

DEALT: World = (0, 0, 0)
UNITS = np.left_shift(np.int64(1), 6 * np.arange(10, dtype=np.int64))
"""A set of cards as one number: six bits for each value."""
TWENTY_ONE, ONE_CARD, NO_CARD = 0, 27, 28
LINES: tuple[tuple[str, int], ...] = (
    ("done", 21),
    *(("hard", total) for total in range(20, 10, -1)),
    *(("soft", total) for total in range(20, 11, -1)),
    *(("hard", total) for total in range(10, 3, -1)),
    ("deal", 1),
    ("deal", 0),
)
"""The lines of a chart in an order in which a card only leads to an earlier line."""


@dataclass(frozen=True)
class Hands:
    """Hands of all worlds, one row each. `follow` leads by a card value to the next row, -1 past 21; `single` are rows
    that differ in the cards gone, `copy` leads from each row to its like among them."""

    worlds: tuple[World, ...]
    start: tuple[int, ...]
    cards: Ints
    gone: Ints
    follow: Ints
    total: Ints
    size: Ints
    line: Ints
    world: Ints
    kind: Ints
    order: Ints
    bounds: Ints
    single: Ints
    copy: Ints

    def block(self, world: World) -> slice:
        """The rows of a world."""
        number = self.worlds.index(world)
        return slice(self.start[number], self.start[number + 1])

    @cached_property
    def natural(self) -> int:
        """The row of a Blackjack as dealt."""
        return self.find_row((1, 10))

    @cached_property
    def pairs(self) -> Ints:
        """The rows of the ten pairs as dealt."""
        return np.array([self.find_row((value, value)) for value in range(1, 11)])

    @cached_property
    def openings(self) -> dict[World, tuple[int, int]]:
        """For each world after a split, the rows of the lone card and of the pair."""
        return {
            world: (self.find_row((world[0],), world), self.find_row((world[0], world[0]), world))
            for world in self.worlds
            if world != DEALT
        }

    def find_row(self, hand: tuple[int, ...], world: World = DEALT) -> int:
        """Where a hand of card values stands in a world."""
        block = self.block(world)
        counts = np.bincount(np.array(hand, dtype=np.int64) - 1, minlength=10) if hand else np.zeros(10, np.int64)
        matches = np.flatnonzero((self.cards[block] == counts).all(axis=1))
        if len(matches) != 1:
            raise KeyError(f"no hand {hand} in world {world}")
        return int(block.start) + int(matches[0])


@cache
def build_hands(worlds: tuple[World, ...]) -> Hands:
    """The layout for some worlds."""
    cards, keys, follow, total, size, line = _list_dealt()
    gone, away, rows, steps, start = [], [], [], [], [0]
    for split, others, _ in worlds:
        rows_of_world = np.flatnonzero(cards[:, split - 1]) if split else np.arange(len(cards))
        place = np.full(len(cards) + 1, -1, np.int32)
        place[rows_of_world] = start[-1] + np.arange(len(rows_of_world))
        start.append(start[-1] + len(rows_of_world))
        rows.append(rows_of_world)
        steps.append(place[follow[rows_of_world]])
        extra = cards[rows_of_world].copy()
        extra[:, max(split, 1) - 1] += others
        gone.append(extra)
        away.append(keys[rows_of_world] + others * UNITS[split - 1])
    dealt = np.concatenate(rows)
    lines = line[dealt]
    world = np.repeat(np.arange(len(rows)), [len(world_rows) for world_rows in rows])
    order = np.argsort(lines, kind="stable")
    _, single, copy = np.unique(np.concatenate(away), return_index=True, return_inverse=True)
    return Hands(
        worlds=worlds,
        start=tuple(start),
        cards=cards[dealt],
        gone=np.concatenate(gone),
        follow=np.concatenate(steps),
        total=total[dealt],
        size=size[dealt],
        line=lines,
        world=world,
        kind=np.array([world_rows[2] for world_rows in worlds])[world],
        order=order,
        bounds=np.searchsorted(lines[order], np.arange(len(LINES) + 1)),
        single=single,
        copy=copy,
    )


@cache
def _list_dealt() -> tuple[Ints, Ints, Ints, Ints, Ints, Ints]:
    """The hands as dealt: cards, keys, ways to the next hand, totals, sizes, lines."""
    every = list(_sets((), 1))
    cards = np.zeros((len(every), 10), np.int8)
    for row, hand in enumerate(every):
        for value in hand:
            cards[row, value - 1] += 1
    keys = cards @ UNITS
    order = np.argsort(keys)
    wanted = keys[:, None] + UNITS
    place = order[np.searchsorted(keys, wanted, sorter=order).clip(max=len(every) - 1)]
    follow = np.where(keys[place] == wanted, place, -1).astype(np.int32)
    total, size, line = (np.array([of(hand) for hand in every]) for of in (best_total, len, _line))
    return cards, keys, follow, total, size, line


def _sets(hand: tuple[int, ...], least: int) -> Iterator[tuple[int, ...]]:
    yield hand
    for value in range(least, min(10, 21 - sum(hand)) + 1):
        yield from _sets((*hand, value), value)


def _line(hand: tuple[int, ...]) -> int:
    if len(hand) < 2:
        return NO_CARD - len(hand)
    total = best_total(hand)
    if total == 21:
        return TWENTY_ONE
    return LINES.index(("soft" if total > sum(hand) else "hard", total))
