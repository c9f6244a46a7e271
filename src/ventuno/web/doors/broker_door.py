"""A door of a house on several machines: it finds the owner by the broker, and has neither books nor keys (R-06)."""

from __future__ import annotations

import asyncio
import secrets
import signal
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import msgspec
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import Receive, Scope, Send

from ventuno.core.views.private_view import make_reason
from ventuno.web.doors import door
from ventuno.web.doors.broker import HELLO, VERSION, WELCOME, Broker, Owner, Subjects, Way, pack, unpack
from ventuno.web.doors.bus import Link
from ventuno.web.doors.door import Door, read_about
from ventuno.web.doors.packets import FromHost
from ventuno.web.messages.server_messages import AnswerMessage
from ventuno.web.operations import logs
from ventuno.web.operations.server import DONE, FAILED, LOOK, Server, bind_port, configure_server, local_address
from ventuno.web.operations.settings import Settings
from ventuno.web.sockets import endpoint
from ventuno.web.sockets.channel import CLOSING
from ventuno.web.sockets.limits import HouseBusy
from ventuno.web.sockets.websocket_protocol import encode_frame

UNIT = 0
"""The whole house."""
OWNER_SECONDS = 1.0
"""How long one try waits for an owner to be heard, or for the last one to end."""
WELCOME_SECONDS = 0.5
_encode = msgspec.json.Encoder().encode
_decode = msgspec.msgpack.Decoder(Owner).decode


class OwnerFinder:
    """Knows the owner of the house, and makes ways to it; `connect` is what a `Door` asks for its host."""

    def __init__(self, broker: Broker, subjects: Subjects, node: str) -> None:
        self._broker, self._subjects = broker, subjects
        self.name = f"{node}.{secrets.token_hex(4)}"
        """Of this process: the broker knows the node, the rest tells two starts of it apart."""
        self.owner: Owner | None = None
        self._found = asyncio.Event()
        self._way: Way | None = None
        self._way_ended = asyncio.Event()
        self._welcomed: asyncio.Future[None] | None = None
        broker.hear(subjects.name_door(self.name), self._take)
        broker.hear(subjects.moved, self._note_owner)

    async def connect(self, make: Callable[[], Link[FromHost]]) -> object:
        """A way to the owner under the link that `make` gives. OSError where there is none now."""
        async with asyncio.timeout(OWNER_SECONDS):
            await self._broker.connected.wait()
            if self._way is not None:  # held: it still answers
                await self._way_ended.wait()
            if self.owner is None:
                self._broker.publish(self._subjects.who, b"")
                await self._found.wait()
        assert self.owner is not None
        subject = self._subjects.name_host(self.owner.unit, self.owner.epoch, self.name)
        way = Way(
            secrets.randbits(64),
            lambda message: self._broker.publish(subject, message),
            self._broker.largest,
            self._forget,
            self.owner.epoch,
        )
        self._way, self._welcomed = way, asyncio.get_running_loop().create_future()
        self._way_ended.clear()
        self._broker.publish(subject, pack(HELLO, way.id, body=bytes([VERSION])))
        try:
            async with asyncio.timeout(WELCOME_SECONDS):
                await self._welcomed
        except TimeoutError:
            way.lose()
            raise
        if way.is_over:
            raise ConnectionError("the owner has changed")
        self._broker.ways.add(way)
        way.begin(make())
        return way

    def _take(self, _subject: str, message: bytes) -> None:
        if (parts := unpack(message)) is None or (way := self._way) is None or parts[0].way != way.id:
            return
        if parts[0].kind == WELCOME:
            self._wake()
        else:
            way.take(*parts)

    def _wake(self) -> None:
        if self._welcomed is not None and not self._welcomed.done():
            self._welcomed.set_result(None)

    def _note_owner(self, _subject: str, message: bytes) -> None:
        """A later epoch is the owner; what an earlier one says is a dead man's word."""
        with suppress(msgspec.MsgspecError):
            owner = _decode(message)
            if owner.unit == UNIT and (self.owner is None or owner.epoch > self.owner.epoch):
                self.owner = owner
                self._found.set()
                logs.log.info("owner", node=owner.node, epoch=owner.epoch)
                if self._way is not None:
                    self._way.lose()

    def _forget(self, way: Way) -> None:
        self._broker.ways.discard(way)
        self._way = None
        self._way_ended.set()
        self._wake()


class BrokerDoor(Door):
    """Open also while nobody owns the house: it says so to who asks whether players may be sent here."""

    def __init__(self, settings: Settings, finder: OwnerFinder, limits: Any) -> None:
        super().__init__(settings, finder.connect, limits, opens_alone=True)

    @property
    def _parts(self) -> tuple[Callable[[], Coroutine[Any, Any, None]], ...]:
        return *super()._parts, self._refuse_late

    async def _refuse_late(self) -> None:
        """What waits too long for an owner is not kept for one: who asked hears that nothing was done (G-24)."""
        while True:
            await asyncio.sleep(LOOK)
            if not self.is_linked:
                self.give_up(time.monotonic() - door.HOST_SECONDS)

    def give_up(self, before: float) -> None:
        for socket in list(self.sockets.values()):
            for said in socket.give_up(before):
                about, late = read_about(said.text or ""), int((time.monotonic() - said.arrived) * 1000)
                if about is not None:
                    busy = AnswerMessage(about.id, about.table, 0, make_reason(HouseBusy(0, late)))
                    socket.write(encode_frame(_encode(busy)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope["path"] if scope["type"] == "http" else ""
        if path == "/healthz":
            await PlainTextResponse("alive\n")(scope, receive, send)
        elif path == "/readyz":
            reasons = [] if self.is_linked else ["no host owns the house"]
            answer = JSONResponse({"ready": not reasons, "reasons": reasons}, 503 if reasons else 200)
            await answer(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)

    async def say_goodbye(self, seconds: float) -> None:
        """Send everybody to another door, one after the other: all at once would be a crowd there."""
        held = list(self.sockets.values())
        for socket in held:
            socket.close(CLOSING)
            await asyncio.sleep(seconds / len(held))


async def serve_broker_door(settings: Settings, announce: Callable[[str], None]) -> int:
    """Serve players until it is told to stop. Gives the exit code; CannotListen where the port is not to be had."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(logs.log_unhandled)
    port = bind_port(settings)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    near = f"{local_address(settings.host)}:{port.getsockname()[1]}"
    limits = endpoint.read_limits(settings)
    broker = Broker(settings, f"door {settings.node}")
    entrance = BrokerDoor(settings, OwnerFinder(broker, Subjects(settings.house), settings.node), lambda: limits)
    async with broker:
        server = Server(
            configure_server(entrance, settings),
            lambda: entrance.say_goodbye(settings.stop_seconds / 4),
            settings.stop_seconds,
        )

        async def welcome() -> None:
            while not server.started:
                await asyncio.sleep(LOOK)
            public = settings.public_origin
            logs.log.info("open", address=f"http://{near}", public=public, node=settings.node)
            announce(f"{public}, behind http://{near}" if public else f"http://{near}")

        welcoming = asyncio.create_task(welcome())
        try:
            await server.serve([port])
        except SystemExit:  # uvicorn's own way to say that the application did not start; the log says why
            return FAILED
        finally:
            welcoming.cancel()
    logs.log.info("closed")
    return DONE
