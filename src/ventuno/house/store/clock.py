"""Time for the house: in milliseconds since 1970, never going back, whatever the wall clock does (R-18)."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol


class Clock(Protocol):
    """What the machine has: a wall clock that somebody may set, and a steady one that only goes forward."""

    def now(self) -> int:
        """The wall's time, in milliseconds since 1970."""

    def steady(self) -> int:
        """Milliseconds since some moment, never set."""

    async def sleep(self, milliseconds: int, /) -> None:
        """By the steady clock."""


class RealClock:
    def now(self) -> int:
        return time.time_ns() // 1_000_000

    def steady(self) -> int:
        return time.monotonic_ns() // 1_000_000

    async def sleep(self, milliseconds: int) -> None:
        await asyncio.sleep(milliseconds / 1000)


class JumpingClock:
    """A clock for tests: it stands until it is moved; with `free` it jumps to the next moment anybody waits for."""

    def __init__(self, now: int = 1_790_000_000_000, *, free: bool = False) -> None:
        self._wall, self._steady, self._free = now, 0, free
        self._moved = asyncio.Event()

    def now(self) -> int:
        return self._wall

    def steady(self) -> int:
        return self._steady

    def move(self, milliseconds: int) -> None:
        """Time passes."""
        self._wall += milliseconds
        self._steady += milliseconds
        self._moved.set()
        self._moved = asyncio.Event()

    def step(self, milliseconds: int) -> None:
        """Somebody sets the wall clock; no time passes."""
        self._wall += milliseconds

    async def sleep(self, milliseconds: int) -> None:
        until = self._steady + milliseconds
        while self._steady < until:
            if self._free:
                await asyncio.sleep(0)
                self.move(max(until - self._steady, 0))
            else:
                await self._moved.wait()


class HouseTime:
    """The wall's time when the house opened, and the steady clock from there: no step of the wall moves it.

    Where the store holds a later moment, because the wall was set back while the house was closed, time goes on from
    that moment: nothing is written before what it follows, and every timer runs. The house is then ahead of the wall
    by the step, until it opens again after the wall has caught up.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ahead = clock.now() - clock.steady()

    def begin(self, last: int) -> None:
        """Go on from the newest moment that was written."""
        self._ahead = max(self._ahead, last - self._clock.steady())

    def now(self) -> int:
        return self._clock.steady() + self._ahead

    async def until(self, at: int) -> None:
        await self._clock.sleep(max(at - self.now(), 0))
