"""Brings shoes to tables: sealed from fresh entropy, committed before bets open, cut by players, loaded (R-20…R-28).

A table for one gets a shoe for every round, cut by its owner; a shared table gets one when somebody sits there, cut by
those who do, and by a round of a public beacon where the house asks one. Who does not answer in time is flagged; where
nobody does the house adds bytes of its own, and says so. Bots and staff are the house: they have no part in a cut.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any, NamedTuple, Protocol

from ventuno.core.messages.commands import Command, LoadShoe, Pause
from ventuno.core.messages.events import (
    BettingOpened,
    RoundSettled,
    RoundVoided,
    SeatFreed,
    SeatTaken,
    ShoeLoaded,
    ShoeRetired,
    TableClosed,
    TableClosingBy,
    TablePausedBy,
    TableResumed,
)
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import Card
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.seats import list_seated
from ventuno.core.table.shoes import cut_window
from ventuno.core.table.state import Table
from ventuno.house.shoes import cut
from ventuno.house.shoes.acknowledgements import PROMISE, REVEAL, Acknowledgement
from ventuno.house.shoes.commitment import OLDEST, Commitment, seal
from ventuno.house.shoes.cut import Phase
from ventuno.house.shoes.drbg import HmacDrbg
from ventuno.house.shoes.entropy import EntropySource, RandomnessFailed
from ventuno.house.shoes.shoe_log import PendingShoe, ShoeLogs
from ventuno.house.shoes.shuffle import Stream, shuffle
from ventuno.house.store.audit_log import AuditLog, ChanceFailed
from ventuno.house.store.clock import HouseTime
from ventuno.house.store.records import Batch
from ventuno.house.store.store import StoreFailed
from ventuno.house.tables import practice
from ventuno.house.tables.authority import Answer, LiveTable, Request
from ventuno.house.tables.beacon_client import BeaconClient
from ventuno.house.tables.live_proofs import LiveProofs

CUT_SECONDS = 5
"""How long players have to promise, and again to reveal."""
BEACON_LEAD = 2_000
"""Milliseconds from a commitment to the earliest round of a beacon: it is durable and shown to everybody by then."""
SHOE_EVENTS = (
    *(SeatTaken, SeatFreed, ShoeLoaded, ShoeRetired, BettingOpened, RoundSettled, RoundVoided),
    *(TablePausedBy, TableResumed, TableClosingBy, TableClosed),
)
"""What can make a table lack a shoe, or change who cuts the next one."""
BY, FAILED = "house", "generator-failed"
_log = logging.getLogger(__name__)


class TableNews(Protocol):
    """What became durable at a table."""

    @property
    def table(self) -> str: ...


class Commits(Protocol):
    """Writes in the order of decisions, by the time of whoever decides."""

    @property
    def clock(self) -> HouseTime: ...

    def now(self) -> int: ...

    def write(self, batch: Batch) -> asyncio.Future[None]: ...


class Tables(Protocol):
    """The tables that get shoes: those of a whole house, or of one pit."""

    @property
    def commits(self) -> Commits: ...

    @property
    def tables(self) -> Mapping[str, LiveTable]:
        """As they were decided."""

    def watch(self, table: str, watcher: Callable[[TableNews], None], kinds: tuple[type, ...], /) -> object: ...

    async def ask(self, request: Request, /) -> Answer: ...


class ShoeStatus(NamedTuple):
    """What everybody may know of the shoe that is being made: what was committed, what is asked of whom until when.

    `promises` is the signed list of all promises, from their end on: nobody reveals before he has seen it. `receipt` is
    the signed checkpoint that covers the cut, once it is closed: to be kept before anybody bets.
    """

    table: str
    commitment: dict[str, Any]
    phase: str
    players: tuple[PlayerId, ...]
    promised: tuple[PlayerId, ...]
    revealed: tuple[PlayerId, ...]
    deadline: int | None = None
    promises: dict[str, Any] | None = None
    receipt: dict[str, Any] | None = None


class ShoeSupply:
    """Makes shoes as long as the house is open; one at a time for each table."""

    def __init__(
        self,
        host: Tables,
        shoe_logs: ShoeLogs,
        proofs: LiveProofs,
        audit: AuditLog,
        source: EntropySource,
        is_house_run: Callable[[PlayerId], bool],
        seconds: int = CUT_SECONDS,
        beacon: BeaconClient | None = None,
    ) -> None:
        self._host, self._commits, self._tables = host, host.commits, host.tables
        self._shoe_logs, self._proofs, self._audit = shoe_logs, proofs, audit
        self._source, self._is_house_run, self._seconds, self._beacon = source, is_house_run, seconds, beacon
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._changes: dict[str, asyncio.Event] = {}
        self._watchers: list[Callable[[ShoeStatus], None]] = []
        self._statuses: dict[str, ShoeStatus] = {}
        self._deadlines: dict[str, int] = {}
        self._drawing = asyncio.Lock()
        self._closed = self._failure_recorded = False

    def serve(self, table: str) -> None:
        """Take care of a table from now on."""
        self._host.watch(table, self._on_committed, SHOE_EVENTS)
        self._set_deadline(table)
        self._publish(self._make_status(table))
        self._start_task(table)

    def watch(self, watcher: Callable[[ShoeStatus], None]) -> None:
        self._watchers.append(watcher)

    def get_status(self, table: str) -> ShoeStatus | None:
        """The newest shoe of a table, in the making or cut."""
        return self._statuses.get(table)

    async def promise(
        self, player: PlayerId, table: str, digest: bytes, key: bytes = b"", signature: bytes = b""
    ) -> Acknowledgement | Refusal:
        """Take a promise, and sign that it was taken."""
        now = self._commits.now()
        outcome = self._shoe_logs.promise(table, player, digest, now, key, signature)
        return outcome if isinstance(outcome, Refusal) else await self._accept(table, outcome, player, PROMISE, digest)

    async def reveal(self, player: PlayerId, table: str, entropy: bytes) -> Acknowledgement | Refusal:
        """Take the bytes themselves, and sign that they were taken."""
        outcome = self._shoe_logs.reveal(table, player, entropy, self._commits.now())
        promise = sha256(entropy).digest()
        return outcome if isinstance(outcome, Refusal) else await self._accept(table, outcome, player, REVEAL, promise)

    async def stop(self) -> None:
        self._closed, tasks = True, list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _accept(self, table: str, batch: Batch, player: PlayerId, kind: str, promise: bytes) -> Acknowledgement:
        acknowledgement = self._shoe_logs.acknowledge(table, player, kind, promise, self._commits.now())
        if kind == PROMISE and (pending := self._pending(table)) and pending.cut.phase is Phase.REVEALS:
            self._set_deadline(table)  # where one player cuts, his promise opens the time to reveal
        await self._write(table, batch)
        self._event(table).set()
        return acknowledgement

    def _on_committed(self, news: TableNews) -> None:
        self._start_task(news.table)
        self._event(news.table).set()

    def _event(self, table: str) -> asyncio.Event:
        return self._changes.setdefault(table, asyncio.Event())

    def _start_task(self, name: str) -> None:
        live = self._tables.get(name)
        if live is None or live.table.closing is not None:
            if task := self._tasks.get(name):
                task.cancel()  # nobody will cut this shoe: its table closes
            return
        table = live.table
        if self._closed or name in self._tasks or not lacks_shoe(table) or (self._source.failure and table.shoe):
            return
        task = asyncio.create_task(self._serve(name), name=f"ventuno-shoe-{name}")
        self._tasks[name] = task
        task.add_done_callback(lambda done: self._finish_task(name, done))

    def _finish_task(self, name: str, task: asyncio.Task[None]) -> None:
        self._tasks.pop(name, None)
        if task.cancelled():
            return
        if (fault := task.exception()) is None:
            self._start_task(name)
        elif not isinstance(fault, StoreFailed):
            _log.error("no shoe for %s", name, exc_info=fault)

    async def _serve(self, name: str) -> None:
        try:
            while lacks_shoe(self._tables[name].table):
                live = self._tables[name]
                await (self._load_practice_shoe(live) if live.practice else self._make_shoe(name))
        except RandomnessFailed as fault:
            await self._stop_table(name, str(fault))

    async def _stop_table(self, name: str, reason: str) -> None:
        """R-27: no card is dealt from a generator that failed; a shoe that was sealed before is played to its end."""
        if not self._failure_recorded:
            self._failure_recorded = True
            await self._commits.write(Batch(records=self._audit.write(self._commits.now(), ChanceFailed(reason))))
        table = self._tables[name].table
        if table.shoe or table.pause:
            return
        await self._ask(name, Pause(BY, FAILED, 0), f"chance:{self._tables[name].version}")

    async def load_chosen_cards(self, name: str, chosen: tuple[Card, ...]) -> None:
        """The first shoe of a practice table: these cards on top of all others of its decks (X-08)."""
        await self._load_practice_shoe(self._tables[name], chosen)

    async def _load_practice_shoe(self, live: LiveTable, chosen: tuple[Card, ...] = ()) -> None:
        """The same generator and shuffle as in play (R-22); nothing is committed."""
        sheet = live.table.sheet
        stream = Stream(HmacDrbg.fresh(self._source, f"ventuno/practice/1/{live.table.id}/{live.version}".encode()))
        cards = chosen + shuffle(practice.list_rest(sheet, chosen), stream.below)
        least, most = cut_window(sheet)
        drawn = least + stream.below(most - least + 1)
        cut_card = practice.place_cut(sheet, len(chosen), drawn)
        await self._ask(live.table.id, LoadShoe(cards, cut_card, 0, stacked=bool(chosen)), f"shoe:{live.version}")

    async def _make_shoe(self, name: str) -> None:
        """One shoe from the seal to the table; goes on where a crash left it. With a table that closes its shoe is
        discarded and opened (`ShoeLogs.record_table_events`).
        """
        pending = self._pending(name)
        if pending is None:
            await self._commit_shoe(name)
        pending = self._pending(name)
        if pending and pending.entropy is None:
            await self._collect_entropy(name)
            signature = await self._await_beacon(pending.cut.commitment)
            if self._tables[name].table.closing is not None:
                return
            pending = self._pending(name)
            supplied = b"" if signature or (pending and pending.cut.reveals) else self._source.draw(cut.ENTROPY)
            sheet = self._tables[name].table.sheet
            await self._write(name, self._shoe_logs.close(name, sheet, supplied, self._commits.now(), signature))
        table = self._tables[name].table
        if pending is None or table.closing is not None:
            return
        await self._ask(name, self._proofs.make_load_command(name, table.sheet), f"shoe:{table.shoes + 1}")

    def _pending(self, name: str) -> PendingShoe | None:
        """The shoe that was committed and is not on the table yet."""
        pending = self._shoe_logs.get_log(name).pending
        loaded = self._tables[name].table.shoes
        return pending if pending and pending.cut.commitment.shoe > loaded else None

    async def _commit_shoe(self, name: str) -> None:
        while not (seated := list_seated(self._tables[name].table)):
            await self._wait_for_change(name, None)
        players = tuple(player for player in seated if not self._is_house_run(player))
        table = self._tables[name].table
        previous = self._shoe_logs.get_log(name).previous
        async with self._drawing:
            shoe, commitment = await asyncio.to_thread(seal, self._source, table.sheet, name, table.shoes + 1, previous)
        if self._tables[name].table.closing is not None:
            return
        solo = table.sheet.game.solo
        if self._beacon and not solo:
            named = self._beacon.name_round(self._commits.now() + BEACON_LEAD)
            commitment = replace(commitment, beacon=named)
        self._set_deadline(name)
        await self._write(name, self._shoe_logs.commit(commitment, shoe, players, solo, self._commits.now()))

    async def _collect_entropy(self, name: str) -> None:
        """Promises, then reveals, each with its time; at a table for one the player's bytes alone."""
        log = self._shoe_logs.get_log(name)
        assert log.pending is not None
        if log.pending.cut.phase is Phase.PROMISES:
            await self._wait(name, lambda pending: pending.cut.is_answered)
        if log.pending.cut.phase is Phase.PROMISES:
            self._set_deadline(name)
            await self._write(name, self._shoe_logs.end_promises(name, self._commits.now()))
        await self._wait(name, lambda pending: len(pending.cut.reveals) >= count_expected(pending))

    async def _await_beacon(self, commitment: Commitment) -> bytes:
        """The signature of the round that was named, waited for until it is due and a little longer; empty where it
        does not come: the shoe is then cut by its players alone, and shows what is missing.
        """
        if commitment.beacon is None or self._beacon is None:
            return b""
        return await self._beacon.fetch(commitment.beacon, self._commits.clock)

    def _set_deadline(self, name: str) -> None:
        """When the wait that now begins will end: said with the status that opens it."""
        self._deadlines[name] = self._commits.now() + self._seconds * 1000

    async def _wait(self, name: str, done: Callable[[PendingShoe], bool]) -> None:
        """What comes before the deadline is taken, and part of the cut."""
        deadline, log = self._deadlines[name], self._shoe_logs.get_log(name)
        while log.pending and not done(log.pending) and self._commits.now() < deadline:
            await self._wait_for_change(name, deadline)

    async def _wait_for_change(self, name: str, deadline: int | None) -> None:
        """Until something moves at the table, or the time is up."""
        event = self._event(name)
        event.clear()
        waits: list[asyncio.Task[Any]] = [asyncio.create_task(event.wait())]
        if deadline is not None:
            waits.append(asyncio.create_task(self._commits.clock.until(deadline)))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in waits:
                task.cancel()

    async def _ask(self, name: str, command: Command, key: str) -> None:
        answer = await self._host.ask(Request(name, command, f"{name} {key}"))
        if answer.refused:
            raise RuntimeError(f"{name}: {type(command).__name__} was refused: {answer.refused} {answer.numbers}")

    async def _write(self, table: str, batch: Batch) -> None:
        """What is known of the shoe with this batch is shown when it is durable, and no more than that."""
        news = self._make_status(table)
        await self._commits.write(batch)
        self._publish(news)

    def _make_status(self, table: str) -> ShoeStatus | None:
        log = self._shoe_logs.logs.get(table)
        if log is None or log.pending is None:
            return None
        if log.pending.entropy is None:
            signed = self._shoe_logs.sign_promises(table)
            return make_status(table, log.pending)._replace(
                deadline=self._deadlines[table], promises=signed.to_dict() if signed else None
            )
        return make_status(table, log.pending)._replace(receipt=log.receipt.to_dict() if log.receipt else None)

    def _publish(self, news: ShoeStatus | None) -> None:
        if news:
            self._statuses[news.table] = news
            for watcher in self._watchers:
                watcher(news)


def lacks_shoe(table: Table) -> bool:
    """Whether the house has a shoe to bring: where cards are scanned the dealer has it (X-27)."""
    lacks = table.shoe is None or (table.spare is None and table.sheet.shoe.sets > 1)
    return lacks and table.studio is None and table.pause is None and table.closing is None


def count_expected(pending: PendingShoe) -> int:
    at_once = pending.cut.solo and pending.cut.commitment.version == OLDEST
    return 1 if at_once else len(pending.cut.promises)


def make_status(table: str, pending: PendingShoe) -> ShoeStatus:
    cut_state = pending.cut
    phase = "cut" if pending.entropy else str(cut_state.phase)
    return ShoeStatus(
        table,
        cut_state.commitment.to_dict(),
        phase,
        cut_state.players,
        tuple(cut_state.promises),
        tuple(cut_state.reveals),
    )
