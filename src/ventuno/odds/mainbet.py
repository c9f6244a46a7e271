"""The main bet of any game in one form, whoever solved it: what a certificate needs to know of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ventuno.core.sheet import DUEL, Sheet
from ventuno.odds import charts
from ventuno.odds.duel import DuelSolution, solve_duel
from ventuno.odds.strategy import Chart

DUELLED = "exact fraction: every deal of six cards without replacement, best plan for each visible state; one hand"


@dataclass(frozen=True, slots=True, kw_only=True)
class MainBet:
    """Returns are fractions of the stakes; `outcomes` are chances by net result in initial stakes."""

    rtp_initial: float
    rtp_total: float
    td_initial: float
    td_total: float
    stake: float
    sd: float
    outcomes: Mapping[float, float]
    maximum: float
    method: str
    strategy_class: str
    chart: Chart | None = None
    duel: DuelSolution | None = None
    exact: str | None = None
    notes: tuple[str, ...] = ()
    behind: Mapping[str, float] = field(default_factory=dict)
    cash_out: float | None = None
    cash_out_sd: float = 0.0
    cash_out_maximum: float = 0.0

    def strategy(self) -> dict[str, Any]:
        """Best play for scripts."""
        if self.duel is not None:
            return charts.duel_plain(self.duel)
        return charts.plain(self.chart) if self.chart is not None else {}

    def tables(self) -> tuple[charts.Table, ...]:
        """Best play for people."""
        if self.duel is not None:
            return charts.duel_tables(self.duel)
        return charts.tables(self.chart) if self.chart is not None else ()


def main_bet(sheet: Sheet) -> MainBet:
    """Solve the main bet of a sheet, by the solver of its family."""
    return _duel(solve_duel(sheet)) if sheet.game.family == DUEL else _blackjack(sheet)


def _duel(solution: DuelSolution) -> MainBet:
    """The duel: its chart is best play itself, so both strategy classes are one."""
    initial, total = float(solution.rtp_initial), float(solution.rtp_total)
    return MainBet(
        rtp_initial=initial,
        rtp_total=total,
        td_initial=initial,
        td_total=total,
        stake=float(solution.stake),
        sd=solution.sd,
        outcomes={float(net): float(chance) for net, chance in solution.outcomes.items()},
        maximum=float(max(net for net, chance in solution.outcomes.items() if chance)),
        method=DUELLED,
        strategy_class="CD",
        duel=solution,
        exact=str(solution.rtp_total),
        notes=("one hand; with several hands the shared cards change the best plans slightly",),
    )


def _blackjack(sheet: Sheet) -> MainBet:
    raise NotImplementedError
