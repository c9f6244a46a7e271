"""The supervisors' door: pause, resume, void, limits, closing, mutes, the log, corrections (X-10, R-07, R-08)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest_asyncio

from tests.support.busy_house import Who, World
from tests.support.house import PASSWORD, key
from tests.support.in_process_house import LIVE, opened
from ventuno.core.messages.commands import PlaceBet, Spot, TakeSeat

AT = f"/api/supervisor/tables/{LIVE}"


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as entrance:
        yield await World(entrance).begin()


async def eva(world: World) -> httpx.AsyncClient:
    return (await world.visit(Who.SUPERVISOR))[1]


async def act(client: httpx.AsyncClient, path: str, method: str = "POST", **body: Any) -> httpx.Response:
    return await client.request(method, path, json=body or None, headers={"Idempotency-Key": key()})


def code(answer: httpx.Response) -> str:
    return "ok" if answer.is_success else str(answer.json()["error"]["code"])


async def seated(world: World, money: int = 10_000) -> str:
    """Somebody at the live table with a bet on the felt; on a slow machine the clock may have run past one betting."""
    bea = await world.entrance.joined("Bea", 50_000)
    answer, _ = await world.entrance.application.tables.bring(bea, LIVE, money, key())
    assert not answer.refused
    await world.say(bea, LIVE, TakeSeat(bea, 1, 0))
    refused = "BettingClosed"
    while refused == "BettingClosed":
        while world.seen(LIVE).public.phase != "betting":
            world.entrance.clock.move(1_000)
            await asyncio.sleep(0.002)
        bet = PlaceBet(bea, (Spot(1, "main"),), 1_000, 0)
        refused = (await world.entrance.application.tables.ask(bea, LIVE, bet, key())).refused
    assert not refused
    return bea


async def test_v76_pause_and_resume_with_an_author(world: World) -> None:
    async with await eva(world) as client:
        assert code(await act(client, f"{AT}/pause", reason="the wheel squeaks")) == "ok"
        listed = {one["table"]: one for one in (await client.get("/api/supervisor/tables")).json()["tables"]}
        assert listed[LIVE]["paused"] == "the wheel squeaks"
        assert world.solo in listed
        assert code(await act(client, f"{AT}/pause", reason="again")) == "TablePaused"
        assert code(await act(client, f"{AT}/pause", reason="   ")) == "ReasonMissing"
        assert code(await act(client, f"{AT}/resumption")) == "ok"
        log = (await client.get("/api/supervisor/audit?limit=5")).json()["lines"]
        kinds = [(one["kind"], one["fields"].get("act"), one["fields"].get("reason")) for one in log]
        assert kinds[0][0] == "SupervisorViewed"
        assert ("TableActed", "pause", "the wheel squeaks") in kinds
        assert ("TableActed", "resume", "") in kinds


async def test_x10_a_void_asks_twice_and_gives_every_stake_back(world: World) -> None:
    bea = await seated(world)
    async with await eva(world) as client, await eva(world) as other:
        assert code(await act(client, f"{AT}/void", reason="an error", confirm="0" * 32)) == "NotConfirmed"
        word = (await act(client, f"{AT}/void/preparation", reason="an error")).json()
        assert word["round"].startswith("bets-")
        assert code(await act(other, f"{AT}/void", reason="an error", confirm=word["confirm"])) == "NotConfirmed"
        assert code(await act(client, f"{AT}/void", reason="another", confirm=word["confirm"])) == "NotConfirmed"
        assert code(await act(client, f"{AT}/void", reason="an error", confirm=word["confirm"])) == "ok"
        assert world.seen(LIVE, bea).private.balance == 10_000
        late = (await act(client, f"{AT}/void/preparation", reason="an error")).json()
        assert late["error"]["code"] == "NothingToVoid"


async def test_a_confirmation_is_good_for_a_minute(world: World) -> None:
    await seated(world)
    async with await eva(world) as client:
        await act(client, f"{AT}/pause", reason="wait")
        word = (await act(client, f"{AT}/void/preparation", reason="an error")).json()
        world.entrance.clock.move(60_001)
        assert code(await act(client, f"{AT}/void", reason="an error", confirm=word["confirm"])) == "NotConfirmed"


async def test_an_act_with_one_key_is_done_once(world: World) -> None:
    async with await eva(world) as client:
        once = {"Idempotency-Key": key()}
        answers = [await client.post(f"{AT}/pause", json={"reason": "why"}, headers=once) for _ in range(3)]
        assert {answer.text for answer in answers} == {answers[0].text}
        assert code(answers[0]) == "ok"


async def test_v43_limits_change_between_rounds(world: World) -> None:
    async with await eva(world) as client:
        limits = {"main": {"least": 500, "most": 1_000}}
        assert code(await act(client, f"{AT}/limits", "PUT", limits=limits, reason="a quiet night")) == "ok"
        bad = {"roulette": {"least": 500, "most": 1_000}}
        assert code(await act(client, f"{AT}/limits", "PUT", limits=bad, reason="why")) == "BetNotOffered"
        odd = {"main": {"least": 501, "most": 1_000}}
        assert code(await act(client, f"{AT}/limits", "PUT", limits=odd, reason="why")) == "NotAMultiple"
        assert code(await act(client, "/api/supervisor/tables/nowhere/pause", reason="why")) == "NoSuchTable"


async def test_a_closed_table_is_gone_and_its_money_is_back(world: World) -> None:
    bea = await seated(world)
    async with await eva(world) as client:
        assert code(await act(client, f"{AT}/closing", reason="end of the evening")) == "ok"
        await world.until(lambda: LIVE not in world.entrance.application.host.committed)
        assert (await world.entrance.application.cashier.read_balances(bea)).free == 50_000
        assert code(await client.get(AT)) == "NoSuchTable"


async def test_h8_a_watched_table_shows_what_a_spectator_sees(world: World) -> None:
    """No face-down card, nobody's purse, nobody's unfinished bets."""
    await seated(world)
    async with await eva(world) as client:
        told = (await client.get(AT)).json()
        assert set(told) == {"table", "now", "public"}
        assert told["public"]["bets"] == []
        assert "balance" not in str(told)
        own = (await client.get(f"/api/supervisor/tables/{world.solo}")).json()
        assert own["public"]["table"] == world.solo


async def test_v63_mute_and_unmute(world: World) -> None:
    async with await eva(world) as client:
        body = {"player": world.ada, "reason": "shouting", "minutes": 10}
        assert (await client.post(f"{AT}/mutes", json=body)).status_code == 204
        said = await world.entrance.application.chat.say(world.ada, LIVE, "hello")
        assert type(said).__name__ == "Muted"
        assert (await client.delete(f"{AT}/mutes/{world.ada}")).status_code == 204
        assert type(await world.entrance.application.chat.say(world.ada, LIVE, "hello")).__name__ == "ChatMessage"
        assert code(await client.post(f"{AT}/mutes", json={**body, "player": "999"})) == "NoSuchPlayer"
        nowhere = "/api/supervisor/tables/nowhere/mutes"
        assert code(await client.post(nowhere, json=body)) == "NoSuchTable"


async def test_the_log_comes_in_pages_without_gaps(world: World) -> None:
    async with await eva(world) as client:
        seen, before = list[int](), ""
        while True:
            page = (await client.get(f"/api/supervisor/audit?limit=4{before}")).json()
            seen += [one["seq"] for one in page["lines"]]
            if page["before"] is None:
                break
            before = f"&before={page['before']}"
        assert seen == list(range(seen[0], 0, -1))


async def test_r08_a_correction_takes_two(world: World) -> None:
    before = (await world.entrance.application.cashier.read_balances(world.ada)).free
    async with await eva(world) as first, await eva(world) as second:
        body = {"code": world.code, "amounts": {world.ada: 250}, "reason": "the wheel was wrong"}
        number = (await first.post("/api/supervisor/corrections", json=body)).json()["number"]
        waiting = (await second.get("/api/supervisor/corrections")).json()["waiting"]
        assert [(one["number"], one["amounts"]) for one in waiting] == [(number, {world.ada: 250})]
        path = f"/api/supervisor/corrections/{number}/confirmation"
        assert code(await first.post(path)) == "SamePerson"
        assert (await world.entrance.application.cashier.read_balances(world.ada)).free == before
        assert (await second.post(path)).status_code == 204
        assert (await world.entrance.application.cashier.read_balances(world.ada)).free == before + 250
        async with world.entrance.client(await world.entrance.token(world.ada)) as ada:
            told = (await ada.get(f"/api/history/{world.code}")).json()
            assert [one["amount"] for one in told["corrections"]] == [250]
            assert (await ada.get("/api/history")).json()["lines"][0]["corrected"] == 250
        body["amounts"] = {"999": 100}
        assert code(await first.post("/api/supervisor/corrections", json=body)) == "NotInRound"


async def test_v66_a_round_is_found_by_the_time_that_it_shows(world: World) -> None:
    async with await eva(world) as client:
        day = world.entrance.clock.now()
        found = (await client.get("/api/supervisor/rounds", params={"day": day, "time": "12:00:00"})).json()
        assert [one["code"] for one in found["rounds"]] == [world.code]
        none = (await client.get("/api/supervisor/rounds", params={"day": day, "time": "12:00:01"})).json()
        assert none["rounds"] == []
        assert (await client.get("/api/supervisor/rounds", params={"day": day, "time": "25:00:00"})).status_code == 422


async def test_v74_a_supervisor_ends_the_sessions_of_an_account(world: World) -> None:
    ada = world.entrance.client(await world.entrance.token(world.ada))
    async with await eva(world) as client, ada:
        assert (await ada.get("/api/me")).is_success
        path = f"/api/supervisor/players/{world.ada}/logout"
        assert (await client.post(path, json={"reason": "a stolen telephone"})).json() == {"ended": 1}
        assert code(await ada.get("/api/me")) == "SessionOver"
        log = (await client.get("/api/supervisor/audit?limit=3")).json()["lines"]
        assert any(one["fields"].get("what") == "sessions ended: a stolen telephone" for one in log)


async def test_v74_a_supervisor_closes_an_account_and_opens_it_again(world: World) -> None:
    """The session ends, bets that lie there go back, the seat is free, the money comes home and stays his (R-38)."""
    bea = await seated(world)
    application, form = world.entrance.application, {"name": "Bea", "password": PASSWORD}
    guest = world.entrance.client(await world.entrance.token(bea))
    async with await eva(world) as client, guest:
        path = f"/api/supervisor/players/{bea}"
        for _ in range(2):
            assert (await act(client, f"{path}/closing", reason="two accounts")).status_code == 204
        assert code(await guest.get("/api/me")) == "SessionOver"
        assert code(await guest.post("/api/login", json=form)) == "AccountClosed"
        table = application.host.committed[LIVE].table
        assert (table.owner(1), table.total_stake_of(bea), table.purse(bea)) == (None, 0, 0)
        for _ in range(2):
            assert (await act(client, f"{path}/opening", reason="a mistake")).status_code == 204
        assert (await guest.post("/api/login", json=form)).is_success
        means = await application.cashier.read_balances(bea)
        assert (means.free, means.at_tables, means.in_play) == (50_000, 0, 0)
        log = (await client.get("/api/supervisor/audit?limit=20")).json()["lines"]
        acts = [
            one["fields"]["what"] for one in log if one["kind"] == "RightsChanged" and one["fields"]["player"] == bea
        ]
        assert acts == ["enabled: a mistake", "disabled: two accounts"]


async def test_a_supervisor_closes_neither_himself_nor_nobody(world: World) -> None:
    me, client = await world.visit(Who.SUPERVISOR)
    async with client:
        for word in ("closing", "opening"):
            path = f"/api/supervisor/players/{me}/{word}"
            assert code(await act(client, path, reason="tired")) == "OwnAccount"
            assert code(await act(client, f"/api/supervisor/players/999/{word}", reason="why")) == "NoSuchPlayer"
            assert code(await act(client, f"/api/supervisor/players/{world.ada}/{word}", reason="  ")) != "ok"
        assert not world.entrance.application.accounts[world.ada].player.disabled


async def test_linked_accounts_and_signals(world: World) -> None:
    bea = await world.entrance.joined("Bea")
    async with await eva(world) as client:
        body = {"first": world.ada, "second": bea, "reason": "one household"}
        assert (await client.post("/api/supervisor/links", json=body)).status_code == 204
        assert code(await client.post("/api/supervisor/links", json=body)) == "LinkUnfit"
        listed = (await client.get("/api/supervisor/signals")).json()["lines"]
        assert (listed[0]["kind"], listed[0]["fields"]["reason"]) == ("AccountsLinked", "one household")
        assert (await client.post("/api/supervisor/links/removal", json=body)).status_code == 204


async def test_r19_the_manifest_is_inspected_on_demand(world: World) -> None:
    async with await eva(world) as client:
        told = (await client.get("/api/supervisor/manifest")).json()
        assert told["sound"] is True
        assert len(told["digest"]) == 64
        again = (await client.post("/api/supervisor/manifest/inspection")).json()
        assert again["version"] == told["version"]
