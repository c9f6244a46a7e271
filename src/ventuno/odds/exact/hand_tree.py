"""A sheet laid out against one up-card: every hand in every world, and what playing it is worth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ventuno.odds.exact import dealer
from ventuno.odds.exact.player_hands import DEALT, Hands, World, build_hands
from ventuno.odds.exact.rules import Bools, Floats, Ints, Rules, find_states
from ventuno.odds.kernels import registry

ACE, TEN = 1, 10


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

    @property
    def natural(self) -> int:
        return self.hands.natural

    @property
    def pairs(self) -> Ints:
        return self.hands.pairs

    @property
    def openings(self) -> dict[World, tuple[int, int]]:
        return self.hands.openings

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
    def splittable(self) -> Floats:
        """Chance of each pair that may be split."""
        return self.deal[self.pairs] * self.rules.same


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
    return HandTree(rules, up, layout, rest, ends, *find_states(rules, layout))


def find_best_actions(tree: HandTree) -> Play:
    """Best play of every hand by its own cards; splitting is decided later."""
    return evaluate_play(tree, np.full(len(tree.ends), -1), tree.loss)


def evaluate_play(tree: HandTree, given: Ints, loss: Floats, stakes: float = 2.0) -> Play:
    """Play as given, and best where nothing (-1) is given; `stakes` are counted on a doubled hand."""
    hands = tree.hands
    quality, act, val = np.empty((len(given), 4)), np.empty(len(given), np.int64), np.empty(len(given))
    registry.plan(
        *(
            hands.order,
            hands.follow,
            tree.rest,
            tree.cards_left,
            hands.total,
            hands.kind,
            tree.state,
            tree.may,
            tree.ends,
        ),
        *(tree.hole, tree.peek, loss, stakes, given, quality, act, val),
    )
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
