"""What a running house does by itself: deadlines become commands, shoes come where they are missing (V-82, R-06)."""

from __future__ import annotations

import asyncio
import gc
import logging
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from ventuno.core.commands import Command, LoadShoe, Pause, Tick
from ventuno.core.state import Table
from ventuno.house.books.store import StoreFailed
from ventuno.house.tables.authority import Authority
from ventuno.house.tables.clock import Clock, Deadlines, stamped
from ventuno.house.tables.requests import Answer
from ventuno.house.tables.room import Room

BY, RESTART = "house", "restart"
SWEEP = 20.0
"""Seconds between two looks for garbage."""
_log = logging.getLogger(__name__)

Shoemaker = Callable[[Room], Awaitable[LoadShoe]]
"""Makes the next shoe of a table; it may take its time in a thread."""


class Chores:
    """The half of a house that nobody has to ask."""

    def __init__(self, authority: Authority, clock: Clock, shoemaker: Shoemaker | None) -> None:
        self.authority, self.clock = authority, clock
        self.shown: dict[str, Room] = {}
        self.failed: asyncio.Future[StoreFailed] = asyncio.get_running_loop().create_future()
        self.refused_ticks = 0
        """How often a table would not take its own deadline: zero in a sound house."""
        self._shoemaker = shoemaker
        self._deadlines = Deadlines()
        self._without_shoe: set[str] = set()
        self._woken = asyncio.Event()
        self._chores: set[asyncio.Task[object]] = set()

    @abstractmethod
    def now(self) -> int:
        """The house's time."""

    @abstractmethod
    async def _house_says(self, name: str, command: Command, why: str) -> Answer:
        """One of the house's own commands, decided and durable."""

    def _note(self, name: str, table: Table) -> None:
        """What the house will have to do for a table by itself."""
        if self._deadlines.note(name, table.deadline if table.pause is None else None):
            self._woken.set()
        if self._shoemaker and _lacks_shoe(table) and name not in self._without_shoe:
            self._without_shoe.add(name)
            self._woken.set()

    async def _bring_shoes(self, name: str) -> None:
        """A table without a shoe gets one, a table with two sets its spare (V-82)."""
        while self._shoemaker and _lacks_shoe(self.authority.rooms[name].table):
            command = await self._shoemaker(self.authority.rooms[name])
            if (await self._house_says(name, stamped(command, self.now()), "shoe")).refused:
                return

    async def _pause_all(self, at: int) -> None:
        """Every running deadline becomes time left: nobody loses what the outage lasted (R-06)."""
        running = [name for name, room in self.authority.rooms.items() if _runs(room.table)]
        await asyncio.gather(*[self._house_says(name, Pause(BY, RESTART, at), "pause") for name in running])

    async def _keep_house(self) -> None:
        """Turn each deadline that comes into a command, and bring shoes where they are missing."""
        while not self.failed.done():
            self._woken.clear()
            lacking, self._without_shoe = self._without_shoe, set()
            for name in lacking:
                self._begin(self._bring_shoes(name))
            for name in self._deadlines.due(self.now()):
                self._begin(self._tick(name))
            await self._sleep()

    async def _tick(self, name: str) -> None:
        """Tell a table that its deadline has come. If it refuses, it is told again only when that is another."""
        answer = await self._house_says(name, Tick(self.now()), "tick")
        table = self.shown[name].table
        if answer.refused and _runs(table) and table.deadline is not None and table.deadline <= self.now():
            self.refused_ticks += 1
            _log.error("%s refused its deadline %d: %s: %s", name, table.deadline, answer.refused, answer.detail)
        else:
            self._deadlines.kept(name)
            self._note(name, table)

    async def _sweep(self) -> None:
        """Look for garbage now and then instead of all the time: what waits for the disk is none, and there is much."""
        was_on = gc.isenabled()
        gc.disable()
        try:
            while not self.failed.done():
                await asyncio.sleep(SWEEP)
                gc.collect()
        finally:
            if was_on:
                gc.enable()

    def _begin(self, chore: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(chore)
        self._chores.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[object]) -> None:
        self._chores.discard(task)
        if not task.cancelled() and (fault := task.exception()) and not isinstance(fault, StoreFailed):
            _log.error("a chore of the house failed", exc_info=fault)

    async def _sleep(self) -> None:
        """Until the next deadline, or until there is something else to do."""
        waits: list[asyncio.Task[Any]] = [asyncio.create_task(self._woken.wait())]
        if (at := self._deadlines.next()) is not None:
            waits.append(asyncio.create_task(self.clock.until(at)))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()


def _runs(table: Table) -> bool:
    return table.deadline is not None and table.pause is None


def _lacks_shoe(table: Table) -> bool:
    return table.shoe is None or (table.spare is None and table.sheet.shoe.sets > 1)
