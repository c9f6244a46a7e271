"""The mathematics: exact values, certificates, the simulator. Reads the same sheets as the tables.

Everything a researcher needs is a name of this package. Nothing is imported before it is asked for: the package itself
costs nothing, `solve` brings numpy, and numba where a kernel is not compiled yet. docs/odds.md says what is computed,
and on which conventions.

A sheet, its return by best play (CD) and by the best chart on totals (TD), both in per cent of the published base:

>>> from ventuno.odds import chart_return, load, solve
>>> sheet = load("ventuno")
>>> found = solve(sheet)
>>> f"{found.rtp:.6f} {found.rtp_td:.6f} {found.sd:.6f}"
'99.292589 99.290318 1.113055'
>>> found.chart.hard[16, 10], found.chart.pair[8, 10]
('H', False)

What if the dealer hits soft 17:

>>> other = load("ventuno", {"dealer.soft_17": "hit"})
>>> f"{solve(other).rtp - found.rtp:.4f}", f"{chart_return(other, found.chart).initial - found.rtp_td:.4f}"
('-0.2158', '-0.2194')

The value of any hand in stakes: sixteen against a ten, eights against a six, sixteen with four small cards gone:

>>> from ventuno.odds import insurance, values
>>> {action: f"{value:.4f}" for action, value in values(sheet, (10, 6), 10).items()}
{'stand': '-0.5764', 'hit': '-0.5719', 'double': '-1.1439'}
>>> max(values(sheet, (8, 8), 6).items(), key=lambda pair: pair[1])[0]
'split'
>>> best = values(sheet, (10, 6), 10, seen=(5, 5, 4, 4))
>>> max(best, key=best.__getitem__)
'stand'
>>> f"{insurance(sheet, (10, 9)):.4f}"
'-0.0775'

Every figure of a game, and many rounds of it:

>>> from ventuno.odds import best_strategy, certify, simulate
>>> [(claim.bet, claim.published, claim.matches) for claim in certify(load("duello")).figures]
[('main', '98.38', True), ('2-up', '93.47', True)]
>>> duel = load("duello")
>>> result = simulate(duel, best_strategy(duel), 200_000, seed=21)
>>> result.rounds, abs(result.bets["2-up"].value - 0.9347) < 3 * result.bets["2-up"].error
(200000, True)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ventuno.core.rules.sheet import Sheet
    from ventuno.odds.bets.cash_out import Offers, OffersTaken, always_taken, reconstruct
    from ventuno.odds.bets.link import LinkReturn, solve_link
    from ventuno.odds.bets.side_bets import SideReturn, side_return
    from ventuno.odds.certificate.certificate import Certificate, certify
    from ventuno.odds.certificate.figure import Claim
    from ventuno.odds.exact.action_values import insurance, values
    from ventuno.odds.exact.chart import Chart
    from ventuno.odds.exact.duel import DuelSolution, solve_duel
    from ventuno.odds.exact.returns import Figure
    from ventuno.odds.exact.rules import NotSolvable
    from ventuno.odds.exact.solver import Solution, best_chart, chart_return, solve
    from ventuno.odds.simulator.simulation import Grid, NotSimulated, best_strategy, machine, simulate
    from ventuno.odds.simulator.tally import Estimate, Result
    from ventuno.sheets import GAMES, load

__all__ = [
    "GAMES",
    "Certificate",
    "Chart",
    "Claim",
    "DuelSolution",
    "Estimate",
    "Figure",
    "Grid",
    "LinkReturn",
    "NotSimulated",
    "NotSolvable",
    "Offers",
    "OffersTaken",
    "Result",
    "Sheet",
    "SideReturn",
    "Solution",
    "always_taken",
    "best_chart",
    "best_strategy",
    "certify",
    "chart_return",
    "insurance",
    "load",
    "machine",
    "reconstruct",
    "side_return",
    "simulate",
    "solve",
    "solve_duel",
    "solve_link",
    "values",
]

_HOMES = {
    "ventuno.core.rules.sheet": ("Sheet",),
    "ventuno.odds.bets.cash_out": ("Offers", "OffersTaken", "always_taken", "reconstruct"),
    "ventuno.odds.certificate.certificate": ("Certificate", "certify"),
    "ventuno.odds.certificate.figure": ("Claim",),
    "ventuno.odds.exact.duel": ("DuelSolution", "solve_duel"),
    "ventuno.odds.exact.returns": ("Figure",),
    "ventuno.odds.bets.link": ("LinkReturn", "solve_link"),
    "ventuno.odds.bets.side_bets": ("SideReturn", "side_return"),
    "ventuno.odds.simulator.simulation": ("Grid", "NotSimulated", "best_strategy", "machine", "simulate"),
    "ventuno.odds.exact.solver": ("Solution", "best_chart", "chart_return", "solve"),
    "ventuno.odds.exact.chart": ("Chart",),
    "ventuno.odds.simulator.tally": ("Estimate", "Result"),
    "ventuno.odds.exact.rules": ("NotSolvable",),
    "ventuno.odds.exact.action_values": ("insurance", "values"),
    "ventuno.sheets": ("GAMES", "load"),
}

if not TYPE_CHECKING:
    from ventuno.lazy_imports import make_getattr

    __getattr__ = make_getattr(__name__, _HOMES)

    def __dir__() -> list[str]:
        return sorted({*globals(), *__all__})
