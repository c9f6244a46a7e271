"""What a running house does by itself: deadlines become commands, shoes come where they are missing (V-82, R-06)."""

from __future__ import annotations

import asyncio
import gc
import logging
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from heapq import heappop, heappush
from typing import Any

from ventuno.core.games import insurance
from ventuno.core.messages.commands import Command, LoadShoe, Pause, Tick, Void
from ventuno.core.rules.money import PlayerId
from ventuno.core.table import legal
from ventuno.core.table.round import INSURANCE
from ventuno.core.table.state import Phase, Table
from ventuno.core.table.supervision import find_voidable
from ventuno.house.store.committer import Committer
from ventuno.house.tables.authority import Answer, LiveTable

BY, RESTART, DISK_FULL = "house", "restart", "disk-full"
SWEEP, WHOLE = 2.0, 600.0
"""Seconds between two moments at which garbage may be looked for, and at most between two looks at everything."""
GROWN = 3
"""With so many times the memory what is new is looked at, however busy the house is."""
IDLE = 0.2
"""Of a core: with less to do, nobody waits for a look at everything."""
_log = logging.getLogger(__name__)

Shoemaker = Callable[[LiveTable], Awaitable[LoadShoe]]
"""Makes the next shoe of a table; it may take its time in a thread."""
LagCredit = Callable[[str, PlayerId], int]
"""The measured lag of a player at a table, in milliseconds, as far as it is credited (X-15)."""
SendCommand = Callable[[str, Command, str], Awaitable[Answer]]
"""Sends one of the house's own commands to a table, and says why; answered when it is durable."""


def no_credit(_table: str, _player: PlayerId) -> int:
    return 0


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
        names = []
        while self._heap and self._heap[0][0] <= now:
            at, name = heappop(self._heap)
            if self._of.get(name) == at:
                del self._of[name]
                self._given[name] = at
                names.append(name)
        return names

    def complete(self, name: str) -> None:
        """What was due was done: from now on the same moment may be due again. Otherwise it is not given twice."""
        self._given.pop(name, None)


