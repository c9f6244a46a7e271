"""The Gymnasium environments (extra `research`): clean by Gymnasium's own checker, fair by the exact figures."""

import numpy as np
import pytest
from numpy.typing import NDArray

from ventuno.odds.exact.chart import Chart
from ventuno.odds.exact.solver import solve
from ventuno.odds.simulator.round_machine import ACTIONS, CASH_OUT, DECLINE, DOUBLE_IT, HIT_IT, INSURE, SPLIT_IT, STAND
from ventuno.sheets import load

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'research' is not installed")

PHASE, TOTAL, SOFT, PAIR, UP, SPLIT, WAITING, FRESH = range(8)


@pytest.mark.parametrize("game", ["first-person", "sisal"])
def test_checker_is_content(game: str) -> None:
    from gymnasium.utils.env_checker import check_env

    from ventuno.odds.environment import ID

    check_env(gymnasium.make(ID, game=game).unwrapped)


def test_seed_repeats_a_round() -> None:
    from ventuno.odds.environment import BlackjackEnv

    env = BlackjackEnv("sisal")
    played = []
    for _ in range(2):
        view, info = env.reset(seed=99)
        steps = [(view.tolist(), info["action_mask"].tolist())]
        for action in (HIT_IT, HIT_IT, STAND):
            view, reward, over, _, info = env.step(action)
            steps.append((view.tolist(), [*info["action_mask"].tolist(), reward]))
            if over:
                break
        played.append(steps)
    assert played[0] == played[1]


def test_only_the_blackjack_family_has_it() -> None:
    from ventuno.odds.environment import BlackjackEnv

    with pytest.raises(ValueError, match="blackjack family"):
        BlackjackEnv("duello")


def answers(chart: Chart) -> NDArray[np.int64]:
    """The chart's action for what a box sees: phase, total, soft, pair, up-card, fresh."""
    table = np.full((4, 22, 2, 11, 11, 2), STAND)
    table[0] = INSURE if chart.insure else DECLINE
    for soft, totals in enumerate((chart.hard, chart.soft)):
        for (total, up), word in totals.items():
            later = HIT_IT if word in "HDR" else STAND
            table[1, total, soft, :, up, 0] = later
            table[1, total, soft, :, up, 1] = DOUBLE_IT if word in "Dd" else later
            for value in range(1, 11):
                pair = total == (12 if value == 1 else 2 * value) and soft == (value == 1)
                if pair and chart.pair[value, up]:
                    table[1, total, soft, value, up, 1] = SPLIT_IT
    return table


@pytest.mark.parametrize("game", ["first-person", "link"])
def test_the_chart_earns_its_certified_return(game: str) -> None:
    from ventuno.odds.environment import BlackjackVectorEnv

    env = BlackjackVectorEnv(20_000, game)
    view, info = env.reset(seed=5)
    solution = solve(load(game))
    table, chart = answers(solution.chart), solution.chart
    won, squares, rounds = 0.0, 0.0, 0
    for _ in range(200):
        seen = view.astype(np.int64)
        action = table[seen[:, PHASE], seen[:, TOTAL], seen[:, SOFT], seen[:, PAIR], seen[:, UP], seen[:, FRESH]]
        forbidden = info["action_mask"][np.arange(len(action)), action] == 0
        # Where doubling or splitting is not allowed any more, the chart's other word holds.
        row = np.stack([seen[:, TOTAL], seen[:, UP], seen[:, SOFT]], axis=1)[forbidden]
        words = [(chart.soft if soft else chart.hard).get((total, up), "S") for total, up, soft in row.tolist()]
        action[forbidden] = [HIT_IT if word in "HDR" else STAND for word in words]
        view, reward, over, _, info = env.step(action)
        won, squares, rounds = won + reward.sum(), squares + (reward**2).sum(), rounds + int(over.sum())
    error = np.sqrt(squares / rounds) / np.sqrt(rounds)
    assert rounds > 1_000_000
    assert abs(won / rounds - (solution.td.initial / 100 - 1)) < 4 * error


def test_cash_out_is_offered_once_and_paid_at_once() -> None:
    from ventuno.odds.environment import BlackjackVectorEnv

    env = BlackjackVectorEnv(5000, "first-person")
    view, info = env.reset(seed=2)
    offered = info["action_mask"][:, CASH_OUT] == 1
    assert offered.any()
    assert (view[offered][:, FRESH] == 1).all()
    _, reward, over, _, _ = env.step(np.full(5000, CASH_OUT))
    assert over[offered].all()
    assert (reward[offered] >= -0.6).all()
    assert (reward[offered] <= 0.77).all()


def test_a_finished_box_is_dealt_anew_by_the_next_step() -> None:
    from ventuno.odds.environment import BlackjackVectorEnv

    env = BlackjackVectorEnv(64, "sisal")
    env.reset(seed=1)
    for _ in range(50):
        _, _, over, _, _ = env.step(np.full(64, STAND))
        ended = over.copy()
        view, reward, over, cut, info = env.step(np.full(64, STAND))
        assert not over[ended].any()
        assert (reward[ended] == 0).all()
        assert env.observation_space.contains(view)
        assert (info["action_mask"].sum(axis=1) >= 1).all()
        assert not cut.any()
    assert env.action_space.contains(np.full(64, len(ACTIONS) - 1))


def test_vector_seed_repeats_and_partial_reset() -> None:
    from ventuno.odds.environment import BlackjackVectorEnv

    env = BlackjackVectorEnv(16, "link")
    first = env.reset(seed=4)[0].copy()
    assert np.array_equal(first, env.reset(seed=4)[0])
    mask = np.zeros(16, dtype=np.bool_)
    mask[3] = True
    after = env.reset(options={"reset_mask": mask})[0]
    assert np.array_equal(np.delete(first, 3, axis=0), np.delete(after, 3, axis=0))
