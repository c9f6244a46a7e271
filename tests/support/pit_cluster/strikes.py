"""Several owners in processes of their own under play; one of them is killed, stands still and wakes, or leaves (T-3).

A process that ended is started again, as a supervisor of processes does: it gets its share of the pits back.
"""

from __future__ import annotations

import asyncio
import random
import signal
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg

from tests.support.patience import PATIENCE
from tests.support.pit_cluster.books import Place, list_pits, open_books
from tests.support.pit_cluster.checks import count_open, find_faults
from tests.support.pit_cluster.nodes import NodeProcess, open_players, play
from tests.support.pit_cluster.players import PitPlayer
from ventuno.house.pits.placement import choose_node, find_pit

KILL, STOP, TERM = "kill", "stop", "term"
STRIKES = (KILL, STOP, TERM)
ASLEEP = 5.0
"""Seconds for which an owner stands still: longer than its lease, and than a take-over takes."""
SOON = 1.0


class PitRun:
    """Open it with `open_run`; `strike` as often as wanted, `settle` at the end."""

    def __init__(self, folder: Path, database: str, broker: str, places: list[Place], names: tuple[str, ...]) -> None:
        self.database, self.places, self.pits = database, places, list_pits(places)
        self.nodes = {name: NodeProcess(database, broker, name, self.pits, folder / f"{name}.log") for name in names}
        self.players: list[PitPlayer] = []
        self.pauses: dict[str, list[float]] = {strike: [] for strike in STRIKES}
        """Seconds from each strike until every pit of the struck node had a new owner, by strike."""
        self.longest: dict[str, list[float]] = {strike: [] for strike in STRIKES}
        """The longest that a player waited for an answer around it."""
        self.faults: list[str] = []
        self._is_over = False

    async def read_owners(self) -> dict[int, tuple[str, int]]:
        """Node and epoch of each pit."""
        session = await asyncpg.connect(self.database)
        try:
            rows = await session.fetch("SELECT pit, node, epoch FROM pits WHERE node <> ''")
        finally:
            await session.close()
        return {find_pit(unit): (node, epoch) for unit, node, epoch in rows}

    async def wait_until_placed(self) -> None:
        """Until every pit is where placement wants it among the nodes that run."""
        wanted = {pit: choose_node(pit, self.nodes) for pit in self.pits}
        async with asyncio.timeout(PATIENCE):
            while {pit: owner[0] for pit, owner in (await self.read_owners()).items()} != wanted:
                await asyncio.sleep(0.05)

    async def go_on(self) -> None:
        """Until everybody has been answered again, twice."""
        before = {player: len(player.acknowledged) for player in self.players}
        async with asyncio.timeout(PATIENCE):
            while any(len(player.acknowledged) < before[player] + 2 for player in self.players):
                await asyncio.sleep(0.02)

    async def strike(self, how: str, name: str = "") -> None:
        """In the middle of transfers, where there are some within a second."""
        node = self.nodes[name or random.choice([*self.nodes])]
        await self.wait_until_placed()
        until = time.monotonic() + SOON
        while not await count_open(self.database) and time.monotonic() < until:
            pass
        before = await self.read_owners()
        for player in self.players:
            player.pauses.clear()
        began = time.monotonic()
        node.send({KILL: signal.SIGKILL, STOP: signal.SIGSTOP, TERM: signal.SIGTERM}[how])
        await self._wait_until_taken(before, node.name)
        self.pauses[how].append(time.monotonic() - began)
        if how == STOP:
            await asyncio.sleep(max(began + ASLEEP - time.monotonic(), 0.0))
            node.send(signal.SIGCONT)
        else:
            await asyncio.to_thread(node.wait)
            node.start()
        await self.go_on()
        self.longest[how].append(max(pause for player in self.players for pause in player.pauses))
        self.faults += [f"after {how}: {fault}" for fault in await find_faults(self.database, self.players)]

    async def _wait_until_taken(self, before: dict[int, tuple[str, int]], node: str) -> None:
        struck = {pit: epoch for pit, (owner, epoch) in before.items() if owner == node}
        async with asyncio.timeout(PATIENCE):
            while True:
                now = await self.read_owners()
                if all(pit in now and now[pit][1] > epoch for pit, epoch in struck.items()):
                    return
                await asyncio.sleep(0.01)

    async def settle(self) -> None:
        """Nobody asks any more; every transfer comes to its end."""
        self._is_over = True
        async with asyncio.timeout(PATIENCE):
            while await count_open(self.database):
                await asyncio.sleep(0.05)
        self.faults += [f"at the end: {fault}" for fault in await find_faults(self.database, self.players)]

    def count_done(self) -> Counter[str]:
        return sum((player.done for player in self.players), Counter())


@asynccontextmanager
async def open_run(
    folder: Path, database: str, broker: str, places: list[Place], names: tuple[str, ...] = ("h1", "h2", "h3")
) -> AsyncIterator[PitRun]:
    """A house under play, for as long as the block lasts."""
    await open_books(database, places)
    run = PitRun(folder, database, broker, places, names)
    try:
        async with open_players(database, broker, places) as run.players:
            playing = asyncio.create_task(play(run.players, lambda: run._is_over))
            try:
                await run.wait_until_placed()
                yield run
            finally:
                run._is_over = True
                await asyncio.wait_for(playing, PATIENCE)
    finally:
        for node in run.nodes.values():
            node.end()
