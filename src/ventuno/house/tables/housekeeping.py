"""What a running house does by itself: deadlines become commands, shoes come where they are missing (V-82, R-06)."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import time
from abc import abstractmethod
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import replace
from typing import Any

from ventuno.core.games import insurance
from ventuno.core.messages.commands import Act, ActAll, Command, LoadShoe, Pause, Tick
from ventuno.core.rules.money import PlayerId
from ventuno.core.table import legal
from ventuno.core.table.round import INSURANCE
from ventuno.core.table.state import Phase, Table
from ventuno.house.store.store import StoreFailed
from ventuno.house.tables.authority import Authority
from ventuno.house.tables.clock import Clock, Deadlines, HouseTime, stamp
from ventuno.house.tables.live_table import LiveTable
from ventuno.house.tables.requests import Answer, Request

BY, RESTART = "house", "restart"
SWEEP, WHOLE = 2.0, 600.0
"""Seconds between two moments at which garbage may be looked for, and at most between two looks at everything."""
GROWN = 3
"""With so many times the memory what is new is looked at, however busy the house is."""
IDLE = 0.2
"""Of a core: with less to do, nobody waits for a look at everything."""
_log = logging.getLogger(__name__)

Shoemaker = Callable[[LiveTable], Awaitable[LoadShoe]]
"""Makes the next shoe of a table; it may take its time in a thread."""
Credit = Callable[[str, PlayerId], int]
"""The measured lag of a player at a table, in milliseconds, as far as it is credited (X-15)."""


def no_credit(_table: str, _player: PlayerId) -> int:
    return 0


class Chores:
    """The half of a house that nobody has to ask."""

    def __init__(self, authority: Authority, clock: Clock, shoemaker: Shoemaker | None) -> None:
        self.authority, self.clock = authority, HouseTime(clock)
        self.committed: dict[str, LiveTable] = {}
        self.failed: asyncio.Future[StoreFailed] = asyncio.get_running_loop().create_future()
        self.refused_ticks = 0
        """How often a table would not take its own deadline: zero in a sound house."""
        self.lag_credit: Credit = no_credit
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
        """What the house will have to do for a table by itself; one that is closed is gone with this."""
        if table.phase is Phase.CLOSED:
            self.authority.retire(name)
            self.committed.pop(name, None)
        due = None if table.deadline is None or table.pause else table.deadline + self._patience(table)
        if self._deadlines.note(name, due):
            self._woken.set()
        if self._shoemaker and _lacks_shoe(table) and name not in self._without_shoe:
            self._without_shoe.add(name)
            self._woken.set()

    def _patience(self, table: Table) -> int:
        """How long after the deadline a decision that was made before it may still be on its way (X-15).

        Betting ends on the minute: nothing is credited to bets (R-10).
        """
        if table.phase is not Phase.ROUND:
            return 0
        return max([self.lag_credit(table.id, player) for player in _awaited(table)], default=0)

    def _timed(self, request: Request) -> Command:
        """The command at the time of its arrival; a decision with its lag, where that is what makes it late."""
        at = self.now()
        command = stamp(request.command, at)
        if not isinstance(command, Act | ActAll):
            return command
        live = self.authority.tables.get(request.table)
        deadline = live.table.deadline if live else None
        lag = 0 if deadline is None or at < deadline else self.lag_credit(request.table, request.player)
        return command if lag == command.lag else replace(command, lag=lag)

    async def _bring_shoes(self, name: str) -> None:
        """A table without a shoe gets one, a table with two sets its spare (V-82)."""
        while self._shoemaker and (live := self.authority.tables.get(name)) and _lacks_shoe(live.table):
            command = await self._shoemaker(live)
            if (await self._house_says(name, stamp(command, self.now()), "shoe")).refused:
                return

    async def _pause_all(self, at: int) -> None:
        """Every running deadline becomes time left: nobody loses what the outage lasted (R-06)."""
        running = [name for name, live in self.authority.tables.items() if _runs(live.table)]
        await asyncio.gather(*[self._house_says(name, Pause(BY, RESTART, at), "pause") for name in running])

    async def _keep_house(self) -> None:
        """Turn each deadline that comes into a command, and bring shoes where they are missing."""
        while not self.failed.done():
            self._woken.clear()
            lacking, self._without_shoe = self._without_shoe, set()
            for name in lacking:
                self.start_task(self._bring_shoes(name))
            for name in self._deadlines.due(self.now()):
                self.start_task(self._tick(name))
            await self._sleep()

    async def _tick(self, name: str) -> None:
        """Tell a table that its deadline has come. If it refuses, it is told again only when that is another."""
        if name not in self.authority.tables:
            return
        answer = await self._house_says(name, Tick(self.now()), "tick")
        if (live := self.committed.get(name)) is None:
            return
        table = live.table
        if answer.refused and _runs(table) and table.deadline is not None and table.deadline <= self.now():
            self.refused_ticks += 1
            _log.error("%s refused its deadline %d: %s %s", name, table.deadline, answer.refused, answer.numbers)
        else:
            self._deadlines.complete(name)
            self._note(name, table)

    async def _sweep(self) -> None:
        """Look for garbage when there is little to do, or much more memory: play makes none.

        What was looked at is set aside until the next quiet moment, so that a look in a busy hour is at what is new.
        """
        was_on, looked, held = gc.isenabled(), time.monotonic(), sys.getallocatedblocks()
        gc.disable()
        try:
            while not self.failed.done():
                used = time.process_time()
                await asyncio.sleep(SWEEP)
                is_idle = time.process_time() - used < IDLE * SWEEP
                if is_idle and time.monotonic() - looked > WHOLE:
                    gc.unfreeze()
                    looked = time.monotonic()
                elif sys.getallocatedblocks() < GROWN * held:
                    continue
                gc.collect()
                gc.freeze()
                held = sys.getallocatedblocks()
        finally:
            gc.unfreeze()
            if was_on:
                gc.enable()

    def start_task(self, chore: Coroutine[Any, Any, object]) -> None:
        """Do something beside the tables; it ends with the house."""
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


def _awaited(table: Table) -> list[PlayerId]:
    """Whose decision a round waits for."""
    play = table.round
    if play is None:
        return []
    if play.stage is INSURANCE:
        return [player for player, _ in insurance.waiting(play)]
    now = legal.turn(play)
    return [now[0].player] if now else []


def _lacks_shoe(table: Table) -> bool:
    return table.closing is None and (table.shoe is None or (table.spare is None and table.sheet.shoe.sets > 1))
