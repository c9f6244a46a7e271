"""The environment of a duel: fair by the exact figure, and strict about what is not a duel."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.volume import scale
from ventuno.core.rules.sheet import Sheet
from ventuno.odds.exact.duel import DuelSolution, solve_duel
from ventuno.sheets import load

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'research' is not installed")

SHEET = load("duello")


def play_best(sheet: Sheet, solution: DuelSolution, rounds: int) -> tuple[float, float]:
    """What best play of a solution earns a round in the environment of a sheet, and the standard error of that."""
    from ventuno.environments.duel import ACTIONS, DuelEnv

    env, rewards = DuelEnv(sheet), list[float]()
    env.reset(seed=11)
    for _ in range(rounds):
        view, _ = env.reset()
        over = False
        while not over:
            now = env.name_features(view)
            left, right = now["left"], now["right"]
            plan = solution.chart[now["up"], min(left, right), max(left, right)].plan
            if now["phase"] == 0:
                word = "fold" if plan.folds else "left" if plan.card == left else "right"
            else:
                word = "hit" if plan.hits else "stand"
            view, reward, over, _, info = env.step(ACTIONS.index(word))
        rewards.append(reward)
        assert float(info["net"]) == reward
    return float(np.mean(rewards)), float(np.std(rewards) / np.sqrt(rounds))


def test_best_play_earns_its_exact_return() -> None:
    solution = solve_duel(SHEET)
    mean, error = play_best(SHEET, solution, scale(12_000))
    assert abs(mean - float(solution.value)) < 4 * error


def test_planted_rule_is_caught() -> None:
    """A dealer who qualifies with 21 alone in the environment, and from 13 on in the figure."""
    solution = solve_duel(SHEET)
    mean, error = play_best(load("duello", {"duel.qualify": "21"}), solution, scale(12_000))
    assert abs(mean - float(solution.value)) > 6 * error


def test_what_is_not_legal_is_the_time_out() -> None:
    from ventuno.environments.duel import ACTIONS, DuelEnv

    env = DuelEnv()
    env.reset(seed=1)
    _, reward, over, _, info = env.step(ACTIONS.index("hit"))
    assert (reward, over, info["net"]) == (-1.0, True, -1)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(0)


def test_only_duels_have_it() -> None:
    from ventuno.environments.duel import DuelEnv

    with pytest.raises(ValueError, match="only duels"):
        DuelEnv("sisal")
