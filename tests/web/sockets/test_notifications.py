"""What a player must hear he hears within a second: checks, limits, mutes, and the end of his session (R-37, R-40)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support import channel_house
from tests.support.clocked_house import PATIENT, ClockedHouse, list_spots
from tests.support.house import LIVE, NOON, key
from tests.support.http_house import ServedHouse, Visitor, opened
from tests.support.stopwatch import Stopwatch
from ventuno.core.table.state import Phase
from ventuno.house.accounts.player_limits import DAY, MINUTE
from ventuno.house.store.clock import JumpingClock
from ventuno.house.tables.authority import Answer, Request

SECOND = 1.0


@pytest_asyncio.fixture
async def parlour(tmp_path: Path) -> AsyncIterator[ClockedHouse]:
    clock = JumpingClock(NOON)
    async with opened(tmp_path, clock=clock, bounds=PATIENT) as doors:
        yield ClockedHouse(doors, clock)


async def closed(visitor: Visitor, watch: Stopwatch) -> int:
    """The code a socket was closed with, within the second that R-40 gives."""
    code = await visitor.ended()
    assert watch.seconds < SECOND
    return code


async def test_r38_who_excludes_himself_is_out_at_once_on_every_device(parlour: ClockedHouse) -> None:
    doors = parlour.doors
    ada = await doors.seated("Ada", 1)
    other, bea = await doors.enter(ada.player), await doors.seated("Bea", 2)
    await parlour.until(lambda: ada.public()["phase"] == "betting", ada)
    await ada.must("bet", spots=list_spots((1, "main")), amount=1_000)
    with Stopwatch() as watch:
        await doors.application.protection.exclude(ada.player, 30)
        for device in (ada, other):
            assert await closed(device, watch) == 4005
            assert device.notices() == ["excluded"]
    assert device.of("notice")[0]["numbers"]["until"] == NOON + 30 * DAY
    await bea.until(lambda: [seat["box"] for seat in bea.public()["seats"]] == [2])
    back = await doors.enter(ada.player)
    assert await back.ended() == 4005, "and stays out"
    assert back.notices() == ["excluded"]


async def test_a_pause_from_play_closes_too(parlour: ClockedHouse) -> None:
    ada = await parlour.doors.seated("Ada", 1)
    with Stopwatch() as watch:
        await parlour.doors.application.protection.cool_off(ada.player, NOON + 2 * DAY)
        assert await closed(ada, watch) == 4005
    assert ada.notices() == ["cool-off"]


async def test_an_account_that_is_closed_is_told(parlour: ClockedHouse) -> None:
    doors = parlour.doors
    eva, ada = await doors.supervisor(), await doors.seated("Ada", 1)
    with Stopwatch() as watch:
        assert await doors.application.supervision.close_account(eva, ada.player, "two accounts") is None
        assert await closed(ada, watch) == 4005
    assert ada.notices() == ["disabled"]


async def test_logging_out_ends_the_sockets_of_that_session_alone(parlour: ClockedHouse) -> None:
    doors = parlour.doors
    held = await doors.session(await doors.joined("Ada"))
    here, there = await doors.enter(held.player, held), await doors.enter(held.player)
    with Stopwatch() as watch:
        await doors.application.accounts.log_out(held.player, held.session)
        assert await closed(here, watch) == 4004
    assert here.notices() == ["session-over"]
    assert (await there.join())["refused"] is None


async def test_r43_half_an_hour_without_a_word_ends_the_session(parlour: ClockedHouse) -> None:
    """Watching is no activity; asking is."""
    doors = parlour.doors
    ada, zoe = await doors.seated("Ada", 1), await doors.enter(await doors.joined("Zoe", 0))
    await zoe.join()
    parlour.clock.move(29 * MINUTE)
    assert (await ada.tell("say", text="ancora qui"))["refused"] is None
    parlour.clock.move(2 * MINUTE)
    assert await zoe.ended() == 4004
    assert zoe.notices() == ["session-over"]
    assert not ada.closed


async def test_an_ask_of_a_session_that_is_over_is_not_taken(parlour: ClockedHouse) -> None:
    """Also in the moment before anybody has looked."""
    doors = parlour.doors
    held = await doors.session(await doors.joined("Ada"))
    ada = await doors.enter(held.player, held)
    await ada.join()
    doors.hub.connections.clear()
    doors.hub.connections[held.player] = [next(iter(doors.hub.broadcasts[LIVE].watchers.values()))]  # type: ignore[list-item]
    await doors.application.accounts.log_out(held.player, held.session)
    await ada.send({"type": "ask", "id": "m", "table": LIVE, "key": key(), "command": {"do": "bring", "amount": 5}})
    assert await ada.ended() == 4004
    assert not [one for one in ada.of("answer") if one["id"] == "m"]


async def hours(parlour: ClockedHouse, visitor: Visitor, minutes: int) -> None:
    """Time passes for somebody who says a word now and then."""
    for _ in range(minutes // 20):
        parlour.clock.move(20 * MINUTE)
        await visitor.join()


async def test_r37_a_reality_check_comes_when_it_is_due_and_once(parlour: ClockedHouse) -> None:
    doors = parlour.doors
    ada = await doors.seated("Ada", 1)
    await hours(parlour, ada, 60)
    await ada.until(lambda: "reality-check" in ada.notices())
    (notice,) = [one for one in ada.of("notice") if one["kind"] == "reality-check"]
    assert notice["numbers"]["minutes"] == 60
    assert (await ada.ask("bring", amount=1_000))["refused"] is None
    device = await doors.enter(ada.player)
    await device.until(lambda: "reality-check" in device.notices())
    await doors.application.protection.acknowledge(ada.player)
    await hours(parlour, ada, 40)
    assert ada.notices().count("reality-check") == 1
    await hours(parlour, ada, 20)
    await ada.until(lambda: ada.notices().count("reality-check") == 2)


async def test_r37_a_check_waits_for_the_end_of_the_round(parlour: ClockedHouse) -> None:
    """Never over a decision that is being made."""
    doors = parlour.doors
    player = await doors.joined("Ada")
    table = await doors.application.tables.open_solo(player, "first-person")
    assert isinstance(table, str)
    ada = await doors.enter(player)
    await ada.join(table)
    await ada.must("bring", table, amount=10_000)
    while True:
        await parlour.until(lambda: ada.public(table)["phase"] == "betting", ada)
        await ada.must("bet", table, spots=list_spots((1, "main")), amount=1_000)
        await ada.must("deal", table)
        if ada.public(table)["phase"] == "round":
            break
    for _ in range(4):
        parlour.clock.move(20 * MINUTE)
        await ada.tell("join", table)
    await ada.until(lambda: len(ada.of("ping")) > 0)
    assert "reality-check" not in ada.notices()
    await parlour.round(table, ada)
    await ada.until(lambda: "reality-check" in ada.notices())


def spot(visitor: Visitor, box: int, bet: str, table: str = LIVE) -> tuple[int | None, list[str]]:
    (found,) = [one for one in visitor.mine(table)["options"]["spots"] if (one["box"], one["bet"]) == (box, bet)]
    return found["price"], [one["code"] for one in found["reasons"]]


def word(visitor: Visitor, name: str, table: str = LIVE) -> tuple[int | None, list[str]]:
    found = visitor.mine(table)["options"]["betting"][name]
    return found["price"], [one["code"] for one in found["reasons"]]


async def test_x19_what_ones_own_limits_refuse_is_shown_as_closed_with_its_reason(parlour: ClockedHouse) -> None:
    """The words are those of the refusal, at every table at once, and nobody else's table changes by a byte."""
    doors = parlour.doors
    ada, bea = await doors.seated("Ada", 1), await doors.seated("Bea", 2)
    solo = await doors.application.tables.open_solo(ada.player, "first-person")
    assert isinstance(solo, str)
    await ada.join(solo)
    await ada.must("bring", solo, amount=50_000)
    await parlour.until(lambda: {ada.public(one)["phase"] for one in (LIVE, solo)} == {"betting"}, ada)
    await ada.must("bet", spots=list_spots((1, "main")), amount=1_000)
    assert (spot(ada, 1, "main"), word(ada, "double")) == ((49_000, []), (1_000, []))
    heard = len(bea.frames)
    await doors.application.protection.set_limit(ada.player, "loss:day", 1_500)
    await ada.until(lambda: spot(ada, 1, "main") == (500, []) and spot(ada, 1, "main", solo) == (500, []))
    assert word(ada, "double") == (None, ["ProtectionLimit"])
    assert word(ada, "undo") == (0, [])
    refused = (await ada.ask("double"))["refused"]
    assert refused == ada.mine()["options"]["betting"]["double"]["reasons"][0]
    await ada.must("bet", solo, spots=list_spots((1, "main")), amount=500)
    await ada.until(lambda: spot(ada, 1, "main") == (None, ["ProtectionLimit"]))
    assert spot(ada, 1, "21+3") == spot(ada, 2, "behind") == (None, ["ProtectionLimit"])
    assert (await ada.ask("bet", spots=list_spots((1, "main")), amount=100))["refused"]["code"] == "ProtectionLimit"
    await ada.must("clear", solo)
    await ada.until(lambda: spot(ada, 1, "main") == (500, []))
    before, again = ada.mine(), await doors.enter(ada.player)
    await again.join()
    assert again.mine() == before
    assert [one for one in bea.frames[heard:] if one["type"] != "ping"] == []
    assert spot(bea, 2, "main") == (50_000, [])


