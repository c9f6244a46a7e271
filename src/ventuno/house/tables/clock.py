"""Time for the house: in milliseconds since 1970, from outside, never going back (R-18)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import fields
from heapq import heappop, heappush
from operator import attrgetter
from typing import Any, Protocol

from ventuno.core.commands import Command

_FIELDS: dict[type[Any], tuple[Callable[[Any], tuple[Any, ...]], int]] = {}


class Clock(Protocol):
    """Time in milliseconds since 1970, never going back."""

    def now(self) -> int: ...

    async def until(self, at: int, /) -> None: ...


class RealClock:
    """The wall's time when it was made, and a monotonic clock from there: a step of the wall moves nothing."""

    def __init__(self) -> None:
        self._start = time.time_ns() // 1_000_000 - time.monotonic_ns() // 1_000_000

    def now(self) -> int:
        return self._start + time.monotonic_ns() // 1_000_000

    async def until(self, at: int) -> None:
        await asyncio.sleep(max(at - self.now(), 0) / 1000)


class JumpingClock:
    """A clock for tests: it stands until it is moved; with `free` it jumps to the next moment anybody waits for."""

    def __init__(self, now: int = 1_790_000_000_000, *, free: bool = False) -> None:
        self._now, self._free = now, free
        self._moved = asyncio.Event()

    def now(self) -> int:
        return self._now

    def move(self, milliseconds: int) -> None:
        self._now += milliseconds
        self._moved.set()
        self._moved = asyncio.Event()

    async def until(self, at: int) -> None:
        while self._now < at:
            if self._free:
                await asyncio.sleep(0)
                self.move(max(at - self._now, 0))
            else:
                await self._moved.wait()


class Deadlines:
    """Which table is due next. A table has one deadline at a time; those that were moved are passed over."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, str]] = []
        self._of: dict[str, int] = {}
        self._given: dict[str, int] = {}

    def note(self, name: str, at: int | None) -> bool:
        """The deadline of a table now, if it has one; true where it comes before all others."""
        if at is None:
            self._of.pop(name, None)
            return False
        if self._of.get(name) == at or self._given.get(name) == at:
            return False
        self._of[name] = at
        heappush(self._heap, (at, name))
        return self._heap[0] == (at, name)

    def next(self) -> int | None:
        return self._heap[0][0] if self._heap else None

    def due(self, now: int) -> list[str]:
        """Tables whose deadline has come; each is given once."""
        found = []
        while self._heap and self._heap[0][0] <= now:
            at, name = heappop(self._heap)
            if self._of.get(name) == at:
                del self._of[name]
                self._given[name] = at
                found.append(name)
        return found

    def kept(self, name: str) -> None:
        """What was due was done: from now on the same moment may be due again. Otherwise it is not given twice."""
        self._given.pop(name, None)


def stamped(command: Command, at: int) -> Command:
    """The command with another time: what `replace` does, without looking up its fields again."""
    kind = type(command)
    if kind not in _FIELDS:
        names = [one.name for one in fields(kind)]
        _FIELDS[kind] = attrgetter(*names), names.index("at")
    read, place = _FIELDS[kind]
    values = list(read(command))
    values[place] = at
    return kind(*values)
