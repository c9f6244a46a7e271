"""From values of hands to a return: both bases of a figure, insurance and Blackjacks included."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ventuno.odds.play import Play, Table
from ventuno.odds.terms import Bools, Floats

ACE = 0


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
    """What insurance is worth, per unit staked on it: on average over all hands, and for the best hand to hold."""

    offered: bool
    mean: float
    best: float
    taken: bool
    even_money: bool


def first_hands(table: Table, play: Play, val: Floats, split: Floats) -> Floats:
    """A measure of the first hands: pairs that are split take their part of `split`."""
    out = val.copy()
    for card, row in enumerate(table.pairs):
        part = table.terms.same[card] * play.split[:, card]
        out[:, row] += part * (split[:, card] - val[:, row])
    return out


def figure(table: Table, val: Floats, staked: Floats, insured: Bools, even_money: bool) -> Figure:
    """The return from the value and stakes of each first hand, which leave out what a peek ends at once."""
    terms, row, natural = table.terms, table.natural, table.ends[:, :, 6]
    seen = np.where(terms.peek[:, None], natural, 0.0)
    val, staked = val - seen, staked + seen
    val[:, row] = float(terms.pays) * (1.0 - natural[:, row])
    staked[:, row] = 1.0
    if even_money:
        val[ACE, row] = 1.0
    if insured.any():
        val[ACE] += np.where(insured, 0.5 * insurance_values(table), 0.0)
        staked[ACE] += np.where(insured, 0.5, 0.0)
    dealt = table.deal > 0.0
    chance = table.deal[dealt]
    return Figure(float(chance @ val[dealt]), float(chance @ staked[dealt]))


def insurance_values(table: Table) -> Floats:
    """The value of insurance per unit staked on it, for each first hand (V-06)."""
    natural = table.ends[ACE, :, 6]
    return float(table.terms.insurance or 0) * natural - (1.0 - natural)


def insured_hands(table: Table, even_money: bool) -> tuple[Insurance, Bools]:
    """Insurance where it gains; a Blackjack that is offered even money has no insurance (L-08)."""
    terms = table.terms
    gain, chance = insurance_values(table), table.deal[ACE].copy()
    if terms.even_money:
        chance[table.natural] = 0.0
    dealt = chance > 0.0
    taken = dealt & (gain > 0.0) if terms.insurance is not None else np.zeros_like(dealt)
    average = float(chance @ np.where(dealt, gain, 0.0) / chance.sum()) if dealt.any() else 0.0
    most = float(gain[dealt].max()) if dealt.any() else 0.0
    offered = terms.insurance is not None
    return Insurance(offered, average, most, bool(taken.any()), even_money), taken


def takes_even_money(table: Table) -> bool:
    """Even money pays one whatever the dealer has; it is taken where the Blackjack is worth less than that."""
    keeps = float(table.terms.pays) * (1.0 - float(table.ends[ACE, table.natural, 6]))
    return table.terms.even_money and keeps < 1.0
