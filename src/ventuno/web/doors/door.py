"""A door: sockets, HTTP and files for players; it decides nothing and keeps nothing that is the house's.

Files of the client are its own. Everything else goes to the host as it came, within bounds: a message that is too long
or one too many ends here. When the host is gone for a moment, sockets stay: what was said and not answered is said
again to the next host, where the keys of what is asked make that harmless, and what has none is not done twice.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from itertools import count
from typing import Any

import msgspec
from starlette.datastructures import State
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ventuno.web.doors.bus import Link
from ventuno.web.doors.packets import (
    SCOPE,
    Accepted,
    Body,
    Call,
    Close,
    Drained,
    Frame,
    FromHost,
    Gone,
    Hello,
    Open,
    Published,
    Publishing,
    Relayed,
    Return,
    Said,
    Showing,
    Start,
    Taken,
    Usage,
    Watching,
)
from ventuno.web.http.errors import ErrorMiddleware, HouseClosed, RefusalError, error_response
from ventuno.web.http.pages import OURS, STATIC, Pages
from ventuno.web.http.security import HeadersMiddleware
from ventuno.web.operations.logs import LogMiddleware
from ventuno.web.operations.settings import Settings
from ventuno.web.sockets.limits import SocketLimits
from ventuno.web.sockets.message_limiter import MessageLimiter
from ventuno.web.sockets.open_socket import find_line, forget_handshake
from ventuno.web.sockets.websocket_protocol import ARRIVED, QUEUED, WebSocketProtocol
from ventuno.web.video.chunks import LARGEST, ChunkLimiter
from ventuno.web.video.relay import Relay, prepare_viewer

HOST_SECONDS = 5.0
"""How long who calls waits for a host that is not there."""
RETRY = 0.02
"""Seconds between two looks for the host."""
USAGE_SECONDS = 5.0
CLOSING = 4006
VIDEO = "/video/"
"""How the paths of sockets begin over which chunks of video go; they end with the host that let them in."""
Connect = Callable[[Callable[[], Link[FromHost]]], Awaitable[object]]


class About(msgspec.Struct):
    """All that a door reads of a message, and only of one that nobody answers."""

    id: str
    table: str


_read_about = msgspec.json.Decoder(About).decode


class DoorSocket:
    """One client's socket: what the host has not answered yet, and what it has said before the socket was open."""

    __slots__ = (
        *("_code", "_room", "admission", "asked", "early", "first", "is_video", "protocol", "tables"),
        "unanswered",
    )

    def __init__(self, protocol: WebSocketProtocol, *, is_video: bool = False) -> None:
        self.protocol, self.is_video = protocol, is_video
        self.first: asyncio.Future[Start | Accepted | None] = asyncio.get_running_loop().create_future()
        self.early: list[bytes] | None = []
        self._code = 0
        self.admission = b""
        self.tables: tuple[str, ...] = ()
        self.unanswered: list[Said] = []
        self.asked = 0
        """How many of these a host was asked: the rest, behind them, waits for one."""
        self._room: asyncio.Future[None] | None = None

    def write(self, frame: bytes) -> None:
        if self.early is None:
            self.protocol.write(frame)
        else:
            self.early.append(frame)

    def open(self) -> None:
        early, self.early = self.early or [], None
        for frame in early:
            self.protocol.write(frame)
        if self._code:
            self.protocol.close_with(self._code)

    def close(self, code: int) -> None:
        if self.early is None:
            self.protocol.close_with(code)
        else:
            self._code = code

    def keep(self, said: Said) -> None:
        self.unanswered.append(said)

    def note_asked(self) -> None:
        self.asked = len(self.unanswered)

    def note_taken(self) -> None:
        if self.unanswered:
            del self.unanswered[0]
            self.asked -= 1
        self._make_room()

    def _make_room(self) -> None:
        if self._room is not None and not self._room.done():
            self._room.set_result(None)

    async def wait_for_room(self) -> None:
        """Until the host has answered enough of what was said to be asked more."""
        while len(self.unanswered) >= QUEUED:
            self._room = asyncio.get_running_loop().create_future()
            await self._room
            self._room = None

    def give_up(self, before: float) -> list[Said]:
        """What came before this moment and no host was asked: it is not asked any more."""
        waiting = list(self.unanswered)
        late = [said for said in waiting[self.asked :] if said.arrived < before and said.text and read_about(said.text)]
        if late:
            self.unanswered = [said for said in waiting if not any(said is one for one in late)]
            self._make_room()
        return late