async def test_x19_a_raise_that_ones_limits_refuse_is_closed_and_a_check_closes_bets(parlour: ClockedHouse) -> None:
    doors = parlour.doors
    player = await doors.joined("Ada")
    table = await doors.application.tables.open_solo(player, "first-person")
    assert isinstance(table, str)
    ada = await doors.enter(player)
    await ada.join(table)
    await ada.must("bring", table, amount=50_000)
    while not [
        one for one in ada.mine(table)["options"]["decisions"] if (one["action"], one["price"]) == ("double", 1_000)
    ]:
        if ada.public(table)["phase"] == "round":
            await parlour.round(table, ada)
        await parlour.until(lambda: ada.public(table)["phase"] == "betting", ada)
        await ada.must("bet", table, spots=list_spots((1, "main")), amount=1_000)
        await ada.must("deal", table)
        if ada.public(table)["stage"] == "insurance":
            await ada.must("decide", table, box=1, action="decline")

    def decision(action: str) -> tuple[int | None, list[str]]:
        (found,) = [one for one in ada.mine(table)["options"]["decisions"] if one["action"] == action]
        return found["price"], [one["code"] for one in found["reasons"]]

    await doors.application.protection.set_limit(player, "stake:day", 1_000)
    await ada.until(lambda: decision("double") == (None, ["ProtectionLimit"]))
    assert decision("stand") == (0, [])
    await ada.must("decide", table, box=1, action="stand")
    await parlour.until(lambda: ada.public(table)["phase"] == "betting", ada)
    assert spot(ada, 1, "main", table) == (None, ["ProtectionLimit"])
    bea = await doors.seated("Bea", 2)
    await hours(parlour, bea, 60)
    await bea.until(lambda: spot(bea, 2, "main") == (None, ["RealityCheckDue"]))
    await doors.application.protection.acknowledge(bea.player)
    await bea.until(lambda: spot(bea, 2, "main") == (50_000, []))


