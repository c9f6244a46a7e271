"""The simulator against itself on other cores and against planted faults; `test_exact_simulated` has its figures."""

import json
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from ventuno.cli.main import main
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_checks import cards_for_a_round
from ventuno.odds.exact.chart import Chart
from ventuno.odds.exact.solver import Solution, solve
from ventuno.odds.simulator.machines import BlackjackMachine, build_blackjack_machine, describe_cut, find_cut
from ventuno.odds.simulator.simulation import BLOCK, NotSimulated, Strategy, best_strategy, machine, simulate
from ventuno.odds.simulator.tally import Estimate
from ventuno.sheets import GAMES, load

ROUNDS = 8 * BLOCK


@cache
def strategy(game: str) -> Strategy:
    return best_strategy(load(game))


@cache
def solution(game: str) -> Solution:
    return solve(load(game))


def sigmas(estimate: Estimate, exact: float) -> float:
    """Distance from an exact return in per cent, on the published base, in standard errors."""
    return abs(100 * estimate.value - exact) / (100 * estimate.error)


@pytest.mark.parametrize("game", GAMES)
def test_result_depends_on_the_seed_not_on_the_cores(game: str) -> None:
    ready = machine(load(game), strategy(game))
    rounds = 2 * BLOCK + 1001
    alone, shared, other = (
        simulate(load(game), ready, rounds, seed=seed, cores=cores) for seed, cores in ((5, 1), (5, 2), (6, 2))
    )
    assert alone.rounds == shared.rounds == rounds
    for bet, estimate in alone.bets.items():
        assert np.array_equal(estimate.counts, shared.bets[bet].counts)
        assert estimate.rounds == rounds
    assert not np.array_equal(alone.main.counts, other.main.counts)


@pytest.mark.parametrize("game", GAMES)
def test_small_runs_have_exactly_their_rounds(game: str) -> None:
    ready = machine(load(game), strategy(game))
    for rounds in (1, 2, 3, 17, 1000):
        found = simulate(load(game), ready, rounds)
        assert {estimate.rounds for estimate in found.bets.values()} == {rounds}


SHORT_SHUFFLE = "a shuffle that never reaches the last four cards"
WRONG_ENTRY = "a table in which one Blackjack in ten is lost"


def tampered(sheet: Sheet, fault: str) -> BlackjackMachine:
    chart = strategy("first-person")
    assert isinstance(chart, Chart)
    ready = build_blackjack_machine(sheet, chart, statistics=False)
    if fault == SHORT_SHUFFLE:
        return replace(ready, size=ready.size - 4)
    won, entries = ready.faces["main"].won, ready.entries.copy()
    blackjacks = np.flatnonzero(entries >> 24 == 128 + won.index(1.5))
    entries[blackjacks[::10]] = np.uint32(128 + won.index(-1.0)) << 24
    return replace(ready, entries=entries)


@pytest.mark.parametrize("fault", [SHORT_SHUFFLE, WRONG_ENTRY])
def test_planted_fault_is_caught(fault: str) -> None:
    sheet = load("first-person")
    estimate = simulate(sheet, tampered(sheet, fault), 4 * ROUNDS, seed=1, cores=2).main
    assert sigmas(estimate, solution("first-person").rtp_td) > 3


def test_cut_card_and_reshuffle_deal_differently() -> None:
    chart = strategy("ventuno")
    shoe = simulate(load("ventuno"), chart, BLOCK, seed=1, statistics=False)
    fresh = simulate(load("ventuno", {"shoe.reshuffle": "every-round"}), chart, BLOCK, seed=1, statistics=False)
    assert not np.array_equal(shoe.main.counts, fresh.main.counts)


def test_watch_stops_in_order_whatever_the_cores() -> None:
    ready = machine(load("ventuno"), strategy("ventuno"), statistics=False)
    stopped = [
        simulate(load("ventuno"), ready, 64 * BLOCK, seed=9, cores=cores, watch=lambda tally: tally.rounds >= 3 * BLOCK)
        for cores in (1, 2)
    ]
    assert [one.rounds for one in stopped] == [3 * BLOCK] * 2
    assert np.array_equal(stopped[0].main.counts, stopped[1].main.counts)


@pytest.mark.parametrize(
    ("rounds", "seed", "cores"), [(0, 1, 1), (-1, 1, 1), (10**13 + 1, 1, 1), (1, -1, 1), (1, 1, 0), (1, 1, 5000)]
)
def test_absurd_numbers_are_refused(rounds: int, seed: int, cores: int) -> None:
    with pytest.raises(NotSimulated):
        simulate(load("ventuno"), strategy("ventuno"), rounds, seed, cores)


