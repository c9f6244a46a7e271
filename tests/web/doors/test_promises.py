"""What a house promises it keeps behind two doors, whatever dies or stands still; and a house that does not is found.

Each promise is tried on processes as an operator runs them, then on the same with a fault in them.
"""

from __future__ import annotations

import asyncio
import os
import signal
import socket as sockets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.support.door_processes import HouseWithDoors, Socket, enter_guest, entered, read_figures, spread, wait_until
from tests.support.house import LIVE
from tests.support.http_house import Seen, ServedHouse, Visitor, opened
from tests.support.load_players import call
from tests.support.server_process import Plant, running
from tests.support.stopwatch import Stopwatch
from ventuno.house.accounts.players import Role
from ventuno.house.accounts.sessions import Identity
from ventuno.web.doors import bus, door, host, supervisor
from ventuno.web.doors.bus import Link
from ventuno.web.doors.host import Admission, Doors, RemoteLine
from ventuno.web.messages.server_messages import Notice
from ventuno.web.sockets import endpoint, hub
from ventuno.web.sockets.hub import Hub
from ventuno.web.sockets.limits import SocketLimits
from ventuno.web.sockets.table_broadcast import TableBroadcast

SECOND = 1.0
"""R-40: who excludes himself is out within it."""
PER_SESSION, PER_ADDRESS = SocketLimits().per_session, 12
SOCKETS, MISSING = "ventuno_sockets", "ventuno_doors_missing"
PATIENT: dict[str, Any] = {"late_joins": 10**6, "late_asks": 10**6, "rate": 10**6, "burst": 10**6}
ASKS = 400
"""More than the small buffers of `keep_little` hold."""


def keep_limits(**limits: Any) -> None:
    """Nobody is turned away because the machine is busy."""
    vars(endpoint)["SocketLimits"] = partial(SocketLimits, **{**PATIENT, **limits})


def fold(socket: Socket, seen: Seen | None = None) -> Seen:
    """The table as a socket has it; a step that does not follow what it has is an error."""
    for message in socket.heard:
        if message["type"] == "table":
            seen = Seen(message["version"], message["public"], message["mine"])
        elif message["type"] == "step":
            assert seen is not None
            assert message["after"] == seen.version, "it does not follow"
            seen.step(message)
    assert seen is not None
    socket.heard.clear()
    return seen


async def expect_close(socket: Socket, code: int) -> None:
    """Closed, whatever is asked."""
    with pytest.raises(ConnectionClosed) as closed:
        await socket.ask("join")
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == code


async def check_resync(house: HouseWithDoors) -> None:
    """Whose door died is sent at the other one what he missed, and nothing twice."""
    async with spread(house) as (first, second):
        assert (await second.command(do="bring", amount=10_000))["refused"] is None
        assert (await second.command(do="sit", box=2))["refused"] is None
        seen = fold(first)
        before = seen.version
        os.kill(house.find_door_of(first), signal.SIGKILL)
        with pytest.raises(ConnectionClosed):
            await first.hear(lambda _: False)
        seen = fold(first, seen)
        for allowed in (False, True, False):
            assert (await second.command(do="allow-behind", allowed=allowed))["refused"] is None
        other = fold(second)
        async with entered(house.port, first.cookie, version=seen.version) as again:
            assert not [message for message in again.heard if message["type"] == "table"]
            seen = fold(again, seen)
            while seen.version != other.version:
                late = again if seen.version < other.version else second
                await late.hear(lambda message: message["type"] == "step")
                seen, other = fold(again, seen), fold(second, other)
        assert seen.version >= before + 3
        assert seen.public == other.public


def forget_a_step() -> None:
    keep_limits()
    find_missed = TableBroadcast._find_missed

    def find_fewer(stage: TableBroadcast, version: int | None) -> list[bytes] | None:
        missed = find_missed(stage, version)
        return missed[1:] if missed else missed

    patch.object(TableBroadcast, "_find_missed", find_fewer).start()


async def check_replacement(house: HouseWithDoors) -> None:
    """One socket too many of a session takes the place of the oldest, though that is at the other door (4008)."""
    cookie = await enter_guest(house.port)
    async with AsyncExitStack() as stack:
        held = [await stack.enter_async_context(entered(house.port, cookie)) for _ in range(PER_SESSION)]
        for _ in range(40):
            oldest = held.pop(0)
            place = house.find_door_of(oldest)
            held.append(await stack.enter_async_context(entered(house.port, cookie)))
            await expect_close(oldest, 4008)
            if house.find_door_of(held[-1]) != place:
                return
    raise AssertionError("all sockets are at one door")


def replace_nobody() -> None:
    keep_limits(per_session=10**6)


