"""All hands that a player can hold, as sets of card values, and the hands of a sheet against one up-card.

A world is a situation around the hand: the hand as dealt, or one that began with a split card p while m other cards p
have left the shoe, on the original stake (0) or on a stake added by the split (1). Every world lists its hands with the
way from each to the next by a card. The kernels walk that graph backwards (dynamic programming).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TypeAlias

import numpy as np

from ventuno.odds.exact import dealer
from ventuno.odds.exact.dealer import best_total
from ventuno.odds.exact.rules import Bools, Floats, Ints, Rules
from ventuno.odds.kernels import registry
from ventuno.odds.kernels.kernel import Argument
from ventuno.odds.kernels.loops.codes import CHARLIE, FREE, MUST_HIT, MUST_STAND

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
ACE, TEN = 1, 10


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


@dataclass(frozen=True)
class HandTree:
    """The hands against one up-card (a value, 1 is the ace), with the dealer's ends and the shoe left beside each."""

    rules: Rules
    up: int
    hands: Hands
    rest: Floats
    ends: Floats
    state: Ints
    may: Bools

    @property
    def peek(self) -> bool:
        return bool(self.rules.peek[self.up - 1])

    @property
    def loss(self) -> Floats:
        """What a dealer Blackjack takes, by kind of stake, single and doubled."""
        return np.asarray(self.rules.loss[self.up - 1])

    @property
    def hole(self) -> int:
        """The place of the value that makes a dealer Blackjack, -1 if there is none."""
        return {ACE: TEN - 1, TEN: ACE - 1}.get(self.up, -1)

    @property
    def mate(self) -> int:
        """The kind of the hands that splitting adds: 1 where they differ from the first."""
        return int(self.rules.unequal)

    @cached_property
    def cards_left(self) -> Floats:
        """Cards left beside each hand, the hole card among them."""
        return np.asarray(self.rest.sum(axis=1), dtype=np.float64)

    @cached_property
    def deal(self) -> Floats:
        """Chance of each first hand together with this up-card."""
        shoe, chances = self.rules.shoe, np.zeros(len(self.ends))
        cards = shoe.sum()
        for row in np.flatnonzero((self.hands.size == 2) & (self.hands.world == 0)):
            first, last = np.repeat(np.arange(10), self.hands.cards[row])
            ways = shoe[first] * (shoe[last] - 1) if first == last else 2 * shoe[first] * shoe[last]
            chances[row] = ways * (self.rest[row, self.up - 1] + 1) / (cards * (cards - 1) * (cards - 2))
        return np.maximum(chances, 0.0)

    @property
    def kernel_arguments(self) -> tuple[Argument, ...]:
        """What every kernel that values actions takes first."""
        hands = self.hands
        graph = (hands.order, hands.follow, self.rest, self.cards_left, hands.total, hands.kind)
        return (*graph, self.state, self.may, self.ends, self.hole, self.peek)

    @property
    def splittable(self) -> Floats:
        """Chance of each pair that may be split."""
        return self.deal[self.hands.pairs] * self.rules.same


@dataclass(frozen=True)
class Play:
    """One way to play all hands. With a peek, values count only the cases without a dealer Blackjack.

    `split` says which pairs are split, `worth` what splitting each of them is worth.
    """

    quality: Floats
    act: Ints
    val: Floats
    split: Bools
    worth: Floats


def build_tree(rules: Rules, up: int, worlds: tuple[World, ...] | None = None) -> HandTree:
    """Lay out a sheet against an up-card."""
    if worlds is None:
        kinds = (0, 1) if rules.unequal else (0,)
        worlds = (DEALT, *((split, 1, kind) for kind in kinds for split in range(1, 11)))
    layout = build_hands(worlds)
    rest = rules.shoe - layout.gone
    rest[:, up - 1] -= 1
    ends = dealer.find_ends(rest[layout.single], up, rules.hits_soft_17)[layout.copy]
    return HandTree(rules, up, layout, rest, ends, *_find_states(rules, layout))


def _find_states(rules: Rules, hands: Hands) -> tuple[Ints, Bools]:
    """For each hand what it must do by itself, and whether it may double and surrender.

    21 stands (reading 3), Charlie wins, split aces may be held to one card (V-15), a hand of fewer than two cards is
    dealt on. Doubling is for two cards (V-11), surrender for the hand as dealt.
    """
    state = np.zeros(len(hands.total), dtype=np.int64)
    state[hands.line == TWENTY_ONE] = MUST_STAND
    split = np.array([world[0] for world in hands.worlds])[hands.world]
    if rules.one_card_aces:
        state[(split == 1) & (hands.size >= 2)] = MUST_STAND
    if rules.charlie:
        state[hands.size >= rules.charlie] = CHARLIE
    state[hands.line >= ONE_CARD] = MUST_HIT
    two = (hands.size == 2) & (state == FREE)
    may = np.zeros((len(state), 2), dtype=np.bool_)
    may[:, 0] = two & np.isin(hands.total, rules.double_on) & ((split == 0) | rules.double_after_split)
    may[:, 1] = two & (split == 0) & rules.surrender
    return state, may


def find_best_actions(tree: HandTree) -> Play:
    """Best play of every hand by its own cards; splitting is decided later."""
    return evaluate_play(tree, np.full(len(tree.ends), -1), tree.loss)


def evaluate_play(tree: HandTree, given: Ints, loss: Floats, stakes: float = 2.0) -> Play:
    """Play as given, and best where nothing (-1) is given; `stakes` are counted on a doubled hand."""
    quality, act, val = np.empty((len(given), 4)), np.empty(len(given), np.int64), np.empty(len(given))
    registry.plan(*tree.kernel_arguments, loss, stakes, given, quality, act, val)
    return Play(quality, act, val, np.zeros(10, dtype=np.bool_), np.full(10, -9.0))


def count_added_stakes(tree: HandTree, act: Ints) -> Floats:
    """How many stakes doubling adds to each hand on average."""
    hands, out = tree.hands, np.empty(len(act))
    registry.doubling(hands.order, hands.follow, tree.rest, tree.cards_left, tree.ends, tree.peek, act, out)
    return out


def count_hands(tree: HandTree, act: Ints, start: Floats) -> tuple[Floats, Floats, Floats]:
    """From a chance of each first hand: how often each hand is held, held doubled, and bust."""
    hands, mass = tree.hands, start.copy()
    twice, bust = np.zeros_like(mass), np.zeros(4)
    registry.flow(hands.order, hands.follow, tree.rest, tree.cards_left, tree.hole, act, mass, twice, bust)
    return mass, twice, bust
