"""Hands every batch to the store in the order it was decided, and says when it is durable (I-7).

All parts of a house share one committer: it has the house's time, the names that are being claimed, and the fault that
ends the house.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine, Iterable
from contextlib import AbstractContextManager, suppress
from typing import Any, NamedTuple, Protocol

from ventuno.core.messages.refusals import Refusal
from ventuno.house.store.clock import Clock, HouseTime
from ventuno.house.store.records import Batch, Head, NameRow, Snapshot
from ventuno.house.store.store import Store, StoreFailed

WATCH_SECONDS = 0.5
"""Seconds between two questions to the store."""
_NOTHING = Batch()
_log = logging.getLogger(__name__)


class CommitMeter(NamedTuple):
    """Who hears how many seconds each batch took to be durable, and how many became so in one turn of the loop."""

    seconds: Callable[[float], object]
    group: Callable[[int], object]


class Tracer(Protocol):
    """Measures what a command does, for who wants to see where its time goes."""

    def measure(self, name: str) -> AbstractContextManager[object]: ...

    def begin(self, name: str) -> Callable[[], None]: ...


class DiskFull(Refusal):
    """Only open rounds go on, in the room that was kept for them; no guest, account, deposit or table is new (T-5)."""


class Committer:
    def __init__(self, store: Store, clock: Clock) -> None:
        self.store, self.clock = store, HouseTime(clock)
        self.now = self.clock.now
        """The house's time: never before anything it has written (R-18)."""
        self.failed: asyncio.Future[StoreFailed] = asyncio.get_running_loop().create_future()
        self.waiting = 0
        """Batches that are not durable yet."""
        self.rounds = 0
        """Rounds that ended since the house opened, practice too."""
        self.staked = self.returned = 0
        """Cents of the rounds for money that ended since the house opened; voided ones do not count."""
        self.meter: CommitMeter | None = None
        self.tracer: Tracer | None = None
        self._together = 0
        """Batches that became durable in this turn of the loop."""
        self._heads: dict[str, Head] = {}
        self._reserved: dict[tuple[str, str], str] = {}
        self._tasks: set[asyncio.Task[object]] = set()

    def resume(self, heads: dict[str, Head], last: int) -> None:
        """Go on from the ends of the streams and the newest moment that were written."""
        self._heads = heads
        self.clock.begin(last)

    def get_last_seq(self, stream: str) -> int:
        """The number of the last record of a stream that was handed in."""
        head = self._heads.get(stream)
        return head.seq if head else 0

    async def commit(self, outcome: Batch | Refusal) -> Refusal | None:
        """Wait until it is durable; a refusal, and a batch with nothing in it, wait for all that came before."""
        await self.write(_NOTHING if isinstance(outcome, Refusal) else outcome)
        return outcome if isinstance(outcome, Refusal) else None

    async def flush(self) -> None:
        """Wait until all that was decided so far is durable."""
        await self.submit(_NOTHING)

    def write(self, batch: Batch) -> asyncio.Future[None]:
        """Hand in a batch that no table decided, in order with all others: accounts, cashier, limits."""
        if unreserved := [row for row in batch.names if self._reserved.get((row.kind, row.name)) != row.owner]:
            raise ValueError(f"names must be reserved before they are written: {unreserved}")
        for record in batch.records:
            self._heads[record.stream] = Head(record.seq, record.hash)
        return self.submit(batch)

    def submit(self, batch: Batch, publish: Callable[[], None] | None = None) -> asyncio.Future[None]:
        """Hand a batch to the writer. It is published when durable, even if who asked has gone away meanwhile."""
        self.check_running()
        loop, began = asyncio.get_running_loop(), time.perf_counter()
        durable: asyncio.Future[None] = loop.create_future()
        end_span = self.tracer.begin("durable write") if self.tracer else None

        def finish(fault: BaseException | None) -> None:
            self.waiting -= 1
            if end_span:
                end_span()
            if self.meter and fault is None:
                self.meter.seconds(time.perf_counter() - began)
                if not self._together:
                    loop.call_soon(self._count_group, self.meter)
                self._together += 1
            if isinstance(fault, StoreFailed):
                self.fail(fault)
            else:
                if batch.names:
                    self.release(batch.names)
                if publish:
                    publish()
            if not durable.done():
                durable.set_exception(fault) if fault else durable.set_result(None)

        self.waiting += 1
        if batch.rounds:
            self._count_rounds(batch)
        self.store.submit(batch, finish)
        return durable

    def _count_rounds(self, batch: Batch) -> None:
        counted = {row.code for row in batch.rounds if not row.voided and not row.practice}
        self.rounds += len(batch.rounds)
        self.staked += sum(share.staked for share in batch.shares if share.code in counted)
        self.returned += sum(share.returned for share in batch.shares if share.code in counted)

    def _count_group(self, meter: CommitMeter) -> None:
        meter.group(self._together)
        self._together = 0

    def save(self, snapshot: Snapshot) -> None:
        """Hand in a snapshot. It is only a shortcut: if it fails, the next commit tells."""
        self.store.submit(_NOTHING, _ignore_outcome, snapshot)

    def check_running(self) -> None:
        if self.failed.done():
            raise StoreFailed(str(self.failed.result())) from self.failed.result()

    def check_room(self) -> DiskFull | None:
        """Why nothing new is taken on a full disk."""
        return DiskFull() if self.store.full else None

    async def watch_store(self) -> None:
        """Ask the store again and again whether it answers and is ours; an error ends the house (T-7)."""
        while not self.failed.done():
            await asyncio.sleep(WATCH_SECONDS)
            with suppress(StoreFailed):
                await self.flush()

    async def watch_room(self) -> None:
        """Look for room beside it: the store itself answers nothing while it waits for some."""
        while not self.failed.done():
            await asyncio.sleep(WATCH_SECONDS)
            before, self.store.full = self.store.full, await self.store.find_shortage()
            if self.store.full != before:
                _log.critical("%s", self.store.full or "there is room on the disk again")

    def fail(self, fault: StoreFailed) -> None:
        """Nothing more is taken."""
        if not self.failed.done():
            self.failed.set_result(fault)

    async def reserve(self, rows: Iterable[NameRow]) -> NameRow | None:
        """Reserve names until the batch that brings them is durable, or give the first that somebody else has (R-42).

        A batch with names is written only after this, so that a name that is taken never stops the writer.
        """
        reserved: list[NameRow] = []
        for row in rows:
            if (row.kind, row.name) not in self._reserved:
                self._reserved[row.kind, row.name] = row.owner
                reserved.append(row)
                try:
                    if await self.store.find_owner(row.kind, row.name) is None:
                        continue
                except BaseException:
                    self.release(reserved)
                    raise
            self.release(reserved)
            return row
        return None

    def release(self, rows: Iterable[NameRow]) -> None:
        """Give up names that were reserved and will not be written."""
        for row in rows:
            if self._reserved.get((row.kind, row.name)) == row.owner:
                del self._reserved[row.kind, row.name]

    def start_task(self, task: Coroutine[Any, Any, object]) -> None:
        """Do something beside the tables; it ends with the house."""
        started = asyncio.create_task(task)
        self._tasks.add(started)
        started.add_done_callback(self._finish_task)

    def _finish_task(self, task: asyncio.Task[object]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (fault := task.exception()) and not isinstance(fault, StoreFailed):
            _log.error("a task of the house failed", exc_info=fault)

    async def stop_tasks(self) -> None:
        for task in (tasks := list(self._tasks)):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _ignore_outcome(_fault: BaseException | None) -> None: ...
