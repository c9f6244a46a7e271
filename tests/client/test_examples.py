"""Bots by level, the guide's own program, and a lost line, against a house that runs (X-09)."""

from __future__ import annotations

import asyncio
import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from tests.support.patience import PATIENCE
from tests.support.server_process import ROOT, ServerProcess, running
from ventuno.client import CallRefused, Client, Decision, LineLost, Refused, Table
from ventuno.sheets import GAMES, load

GUIDE = (ROOT / "docs" / "bots.md").read_text(encoding="utf-8")
PROGRAM_LINES = 30


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running(tmp_path_factory.mktemp("bot-kit")) as process:
        yield process


def example(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def decide(now: Decision) -> str:
    wishes = ("decline", "stand" if now.total >= 17 else "hit", "left", *now.options)
    return next(action for action in wishes if action in now.options)


async def test_x09_a_declared_bot_plays_a_round_by_its_token(house: ServerProcess) -> None:
    """Over HTTP and socket with no cookie; the table calls it a bot."""
    async with Client.register(house.url, "Clever", "a ladder of nines") as owner:
        await owner.call("PUT", "/api/bot")
        token = (await owner.call("POST", "/api/tokens", {"label": "round"}))["token"]
    async with Client.by_token(house.url, token) as bot, asyncio.timeout(PATIENCE):
        assert (bot.login.name, bot.login.player) == ("Clever", owner.login.player)
        await bot.deposit(50_000)
        result = await (await bot.join_game("first-person")).play_round(decide, stake=500)
        assert sum(line.stake for line in result.lines) >= 500
        assert result.view.people[owner.login.player].bot


def test_a_bot_from_the_guide_alone_plays_a_round(house: ServerProcess) -> None:
    """As it is written there, in at most 30 lines."""
    (program,) = re.findall(r"^```python\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
    assert len(program.splitlines()) <= PROGRAM_LINES
    done = subprocess.run(
        [sys.executable, "-c", program, house.url], capture_output=True, text=True, timeout=10 * PATIENCE
    )
    assert done.returncode == 0, done.stderr
    *lines, last = done.stdout.splitlines()
    assert any(re.fullmatch(r"\S+: main .+ \[F-\d\d\]", line) for line in lines), done.stdout
    assert re.fullmatch(r"[+-]\d+\.\d\d against( [2-9TJQKA][SHDC])+", last)


def test_the_guide_names_every_method_of_a_table() -> None:
    own = {name for name in vars(Table) if not name.startswith("_")} - {"hear", "end"}
    assert {name for name in own if f"`{name}`" not in GUIDE and f"table.{name}" not in GUIDE} == set()


@pytest.mark.parametrize("game", GAMES)
async def test_views_are_read_whole_in_every_game(house: ServerProcess, game: str) -> None:
    """Nothing of what the house sent is lost in the types: written again it is the same."""
    async with asyncio.timeout(10 * PATIENCE), Client.guest(house.url) as client:
        await client.deposit(400_000)
        table = await client.join_game(game)
        result = await table.play_round(decide, bets=("main", "link", "2-up"))
        assert result.net == sum(line.returned - line.stake for line in result.lines)
        assert msgspec.json.decode(msgspec.json.encode(table.public)) == table._trees["public"]
        assert msgspec.json.decode(msgspec.json.encode(table.mine)) == table._trees["mine"]
        assert result.view.sheet == load(game).hash


async def test_the_random_bot(house: ServerProcess) -> None:
    assert isinstance(await example("random_bot").play(house.url, "first-person", 5), int)


async def test_the_chart_bot(house: ServerProcess) -> None:
    assert isinstance(await example("chart_bot").play(house.url, "first-person", 5), int)


async def test_the_counting_bot(house: ServerProcess) -> None:
    stakes = await example("counting_bot").play(house.url, "first-person", 5)
    assert stakes[0] == 1
    assert len(stakes) == 5


def test_how_it_counts() -> None:
    count = example("counting_bot").Count()
    count.see(1, ["2S", "6H", "7D", "TS"])
    assert (count.running, count.units(1, 52)) == (1, 1)
    count.see(1, ["3S", "4H", "5D", "5S"])
    assert [count.units(1, left) for left in (104, 52, 26)] == [2, 5, 8]
    assert count.units(2, 416) == 1, "another shoe"
    count.see(2, ["AS"])
    assert count.running == -1


async def test_many_tables_over_one_socket(house: ServerProcess) -> None:
    won = await example("many_tables").play(house.url, ["first-person", "duello"], 3)
    assert len(won) == 2


async def test_nothing_is_done_twice_on_a_line_that_is_cut(
    house: ServerProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line is cut while money is brought, again and again: each sum arrives once."""
    monkeypatch.setattr("ventuno.client.connection.RETRY_SECONDS", (0.1,))
    async with asyncio.timeout(10 * PATIENCE), Client.guest(house.url) as client:
        await client.deposit(100_000)
        table = await client.join_game("first-person")
        for times in range(1, 4):
            bringing = asyncio.create_task(table.bring(1_000))
            await asyncio.sleep(0)
            if socket := client.connection._socket:
                socket.transport.abort()
            await bringing
            assert table.mine.balance == 1_000 * times
        assert client.connection.lines > 1
        await table.play_round(decide)


async def test_who_is_refused_hears_the_code(house: ServerProcess) -> None:
    async with Client.guest(house.url) as client:
        with pytest.raises(CallRefused) as caught:
            await client.call("POST", "/api/solo/roulette")
        assert caught.value.code == "NoSuchGame"
        assert caught.value.numbers["game"] == "roulette"
        with pytest.raises(Refused, match="NoSuchTable"):
            await client.join("Ventuno 99")
        table = await client.join_game("first-person")
        with pytest.raises(Refused) as missing:
            await table.bring(1_000)
        assert missing.value.code == "FundsMissing"
    with pytest.raises(CallRefused) as unknown:
        async with Client.log_in(house.url, "nobody", "not a password"):
            pass
    assert unknown.value.status in (401, 403, 409)


async def test_an_account_comes_back_by_its_password(house: ServerProcess) -> None:
    name, password = "Ottavia", "seven plain words for a program"
    async with Client.register(house.url, name, password) as client:
        await client.deposit(5_000)
        assert (await client.withdraw(1_000)).balance == 4_000
    async with Client.log_in(house.url, name, password) as client:
        assert (client.login.name, client.login.guest) == (name, False)
        assert (await client.deposit(1)).balance == 4_001


async def test_a_house_that_is_not_there_is_said_at_once() -> None:
    with pytest.raises(LineLost, match=r"http://127\.0\.0\.1:9/api/guest"):
        async with Client.guest("http://127.0.0.1:9"):
            pass
