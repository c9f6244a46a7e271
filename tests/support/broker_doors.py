"""Doors before a house of the tests with a broker between, as on several machines, in this process but for that."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from random import Random
from typing import Any

from starlette.datastructures import State
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tests.support.nats import NatsServer, open_broker
from ventuno.web.doors.broker import DATA, Broker, Subjects, unpack
from ventuno.web.doors.broker_door import OwnerFinder
from ventuno.web.doors.broker_host import BrokerHost, serve_doors_over_broker
from ventuno.web.doors.door import Connect
from ventuno.web.operations.metrics import Metrics
from ventuno.web.operations.settings import Settings

KEY = b"k" * 32


class Crash(Exception):
    """A host that says nothing more."""


class Answering:
    """An application that says who it is, and how long what it was given is; `/slow` when it is told to."""

    def __init__(self, name: str) -> None:
        self.name, self.go_on = name, asyncio.Event()
        self.state = State({"meters": Metrics()})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.run(scope, receive, send)

    async def run(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        body = await request.body()
        if request.url.path == "/api/slow":
            await self.go_on.wait()
        await Response(body[::-1], headers={"x-host": self.name})(scope, receive, send)


def name_node(settings: Settings, url: str, role: str, node: str) -> Settings:
    """The settings of one node at this broker."""
    return settings.model_copy(update={"role": role, "node": node, "broker": url})


class BrokerParts:
    """A broker, the host that owns the house, and what each door finds it with."""

    def __init__(self, app: Any, settings: Settings, server: NatsServer) -> None:
        self._app, self.settings, self.server = app, settings, server
        self._owning = AsyncExitStack()
        self.host: BrokerHost
        self.finders: list[OwnerFinder] = []

    async def own(self, epoch: int = 1, app: Any = None) -> BrokerHost:
        """The house is this application's under an epoch; who owned it before is left where he is."""
        terms = name_node(self.settings, self.server.url, "host", f"h{epoch}")
        self._owning = AsyncExitStack()
        self.host = await self._owning.enter_async_context(
            serve_doors_over_broker(app or self._app, terms, 0, epoch, KEY)
        )
        return self.host

    async def leave(self) -> None:
        await self._owning.aclose()

    async def crash(self) -> None:
        """The end without a word: what it would still say is held back."""
        silence(self.host._broker)
        with suppress(Crash):
            await self._owning.__aexit__(Crash, Crash(), None)

    @property
    def brokers(self) -> list[Broker]:
        return [self.host._broker, *(finder._broker for finder in self.finders)]


def silence(broker: Broker) -> None:
    broker.publish = lambda *_: None  # type: ignore[method-assign]


class Courier:
    """Carries what is published, and by chance loses, doubles or swaps what is data: a planted fault of the broker."""

    def __init__(self, broker: Broker, seed: int, *, lost: float = 0, doubled: float = 0, swapped: float = 0) -> None:
        self._publish, self._chance = broker.publish, Random(seed)
        self._lost, self._doubled, self._swapped = lost, doubled, swapped
        self._kept: tuple[str, bytes] | None = None
        self.faults = 0
        broker.publish = self.carry  # type: ignore[method-assign]

    def carry(self, subject: str, message: bytes) -> None:
        parts = unpack(message)
        if parts is None or parts[0].kind != DATA:
            self._publish(subject, message)
            return
        drawn = self._chance.random()
        if drawn < self._lost:
            self.faults += 1
            return
        if drawn < self._lost + self._swapped and self._kept is None:
            self.faults += 1
            self._kept = subject, message
            return
        self._publish(subject, message)
        if drawn > 1 - self._doubled:
            self.faults += 1
            self._publish(subject, message)
        if self._kept:
            kept, self._kept = self._kept, None
            self._publish(*kept)


@asynccontextmanager
async def find_owner(settings: Settings, url: str, node: str) -> AsyncIterator[OwnerFinder]:
    """What a door of this name has to find its owner with."""
    broker = Broker(name_node(settings, url, "door", node), node)
    finder = OwnerFinder(broker, Subjects(settings.house), node)
    async with broker:
        yield finder


@asynccontextmanager
async def open_parts(app: Any, settings: Settings, number: int) -> AsyncIterator[BrokerParts]:
    """For so many doors the way to this application, behind a broker of their own."""
    async with AsyncExitStack() as stack:
        parts = app.state.parts = BrokerParts(app, settings, stack.enter_context(open_broker()))
        await parts.own()
        enter: Callable[..., Any] = stack.enter_async_context
        for place in range(1, number + 1):
            parts.finders.append(await enter(find_owner(settings, parts.server.url, f"d{place}")))
        try:
            yield parts
        finally:
            await parts.leave()


@asynccontextmanager
async def open_connects(app: Any, settings: Settings, number: int) -> AsyncIterator[list[Connect]]:
    async with open_parts(app, settings, number) as parts:
        yield [finder.connect for finder in parts.finders]
