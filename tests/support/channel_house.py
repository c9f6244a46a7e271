"""A house in memory on a clock that is moved by hand, and the real sockets' channels over lines that only listen.

Everything between a frame that comes in and the bytes that go out is the server's own; the disk alone is left out: what
is handed to the store is durable at once.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tests.support.doors_in_tests import DOORS, HeardLine, JoinedDoors, open_lines
from tests.support.house import FACTOR, NOON, People, open_application
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts.players import Role
from ventuno.house.accounts.sessions import Identity
from ventuno.house.application import Application
from ventuno.house.store.clock import JumpingClock
from ventuno.house.store.records import Batch, KeyRow, Snapshot
from ventuno.house.store.store import OnDone, Store
from ventuno.house.tables import table_host
from ventuno.web.sockets.channel import Connection
from ventuno.web.sockets.hub import Hub
from ventuno.web.sockets.limits import SocketLimits

ENDLESS = SocketLimits(
    rate=10**6, burst=10**6, faults=10**9, waiting=10**9, late_joins=10**9, late_asks=10**9, per_session=10**6
)
Heard = Callable[[bytes], None]


class InstantStore(Store):
    """Keeps nothing; questions go to the store that was there before."""

    def __init__(self, before: Store, noted: Callable[[Batch], None]) -> None:
        self.unsafe, self.full = before.unsafe, before.full
        self.before, self._noted = before, noted

    def submit(self, batch: Batch, done: OnDone, _snapshot: Snapshot | None = None) -> None:
        self._noted(batch)
        done(None)

    async def close(self) -> None:
        await self.before.close()

    async def find_key(self, key: str) -> KeyRow | None:
        return await self.before.find_key(key)

    async def _ask(self, name: str, values: dict[str, Any]) -> list[Any]:
        return await self.before._ask(name, values)


class Ear:
    """The end of a line: hands on what is told, and knows whether it was closed."""

    is_at_door = False

    def __init__(self, heard: Heard) -> None:
        self.write, self.code, self.close_sent = heard, 0, False

    def close_with(self, code: int) -> None:
        self.code, self.close_sent = code, True

    def show_tables(self, tables: tuple[str, ...]) -> None:
        """Nobody else has to know."""


def drawn(seed: str) -> Callable[[int], bytes]:
    """Bytes that are the same for the same seed: for the ids of sessions in a test."""
    numbers = count()
    return lambda size: sha256(f"{seed} {next(numbers)}".encode()).digest()[:size]


@dataclass(kw_only=True)
class ChannelHouse(People):
    """An application, its hub, and the clock both go by."""

    application: Application
    hub: Hub
    clock: JumpingClock
    batches: list[Batch] = field(default_factory=list)
    """What was handed to the store, where anybody keeps it."""
    doors: JoinedDoors | None = None
    """What stands between the hub and who listens, where anything does."""

    async def joined(self, name: str = "", money: Cents = 10**8, role: Role = Role.PLAYER) -> PlayerId:
        """An account; money comes under a key that is the same in every run."""
        player = await super().joined(name, 0)
        if money:
            done = await self.application.cashier.deposit(player, money, f"money of {name}")
            assert not isinstance(done, Refusal), done
        if role is not Role.PLAYER:
            await self.application.accounts.appoint(player, role, FACTOR)
        return player

    async def enter(self, player: PlayerId, heard: Heard) -> Connection:
        """A channel of a player, greeted by the hub."""
        entered = await self.session(player)
        tokens = self.application.accounts._tokens
        known = tokens.identify(entered.token, self.application.now())
        assert isinstance(known, Identity)
        line: Any = self.doors.open_line(Ear(heard)) if self.doors else Ear(heard)
        channel = Connection(self.hub, line, known)
        assert self.hub._enter(channel)
        self.flush()
        return channel

    def flush(self) -> None:
        """What was said has reached who listens."""
        if self.doors:
            self.doors.flush()

    async def settle(self, turns: int = 12) -> None:
        """Let everybody do what waits to be done."""
        for _ in range(turns):
            await asyncio.sleep(0)
        self.flush()


async def say(channel: Connection, message: dict[str, Any] | str) -> int:
    """One frame from the client; the code to close with, or 0."""
    text = message if isinstance(message, str) else json.dumps(message)
    code = await channel._read({"type": "websocket.receive", "text": text})
    if isinstance(channel._line, HeardLine):
        channel._line.doors.flush()
    return code


@asynccontextmanager
async def opened(folder: Path, seed: str = "instant", **config: Any) -> AsyncIterator[ChannelHouse]:
    """A certified house. Nobody looks after its sockets but the test, so that nothing depends on the hour."""
    clock = JumpingClock(NOON)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(table_host, "RECENT_KEYS", 10**9)
        given = {"clock": clock, "tokens": drawn(seed), "cut_seconds": 0, **config}
        application = await open_application(folder, seed=seed, **given)
        hub = Hub(application, ENDLESS)
        house = ChannelHouse(application=application, hub=hub, clock=clock)
        for task in (hub._checking, application.maintenance._loop):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        application.host.commits.store = InstantStore(application.host.commits.store, house.batches.append)
        try:
            async with open_lines(hub) if DOORS else nullcontext() as house.doors:
                yield house
        finally:
            await hub.close()
            await application.close()
