"""The lobby, the rules as data, and tables of one's own (V-35, V-83, V-95, R-03, R-29, X-04, X-08)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from httpx import AsyncClient

from tests.support.busy_house import World
from tests.support.house import key
from tests.support.in_process_house import LIVE, InProcessHouse, opened
from ventuno.core.messages.commands import DealNow, PlaceBet, Spot
from ventuno.core.rules.cards import cards
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.house.config import CERTIFICATES
from ventuno.sheets import GAMES, load
from ventuno.web.http import lobby
from ventuno.web.http.rulebook import describe_game
from ventuno.web.messages.games import GameResponse


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as entrance:
        yield await World(entrance).begin()


async def test_v35_the_lobby_shows_every_table_one_can_go_to(world: World) -> None:
    nobody, bea = world.entrance.client(), await world.entrance.joined("Bea")
    ada = world.entrance.client(await world.entrance.token(world.ada))
    async with nobody, ada, world.entrance.client(await world.entrance.token(bea)) as other:
        shown = (await nobody.get("/api/lobby")).json()
        live = next(one for one in shown["tables"] if one["table"] == LIVE)
        assert (live["game"], live["seats"], live["free"]) == ("ventuno", 7, 7)
        assert live["limits"]["main"] == {"least": 100, "most": 50_000}
        assert {one["game"] for one in shown["games"]} == set(GAMES)
        own = [[one["table"] for one in (await client.get("/api/lobby")).json()["tables"]] for client in (ada, other)]
        assert world.solo in own[0]
        assert world.solo not in own[1]
        assert world.solo not in [one["table"] for one in shown["tables"]]


@pytest.mark.parametrize("game", GAMES)
async def test_v95_the_help_of_a_game_comes_from_its_sheet(entrance: InProcessHouse, game: str) -> None:
    async with entrance.client() as client:
        told = (await client.get(f"/api/games/{game}")).json()
    sheet = load(game)
    assert (told["sheet"], told["chips"], told["published"]["base"]) == (
        sheet.hash,
        list(sheet.stakes.chips),
        sheet.published.base,
    )
    switches = {one["path"]: one for one in told["switches"]}
    assert switches["shoe.decks"]["value"] == sheet.shoe.decks
    letter = {"ventuno": "V", "first-person": "F"}.get(game, game[0].upper())
    assert switches["shoe.decks"]["criteria"][0].startswith(f"{letter}-")
    assert not any(path.startswith("cites.") for path in switches)
    pays = {one["bet"]: {line["category"]: line for line in one["lines"]} for one in told["pay_tables"]}
    assert set(pays) - {"main", "insurance"} == set(sheet.sides)
    for bet, side in sheet.sides.items():
        assert {name: line["pays"] for name, line in pays[bet].items()} == {k: str(v) for k, v in side.pays.items()}
        assert all(line["returned"] == side.pays[name].pay(line["stake"]) for name, line in pays[bet].items())
    assert {one["criterion"] for one in told["pay_tables"]} <= set(sheet.cites.values())


async def test_the_wheel_and_the_boards_are_told_with_their_weights(entrance: InProcessHouse) -> None:
    async with entrance.client() as client:
        told = (await client.get("/api/games/link")).json()
    draws = {one["name"]: one for one in told["draws"]}
    assert draws["wheel"]["weights"] == sum(load("link").bonus.wheel.values())
    assert {one["name"]: one["prize"] for one in draws["diamonds"]["entries"]}["GRAND"] == 2_000
    assert {one["name"]: one["prize"] for one in draws["wheel"]["entries"]}["x25"] == 25


def certificate(game: str) -> dict[str, Any]:
    """As `ventuno certify` writes it, in the parts that are told on."""
    bet = {
        "bet": "main",
        "base": "initial",
        "rtp": 99.29,
        "rtp_initial": 99.29,
        "rtp_total": 99.3,
        "published": "99.29",
    }
    more = {
        "matches": True,
        "sd": 1.1,
        "variance": 1.21,
        "maximum_win": 4.0,
        "method": {"code": "method-exact", "numbers": {}},
    }
    return {
        "certificate": 1,
        "game": game,
        "sheet": load(game).hash,
        "strategy_class": "CD",
        "bets": [bet | more],
        "notes": [{"code": "max-win", "numbers": {"amount": 5000}}, "a note"],
        "strategy": {"hard": {}},
    }


async def test_r29_the_certified_returns_are_those_of_this_very_sheet(tmp_path: Path) -> None:
    async with opened(tmp_path) as entrance, entrance.client() as client:
        assert (await client.get("/api/games/ventuno")).json()["certified"] is None
        file = tmp_path / CERTIFICATES / f"{load('sisal').hash}.json"
        file.write_text(json.dumps(certificate("sisal")))
        told = (await client.get("/api/games/sisal")).json()["certified"]
        assert (told["strategy_class"], told["bets"][0]["rtp"]) == ("CD", 99.29)
        assert told["notes"] == [
            {"code": "max-win", "numbers": {"amount": 5000}, "text": ""},
            {"code": "other", "numbers": {}, "text": "a note"},
        ]
        assert (await client.get("/api/games/sisal/certificate")).json() == certificate("sisal")
        other = tmp_path / CERTIFICATES / f"{load('duello').hash}.json"
        other.write_text(json.dumps(certificate("sisal")))
        assert (await client.get("/api/games/duello/certificate")).status_code == 404
        games = {one["game"]: one["certified"] for one in (await client.get("/api/games")).json()["games"]}
        assert (games["sisal"], games["duello"]) == (True, False)


async def test_r03_a_player_with_an_open_round_is_brought_back_to_it(world: World) -> None:
    entrance = world.entrance
    bea = await entrance.joined("Bea", 100_000)
    async with entrance.client(await entrance.token(bea)) as client:
        table = (await client.post("/api/solo/sisal")).json()["table"]
        await entrance.application.tables.bring(bea, table, 10_000, key())
        await world.until(lambda: world.cut(table))
        await entrance.application.fairness.reveal(bea, table, bytes(16))
        await world.until(lambda: world.seen(table, bea).public.phase == "betting")
        await world.say(bea, table, PlaceBet(bea, (Spot(1, "main"),), 1_000, 0))
        await world.say(bea, table, DealNow(bea, 0))
        code = world.seen(table, bea).public.code
    async with entrance.client(await entrance.token(bea)) as elsewhere:
        assert (await elsewhere.post("/api/solo/sisal")).json()["table"] == table
        held = (await elsewhere.get("/api/me")).json()["tables"][0]
        assert (held["table"], held["open_round"], held["staked"]) == (table, code, 1_000)
        assert held["session"].startswith("S")
        assert held["participation"].startswith("P")
        for path in (f"/api/history/{code}", f"/api/verify/{code}", f"/api/rounds/{code}/steps"):
            assert (await elsewhere.get(path)).status_code == 404, "H-7: a round that is not over is not told of"


DEALT = dict.fromkeys(GAMES, ("TS", "9H", "7D", "8C")) | {"duello": ("8S", "9D", "KC", "6D", "6H", "QC")}


async def deal_practice(world: World, player: PlayerId, game: str) -> str:
    """A table of practice in the middle of a round."""
    entrance = world.entrance
    table = await entrance.application.tables.open_practice(player, game, cards(" ".join(DEALT[game])))
    assert isinstance(table, str)
    await world.say(player, table, PlaceBet(player, (Spot(1, "main"),), 1_000, 0))
    if load(game).game.solo:
        await world.say(player, table, DealNow(player, 0))
    entrance.clock.move(load(game).clocks.betting * 1_000)
    await world.until(lambda: world.seen(table, player).public.phase == "round")
    return table


async def list_untold(client: AsyncClient, game: str) -> list[str]:
    """Of the rules, the returns and the help with gambling, what one call does not tell."""
    rules = (await client.get(f"/api/games/{game}")).json()
    protection = (await client.get("/api/protection")).json()
    told = {
        "rules": bool(rules.get("switches")),
        "returns": set(rules.get("published", {}).get("returns", ())) == set(load(game).published.returns),
        "help": bool(protection.get("exclusions") and protection.get("reality_minutes")),
    }
    return [part for part, is_told in told.items() if not is_told]


@pytest.mark.parametrize("game", GAMES)
async def test_r41_rules_returns_and_help_are_one_call_away_in_the_middle_of_a_round(world: World, game: str) -> None:
    """R-41: without leaving the round; what the pages put before a player is asked in the tests of the browser."""
    bea = await world.entrance.joined("Bea")
    table = await deal_practice(world, bea, game)
    async with world.entrance.client(await world.entrance.token(bea)) as client:
        assert await list_untold(client, game) == []
    assert world.seen(table, bea).public.phase == "round"


async def test_r41_planted_house_that_keeps_its_rules_or_returns_back_is_caught(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    def describe_less(sheet: Sheet, certificate: Any) -> GameResponse:
        return replace(describe_game(sheet, certificate), switches=(), published=replace(sheet.published, returns={}))

    bea = await world.entrance.joined("Bea")
    await deal_practice(world, bea, "ventuno")
    monkeypatch.setattr(lobby, "describe_game", describe_less)
    async with world.entrance.client(await world.entrance.token(bea)) as client:
        assert await list_untold(client, "ventuno") == ["rules", "returns"]
    async with world.entrance.client() as stranger:
        assert "help" in await list_untold(stranger, "ventuno")


async def test_a_shared_game_has_no_table_for_one(entrance: InProcessHouse) -> None:
    _, client = await entrance.visitor("Ada")
    async with client:
        answer = await client.post("/api/solo/ventuno")
        assert (answer.status_code, answer.json()["error"]["code"]) == (409, "NotForOne")
        assert (await client.post("/api/solo/roulette")).json()["error"]["code"] == "NoSuchGame"


async def test_x08_practice_has_credit_and_chosen_cards_and_touches_nothing(world: World) -> None:
    entrance = world.entrance
    bea = await entrance.joined("Bea", 5_000)
    async with entrance.client(await entrance.token(bea)) as client:
        chosen = {"game": "first-person", "cards": ["AS", "9H", "KS", "7D"]}
        table = (await client.post("/api/practice", json=chosen)).json()["table"]
        await world.say(bea, table, PlaceBet(bea, (Spot(1, "main"),), 1_000, 0))
        await world.say(bea, table, DealNow(bea, 0))
        assert world.seen(table, bea).public.boxes[0].hands[0].cards == ("AS", "KS")
        me = (await client.get("/api/me")).json()
        assert (me["free"], me["tables"][0]["practice"]) == (5_000, True)
        assert (await client.get("/api/history")).json()["lines"] == []
        assert table not in [one["table"] for one in (await client.get("/api/lobby")).json()["tables"]]
        nine = {"game": "first-person", "cards": ["AS"] * 9}
        assert (await client.post("/api/practice", json=nine)).json()["error"]["code"] == "TooManyCopies"
        assert (await client.post("/api/practice", json={"game": "link", "cards": ["1S"]})).status_code == 422
        listed = (await client.get("/api/practice")).json()["tables"]
        assert [(line["table"], line["game"], line["staked"]) for line in listed] == [(table, "first-person", 0)]
        assert listed[0]["credit"] == world.seen(table, bea).private.balance
        async with entrance.client(await entrance.token(await entrance.joined("Cleo"))) as stranger:
            assert (await stranger.get("/api/practice")).json()["tables"] == []
            assert (await stranger.delete(f"/api/practice/{table}")).status_code == 404
        assert (await client.delete(f"/api/practice/{table}")).status_code == 204
        assert (await client.get("/api/practice")).json()["tables"] == []
        assert (await client.delete(f"/api/practice/{table}")).status_code == 404
