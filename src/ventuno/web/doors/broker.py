"""The way between doors and hosts on several machines: a broker of NATS, without memory of its own.

A `Way` is to a `Link` what a socket is on one machine. A broker may lose, double or reorder what it is given, so each
side numbers what it sends: what is missing is found by the next message or beat, and the way is given up. Its door then
begins a new one, brings its sockets back and asks again what was not answered, as after the end of a host.
"""

from __future__ import annotations

import asyncio
import logging
import re
import ssl
import struct
import time
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from ventuno.web.doors.bus import Link
from ventuno.web.operations.settings import Settings

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg

VERSION = 2
"""Of what is said here; who speaks another one is not answered."""
HELLO, WELCOME, DATA, BEAT, HOLD, HELD, OVER = range(1, 8)
"""A door begins, a host takes it; packets, a sign of life; a host leaves, its door asks nothing more; the end."""
BEAT_SECONDS = 0.5
SILENT_SECONDS = 2.5
"""Without a word from the other side the way is lost."""
MOST_IN_FLIGHT = 32 << 20
"""Bytes that the other side may have yet to take: below what a broker keeps for who does not read."""
TELL_TAKEN = 1 << 20
"""Bytes after which one tells that one has taken them, without waiting for the next beat."""
WINDOW = 30.0
"""Seconds for which the nearest pair of clocks counts: they drift."""
CONNECT_SECONDS, AGAIN_SECONDS, PING_SECONDS, END_SECONDS = 2, 0.2, 0.5, 1.0
"""Of the connection to the broker itself: how long it may take, when it is tried again, how often it is looked at, and
how long its end may take.
"""
MOST_CANCELLATIONS = 20
_HEAD = struct.Struct(">BQQQd")
_log = logging.getLogger(__name__)


class Subjects:
    """What is said where. The broker lets each node publish and hear only its own: packaging/nats.

    >>> Subjects("Ventuno 1.0").name_host(0, 7, "d1.5f")
    'v.Ventuno-1-0.unit.0.7.host.d1.5f'
    """

    def __init__(self, house: str) -> None:
        self._start = "v." + re.sub(r"[^a-zA-Z0-9-]", "-", house)
        self.moved, self.who = f"{self._start}.moved", f"{self._start}.who"

    def name_host(self, unit: int, epoch: int, door: str) -> str:
        """From a door to the owner of a unit under this epoch, and to nobody who was it before."""
        return f"{self._start}.unit.{unit}.{epoch}.host.{door}"

    def name_pit(self, pit: int, epoch: int, kind: str) -> str:
        """To the owner of a pit under this epoch: what other pits say, and asks."""
        return f"{self._start}.pit.{pit}.{epoch}.{kind}"

    def name_door(self, door: str) -> str:
        return f"{self._start}.door.{door}"


class Owner(msgspec.Struct, array_like=True, frozen=True):
    """Who decides for a unit, told by himself each second."""

    unit: int
    epoch: int
    node: str


class Head(NamedTuple):
    kind: int
    way: int
    """Drawn by the door for each way anew: nothing of an earlier one is taken for this one's."""
    number: int
    """Of this message where it is data, else of the last one before it."""
    taken: int
    """The number of the last message that came the other way."""
    sent: float
    """By the clock of who sends."""


def unpack(message: bytes) -> tuple[Head, bytes] | None:
    """None where nobody of us wrote it."""
    if len(message) < _HEAD.size:
        return None
    return Head(*_HEAD.unpack_from(message)), message[_HEAD.size :]


def pack(kind: int, way: int, number: int = 0, taken: int = 0, body: bytes = b"") -> bytes:
    return _HEAD.pack(kind, way, number, taken, time.monotonic()) + body


