"""The exact solver: returns, spread and best play of any sheet of the blackjack family.

>>> from ventuno.sheets import load
>>> round(solve(load("ventuno")).rtp, 2)
99.29
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from ventuno.core.messages.certificate_notes import Note
from ventuno.core.rules.sheet import Sheet
from ventuno.odds.exact import splits as measures
from ventuno.odds.exact.chart import UP_CARDS, Chart, build_chart, decide_splits, optimize_chart, play_chart
from ventuno.odds.exact.hand_tree import ACE, HandTree, Play, build_tree, find_best_actions
from ventuno.odds.exact.outcomes import deviation, find_outcomes, merge
from ventuno.odds.exact.returns import (
    Figure,
    Insurance,
    add_figures,
    compute_figure,
    find_insured_hands,
    measure_first_hands,
    solve_behind,
)
from ventuno.odds.exact.rules import Bools, Floats, Ints, Rules, read_rules
from ventuno.odds.exact.splits import Splits, describe_method


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
    method: Note
    strategy_class: str = "CD"

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
    rules = read_rules(sheet, ranks)
    ace = build_tree(rules, ACE)
    insurance, insured = find_insured_hands(ace)
    always = (ace.deal > 0.0) & insurance.always_gains
    always[ace.hands.natural] &= not rules.even_money
    del ace
    parts = {up: _solve_up_card(rules, up, insurance, insured, always, sheet.options.behind) for up in UP_CARDS}
    distribution = merge(part.outcomes for part in parts.values()) if rules.hands == 2 else None
    follows = parts[ACE].behind
    return Solution(
        sheet=sheet,
        cd=add_figures(part.cd for part in parts.values()),
        td=add_figures(part.td for part in parts.values()),
        sd=deviation(distribution) if distribution is not None else None,
        outcomes=distribution,
        chart=build_chart({up: (part.choices, part.pairs) for up, part in parts.items()}, insurance.always_gains),
        insurance=insurance,
        behind={choice: add_figures(part.behind[choice] for part in parts.values()) for choice in follows},
        method=describe_method(rules),
    )


def best_chart(sheet: Sheet) -> Chart:
    """The chart of `solve` alone: all that a simulation needs, in less than half the time."""
    rules = read_rules(sheet)
    choices_by_up: dict[int, tuple[Ints, Bools]] = {}
    for up in UP_CARDS:
        tree = build_tree(rules, up)
        splits = Splits(tree)
        play, choices = optimize_chart(tree, splits, find_best_play(tree, splits))
        choices_by_up[up] = choices, play.split
    return build_chart(choices_by_up, find_insured_hands(build_tree(rules, ACE))[0].always_gains)


def chart_return(sheet: Sheet, chart: Chart, ranks: Sequence[int] | None = None) -> Figure:
    """The exact return of any chart on totals; even money follows its `insure`."""
    rules = read_rules(sheet, ranks)
    return add_figures(_solve_chart(build_tree(rules, up), chart) for up in UP_CARDS)


def _solve_chart(tree: HandTree, chart: Chart) -> Figure:
    insured = (tree.deal > 0.0) & (chart.insure and tree.rules.insurance is not None)
    insured[tree.hands.natural] &= not tree.rules.even_money
    splits = Splits(tree)
    return _compute_figure(
        tree, splits, play_chart(tree, splits, chart), insured, chart.insure and tree.rules.even_money
    )


def find_best_play(tree: HandTree, splits: Splits) -> Play:
    """Best play by the cards held, splits decided."""
    return decide_splits(tree, splits, find_best_actions(tree))


def value_first_hands(tree: HandTree) -> Floats:
    """The value of each first hand under best play; with a peek, the part of the cases that it lets play on."""
    play = find_best_play(tree, Splits(tree))
    return measure_first_hands(tree, play, play.val, play.worth)


def _solve_up_card(
    rules: Rules, up: int, insurance: Insurance, insured: Bools, always: Bools, with_behind: bool
) -> _Part:
    tree = build_tree(rules, up)
    splits = Splits(tree)
    play = find_best_play(tree, splits)
    on_totals, choices = optimize_chart(tree, splits, play)
    return _Part(
        cd=_compute_figure(tree, splits, play, insured, insurance.even_money),
        td=_compute_figure(tree, splits, on_totals, always, insurance.always_gains and rules.even_money),
        choices=choices,
        pairs=on_totals.split,
        outcomes=find_outcomes(tree, play, insured, insurance.even_money) if rules.hands == 2 else {},
        behind=solve_behind(tree, splits, play, insured) if with_behind else {},
    )


def _compute_figure(tree: HandTree, splits: Splits, play: Play, insured: Bools, even_money: bool) -> Figure:
    staked = measures.measure_stakes(tree, play.act)
    after = splits.sum_hands(play, measures.measure_stakes, staked)[1]
    val, staked = (measure_first_hands(tree, play, *both) for both in ((play.val, play.worth), (staked, after)))
    return compute_figure(tree, val, staked, insured, even_money)
