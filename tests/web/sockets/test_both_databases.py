"""The doors on both databases: rounds of every game, a second device, limits and exclusions in time (R-40, R-43)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.clocked_house import PATIENT, ClockedHouse, list_spots
from tests.support.house import LIVE, NOON
from tests.support.http_house import Visitor, opened
from tests.support.stopwatch import Stopwatch
from ventuno.house.accounts.player_limits import DAY
from ventuno.house.store.clock import JumpingClock

SECOND = 1.0
SOLO = {
    "first-person": [(1, "main"), (2, "main"), (1, "perfect-pairs")],
    "sisal": [(1, "main"), (2, "main"), (0, "dealer-pair")],
    "duello": [(1, "main"), (2, "main"), (1, "2-up")],
    "link": [(1, "main"), (2, "main"), (1, "link"), (2, "link")],
}


@pytest_asyncio.fixture
async def parlour(tmp_path: Path, url: str) -> AsyncIterator[ClockedHouse]:
    clock = JumpingClock(NOON)
    async with opened(tmp_path, url=url, clock=clock, bounds=PATIENT) as doors:
        yield ClockedHouse(doors, clock)


async def test_a_round_of_every_game_over_the_socket_is_paid_to_the_cent(parlour: ClockedHouse) -> None:
    """X-12: what is told at the table, what the wallet holds and what the history says are one amount."""
    doors = parlour.doors
    ada = await doors.seated("Ada", 1)
    tables = {"ventuno": LIVE}
    for game in SOLO:
        opened_table = await doors.application.tables.open_solo(ada.player, game)
        assert isinstance(opened_table, str)
        tables[game] = opened_table
        await ada.join(opened_table)
        await ada.must("bring", opened_table, amount=50_000)
    for game, table in tables.items():
        await parlour.until(lambda table=table: ada.public(table)["phase"] == "betting", ada)
        before = ada.mine(table)["balance"]
        for spot in SOLO.get(game, [(1, "main"), (1, "21+3")]):
            await ada.must("bet", table, spots=list_spots(spot), amount=500)
        await ada.must("deal", table)
        await parlour.until(lambda table=table: ada.public(table)["phase"] != "betting", ada)
        await parlour.round(table, ada)
        net = sum(line["returned"] - line["stake"] for line in ada.public(table)["lines"])
        assert ada.mine(table)["balance"] == before + net
        page = await doors.application.history.list_rounds(ada.player, limit=len(tables))
        assert {line.game: line.net for line in page.lines}[game] == net
    balances = await doors.application.cashier.read_balances(ada.player)
    assert balances.at_tables == sum(ada.mine(table)["balance"] for table in tables.values())
    assert sum((await doors.application.host.commits.store.sum_postings()).values()) == 0


async def test_r43_a_second_device_takes_the_seat_over_in_mid_round_and_the_first_is_told(
    parlour: ClockedHouse,
) -> None:
    """One active session per table: the seat, the bet and the turn are the second's; the first can do nothing more."""
    doors = parlour.doors
    first = await doors.seated("Ada", 1)
    await parlour.until(lambda: first.public()["phase"] == "betting", first)
    await first.must("bet", spots=list_spots((1, "main")), amount=1_000)
    before = first.public(), first.mine()
    second = await doors.enter(first.player)
    assert (await second.join())["refused"] is None
    await first.until(lambda: "taken-over" in first.notices())
    assert [notice["table"] for notice in first.of("notice")] == [LIVE]
    assert (second.public(), second.mine()) == before
    steps = len(first.of("step"))
    refused = [
        (await first.ask(do, **fields))["refused"]["code"]
        for do, fields in (
            ("bet", {"spots": list_spots((1, "main")), "amount": 500}),
            ("clear", {}),
            ("deal", {}),
            ("stand-up", {"box": 1}),
        )
    ]
    assert refused == ["NotJoined"] * 4
    await second.must("deal")
    await parlour.until(lambda: second.public()["phase"] != "betting", second)
    await parlour.round(LIVE, second)
    lines = [line for line in second.public()["lines"] if line["bet"] == "main"]
    assert [(line["player"], line["box"], line["stake"]) for line in lines] == [(first.player, 1, 1_000)]
    assert [seat["player"] for seat in second.public()["seats"]] == [first.player]
    assert len(first.of("step")) == steps, "and hears nothing more of it"
    assert [*doors.hub.broadcasts[LIVE].watchers] == [first.player]


Close = Callable[[ClockedHouse, Visitor], Awaitable[object]]


async def exclude(parlour: ClockedHouse, visitor: Visitor) -> None:
    await parlour.doors.application.protection.exclude(visitor.player, 30)


async def pause(parlour: ClockedHouse, visitor: Visitor) -> None:
    await parlour.doors.application.protection.cool_off(visitor.player, NOON + 2 * DAY)


@pytest.mark.parametrize("close", [exclude, pause])
async def test_r40_g17_every_connection_of_who_closes_play_to_himself_ends_within_a_second(
    parlour: ClockedHouse, close: Close
) -> None:
    """Asked in a session that has no socket at all; measured at the sockets of two others."""
    ada = await parlour.doors.seated("Ada", 1)
    other = await parlour.doors.enter(ada.player)
    with Stopwatch() as watch:
        await close(parlour, ada)
        assert [await device.ended() for device in (ada, other)] == [4005, 4005]
        assert watch.seconds < SECOND


async def test_r40_a_limit_set_elsewhere_closes_what_is_shown_within_a_second_and_refuses_at_once(
    parlour: ClockedHouse,
) -> None:
    ada = await parlour.doors.seated("Ada", 1)
    await parlour.until(lambda: ada.public()["phase"] == "betting", ada)

    def is_main_open() -> bool:
        spots = ada.mine()["options"]["spots"]
        return next(one["price"] for one in spots if (one["box"], one["bet"]) == (1, "main")) is not None

    assert is_main_open()
    with Stopwatch() as watch:
        await parlour.doors.application.protection.set_limit(ada.player, "stake:day", 0)
        asked = await ada.ask("bet", spots=list_spots((1, "main")), amount=500)
        assert asked["refused"]["code"] == "ProtectionLimit", "the very next command"
        await ada.until(lambda: not is_main_open())
        assert watch.seconds < SECOND
