"""Players at live tables of a house of pits, who act at random moments at a steady rate and ask through `PitAsker`.

A table does one thing after the other: its players bet, wish to deal, stand, and now and then bring money from home or
take some home. What lies on the felt is read from the books behind everybody's back, a few times a round.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tests.support.pit_cluster.players import TableReader
from ventuno.core.games import insurance
from ventuno.core.messages.commands import Act, BringMoney, Command, DealNow, PlaceBet, Spot, TakeMoney, TakeSeat
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.legal import turn
from ventuno.core.table.round import INSURANCE, Action
from ventuno.core.table.state import BETTING, ROUND, Table
from ventuno.house.pits.asks import Ask
from ventuno.house.tables.authority import Answer
from ventuno.web.doors.pit_asker import PitAsker

BROUGHT, MOVED, STAKE = 20_000, 5_000, 500
MOVES = 0.1
"""How many of the players move money before a bet: to the table, or home."""
LOOK_AGAIN = 0.1
"""Seconds after which a table that waits for its clock is looked at again."""


class Tally(NamedTuple):
    """What came of the asks of one client."""

    latencies: list[float]
    """Seconds of each acknowledged ask."""
    refused: Counter[str]
    missed: int
    """Moments at which no table had anything to ask."""


class CrowdTable:
    """One live table with everybody who sits there."""

    def __init__(self, name: str, players: Iterable[PlayerId], reader: TableReader) -> None:
        self.name, self._players, self._reader = name, list(players), reader
        self._chance = random.Random(name)
        self._due: deque[Command] = deque()
        for box, player in enumerate(self._players, start=1):
            self._due += BringMoney(player, BROUGHT, 0), TakeSeat(player, box, 0)

    @property
    def is_opening(self) -> bool:
        return bool(self._due) and isinstance(self._due[-1], TakeSeat)

    def take_next(self) -> Command:
        return self._due.popleft()

    async def prepare(self) -> None:
        """Wait until there is something to ask."""
        while not self._due:
            self._due += self._choose(await self._reader.read(self.name))
            if not self._due:
                await asyncio.sleep(LOOK_AGAIN)

    def _choose(self, table: Table) -> Iterator[Command]:
        play = table.round
        if table.phase is BETTING and not any(slip.final for slip in table.slips.values()):
            for box, player in enumerate(self._players, start=1):
                yield from self._move_money(player, table.purse(player))
                yield PlaceBet(player, (Spot(box, "main"),), STAKE, 0)
            yield from (DealNow(player, 0) for player in self._players)
        elif table.phase is not ROUND or play is None:
            return
        elif play.stage is INSURANCE:
            yield from (Act(who, box.number, Action.DECLINE, 0) for who, box in insurance.waiting(play))
        elif now := turn(play):
            yield Act(now[0].player, now[0].number, Action.STAND, 0)

    def _move_money(self, player: PlayerId, purse: int) -> Iterator[Command]:
        if purse < STAKE or self._chance.random() < MOVES:
            yield TakeMoney(player, MOVED, 0) if purse > 2 * MOVED else BringMoney(player, MOVED, 0)


class Crowd:
    """The tables of one client process."""

    def __init__(self, tables: Iterable[CrowdTable], asker: PitAsker) -> None:
        self._tables, self._asker = list(tables), asker
        self._ready: deque[CrowdTable] = deque()
        self._tasks: set[asyncio.Task[None]] = set()
        self._number = 0
        self.clear()

    def clear(self) -> None:
        """Count from now on."""
        self._latencies: list[float] = []
        self._refused: Counter[str] = Counter()
        self._missed = 0

    @property
    def tally(self) -> Tally:
        return Tally(self._latencies, self._refused, self._missed)

    async def sit_down(self) -> None:
        async def open_table(table: CrowdTable) -> None:
            while table.is_opening:
                await self._ask(table)

        await asyncio.gather(*map(open_table, self._tables))
        if self._refused:
            raise RuntimeError(f"not everybody could sit down: {self._refused}")
        await asyncio.gather(*(self._make_ready(table) for table in self._tables))

    async def act(self, rate: float, is_over: asyncio.Event) -> None:
        """So many asks a second, at random moments, whatever the house does with them."""
        chance, due = random.Random(21), time.monotonic()
        while not is_over.is_set():
            await asyncio.sleep(max(due - time.monotonic(), 0))
            while due <= time.monotonic():
                due += chance.expovariate(rate)
                if self._ready:
                    self._start(self._step(self._ready.popleft()))
                else:
                    self._missed += 1
        await asyncio.gather(*self._tasks)

    async def _step(self, table: CrowdTable) -> None:
        await self._ask(table)
        await self._make_ready(table)

    async def _make_ready(self, table: CrowdTable) -> None:
        await table.prepare()
        self._ready.append(table)

    async def _ask(self, table: CrowdTable) -> None:
        self._number += 1
        body: Any = table.take_next()
        began = time.monotonic()
        answer = await self._asker.ask(Ask(f"ask:{table.name} {self._number}", body.player, body, table.name))
        if isinstance(answer, Answer) and not answer.refused:
            self._latencies.append(time.monotonic() - began)
        else:
            self._refused[answer.refused if isinstance(answer, Answer) else answer.code] += 1

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
