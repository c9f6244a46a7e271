"""The owner's side of doors on other machines: announced, found by its epoch, left in order (R-06)."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress

import msgspec
from fastapi import FastAPI

from ventuno.web.doors.broker import HELLO, OVER, VERSION, WELCOME, Broker, Owner, Subjects, Way, pack, unpack
from ventuno.web.doors.host import Doors
from ventuno.web.operations.settings import Settings

REACH_SECONDS = 5.0
"""How long the brokers have to answer before a host takes a unit."""
HOLD_SECONDS = 1.0
"""How long doors have to say that they ask nothing more."""
END_SECONDS = 0.5
"""How long what doors have begun has to end once they are gone."""
LOOK = 0.01
_log = logging.getLogger(__name__)
_encode = msgspec.msgpack.Encoder().encode


class BrokerUnreachable(OSError):
    """No broker answers: whoever cannot hear doors takes nothing from who can."""


class BrokerHost:
    """All doors of a unit's owner, by the names under which the broker lets them speak."""

    def __init__(self, broker: Broker, subjects: Subjects, doors: Doors, owner: Owner) -> None:
        self._broker, self._subjects, self.doors, self._owner = broker, subjects, doors, owner
        self._ways: dict[str, Way] = {}
        self._is_leaving = False
        self._connected_at = time.monotonic()
        broker.hear(subjects.name_host(owner.unit, owner.epoch, "*.*"), self._take)
        broker.hear(subjects.who, lambda *_: self.announce())
        broker.beaten = self._beat

    @property
    def seconds_away(self) -> float:
        """For how long no broker has been there: what owns a unit and cannot speak hands it over."""
        return 0.0 if self._broker.connected.is_set() else time.monotonic() - self._connected_at

    def announce(self) -> None:
        if not self._is_leaving:
            self._broker.publish(self._subjects.moved, _encode(self._owner))

    def _beat(self) -> None:
        if self._broker.connected.is_set():
            self._connected_at = time.monotonic()
        self.announce()

    def _take(self, subject: str, message: bytes) -> None:
        door = subject.split(".", 6)[6]
        if (parts := unpack(message)) is None:
            return
        head, body = parts
        way = self._ways.get(door)
        if head.kind == HELLO:
            self._welcome(door, head.way, body)
        elif way is not None and way.id == head.way:
            way.take(head, body)
        elif head.kind != OVER:
            self._publish(door, pack(OVER, head.way))

    def _welcome(self, door: str, id: int, body: bytes) -> None:
        """A door begins a way: what it had before is over."""
        if self._is_leaving:
            return
        if body != bytes([VERSION]):
            _log.error("door %s speaks another version of the bus", door)
            self._publish(door, pack(OVER, id))
            return
        way = self._ways.get(door)
        if way is None or way.id != id:
            if way is not None:
                way.lose()
            way = Way(id, lambda message: self._publish(door, message), self._broker.largest, self._forget(door))
            self._ways[door] = way
            self._broker.ways.add(way)
            way.begin(self.doors.connect())
        self._publish(door, pack(WELCOME, id))

    def _publish(self, door: str, message: bytes) -> None:
        self._broker.publish(self._subjects.name_door(door), message)

    def _forget(self, door: str) -> Callable[[Way], None]:
        def forget(way: Way) -> None:
            self._broker.ways.discard(way)
            if self._ways.get(door) is way:
                del self._ways[door]

        return forget

    async def leave(self, seconds: float) -> None:
        """Hand over: doors ask nothing more and keep what comes for the next owner; what was asked is answered."""
        self._is_leaving = True
        if not self._broker.connected.is_set():
            return
        ways = list(self._ways.values())
        for way in ways:
            way.hold()
        await wait_for(lambda: all(way.is_held or way.is_over for way in ways), HOLD_SECONDS)
        await wait_for(lambda: self.doors.is_idle, seconds)
        for way in ways:
            way.end()

    def end(self) -> None:
        """At once: somebody else owns the unit, or nobody does."""
        self._is_leaving = True
        for way in list(self._ways.values()):
            way.abort()


async def wait_for(what: Callable[[], bool], seconds: float) -> None:
    """Until it is so, or the time is over."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while not what():
                await asyncio.sleep(LOOK)


@asynccontextmanager
async def serve_doors_over_broker(
    web: FastAPI, settings: Settings, unit: int, epoch: int, key: bytes
) -> AsyncIterator[BrokerHost]:
    """For as long as this process owns a unit under this epoch: doors come to it, wherever they are.

    `key` is the hosts' alone and the same at all of them: by it they know whom one of them has let in. Who leaves the
    block hands over in order; who is thrown out of it is gone at once. BrokerUnreachable where no broker answers.
    """
    doors = web.state.doors = Doors(web, key, 0)
    web.state.meters.attach_doors(doors)
    broker = Broker(settings, f"host {settings.node}")
    host = BrokerHost(broker, Subjects(settings.house), doors, Owner(unit, epoch, settings.node))
    async with broker:
        try:
            await asyncio.wait_for(broker.connected.wait(), REACH_SECONDS)
        except TimeoutError:
            raise BrokerUnreachable(f"no broker answers for {REACH_SECONDS:.0f} seconds") from None
        host.announce()
        try:
            yield host
            await host.leave(settings.stop_seconds / 2)
        finally:
            host.end()
            await doors.end_tasks(END_SECONDS)
