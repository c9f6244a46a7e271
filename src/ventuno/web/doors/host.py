"""The host's side of its doors: what they hand on goes to the application as if its clients stood here.

A call runs through the same middlewares and routes as in one process. A socket is a `RemoteLine`, to which the hub
writes as it writes to a line of its own; its door writes the bytes to the client. A door that has gone takes its
sockets along; a door that comes back, to this host or to the one after it, brings them with what they were let in by.
"""

from __future__ import annotations

import asyncio
import hmac
import logging
import time
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any

import msgspec
from fastapi import FastAPI
from starlette.types import Message, Scope

from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.players import Role
from ventuno.house.accounts.sessions import Identity
from ventuno.web.doors.bus import Link
from ventuno.web.doors.packets import (
    Accepted,
    Body,
    Call,
    Close,
    Drained,
    FromDoor,
    Gone,
    Hello,
    Open,
    Published,
    Publishing,
    Return,
    Said,
    Showing,
    Start,
    Usage,
    Watching,
)
from ventuno.web.sockets.channel import AGAIN, CLOSING
from ventuno.web.sockets.inbox import Inbox
from ventuno.web.sockets.open_socket import EXTENSION, run_socket
from ventuno.web.sockets.websocket_protocol import ARRIVED

DENIED = 403
SILENT = 20.0
"""Seconds without a word after which a door stands still; while it runs it speaks every five."""
_log = logging.getLogger(__name__)


class Admission(msgspec.Struct, array_like=True, frozen=True):
    """By what a socket was let in: who he is, in which session, and the group of addresses that he counts for."""

    player: PlayerId
    session: str
    role: str
    access: str
    group: str


