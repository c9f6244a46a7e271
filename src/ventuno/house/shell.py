"""The house at run time: the authority decides, the store makes it durable, only then is anything said (I-7).

The shell holds no rule. It brings requests in order to the authority, its batches to the writer, and what became
durable to whoever asked and to whoever watches. Time and shoes come from outside.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from heapq import heappop, heappush
from typing import Protocol

import msgspec

from ventuno.core.commands import Command, LoadShoe, Pause, Resume, Tick
from ventuno.core.events import Event
from ventuno.core.money import PlayerId
from ventuno.core.sheet import Sheet
from ventuno.core.state import Table
from ventuno.house.authority import Authority
from ventuno.house.durability import NotWhole, photograph, recover
from ventuno.house.records import Batch, Head, KeyRow
from ventuno.house.requests import Answer, KeyReused, Request, refused
from ventuno.house.room import Room
from ventuno.house.store import Store, StoreFailed

SNAPSHOT_EVERY = 64
"""Records of a table between two snapshots: what recovery folds at most."""
RECENT_KEYS = 20_000
"""Keys that are in memory from the start. Older ones are looked up in the store when they come again."""
BY, RESTART = "house", "restart"
_NOTHING = Batch()


class Clock(Protocol):
    """Time in milliseconds since 1970, never going back."""

    def now(self) -> int: ...

    async def until(self, at: int) -> None: ...


class RealClock:
    """The wall's time when it was made, and a monotonic clock from there: a step of the wall moves nothing (R-18)."""

    def __init__(self) -> None:
        self._start = time.time_ns() // 1_000_000 - time.monotonic_ns() // 1_000_000

    def now(self) -> int:
        return self._start + time.monotonic_ns() // 1_000_000

    async def until(self, at: int) -> None:
        await asyncio.sleep(max(at - self.now(), 0) / 1000)


@dataclass(frozen=True, slots=True)
class News:
    """What became durable at a table: its new version, the events that made it, and the room they left."""

    table: str
    version: int
    events: tuple[Event, ...]
    room: Room


Watcher = Callable[[News], None]
Shoemaker = Callable[[Room], Awaitable[LoadShoe]]
"""Makes the next shoe of a table; it may take its time in a thread."""


