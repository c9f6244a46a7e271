"""Commits of all pits of a node by one session: what waits goes in one call, and each pit's own epoch is its fence.

Every pit is told in the order in which it decided. A pit that has another owner by now stops nobody else: the call that
names it writes nothing, who is stale is found, and the rest goes again. So it is where the database refuses rows. Any
other fault ends them all, because nobody knows what was written (T-6).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from typing import NamedTuple

import asyncpg

from ventuno.house.store.fenced_commit import PitBatch, Taken
from ventuno.house.store.node_sessions import FencedWriter
from ventuno.house.store.postgres import GROUP_LIMIT
from ventuno.house.store.records import Batch
from ventuno.house.store.store import OnDone, StaleEpoch, make_failure

NOTHING = Batch()


class _Entry(NamedTuple):
    unit: int
    epoch: int
    batch: Batch
    is_fenced: bool
    done: OnDone


class PitCommits:
    """`begin` with each pit that the node takes, `submit` what it decides, `end` when it is dropped or given up."""

    def __init__(self, writer: FencedWriter) -> None:
        self.writer = writer
        self._epochs: dict[int, int] = {}
        self._places: dict[int, int] = {}
        self._waiting: deque[_Entry] = deque()
        self._is_due = asyncio.Event()
        self._session_lock = asyncio.Lock()
        """A session does one thing at a time: it commits, or takes pits."""
        self.failure: BaseException | None = None
        self.commits = self.batches = 0
        """Calls that were made, and batches in them."""
        self._task = asyncio.create_task(self._run(), name="ventuno-pit-commits")

    @property
    def is_lost(self) -> bool:
        """Whether nothing can be written by this session any more."""
        return self.failure is not None or self.writer.connection.is_closed()

    async def take(self, units: Iterable[int], lease: int) -> Taken:
        """Become the owner of those of these pits that are free, between two commits."""
        async with self._session_lock:
            return await self.writer.take_pits(units, lease)

    def begin(self, unit: int, epoch: int, place: int) -> None:
        """A pit is this node's; `place` is that of its last key."""
        self._epochs[unit], self._places[unit] = epoch, place

    def end(self, unit: int) -> None:
        """Nothing of it is written any more."""
        self._epochs.pop(unit, None)
        self._places.pop(unit, None)

    def submit(self, unit: int, epoch: int, batch: Batch | None, done: OnDone, *, is_fenced: bool = True) -> None:
        """Write a batch, or only pass the fence; without either `done` hears when all before it is durable.

        What was decided under an older epoch is never written under a newer one, though both may be this node's.
        """
        self._waiting.append(_Entry(unit, epoch, batch or NOTHING, is_fenced or batch is not None, done))
        self._is_due.set()

    async def close(self) -> None:
        """At once: whatever waits is told that it failed."""
        self._task.cancel()
        with suppress(asyncio.CancelledError):
            await self._task
        self._fail(make_failure("the node has dropped its pits"))
        self.writer.terminate()

    async def _run(self) -> None:
        while True:
            await self._is_due.wait()
            self._is_due.clear()
            while self._waiting:
                group = [self._waiting.popleft() for _ in range(min(len(self._waiting), GROUP_LIMIT))]
                if self.failure is None:
                    async with self._session_lock:
                        await self._write(group)
                else:
                    _tell(group, self.failure)

    async def _write(self, group: list[_Entry]) -> None:
        while True:
            group = self._refuse_stale(group)
            fenced = [entry for entry in group if entry.is_fenced]
            epochs = {entry.unit: self._epochs[entry.unit] for entry in fenced}
            try:
                if fenced:
                    places = {unit: self._places[unit] for unit in epochs}
                    written = [PitBatch(entry.unit, entry.batch) for entry in fenced]
                    places = await self.writer.write_pits(written, epochs, places)
                    self._places.update({unit: place for unit, place in places.items() if unit in self._epochs})
                    self.commits, self.batches = self.commits + 1, self.batches + len(fenced)
            except StaleEpoch:
                stale = await self._find_stale(epochs)
                if self.failure is None and stale:
                    for unit in stale:
                        self.end(unit)
                    continue
                self._fail(self.failure or make_failure("the fence refuses what nobody else has"))
            except (ValueError, asyncpg.IntegrityConstraintViolationError) as fault:
                await self._part(group, fault)
                return
            except asyncio.CancelledError:
                self._waiting.extendleft(reversed(group))
                raise
            except Exception as fault:
                self._fail(make_failure(fault))
            _tell(group, self.failure)
            return

    async def _part(self, group: list[_Entry], fault: Exception) -> None:
        """The database says for certain that it wrote nothing: what is wrong is of one pit, and costs that one."""
        units = dict.fromkeys(entry.unit for entry in group)
        if len(units) > 1:
            for unit in units:
                await self._write([entry for entry in group if entry.unit == unit])
            return
        for unit in units:
            self.end(unit)
        _tell(group, make_failure(fault))

    def _refuse_stale(self, group: list[_Entry]) -> list[_Entry]:
        """Tell pits of before that nothing of theirs is written; gives what is left of the group."""
        stale = [entry for entry in group if self._epochs.get(entry.unit) != entry.epoch]
        if not stale:
            return group
        _tell(stale, StaleEpoch("the pit has another owner"))
        return [entry for entry in group if self._epochs.get(entry.unit) == entry.epoch]

    async def _find_stale(self, epochs: dict[int, int]) -> set[int]:
        try:
            rows = await self.writer.connection.fetch("SELECT pit, epoch FROM pits WHERE pit = ANY ($1)", list(epochs))
        except Exception as fault:
            self._fail(make_failure(fault))
            return set()
        found = dict(map(tuple, rows))
        return {unit for unit, epoch in epochs.items() if found.get(unit) != epoch}

    def _fail(self, fault: BaseException) -> None:
        self.failure = self.failure or fault
        waiting = list(self._waiting)
        self._waiting.clear()
        _tell(waiting, self.failure)


def _tell(group: list[_Entry], fault: BaseException | None) -> None:
    for entry in group:
        entry.done(fault)
