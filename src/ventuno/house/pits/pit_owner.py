"""A pit under its lease: what it decides is committed in order through the fence, and told only then (I-7, T-7).

It is the shell around `Pit` that the simulation of faults drives by hand: time comes from here, messages go by a post,
commits by the session of the node. Who loses the pit drops it with all that is not durable. Who hands it over takes
nothing more, waits until all that was decided is durable and told, and gives it up.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from msgspec import structs

from ventuno.core.messages.commands import Tick
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.state import Table
from ventuno.house.pits.asks import LIMIT_CHANGES, Ask, make_change
from ventuno.house.pits.messages import Message, Transfer
from ventuno.house.pits.pit import Outcome, Pit
from ventuno.house.pits.pit_books import PitBooks, find_key, read_shares
from ventuno.house.pits.pit_keeper import PitTenure
from ventuno.house.pits.placement import PitNumber
from ventuno.house.shoes.entropy import EntropySource
from ventuno.house.store.clock import Clock, HouseTime
from ventuno.house.store.node_sessions import LOST
from ventuno.house.store.records import Batch
from ventuno.house.store.store import OnDone, StoreFailed
from ventuno.house.tables.authority import Answer, LiveTable, Request
from ventuno.house.tables.shoe_supply import ShoeSupply, TableNews

MOST_ASKS = 1_000
"""Asks in flight for one pit; who comes then has to come again."""
ANSWER_SECONDS = 5.0
"""How long an ask waits for its answer; it may be asked again under its key."""

SendMessage = Callable[[Message], None]
_log = logging.getLogger(__name__)


class NotOwner(RuntimeError):
    """This owner answers nothing more, or not in time: ask whoever has the pit now, with the same key."""


class PitOwner:
    """Made with a tenure and the pit that was folded from its books; `begin` lets it decide."""

    def __init__(
        self, tenure: PitTenure, pit: Pit, read: PitBooks, clock: Clock, send: SendMessage, source: EntropySource
    ) -> None:
        self.tenure, self.pit, self._send = tenure, pit, send
        self._has_older_keys, self._last = read.has_older_keys, read.last
        self._time = HouseTime(clock)
        self._asks: dict[str, list[asyncio.Future[Answer]]] = {}
        self._reading: dict[PlayerId, int] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self.is_closing = False
        self.waiting = 0
        """Outcomes that are not durable yet."""
        self._is_idle = asyncio.Event()
        self._is_idle.set()
        self.answered = 0
        self.tables = PitTables(self, self._time)
        self._supply = ShoeSupply(
            self.tables, pit.shoes.logs, pit.shoes.proofs, pit.audit, source, is_house_run=lambda _player: True
        )
        """Players send no bytes to a pit yet: nobody is asked for any, and the house says that it cut alone."""

    def begin(self) -> None:
        """Clocks stood still since the last record; nobody loses time by a take-over (R-06)."""
        for outcome in self.pit.pause_tables(self._last):
            self._do(outcome)
        self._time.begin(self._last)
        for outcome in self.pit.resume_tables(self.now()):
            self._do(outcome)
        for name in self.pit.authority.tables:
            self._supply.serve(name)

    def now(self) -> int:
        """The time of the pit: never before its last record (R-18)."""
        return self._time.now()

    async def ask(self, ask: Ask) -> Answer:
        """Decide, and give the answer once it is durable. NotOwner: nothing is known, and it may be asked again."""
        if ask.pit != self.pit.number or len(self._asks) >= MOST_ASKS:
            raise NotOwner
        return await self._answer(ask.key, lambda at: self._decide(ask, at))

    async def command(self, request: Request) -> Answer:
        """The house's own request at a table, answered once it is durable. StoreFailed where the pit is lost."""
        try:
            return await self._answer(
                request.key, lambda at: self.pit.ask(structs.replace(request, command=replace(request.command, at=at)))
            )
        except NotOwner:
            raise StoreFailed("the pit has another owner") from None

    def write(self, batch: Batch) -> asyncio.Future[None]:
        """What was not decided at a table, in order with all that was."""
        if self.is_closing:
            raise StoreFailed("the pit is handed over")
        durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def tell(fault: BaseException | None) -> None:
            if not durable.done():
                durable.set_exception(StoreFailed("the pit has another owner")) if fault else durable.set_result(None)

        self._submit(Outcome(batch), lambda: tell(None), tell)
        return durable

    async def _answer(self, key: str, decide: Callable[[int], Outcome]) -> Answer:
        if self.is_closing:
            raise NotOwner
        await self._recall(key)
        answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._asks.setdefault(key, []).append(answer)
        try:
            if not self.is_closing:
                self._do(decide(self.now()))
            async with asyncio.timeout(ANSWER_SECONDS):
                return await answer
        except TimeoutError:
            raise NotOwner from None
        finally:
            self._forget(key, answer)

    def receive_soon(self, message: Message) -> None:
        """A message from another pit. What comes while the pit is handed over is said again to its next owner."""
        if self._has_older_keys and isinstance(message.body, Transfer):
            self._start(self._receive_recalled(message, message.body.key))
        else:
            asyncio.get_running_loop().call_soon(self._receive, message)

    async def _receive_recalled(self, message: Message, key: str) -> None:
        with suppress(NotOwner):
            await self._recall(key)
            self._receive(message)

    def _receive(self, message: Message) -> None:
        if not self.is_closing:
            self._do(self.pit.receive(message, self.now()))

    def note_epochs(self, epochs: dict[PitNumber, int]) -> None:
        """Pits that have newer owners, as the database says."""
        for pit, epoch in epochs.items():
            if pit != self.pit.number and not self.is_closing:
                self._do(self.pit.note_epoch(pit, epoch))

    def remind(self) -> None:
        """Say again all that waits for somebody else."""
        if not self.is_closing:
            self._do(self.pit.remind(self.now()))

    def tend_tables(self) -> None:
        """Clocks strike."""
        if self.is_closing or not (tables := self.pit.authority.tables):
            return
        at = self.now()
        for name in [name for name, live in tables.items() if _has_struck(live.table, at)]:
            self._do(self.pit.command(name, Tick(at), "tick"))

    async def drain(self) -> None:
        """Take nothing more, and wait until all that was decided is durable and told, or the pit is lost."""
        self.is_closing = True
        await self._supply.stop()
        while self.waiting and not self.tenure.is_lost:
            await self._is_idle.wait()
        await self._end()

    async def drop(self) -> None:
        """Nothing more is committed or told: another has the pit."""
        self.is_closing = True
        await self._supply.stop()
        await self._end()

    async def _end(self) -> None:
        for task in (tasks := list(self._tasks)):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for waiters in self._asks.values():
            for answer in waiters:
                if not answer.done():
                    answer.set_exception(NotOwner())

    def _decide(self, ask: Ask, at: int) -> Outcome:
        if isinstance(ask.body, LIMIT_CHANGES):
            return self.pit.change_limits(ask.player, ask.key, ask.digest(), make_change(ask.body, at), at)
        body: Any = ask.body
        return self.pit.ask(Request(ask.table, replace(body, at=at), ask.key, ask.player))

    def _do(self, outcome: Outcome) -> None:
        """What was decided waits for its commit, and for all that was decided before it."""
        if outcome.batch or outcome.answers or outcome.messages:
            self._submit(outcome, lambda: self._tell(outcome))
        for player, number in self.pit.granting.unread.items():
            if self._reading.get(player) != number:
                self._reading[player] = number
                self._start(self._count_rounds(player, number))

    def _submit(self, outcome: Outcome, tell: Callable[[], object], fail: OnDone | None = None) -> None:
        if self.pit.broken and not self.tenure.is_lost:
            _log.error("pit %d is folded again: %s", self.pit.number, self.pit.broken)
            self.tenure.lose()

        def finish(fault: BaseException | None) -> None:
            self.waiting -= 1
            if not self.waiting or fault:
                self._is_idle.set()
            if fault is None and not self.tenure.is_lost:
                tell()
                return
            if not self.tenure.is_lost:
                self.tenure.lose()
            if fail:
                fail(fault or StoreFailed("the pit is lost"))

        self.waiting += 1
        self._is_idle.clear()
        tenure = self.tenure
        is_fenced = bool(outcome.batch or outcome.answers)
        tenure.commits.submit(tenure.unit, tenure.epoch, outcome.batch, finish, is_fenced=is_fenced)

    def _tell(self, outcome: Outcome) -> None:
        for message in outcome.messages:
            self._send(message)
        for key, answer in outcome.answers:
            for waiter in self._asks.get(key, ()):
                if not waiter.done():
                    self.answered += 1
                    waiter.set_result(answer)
        if outcome.events:
            self.tables.publish(outcome)

    def _forget(self, key: str, answer: asyncio.Future[Answer]) -> None:
        waiters = self._asks[key]
        waiters.remove(answer)
        if not waiters:
            del self._asks[key]

    async def _recall(self, key: str) -> None:
        """A key of long ago is read again, before anything is decided under it (I-4)."""
        if not self._has_older_keys or key in self.pit.authority.keys:
            return
        try:
            row = await find_key(self.tenure.readers, key)
        except LOST as fault:
            raise NotOwner from fault
        if row and not self.is_closing:
            self.pit.authority.keys.setdefault(key, row)

    async def _count_rounds(self, player: PlayerId, number: int) -> None:
        """Rounds of a player that tables elsewhere have written: read after those tables reported, not before."""
        with suppress(*LOST):
            shares = await read_shares(self.tenure.readers, [player], self.now())
            self.pit.granting.count_rounds(player, number, shares)
            return
        self._reading.pop(player, None)

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _has_struck(table: Table, at: int) -> bool:
    return table.deadline is not None and at >= table.deadline and table.pause is None


