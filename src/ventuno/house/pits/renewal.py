"""Renews the leases of a node each second, in a thread of its own: a node that folds its books may not lose them (T-7).

It goes on while the node's own loop has run within the last half minute: a fold may take that long, a node that stands
still for longer gives up what it has. A process that is stopped stops this thread too.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from ventuno.house.pits.leases import LEASE, RENEWED_EVERY
from ventuno.house.store.fenced_commit import renew_pits
from ventuno.house.store.node_sessions import LOST, note_seen, open_renewal

PATIENCE = 30.0
"""Seconds for which the node's own loop may stand still."""
SAMPLES = 5
_log = logging.getLogger(__name__)
OnLost = Callable[[int, int], object]
"""Told in the node's loop of a unit and an epoch that are not the node's any more."""


def read_clock() -> int:
    """This machine's time, in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class ClockOffset:
    """How far the database's clock is before this machine's, in milliseconds: by the quickest of the last answers."""

    def __init__(self) -> None:
        self._samples: list[tuple[int, int]] = []

    def note(self, asked: int, told: int, answered: int) -> None:
        self._samples = [*self._samples, (answered - asked, told - (asked + answered) // 2)][-SAMPLES:]

    @property
    def milliseconds(self) -> int:
        return min(self._samples)[1] if self._samples else 0

    @property
    def is_known(self) -> bool:
        return bool(self._samples)


class Renewal:
    """Started and stopped by the keeper, which tells it what the node has."""

    def __init__(self, url: str, node: str, on_lost: OnLost, clock: Callable[[], int] = read_clock) -> None:
        self._url, self._node, self._on_lost, self._clock = url, node, on_lost, clock
        self.offset = ClockOffset()
        self.failed = 0
        """Renewals that did not reach the database."""
        self._epochs: dict[int, int] = {}
        self._renewed: dict[int, float] = {}
        """When each lease was begun or renewed at the earliest, by the clock that nobody sets."""
        self._touched = time.monotonic()
        self._home = asyncio.get_running_loop()
        self._stopped = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._woken = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="ventuno-renewal", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._stopped.set()
        with suppress(RuntimeError):  # it has ended already
            if self._loop:
                self._loop.call_soon_threadsafe(self._woken.set)

    @property
    def age(self) -> float:
        """Seconds since the oldest of the leases was renewed; 0 where there is none."""
        return max((time.monotonic() - self._renewed[unit] for unit in self._epochs), default=0.0)

    async def join(self) -> None:
        await asyncio.to_thread(self._thread.join)

    def touch(self) -> None:
        """The node's loop runs."""
        self._touched = time.monotonic()

    def add(self, unit: int, epoch: int) -> None:
        self._renewed[unit] = time.monotonic()
        self._epochs = {**self._epochs, unit: epoch}

    def remove(self, unit: int) -> None:
        self._epochs = {kept: epoch for kept, epoch in self._epochs.items() if kept != unit}

    def _run(self) -> None:
        asyncio.run(self._renew())

    async def _renew(self) -> None:
        self._loop = asyncio.get_running_loop()
        session: Any = None
        while not self._stopped.is_set():
            began = time.monotonic()
            try:
                async with asyncio.timeout(LEASE / 1000):
                    session = session or await open_renewal(self._url, self._node)
                    await self._renew_once(session)
            except LOST as fault:
                _log.warning("leases were not renewed: %s: %s", type(fault).__name__, fault)
                if session:
                    session.terminate()
                session = None
                self.failed += 1
                self._lose_lapsed()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._woken.wait(), max(began + RENEWED_EVERY / 1000 - time.monotonic(), 0.05))
        if session:
            with suppress(*LOST):
                await session.close(timeout=1)

    async def _renew_once(self, session: Any) -> None:
        if time.monotonic() - self._touched > PATIENCE:
            return
        asked, began = self._clock(), time.monotonic()
        told = await note_seen(session, self._node, self.offset.milliseconds)
        self.offset.note(asked, told, self._clock())
        if epochs := self._epochs:
            renewed = await renew_pits(session, self._node, epochs, LEASE)
            for unit, epoch in epochs.items():
                if unit in renewed:
                    self._renewed[unit] = began
                else:
                    self._home.call_soon_threadsafe(self._on_lost, unit, epoch)

    def _lose_lapsed(self) -> None:
        """Whoever cannot reach the database for a whole lease decides nothing more: another may have the unit."""
        for unit, epoch in self._epochs.items():
            if time.monotonic() - self._renewed[unit] > LEASE / 1000:
                self._home.call_soon_threadsafe(self._on_lost, unit, epoch)