class Way(asyncio.Transport):
    """One end of the way between one door and one host, under the `Link` of that end."""

    def __init__(
        self, id: int, publish: Callable[[bytes], None], largest: int, ended: Callable[[Way], None], epoch: int = 0
    ) -> None:
        super().__init__()
        self.id, self.epoch, self._publish, self._ended = id, epoch, publish, ended
        self._largest = largest - _HEAD.size
        self._link: Link[Any] | None = None
        self._sent = self._heard = 0
        self._in_flight: deque[tuple[int, int]] = deque()
        self._bytes_in_flight = self._untold = 0
        self._nearest = self._nearest_before = float("inf")
        self._window_ends = 0.0
        self.last_word = time.monotonic()
        self.is_held = self.is_over = False

    def begin(self, link: Link[Any]) -> None:
        self._link = link
        link.connection_made(self)

    def write(self, data: Any) -> None:
        for start in range(0, len(data), self._largest):
            part = data[start : start + self._largest]
            self._sent += 1
            self._in_flight.append((self._sent, len(part)))
            self._bytes_in_flight += len(part)
            self._say(DATA, part)
        if self._bytes_in_flight > MOST_IN_FLIGHT:
            _log.warning("given up: the other side of a way takes nothing")
            self.abort()

    def get_write_buffer_size(self) -> int:
        return self._bytes_in_flight

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """The bound is that of all ways."""

    def beat(self) -> None:
        self._untold = 0
        self._say(BEAT)

    def end(self) -> None:
        """With everything said that there is to say."""
        if self._link is not None:
            self._link.flush()
        self.abort()

    def hold(self) -> None:
        """Ask for nothing more: whoever is asked next is another."""
        self._say(HOLD)

    def _say(self, kind: int, body: bytes = b"") -> None:
        if not self.is_over:
            self._publish(pack(kind, self.id, self._sent, self._heard, body))

    def take(self, head: Head, body: bytes) -> None:
        """A message of the other side, in whatever order the broker brought it."""
        if self.is_over or self._link is None:
            return
        self.last_word = now = time.monotonic()
        self._compare_clocks(self._link, now, head.sent)
        while self._in_flight and self._in_flight[0][0] <= head.taken:
            self._bytes_in_flight -= self._in_flight.popleft()[1]
        if head.kind == OVER:
            self.lose()
        elif head.number > self._heard + (head.kind == DATA):
            _log.warning("a message of the broker is missing: the way begins anew")
            self.abort()
        elif head.kind == DATA and head.number == self._heard + 1:
            self._heard += 1
            self._untold += len(body)
            self._hand_on(self._link, body)
        elif head.kind == HOLD:
            self.is_held = True
            self._link.hold()
            self._link.flush()
            self._say(HELD)
        elif head.kind == HELD:
            self.is_held = True

    def _hand_on(self, link: Link[Any], body: bytes) -> None:
        try:
            link.data_received(body)
        except msgspec.MsgspecError:
            _log.exception("the other side of a way says what makes no sense")
            self.abort()
        if self._untold > TELL_TAKEN:
            self.beat()

    def _compare_clocks(self, link: Link[Any], now: float, sent: float) -> None:
        """What lies between both clocks is at most what the fastest message of the last while says."""
        if now > self._window_ends:
            self._nearest_before, self._nearest = self._nearest, now - sent
            self._window_ends = now + WINDOW
        self._nearest = min(self._nearest, now - sent)
        link.clock_offset = min(self._nearest, self._nearest_before)

    def abort(self) -> None:
        """Give up, and say so to whom it may still reach."""
        self._say(OVER)
        self.lose()

    def lose(self) -> None:
        """It is no more."""
        if self.is_over:
            return
        self.is_over = True
        self._ended(self)
        if self._link is not None:
            self._link.is_lost = True
            asyncio.get_running_loop().call_soon(self._link.connection_lost, None)


