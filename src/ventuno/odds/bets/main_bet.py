"""The main bet of any game in one form, whoever solved it: what a certificate needs to know of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ventuno.core.messages.certificate_notes import Note
from ventuno.core.rules.sheet import DUEL, Sheet
from ventuno.odds.certificate import chart_panels
from ventuno.odds.exact.chart import Chart
from ventuno.odds.exact.duel import DuelSolution, solve_duel
from ventuno.odds.exact.returns import Figure
from ventuno.odds.exact.solver import solve


@dataclass(frozen=True, slots=True, kw_only=True)
class MainBet:
    """Returns are percentages; `outcomes` are chances by net result in initial stakes.

    Where a sheet does not allow them exactly, `sd` is None and `outcomes` empty, and the notes say so.
    """

    rtp_initial: float
    rtp_total: float
    td_initial: float
    td_total: float
    stake: float
    sd: float | None
    outcomes: Mapping[float, float]
    maximum: float
    method: Note
    strategy_class: str
    chart: Chart | None = None
    duel: DuelSolution | None = None
    exact: str | None = None
    notes: tuple[Note, ...] = ()
    behind: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Returns of a bet behind on both bases, by what it follows."""

    def strategy(self) -> dict[str, Any]:
        """Best play for scripts."""
        if self.duel is not None:
            return chart_panels.duel_plain(self.duel)
        return chart_panels.plain(self.chart) if self.chart is not None else {}

    def panels(self) -> tuple[chart_panels.Panel, ...]:
        """Best play for people."""
        if self.duel is not None:
            return chart_panels.build_duel_panels(self.duel)
        return chart_panels.build_panels(self.chart) if self.chart is not None else ()


def solve_main_bet(sheet: Sheet) -> MainBet:
    """Solve the main bet of a sheet, by the solver of its family."""
    return _solve_duel(solve_duel(sheet)) if sheet.game.family == DUEL else _solve_blackjack(sheet)


def _solve_duel(solution: DuelSolution) -> MainBet:
    """The duel: its chart is best play itself, so both strategy classes are one."""
    initial, total = float(100 * solution.rtp_initial), float(100 * solution.rtp_total)
    return MainBet(
        rtp_initial=initial,
        rtp_total=total,
        td_initial=initial,
        td_total=total,
        stake=float(solution.stake),
        sd=solution.sd,
        outcomes={float(net): float(chance) for net, chance in solution.outcomes.items()},
        maximum=float(max(net for net, chance in solution.outcomes.items() if chance)),
        method=Note("method-duel"),
        strategy_class="CD",
        duel=solution,
        exact=str(solution.rtp_total),
        notes=(Note("one-hand"),),
    )


def _solve_blackjack(sheet: Sheet) -> MainBet:
    """The blackjack family: best play by the cards held, the chart on totals beside it."""
    solution = solve(sheet)
    outcomes = {float(net): chance for net, chance in (solution.outcomes or {}).items()}
    return MainBet(
        rtp_initial=solution.cd.initial,
        rtp_total=solution.cd.total,
        td_initial=solution.td.initial,
        td_total=solution.td.total,
        stake=solution.cd.stake,
        sd=solution.sd,
        outcomes=outcomes,
        maximum=max(outcomes, default=_find_largest_win(sheet)),
        method=solution.method,
        strategy_class=solution.strategy_class,
        chart=solution.chart,
        notes=() if outcomes else (Note("unspread"), Note("fixed", {"hands": sheet.split.hands})),
        behind=_behind(solution.behind) if sheet.options.behind else {},
    )


def _find_largest_win(sheet: Sheet) -> float:
    """The largest win that the rules allow on one box: every hand of a split, doubled where that is allowed."""
    split = sheet.split.hands * (2 if sheet.double.after_split else 1)
    return max(2.0, float(split), float(sheet.blackjack.pays.profit))


def _behind(figures: Mapping[tuple[bool, bool], Figure]) -> dict[str, tuple[float, float]]:
    """A bet behind, for each answer to "follow a double" and "follow a split" (V-30, V-31)."""
    names = {
        (True, True): "double and split",
        (True, False): "double",
        (False, True): "split",
        (False, False): "neither",
    }
    return {name: (figures[key].initial, figures[key].total) for key, name in names.items()}