async def check_exclusion(house: HouseWithDoors) -> None:
    """Who excludes himself is out within a second at both doors (R-38, R-40)."""
    cookie = await enter_guest(house.port)
    async with spread(house, cookie) as both:
        with Stopwatch() as watch:
            await call(house.port, "/api/protection/exclusion", cookie, {"days": 90})
            for socket in both:
                with pytest.raises(ConnectionClosed) as closed:
                    await socket.hear(lambda _: False)
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 4005
            assert watch.seconds < SECOND, "too late"
    for socket in both:
        assert socket.heard[-1]["kind"] == "excluded"


def exclude_late() -> None:
    keep_limits()
    vars(hub).update(PAUSE=1.0)
    patch.object(Hub, "_close_departed", lambda *_: None).start()


async def check_addresses(house: HouseWithDoors) -> None:
    """Sockets of an address are counted over both doors, by the next host too, and not those of a door that died."""
    async with AsyncExitStack() as stack:
        held = await fill(house, stack)
        with pytest.raises(InvalidStatus):
            await stack.enter_async_context(entered(house.port))
        killed = house.host
        os.kill(killed, signal.SIGKILL)
        await wait_until(lambda: house.find_host() not in (0, killed))
        await wait_until(lambda: read_figures(house)[SOCKETS] == PER_ADDRESS)
        with pytest.raises(InvalidStatus):
            await stack.enter_async_context(entered(house.port))
        dead = house.find_door_of(held[0])
        left = [socket for socket in held if house.find_door_of(socket) != dead]
        os.kill(dead, signal.SIGKILL)
        await wait_until(lambda: read_figures(house)[SOCKETS] == len(left))
        for _ in range(PER_ADDRESS - len(left)):
            await stack.enter_async_context(entered(house.port))
        with pytest.raises(InvalidStatus):
            await stack.enter_async_context(entered(house.port))


async def fill(house: HouseWithDoors, stack: AsyncExitStack) -> list[Socket]:
    """As many sockets as an address may have, at both doors: they come until it is so."""
    for _ in range(10):
        trial = await stack.enter_async_context(AsyncExitStack())
        held = [await trial.enter_async_context(entered(house.port)) for _ in range(PER_ADDRESS)]
        if len({house.find_door_of(socket) for socket in held}) == 2:
            return held
        await trial.aclose()
        await wait_until(lambda: read_figures(house)[SOCKETS] == 0)
    raise AssertionError("all sockets are at one door")


def forget_who_returns() -> None:
    keep_limits()

    async def resume(doors: Doors, line: RemoteLine, admission: Admission, tables: tuple[str, ...]) -> None:
        identity = Identity(admission.player, admission.session, Role(admission.role), None, access=admission.access)
        await doors.app.state.hub.serve(line, line.receive, identity, tables)

    patch.object(Doors, "resume", resume).start()


async def check_stopped_door(house: HouseWithDoors) -> None:
    """The host keeps a bounded number of bytes for a door that stands still, then gives it up; when it goes on, its
    sockets are there again as if nothing had been.
    """
    async with spread(house) as (first, second):
        assert (await second.command(do="bring", amount=10_000))["refused"] is None
        assert (await second.command(do="sit", box=2))["refused"] is None
        place = house.find_door_of(first)
        os.kill(place, signal.SIGSTOP)
        try:
            for number in range(ASKS):
                answer = await second.command(do="allow-behind", allowed=number % 2 == 1)
                assert answer["refused"] is None
            figures = await asyncio.to_thread(read_figures, house)
            assert (figures[SOCKETS], figures[MISSING]) == (1, 1), "it was not given up"
        finally:
            os.kill(place, signal.SIGCONT)
        await first.hear(lambda message: message["type"] == "table")
        assert (await first.command(do="bring", amount=10_000))["refused"] is None
        assert fold(first).public["seats"] == fold(second).public["seats"]
        assert (await asyncio.to_thread(read_figures, house))[MISSING] == 0
        assert house.find_door_of(first) == place


def keep_little(most: int = 1 << 14) -> None:
    """Small buffers, so that little has to be said to fill them."""
    keep_limits()
    vars(bus).update(MOST_UNSENT=most)
    made = Link.connection_made

    def make(link: Link[Any], transport: asyncio.Transport) -> None:
        transport.get_extra_info("socket").setsockopt(sockets.SOL_SOCKET, sockets.SO_SNDBUF, 1 << 12)
        made(link, transport)

    patch.object(Link, "connection_made", make).start()


class Promise(NamedTuple):
    check: Callable[[HouseWithDoors], Awaitable[None]]
    kept: Plant
    broken: Plant
    found: str
    """What is then found."""


