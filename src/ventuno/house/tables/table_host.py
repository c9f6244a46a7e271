"""The house at run time: the authority decides, the store makes it durable, only then is anything said (I-7).

The shell holds no rule. It brings requests in order to the authority, its batches to the writer, and what became
durable to whoever asked and to whoever watches. Time and shoes come from outside.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import msgspec

from ventuno.core.messages.commands import Command, Resume
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.state import Phase
from ventuno.house.store.durability import StoreInconsistent
from ventuno.house.store.records import Batch, Head, KeyReused, NameRow
from ventuno.house.store.store import Store, StoreFailed
from ventuno.house.tables import idempotency_keys
from ventuno.house.tables.authority import Authority
from ventuno.house.tables.clock import Clock
from ventuno.house.tables.housekeeping import BY, RESTART, Chores, Shoemaker
from ventuno.house.tables.idempotency_keys import IdempotencyKeys
from ventuno.house.tables.live_table import LiveTable
from ventuno.house.tables.recovery import recover, take_snapshot
from ventuno.house.tables.requests import Answer, NoSuchTable, Request, refuse

SNAPSHOT_EVERY = 64
"""Records of a table between two snapshots: what recovery folds at most."""
_NOTHING = Batch()
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TableCommitted:
    """What became durable at a table: its new version, the events that made it, and the room they left."""

    table: str
    version: int
    events: tuple[Event, ...]
    live: LiveTable


@dataclass(frozen=True, slots=True)
class DiskFull(Refusal):
    """Only open rounds go on, in the room that was kept for them (T-5)."""


Watcher = Callable[[TableCommitted], None]


class TableHost(Chores):
    """A running house. Open it with `House.open`; after StoreFailed leave it and open another."""

    def __init__(self, store: Store, authority: Authority, clock: Clock, shoemaker: Shoemaker | None = None) -> None:
        super().__init__(authority, clock, shoemaker)
        self.store = store
        self.heads: dict[str, Head] = {}
        self.keys = IdempotencyKeys(store, authority)
        self._waiting = 0
        self._reserved: dict[tuple[str, str], str] = {}
        self._photographed: dict[str, int] = {}
        self._watchers: dict[str, list[Watcher]] = {}
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
    ) -> TableHost:
        """Recover everything, shift open deadlines by the outage, and start the clock (R-06).

        Raises NotWhole, with all that is wrong, where the store does not agree with itself.
        """
        house = cls(store, authority, clock, shoemaker)
        recovered = await recover(store, sheets, deep=deep)
        recent = await store.read_recent_keys(idempotency_keys.RECENT)
        authority.recover((), recent, recovered.balances)
        authority.tables.update(recovered.rooms)
        if faults := authority.find_faults():
            raise StoreInconsistent(faults)
        house.committed, house.heads, house._photographed = (
            dict(recovered.rooms),
            recovered.heads,
            recovered.snapshot_seqs,
        )
        house.clock.begin(recovered.last)
        house.keys.recover(recent, is_all=len(recent) < idempotency_keys.RECENT)
        for name, live in recovered.rooms.items():
            house._note(name, live.table)
        await house._pause_all(recovered.last)
        if resume:
            await house.resume_all()
        house._task = asyncio.create_task(house._keep_house(), name="ventuno-clock")
        house.start_task(house._sweep())
        house.start_task(house.keys.load_filter())
        return house

    def now(self) -> int:
        """The house's time: never before anything it has written (R-18)."""
        return self.clock.now()

    async def open_table(self, name: str, sheet: Sheet, owner: PlayerId = "", *, practice: bool = False) -> Answer:
        """Open a table and bring its first shoes."""
        self._refuse_if_failed()
        batch = self.authority.open(name, sheet, self.now(), owner, practice=practice)
        answer = await self._settle(Answer(name, self.authority.tables[name].version), batch, name, ())
        await self._bring_shoes(name)
        return answer

    async def ask(self, request: Request) -> Answer:
        """Decide a request, and answer when it, and all that was decided before it, is durable.

        The time of the command is the house's own, whatever the sender wrote (R-10); its key is the sender's own,
        so that nobody can use up the key of another, or of the house.
        """
        key = stored_key(request)
        if known := await self.keys.find_stored(key):
            if known.digest != request.digest():
                return refuse(request.table, 0, KeyReused(request.key)).answer
            return msgspec.json.decode(known.answer, type=Answer)
        if self.store.full and (no := self._no_room(request, key)):
            return no
        return await self._decide(Request(request.table, self._timed(request), key, request.player, request.trusted))

    def _no_room(self, request: Request, key: str) -> Answer | None:
        """On a full disk only what ends open rounds is taken from players."""
        live = self.authority.tables.get(request.table)
        if live is None:
            return refuse(request.table, 0, NoSuchTable(request.table)).answer
        if not request.player or live.table.phase is Phase.ROUND or self.authority.has_key(key):
            return None
        return refuse(request.table, live.version, DiskFull()).answer

    async def reserve(self, rows: Iterable[NameRow]) -> NameRow | None:
        """Hold names until the batch that brings them is durable, or give the first that somebody else has (R-42).

        A batch with names is written only after this, so that a name that is taken never stops the writer.
        """
        reserved: list[NameRow] = []
        taken: NameRow | None = None
        try:
            for taken in rows:
                if (taken.kind, taken.name) in self._reserved:
                    return taken
                self._reserved[taken.kind, taken.name] = taken.owner
                reserved.append(taken)
                if await self.store.find_owner(taken.kind, taken.name) is not None:
                    return taken
            taken = None
            return None
        finally:
            self.release(reserved if taken else ())

    def release(self, rows: Iterable[NameRow]) -> None:
        """Give up names that were reserved and will not be written."""
        for row in rows:
            if self._reserved.get((row.kind, row.name)) == row.owner:
                del self._reserved[row.kind, row.name]

    def write(self, batch: Batch) -> asyncio.Future[None]:
        """Hand in a batch that was decided elsewhere, in order with all others: players, cashier, limits."""
        if loose := [row for row in batch.names if self._reserved.get((row.kind, row.name)) != row.owner]:
            raise ValueError(f"names must be reserved before they are written: {loose}")
        for record in batch.records:
            self.heads[record.stream] = Head(record.seq, record.hash)
        return self._submit(batch, None)

    def watch(self, table: str, watcher: Watcher) -> Callable[[], None]:
        """Call `watcher` with each version of a table, or of all (no name), once it is durable; the result ends it."""
        listed = self._watchers.setdefault(table, [])
        listed.append(watcher)
        return lambda: listed.remove(watcher) if watcher in listed else None

    async def resume_all(self) -> None:
        """Go on where the restart paused; what a supervisor paused stays so."""
        pauses = [(name, live.table.pause) for name, live in self.authority.tables.items()]
        paused = [name for name, pause in pauses if pause and (pause.by, pause.reason) == (BY, RESTART)]
        at = self.now()
        await asyncio.gather(*[self._house_says(name, Resume(BY, at), "resume") for name in paused])

    async def stop(self) -> None:
        """Pause what has a clock, photograph every table, and close the store: nothing is cut short."""
        tasks = [*self._chores, *([self._task] if self._task else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        if not self.failed.done():
            await self._pause_all(self.now())
            for live in self.committed.values():
                self._photograph(live)
            self._fail(StoreFailed("the house is closed"))
        await self.store.close()

    async def _decide(self, request: Request) -> Answer:
        self._refuse_if_failed()
        decided = self.authority.handle(request)
        return await self._settle(decided.answer, decided.batch, request.table, decided.events)

    async def _settle(self, answer: Answer, batch: Batch | None, table: str, events: tuple[Event, ...]) -> Answer:
        """Wait for the batch. What changes nothing waits for all decided before it: it may tell of them."""
        if batch:
            await self._submit(batch, TableCommitted(table, answer.version, events, self.authority.tables[table]))
        elif self._waiting:
            await self._submit(_NOTHING, None)
        return answer

    def _submit(self, batch: Batch, news: TableCommitted | None) -> asyncio.Future[None]:
        """Hand a batch to the writer. It is published when durable, even if who asked has gone away meanwhile."""
        self._refuse_if_failed()
        waiting: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def done(fault: BaseException | None) -> None:
            self._waiting -= 1
            if isinstance(fault, StoreFailed):
                self._fail(fault)
            else:
                if batch.keys:
                    self.keys.remember(batch)
                if batch.names:
                    self.release(batch.names)
                if news:
                    self._publish(news)
            if not waiting.done():
                waiting.set_exception(fault) if fault else waiting.set_result(None)

        self._waiting += 1
        self.store.submit(batch, done)
        return waiting

    def _refuse_if_failed(self) -> None:
        if self.failed.done():
            raise StoreFailed(str(self.failed.result())) from self.failed.result()

    def _fail(self, fault: StoreFailed) -> None:
        if not self.failed.done():
            self.failed.set_result(fault)
            self._woken.set()

    def _publish(self, news: TableCommitted) -> None:
        """It is durable: show it, note what is to be done, photograph the table now and then."""
        self.committed[news.table] = news.live
        self._note(news.table, news.live.table)
        if news.version - self._photographed.get(news.table, 0) >= SNAPSHOT_EVERY:
            self._photograph(news.live)
        for watcher in (*self._watchers.get("", ()), *self._watchers.get(news.table, ())):
            try:
                watcher(news)
            except Exception:
                _log.exception("a watcher of %s failed", news.table)

    def _photograph(self, live: LiveTable) -> None:
        if live.table.phase is not Phase.ROUND:
            self.store.submit(_NOTHING, ignore_outcome, take_snapshot(live, self._photographed.get(live.table.id, 0)))
            self._photographed[live.table.id] = live.version

    async def _house_says(self, name: str, command: Command, why: str) -> Answer:
        """The house's own commands are named after the version they follow: said once, whatever happens."""
        version = self.authority.tables[name].version
        return await self._decide(Request(name, command, f"{BY}:{why}:{name}:{version}"))


def stored_key(request: Request) -> str:
    """The key as it is stored: each sender has keys of his own."""
    return f"ask:{request.player} {request.key}"


def ignore_outcome(_fault: BaseException | None) -> None:
    """A snapshot is only a shortcut: if it fails, the next commit tells."""