class Sealer:
    """Signs admissions, so that a door brings back only whom a host has let in. The key is the hosts' alone."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def seal(self, admission: Admission) -> bytes:
        packed = msgspec.msgpack.encode(admission)
        return self._sign(packed) + packed

    def open(self, sealed: bytes) -> Admission | None:
        signature, packed = sealed[:32], sealed[32:]
        if not hmac.compare_digest(signature, self._sign(packed)):
            return None
        return msgspec.msgpack.decode(packed, type=Admission)

    def _sign(self, packed: bytes) -> bytes:
        return hmac.digest(self._key, packed, sha256)


class RemoteLine:
    """A socket at a door, as the hub uses it."""

    is_at_door = True

    __slots__ = ("_messages", "_taken", "close_sent", "id", "link", "take_binary", "untaken")

    def __init__(self, link: Link[FromDoor], id: int) -> None:
        self.link, self.id = link, id
        self.take_binary: Callable[[bytes], None] | None = None
        self._messages: Inbox[Message] = Inbox()
        self._taken: Callable[[int], None] | None = None
        self.close_sent = False
        self.untaken = 0
        """Messages that are not done with."""

    def write(self, frame: bytes) -> bool:
        if self.close_sent:
            return False
        self.link.deliver(frame, self.id)
        return True

    def close_with(self, code: int) -> None:
        if not self.close_sent:
            self.close_sent = True
            self.link.send(Close(self.id, code))
            self.put({"type": "websocket.disconnect", "code": code})

    def show_tables(self, tables: tuple[str, ...]) -> None:
        """What the socket shows, for who comes after this host."""
        self.link.send(Showing(self.id, tables))

    def watch_video(self, table: str, track: int, *, has_sound: bool) -> None:
        self.link.send(Watching(self.id, table, track, has_sound))

    def publish_video(self, table: str, tracks: tuple[int, ...], take: Callable[[bytes], None]) -> None:
        """Chunks that come go to the viewers at that door, and to `take`."""
        self.take_binary = take
        self.link.send(Publishing(self.id, table, tracks))

    def put(self, message: Message) -> None:
        self.untaken += message["type"] == "websocket.receive"
        self._messages.put_nowait(message)

    async def receive(self) -> Message:
        """The next message; who asks for it is done with the one before."""
        if self._taken:
            self._taken(self.id)
            self.untaken -= 1
        message = await self._messages.get()
        self._taken = self.link.tell_taken if message["type"] == "websocket.receive" else None
        return message


class RemoteCall:
    """A call at a door: its body as it comes, its answer as it is taken."""

    def __init__(self, link: Link[FromDoor], call: Call) -> None:
        self._link, self._id = link, call.id
        self._parts: asyncio.Queue[Message] = asyncio.Queue()
        self._drained = asyncio.Event()
        if not call.has_body:
            self.put({"type": "http.request", "body": b"", "more_body": False})

    def put(self, message: Message) -> None:
        if message["type"] == "http.disconnect":
            self._drained.set()
        self._parts.put_nowait(message)

    def note_drained(self) -> None:
        self._drained.set()

    async def receive(self) -> Message:
        return await self._parts.get()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._link.send(Start(self._id, message["status"], list(message.get("headers", ()))))
        elif message["type"] == "http.response.body":
            more = message.get("more_body", False)
            self._drained.clear()
            self._link.send(Body(self._id, message.get("body", b""), more))
            if more and not self._link.is_lost:
                await self._drained.wait()


class DoorLink:
    """One door, and all that it has handed on."""

    def __init__(self, doors: Doors) -> None:
        self._doors = doors
        self.link: Link[FromDoor] = Link(FromDoor, self._take, self._begin, self._end)
        self.process, self.usage, self.heard = 0, Usage(0, 0), time.monotonic()
        self.calls: dict[int, RemoteCall] = {}
        self.lines: dict[int, RemoteLine] = {}

    def _begin(self) -> None:
        self._doors.links.add(self)

    def _end(self) -> None:
        self._doors.links.discard(self)
        for line in self.lines.values():
            line.close_sent = True
            line.put({"type": "websocket.disconnect", "code": 1006})
        for call in self.calls.values():
            call.put({"type": "http.disconnect"})

    def _take(self, packet: FromDoor) -> None:
        match packet:
            case Said():
                if line := self.lines.get(packet.id):
                    arrived = packet.arrived + self.link.clock_offset
                    said = {"type": "websocket.receive", "text": packet.text, ARRIVED: arrived}
                    line.put({**said, AGAIN: True} if packet.again else said)
            case Published():
                if (line := self.lines.get(packet.id)) and line.take_binary and not line.close_sent:
                    line.take_binary(packet.data)
            case Call() if self._doors.is_closing:
                self.link.send(Close(packet.id, CLOSING))
            case Call():
                self.calls[packet.id] = begun = RemoteCall(self.link, packet)
                scope = {**read_scope(packet.scope), "type": "http", "extensions": {}}
                self._start(packet.id, self._doors.app(scope, begun.receive, begun.send))
            case Body():
                if call := self.calls.get(packet.id):
                    call.put({"type": "http.request", "body": packet.data, "more_body": packet.more})
            case Drained():
                if call := self.calls.get(packet.id):
                    call.note_drained()
            case Gone():
                self._part(packet)
            case Open():
                self.lines[packet.id] = line = RemoteLine(self.link, packet.id)
                self._start(packet.id, self._open(line, read_scope(packet.scope)))
            case Return():
                self.lines[packet.id] = line = RemoteLine(self.link, packet.id)
                self._start(packet.id, self._return(line, packet))
            case Usage():
                self.usage, self.heard = packet, time.monotonic()
                self._doors.count_files(packet.files)
                if any(packet.video):
                    self._doors.app.state.video.count_relayed(*packet.video)
            case Hello():
                self.process = packet.process

    def _part(self, gone: Gone) -> None:
        if call := self.calls.get(gone.id):
            call.put({"type": "http.disconnect"})
        if line := self.lines.get(gone.id):
            line.close_sent = True
            line.put({"type": "websocket.disconnect", "code": gone.code or 1005})

    def _start(self, id: int, running: Awaitable[None]) -> None:
        task = asyncio.ensure_future(self._run(id, running))
        self._doors.tasks.add(task)
        task.add_done_callback(self._doors.tasks.discard)

    async def _run(self, id: int, running: Awaitable[None]) -> None:
        try:
            await running
        except Exception:
            _log.exception("what a door handed on was not carried out")
            self.link.send(Close(id, CLOSING))  # nobody else answers it: who waits for that hears so
        finally:
            self.calls.pop(id, None)
            self.lines.pop(id, None)

    async def _open(self, line: RemoteLine, scope: Scope) -> None:
        """The handshake and the life of a socket."""
        scope.update(type="websocket", subprotocols=[])
        scope["extensions"] = {"websocket.http.response": {}, EXTENSION: {"line": line}}
        line.put({"type": "websocket.connect"})

        async def receive() -> Message:
            message = await line.receive()
            if message["type"] == "websocket.disconnect":
                scope["state"]["close_code"] = message["code"]
            return message

        async def send(message: Message) -> None:
            match message["type"]:
                case "websocket.accept":
                    self.link.send(Accepted(line.id, self._doors.seal(scope)))
                case "websocket.http.response.start":
                    self.link.send(Start(line.id, message["status"], list(message["headers"])))
                case "websocket.http.response.body":
                    self.link.send(Body(line.id, message.get("body", b""), message.get("more_body", False)))
                case "websocket.close":
                    self.link.send(Start(line.id, DENIED, []))
                    self.link.send(Body(line.id, b"", more=False))
                case _:
                    pass

        await run_socket(self._doors.app, scope, receive, send)

    async def _return(self, line: RemoteLine, packet: Return) -> None:
        admission = self._doors.sealer.open(packet.admission)
        if admission is None:
            _log.error("a door brings somebody back whom no host has let in")
            self.link.abort()
            return
        await self._doors.resume(line, admission, packet.tables)


class Doors:
    """All doors of a host."""

    def __init__(self, app: FastAPI, key: bytes, expected: int) -> None:
        self.app, self.sealer, self.expected = app, Sealer(key), expected
        self.links: set[DoorLink] = set()
        self.tasks: set[asyncio.Task[None]] = set()
        self.is_closing = False
        """Calls that come now are refused; those that are under way are answered."""

    def connect(self) -> Link[FromDoor]:
        """For each door that comes."""
        return DoorLink(self).link

    def seal(self, scope: Scope) -> bytes:
        """The admission of whom the application has let in."""
        identity: Identity = scope["ventuno.identity"]
        group: str = scope["ventuno.group"]
        return self.sealer.seal(
            Admission(identity.player, identity.session, str(identity.role), identity.access, group)
        )

    async def resume(self, line: RemoteLine, admission: Admission, tables: tuple[str, ...]) -> None:
        """A socket that outlived an earlier host counts for its address as before, and is shown its tables again."""
        identity = Identity(admission.player, admission.session, Role(admission.role), None, access=admission.access)
        self.app.state.rates.connect(admission.group)
        try:
            await self.app.state.hub.serve(line, line.receive, identity, tables)
        finally:
            self.app.state.rates.disconnect(admission.group)

    def count_files(self, answered: dict[str, int]) -> None:
        """What a door has answered by itself is counted with the rest."""
        for status, number in answered.items():
            self.app.state.meters.requests.labels("none", status).inc(number)

    def count_missing(self) -> int:
        """Doors that have gone, or stand still."""
        since = time.monotonic() - SILENT
        return max(self.expected - sum(link.heard > since for link in self.links), 0)

    @property
    def is_idle(self) -> bool:
        """Whether all that was asked is answered; sockets may be there."""
        return not any(link.calls or any(line.untaken for line in link.lines.values()) for link in self.links)

    async def end_tasks(self, seconds: float) -> None:
        """When all doors have gone: whoever does not end by that is ended, before what it stands on is."""
        if self.tasks:
            _, left = await asyncio.wait(self.tasks, timeout=seconds)
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    @property
    def is_empty(self) -> bool:
        """Whether no socket is left, and no call under way."""
        return not any(link.lines or link.calls for link in self.links)


def read_scope(sent: dict[str, Any]) -> Scope:
    """A request as the server of its door knew it."""
    headers = [(bytes(name), bytes(value)) for name, value in sent["headers"]]
    pairs = {name: tuple(sent[name]) if sent.get(name) else None for name in ("client", "server")}
    fixed = {"asgi": {"version": "3.0", "spec_version": "2.4"}, "root_path": "", "state": {}}
    return {**sent, **fixed, **pairs, "headers": headers}