class Broker:
    """A connection to the brokers that is made again for as long as it is wanted; who publishes never waits."""

    def __init__(self, settings: Settings, name: str) -> None:
        self._settings, self._name = settings, name
        self._client: Client | None = None
        self._subscriptions: dict[str, Callable[[Msg], Awaitable[None]]] = {}
        self._heard: dict[str, Any] = {}
        """What the library has for each subject that is heard on this connection."""
        self._outgoing: deque[tuple[str, bytes]] = deque()
        self._is_due, self._closed, self.connected = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []
        self.ways: set[Way] = set()
        self.beaten: Callable[[], None] = lambda: None
        """Called with each beat."""
        self._told = ""

    @property
    def largest(self) -> int:
        """Bytes that go in one message."""
        return self._client.max_payload if self._client else 1 << 20

    def hear(self, subject: str, take: Callable[[str, bytes], None]) -> None:
        """From each connection on, everything that is said there, in order."""
        self._subscriptions[subject] = hand_to(take)

    async def listen(self, subject: str, take: Callable[[Msg], Awaitable[None]]) -> None:
        """From now on, and from each later connection on; who asked for an answer is named in the message."""
        self._subscriptions[subject] = take
        if self._client is not None and self.connected.is_set():
            self._heard[subject] = await self._client.subscribe(subject, cb=take)

    async def stop_listening(self, subject: str) -> None:
        self._subscriptions.pop(subject, None)
        if (heard := self._heard.pop(subject, None)) is not None and self.connected.is_set():
            with suppress(Exception):  # it has ended with its connection
                await heard.unsubscribe()

    async def request(self, subject: str, message: bytes, seconds: float) -> bytes | None:
        """The answer of whoever listens there; None where nobody does, or none came in time."""
        if self._client is None or not self.connected.is_set():
            return None
        try:
            answer = await self._client.request(subject, message, timeout=seconds)
        except Exception as fault:  # of many kinds; all of them are: no answer
            _log.debug("no answer at %s: %s", subject, fault)
            return None
        return answer.data

    def publish(self, subject: str, message: bytes) -> None:
        """With whatever else is said in this turn of the loop; into nothing where there is no connection."""
        if self.connected.is_set():
            self._outgoing.append((subject, message))
            self._is_due.set()

    async def __aenter__(self) -> Broker:
        parts = (self._keep_connected, self._pump, self._beat)
        self._tasks = [asyncio.create_task(part(), name="ventuno-broker") for part in parts]
        return self

    async def __aexit__(self, *_: object) -> None:
        await end_soon(asyncio.create_task(self._send_rest()), END_SECONDS)
        for task in self._tasks:
            await end_soon(task)
        await self._close()

    async def _close(self) -> None:
        """Whatever state it is in: a broker that does not answer holds up nobody."""
        client, self._client = self._client, None
        if client is not None:
            await end_soon(asyncio.create_task(client.close()), END_SECONDS)

    async def _keep_connected(self) -> None:
        while True:
            self._closed.clear()
            try:
                await self._connect()
                await self._closed.wait()
            except Exception as fault:  # of many kinds; all of them are: not now
                await self._tell(fault)
            self.connected.clear()
            await self._close()
            await asyncio.sleep(AGAIN_SECONDS)

    async def _connect(self) -> None:
        from nats.aio.client import Client

        async def note_disconnected() -> None:
            self.connected.clear()

        async def note_connected() -> None:
            self.connected.set()

        async def note_closed() -> None:
            self._closed.set()

        client = self._client = Client()
        await client.connect(
            self._settings.brokers,
            name=self._name,
            error_cb=self._tell,
            disconnected_cb=note_disconnected,
            reconnected_cb=note_connected,
            closed_cb=note_closed,
            connect_timeout=CONNECT_SECONDS,
            reconnect_time_wait=AGAIN_SECONDS,  # type: ignore[arg-type]  # it only sleeps for so long
            max_reconnect_attempts=-1,
            ping_interval=PING_SECONDS,  # type: ignore[arg-type]
            flush_timeout=CONNECT_SECONDS,
            no_echo=True,
            skip_subject_validation=True,
            tls=make_context(self._settings),
        )
        for subject, take in [*self._subscriptions.items()]:
            self._heard[subject] = await client.subscribe(subject, cb=take)
        await client.flush()
        self._told = ""
        self.connected.set()

    async def _tell(self, fault: Exception) -> None:
        """Once, however often it is tried again."""
        told = f"{type(fault).__name__}: {fault}".rstrip(": ")
        if told != self._told:
            self._told = told
            _log.warning("the broker: %s", told)

    async def _pump(self) -> None:
        while True:
            await self._is_due.wait()
            await self._send_rest()

    async def _send_rest(self) -> None:
        self._is_due.clear()
        while self._outgoing:
            subject, message = self._outgoing.popleft()
            if self._client is not None and self.connected.is_set():
                try:
                    await self._client.publish(subject, message)
                except Exception as fault:  # what is missing is found by who misses it
                    await self._tell(fault)

    async def _beat(self) -> None:
        """Signs of life, and the end of ways without any. Time in which this process stood still counts for nobody."""
        while True:
            began = time.monotonic()
            await asyncio.sleep(BEAT_SECONDS)
            stood = max(time.monotonic() - began - 2 * BEAT_SECONDS, 0.0)
            for way in tuple(self.ways):
                way.last_word += stood
                if time.monotonic() - way.last_word > SILENT_SECONDS:
                    _log.warning("given up: the other side of a way is silent")
                    way.abort()
                else:
                    way.beat()
            self.beaten()


async def end_soon(task: asyncio.Task[None], seconds: float = 0.0) -> None:
    """Let it end by itself for so long, then end it, more than once where need be: the library takes a cancellation
    for a word of its own now and then.
    """
    for _ in range(MOST_CANCELLATIONS):
        await asyncio.wait({task}, timeout=seconds)
        if task.done():
            break
        task.cancel()
        seconds = AGAIN_SECONDS
    if task.done() and not task.cancelled():
        task.exception()


def hand_to(take: Callable[[str, bytes], None]) -> Callable[[Msg], Awaitable[None]]:
    async def hand(message: Msg) -> None:
        take(message.subject, message.data)

    return hand


def make_context(settings: Settings) -> ssl.SSLContext | None:
    """TLS both ways; None where the brokers are on this machine and in the clear."""
    if not any(address.startswith("tls://") for address in settings.brokers):
        return None
    context = ssl.create_default_context(cafile=str(settings.broker_ca) if settings.broker_ca else None)
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    if settings.broker_certificate and settings.broker_key:
        context.load_cert_chain(str(settings.broker_certificate), str(settings.broker_key))
    return context
