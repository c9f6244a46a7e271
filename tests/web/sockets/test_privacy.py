"""Nobody is told of another more than the felt showed: every byte that a player receives is searched (H-5, X-06)."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio

from tests.support.clocked_house import PATIENT, ClockedHouse, list_spots
from tests.support.house import LIVE, NOON
from tests.support.http_house import Visitor, opened
from ventuno.core.views.public_view import build_public_view
from ventuno.house.history import round_detail
from ventuno.house.store.clock import JumpingClock
from ventuno.web.sockets import table_broadcast

BROUGHT = {"Ada": 50_023, "Bea": 73_731, "Zoe": 61_613}
WALLETS = {"Ada": 3_000_077, "Bea": 9_131_717, "Zoe": 5_757_571}
LIMIT = 4_131_700


@pytest_asyncio.fixture
async def parlour(tmp_path: Path) -> AsyncIterator[ClockedHouse]:
    clock = JumpingClock(NOON)
    async with opened(tmp_path, clock=clock, bounds=PATIENT) as doors:
        yield ClockedHouse(doors, clock)


async def seat(parlour: ClockedHouse, name: str, box: int) -> Visitor:
    """A player with amounts that nobody else has: in the account, at the table, as a limit of his own."""
    player = await parlour.doors.joined(name, WALLETS[name])
    if name != "Ada":
        assert await parlour.doors.application.protection.set_limit(player, "stake:day", LIMIT + box) is None
    visitor = await parlour.doors.enter(player)
    await visitor.join()
    await visitor.must("bring", amount=BROUGHT[name])
    if box:
        await visitor.must("sit", box=box)
    return visitor


async def play_round(parlour: ClockedHouse, *players: tuple[Visitor, int]) -> str:
    """A round of these players, each with a bet at his box; its code."""
    visitors = [visitor for visitor, _ in players]
    await parlour.until(lambda: visitors[0].public()["phase"] == "betting", *visitors)
    for visitor, box in players:
        await visitor.must("bet", spots=list_spots((box, "main")), amount=1_000)
        await visitor.must("deal")
    await parlour.until(lambda: visitors[0].public()["phase"] == "round", *visitors)
    code: str = visitors[0].public()["code"]
    await parlour.round(LIVE, *visitors)
    return code


async def read_everything(parlour: ClockedHouse, visitor: Visitor, codes: Iterable[str]) -> dict[str, str]:
    """What every path of the house that can be read tells this player, and all that his socket was told."""
    doors = parlour.doors
    session = await doors.session(visitor.player)
    told = {"socket": "\n".join(json.dumps(frame) for frame in visitor.frames)}
    paths = [
        path for path, calls in doors.app.openapi()["paths"].items() if "get" in calls and "supervisor" not in path
    ]
    async with httpx.AsyncClient(base_url=doors.origin, headers=doors.headers(session.token)) as client:
        for path in paths:
            for code in codes if "{code}" in path else [""]:
                address = path.format(code=code, table=LIVE, game="ventuno", shoe=1)
                told[address] = (await client.get(address)).text
    assert len(told) > 20
    return told


def list_secrets(visitor: Visitor) -> set[str]:
    """Every balance that he alone was shown, the id he plays under, his limit and what is in his account."""
    own = [frame["mine"] for frame in visitor.of("table")]
    changed = [change for frame in visitor.of("step") for change in frame.get("mine", [])]
    balances = {view["balance"] for view in own} | {change[1] for change in changed if change[0] == ["balance"]}
    name = next(frame["name"] for frame in visitor.of("welcome"))
    amounts = {*balances, WALLETS[name], WALLETS[name] - BROUGHT[name], *(LIMIT + box for box in range(1, 8))} - {0}
    return {*map(str, amounts), visitor.mine()["participation"]}


def find_leaks(told: dict[str, str], secrets: set[str]) -> list[tuple[str, str]]:
    found = re.compile("|".join(rf"(?<!\d){re.escape(secret)}(?!\d)" for secret in sorted(secrets)))
    return [(path, match[0]) for path, text in told.items() for match in found.finditer(text)]


async def search(parlour: ClockedHouse) -> list[tuple[str, str]]:
    """Ada plays a round before two others with money at the table, then one beside Bea, with Zoe behind neither."""
    ada, bea, zoe = await seat(parlour, "Ada", 1), await seat(parlour, "Bea", 4), await seat(parlour, "Zoe", 0)
    codes = [await play_round(parlour, (ada, 1)), await play_round(parlour, (ada, 1), (bea, 4))]
    told = await read_everything(parlour, ada, codes)
    assert all(any(code in text for text in told.values()) for code in codes)
    assert find_leaks(told, {str(BROUGHT["Ada"])}), "his own balance is found, so the search can find one"
    return find_leaks(told, list_secrets(bea) | list_secrets(zoe))


async def test_h5_no_byte_of_another_players_money_limits_or_ids(parlour: ClockedHouse) -> None:
    assert await search(parlour) == []


def tell_balances(patched: pytest.MonkeyPatch) -> None:
    """The line of a round with the balances of all who have money at the table."""
    patched.setattr(round_detail, "hide_others", lambda scenario, *_: scenario)


def tell_purses(patched: pytest.MonkeyPatch) -> None:
    """A public view in which a purse is shown where the cards of the shoe are counted."""
    build = build_public_view

    def leaky(table: Any, *given: Any, **named: Any) -> Any:
        view = build(table, *given, **named)
        object.__setattr__(view, "cards_left", max(table.purses.values(), default=0))
        return view

    patched.setattr(table_broadcast, "build_public_view", leaky)


@pytest.mark.parametrize("plant", [tell_balances, tell_purses])
async def test_a_planted_leak_is_found(parlour: ClockedHouse, monkeypatch: pytest.MonkeyPatch, plant: Any) -> None:
    plant(monkeypatch)
    assert await search(parlour)