async def test_a_limit_of_time_is_told_when_it_is_reached(parlour: ClockedHouse) -> None:
    doors = parlour.doors
    ada = await doors.seated("Ada", 1)
    await doors.application.protection.set_limit(ada.player, "session:minutes", 40)
    await hours(parlour, ada, 40)
    await ada.until(lambda: "account" in ada.notices())
    assert ada.of("notice")[0]["numbers"]["name"] == "session:minutes"
    assert not ada.closed, "an open round may be finished, money may be taken"


async def test_v63_a_mute_is_told_and_so_is_its_end(parlour: ClockedHouse) -> None:
    doors = parlour.doors
    eva, ada = await doors.supervisor(), await doors.seated("Ada", 1)
    for lifted in (False, True):
        await doors.application.supervision.mute(eva, LIVE, ada.player, "insults", 10)
        await ada.until(lambda: ada.notices()[-1:] == ["muted"])
        assert ada.of("notice")[-1]["numbers"]["reason"] == "insults"
        assert (await ada.tell("say", text="ma"))["refused"]["code"] == "Muted"
        if lifted:
            await doors.application.supervision.unmute(eva, LIVE, ada.player)
        else:
            parlour.clock.move(10 * MINUTE)
        await ada.until(lambda: ada.notices()[-1:] == ["unmuted"])
    assert (await ada.tell("say", text="grazie"))["refused"] is None


