"""A house with real doors for the tests: a server on a free port of this machine, and visitors over real sockets.

A visitor knows of the house only what its frames tell. Each frame is checked against the published vocabulary, each
step is folded, and a step that does not follow what he has fails the test.
"""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count, cycle
from pathlib import Path
from typing import Any

import msgspec
import pytest
import uvicorn
from fastapi import FastAPI
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

from tests.support.doors_in_tests import DOORS, open_doors
from tests.support.house import LIVE, People, key, open_application
from tests.support.in_process_house import SLOW_CALCULATOR
from tests.support.patience import PATIENCE
from tests.support.shared_routes import shared
from ventuno.cli.serve import CALCULATOR
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts.sessions import Entered
from ventuno.house.application import Application
from ventuno.house.store.clock import RealClock
from ventuno.web.app import create_app
from ventuno.web.doors.door import Door
from ventuno.web.http.rate_limits import BucketSize, RateLimits
from ventuno.web.messages import server_messages
from ventuno.web.operations.settings import Settings
from ventuno.web.sockets.changes import apply_changes
from ventuno.web.sockets.channel import Connection
from ventuno.web.sockets.hub import Hub
from ventuno.web.sockets.limits import SocketLimits
from ventuno.web.sockets.websocket_protocol import UVICORN_OPTIONS, WebSocketProtocol

AMPLE = BucketSize(10**9, 1e6)
PLENTY = RateLimits(AMPLE, AMPLE, AMPLE, 10_000, AMPLE)
SLOW_MACHINE = SocketLimits(late_joins=10**6, late_asks=10**6)
"""Nobody is turned away because the tests have a busy machine."""


@dataclass
class Seen:
    """A table as one visitor has it: what was sent whole, and every step since."""

    version: int
    public: Any
    mine: Any

    def step(self, frame: dict[str, Any]) -> None:
        assert frame["after"] == self.version, (frame["after"], self.version)
        self.version = frame["version"]
        self.public = apply_changes(self.public, frame["public"])
        self.mine = apply_changes(self.mine, frame.get("mine", []))


