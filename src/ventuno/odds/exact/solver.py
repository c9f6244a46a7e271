"""The exact solver: returns, spread and best play of any sheet of the blackjack family.

>>> from ventuno.sheets import load
>>> round(solve(load("ventuno")).rtp, 2)
99.29
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ventuno.core.rules.sheet import Sheet
from ventuno.odds.bets.behind import behind
from ventuno.odds.exact import splits as measures
from ventuno.odds.exact.chart import chart, charted, decided, played
from ventuno.odds.exact.hand_tree import ACE, Play, Table, best, table
from ventuno.odds.exact.outcomes import deviation, merged, outcomes
from ventuno.odds.exact.returns import Figure, Insurance, added, figure, first_hands, insured_hands
from ventuno.odds.exact.rules import Bools, Floats, Ints, Terms, terms
from ventuno.odds.exact.splits import Splits, method
from ventuno.odds.exact.strategy import UP_CARDS, Chart


@dataclass(frozen=True, slots=True)
class Solution:
    """What a sheet returns. `cd` is best play by the cards held, `td` the best chart on totals; `rtp…` are per cent.

    `method` says how that was computed. `outcomes` (chance of each net result of a round in initial stakes)
    and `sd` belong to `cd`; they are None where they are not exact: when a split may lead to more than two hands.
    `behind` goes by (follow_double, follow_split).
    """

    sheet: Sheet
    cd: Figure
    td: Figure
    sd: float | None
    outcomes: Mapping[Fraction, float] | None
    chart: Chart
    insurance: Insurance
    behind: Mapping[tuple[bool, bool], Figure]
    method: str
    strategy_class: str = "CD"

    @property
    def rtp(self) -> float:
        """The return in the base that the sheet publishes."""
        return self.cd.on(self.sheet.published.base)

    @property
    def split_method(self) -> str:
        """How splits were computed: the last part of the method."""
        return self.method.partition("splits ")[2]

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


@dataclass(frozen=True, slots=True)
class _Part:
    """What one up-card adds."""

    cd: Figure
    td: Figure
    choices: Ints
    pairs: Bools
    outcomes: Mapping[Fraction, float]
    behind: Mapping[tuple[bool, bool], Figure]


def solve(sheet: Sheet, ranks: Sequence[int] | None = None) -> Solution:
    """Solve a sheet, on its decks or on any shoe of thirteen rank counts (2…9, T, J, Q, K, A)."""
    rules = terms(sheet, ranks)
    ace = table(rules, ACE)
    insurance, insured = insured_hands(ace)
    always = (ace.deal > 0.0) & insurance.charted
    always[ace.natural] &= not rules.even_money
    del ace
    parts = {up: _part(rules, up, insurance, insured, always, sheet.options.behind) for up in UP_CARDS}
    distribution = merged(part.outcomes for part in parts.values()) if rules.hands == 2 else None
    follows = parts[ACE].behind
    return Solution(
        sheet=sheet,
        cd=added(part.cd for part in parts.values()),
        td=added(part.td for part in parts.values()),
        sd=deviation(distribution) if distribution is not None else None,
        outcomes=distribution,
        chart=chart({up: (part.choices, part.pairs) for up, part in parts.items()}, insurance.charted),
        insurance=insurance,
        behind={choice: added(part.behind[choice] for part in parts.values()) for choice in follows},
        method=method(rules),
    )


def best_chart(sheet: Sheet) -> Chart:
    """The chart of `solve` alone: all that a simulation needs, in less than half the time."""
    rules = terms(sheet)
    found: dict[int, tuple[Ints, Bools]] = {}
    for up in UP_CARDS:
        one = table(rules, up)
        splits = Splits(one)
        play, choices = charted(one, splits, best_play(one, splits))
        found[up] = choices, play.split
    return chart(found, insured_hands(table(rules, ACE))[0].charted)


def chart_return(sheet: Sheet, one: Chart, ranks: Sequence[int] | None = None) -> Figure:
    """The exact return of any chart on totals; even money follows its `insure`."""
    rules = terms(sheet, ranks)
    return added(_charted(table(rules, up), one) for up in UP_CARDS)


def _charted(here: Table, one: Chart) -> Figure:
    insured = (here.deal > 0.0) & (one.insure and here.terms.insurance is not None)
    insured[here.natural] &= not here.terms.even_money
    splits = Splits(here)
    return _figure(here, splits, played(here, splits, one), insured, one.insure and here.terms.even_money)


def best_play(one: Table, splits: Splits) -> Play:
    """Best play by the cards held, splits decided."""
    return decided(one, splits, best(one))


def first_values(one: Table) -> Floats:
    """The value of each first hand under best play; with a peek, the part of the cases that it lets play on."""
    play = best_play(one, Splits(one))
    return first_hands(one, play, play.val, play.worth)


def _part(rules: Terms, up: int, insurance: Insurance, insured: Bools, always: Bools, with_behind: bool) -> _Part:
    one = table(rules, up)
    splits = Splits(one)
    play = best_play(one, splits)
    on_totals, choices = charted(one, splits, play)
    return _Part(
        cd=_figure(one, splits, play, insured, insurance.even_money),
        td=_figure(one, splits, on_totals, always, insurance.charted and rules.even_money),
        choices=choices,
        pairs=on_totals.split,
        outcomes=outcomes(one, play, insured, insurance.even_money) if rules.hands == 2 else {},
        behind=behind(one, splits, play, insured) if with_behind else {},
    )


def _figure(one: Table, splits: Splits, play: Play, insured: Bools, even_money: bool) -> Figure:
    staked = measures.stakes(one, play.act)
    after = splits.sums(play, measures.stakes, staked)[1]
    val, staked = (first_hands(one, play, *both) for both in ((play.val, play.worth), (staked, after)))
    return figure(one, val, staked, insured, even_money)
