"""The tables at run time: a command is decided, its batch made durable, and only then is anything shown (I-7).

The host holds no rule. It brings requests in order to who decides, batches to the committer, and what became durable to
whoever asked and to whoever watches. Time and shoes come from outside.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Protocol

import msgspec

from ventuno.core.messages.commands import Act, ActAll, Command, Resume
from ventuno.core.messages.events import BETS, Event
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.state import Phase
from ventuno.house.store.clock import Clock
from ventuno.house.store.committer import Committer, DiskFull
from ventuno.house.store.durability import StoreInconsistent
from ventuno.house.store.records import Batch, KeyReused, KeyRow, Record
from ventuno.house.store.store import Store, StoreFailed
from ventuno.house.tables.authority import Answer, Authority, Decision, LiveTable, NoSuchTable, Request, refuse
from ventuno.house.tables.housekeeping import BY, RESTART, Housekeeping, Shoemaker
from ventuno.house.tables.recovery import recover, take_snapshot

SNAPSHOT_EVERY = 64
"""Records of a table between two snapshots: what recovery folds at most."""
RECENT_KEYS = 5_000
"""Durable keys that stay in memory. Older ones are looked up in the store when they come again."""
KEY_PAGE = 5_000
"""Keys that are read together while the filter learns what the store holds."""
FILTER_BITS = 24
"""Of a place in the filter: two megabytes, in which a million keys leave one look in a hundred for nothing."""
_BETS = frozenset(BETS)
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TableCommitted:
    """What became durable at a table: its new version, the events that made it, the table they left and the one before
    them, which a new table has not.
    """

    table: str
    version: int
    events: tuple[Event, ...]
    live: LiveTable
    before: LiveTable | None = None


Watcher = Callable[[TableCommitted], None]
EventKinds = tuple[type[Event], ...]


class Decider(Protocol):
    """Decides a request: the pipeline of a house, or the authority alone."""

    def handle(self, request: Request) -> Decision: ...


class BloomFilter:
    """Which keys may have been added: no is certain, yes is not."""

    def __init__(self, bits: int = FILTER_BITS) -> None:
        self._bits, self._mask = bits, (1 << bits) - 1
        self._bitmap = bytearray(1 << bits >> 3)

    def add(self, key: str) -> None:
        number = hash(key)  # drawn anew for each process: nobody can choose keys that collide
        first, second = number & self._mask, number >> self._bits & self._mask
        self._bitmap[first >> 3] |= 1 << (first & 7)
        self._bitmap[second >> 3] |= 1 << (second & 7)

    def __contains__(self, key: str) -> bool:
        number = hash(key)
        first, second = number & self._mask, number >> self._bits & self._mask
        return bool(self._bitmap[first >> 3] >> (first & 7) & self._bitmap[second >> 3] >> (second & 7) & 1)


class IdempotencyKeys:
    """The keys of a house: the last ones in memory, all of them in the store, and which cannot be there (I-4).

    Nearly every key is new. A filter knows most of those at once: what it has not seen was never used, and only what
    it may have seen is looked up.
    """

    def __init__(self, store: Store, authority: Authority) -> None:
        self._store, self._authority = store, authority
        self._recent: deque[str] = deque()
        self._used = BloomFilter()
        self._is_loading = False
        self._looking: dict[str, asyncio.Event] = {}

    def recover(self, recent: Iterable[KeyRow], *, is_all: bool) -> None:
        """Begin with the last keys of the store; where it holds more, they are to be learnt."""
        self._is_loading = not is_all
        for row in recent:
            self._recent.append(row.key)
            self._used.add(row.key)

    async def load_filter(self) -> None:
        """Let the filter know every key of the store; until then each is looked up."""
        last = ""
        while self._is_loading and (page := await self._store.read_keys(last, KEY_PAGE)):
            for last in page:
                self._used.add(last)
        self._is_loading = False

    async def find_stored(self, key: str) -> KeyRow | None:
        """What the store holds under a key that is not in memory. One looks at a time, so that only one decides."""
        while key not in self._authority.keys and (self._is_loading or key in self._used):
            if looking := self._looking.get(key):
                await looking.wait()
                continue
            self._looking[key] = asyncio.Event()
            try:
                return await self._store.find_key(key)
            finally:
                self._looking.pop(key).set()  # who waited runs after this one has decided
        return None

    def remember(self, batch: Batch) -> None:
        """Durable keys stay in memory for a while: as many as are recent, however long the house runs."""
        for row in batch.keys:
            self._recent.append(row.key)
            self._used.add(row.key)
        while len(self._recent) > RECENT_KEYS:
            self._authority.forget(self._recent.popleft())


class TableHost:
    """Open it with `TableHost.open`; after StoreFailed leave it and open another."""

    def __init__(self, commits: Committer, authority: Authority, decider: Decider, shoemaker: Shoemaker | None) -> None:
        self.commits, self.authority, self._decider = commits, authority, decider
        self.committed: dict[str, LiveTable] = {}
        self.keys = IdempotencyKeys(commits.store, authority)
        self.housekeeping = Housekeeping(commits, authority.tables, self.committed, self._send, shoemaker)
        self._snapshot_seqs: dict[str, int] = {}
        self._watchers: dict[str, list[tuple[Watcher, EventKinds]]] = {}

    @classmethod
    async def open(
        cls,
        store: Store,
        authority: Authority,
        sheets: Mapping[str, Sheet],
        clock: Clock,
        shoemaker: Shoemaker | None = None,
        *,
        decider: Decider | None = None,
        deep: bool = False,
        resume: bool = True,
    ) -> TableHost:
        """Recover everything, shift open deadlines by the outage, and start the clock (R-06).

        Raises StoreInconsistent, with all that is wrong, where the store does not agree with itself.
        """
        host = cls(Committer(store, clock), authority, decider or authority, shoemaker)
        recovered = await recover(store, sheets, deep=deep)
        recent = await store.read_recent_keys(RECENT_KEYS)
        authority.recover((), recent, recovered.balances)
        authority.tables.update(recovered.rooms)
        if faults := authority.find_faults():
            raise StoreInconsistent(faults)
        host.committed.update(recovered.rooms)
        host._snapshot_seqs = recovered.snapshot_seqs
        host.commits.resume(recovered.heads, recovered.last)
        host.keys.recover(recent, is_all=len(recent) < RECENT_KEYS)
        for name, live in recovered.rooms.items():
            if live.table.phase is Phase.CLOSED:
                host._retire(name)
            host.housekeeping.note(name, live.table)
        await host.housekeeping.pause_all(recovered.last)
        if resume:
            await host.resume_all()
        host.housekeeping.start()
        host.commits.start_task(host.commits.watch_store())
        host.commits.start_task(host.commits.watch_room())
        host.commits.start_task(host.keys.load_filter())
        return host

    async def open_table(
        self,
        name: str,
        sheet: Sheet,
        owner: PlayerId = "",
        *,
        practice: bool = False,
        write_note: Callable[[], tuple[Record, ...]] = tuple,
    ) -> Answer:
        """Open a table and bring its first shoes; what is to be noted of it is durable with it."""
        self.commits.check_running()
        batch = self.authority.open(name, sheet, self.commits.now(), owner, practice=practice)
        batch = Batch(records=(*batch.records, *write_note()))
        live = self.authority.tables[name]
        answer = Answer(name, live.version)
        await self.commits.submit(batch, partial(self._publish, Decision(answer, batch), batch, live))
        await self.housekeeping.bring_shoes(name)
        return answer

    async def ask(self, request: Request) -> Answer:
        """Decide a request, and answer when it, and all that was decided before it, is durable.

        The time of the command is the house's own, whatever the sender wrote (R-10); its key is the sender's own,
        so that nobody can use up the key of another, or of the house.
        """
        if self.commits.tracer is None:
            return await self._ask(request)
        with self.commits.tracer.measure(type(request.command).__name__):
            return await self._ask(request)

    async def _ask(self, request: Request) -> Answer:
        key = stored_key(request)
        if row := await self.keys.find_stored(key):
            if row.digest != request.digest():
                return refuse(request.table, 0, KeyReused(request.key)).answer
            return msgspec.json.decode(row.answer, type=Answer)
        if self.commits.store.full and (refusal := self._check_disk(request, key)):
            return refusal
        command = replace(request.command, at=self.commits.now())
        if isinstance(command, Act | ActAll):
            command = self._credit_lag(request, command)
        return await self._decide(Request(request.table, command, key, request.player, request.trusted))

    def _check_disk(self, request: Request, key: str) -> Answer | None:
        """On a full disk only what ends open rounds is taken from players."""
        live = self.authority.tables.get(request.table)
        if live is None:
            return refuse(request.table, 0, NoSuchTable(request.table)).answer
        if not request.player or live.table.phase is Phase.ROUND or key in self.authority.keys:
            return None
        return refuse(request.table, live.version, DiskFull()).answer

    def _credit_lag(self, request: Request, command: Act | ActAll) -> Command:
        """A decision with its lag, where that is what makes it late (X-15)."""
        live = self.authority.tables.get(request.table)
        deadline = live.table.deadline if live else None
        is_late = deadline is not None and command.at >= deadline
        lag = self.housekeeping.lag_credit(request.table, request.player) if is_late else 0
        return command if lag == command.lag else replace(command, lag=lag)

    @property
    def tables(self) -> Mapping[str, LiveTable]:
        """As they were decided; `committed` as they stand in the store."""
        return self.authority.tables

    def watch(self, table: str, watcher: Watcher, kinds: EventKinds = ()) -> Callable[[], None]:
        """Call `watcher` with each version of a table, or of all (no name), once it is durable; the result ends it.

        With `kinds` it is called only where one of these events is among what happened.
        """
        watchers, entry = self._watchers.setdefault(table, []), (watcher, kinds)
        watchers.append(entry)
        return lambda: watchers.remove(entry) if entry in watchers else None

    async def resume_all(self) -> None:
        """Go on where the restart paused; what a supervisor paused stays so."""
        pauses = [(name, live.table.pause) for name, live in self.authority.tables.items()]
        paused = [name for name, pause in pauses if pause and (pause.by, pause.reason) == (BY, RESTART)]
        at = self.commits.now()
        await asyncio.gather(*[self._send(name, Resume(BY, at), "resume") for name in paused])

    async def stop(self) -> None:
        """Pause what has a clock, take a snapshot of every table, and close the store: nothing is cut short."""
        await self.commits.stop_tasks()
        await self.housekeeping.stop()
        if not self.commits.failed.done():
            await self.housekeeping.pause_all(self.commits.now())
            for live in self.committed.values():
                self._take_snapshot(live)
            self.commits.fail(StoreFailed("the house is closed"))
        await self.commits.store.close()

    async def _send(self, name: str, command: Command, why: str) -> Answer:
        """The house's own commands are named after the version they follow: said once, whatever happens."""
        version = self.authority.tables[name].version
        return await self._decide(Request(name, command, f"{BY}:{why}:{name}:{version}"))

    async def _decide(self, request: Request) -> Answer:
        """Wait for the batch. What changes nothing waits for all decided before it: it may tell of them."""
        self.commits.check_running()
        decision = self._decider.handle(request)
        if decision.batch:
            live = self.authority.tables[request.table]
            await self.commits.submit(decision.batch, partial(self._publish, decision, decision.batch, live))
        elif self.commits.waiting:
            await self.commits.flush()
        return decision.answer

    def _publish(self, decision: Decision, batch: Batch, live: LiveTable) -> None:
        """It is durable: show it, note what is to be done, take a snapshot of the table now and then."""
        name, version = decision.answer.table, decision.answer.version
        news = TableCommitted(name, version, decision.events, live, self.committed.get(name))
        if batch.keys:
            self.keys.remember(batch)
        self.committed[name] = live
        if live.table.phase is Phase.CLOSED:
            self._retire(name)
        happened = frozenset(map(type, decision.events))
        if not happened or not happened <= _BETS:
            self.housekeeping.note(name, live.table)
        if version - self._snapshot_seqs.get(name, 0) >= SNAPSHOT_EVERY:
            self._take_snapshot(live)
        for watcher, kinds in (*self._watchers.get("", ()), *self._watchers.get(name, ())):
            try:
                if not kinds or not happened.isdisjoint(kinds):
                    watcher(news)
            except Exception:
                _log.exception("a watcher of %s failed", name)

    def _retire(self, name: str) -> None:
        """A table that is closed is gone with this."""
        self.authority.retire(name)
        self.committed.pop(name, None)

    def _take_snapshot(self, live: LiveTable) -> None:
        if live.table.phase is not Phase.ROUND:
            self.commits.save(take_snapshot(live, self._snapshot_seqs.get(live.table.id, 0)))
            self._snapshot_seqs[live.table.id] = live.version


def stored_key(request: Request) -> str:
    """The key as it is stored: each sender has keys of his own."""
    return f"ask:{request.player} {request.key}"
