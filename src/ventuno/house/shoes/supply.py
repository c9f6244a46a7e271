"""Brings shoes to tables: sealed from fresh entropy, committed before bets open, cut by players, loaded (R-20…R-28).

A table for one gets a shoe for every round, cut by its owner; a shared table gets one when somebody sits there, cut by
those who do. Who does not answer in time is flagged; where nobody does the house adds bytes of its own, and says so.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from ventuno.core.messages.commands import Command, LoadShoe, Pause
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import pack
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.shoes import cut_window
from ventuno.core.table.state import Table
from ventuno.house.history.audit import Audit, ChanceFailed
from ventuno.house.shoes import cut
from ventuno.house.shoes.bonus_draws import Draws
from ventuno.house.shoes.commitment import seal
from ventuno.house.shoes.cut import Phase
from ventuno.house.shoes.drbg import HmacDrbg
from ventuno.house.shoes.entropy import EntropySource, RandomnessFailed
from ventuno.house.shoes.live_proofs import LiveProofs
from ventuno.house.shoes.shoe_log import Provenance
from ventuno.house.shoes.shoe_log_records import Making
from ventuno.house.shoes.shuffle import Stream, shuffled
from ventuno.house.store.records import Batch
from ventuno.house.store.store import StoreFailed
from ventuno.house.tables.live_table import Room
from ventuno.house.tables.requests import Request
from ventuno.house.tables.table_host import House, News

SECONDS = 5
"""How long players have to promise, and again to reveal."""
BY, FAILED = "house", "the generator of cards has failed"
_log = logging.getLogger(__name__)


class ShoeNews(NamedTuple):
    """What everybody may know of the shoe that is being made: what was committed, what is asked of whom until when."""

    table: str
    commitment: dict[str, Any]
    phase: str
    players: tuple[PlayerId, ...]
    promised: tuple[PlayerId, ...]
    revealed: tuple[PlayerId, ...]


@dataclass(frozen=True, slots=True)
class FreshDraws:
    """Outcomes of the Link bonus: each spin from a generator of its own on fresh entropy, as every shoe (R-21)."""

    source: EntropySource

    def filled(self, room: Room, command: Any) -> Command:
        name = f"ventuno/draws/1/{room.table.id}/{room.version}".encode()
        return Draws(Stream(HmacDrbg.fresh(self.source, name)).below).filled(room, command)


class Shoemaker:
    """Makes shoes as long as the house is open; one at a time for each table."""

    def __init__(
        self,
        house: House,
        provenance: Provenance,
        live: LiveProofs,
        audit: Audit,
        source: EntropySource,
        seconds: int = SECONDS,
    ) -> None:
        self._house, self._provenance, self._audit, self._source = house, provenance, audit, source
        self._live, self._seconds = live, seconds
        self._making: dict[str, asyncio.Task[None]] = {}
        self._moved: dict[str, asyncio.Event] = {}
        self._watchers: list[Callable[[ShoeNews], None]] = []
        self._shown: dict[str, ShoeNews] = {}
        self._drawing = asyncio.Lock()
        self._closed = self._told_failure = False

    def serve(self, table: str) -> None:
        """Take care of a table from now on."""
        self._house.watch(table, self._look)
        self._show(self._newest(table))
        self._begin(table)

    def watch(self, watcher: Callable[[ShoeNews], None]) -> None:
        self._watchers.append(watcher)

    def news(self, table: str) -> ShoeNews | None:
        """The newest shoe of a table, in the making or cut."""
        return self._shown.get(table)

    async def promise(self, table: str, player: PlayerId, digest: bytes) -> Refusal | None:
        return await self._taken(table, self._provenance.promise(table, player, digest, self._house.now()))

    async def reveal(self, table: str, player: PlayerId, entropy: bytes) -> Refusal | None:
        return await self._taken(table, self._provenance.reveal(table, player, entropy, self._house.now()))

    async def stop(self) -> None:
        self._closed, tasks = True, list(self._making.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _taken(self, table: str, outcome: Batch | Refusal) -> Refusal | None:
        if isinstance(outcome, Refusal):
            return outcome
        await self._written(table, outcome)
        self._event(table).set()
        return None

    def _look(self, news: News) -> None:
        self._begin(news.table)
        self._event(news.table).set()

    def _event(self, table: str) -> asyncio.Event:
        return self._moved.setdefault(table, asyncio.Event())

    def _begin(self, name: str) -> None:
        room = self._house.authority.rooms.get(name)
        if room is None or room.table.closing is not None:
            if task := self._making.get(name):
                task.cancel()  # nobody will cut this shoe: its table closes
            return
        table = room.table
        if self._closed or name in self._making or not lacks_shoe(table) or (self._source.failed and table.shoe):
            return
        task = asyncio.create_task(self._serve(name), name=f"ventuno-shoe-{name}")
        self._making[name] = task
        task.add_done_callback(lambda done: self._ended(name, done))

    def _ended(self, name: str, task: asyncio.Task[None]) -> None:
        self._making.pop(name, None)
        if task.cancelled():
            return
        if (fault := task.exception()) is None:
            self._begin(name)
        elif not isinstance(fault, StoreFailed):
            _log.error("no shoe for %s", name, exc_info=fault)

    async def _serve(self, name: str) -> None:
        try:
            while lacks_shoe(self._house.authority.rooms[name].table):
                room = self._house.authority.rooms[name]
                await (self._practice(room) if room.practice else self._make(name))
        except RandomnessFailed as fault:
            await self._stop_table(name, str(fault))

    async def _stop_table(self, name: str, reason: str) -> None:
        """R-27: no card is dealt from a generator that failed; a shoe that was sealed before is played to its end."""
        if not self._told_failure:
            self._told_failure = True
            await self._house.write(Batch(records=self._audit.note(self._house.now(), ChanceFailed(reason))))
        table = self._house.authority.rooms[name].table
        if table.shoe or table.pause:
            return
        await self._ask(name, Pause(BY, FAILED, 0), f"chance:{self._house.authority.rooms[name].version}")

    async def _practice(self, room: Room) -> None:
        """The same generator and shuffle as in play (R-22); nothing is committed."""
        sheet = room.table.sheet
        stream = Stream(HmacDrbg.fresh(self._source, f"ventuno/practice/1/{room.table.id}/{room.version}".encode()))
        cards = shuffled(pack(sheet.shoe.decks), stream.below)
        least, most = cut_window(sheet)
        await self._ask(
            room.table.id, LoadShoe(cards, least + stream.below(most - least + 1), 0), f"shoe:{room.version}"
        )

    async def _make(self, name: str) -> None:
        """One shoe from the seal to the table; goes on where a crash left it."""
        making = self._pending(name)
        if making is None:
            await self._commit(name)
        making = self._pending(name)
        if making and making.entropy is None:
            await self._collect(name)
            making = self._pending(name)
            supplied = b"" if making and making.cut.reveals else self._source.draw(cut.ENTROPY)
            sheet = self._house.authority.rooms[name].table.sheet
            await self._written(name, self._provenance.close(name, sheet, supplied, self._house.now()))
        table = self._house.authority.rooms[name].table
        await self._ask(name, self._live.arranged(name, table.sheet), f"shoe:{table.shoes + 1}")

    def _pending(self, name: str) -> Making | None:
        """The shoe that was committed and is not on the table yet."""
        making = self._provenance.trail(name).making
        loaded = self._house.authority.rooms[name].table.shoes
        return making if making and making.cut.commitment.shoe > loaded else None

    async def _commit(self, name: str) -> None:
        while not (players := seated(self._house.authority.rooms[name].table)):
            await self._until(name, None)
        table = self._house.authority.rooms[name].table
        previous = self._provenance.trail(name).previous
        async with self._drawing:
            shoe, made = await asyncio.to_thread(seal, self._source, table.sheet, name, table.shoes + 1, previous)
        solo = table.sheet.game.solo
        await self._written(name, self._provenance.commit(made, shoe, players, solo, self._house.now()))

    async def _collect(self, name: str) -> None:
        """Promises, then reveals, each with its time; at a table for one the player's bytes alone."""
        trail = self._provenance.trail(name)
        assert trail.making is not None
        if trail.making.cut.phase is Phase.PROMISES:
            await self._wait(name, lambda held: len(held.cut.promises) == len(held.cut.players))
            await self._written(name, self._provenance.end_promises(name, self._house.now()))
        if trail.making.cut.solo or trail.making.cut.promises:
            await self._wait(name, lambda held: len(held.cut.reveals) == expected(held))

    async def _wait(self, name: str, done: Callable[[Making], bool]) -> None:
        deadline = self._house.now() + self._seconds * 1000
        trail = self._provenance.trail(name)
        while trail.making and not done(trail.making) and self._house.now() < deadline:
            await self._until(name, deadline)

    async def _until(self, name: str, deadline: int | None) -> None:
        """Until something moves at the table, or the time is up."""
        event = self._event(name)
        event.clear()
        waits: list[asyncio.Task[Any]] = [asyncio.create_task(event.wait())]
        if deadline is not None:
            waits.append(asyncio.create_task(self._house.clock.until(deadline)))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for one in waits:
                one.cancel()

    async def _ask(self, name: str, command: Command, key: str) -> None:
        answer = await self._house.ask(Request(name, command, f"{name} {key}"))
        if answer.refused:
            raise RuntimeError(f"{name}: {type(command).__name__} was refused: {answer.detail}")

    async def _written(self, table: str, batch: Batch) -> None:
        """What is known of the shoe with this batch is shown when it is durable, and no more than that."""
        news = self._newest(table)
        await self._house.write(batch)
        self._show(news)

    def _newest(self, table: str) -> ShoeNews | None:
        trail = self._provenance.trails.get(table)
        return told(table, trail.making) if trail and trail.making else None

    def _show(self, news: ShoeNews | None) -> None:
        if news:
            self._shown[news.table] = news
            for watcher in self._watchers:
                watcher(news)


def lacks_shoe(table: Table) -> bool:
    lacks = table.shoe is None or (table.spare is None and table.sheet.shoe.sets > 1)
    return lacks and table.pause is None and table.closing is None


def seated(table: Table) -> tuple[PlayerId, ...]:
    """Who may cut: everybody who sits, once, in the order of the seats."""
    return tuple(dict.fromkeys(seat.player for seat in table.seats if seat))


def expected(making: Making) -> int:
    return 1 if making.cut.solo else len(making.cut.promises)


def told(table: str, making: Making) -> ShoeNews:
    held = making.cut
    phase = "cut" if making.entropy else str(held.phase)
    return ShoeNews(table, held.commitment.plain(), phase, held.players, tuple(held.promises), tuple(held.reveals))
