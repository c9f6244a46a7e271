"""How the dealer ends, from any shoe: every final hand as a set of drawn cards with its number of orders (V-18).

The chance of a set of cards without replacement does not depend on their order, so a few hundred sets per up-card
replace tens of thousands of sequences. Sets form a tree (each is its parent and one card more), so that one
multiplication per node gives all their chances.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np

from ventuno.odds.exact.rules import Bools, Floats, Ints
from ventuno.odds.kernels import registry
from ventuno.odds.kernels.loops.codes import ABREAST, ROWS

Cards: TypeAlias = tuple[int, ...]

BUST, NATURAL, ENDS = 5, 6, 7
"""Ends 0…4 are the totals 17…21; then bust, and Blackjack apart from every other 21."""


@dataclass(frozen=True, slots=True)
class Tree:
    """Sets of cards drawn to one up-card. `end` is -1 where the dealer goes on or busts."""

    depth: Ints
    value: Ints
    copies: Ints
    inner: Bools
    orders: Floats
    end: Ints


def best_total(cards: Cards) -> int:
    """Total of card values; one ace counts 11 where that is better."""
    points = sum(cards)
    return points + 10 if 1 in cards and points <= 11 else points


@cache
def build_dealer_tree(up: int, hits_soft_17: bool) -> Tree:
    """All sets for an up-card value (1 is the ace) that do not bust."""
    orders: dict[Cards, int] = {(): 1}
    layer: dict[Cards, int] = {(): 1}
    while layer:
        following: dict[Cards, int] = {}
        for drawn, ways in layer.items():
            if _end(up, drawn, hits_soft_17) >= 0:
                continue
            for value in range(1, 11):
                more = tuple(sorted((*drawn, value)))
                if up + sum(more) <= 21:
                    following[more] = following.get(more, 0) + ways
        orders |= following
        layer = following
    for drawn in list(orders):
        for length in range(len(drawn)):
            orders.setdefault(drawn[:length], 0)
    nodes = sorted(orders)
    parents = {drawn[:-1] for drawn in nodes}
    return Tree(
        depth=np.array([len(drawn) for drawn in nodes]),
        value=np.array([drawn[-1] - 1 if drawn else 0 for drawn in nodes]),
        copies=np.array([drawn[:-1].count(drawn[-1]) if drawn else 0 for drawn in nodes]),
        inner=np.array([drawn in parents for drawn in nodes]),
        orders=np.array([float(orders[drawn]) for drawn in nodes]),
        end=np.array([_end(up, drawn, hits_soft_17) if orders[drawn] else -1 for drawn in nodes]),
    )


def find_ends(shoes: Floats, up: int, hits_soft_17: bool) -> Floats:
    """Chance of each end for each shoe (rows of ten counts by value, ace first; the up-card has left them)."""
    nodes = build_dealer_tree(up, hits_soft_17)
    out, room = np.empty((len(shoes), ENDS)), np.zeros((ROWS, ABREAST))
    registry.dealer_ends(nodes.depth, nodes.value, nodes.copies, nodes.inner, nodes.orders, nodes.end, shoes, room, out)
    return out


def _end(up: int, drawn: Cards, hits_soft_17: bool) -> int:
    hand = (up, *drawn)
    total = best_total(hand)
    if len(hand) == 2 and total == 21:
        return NATURAL
    soft = total > sum(hand)
    return total - 17 if len(hand) > 1 and total >= 17 and not (total == 17 and soft and hits_soft_17) else -1