class House:
    """A running house. Open it with `House.open`; after StoreFailed leave it and open another."""

    def __init__(self, store: Store, authority: Authority, clock: Clock, shoemaker: Shoemaker | None = None) -> None:
        self.store, self.authority, self.clock = store, authority, clock
        self.shown: dict[str, Room] = {}
        self.heads: dict[str, Head] = {}
        self.failed: asyncio.Future[StoreFailed] = asyncio.get_running_loop().create_future()
        self._shoemaker = shoemaker
        self._waiting = 0
        self._floor = 0
        self._all_keys = False
        self._photographed: dict[str, int] = {}
        self._watchers: dict[str, list[Watcher]] = {}
        self._deadlines: list[tuple[int, str]] = []
        self._noted: dict[str, int] = {}
        self._without_shoe: set[str] = set()
        self._woken = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    @classmethod
    async def open(
        cls,
        store: Store,
        authority: Authority,
        sheets: Mapping[str, Sheet],
        clock: Clock,
        shoemaker: Shoemaker | None = None,
        *,
        deep: bool = False,
        resume: bool = True,
    ) -> House:
        """Recover everything, shift open deadlines by the outage, and start the clock (R-06).

        Raises NotWhole, with all that is wrong, where the store does not agree with itself.
        """
        house = cls(store, authority, clock, shoemaker)
        found = await recover(store, sheets, deep=deep)
        recent = await store.recent_keys(RECENT_KEYS)
        authority.recover((), recent, found.balances)
        authority.rooms.update(found.rooms)
        if faults := authority.faults():
            raise NotWhole(faults)
        house.shown, house.heads = dict(found.rooms), found.heads
        house._floor, house._all_keys = found.last, len(recent) < RECENT_KEYS
        for name, room in found.rooms.items():
            house._note(name, room.table)
        await house._pause_all(found.last)
        if resume:
            await house.resume_all()
        house._task = asyncio.create_task(house._keep_house(), name="ventuno-clock")
        return house

    def now(self) -> int:
        """The house's time: never before anything it has written."""
        self._floor = max(self._floor, self.clock.now())
        return self._floor

    async def open_table(self, name: str, sheet: Sheet, owner: PlayerId = "", *, practice: bool = False) -> Answer:
        """Open a table and bring its first shoes."""
        batch = self.authority.open(name, sheet, self.now(), owner, practice=practice)
        answer = await self._settle(Answer(name, self.authority.rooms[name].version), batch, name, ())
        await self._bring_shoes(name)
        return answer

    async def ask(self, request: Request) -> Answer:
        """Decide a request, and answer when it, and all that was decided before it, is durable.

        The time of the command is the house's own, whatever the sender wrote (R-10).
        """
        if not self._all_keys and (known := await self.store.key(request.key)):
            return self._again(request, known)
        return await self._decide(replace(request, command=replace(request.command, at=self.now())))

    def write(self, batch: Batch) -> asyncio.Future[None]:
        """Hand in a batch that was decided elsewhere, in order with all others: players, cashier, limits."""
        for record in batch.records:
            self.heads[record.stream] = Head(record.seq, record.hash)
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._submit(batch, waiting, None)
        return waiting

    def watch(self, table: str, watcher: Watcher) -> Callable[[], None]:
        """Call `watcher` with each version of a table once it is durable; the result ends it."""
        listed = self._watchers.setdefault(table, [])
        listed.append(watcher)
        return lambda: listed.remove(watcher) if watcher in listed else None

    async def stop(self) -> None:
        """Pause what has a clock, photograph every table, and close the store: nothing is cut short."""
        if self._task:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        if not self.failed.done():
            await self._pause_all(self.now())
            for room in self.shown.values():
                self.store.submit(_NOTHING, lambda _: None, photograph(room))
            self._fail(StoreFailed("the house is closed"))
        await self.store.close()

    def _again(self, request: Request, known: KeyRow) -> Answer:
        """A key from before: the same answer, or an error where it meant something else (I-4)."""
        if known.digest != request.digest():
            return refused(request.table, 0, KeyReused(request.key)).answer
        return msgspec.json.decode(known.answer, type=Answer)

    async def _decide(self, request: Request) -> Answer:
        self._refuse_if_failed()
        decided = self.authority.handle(request)
        return await self._settle(decided.answer, decided.batch, request.table, decided.events)

    async def _settle(self, answer: Answer, batch: Batch | None, table: str, events: tuple[Event, ...]) -> Answer:
        """Wait for the batch. What changes nothing waits for all decided before it: it may tell of them."""
        if batch is None and not self._waiting:
            return answer
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        news = News(table, answer.version, events, self.authority.rooms[table]) if batch else None
        self._submit(batch or _NOTHING, waiting, news)
        await waiting
        return answer

    def _submit(self, batch: Batch, waiting: asyncio.Future[None], news: News | None) -> None:
        self._refuse_if_failed()

        def done(fault: BaseException | None) -> None:
            self._waiting -= 1
            if isinstance(fault, StoreFailed):
                self._fail(fault)
            elif news:
                self._publish(news)
            if not waiting.done():
                waiting.set_exception(fault) if fault else waiting.set_result(None)

        self._waiting += 1
        self.store.submit(batch, done)

    def _refuse_if_failed(self) -> None:
        if self.failed.done():
            raise StoreFailed(str(self.failed.result())) from self.failed.result()

    def _fail(self, fault: StoreFailed) -> None:
        if not self.failed.done():
            self.failed.set_result(fault)
            self._woken.set()

    def _publish(self, news: News) -> None:
        """It is durable: show it, note its deadline, photograph the table now and then."""
        self.shown[news.table] = news.room
        self._note(news.table, news.room.table)
        if news.version - self._photographed.get(news.table, 0) >= SNAPSHOT_EVERY:
            self._photographed[news.table] = news.version
            self.store.submit(_NOTHING, lambda _: None, photograph(news.room))
        for watcher in tuple(self._watchers.get(news.table, ())):
            watcher(news)

    def _note(self, name: str, table: Table) -> None:
        """What the house will have to do for a table by itself."""
        deadline = table.deadline
        if deadline is not None and table.pause is None and self._noted.get(name) != deadline:
            self._noted[name] = deadline
            if not self._deadlines or deadline < self._deadlines[0][0]:
                self._woken.set()
            heappush(self._deadlines, (deadline, name))
        if self._shoemaker and _lacks_shoe(table) and name not in self._without_shoe:
            self._without_shoe.add(name)
            self._woken.set()

    async def _house_says(self, name: str, command: Command, why: str) -> Answer:
        """The house's own commands are named after the version they follow: said once, whatever happens."""
        version = self.authority.rooms[name].version
        return await self._decide(Request(name, command, f"{BY}:{why}:{name}:{version}"))

    async def _bring_shoes(self, name: str) -> None:
        """A table without a shoe gets one, a table with two sets its spare (V-82)."""
        while self._shoemaker and _lacks_shoe(self.authority.rooms[name].table):
            command = await self._shoemaker(self.authority.rooms[name])
            if (await self._house_says(name, replace(command, at=self.now()), "shoe")).refused:
                return

    async def _pause_all(self, at: int) -> None:
        """Every running deadline becomes time left: nobody loses what the outage lasted (R-06)."""
        running = [
            name
            for name, room in self.authority.rooms.items()
            if room.table.deadline is not None and room.table.pause is None
        ]
        await asyncio.gather(*[self._house_says(name, Pause(BY, RESTART, at), "pause") for name in running])

    async def resume_all(self) -> None:
        """Go on where the restart paused; what a supervisor paused stays so."""
        paused = [
            name
            for name, room in self.authority.rooms.items()
            if room.table.pause is not None and (room.table.pause.by, room.table.pause.reason) == (BY, RESTART)
        ]
        at = self.now()
        await asyncio.gather(*[self._house_says(name, Resume(BY, at), "resume") for name in paused])

    async def _keep_house(self) -> None:
        """Turn each deadline that comes into a command, and bring shoes where they are missing."""
        while not self.failed.done():
            self._woken.clear()
            lacking, self._without_shoe = self._without_shoe, set()
            says = [self._bring_shoes(name) for name in lacking] + [self._tick(name) for name in self._due()]
            if says:
                await asyncio.gather(*says, return_exceptions=True)
            else:
                await self._sleep(self._deadlines[0][0] if self._deadlines else None)

    def _due(self) -> list[str]:
        due = []
        while self._deadlines and self._deadlines[0][0] <= self.now():
            deadline, name = heappop(self._deadlines)
            table = self.authority.rooms[name].table
            if self._noted.get(name) == deadline:
                del self._noted[name]
            if table.deadline == deadline and table.pause is None:
                due.append(name)
        return due

    async def _tick(self, name: str) -> None:
        await self._house_says(name, Tick(self.now()), "tick")

    async def _sleep(self, at: int | None) -> None:
        """Until that time, or until an earlier deadline may have come up."""
        woken = asyncio.create_task(self._woken.wait())
        waits = [woken] if at is None else [woken, asyncio.create_task(self.clock.until(at))]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()


def _lacks_shoe(table: Table) -> bool:
    return table.shoe is None or (table.spare is None and table.sheet.shoe.sets > 1)
