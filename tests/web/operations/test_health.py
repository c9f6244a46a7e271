"""Health and figures of a house: who is told, what is told, and that nothing of a player is in it."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families
from pydantic import SecretStr

from tests.support.busy_house import World
from tests.support.doors_in_tests import DOORS
from tests.support.house import key
from tests.support.in_process_house import LIVE, InProcessHouse, opened
from ventuno import __version__
from ventuno.core.messages.commands import Pause, TakeSeat
from ventuno.house.store.file_lock import DiskReserve
from ventuno.house.store.store import StoreFailed
from ventuno.house.tables.authority import Request
from ventuno.house.tables.housekeeping import BY, RESTART
from ventuno.web.operations.metrics import OTHER, count_by_code

MANUAL = Path(__file__).resolve().parents[3] / "docs" / "operations.md"
PROCESS = "process_"


def caller(entrance: InProcessHouse, address: str = "127.0.0.1", **headers: str) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(entrance.front, client=(address, 4000))
    return httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:2121", headers=headers)


async def figures(entrance: InProcessHouse) -> dict[tuple[str, ...], float]:
    """Every sample by its name and the values of its labels."""
    async with caller(entrance) as client:
        text = (await client.get("/metrics")).text
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


async def ready(entrance: InProcessHouse) -> tuple[int, list[str]]:
    async with caller(entrance) as client:
        answer = await client.get("/readyz")
    return answer.status_code, answer.json()["reasons"]


async def test_a_sound_house_is_alive_and_ready(entrance: InProcessHouse) -> None:
    async with caller(entrance) as client:
        assert (await client.get("/healthz")).text == "alive\n"
    assert await ready(entrance) == (200, [])


async def test_each_reason_is_named(entrance: InProcessHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    application = entrance.application
    full = "the disk is full: less than 32 MB are left"
    with monkeypatch.context() as disk:
        disk.setattr(DiskReserve, "find_shortage", lambda *_: full)
        disk.setattr(application.host.commits.store, "full", full)
        assert await ready(entrance) == (503, ["the disk is full: open rounds end, none begins"])
    application.pipeline.halted = "program/core/hand.py is changed"
    assert await ready(entrance) == (
        503,
        ["the program is not the one that was accepted: program/core/hand.py is changed"],
    )
    application.pipeline.halted = ""
    application.maintenance.faults = ["player:7 is -5"]
    assert await ready(entrance) == (503, ["the books are wrong in 1 places"])
    application.maintenance.faults = []
    answer = await application.host.ask(Request(LIVE, Pause(BY, RESTART, 0), "pause-1"))
    assert not answer.refused
    assert await ready(entrance) == (503, ["1 tables have not been resumed"])
    await application.host.resume_all()
    assert await ready(entrance) == (200, [])
    application.host.commits.fail(StoreFailed("the store stopped: disk I/O error"))
    assert await ready(entrance) == (503, ["the store does not write"])


async def test_why_a_process_has_to_end(entrance: InProcessHouse) -> None:
    """The store has failed, or a decision could not be written: another process recovers, this one ends."""
    application = entrance.application
    assert application.find_failure() == ""
    application.pipeline.broken = "PlaceBet at Ventuno 1: KeyError"
    assert application.find_failure() == "PlaceBet at Ventuno 1: KeyError"
    application.host.commits.fail(StoreFailed("the store stopped: disk I/O error"))
    assert application.find_failure() == "the store stopped: disk I/O error"


async def test_a_supervisors_pause_is_no_reason(entrance: InProcessHouse) -> None:
    await entrance.application.host.ask(Request(LIVE, Pause("eva", "a spilt drink", 0), "pause-1"))
    assert await ready(entrance) == (200, [])


async def test_a_writer_that_hangs_is_noticed(entrance: InProcessHouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ventuno.web.operations.health.PATIENCE", 0.05)
    store = entrance.application.host.commits.store
    monkeypatch.setattr(store, "submit", lambda *_: None)
    assert await ready(entrance) == (503, ["the store does not write"])


@pytest.mark.parametrize(
    ("address", "headers", "status"),
    [
        ("127.0.0.1", {}, 200),
        ("::1", {}, 200),
        ("10.0.0.9", {}, 404),
        ("127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, 404),
        ("127.0.0.1", {"Forwarded": "for=10.0.0.9"}, 404),
        ("10.0.0.9", {"Authorization": "Bearer "}, 404),
        ("10.0.0.9", {"Authorization": "Bearer t0ken"}, 404),
    ],
)
async def test_figures_are_for_this_machine(
    entrance: InProcessHouse, address: str, headers: dict[str, str], status: int
) -> None:
    async with caller(entrance, address, **headers) as client:
        assert (await client.get("/metrics")).status_code == status


async def test_figures_by_token(tmp_path: Path) -> None:
    async with opened(tmp_path, {"metrics_token": SecretStr("t0ken")}) as entrance:
        for word, status in (("t0ken", 200), ("t0keN", 404), ("", 404), ("t0ken x", 404)):
            async with caller(entrance, "10.0.0.9", Authorization=f"Bearer {word}") as client:
                assert (await client.get("/metrics")).status_code == status, word


async def test_commits_are_timed_and_counted(entrance: InProcessHouse) -> None:
    before = await figures(entrance)
    player = await entrance.joined("Ada")
    await asyncio.gather(*[entrance.application.cashier.deposit(player, 100, key()) for _ in range(20)])
    await asyncio.sleep(0)
    after = await figures(entrance)
    told = after["ventuno_commit_seconds_count",] - before.get(("ventuno_commit_seconds_count",), 0)
    together = after["ventuno_commit_group_count",] - before.get(("ventuno_commit_group_count",), 0)
    assert told >= 21
    assert 1 <= together < told
    assert after["ventuno_commit_group_sum",] == after["ventuno_commit_seconds_count",]


async def test_what_the_books_take_up_is_told_by_part_and_by_round(entrance: InProcessHouse) -> None:
    storage = entrance.application.maintenance.storage
    await storage.look()
    found = await figures(entrance)
    assert found["ventuno_store_bytes", "file"] > 20_000
    assert (found["ventuno_rounds_total",], found["ventuno_round_bytes",]) == (0, 0)
    entrance.application.host.commits.rounds += 4
    storage.size = storage.size._replace(file=storage.size.file + 30_000)
    assert (await figures(entrance))["ventuno_round_bytes",] == 7_500


async def test_money_players_and_build_are_told(entrance: InProcessHouse) -> None:
    app, world = entrance.application, World(entrance)
    await world.begin()
    await app.tables.bring(world.ada, LIVE, 10_000, key())
    assert not (await app.tables.ask(world.ada, LIVE, TakeSeat(world.ada, 1, 0), key())).refused
    found = await figures(entrance)
    money = {name[1]: value for name, value in found.items() if name[0] == "ventuno_money_cents"}
    assert sum(money.values()) == 0
    free = app.host.authority.wallet.balance(f"player:{world.ada}")
    assert (money["free"], money["cashier"]) == (free, -500_000)
    shares = await app.host.commits.store.list_round_shares(world.code)
    assert found["ventuno_staked_cents_total",] == sum(share.staked for share in shares) > 0
    assert found["ventuno_returned_cents_total",] == sum(share.returned for share in shares)
    assert found["ventuno_accounts",] == len(list(app.accounts))
    assert found["ventuno_players_seated",] >= 1
    assert [value for name, value in found.items() if name[0] == "ventuno_build_info" and __version__ in name] == [1]


async def test_faults_and_phases_are_read_when_asked(entrance: InProcessHouse) -> None:
    assert (await figures(entrance))["ventuno_books_faults",] == 0
    entrance.application.maintenance.faults = ["one", "two"]
    found = await figures(entrance)
    assert found["ventuno_books_faults",] == 2
    phases = {name[1]: value for name, value in found.items() if name[0] == "ventuno_tables"}
    assert sum(phases.values()) == 1
    assert set(phases) == {"shuffling", "betting", "round", "results", "closed", "paused"}


async def test_no_label_comes_from_outside(entrance: InProcessHouse) -> None:
    """Paths, names and tables of players make no label: their number is bounded, and nothing of them is told."""
    _, client = await entrance.visitor("Sentinella", 5_000)
    async with client:
        for path in ("/api/games/sentinella", "/sentinella", "/api/history/sentinella", "/api/me"):
            await client.get(path)
    for door in entrance.doors.doors if entrance.doors else ():
        assert door._link is not None
        door._link.send(door._measure())  # as it does every five seconds
    routes = set[str]()
    while "none" not in routes:
        async with caller(entrance) as other:
            text = (await other.get("/metrics")).text
        routes = set(re.findall(r'ventuno_requests_total\{route="([^"]*)"', text))
    assert "sentinella" not in text.lower()
    assert LIVE not in text
    assert {"/api/games/{game}", "/api/me"} <= routes


def test_only_codes_of_the_house_are_labels() -> None:
    counted = Counter({"LimitReached": 2, "FundsMissing": 1, "x" * 900: 3, '"} 1\nforged 2': 4})
    assert count_by_code(counted) == {"LimitReached": 2, "FundsMissing": 1, OTHER: 7}


async def test_the_manual_lists_every_figure(entrance: InProcessHouse) -> None:
    async with caller(entrance) as client:
        families = list(text_string_to_metric_families((await client.get("/metrics")).text))
    ours = {name(one) for one in families if not one.name.startswith(PROCESS)}
    listed = set(re.findall(r"^\| `(ventuno_\w+)` \|", MANUAL.read_text(encoding="utf-8"), re.MULTILINE))
    of_doors, of_nodes = ({one for one in listed if one.startswith(f"ventuno_{kind}")} for kind in ("door", "node"))
    assert of_doors
    assert of_nodes, "tests/web/doors/test_node_status.py compares them"
    assert ours == listed - of_nodes - (set() if DOORS else of_doors)


def name(family: Any) -> str:
    return f"{family.name}_total" if family.type == "counter" else str(family.name)
