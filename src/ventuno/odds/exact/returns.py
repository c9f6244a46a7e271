"""From values of hands to a return: both bases of a figure, insurance, Blackjacks and bets behind included."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from ventuno.odds.exact.dealer import NATURAL
from ventuno.odds.exact.hand_tree import ACE, HandTree, Play
from ventuno.odds.exact.rules import Bools, Floats
from ventuno.odds.exact.splits import Splits, measure_hands, measure_stakes, measure_undoubled, measure_value


@dataclass(frozen=True, slots=True)
class Figure:
    """Expected net result and expected stakes of a round, per initial stake."""

    ev: float
    stake: float

    @property
    def initial(self) -> float:
        """Return in per cent of the initial stake."""
        return 100.0 * (1.0 + self.ev)

    @property
    def total(self) -> float:
        """Return in per cent of all stakes."""
        return 100.0 * (1.0 + self.ev / self.stake)

    def on(self, base: str) -> float:
        return self.total if base == "total" else self.initial


@dataclass(frozen=True, slots=True)
class Insurance:
    """What insurance is worth, per unit staked on it: on average over all hands, and for the best hand to hold.

    `even_money` says whether best play takes it; `always_gains` whether a player who always takes insurance and even
    money does better than one who never does.
    """

    offered: bool
    mean: float
    best: float
    even_money: bool
    always_gains: bool


def add_figures(parts: Iterable[Figure]) -> Figure:
    """One figure from those of all up-cards."""
    every = list(parts)
    return Figure(sum(part.ev for part in every), sum(part.stake for part in every))


def measure_first_hands(tree: HandTree, play: Play, measured: Floats, split: Floats) -> Floats:
    """A measure of the first hands: pairs that are split take their part of `split`."""
    out, pairs = measured.copy(), tree.hands.pairs
    out[pairs] += tree.rules.same * play.split * (split - measured[pairs])
    return out


def compute_figure(tree: HandTree, val: Floats, staked: Floats, insured: Bools, even_money: bool) -> Figure:
    """The part of one up-card in the return, from value and stakes of each first hand without what a peek ends."""
    rules, row, natural = tree.rules, tree.hands.natural, tree.ends[:, NATURAL]
    if tree.peek:
        val, staked = val - natural, staked + natural
    val[row], staked[row] = float(rules.pays) * (1.0 - natural[row]), 1.0
    if tree.up == ACE:
        if even_money:
            val[row] = 1.0
        val += np.where(insured, 0.5 * value_insurance(tree), 0.0)
        staked += np.where(insured, 0.5, 0.0)
    dealt = tree.deal > 0.0
    return Figure(float(tree.deal[dealt] @ val[dealt]), float(tree.deal[dealt] @ staked[dealt]))


def value_insurance(tree: HandTree) -> Floats:
    """The value of insurance against an ace per unit staked on it, for each hand (V-06)."""
    natural = tree.ends[:, NATURAL]
    return float(tree.rules.insurance or 0) * natural - (1.0 - natural)


def find_insured_hands(tree: HandTree) -> tuple[Insurance, Bools]:
    """Against an ace: the hands for which insurance gains; even money where a Blackjack is worth less than one.

    A Blackjack that is offered even money has no insurance (L-08).
    """
    rules, gain, chance = tree.rules, value_insurance(tree), tree.deal.copy()
    keeps = float(rules.pays) * (1.0 - float(tree.ends[tree.hands.natural, NATURAL]))
    if rules.even_money:
        chance[tree.hands.natural] = 0.0
    dealt = chance > 0.0
    if rules.insurance is None or not dealt.any():
        return Insurance(False, 0.0, 0.0, False, False), np.zeros_like(dealt)
    average = float(chance[dealt] @ gain[dealt] / chance.sum())
    even = float(tree.deal[tree.hands.natural]) * (1.0 - keeps) if rules.even_money else 0.0
    insurance = Insurance(
        offered=True,
        mean=average,
        best=float(gain[dealt].max()),
        even_money=rules.even_money and keeps < 1.0,
        always_gains=0.5 * average * float(chance.sum()) + even > 0.0,
    )
    return insurance, dealt & (gain > 0.0)


def solve_behind(tree: HandTree, splits: Splits, play: Play, insured: Bools) -> Mapping[tuple[bool, bool], Figure]:
    """The part of one up-card in the figures by (follow_double, follow_split), the owner of the box playing best.

    A split not followed keeps the first hand (reading 5). Insurance is the bettor's own decision (V-29) and is taken
    where it gains.
    """
    figures: dict[tuple[bool, bool], Figure] = {}
    for double in (False, True):
        worth, staked = (measure_value, measure_stakes) if double else (measure_undoubled, measure_hands)
        values, staked_values = worth(tree, play.act), staked(tree, play.act)
        after, staked_after = splits.sum_hands(play, worth, values), splits.sum_hands(play, staked, staked_values)
        for split in (False, True):
            figures[double, split] = compute_figure(
                tree,
                measure_first_hands(tree, play, values, after[split]),
                measure_first_hands(tree, play, staked_values, staked_after[split]),
                insured,
                even_money=False,
            )
    return figures