async def test_a_closed_table_is_told_and_left(parlour: ClockedHouse) -> None:
    """X-10: no new bets, then the table is no more."""
    doors = parlour.doors
    eva, ada = await doors.supervisor(), await doors.seated("Ada", 1)
    await doors.application.supervision.close_table(eva, LIVE, "the night is over", key())
    await parlour.until(lambda: "table-closed" in ada.notices(), ada)
    assert not ada.tables
    assert not doors.hub.broadcasts
    assert (await ada.join())["refused"]["code"] == "NoSuchTable"


@pytest.mark.parametrize("kind", ["excluded", "logout"])
async def test_nobody_else_is_told(parlour: ClockedHouse, kind: str) -> None:
    doors = parlour.doors
    held = await doors.session(await doors.joined("Ada"))
    ada, bea = await doors.enter(held.player, held), await doors.seated("Bea", 1)
    await ada.join()
    if kind == "excluded":
        await doors.application.protection.exclude(held.player, 30)
    else:
        await doors.application.accounts.log_out(held.player, held.session)
    await ada.ended()
    assert bea.notices() == []
    assert not bea.closed


async def test_r38_stakes_come_back_before_who_closes_play_to_himself_is_sent_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though the hub looks after him in the very moment in which play is closed and his bets still lie there."""
    async with channel_house.opened(tmp_path) as house:
        await house.application.tables.open("Aurelia", "ventuno")
        told: list[bytes] = []
        ada = await house.joined("Ada")
        channel = await house.enter(ada, told.append)
        asks = [
            {"do": "bring", "amount": 100_000},
            {"do": "sit", "box": 4},
            {"do": "bet", "spots": [{"box": 4, "bet": "main"}], "amount": 2_500},
        ]
        await channel_house.say(channel, {"type": "join", "id": "j", "table": "Aurelia"})
        for number, command in enumerate(asks):
            while (
                command["do"] == "bet" and house.application.host.committed["Aurelia"].table.phase is not Phase.BETTING
            ):
                await asyncio.sleep(0.001)
            ask = {
                "type": "ask",
                "id": f"a{number}",
                "table": "Aurelia",
                "key": f"asked-first-{number}",
                "command": command,
            }
            await channel_house.say(channel, ask)
        assert b'"refused":null' in told[-1]
        decide = house.application.host.ask

        async def watched(request: Request) -> Answer:
            await house.hub.check_players([ada])
            return await decide(request)

        monkeypatch.setattr(house.application.host, "ask", watched)
        told.clear()
        await house.application.protection.exclude(ada, 30)
        house.flush()
        assert channel.is_closing
        back = next(at for at, one in enumerate(told) if b'[["staked"],0]' in one)
        assert [at for at, one in enumerate(told) if b'"kind":"excluded"' in one] == [len(told) - 1]
        assert back < len(told) - 1


def test_the_house_is_looked_at_often_enough() -> None:
    """Every socket once in less than the second that R-40 gives."""
    from ventuno.web.sockets.hub import PAUSE, SLICES

    assert SLICES * PAUSE < SECOND


__all__ = ["ServedHouse"]
