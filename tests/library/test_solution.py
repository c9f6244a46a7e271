"""`ventuno.solve`: every bet of every game in one unit, and a chart that is shown and played by."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

import ventuno
from ventuno.odds import solve_duel
from ventuno.odds.certificate.certificate import certify
from ventuno.sheets import GAMES, load


@pytest.mark.parametrize("game", GAMES)
def test_every_return_is_a_fraction_of_the_stake_and_the_certified_one(game: str) -> None:
    solution, certificate = ventuno.solve(game), certify(load(game))
    assert list(solution.bets) == [claim.bet for claim in certificate.figures]
    for claim in certificate.figures:
        bet = solution.bets[claim.bet]
        assert isinstance(bet.rtp, Fraction)
        assert abs(100 * float(bet.rtp) - claim.rtp) < 1e-9
        assert abs(100 * float(bet.initial) - claim.rtp_initial) < 1e-9
        assert abs(100 * float(bet.total) - claim.rtp_total) < 1e-9
        assert (bet.published, bet.matches) == (claim.published, True)
        if claim.exact is not None:
            assert bet.rtp == Fraction(claim.exact)
            assert bet.is_exact
    assert solution.rtp == solution.bets["main"].rtp
    assert solution.main.edge == 1 - solution.main.initial
    mean = sum(float(net) * chance for net, chance in solution.outcomes.items())
    assert abs(mean - float(solution.main.initial - 1)) < 1e-9


def test_a_changed_rule_has_another_return() -> None:
    """What a planted payout does to the return: every Blackjack is short of three tenths of the stake."""
    usual, poorer = ventuno.solve("ventuno"), ventuno.solve(ventuno.load_sheet("ventuno", {"blackjack.pays": "6/5"}))
    assert -0.0137 < float(poorer.rtp - usual.rtp) < -0.0135


def test_the_chart_is_printed_and_drawn() -> None:
    solution = ventuno.solve("ventuno")
    lines = str(solution.chart).splitlines()
    assert lines[1].split() == list("23456789TA")
    assert next(line for line in lines if line.split()[:1] == ["16"]).split() == ["16", *"SSSSSHHHHH"]
    assert next(line for line in lines if line.startswith("8 8")).split()[2:] == list("PPPPPPPPHP")
    assert solution.chart._repr_html_().startswith("<svg")
    assert "0.99292589" in solution._repr_html_()
    assert "F fold" in str(ventuno.solve("duello").chart)


def ask(shoe: str, *actions: str, game: str = "ventuno") -> ventuno.Decision:
    table = ventuno.Table(game, shoe=shoe)
    table.seat("ada")
    table.bet("ada", 1_000)
    now = table.deal()
    for action in actions:
        now = table.decide(action)
    assert now is not None
    return now


def test_the_chart_is_played_by() -> None:
    chart = ventuno.solve("ventuno").chart
    assert chart.choose(ask("TS TD 6C TH")) == "hit"
    assert chart.choose(ask("8S 6D 8C TH")) == "split"
    assert chart.choose(ask("6S 6D 5C TH")) == "double"
    assert chart.choose(ask("2S 6D 3C TH 6H 2D", "hit")) == "hit", "eleven of three cards cannot be doubled"
    assert chart.choose(ask("TS AD 6C TH")) == "decline"


def test_the_chart_of_a_duel_is_its_best_plan() -> None:
    """For every round of a shoe: fold, or the card of the best plan, then its hit or stand."""
    sheet, chart, chance = load("duello"), ventuno.solve("duello").chart, Random(3)
    best = solve_duel(sheet).chart
    table = ventuno.Table(sheet, seed=chance.randrange(99))
    table.seat("ada")
    folds = 0
    for _ in range(40):
        table.bet("ada", 100)
        now = table.deal()
        assert now is not None
        left, right = ventuno.library.table.read_values(now.community)
        plan = best[now.values[0], min(left, right), max(left, right)].plan
        action = chart.choose(now)
        folds += action == "fold"
        assert (action == "fold") == plan.folds
        now = table.decide(action)
        if now is not None:
            assert ventuno.library.table.read_values(now.cards)[1] == plan.card
            assert chart.choose(now) == ("hit" if plan.hits else "stand")
            table.decide(chart.choose(now))
    assert 0 < folds < 40