class PitTables:
    """The tables of a pit for who brings shoes to them: what `TableHost` is in a house of one owner."""

    def __init__(self, owner: PitOwner, clock: HouseTime) -> None:
        self._owner, self.clock = owner, clock
        self._watchers: dict[str, list[tuple[Callable[[TableNews], None], tuple[type, ...]]]] = {}
        self.now, self.write, self.ask = owner.now, owner.write, owner.command

    @property
    def commits(self) -> PitTables:
        return self

    @property
    def tables(self) -> dict[str, LiveTable]:
        return self._owner.pit.authority.tables

    def watch(self, table: str, watcher: Callable[[TableNews], None], kinds: tuple[type, ...]) -> None:
        self._watchers.setdefault(table, []).append((watcher, kinds))

    def publish(self, outcome: Outcome) -> None:
        """What became durable at a table, to who waits for such events."""
        for watcher, kinds in self._watchers.get(outcome.table, ()):
            if any(isinstance(event, kinds) for event in outcome.events):
                watcher(outcome)


async def end_owner(owner: PitOwner) -> None:
    """When its tenure is over: drop what was lost, hand over the rest. StoreFailed where it was lost."""
    if not owner.tenure.is_lost:
        await owner.drain()
    if owner.tenure.is_lost:
        await owner.drop()
        raise StoreFailed("another node has the pit")
