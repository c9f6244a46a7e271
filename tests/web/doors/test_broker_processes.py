"""Doors of a house on several machines as an operator starts them: processes, a broker between them and the owner."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.support.broker_doors import BrokerParts
from tests.support.door_processes import TABLE, entered
from tests.support.free_port import free_port
from tests.support.house import open_application
from tests.support.http_house import PLENTY, SLOW_MACHINE, wait_until
from tests.support.nats import open_broker
from tests.support.server_process import ForkedServer
from tests.support.stopwatch import Stopwatch
from ventuno.house.application import Application
from ventuno.house.store.clock import RealClock
from ventuno.web.app import create_app
from ventuno.web.doors import broker
from ventuno.web.operations.settings import Settings


def open_a_door(folder: Path, url: str, node: str, port: int, **more: Any) -> ForkedServer:
    (folder / node).mkdir()
    options = ("--role", "door", "--node", node, "--broker", url, "--port", str(port))
    return ForkedServer(folder / node, *options, VENTUNO_DOORS="0", **more)


@asynccontextmanager
async def cluster(folder: Path) -> AsyncIterator[tuple[BrokerParts, list[ForkedServer]]]:
    """An owner in this process, a broker, and two doors."""
    async with AsyncExitStack() as stack:
        server = stack.enter_context(open_broker())
        application = await open_application(folder, tables={TABLE: "ventuno"}, clock=RealClock(), cut_seconds=2)
        stack.push_async_callback(application.close)
        ports = [free_port(), free_port()]
        terms = Settings(data=folder, origins=tuple(f"http://127.0.0.1:{port}" for port in ports))

        async def opening() -> Application:
            return application

        app = create_app(opening, terms, PLENTY)
        await stack.enter_async_context(app.router.lifespan_context(app))
        app.state.hub.limits = SLOW_MACHINE
        parts = BrokerParts(app, terms, server)
        await parts.own()
        stack.push_async_callback(parts.leave)
        doors = list[ForkedServer]()
        for number, port in enumerate(ports, 1):
            doors.append(await asyncio.to_thread(open_a_door, folder, server.url, f"d{number}", port))
            stack.callback(doors[-1].kill)
        await wait_until(lambda: len(parts.host.doors.links) == 2)
        yield parts, doors


def read_port(door: ForkedServer) -> int:
    return int(door.url.rpartition(":")[2])


async def is_ready(door: ForkedServer) -> bool:
    answer = await asyncio.to_thread(door.get, "/readyz")
    assert answer.json() in ({"ready": True, "reasons": []}, {"ready": False, "reasons": ["no host owns the house"]})
    assert answer.status_code == (200 if answer.json()["ready"] else 503)
    return bool(answer.json()["ready"])


@pytest.mark.timeout(120)
async def test_a_door_that_stands_still_holds_up_nobody_and_comes_back(tmp_path: Path) -> None:
    async with cluster(tmp_path) as (parts, doors):
        async with entered(read_port(doors[0])) as first, entered(read_port(doors[1])) as second:
            assert (await second.command(do="bring", amount=10_000))["refused"] is None
            assert (await second.command(do="sit", box=2))["refused"] is None
            os.kill(doors[0].process.pid, signal.SIGSTOP)
            try:
                with Stopwatch() as watch:
                    while len(parts.host.doors.links) == 2:
                        assert (await second.command(do="bring", amount=1))["refused"] is None
                        await asyncio.sleep(0.05)
                assert watch.seconds < broker.SILENT_SECONDS * 3, "it was not given up"
                assert (await second.command(do="allow-behind", allowed=False))["refused"] is None
            finally:
                os.kill(doors[0].process.pid, signal.SIGCONT)
            told = await first.hear(lambda message: message["type"] == "table")
            await second.tell("join")
            other = await second.hear(lambda message: message["type"] == "table")
            assert told["public"] == other["public"]
            assert (await first.command(do="bring", amount=10_000))["refused"] is None
        await wait_until(lambda: len(parts.host.doors.links) == 2)


@pytest.mark.timeout(120)
async def test_a_door_tells_whether_it_has_an_owner_and_waits_for_one(tmp_path: Path) -> None:
    async with cluster(tmp_path) as (parts, doors):
        assert await is_ready(doors[0])
        assert (await asyncio.to_thread(doors[0].get, "/healthz")).text == "alive\n"
        async with entered(read_port(doors[0])) as socket:
            await parts.crash()
            async with asyncio.timeout(30):
                while await is_ready(doors[0]):
                    await asyncio.sleep(0.1)
            asked = asyncio.create_task(socket.command(do="bring", amount=10_000))
            await asyncio.sleep(0.2)
            await parts.own(2)
            assert (await asked)["refused"] is None
            assert await is_ready(doors[0])


@pytest.mark.timeout(120)
async def test_a_door_that_is_told_to_stop_sends_its_players_to_another(tmp_path: Path) -> None:
    async with cluster(tmp_path) as (parts, doors), entered(read_port(doors[0])) as socket:
        doors[0].signal(signal.SIGTERM)
        with pytest.raises(ConnectionClosed) as closed:
            await socket.hear(lambda _: False)
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 4006
        assert await asyncio.to_thread(doors[0].ended) == 0
        await wait_until(lambda: len(parts.host.doors.links) == 1)
        async with entered(read_port(doors[1]), socket.cookie) as again:
            assert (await again.command(do="bring", amount=100))["refused"] is None


def test_a_door_opens_before_there_is_a_broker_and_reads_no_books(tmp_path: Path) -> None:
    """It holds nothing of the house: its folder stays empty."""
    door = open_a_door(tmp_path, f"nats://127.0.0.1:{free_port()}", "d1", free_port())
    try:
        assert door.get("/readyz").status_code == 503
        assert door.get("/").status_code == 200
        assert {file.name for file in (tmp_path / "d1").iterdir()} == {"stdout", "log"}
    finally:
        door.kill()
