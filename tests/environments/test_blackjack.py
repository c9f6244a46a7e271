"""The environments of the blackjack family, single and vectorised: fair by the exact figures."""

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.volume import scale
from ventuno.core.rules import hand
from ventuno.core.rules.cards import card
from ventuno.core.rules.sheet import BLACKJACK, Sheet
from ventuno.odds.exact.chart import Chart
from ventuno.odds.exact.solver import Solution, solve
from ventuno.odds.simulator.automaton import compile_open
from ventuno.odds.simulator.round_machine import ACTIONS, CASH_OUT, DECLINE, DOUBLE_IT, HIT_IT, INSURE, SPLIT_IT, STAND
from ventuno.sheets import load, load_games

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'research' is not installed")

PHASE, TOTAL, SOFT, PAIR, UP, SPLIT, WAITING, FRESH = range(8)


def test_seed_repeats_a_round() -> None:
    from ventuno.environments.blackjack import BlackjackEnv

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
    from ventuno.environments.blackjack import BlackjackEnv

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


def play_chart(sheet: Sheet, solution: Solution) -> tuple[float, float]:
    """What the chart of a solution earns a round in the environment of a sheet, and the standard error of that."""
    from ventuno.environments.blackjack import BlackjackVectorEnv

    env = BlackjackVectorEnv(10_000, sheet)
    view, info = env.reset(seed=5)
    table = answers(solution.chart)
    won, squares, rounds = 0.0, 0.0, 0
    for _ in range(200):
        seen = view.astype(np.int64)
        action = table[seen[:, PHASE], seen[:, TOTAL], seen[:, SOFT], seen[:, PAIR], seen[:, UP], seen[:, FRESH]]
        # Where doubling or splitting is not allowed any more, the chart's other word holds.
        later = table[seen[:, PHASE], seen[:, TOTAL], seen[:, SOFT], seen[:, PAIR], seen[:, UP], 0]
        action = np.where(info["action_mask"][np.arange(len(action)), action], action, later)
        view, reward, over, _, info = env.step(action)
        won, squares, rounds = won + reward.sum(), squares + (reward**2).sum(), rounds + int(over.sum())
    assert rounds > 500_000
    return won / rounds, float(np.sqrt(squares / rounds) / np.sqrt(rounds))


@pytest.mark.parametrize("game", [game for game, sheet in load_games().items() if sheet.game.family == BLACKJACK])
def test_the_chart_earns_its_certified_return(game: str) -> None:
    solution = solve(load(game))
    mean, error = play_chart(load(game), solution)
    assert abs(mean - solution.td.ev) < 4 * error


def test_planted_payout_is_caught() -> None:
    """A Blackjack that pays 6:5 in the environment, and 3:2 in the figure."""
    solution = solve(load("ventuno"))
    mean, error = play_chart(load("ventuno", {"blackjack.pays": "6/5"}), solution)
    assert abs(mean - solution.td.ev) > 6 * error


@pytest.mark.parametrize("game", ["first-person", "link"])
def test_the_reward_is_the_exact_net_result_in_stakes(game: str) -> None:
    from ventuno.environments.blackjack import BlackjackEnv

    env, automaton, chance = BlackjackEnv(game), compile_open(load(game)), np.random.default_rng(8)
    ends = set[float]()
    for seed in range(scale(2_000)):
        view, info = env.reset(seed=seed)
        over = False
        while not over:
            assert env.observation_space.contains(view)
            view, reward, over, _, info = env.step(int(chance.choice(np.flatnonzero(info["action_mask"]))))
        assert info["net"] * automaton.unit == int(info["net"] * automaton.unit)
        assert float(info["net"]) == reward
        ends.add(reward)
    assert {-1.0, 0.0, 1.0, 1.5} <= ends


def test_the_felt_is_rendered_and_its_totals_are_the_features() -> None:
    """What is shown adds up to what is observed, split hands included, and the hole card lies face down."""
    from ventuno.environments.blackjack import BlackjackEnv

    env, chance, splits = BlackjackEnv("link", render_mode="ansi"), np.random.default_rng(8), 0
    for seed in range(scale(4_000)):
        view, info = env.reset(seed=seed)
        while env.name_features(view)["phase"] < 2:
            shown = str(env.render()).splitlines()
            cards = [hand.total(tuple(map(card, line.split("  ")[1].split()))) for line in shown if "Hand" in line]
            assert cards[-1] == view[TOTAL]
            assert shown[0].endswith(" ??")
            assert len(shown[0].split()) == 3
            legal = [env.actions[action] for action in np.flatnonzero(info["action_mask"])]
            assert shown[-1].split()[1:] == legal
            action = "split" if "split" in legal else str(chance.choice(legal))
            splits += action == "split"
            view, reward, over, _, info = env.step(env.actions.index(action))
            if over:
                assert str(env.render()).splitlines()[-1] == f"Net     {reward:+g}"
    assert splits > 3
    assert BlackjackEnv("link").render() is None


def test_cash_out_is_offered_once_and_paid_at_once() -> None:
    from ventuno.environments.blackjack import BlackjackVectorEnv

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
    from ventuno.environments.blackjack import BlackjackVectorEnv

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
    from ventuno.environments.blackjack import BlackjackVectorEnv

    env = BlackjackVectorEnv(16, "link")
    first = env.reset(seed=4)[0].copy()
    assert np.array_equal(first, env.reset(seed=4)[0])
    mask = np.zeros(16, dtype=np.bool_)
    mask[3] = True
    after = env.reset(options={"reset_mask": mask})[0]
    assert np.array_equal(np.delete(first, 3, axis=0), np.delete(after, 3, axis=0))
