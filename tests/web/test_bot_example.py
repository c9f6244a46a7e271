"""examples/bot.py: it plays every game through the public protocol, and decides by what the house allows (X-09)."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.server_process import ROOT, ServerProcess, example, running, wishes
from ventuno.sheets import GAMES, load
from ventuno.web.sockets.changes import apply_changes, diff

FILE = ROOT / "examples" / "bot.py"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running(tmp_path_factory.mktemp("bots")) as made:
        yield made


@pytest.mark.parametrize("game", GAMES)
async def test_the_example_plays_every_game(house: ServerProcess, game: str) -> None:
    rounds = 12 if load(game).game.solo else 1
    played, net = await example().visit(wishes(house, game, rounds))
    assert played == rounds
    assert net % load(game).stakes.unit == 0 or load(game).cash_out.offered


async def test_a_game_or_a_table_that_is_not_there(house: ServerProcess) -> None:
    with pytest.raises(SystemExit, match="no such game; games: ventuno"):
        await example().visit(wishes(house, "roulette", 1))
    with pytest.raises(SystemExit, match="no such table has a free seat"):
        await example().visit(wishes(house, "ventuno", 1, "Ventuno 99"))


def test_it_needs_two_libraries_and_nothing_of_ours() -> None:
    tree = ast.parse(FILE.read_text(encoding="utf-8"))
    named = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert named - set(sys.stdlib_module_names) == {"httpx", "websockets"}


@pytest.mark.parametrize(
    ("allowed", "cards", "dealer", "community", "action"),
    [
        ("hit stand double", "5S 6S", "6D", "", "double"),
        ("hit stand double", "5S 6S", "AD", "", "hit"),
        ("hit stand split", "8S 8D", "TD", "", "split"),
        ("hit stand", "TS 6S", "6D", "", "stand"),
        ("hit stand", "TS 6S", "TD", "", "hit"),
        ("hit stand", "AS 6S", "6D", "", "hit"),
        ("hit stand", "AS 7S", "6D", "", "stand"),
        ("decline insure", "AS 7S", "AD", "", "decline"),
        ("fold left right", "TS", "6D", "AD 5S", "left"),
        ("fold left right", "TS", "6D", "2D KS", "right"),
        ("fold left right", "TS", "6D", "2D 5S", "fold"),
    ],
)
def test_how_it_decides(allowed: str, cards: str, dealer: str, community: str, action: str) -> None:
    made = example().decide(set(allowed.split()), cards.split(), dealer.split(), community.split())
    assert made == action


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"a": 1, "b": [1, 2, 3]}, {"b": [1], "c": {"d": None}}),
        ({"b": [1]}, {"b": [1, {"x": []}, 3]}),
        ({"b": [[1], [2]]}, {"b": [[1, 5], [2]]}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 2}}}),
    ],
)
def test_it_applies_steps_as_the_house_makes_them(before: object, after: object) -> None:
    made = [list(change) for change in diff(before, after)]
    assert apply_changes(before, made) == after
    assert example().apply(before, [[list(path), *value] for path, *value in made]) == after


def test_it_is_one_readable_file() -> None:
    lines = FILE.read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 300
    assert Path(FILE).parent.name == "examples"
