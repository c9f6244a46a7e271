"""Best play as a chart: to read, to show in a notebook, and to play by."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Protocol

from ventuno.core.rules.sheet import Sheet
from ventuno.odds.bets.main_bet import MainBet
from ventuno.odds.certificate import svg
from ventuno.odds.certificate.chart_panels import Panel, legend
from ventuno.odds.exact.chart import Chart
from ventuno.odds.exact.duel import DuelSolution

CHOICES = {
    "H": ("hit",),
    "S": ("stand",),
    "D": ("double", "hit"),
    "d": ("double", "stand"),
    "R": ("surrender", "hit"),
    "r": ("surrender", "stand"),
}
"""What a letter of the chart means: the first of these that is allowed."""


class Asked(Protocol):
    """What a chart looks at: `Decision` of `ventuno.Table` and of `ventuno.client` have it."""

    @property
    def options(self) -> Container[str]: ...
    @property
    def total(self) -> int: ...
    @property
    def is_soft(self) -> bool: ...
    @property
    def values(self) -> tuple[int, ...]: ...
    @property
    def dealer_value(self) -> int: ...
    @property
    def community(self) -> tuple[str, ...]: ...


@dataclass(frozen=True, slots=True)
class StrategyChart:
    """The best chart of a sheet: `print` writes it, a notebook draws it, `choose` plays by it."""

    sheet: Sheet
    main: MainBet

    @property
    def panels(self) -> tuple[Panel, ...]:
        """Its blocks of cells."""
        return self.main.panels()

    def choose(self, now: Asked) -> str:
        """The action for what is asked; where the best is not allowed, the one that the chart names instead."""
        if self.main.duel is not None:
            return choose_in_duel(self.main.duel, now)
        if self.main.chart is None:
            raise LookupError(f"{self.sheet.game.id} has no chart")
        return choose_by_totals(self.main.chart, now)

    def __str__(self) -> str:
        blocks = [_write_panel(panel) for panel in self.panels]
        key = "   ".join(f"{sample} {meaning}" for _, sample, meaning in legend(self.panels))
        return "\n\n".join([*blocks, key])

    def _repr_html_(self) -> str:
        across = 5 if self.main.duel is not None else 3
        return svg.strategy(self.panels, f"{self.sheet.game.name}: best play", across=across)


def choose_by_totals(chart: Chart, now: Asked) -> str:
    """The chart's action on a hand, or its answer on insurance."""
    if "decline" in now.options:
        wanted = ("even-money", "insure") if chart.insure else ()
        return next((action for action in wanted if action in now.options), "decline")
    if "split" in now.options and chart.pair[now.values[0], now.dealer_value]:
        return "split"
    letter = (chart.soft if now.is_soft else chart.hard)[now.total, now.dealer_value]
    return next(action for action in CHOICES[letter] if action in now.options)


def choose_in_duel(solution: DuelSolution, now: Asked) -> str:
    """Fold or take a card; then hit or stand, as the plan for what is visible says."""
    from ventuno.library.table import read_values

    left, right = read_values(now.community)
    plan = solution.chart[now.values[0], min(left, right), max(left, right)].plan
    if "fold" not in now.options:
        return "hit" if plan.hits else "stand"
    side = "left" if plan.card == left else "right"
    return side if not plan.folds and side in now.options else "fold"


def _write_panel(panel: Panel) -> str:
    wide = max(len(label) for label, _ in panel.rows)
    rows = [panel.title, " " * wide + "".join(f" {column:>3}" for column in panel.columns)]
    rows += [f"{label:>{wide}}" + "".join(f" {cell.text:>3}" for cell in line) for label, line in panel.rows]
    return "\n".join(row.rstrip() for row in rows)