class Housekeeping:
    """`tables` are the tables as decided, `committed` as they stand in the store."""

    def __init__(
        self,
        commits: Committer,
        tables: Mapping[str, LiveTable],
        committed: Mapping[str, LiveTable],
        send: SendCommand,
        shoemaker: Shoemaker | None,
    ) -> None:
        self._commits, self._tables, self._committed = commits, tables, committed
        self._send, self._shoemaker = send, shoemaker
        self.refused_ticks = 0
        """How often a table would not take its own deadline: zero in a sound house."""
        self.lag_credit: LagCredit = no_credit
        self._deadlines = Deadlines()
        self._without_shoe: set[str] = set()
        self._woken = asyncio.Event()
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._loop = asyncio.create_task(self._run(), name="ventuno-clock")
        self._commits.failed.add_done_callback(lambda _failed: self._woken.set())
        self._commits.start_task(self._collect_garbage())

    async def stop(self) -> None:
        if self._loop:
            self._loop.cancel()
            await asyncio.gather(self._loop, return_exceptions=True)

    def note(self, name: str, table: Table) -> None:
        """What the house will have to do for a table by itself."""
        due = None
        if table.deadline is not None and not table.pause:
            due = table.deadline + (self._get_patience(table) if table.phase is Phase.ROUND else 0)
        if self._deadlines.note(name, due):
            self._woken.set()
        if self._shoemaker and _lacks_shoe(table) and name not in self._without_shoe:
            self._without_shoe.add(name)
            self._woken.set()

    def _get_patience(self, table: Table) -> int:
        """How long after the deadline a decision that was made before it may still be on its way (X-15).

        Betting ends on the minute: nothing is credited to bets (R-10).
        """
        return max([self.lag_credit(table.id, player) for player in _list_awaited(table)], default=0)

    async def bring_shoes(self, name: str) -> None:
        """A table without a shoe gets one, a table with two sets its spare (V-82)."""
        while self._shoemaker and (live := self._tables.get(name)) and _lacks_shoe(live.table):
            command = await self._shoemaker(live)
            if (await self._send(name, replace(command, at=self._commits.now()), "shoe")).refused:
                return

    async def pause_all(self, at: int) -> None:
        """Every running deadline becomes time left: nobody loses what the outage lasted (R-06)."""
        running = [name for name, live in self._tables.items() if _is_running(live.table)]
        await asyncio.gather(*[self._send(name, Pause(BY, RESTART, at), "pause") for name in running])

    async def _run(self) -> None:
        """Turn each deadline that comes into a command, and bring shoes where they are missing."""
        while not self._commits.failed.done():
            self._woken.clear()
            lacking, self._without_shoe = self._without_shoe, set()
            for name in lacking:
                self._commits.start_task(self.bring_shoes(name))
            for name in self._deadlines.due(self._commits.now()):
                self._commits.start_task(self._tick(name))
            await self._sleep()

    async def _tick(self, name: str) -> None:
        """Tell a table that its deadline has come. If it refuses, it is told again only when that is another."""
        if name not in self._tables:
            return
        answer = await self._send(name, self._make_tick(name), "tick")
        if (live := self._committed.get(name)) is None:
            return
        table = live.table
        is_due = _is_running(table) and table.deadline is not None and table.deadline <= self._commits.now()
        if answer.refused and is_due:
            self.refused_ticks += 1
            _log.error("%s refused its deadline %d: %s %s", name, table.deadline, answer.refused, answer.numbers)
        else:
            self._deadlines.complete(name)
            self.note(name, table)

    def _make_tick(self, name: str) -> Command:
        """What a table is told when its time is up; on a full disk bets go back, so that no round begins (T-5)."""
        now, table = self._commits.now(), self._tables[name].table
        if self._commits.store.full and table.phase is Phase.BETTING and (bets := find_voidable(table)):
            return Void(BY, DISK_FULL, now, bets)
        return Tick(now)

    async def _collect_garbage(self) -> None:
        """Look for garbage when there is little to do, or much more memory: play makes none.

        What was looked at is set aside until the next quiet moment, so that a look in a busy hour is at what is new.
        """
        was_on, looked, blocks = gc.isenabled(), time.monotonic(), sys.getallocatedblocks()
        gc.disable()
        try:
            while not self._commits.failed.done():
                used = time.process_time()
                await asyncio.sleep(SWEEP)
                is_idle = time.process_time() - used < IDLE * SWEEP
                if is_idle and time.monotonic() - looked > WHOLE:
                    gc.unfreeze()
                    looked = time.monotonic()
                elif sys.getallocatedblocks() < GROWN * blocks:
                    continue
                gc.collect()
                gc.freeze()
                blocks = sys.getallocatedblocks()
        finally:
            gc.unfreeze()
            if was_on:
                gc.enable()

    async def _sleep(self) -> None:
        """Until the next deadline, or until there is something else to do."""
        waits: list[asyncio.Task[Any]] = [asyncio.create_task(self._woken.wait())]
        if (at := self._deadlines.next()) is not None:
            waits.append(asyncio.create_task(self._commits.clock.until(at)))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waits:
                task.cancel()


def _is_running(table: Table) -> bool:
    return table.deadline is not None and table.pause is None


def _list_awaited(table: Table) -> list[PlayerId]:
    """Whose decision a round waits for."""
    play = table.round
    if play is None:
        return []
    if play.stage is INSURANCE:
        return [player for player, _ in insurance.waiting(play)]
    turn = legal.turn(play)
    return [turn[0].player] if turn else []


def _lacks_shoe(table: Table) -> bool:
    lacks = table.shoe is None or (table.spare is None and table.sheet.shoe.sets > 1)
    return lacks and table.studio is None and table.closing is None