class Door:
    """The application that a door's server runs."""

    def __init__(
        self,
        settings: Settings,
        connect: Connect,
        limits: Callable[[], SocketLimits] = SocketLimits,
        *,
        opens_alone: bool = False,
    ) -> None:
        """`opens_alone`: also while no host is there yet."""
        self.state = State({"settings": settings})
        self._connect, self._limits, self._opens_alone = connect, limits, opens_alone
        pages: ASGIApp = Pages(settings.pages or STATIC)
        self._files: Counter[str] = Counter()
        self._pages = LogMiddleware(HeadersMiddleware(ErrorMiddleware(pages), settings=settings), self._count_file)
        self._refusals = HeadersMiddleware(self._refuse, settings=settings)
        self._ids = count(1)
        self._link: Link[FromHost] | None = None
        self._linked, self._unlinked = asyncio.Event(), asyncio.Event()
        self._unlinked.set()
        self.sockets: dict[int, DoorSocket] = {}
        self._calls: dict[int, asyncio.Queue[Start | Body | None]] = {}
        self.relay = Relay()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "websocket":
            await self._hold_socket(scope, receive, send)
        elif scope["method"] in ("GET", "HEAD") and scope["path"].lstrip("/").partition("/")[0] not in OURS:
            await self._pages(scope, receive, send)
        else:
            await self._forward(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        """For as long as the server runs: a connection to the host, whichever that is."""
        await receive()
        tasks = [asyncio.create_task(part(), name="ventuno-door") for part in self._parts]
        if not self._opens_alone:
            await self._linked.wait()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if self._link:
            self._link.flush()
            self._link.abort()
        await send({"type": "lifespan.shutdown.complete"})

    @property
    def _parts(self) -> tuple[Callable[[], Coroutine[Any, Any, None]], ...]:
        """What runs beside the calls."""
        return self._keep_linked, self._tell_usage

    async def _keep_linked(self) -> None:
        """While a host is there nothing wakes this: fifty looks a second were half of what an idle door used."""
        while True:
            await self._unlinked.wait()
            link: Link[FromHost] = Link(FromHost, self._take, lambda: None, self._lose, self._hold)
            try:
                await self._connect(lambda link=link: link)  # type: ignore[misc]
            except OSError:
                pass
            else:
                self._begin(link)
            await asyncio.sleep(RETRY)

    def _begin(self, link: Link[FromHost]) -> None:
        """Say who is here, bring back who was let in by an earlier host, and say again what that one did not answer."""
        if link.is_lost:
            return
        self._link = link
        link.send(Hello(os.getpid()))
        link.send(self._measure())
        for id, socket in self.sockets.items():
            if socket.admission and not socket.is_video:
                link.send(Return(id, socket.admission, socket.tables))
                for place, said in enumerate(socket.unanswered):  # who waited for a host is not late by that
                    link.send(Said(id, said.text, time.monotonic(), again=place < socket.asked))
                socket.note_asked()
        self._unlinked.clear()
        self._linked.set()

    @property
    def is_linked(self) -> bool:
        return self._link is not None

    def _hold(self) -> None:
        """The host hands over: it still answers what it was asked, whatever comes now waits for the next one."""
        self._link = None
        self._linked.clear()
        self._unlinked.set()

    def _lose(self) -> None:
        """The host has gone: who waits for an answer of it hears so, sockets that are open stay."""
        self._link = None
        self._linked.clear()
        self._unlinked.set()
        for call in self._calls.values():
            call.put_nowait(None)
        for socket in self.sockets.values():
            if not socket.first.done():
                socket.first.set_result(None)
            elif socket.is_video:
                socket.close(CLOSING)  # a picture has nothing to go on with: who watches comes again

    async def _tell_usage(self) -> None:
        while True:
            if self._link:
                self._link.send(self._measure())
            await asyncio.sleep(USAGE_SECONDS)

    def _count_file(self, _scope: Scope, status: int) -> None:
        self._files[f"{status // 100}xx"] += 1

    def _measure(self) -> Usage:
        files, self._files = self._files, Counter()
        return Usage(*measure_process(), dict(files), self.relay.take_counts())

    def _take(self, packet: FromHost) -> None:
        match packet:
            case Frame():
                sockets, frame = self.sockets, packet.frame
                for id in packet.ids:
                    if socket := sockets.get(id):
                        socket.write(frame)
            case Taken():
                for id in packet.ids:
                    if socket := self.sockets.get(id):
                        socket.note_taken()
            case Start() | Body():
                if (socket := self.sockets.get(packet.id)) and isinstance(packet, Start) and not socket.first.done():
                    socket.first.set_result(packet)
                if packet.id in self._calls:
                    self._calls[packet.id].put_nowait(packet)
            case Accepted():
                if socket := self.sockets.get(packet.id):
                    socket.admission = packet.admission
                    if not socket.first.done():
                        socket.first.set_result(packet)
            case Close():
                if socket := self.sockets.get(packet.id):
                    socket.close(packet.code)
                    if not socket.first.done():
                        socket.first.set_result(None)
                elif packet.id in self._calls:
                    self._calls[packet.id].put_nowait(None)
            case Showing():
                if socket := self.sockets.get(packet.id):
                    socket.tables = packet.tables
            case Relayed():
                self.relay.relay(packet.table, packet.data)
            case Watching():
                if socket := self.sockets.get(packet.id):
                    prepare_viewer(socket.protocol)
                    self.relay.watch(socket.protocol, packet.table, packet.track, has_sound=packet.has_sound)
            case Publishing():
                if socket := self.sockets.get(packet.id):
                    self._allow_publishing(socket, packet)

    def _allow_publishing(self, socket: DoorSocket, allowed: Publishing) -> None:
        """Chunks that come go to the viewers here, and to the host for the others."""
        limiter, protocol = ChunkLimiter(allowed.tracks, read_steady()), socket.protocol

        def take(data: bytes) -> None:
            if code := limiter.check(data, read_steady()):
                protocol.close_with(code)
                return
            self.relay.relay(allowed.table, data)
            if self._link:
                self._link.send_video(Published(allowed.id, data))

        protocol.allow_binary(take, LARGEST)

    async def _find_host(self) -> Link[FromHost] | None:
        """The host, waited for a little while it starts again."""
        try:
            await asyncio.wait_for(self._linked.wait(), HOST_SECONDS)
        except TimeoutError:
            return None
        return self._link

    async def _forward(self, scope: Scope, receive: Receive, send: Send) -> None:
        link = self._link or await self._find_host()
        if link is None:
            await self._refusals(scope, receive, send)
            return
        id, answer = next(self._ids), asyncio.Queue[Start | Body | None]()
        self._calls[id] = answer
        has_body = scope["method"] not in ("GET", "HEAD")
        link.send(Call(id, pack_scope(scope), has_body))
        pumping = asyncio.create_task(self._pump(link, id, receive, has_body=has_body))
        try:
            await self._answer(link, id, answer, scope, receive, send)
        finally:
            del self._calls[id]
            pumping.cancel()

    async def _pump(self, link: Link[FromHost], id: int, receive: Receive, *, has_body: bool) -> None:
        """The body of a call as it comes, then the end of who called."""
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                link.send(Gone(id))
                return
            if has_body:
                link.send(Body(id, message.get("body", b""), message.get("more_body", False)))

    async def _answer(
        self,
        link: Link[FromHost],
        id: int,
        answer: asyncio.Queue[Start | Body | None],
        scope: Scope,
        receive: Receive,
        send: Send,
    ) -> None:
        has_begun = False
        while True:
            match await answer.get():
                case Start() as start:
                    await send({"type": "http.response.start", "status": start.status, "headers": start.headers})
                    has_begun = True
                case Body() as body:
                    await send({"type": "http.response.body", "body": body.data, "more_body": body.more})
                    if not body.more:
                        return
                    link.send(Drained(id))
                case None if has_begun:
                    raise ConnectionError("the host went away in the middle of an answer")
                case None:
                    await self._refusals(scope, receive, send)
                    return

    async def _refuse(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Nobody decides here now; nothing was done, or what was done is found again by its key."""
        response = error_response(RefusalError.by(HouseClosed(), {"Retry-After": "1"}))
        if scope["type"] == "websocket":
            await deny(send, response.status_code, response.raw_headers, bytes(response.body))
        else:
            await response(scope, receive, send)

    async def _hold_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        protocol = find_line(scope)
        link = self._link or await self._find_host()
        if link is None or not isinstance(protocol, WebSocketProtocol):
            await self._refusals(scope, receive, send)
            return
        id, socket = next(self._ids), DoorSocket(protocol, is_video=scope["path"].startswith(VIDEO))
        self.sockets[id] = socket
        self._calls[id] = answer = asyncio.Queue[Start | Body | None]()
        link.send(Open(id, pack_scope(scope)))
        code = 0
        try:
            first = await socket.first
            if isinstance(first, Accepted):
                del self._calls[id], answer, first
                scope["query_string"] = b""
                await receive()
                await send({"type": "websocket.accept"})
                forget_handshake(scope)
                socket.open()
                code = await self._read(id, socket, receive)
            elif first is None:
                await self._refusals(scope, receive, send)
            else:
                await self._deny(first, answer, send)
        finally:
            self._calls.pop(id, None)
            del self.sockets[id]
            self.relay.leave(protocol)
            if self._link:
                self._link.send(Gone(id, code))

    async def _deny(self, start: Start, answer: asyncio.Queue[Start | Body | None], send: Send) -> None:
        body = b""
        while (part := await answer.get()) is not None:
            if isinstance(part, Body):
                body += part.data
                if not part.more:
                    break
        await deny(send, start.status, start.headers, body)

    async def _read(self, id: int, socket: DoorSocket, receive: Receive) -> int:
        """Hand on what the client says, one after the other, until he goes; the code he went with."""
        limiter = MessageLimiter(self._limits(), read_steady)
        while True:
            await socket.wait_for_room()
            message: Message = await receive()
            if message["type"] != "websocket.receive" or socket.protocol.close_sent:
                return message.get("code") or 0
            if code := limiter.check(message):
                socket.protocol.close_with(code)
                return code
            said = Said(id, message.get("text"), message.get(ARRIVED) or time.monotonic())
            socket.keep(said)
            if self._link:
                self._link.send(said)
                socket.note_asked()


async def deny(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    """Refuse a handshake with an answer."""
    await send({"type": "websocket.http.response.start", "status": status, "headers": headers})
    await send({"type": "websocket.http.response.body", "body": body})


def pack_scope(scope: Scope) -> dict[str, object]:
    sent = {name: scope.get(name) for name in SCOPE}
    return {**sent, "method": scope["method"]} if "method" in scope else sent


def read_about(text: str) -> About | None:
    """Of a message its id and its table; None where it has none, and is answered by nothing."""
    with suppress(msgspec.MsgspecError):
        return _read_about(text)
    return None


def read_steady() -> int:
    return int(time.monotonic() * 1000)


def measure_process() -> tuple[int, int]:
    """What this process has used: CPU and memory; no memory where the system does not say."""
    memory = 0
    with suppress(OSError), open("/proc/self/statm", encoding="ascii") as file:
        memory = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return int(time.process_time() * 1000), memory
