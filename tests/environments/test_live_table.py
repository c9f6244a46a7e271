"""Several seats of the live table by PettingZoo: clean by its tests, the table's own books, fair by the figures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import ventuno
from tests.support.volume import scale
from ventuno.core.rules.sheet import Sheet
from ventuno.sheets import load

pytest.importorskip("pettingzoo", reason="the extra 'research' is not installed")

Act = Callable[[Any, str], int]


@pytest.mark.parametrize("options", [{}, {"seats": 1}, {"seats": 7, "rounds": 4}])
def test_pettingzoo_is_content(options: dict[str, int]) -> None:
    from pettingzoo.test import api_test, seed_test

    from ventuno.environments import live_table

    api_test(live_table.env(**options), num_cycles=100)
    seed_test(lambda: live_table.env(**options), num_cycles=20)


def play(env: Any, act: Act) -> dict[str, float]:
    """One episode: what each agent was given, step by step, adds up to this."""
    sums = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        view, reward, over, _, info = env.last()
        sums[agent] += reward
        assert env.observation_space(agent).contains(view)
        if over:
            assert abs(float(info["net"]) - sums[agent]) < 1e-9
        env.step(None if over else act(env, agent))
    return sums


def act_by_chance(chance: np.random.Generator) -> Act:
    return lambda env, agent: int(chance.choice(np.flatnonzero(env.infos[agent]["action_mask"])))


def test_rewards_are_the_table_s_own_settlements() -> None:
    from ventuno.environments.live_table import LiveTableEnv

    env, chance = LiveTableEnv(seats=4), np.random.default_rng(2)
    for seed in range(scale(400)):
        env.reset(seed=seed)
        sums = play(env, act_by_chance(chance))
        settlement = env._table.settle()
        assert sums == {name: result.net / 100 for name, result in settlement.players.items()}
        again = ventuno.settle(env._table.notation)
        assert {name: result.net for name, result in again.players.items()} == {
            name: result.net for name, result in settlement.players.items()
        }


def test_all_cards_that_lay_open_are_counted_until_the_shoe_changes() -> None:
    from ventuno.environments.live_table import LiveTableEnv

    env, chance, largest = LiveTableEnv(seats=7, rounds=20), np.random.default_rng(2), 0
    env.reset(seed=3)
    changes, before = 0, 0

    def act(env: Any, agent: str) -> int:
        nonlocal largest, changes, before
        shoe = env._table.state.shoe
        named = env.name_features(env.observe(agent))
        seen = sum(count for name, count in named.items() if name.startswith("seen"))
        # One card was burnt, and one lies face down before the dealer.
        assert seen == shoe.position - 2
        changes += seen < before
        before, largest = seen, max(largest, seen)
        return act_by_chance(chance)(env, agent)

    play(env, act)
    assert largest > 100
    assert changes


def play_chart(sheet: Sheet, chart: ventuno.StrategyChart, rounds: int) -> tuple[float, float]:
    """What the chart earns a seat and round, and the standard error of that; a new shoe each time."""
    from ventuno.environments.live_table import LiveTableEnv

    env, nets = LiveTableEnv(sheet, seats=7), list[float]()
    env.reset(seed=21)

    def act(env: Any, agent: str) -> int:
        assert env._now is None or env._now.player == agent
        return int(env.actions.index(chart.choose(env._now) if env._now else "stand"))

    for _ in range(rounds):
        env.reset()
        nets += play(env, act).values()
    means = np.array(nets).reshape(rounds, 7).mean(axis=1)
    return float(means.mean()), float(means.std() / np.sqrt(rounds))


def test_the_chart_earns_its_certified_return() -> None:
    solution = ventuno.solve("ventuno")
    mean, error = play_chart(load("ventuno"), solution.chart, scale(2_400))
    assert solution.main.by_chart is not None
    assert abs(mean - float(solution.main.by_chart - 1)) < 4 * error


def test_planted_payout_is_caught() -> None:
    """A Blackjack that pays ten to one in the environment, and 3:2 in the figure."""
    solution = ventuno.solve("ventuno")
    mean, error = play_chart(load("ventuno", {"blackjack.pays": "10/1"}), solution.chart, scale(4_000))
    assert solution.main.by_chart is not None
    assert abs(mean - float(solution.main.by_chart - 1)) > 6 * error


def test_only_live_games_have_it() -> None:
    from ventuno.environments.live_table import LiveTableEnv

    for game in ("duello", "first-person"):
        with pytest.raises(ValueError, match="live game"):
            LiveTableEnv(game)
    for seats, rounds in ((0, 1), (8, 1), (3, 0)):
        with pytest.raises(ValueError, match="seats"):
            LiveTableEnv(seats=seats, rounds=rounds)