@dataclass
class Visitor:
    """One socket of a player, and all that it was told."""

    doors: ServedHouse
    player: PlayerId
    line: ClientConnection
    cuts: bool = True
    follows: bool = True
    """Whether steps are applied: who says any version to have is sent the steps after that one."""
    journey: Callable[[], None] = lambda: None
    """Called before what he sends by himself arrives: a line that takes its time moves the clock of the house."""
    tables: dict[str, Seen] = field(default_factory=dict)
    frames: list[dict[str, Any]] = field(default_factory=list)
    closed: int = 0
    _ids: Any = field(default_factory=lambda: count(1))
    _moved: asyncio.Event = field(default_factory=asyncio.Event)
    _reading: asyncio.Task[None] | None = None
    _sending: set[asyncio.Task[None]] = field(default_factory=set)

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [frame for frame in self.frames if frame["type"] == kind]

    def notices(self) -> list[str]:
        return [frame["kind"] for frame in self.of("notice")]

    def public(self, table: str = LIVE) -> Any:
        return self.tables[table].public

    def mine(self, table: str = LIVE) -> Any:
        return self.tables[table].mine

    async def send(self, message: dict[str, Any] | str | bytes) -> None:
        await self.line.send(message if isinstance(message, str | bytes) else json.dumps(message))

    async def tell(self, kind: str, table: str = LIVE, **fields: Any) -> dict[str, Any]:
        """Send a message and give its answer."""
        id = f"m{next(self._ids)}"
        await self.send({"type": kind, "id": id, "table": table, **fields})
        await self.until(lambda: any(frame["id"] == id for frame in self.of("answer")))
        return next(frame for frame in self.of("answer") if frame["id"] == id)

    async def ask(self, do: str, table: str = LIVE, *, again: str = "", **fields: Any) -> dict[str, Any]:
        return await self.tell("ask", table, key=again or key(), command={"do": do, **fields})

    async def must(self, do: str, table: str = LIVE, **fields: Any) -> dict[str, Any]:
        answer = await self.ask(do, table, **fields)
        assert answer["refused"] is None, (do, fields, answer)
        return answer

    async def join(self, table: str = LIVE, version: int | None = None) -> dict[str, Any]:
        return await self.tell("join", table, **({} if version is None else {"version": version}))

    async def until(self, what: Callable[[], Any], seconds: float = PATIENCE) -> None:
        async with asyncio.timeout(seconds):
            while not what():
                assert not (self.closed and self._reading and self._reading.done()), f"closed with {self.closed}"
                self._moved.clear()
                await self._moved.wait()

    async def ended(self, seconds: float = PATIENCE) -> int:
        """Wait for the end of the socket; the code it was closed with."""
        assert self._reading is not None
        await asyncio.wait_for(asyncio.shield(self._reading), seconds)
        return self.closed

    async def close(self) -> None:
        await self.line.close()
        if self._reading:
            await self._reading
        for task in list(self._sending):
            task.cancel()

    def listen(self) -> None:
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            async for raw in self.line:
                assert isinstance(raw, str)
                self._take(raw)
                self._moved.set()
        except ConnectionClosed:
            pass
        self.closed = self.line.close_code or 1006
        self._moved.set()

    def _take(self, raw: str) -> None:
        server_messages.server_message.validate_json(raw, strict=True)
        frame = msgspec.json.decode(raw)
        self.frames.append(frame)
        match frame["type"]:
            case "table":
                self.tables[frame["table"]] = Seen(frame["version"], frame["public"], frame["mine"])
            case "step" if self.follows:
                self.tables[frame["table"]].step(frame)
            case "notice" if frame["kind"] in ("taken-over", "table-closed"):
                self.tables.pop(frame["table"])
            case "ping":
                self._later(self.send({"type": "pong", "nonce": frame["nonce"]}))
            case "shoe" if self.cuts and self.player in frame["players"]:
                self._cut(frame)

    def _cut(self, frame: dict[str, Any]) -> None:
        """What a browser does when a shoe is made: promise, then reveal (X-01)."""
        entropy = sha256(f"{self.player} {frame['commitment']['root']}".encode()).digest()[:16]
        place = {"id": f"cut{next(self._ids)}", "table": frame["table"]}
        if frame["phase"] == "promises" and self.player not in frame["promised"]:
            self._later(self.send({"type": "promise", **place, "digest": sha256(entropy).hexdigest()}))
        elif frame["phase"] == "reveals" and self.player not in frame["revealed"]:
            self._later(self.send({"type": "reveal", **place, "entropy": entropy.hex()}))

    def _later(self, sending: Any) -> None:
        async def send() -> None:
            self.journey()
            with suppress(ConnectionClosed):
                await sending

        task = asyncio.create_task(send())
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)


@dataclass(kw_only=True)
class ServedHouse(People):
    """An open house behind a server, and everybody who came in."""

    application: Application
    app: FastAPI
    port: int
    visitors: list[Visitor] = field(default_factory=list)
    strangers: list[asyncio.StreamWriter] = field(default_factory=list)
    """Who speaks bytes here; nobody is left behind when the doors close."""
    fronts: list[Door] = field(default_factory=list)
    """The doors before the house, where it has some."""

    def list_protocols(self) -> list[Any]:
        """The lines to all clients, at the doors or here."""
        lines = [one._line for held in self.hub.connections.values() for one in held]
        return [held.protocol for front in self.fronts for held in front.sockets.values()] if self.fronts else lines

    def find_protocol(self, channel: Connection) -> WebSocketProtocol:
        """The line to a client, at a door or here."""
        line: Any = channel._line
        return next((front.sockets[line.id].protocol for front in self.fronts if line.id in front.sockets), line)

    def find_door(self, visitor: Visitor) -> Door:
        """The door that holds the socket of a visitor."""
        port = visitor.line.local_address[1]
        (door,) = (
            front
            for front in self.fronts
            if any(held.protocol.transport.get_extra_info("peername")[1] == port for held in front.sockets.values())
        )
        return door

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def hub(self) -> Hub:
        hub: Hub = self.app.state.hub
        return hub

    def url(self, ticket: str) -> str:
        return f"ws://127.0.0.1:{self.port}/socket?ticket={ticket}"

    def headers(self, token: str) -> dict[str, str]:
        return {"Cookie": f"ventuno={token}"}

    async def enter(self, player: PlayerId, session: Entered | None = None, **options: Any) -> Visitor:
        """Open a socket for a player, with a session and a ticket of his own."""
        held = session or await self.session(player)
        ticket = self.app.state.tickets.issue(held.session)
        line = await connect(
            self.url(ticket),
            origin=Origin(self.origin),
            additional_headers=self.headers(held.token),
            compression=None,
            ping_interval=None,
            max_size=1 << 20,
        )
        visitor = Visitor(self, player, line, **options)
        visitor.listen()
        self.visitors.append(visitor)
        await visitor.until(lambda: visitor.of("welcome"))
        return visitor

    async def seated(self, name: str, box: int, table: str = LIVE, money: Cents = 100_000, **options: Any) -> Visitor:
        """A visitor who sits at a table with money."""
        visitor = await self.enter(await self.joined(name), **options)
        answer = await visitor.join(table)
        assert answer["refused"] is None, answer
        await visitor.must("bring", table, amount=money)
        await visitor.must("sit", table, box=box)
        return visitor