@pytest.mark.parametrize("hands", ["2", "3", "4"])
@pytest.mark.parametrize("decks", ["1", "2", "8"])
@pytest.mark.parametrize("cut", ["[50, 66]", "[90, 100]"])
def test_the_cut_card_comes_forward_where_a_round_would_not_fit(decks: str, hands: str, cut: str) -> None:
    """Contract: 1 to 8 decks, 2 to 4 hands. What fits is left alone, to the card."""
    sheet = load("ventuno", {"shoe.decks": decks, "split.hands": hands, "shoe.cut": cut})
    size, (low, high) = 52 * sheet.shoe.decks, find_cut(sheet)
    alone = replace(sheet, seats=replace(sheet.seats, count=1, per_player=1))
    assert 0 < low <= high
    assert high + cards_for_a_round(alone) <= size
    wanted = tuple(size * percent // 100 - sheet.shoe.burn for percent in sheet.shoe.cut)
    assert ((low, high) == wanted) == (wanted[1] + cards_for_a_round(alone) <= size) == (describe_cut(sheet) == "")


@pytest.mark.parametrize("changes", [{"shoe.decks": "1"}, {"shoe.decks": "2", "split.hands": "4"}])
def test_one_and_two_decks_return_what_is_computed(changes: dict[str, str]) -> None:
    """From a fresh shoe each round as exactly as ever; with the cut card brought forward, close to it."""
    sheet = load("ventuno", changes)
    fresh = load("ventuno", changes | {"shoe.reshuffle": "every-round"})
    chart = best_strategy(fresh)
    exact = solve(fresh).rtp_td
    assert sigmas(simulate(fresh, chart, ROUNDS, seed=3, statistics=False).main, exact) < 3
    found = simulate(sheet, chart, ROUNDS, seed=3, statistics=False)
    assert found.rounds == ROUNDS
    assert abs(100 * found.main.value - exact) < 0.3


def test_command_says_that_the_cut_card_came_forward(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "ventuno", "--rounds", "3000", "--cores", "1", "--json"]
    assert main([*words, "--set", "shoe.decks=1"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["rounds"] == 3000
    assert printed.err == (
        "simulate: shoe.cut: brought forward to 25-30 of 52 cards, so that the longest round fits behind it\n"
    )
    assert main(words) == 0
    assert capsys.readouterr().err == ""


SEEDED = {"ventuno": (461_350, 80_999), "link": (453_674, 79_330)}


@pytest.mark.parametrize("game", SEEDED)
def test_a_seed_gives_what_it_always_gave(game: str) -> None:
    """Results are quoted with their seed: they stay the same to the round."""
    counts = simulate(load(game), strategy(game), BLOCK, seed=7, statistics=False).main.counts
    assert (int(counts.max()), int(sorted(counts)[-3])) == SEEDED[game]


def test_duel_with_a_cut_card_is_refused() -> None:
    with pytest.raises(NotSimulated, match="fresh shoe"):
        machine(load("duello", {"shoe.reshuffle": "cut-card"}), strategy("duello"))


def test_command_prints_one_document(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "link", "--rounds", "3000", "--seed", "4", "--cores", "1", "--json"]) == 0
    printed = capsys.readouterr()
    document = json.loads(printed.out)
    assert printed.err == ""
    assert document["rounds"] == 3000
    assert document["return"] == document["return_total"]
    assert {one["bet"] for one in document["bets"]} == {"main", *load("link").sides}
    keys = {"game", "sheet", "seed", "cores", "seconds", "rounds_per_second", "standard_error", "return_initial"}
    assert keys <= set(document)


def test_command_stops_at_the_target_error(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "ventuno", "--rounds", "1e12", "--target-error", "0.08", "--main-only", "--json"]
    assert main(words) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["standard_error"] <= 0.08
    assert document["rounds"] == 2 * BLOCK


@pytest.mark.parametrize(
    "words",
    [
        *(["--rounds", "0"], ["--rounds", "-7"], ["--rounds", "1e14"], ["--rounds", "many"], ["--rounds", "1.5"]),
        *(["--cores", "0"], ["--cores", "9999"], ["--seed", "-1"], ["--target-error", "0"], ["--target-error", "nan"]),
        *(["--set", "split.hands=9"], ["--set", "nonsense"], ["--set", "shoe.cut=[99,101]"]),
    ],
)
def test_wrong_usage_is_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "ventuno", "--cores", "1", *words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert len(printed.err.splitlines()) == 1
