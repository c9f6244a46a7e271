"""The exact solver: returns, spread and best play of any sheet of the blackjack family.

>>> from ventuno.sheets import load
>>> round(solve(load("ventuno")).rtp, 2)
99.29
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from ventuno.core.sheet import Sheet
from ventuno.odds import splits as measures
from ventuno.odds.behind import behind
from ventuno.odds.chart import chart, charted
from ventuno.odds.figures import Figure, Insurance, figure, first_hands, insured_hands, takes_even_money
from ventuno.odds.outcomes import deviation, outcomes
from ventuno.odds.play import Play, Table, best, table
from ventuno.odds.splits import Splits, method
from ventuno.odds.strategy import Chart
from ventuno.odds.terms import Bools, Floats, terms

COMPOSITION_DEPENDENT = "CD"


@dataclass(frozen=True)
class Solution:
    """What a sheet returns. `cd` is best play by the cards held, `td` the best chart on totals; `rtp*` are per cent.

    `split_method` says how splits were computed; `sd` and `outcomes` are None where they are not computed exactly,
    which is the case when a sheet allows more than two hands from a split.
    """

    sheet: Sheet
    cd: Figure
    td: Figure
    chart: Chart
    insurance: Insurance
    split_method: str
    table: Table
    play: Play
    splits: Splits
    insured: Bools
    strategy_class: str = COMPOSITION_DEPENDENT

    @property
    def rtp(self) -> float:
        """The return in the base that the sheet publishes."""
        return self.cd.on(self.sheet.published.base)

    @property
    def rtp_initial(self) -> float:
        return self.cd.initial

    @property
    def rtp_total(self) -> float:
        return self.cd.total

    @property
    def rtp_td(self) -> float:
        """The return of the chart, in the base that the sheet publishes."""
        return self.td.on(self.sheet.published.base)

    @cached_property
    def outcomes(self) -> Mapping[Fraction, float] | None:
        """Chance of each net result of a round, in initial stakes."""
        if self.table.terms.hands > 2:
            return None
        return outcomes(self.table, self.play, self.insured, self.insurance.even_money)

    @cached_property
    def sd(self) -> float | None:
        """Standard deviation of the net result, in initial stakes."""
        return deviation(self.outcomes) if self.outcomes is not None else None

    @cached_property
    def behind(self) -> Mapping[tuple[bool, bool], Figure]:
        """The bet behind, by (follow_double, follow_split), the owner playing best (V-30, V-31)."""
        return behind(self.table, self.splits, self.play, self.insured)

    @cached_property
    def first_hands(self) -> Floats:
        """The value of each first hand under best play, by up-card; with a peek, of the cases it lets play on."""
        return first_hands(self.table, self.play, self.play.val, self.splits.values(self.play))


def solve(sheet: Sheet, ranks: Sequence[int] | None = None) -> Solution:
    """Solve a sheet, on its decks or on any shoe of thirteen rank counts (2…9, T, J, Q, K, A)."""
    one = table(terms(sheet, ranks))
    splits = Splits(one)
    play = best_play(one, splits)
    even_money = takes_even_money(one)
    insurance, insured = insured_hands(one, even_money)
    on_totals, choices = charted(one, splits, play)
    always = np.where(one.deal[0] > 0.0, insurance.offered and insurance.mean > 0.0, False)
    always[one.natural] &= not one.terms.even_money
    return Solution(
        sheet=sheet,
        cd=_figure(one, splits, play, insured, even_money),
        td=_figure(one, splits, on_totals, always, even_money),
        chart=chart(on_totals, choices, bool(always.any())),
        insurance=insurance,
        split_method=method(one.terms),
        table=one,
        play=play,
        splits=splits,
        insured=insured,
    )


def best_play(one: Table, splits: Splits) -> Play:
    """Best play by the cards held, splits decided."""
    play = best(one)
    pairs = np.stack([play.val[:, row] for row in one.pairs], axis=1)
    allowed = np.array([one.state[row] == 0 for row in one.pairs])
    return replace(play, split=(splits.values(play) > pairs) & allowed)


def _figure(one: Table, splits: Splits, play: Play, insured: Bools, even_money: bool) -> Figure:
    val = first_hands(one, play, play.val, splits.values(play))
    staked = first_hands(one, play, measures.stakes(one, play.act), splits.sums(play, measures.stakes))
    return figure(one, val, staked, insured, even_money)