PROMISES = {
    "resync": Promise(check_resync, keep_limits, forget_a_step, "does not follow"),
    "replacement": Promise(check_replacement, keep_limits, replace_nobody, "DID NOT RAISE"),
    "exclusion": Promise(check_exclusion, keep_limits, exclude_late, "too late"),
    "addresses": Promise(check_addresses, keep_limits, forget_who_returns, "DID NOT RAISE"),
    "stopped door": Promise(check_stopped_door, keep_little, partial(keep_little, 1 << 30), "was not given up"),
}


@asynccontextmanager
async def open_house(folder: Path, plant: Plant) -> AsyncIterator[HouseWithDoors]:
    more: dict[str, Any] = {"VENTUNO_ENTRIES_PER_MINUTE": "1000", "VENTUNO_CALLS_PER_SECOND": "500"}
    more["VENTUNO_SOCKETS_PER_ADDRESS"] = str(PER_ADDRESS)
    with running(folder, "--doors", "2", plant=plant, **more) as served:
        yield HouseWithDoors(served)


@pytest.mark.parametrize("name", PROMISES)
@pytest.mark.timeout(300)
async def test_a_promise_is_kept(tmp_path: Path, name: str) -> None:
    async with open_house(tmp_path, PROMISES[name].kept) as house:
        await PROMISES[name].check(house)


@pytest.mark.parametrize("name", PROMISES)
@pytest.mark.timeout(300)
async def test_a_house_that_breaks_it_is_found(tmp_path: Path, name: str) -> None:
    async with open_house(tmp_path, PROMISES[name].broken) as house:
        with pytest.raises((AssertionError, pytest.fail.Exception), match=PROMISES[name].found):
            await PROMISES[name].check(house)


def tell_often() -> None:
    keep_limits()
    vars(host).update(SILENT=2.0)
    vars(door).update(USAGE_SECONDS=0.1)
    vars(supervisor).update(WAITS=(3.0,) * 6)


@pytest.mark.timeout(300)
async def test_readiness_and_figures_know_of_doors_that_stand_still_or_have_gone(tmp_path: Path) -> None:
    reasons = ["1 of 2 doors are not there"]

    def is_ready() -> bool:
        answer = house.served.get("/readyz").json()
        assert answer in ({"ready": True, "reasons": []}, {"ready": False, "reasons": reasons})
        return bool(answer["ready"])

    async with open_house(tmp_path, tell_often) as house:
        assert house.served.get("/").status_code == 200
        assert is_ready()
        os.kill(house.doors[0], signal.SIGSTOP)
        await wait_until(lambda: not is_ready())
        assert read_figures(house)[MISSING] == 1
        os.kill(house.doors[0], signal.SIGCONT)
        await wait_until(is_ready)
        os.kill(house.doors[0], signal.SIGKILL)
        await wait_until(lambda: not is_ready())
        assert read_figures(house)[MISSING] == 1
        await wait_until(is_ready)
        figures = read_figures(house)
        assert figures[MISSING] == 0
        assert figures['ventuno_requests_total{route="none",status="2xx"}'] == 1, "a file that a door gave"


def is_paused(visitor: Visitor) -> bool:
    return visitor.public()["paused"] is not None


async def speak_at_both_doors(doors: ServedHouse) -> None:
    """What is done in the console is heard by who is at either door."""
    eva, ada = await doors.supervisor(), await doors.seated("Ada", 1)
    bea, device = await doors.seated("Bea", 2), await doors.enter(ada.player)
    assert len({id(doors.find_door(one)) for one in (ada, bea)}) == 2
    supervision = doors.application.supervision
    assert await supervision.announce(eva, "the house closes at two") is None
    assert not (await supervision.pause(eva, LIVE, "a spilt drink", "pause-one")).refused
    for one in (ada, bea):
        await one.until(partial(is_paused, one))
        assert one.notices()[:1] == ["announced"], "who is at another door was not told"
    assert await supervision.close_account(eva, ada.player, "two accounts") is None
    assert [await one.ended() for one in (ada, device)] == [4005, 4005]
    assert not bea.closed


async def test_the_console_speaks_at_both_doors(tmp_path: Path) -> None:
    async with opened(tmp_path, doors_before=2) as doors:
        await speak_at_both_doors(doors)


async def test_a_console_that_speaks_at_one_door_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def announce(one: Hub, text: str) -> None:
        first = next(iter(one.connections.values()))[0]
        first.send(Notice("announced", numbers={"text": text}))

    monkeypatch.setattr(Hub, "_announce", announce)
    async with opened(tmp_path, doors_before=2) as doors:
        with pytest.raises(AssertionError, match="was not told"):
            await speak_at_both_doors(doors)
