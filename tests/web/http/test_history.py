"""What was: history, rounds in full, replays, statistics, documents and receipts (V-66…V-70, X-01, X-02, X-17, H-1)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from tests.support.busy_house import World
from tests.support.house import key
from tests.support.in_process_house import opened
from ventuno.core.messages.commands import DealNow, PlaceBet, Spot
from ventuno.core.messages.refusals import Refusal
from ventuno.house.shoes import receipts, shoe_document
from ventuno.house.shoes.verification import ProofFailed, verify
from ventuno.sheets import GAMES, load
from ventuno.web.messages.history import ReplayResponse


@pytest_asyncio.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    async with opened(tmp_path) as entrance:
        yield await World(entrance).begin()


async def as_ada(world: World) -> httpx.AsyncClient:
    return world.entrance.client(await world.entrance.token(world.ada))


async def test_v69_the_history_in_pages_by_game_and_by_time(world: World) -> None:
    table = await world.table(world.ada, "duello")
    for name in (world.solo, table, world.solo, table, world.solo):
        world.entrance.clock.move(60_000)
        await world.round(world.ada, name)
    async with await as_ada(world) as client:
        whole = (await client.get("/api/history")).json()
        assert whole["totals"]["rounds"] == len(whole["lines"]) == 6
        assert whole["totals"]["net"] == sum(line["net"] for line in whole["lines"])
        assert [line["ended"] for line in whole["lines"]] == sorted(
            (one["ended"] for one in whole["lines"]), reverse=True
        )
        pages, before = list[dict[str, Any]](), dict[str, Any]()
        while True:
            page = (await client.get("/api/history", params={"limit": 4, **before})).json()
            pages += page["lines"]
            assert page["totals"] == whole["totals"]
            if page["before"] is None:
                break
            before = {"before": page["before"]["ended"], "before_code": page["before"]["code"]}
        assert pages == whole["lines"]
        duels = (await client.get("/api/history", params={"game": "duello"})).json()
        assert {line["game"] for line in duels["lines"]} == {"duello"}
        assert duels["totals"]["rounds"] == 2
        first, last = whole["lines"][3]["ended"], whole["lines"][1]["ended"]
        span = (await client.get("/api/history", params={"first": first, "last": last})).json()
        assert span["lines"] == whole["lines"][1:4]


async def test_v70_a_round_in_full(world: World) -> None:
    async with await as_ada(world) as client:
        told = (await client.get(f"/api/history/{world.code}")).json()
        line = (await client.get("/api/history")).json()["lines"][0]
    assert (told["code"], told["table"], told["agrees"]) == (world.code, world.solo, True)
    assert told["session"].startswith("S")
    assert told["participation"].startswith("P")
    assert sum(bet["returned"] - bet["stake"] for bet in told["bets"]) == line["net"] == told["after"] - told["before"]
    assert all(bet["criterion"].startswith("F-") and bet["arithmetic"] for bet in told["bets"])
    assert told["people"][world.ada] == {"player": world.ada, "name": "Ada", "bot": True}
    assert [step["what"] for step in told["steps"]][:2] == ["begun", "dealt"]
    assert told["corrections"] == []


async def test_x02_a_round_is_replayed_as_it_was_seen(world: World) -> None:
    async with await as_ada(world) as client:
        told = (await client.get(f"/api/rounds/{world.code}/steps")).json()
        full = (await client.get(f"/api/history/{world.code}")).json()
    replay = told["frames"]
    assert set(told) == set(ReplayResponse.__dataclass_fields__)
    dealers = [frame["public"]["dealer"] for frame in replay]
    assert dealers[0]["face_down"] == 1
    hole = full["dealer"].split()[1]
    turned = next(place for place, one in enumerate(dealers) if not one["face_down"])
    assert turned > 0
    assert all(hole not in one["cards"] or one["cards"][0] == hole for one in dealers[:turned])
    assert " ".join(dealers[-1]["cards"]) == full["dealer"]
    assert replay[-1]["public"]["lines"] == full["bets"]
    assert replay[-1]["mine"]["balance"] == full["after"]
    assert [frame["seq"] for frame in replay] == sorted({frame["seq"] for frame in replay})


async def test_x17_the_figures_of_all_rounds(world: World) -> None:
    for _ in range(4):
        await world.round(world.ada, world.solo)
    async with await as_ada(world) as client:
        told = (await client.get("/api/statistics")).json()
        totals = (await client.get("/api/history")).json()["totals"]
    assert (told["total"]["rounds"], told["total"]["net"]) == (5, totals["net"])
    assert told["total"] == told["by_game"]["first-person"]
    assert told["total"]["won"] + told["total"]["lost"] + told["total"]["even"] == 5


async def test_g14_the_document_of_a_round_verifies_and_one_changed_card_does_not(world: World) -> None:
    async with await as_ada(world) as client:
        told = (await client.get(f"/api/verify/{world.code}")).json()
        shown = (await client.get("/api/fairness")).json()
    public, sheet = bytes.fromhex(shown["key"]), load("first-person")
    assert verify(shoe_document.read(json.dumps(told).encode(), GAMES), sheet, public).is_verifiable
    card = told["dealt"][0]["card"]
    told["dealt"][0]["card"] = "2S" if card != "2S" else "3S"
    with pytest.raises(ProofFailed):
        verify(shoe_document.read(json.dumps(told).encode(), GAMES), sheet, public)


async def test_the_receipt_of_a_table_is_signed_by_the_house(world: World) -> None:
    async with await as_ada(world) as client:
        told = (await client.get(f"/api/tables/{world.solo}/receipt")).json()
        shown = (await client.get("/api/fairness")).json()
    assert receipts.read(told).is_valid
    assert told["key"] == shown["key"]
    told["checkpoint"]["height"] += 1
    assert not receipts.read(told).is_valid


async def test_h1_live_proofs_tell_of_open_cards_alone(world: World) -> None:
    application = world.entrance.application
    await world.until(lambda: world.cut(world.solo) or world.seen(world.solo, world.ada).public.phase == "betting")
    if world.cut(world.solo):
        await application.fairness.reveal(world.ada, world.solo, bytes(16))
    await world.until(lambda: world.seen(world.solo, world.ada).public.phase == "betting")
    await world.say(world.ada, world.solo, PlaceBet(world.ada, (Spot(1, "main"),), 1_000, 0))
    await world.say(world.ada, world.solo, DealNow(world.ada, 0))
    async with await as_ada(world) as client:
        told = (await client.get(f"/api/tables/{world.solo}/proofs")).json()
    seen = world.seen(world.solo, world.ada).public
    open_cards = sorted([*seen.boxes[0].hands[0].cards, *seen.dealer.cards])
    assert sorted(one["card"] for one in told["dealt"]) == open_cards
    if seen.phase == "round":
        table = application.host.committed[world.solo].table
        assert table.round is not None
        assert len(told["dealt"]) == 3
        assert len(table.round.hidden) == 1


async def test_voids_are_told_to_everybody(world: World) -> None:
    application, eva = world.entrance.application, await world.supervisor()
    bea = await world.entrance.joined("Bea", 100_000)
    table = await world.table(bea, "sisal")
    await world.until(lambda: world.cut(table))
    await application.fairness.reveal(bea, table, bytes(16))
    await world.until(lambda: world.seen(table, bea).public.phase == "betting")
    await world.say(bea, table, PlaceBet(bea, (Spot(1, "main"),), 1_000, 0))
    await world.say(bea, table, DealNow(bea, 0))
    prepared = application.supervision.prepare_void(eva, table, "a test")
    assert not isinstance(prepared, Refusal), prepared
    answer = await application.supervision.void(eva, table, "a test", key(), prepared[0])
    assert not answer.refused, answer
    async with world.entrance.client() as client:
        world.entrance.clock.move(60_001)
        voids = (await client.get("/api/fairness")).json()["voids"]
    assert sum(voids["sisal"]["voided"].values()) == 1
    assert sum(voids["first-person"]["settled"].values()) == 1
    assert voids["sisal"]["biased"] is False
