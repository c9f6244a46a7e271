"""Every game has an environment that Gymnasium's own checker is content with, seeded, named and rendered."""

from __future__ import annotations

import doctest
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ventuno.sheets import GAMES, load

gymnasium = pytest.importorskip("gymnasium", reason="the extra 'research' is not installed")

PAGE = Path(__file__).resolve().parents[2] / "docs" / "environments.md"
IDS = [
    *("Ventuno/Blackjack-v0", "Ventuno/FirstPerson-v0", "Ventuno/Sisal-v0", "Ventuno/Duello-v0", "Ventuno/Link-v0"),
]


def make(name: str, **options: object) -> Any:
    import ventuno.environments  # registers

    assert list(ventuno.environments.IDS) == IDS
    return gymnasium.make(name, **options)


def play(env: Any, seed: int, chance: np.random.Generator) -> list[object]:
    """One round of random legal actions: all that was seen and done."""
    view, info = env.reset(seed=seed)
    seen: list[object] = [view.tolist()]
    over = False
    while not over:
        action = int(chance.choice(np.flatnonzero(info["action_mask"])))
        view, reward, over, cut, info = env.step(action)
        assert not cut
        seen += [action, view.tolist(), reward, info["action_mask"].tolist(), info.get("net")]
    return seen


def test_every_game_of_the_package_has_one() -> None:
    import ventuno.environments

    assert tuple(ventuno.environments.IDS.values()) == GAMES
    assert gymnasium.make("ventuno.environments:Ventuno/Sisal-v0").spec.kwargs["game"] == "sisal"


@pytest.mark.parametrize("name", IDS)
def test_checker_is_content(name: str) -> None:
    from gymnasium.utils.env_checker import check_env

    check_env(make(name).unwrapped)


@pytest.mark.parametrize("name", IDS)
def test_a_seed_repeats_rounds_and_another_does_not(name: str) -> None:
    def evening(first: int) -> list[list[object]]:
        env, chance = make(name), np.random.default_rng(1)
        return [play(env, first + k, chance) for k in range(20)]

    assert evening(7) == evening(7)
    assert evening(7) != evening(8)


@pytest.mark.parametrize("name", IDS)
def test_features_and_actions_have_names(name: str) -> None:
    env = make(name).unwrapped
    view, info = env.reset(seed=3)
    named = env.name_features(view)
    assert list(named.values()) == view.tolist()
    assert {"phase", "total", "soft", "up"} <= set(named)
    assert len(env.actions) == env.action_space.n == len(info["action_mask"])
    assert {"hit", "stand"} <= set(env.actions)


@pytest.mark.parametrize("name", IDS)
def test_text_is_rendered_where_it_is_asked_for(name: str) -> None:
    env = make(name, render_mode="ansi")
    env.reset(seed=3)
    assert "??" in env.render()
    assert "Dealer" in env.render()
    quiet = make(name).unwrapped
    quiet.reset(seed=3)
    assert quiet.render() is None


def test_a_sheet_of_one_s_own_is_played() -> None:
    """A fold costs an ante, whatever the rules; with another qualifying total other rounds win."""
    env = make("Ventuno/Duello-v0", game=load("duello", {"duel.qualify": "2"}))
    usual = make("Ventuno/Duello-v0")
    rounds = [
        (play(env, k, np.random.default_rng(k))[-1], play(usual, k, np.random.default_rng(k))[-1]) for k in range(60)
    ]
    assert any(changed != plain for changed, plain in rounds)


def test_many_boxes_at_once_by_the_same_id() -> None:
    import ventuno.environments  # noqa: F401  registers

    many = gymnasium.make_vec("Ventuno/Link-v0", num_envs=8)
    views, info = many.reset(seed=1)
    assert views.shape == info["action_mask"].shape == (8, 8)


def test_the_page_s_examples_are_true() -> None:
    pytest.importorskip("pettingzoo", reason="the extra 'research' is not installed")
    done = doctest.testfile(str(PAGE), module_relative=False, encoding="utf-8")
    assert done.attempted > 15
    assert not done.failed