@asynccontextmanager
async def opened(
    folder: Path,
    *,
    tables: dict[str, str] | None = None,
    bounds: SocketLimits | None = None,
    allowances: RateLimits = PLENTY,
    settings: dict[str, Any] | None = None,
    server: dict[str, Any] | None = None,
    doors_before: int = DOORS,
    **config: Any,
) -> AsyncIterator[ServedHouse]:
    """A certified house in this folder with these tables, served on a free port, behind so many doors."""
    given = {"clock": RealClock(), "cut_seconds": 2, **config}
    application = await open_application(folder, tables={LIVE: "ventuno"} if tables is None else tables, **given)

    async def opening() -> Application:
        return application

    port = socket.create_server(("127.0.0.1", 0))
    number = port.getsockname()[1]
    terms = Settings(data=folder, port=number, **(settings or {}))
    app = shared(create_app(opening, terms, allowances, CALCULATOR))
    options = {
        "log_config": None,
        "lifespan": "on",
        "timeout_graceful_shutdown": 2,
        "timeout_keep_alive": 600,  # on a busy machine a line rests for seconds, and what is asked as it closes is lost
        **UVICORN_OPTIONS,
        **(server or {}),
    }
    doors = ServedHouse(application=application, app=app, port=number)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(application.close)
        if doors_before:
            doors.fronts = await stack.enter_async_context(open_doors(app, folder, terms, doors_before))
        fronts: list[Any] = [*doors.fronts] or [app]
        servers = [await stack.enter_async_context(serving(uvicorn.Config(front, **options))) for front in fronts]
        await stack.enter_async_context(listening(servers, port))
        doors.hub.limits = bounds or SLOW_MACHINE
        app.state.solved.calculator._patience = SLOW_CALCULATOR
        try:
            yield doors
        finally:
            for visitor in doors.visitors:
                await visitor.close()
            for stranger in doors.strangers:
                stranger.close()


@asynccontextmanager
async def listening(servers: list[uvicorn.Server], port: socket.socket) -> AsyncIterator[None]:
    """Who comes goes to each server in its turn. If all listened, the same one would take everybody in one loop."""
    turns = cycle(servers)

    def take() -> asyncio.Protocol:
        server = next(turns)
        kind: Any = server.config.http_protocol_class
        made: asyncio.Protocol = kind(server.config, server.server_state, server.lifespan.state)
        return made

    listener = await asyncio.get_running_loop().create_server(take, sock=port)
    try:
        yield
    finally:
        listener.close()


@asynccontextmanager
async def serving(config: uvicorn.Config) -> AsyncIterator[uvicorn.Server]:
    """A server that waits for what it is given."""
    server = uvicorn.Server(config)
    server.capture_signals = nullcontext  # type: ignore[method-assign, assignment]
    task = asyncio.create_task(server.serve([]))
    try:
        while not server.started:
            assert not task.done(), task.exception()
            await asyncio.sleep(0.005)
        yield server
    finally:
        server.should_exit = True
        await task


async def read_handshake_refusal(
    doors: ServedHouse, ticket: str, headers: dict[str, str], origin: str | None
) -> tuple[int, dict[str, Any]]:
    """How a handshake is refused: the status before any socket opens, and what it says."""
    with pytest.raises(InvalidStatus) as caught:
        await connect(
            doors.url(ticket),
            origin=Origin(origin) if origin else None,
            additional_headers=headers,
            compression=None,
        )
    response = caught.value.response
    body: dict[str, Any] = json.loads(response.body)["error"]
    assert set(body) == {"code", "detail", "id", "numbers"}
    return response.status_code, body


async def wait_until(what: Any, seconds: float = PATIENCE) -> None:
    async with asyncio.timeout(seconds):
        while not what():
            await asyncio.sleep(0.01)
