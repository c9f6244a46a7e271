"""The doors before the houses of the tests, where DOORS_IN_TESTS says how many; without any nothing stands between.

Houses with a port have doors with servers of their own, and with BUS_IN_TESTS=nats a broker before these. For the
others everything is in one process and at once: what one end of a bus writes the other end reads in the same turn of
the loop, so that what a test compares has one order.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import count, cycle
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.types import Message

from tests.support.broker_doors import open_connects
from ventuno.web.doors.bus import Link
from ventuno.web.doors.door import Connect, Door, DoorSocket
from ventuno.web.doors.host import DoorLink, Doors, RemoteLine
from ventuno.web.operations.settings import Settings
from ventuno.web.sockets.hub import Hub

DOORS = int(os.environ.get("DOORS_IN_TESTS") or "0")
"""How many stand before each house."""
BUS = os.environ.get("BUS_IN_TESTS") or "unix"
KEY = b"k" * 32


def make_host(app: FastAPI, number: int = DOORS) -> Doors:
    """The host's side of all doors, known to what it tells of itself as in a host of its own process."""
    host = app.state.doors = Doors(app, KEY, number)
    app.state.meters.attach_doors(host)
    return host


def make_doors(find_hub: Callable[[], Hub], settings: Settings, connect: Connect, number: int) -> list[Door]:
    doors = [Door(settings, connect, lambda: find_hub().limits) for _ in range(number)]
    for place, door in enumerate(doors):
        door._ids = count(1 + 1_000_000 * place)  # so that a test finds a socket by its number alone
    return doors


@asynccontextmanager
async def open_doors(app: FastAPI, folder: Path, settings: Settings, number: int) -> AsyncIterator[list[Door]]:
    """The applications of so many doors, with their host behind a socket as between processes."""
    loop, path = asyncio.get_running_loop(), str(folder / "host.bus")
    if BUS == "nats":
        async with app.router.lifespan_context(app), open_connects(app, settings, number) as connects:
            yield [
                make_doors(lambda: app.state.hub, settings, connect, number)[at] for at, connect in enumerate(connects)
            ]
        return
    async with app.router.lifespan_context(app):
        bus = await loop.create_unix_server(make_host(app, number).connect, path)

        def connect(make: Callable[[], Link[Any]]) -> Awaitable[object]:
            return loop.create_unix_connection(make, path)

        try:
            yield make_doors(lambda: app.state.hub, settings, connect, number)
        finally:
            bus.close()


class JoinedEnd(asyncio.Transport):
    """One end of a way between two links of this process."""

    def __init__(self, own: Link[Any]) -> None:
        super().__init__()
        self._own = own
        self.other: JoinedEnd | None = None
        self._is_over = False

    def write(self, data: Any) -> None:
        if self.other is not None and not self._is_over:
            self.other._own.data_received(data)

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Nothing waits here."""

    def abort(self) -> None:
        for end in (self, self.other):
            if end is not None and not end._is_over:
                end._is_over = True
                asyncio.get_running_loop().call_soon(end._own.connection_lost, None)


def join(one: Link[Any], other: Link[Any]) -> None:
    first, second = JoinedEnd(one), JoinedEnd(other)
    first.other, second.other = second, first
    two: Any = (other, second), (one, first)
    for link, end in two:
        link.connection_made(end)


class HeardLine(RemoteLine):
    """A socket at a door of this process."""

    doors: JoinedDoors


class JoinedDoors:
    """Doors of this process before one host, each taken in its turn."""

    def __init__(self, host: Doors, find_hub: Callable[[], Hub], settings: Settings) -> None:
        self.host = host
        self.links: list[DoorLink] = []
        self.doors = make_doors(find_hub, settings, self._connect, host.expected)
        self._turns = cycle(range(len(self.doors)))

    async def _connect(self, make: Callable[[], Link[Any]]) -> None:
        """Doors are opened one after the other: the first way is the first one's."""
        before = set(self.host.links)
        join(make(), self.host.connect())
        self.links += self.host.links - before

    def take_next(self) -> Door:
        return self.doors[next(self._turns)]

    def open_line(self, ear: Any) -> HeardLine:
        """A socket at the next door for somebody whom the host has let in; what it is sent goes to this end."""
        place = next(self._turns)
        number = next(self.doors[place]._ids)
        self.doors[place].sockets[number] = held = DoorSocket(ear)
        held.open()
        link = self.links[place]
        link.lines[number] = line = HeardLine(link.link, number)
        line.doors = self
        return line

    def flush(self) -> None:
        """Whatever waits for the end of this turn is sent now."""
        for link in self.links:
            link.link.flush()


@asynccontextmanager
async def open_joined_doors(app: FastAPI, settings: Settings) -> AsyncIterator[JoinedDoors]:
    """Before an application that is open."""
    async with open_all(JoinedDoors(make_host(app), lambda: app.state.hub, settings)) as doors:
        yield doors


@asynccontextmanager
async def open_lines(hub: Hub) -> AsyncIterator[JoinedDoors]:
    """Before a hub alone: nobody calls here over HTTP."""
    async with open_all(JoinedDoors(Doors(FastAPI(), KEY, DOORS), lambda: hub, Settings())) as doors:
        yield doors


@asynccontextmanager
async def open_all(joined: JoinedDoors) -> AsyncIterator[JoinedDoors]:
    async with AsyncExitStack() as stack:
        for door in joined.doors:
            await stack.enter_async_context(open_door(door))
        yield joined


@asynccontextmanager
async def open_door(door: Door) -> AsyncIterator[None]:
    """What its server would do before the first call and after the last one."""
    ends, told = asyncio.Event(), asyncio.Queue[str]()
    words = iter(("lifespan.startup", "lifespan.shutdown"))

    async def receive() -> Message:
        word = next(words)
        if word.endswith("shutdown"):
            await ends.wait()
        return {"type": word}

    async def send(message: Message) -> None:
        told.put_nowait(message["type"])

    living = asyncio.create_task(door({"type": "lifespan"}, receive, send))
    assert await told.get() == "lifespan.startup.complete"
    try:
        yield
    finally:
        ends.set()
        await living
