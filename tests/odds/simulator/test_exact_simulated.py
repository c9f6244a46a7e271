"""Exact and simulated returns agree within three standard errors, for every bet of every game, on both bases.

A certified return is that of a fresh shoe. Ventuno deals from a shoe with a cut card, so it is compared with its shoe
shuffled every round. What the cut card itself costs is measured apart: `CUT_CARD_EFFECT`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from math import sqrt

import pytest

from ventuno.odds.bets.cash_out import always_taken
from ventuno.odds.bets.link import solve_link
from ventuno.odds.bets.side_bets import side_return
from ventuno.odds.exact.duel import solve_duel
from ventuno.odds.exact.solver import solve
from ventuno.odds.simulator.machines import ALWAYS
from ventuno.odds.simulator.simulation import BLOCK, best_strategy, simulate
from ventuno.odds.simulator.tally import Estimate, Result
from ventuno.sheets import GAMES, load

ROUNDS = 64 * BLOCK
SEED = 21
SIGMAS = 3.0
FRESH = {"shoe.reshuffle": "every-round"}
CUT_CARD_EFFECT = -0.013
"""Per cent of the stake: measured over 6e9 rounds (seed 21), standard error 0.0014."""
BETS = {
    "ventuno": {"main", "perfect-pairs", "21+3"},
    "first-person": {"main", "perfect-pairs", "21+3", "always-cash-out"},
    "sisal": {"main", "perfect-pairs", "21+3", "dealer-pair"},
    "duello": {"main", "2-up"},
    "link": {"main", "perfect-pairs", "21+3", "dealer-pair", "link"},
}


@cache
def simulated(game: str) -> Result:
    sheet = load(game, FRESH)
    return simulate(sheet, best_strategy(sheet), ROUNDS, seed=SEED + GAMES.index(game), cores=2)


@cache
def exact(game: str) -> Mapping[str, tuple[float, float]]:
    """Returns on initial and on total stakes, as fractions: the chart on totals, the duel's plans, each side bet."""
    sheet = load(game, FRESH)
    found: dict[str, tuple[float, float]] = {}
    if sheet.game.family == "duel":
        duel = solve_duel(sheet)
        found["main"] = float(duel.rtp_initial), float(duel.rtp_total)
    else:
        chart = solve(sheet).td
        found["main"] = chart.initial / 100, chart.total / 100
    for bet, side in sheet.sides.items():
        alone = float(solve_link(sheet).rtp if side.kind == "bonus" else side_return(sheet, bet).rtp)
        found[bet] = alone, alone
    if sheet.cash_out.offered:
        taken = float(always_taken(sheet).rtp)
        found[ALWAYS] = taken, taken
    return found


def sigmas(estimate: Estimate, wanted: tuple[float, float]) -> float:
    """The distance in standard errors, the larger of both bases."""
    initial = abs(estimate.return_initial - wanted[0]) / estimate.error_initial
    total = abs(estimate.return_total - wanted[1]) / estimate.error_total
    return max(initial, total)


def overpaid(estimate: Estimate) -> Iterator[tuple[float, Estimate]]:
    """The same counts with one payout wrong by a tenth, beside the part of the stake that this payout returns."""
    for place, won in enumerate(estimate.faces.won):
        if won > 0 and estimate.counts[place]:
            pays = [*estimate.faces.won]
            pays[place] *= 1.1
            faces = replace(estimate.faces, won=tuple(pays))
            yield float(won * estimate.counts[place] / estimate.rounds), replace(estimate, faces=faces)


@pytest.mark.parametrize("game", GAMES)
def test_exact_is_simulated(game: str) -> None:
    """And a planted fault is caught: a payout that makes up a fiftieth of the stake, wrong by a tenth."""
    found, wanted = simulated(game), exact(game)
    assert set(found.bets) == set(wanted) == BETS[game]
    for bet, estimate in found.bets.items():
        assert estimate.rounds == ROUNDS
        assert sigmas(estimate, wanted[bet]) < SIGMAS, bet
        wrong = [one for part, one in overpaid(estimate) if part >= 0.02]
        assert wrong, bet
        for one in wrong:
            assert sigmas(one, wanted[bet]) > SIGMAS, bet


def test_cut_card_effect() -> None:
    """The shoe with a cut card returns a little less to a player who does not count."""
    sheet = load("ventuno")
    main = simulate(sheet, best_strategy(sheet), ROUNDS, seed=SEED, cores=2, statistics=False).main
    effect = 100 * main.return_initial - 100 * exact("ventuno")["main"][0]
    assert effect == pytest.approx(CUT_CARD_EFFECT, abs=SIGMAS * 100 * main.sd / sqrt(ROUNDS))
