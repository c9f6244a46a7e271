"""The server killed with SIGKILL under 40 players at 10 tables of all games: nothing acknowledged is lost (T-3, T-9).

SIGKILL keeps what the kernel holds: it shows that groups are whole and that answers come after them. That they survive
a power cut is shown elsewhere, on a disk that forgets.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support import crash_checks
from tests.support.crash_checks import Share, changed, unexplained
from tests.support.databases import create_database
from tests.support.early_answer_house import plant
from tests.support.kill_runs import HURRIED, KillRun
from tests.support.load_players import Seen, Settled, Sight
from tests.support.postgres import Cluster
from ventuno.sheets import GAMES

LIVE, SOLO = 5, 5
KILLS = 4
"""`python3 dev.py soak kills` has 200 players at 50 tables and hundreds of kills, and measures how soon they are back
(G-4): here the machine has other things to do."""


@pytest.mark.timeout(900)
async def test_a_house_that_is_killed_again_and_again_loses_nothing(tmp_path: Path) -> None:
    async with KillRun(tmp_path, LIVE, SOLO, seed=1) as siege:
        assert len({player.table for player in siege.players}) == LIVE + SOLO
        assert len(siege.players) == 40
        assert {player.game for player in siege.players} == set(GAMES)
        await siege.kill(KILLS)
        await siege.go_on()
        found = await siege.judge()
    assert found.faults == []
    assert found.kills == KILLS
    assert found.acknowledged > 20 * KILLS
    assert found.same_cards >= KILLS, "rounds must be open when the house is killed"
    assert found.resent > KILLS // 2, "asks must be under way when the house is killed"
    assert "KeyReused" not in found.refusals
    assert len(found.wall) >= len(siege.players) * (KILLS - KILLS // HURRIED), "everybody comes back, by himself"


@pytest.mark.timeout(300)
async def test_a_house_on_postgresql_that_is_killed_loses_nothing(tmp_path: Path, postgres: Cluster) -> None:
    database = await asyncio.to_thread(create_database, postgres)
    async with KillRun(tmp_path, 1, 2, seed=3, database=database) as siege:
        await siege.kill(3)
        await siege.go_on()
        found = await siege.judge()
    assert (found.kills, found.faults) == (3, [])
    assert found.acknowledged > len(siege.players)
    with crash_checks.books(database) as opened:
        [(rounds,)] = opened.query("SELECT COUNT(*) FROM rounds")
    assert rounds > 0, "what is judged is the database"


@pytest.mark.timeout(300)
async def test_a_house_that_answers_before_the_commit_is_caught(tmp_path: Path, url: str) -> None:
    async with KillRun(tmp_path, 2, 4, seed=2, plant=plant, database=url) as siege:
        await siege.kill(3)
    assert any("was acknowledged and is not in the store" in fault for fault in siege.found.faults)


ROUNDS = [Share("A", -100, 10), Share("B", 250, 20)]
TOLD = [Settled("A", -100), Settled("B", 250)]
STORY = [Seen(5, 500, 0, 500, 0), Seen(6, 500, 500, 0, 0), Seen(12, 400, 500, 0, 1), Seen(22, 650, 500, 0, 2)]


def test_a_history_of_brings_and_rounds_is_explained() -> None:
    assert unexplained("1", STORY, TOLD, ROUNDS) == []
    missed = [*STORY[:2], STORY[3]._replace(rounds=0)]
    assert unexplained("1", missed, [], ROUNDS) == []


@pytest.mark.parametrize(
    "planted",
    [
        [*STORY[:3], STORY[3]._replace(total=900)],
        [*STORY[:3], STORY[3]._replace(total=400)],
        [*STORY[:2], STORY[2]._replace(now=9), STORY[3]],
        [*STORY, STORY[2]._replace(now=30, rounds=2)],
        [*STORY, STORY[3]._replace(total=1150)],
    ],
    ids=["paid twice", "not paid", "shown before it ended", "went back", "brought twice"],
)
def test_a_planted_balance_is_not_explained(planted: list[Seen]) -> None:
    assert len(unexplained("1", planted, TOLD, ROUNDS)) == 1


def test_a_planted_settlement_is_not_explained() -> None:
    assert len(unexplained("1", STORY, [Settled("A", -100), Settled("B", 500)], ROUNDS)) == 1
    assert len(unexplained("1", STORY, [Settled("A", -100), Settled("C", 250)], ROUNDS)) == 1


def test_planted_cards_are_seen() -> None:
    before = Sight(7, "R", "round", {"dealer": ("KS",), "box 1": ("5H", "5D")})
    assert changed("T", before, Sight(9, "R", "round", {"dealer": ("KS",), "box 1": ("5D", "9C", "5H")})) == []
    assert len(changed("T", before, Sight(9, "R", "round", {"dealer": ("KS",), "box 1": ("5H", "6D")}))) == 1
    assert len(changed("T", before, Sight(9, "R", "results", {"dealer": ("QS",), "box 1": ("5H", "5D")}))) == 1
