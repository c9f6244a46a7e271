"""A sheet laid out for play: every hand in every world against every up-card, and what playing it is worth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ventuno.odds import dealer, kernels
from ventuno.odds.player import DEALT, Hands, World, hands
from ventuno.odds.terms import Bools, Floats, Ints, Terms, states


@dataclass(frozen=True)
class Table:
    """The hands with the dealer's ends against each of them. First index: up-card value less one."""

    terms: Terms
    hands: Hands
    ends: Floats
    state: Ints
    may: Bools

    @cached_property
    def deal(self) -> Floats:
        """Chance of each first hand with each up-card."""
        shoe, found = self.terms.shoe, np.zeros(self.ends.shape[:2])
        left = shoe.sum()
        for row in np.flatnonzero((self.hands.size == 2) & (self.hands.world == 0)):
            first, *_, last = np.repeat(np.arange(10), self.hands.cards[row])
            after = shoe - self.hands.cards[row]
            ways = shoe[first] * (shoe[last] - 1) if first == last else 2 * shoe[first] * shoe[last]
            found[:, row] = ways * after / (left * (left - 1) * (left - 2))
        return found

    @cached_property
    def natural(self) -> int:
        """The row of the player's Blackjack."""
        return self.hands.row((1, 10))

    @cached_property
    def pairs(self) -> tuple[int, ...]:
        """The rows of the ten pairs."""
        return tuple(self.hands.row((value, value)) for value in range(1, 11))

    @cached_property
    def mate(self) -> int:
        """The kind of the hands that splitting adds: 1 where they differ from the first (`Terms.unequal`)."""
        return int(self.terms.unequal)

    @cached_property
    def openings(self) -> dict[World, tuple[int, int]]:
        """For each world after a split, the rows of the lone card and of the pair."""
        return {
            world: (self.hands.row((world[0],), world), self.hands.row((world[0], world[0]), world))
            for world in self.hands.worlds
            if world != DEALT
        }


@dataclass(frozen=True)
class Play:
    """One way to play all hands. With a peek, values count only the cases without a dealer Blackjack.

    `split` says which pairs are split, by up-card and card.
    """

    quality: Floats
    act: Ints
    val: Floats
    split: Bools


def table(terms: Terms, worlds: tuple[World, ...] | None = None) -> Table:
    """Lay out a sheet."""
    if worlds is None:
        kinds = (0, 1) if terms.unequal else (0,)
        worlds = (DEALT, *((split, 1, kind) for kind in kinds for split in range(1, 11)))
    layout = hands(worlds)
    state, may = states(terms, layout)
    found = np.empty((10, len(layout.total), dealer.ENDS))
    shoes = terms.shoe - layout.gone
    for up in range(10):
        shoes[:, up] -= 1
        found[up] = dealer.ends(shoes, up + 1, terms.hits_soft_17)
        shoes[:, up] += 1
    return Table(terms, layout, found, state, may)


def best(table: Table) -> Play:
    """Best play of every hand by its own cards; splitting is decided later."""
    return follow(table, np.full(table.ends.shape[:2], -1), table.terms.loss)


def follow(table: Table, given: Ints, loss: Floats, stakes: float = 2.0) -> Play:
    """Play as given, and best where nothing (-1) is given; `stakes` are counted on a doubled hand."""
    one, terms = table.hands, table.terms
    quality = np.empty((*given.shape, 4))
    act, val = np.empty_like(given), np.empty(given.shape)
    kernels.plan(
        *(one.order, one.follow, one.gone, one.total, one.kind, table.state, table.may, terms.shoe, table.ends),
        *(terms.peek, loss, stakes, given, quality, act, val),
    )
    return Play(quality, act, val, np.zeros((10, 10), dtype=np.bool_))


def doubled(table: Table, act: Ints) -> Floats:
    """How many stakes doubling adds to each hand on average."""
    one, terms, out = table.hands, table.terms, np.empty(act.shape)
    kernels.doubling(one.order, one.follow, one.gone, terms.shoe, table.ends, terms.peek, act, out)
    return out


def held(table: Table, act: Ints, start: Floats) -> tuple[Floats, Floats, Floats]:
    """From a chance of each first hand: how often each hand is held, held doubled, and bust."""
    one, mass = table.hands, start.copy()
    twice, bust = np.zeros_like(mass), np.zeros((10, 4))
    kernels.flow(one.order, one.follow, one.gone, table.terms.shoe, act, mass, twice, bust)
    return mass, twice, bust
