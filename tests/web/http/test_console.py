"""What supervisors look up and do for the whole house: players, turnover, the export, a message to all, a new table."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
import pytest_asyncio

from tests.support.busy_house import Who, World
from tests.support.in_process_house import LIVE, opened
from ventuno.house.history.export import check_export
from ventuno.house.store.audit_log import HouseAnnounced, TableActed
from ventuno.house.supervision import ANNOUNCE_INTERVAL
from ventuno.web.http.rate_limits import BucketSize, RateLimits

DAY = 86_400_000
HOME = "/api/supervisor"


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as entrance:
        yield await World(entrance).begin()


@pytest_asyncio.fixture
async def both(tmp_path: Path, url: str) -> AsyncIterator[World]:
    """The same on each database that a house may be kept in."""
    async with opened(tmp_path, url=url) as entrance:
        yield await World(entrance).begin()


async def eva(world: World) -> httpx.AsyncClient:
    return (await world.visit(Who.SUPERVISOR))[1]


def code(answer: httpx.Response) -> str:
    return "ok" if answer.is_success else str(answer.json()["error"]["code"])


async def newest(client: httpx.AsyncClient, kind: str) -> dict[str, object]:
    """The last line of the log of a kind."""
    lines = (await client.get(f"{HOME}/audit")).json()["lines"]
    return dict(next(line["fields"] for line in lines if line["kind"] == kind))


async def test_x10_a_player_is_found_by_a_part_of_his_name_or_his_number(world: World) -> None:
    await world.entrance.joined("Adalgisa")
    async with await eva(world) as client:
        names = [one["name"] for one in (await client.get(f"{HOME}/players", params={"name": "aDa"})).json()["players"]]
        assert names == ["Ada", "Adalgisa"]
        by_number = (await client.get(f"{HOME}/players", params={"name": f"#{world.ada}"})).json()["players"]
        assert [one["player"] for one in by_number] == [world.ada]
        assert (await client.get(f"{HOME}/players", params={"name": "nobody"})).json() == {"players": []}
        looks = [line["fields"] for line in (await client.get(f"{HOME}/audit?limit=4")).json()["lines"]]
        assert [(one["what"], one["subject"]) for one in looks[1:]] == [
            ("players", "nobody"),
            ("players", f"#{world.ada}"),
            ("players", "aDa"),
        ]


@pytest.mark.parametrize("text", ["", "a", "a" * 41])
async def test_a_search_that_is_too_short_or_too_long_is_unfit(world: World, text: str) -> None:
    async with await eva(world) as client:
        assert code(await client.get(f"{HOME}/players", params={"name": text})) == "BodyUnfit"


async def test_a_search_gives_twenty_at_most(world: World) -> None:
    for number in range(24):
        await world.entrance.joined(f"Folla-{number}")
    async with await eva(world) as client:
        assert len((await client.get(f"{HOME}/players", params={"name": "folla"})).json()["players"]) == 20


async def test_x10_h8_one_page_of_a_player_and_the_look_is_written_down(world: World) -> None:
    application = world.entrance.application
    await application.protection.set_limit(world.ada, "loss:day", 20_000)
    await application.protection.exclude(world.ada, 30)
    bea = await world.entrance.joined("Bea")
    token = await world.entrance.token(world.ada)
    async with await eva(world) as client, world.entrance.client(token):
        reason = {"first": world.ada, "second": bea, "reason": "one household"}
        await client.post(f"{HOME}/links", json=reason)
        page = (await client.get(f"{HOME}/players/{world.ada}")).json()
        balances = await application.cashier.read_balances(world.ada)
        assert (page["name"], page["free"], page["at_tables"]) == ("Ada", balances.free, balances.at_tables)
        assert {one["name"]: one["amount"] for one in page["limits"] if one["amount"]} == {"loss:day": 20_000}
        assert page["excluded"]["until"] > page["now"]
        assert [line["code"] for line in page["rounds"]["lines"]] == [world.code]
        assert [mark["kind"] for mark in page["marks"]] == ["AccountsLinked"]
        assert page["names"][bea] == "Bea"
        assert len(page["sessions"]) == 1
        assert "token" not in page["sessions"][0]
        looks = (await client.get(f"{HOME}/audit?limit=5")).json()
        viewed = [line["fields"] for line in looks["lines"] if line["kind"] == "SupervisorViewed"]
        assert any((one["what"], one["subject"]) == ("player", world.ada) for one in viewed)
        assert looks["names"][world.ada] == "Ada"
        assert code(await client.get(f"{HOME}/players/999")) == "NoSuchPlayer"
        assert code(await client.get(f"{HOME}/players/ada")) == "BodyUnfit"


async def test_r39_the_page_of_a_player_says_that_no_marketing_may_reach_him(world: World) -> None:
    """Who sends anything looks here first: an excluded player, one who pauses, a closed account are out of reach."""
    entrance, protection = world.entrance, world.entrance.application.protection
    players = {name: await entrance.joined(name) for name in ("Free", "Pausing", "Excluded", "Closed")}
    await protection.cool_off(players["Pausing"], entrance.clock.now() + 2 * DAY)
    await protection.exclude(players["Excluded"], 30)
    async with await eva(world) as client:
        supervisor = await entrance.supervisor()
        assert await entrance.application.supervision.close_account(supervisor, players["Closed"], "two") is None
        pages = {name: (await client.get(f"{HOME}/players/{one}")).json() for name, one in players.items()}
    assert [name for name, page in pages.items() if page["advertising"]] == ["Free"]


async def test_rounds_of_a_player_come_in_pages(world: World) -> None:
    second = await world.round(world.ada, world.solo)
    async with await eva(world) as client:
        path = f"{HOME}/players/{world.ada}"
        first = (await client.get(path, params={"limit": 1})).json()["rounds"]
        place = {"limit": 1, "before": first["before"]["ended"], "before_code": first["before"]["code"]}
        rest = (await client.get(path, params=place)).json()["rounds"]
        assert [first["lines"][0]["code"], rest["lines"][0]["code"]] in ([second, world.code], [world.code, second])
        assert rest["before"] is None


async def test_turnover_is_what_the_books_hold_to_the_cent(both: World) -> None:
    """The result of all days is the balance of the house of each game, corrections and all (I-5)."""
    await both.round(both.ada, both.solo)
    now = both.entrance.clock.now()
    async with await eva(both) as first, await eva(both) as second:
        body = {"code": both.code, "amounts": {both.ada: 250}, "reason": "misread"}
        number = (await first.post(f"{HOME}/corrections", json=body)).json()["number"]
        assert (await second.post(f"{HOME}/corrections/{number}/confirmation")).status_code == 204
        told = (await first.get(f"{HOME}/turnover", params={"first": now - 3 * DAY, "last": now})).json()
        (line,) = told["lines"]
        assert (line["day"], line["game"], line["rounds"], line["corrected"]) == (now // DAY, "first-person", 2, 250)
        assert line["staked"] >= 2_000
        assert line["result"] == line["staked"] - line["returned"] - 250
        balances = await both.entrance.application.host.commits.store.sum_postings()
        assert balances["house:first-person"] == line["result"]
        before = (await first.get(f"{HOME}/turnover", params={"first": 0, "last": now - 2 * DAY})).json()
        assert before["lines"] == []
        assert code(await first.get(f"{HOME}/turnover", params={"first": -1, "last": now})) == "BodyUnfit"


async def test_turnover_of_a_day_that_is_over_is_read_once(both: World, monkeypatch: pytest.MonkeyPatch) -> None:
    store, asked = both.entrance.application.host.commits.store, list[tuple[int, int]]()
    read = store.sum_days

    async def count(first: int, last: int) -> list[tuple[int, str, int, int, int]]:
        asked.append((first // DAY, last // DAY))
        return await read(first, last)

    monkeypatch.setattr(store, "sum_days", count)
    today = both.entrance.clock.now() // DAY
    application = both.entrance.application
    for _ in range(2):
        await application.history.read_turnover(today - 5, today)
    assert asked == [(today - 5, today), (today, today)]
    lines = await application.history.read_turnover(today - 5, today)
    assert [line.day for line in lines] == [today]


async def test_x14_h1_the_export_is_whole_checked_and_holds_no_secret(world: World) -> None:
    async with await eva(world) as client:
        answer = await client.get(f"{HOME}/export")
        assert answer.headers["content-disposition"].startswith('attachment; filename="ventuno-export-')
        lines = answer.content.splitlines(keepends=True)
        checked = check_export(lines, world.entrance.application.config.sheets)
        assert checked.faults == ()
        assert json.loads(lines[0])["whole"] is False
        assert b"private:" not in answer.content
        assert b"sealed:" not in answer.content
        assert b'"export"' in answer.content, "that it was taken stands in it"


async def test_x14_the_export_of_some_days_holds_by_itself(world: World) -> None:
    async with await eva(world) as client:
        now = world.entrance.clock.now()
        answer = await client.get(f"{HOME}/export", params={"first": now, "last": now})
        checked = check_export(answer.content.splitlines(keepends=True), world.entrance.application.config.sheets)
        assert checked.faults == ()
        assert checked.is_part
        assert checked.data.streams
        answer = await client.get(f"{HOME}/export", params={"first": now + 5 * DAY, "last": now + 6 * DAY})
        later = check_export(answer.content.splitlines(keepends=True), world.entrance.application.config.sheets)
        assert (later.faults, later.data.streams) == ((), {})
        assert later.balances == checked.balances


async def test_one_export_at_a_time(world: World) -> None:
    exporter = world.entrance.application.history._exporter
    exporter._is_running = True
    async with await eva(world) as client:
        assert code(await client.get(f"{HOME}/export")) == "ExportBusy"
        exporter._is_running = False
        exporter._url = "sqlite:////nowhere/house.db"
        assert code(await client.get(f"{HOME}/export")) == "ExportFailed"
        assert not exporter._is_running


async def test_a_message_to_all_is_bounded_logged_and_paced(world: World) -> None:
    async with await eva(world) as client:
        path, heard = f"{HOME}/announcements", list[str]()
        world.entrance.application.supervision.watch_announcements(heard.append)
        for text in ("", "x" * 201):
            assert code(await client.post(path, json={"text": text})) == "BodyUnfit"
        for text in ("   ", "turn \u202e around", "\u2800"):
            assert code(await client.post(path, json={"text": text})) == "MessageUnfit"
        assert (await client.post(path, json={"text": "  <b>The room</b>   closes at midnight. "})).status_code == 204
        assert heard == ["<b>The room</b> closes at midnight."]
        refused = await client.post(path, json={"text": "again"})
        assert (code(refused), refused.status_code) == ("AnnouncedJustNow", 429)
        assert int(refused.headers["retry-after"]) <= ANNOUNCE_INTERVAL // 1000
        assert (await newest(client, HouseAnnounced.__name__))["text"] == heard[0]
        world.entrance.clock.move(ANNOUNCE_INTERVAL)
        assert (await client.post(path, json={"text": "again"})).status_code == 204


async def test_v20_a_table_opens_while_the_house_plays_and_closes_again(world: World) -> None:
    body = {"table": "Sala Blu", "game": "ventuno", "reason": "a full house"}
    number, client = await world.visit(Who.SUPERVISOR)
    async with client, world.entrance.client() as guest:
        assert code(await client.post(f"{HOME}/tables", json=body)) == "ok"
        lobby = (await guest.get("/api/lobby")).json()["tables"]
        assert "Sala Blu" in [one["table"] for one in lobby]
        assert await newest(client, TableActed.__name__) == {
            "table": "Sala Blu",
            "act": "open",
            "by": number,
            "reason": "a full house",
        }
        assert code(await client.post(f"{HOME}/tables", json=body)) == "TableUnfit"
        closing = f"{HOME}/tables/Sala Blu/closing"
        done = await client.post(closing, json={"reason": "late"}, headers={"Idempotency-Key": "closing-0001"})
        assert code(done) == "ok"
        await world.until(lambda: "Sala Blu" not in world.entrance.application.host.committed)
        assert code(await client.post(f"{HOME}/tables", json=body)) == "TableUnfit", "a name is used once"


@pytest.mark.parametrize(
    ("changed", "refused"),
    [
        ({"game": "poker"}, "TableUnfit"),
        ({"game": "first-person"}, "TableUnfit"),
        ({"table": LIVE}, "TableUnfit"),
        ({"table": "practice-1-1"}, "TableUnfit"),
        ({"reason": "   "}, "ReasonMissing"),
        ({"table": " Sala"}, "BodyUnfit"),
        ({"table": "Sala <b>"}, "BodyUnfit"),
        ({"table": "S" * 81}, "BodyUnfit"),
        ({"more": 1}, "BodyUnfit"),
    ],
)
async def test_a_table_that_cannot_be_is_refused(world: World, changed: dict[str, object], refused: str) -> None:
    body = {"table": "Sala Rossa", "game": "ventuno", "reason": "why", **changed}
    async with await eva(world) as client:
        assert code(await client.post(f"{HOME}/tables", json=body)) == refused
    assert "Sala Rossa" not in world.entrance.application.tables.get_all()


async def test_v20_no_table_opens_without_a_certificate(world: World) -> None:
    for file in (world.entrance.application.folder / "certificates").iterdir():
        file.unlink()
    async with await eva(world) as client:
        body = {"table": "Sala Rossa", "game": "ventuno", "reason": "why"}
        assert code(await client.post(f"{HOME}/tables", json=body)) == "NotCertified"


async def test_the_list_of_tables_names_who_sits_and_who_paused(world: World) -> None:
    async with await eva(world) as client:
        told = (await client.get(f"{HOME}/tables")).json()
        own = next(one for one in told["tables"] if one["table"] == world.solo)
        assert set(own["boxes"]) == {world.ada}
        assert told["names"] == {world.ada: "Ada"}


async def test_the_second_person_is_told_names(world: World) -> None:
    async with await eva(world) as first:
        body = {"code": world.code, "amounts": {world.ada: 250}, "reason": "misread"}
        await first.post(f"{HOME}/corrections", json=body)
        told = (await first.get(f"{HOME}/corrections")).json()
        (line,) = told["waiting"]
        assert told["names"] == {world.ada: "Ada", line["by"]: told["names"][line["by"]]}
        assert told["names"][line["by"]].startswith("Eva")


async def test_asvs_2_4_dear_looks_are_limited(tmp_path: Path) -> None:
    """A page of a player, a search, turnover, an export and a message take ten calls each."""
    bounds = RateLimits(account=BucketSize(25, 0.001))
    async with opened(tmp_path, allowances=bounds) as entrance:
        world = World(entrance)
        world.ada = await entrance.joined("Ada")
        async with await eva(world) as client:
            got = [code(await client.get(f"{HOME}/players/{world.ada}")) for _ in range(3)]
            assert got == ["ok", "ok", "TooMany"]
