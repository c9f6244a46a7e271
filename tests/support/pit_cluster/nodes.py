"""Nodes of a house of pits with a broker between them: as tasks of the test, or as processes that may be killed.

python -m tests.support.pit_cluster.nodes DATABASE BROKER NODE PIT,PIT,…     one node, until SIGTERM
"""

from __future__ import annotations

import asyncio
import logging
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import asyncpg

from tests.support.kept_units import KEY
from tests.support.patience import PATIENCE
from tests.support.pit_cluster.books import Place, make_game
from tests.support.pit_cluster.players import PitPlayer, TableReader
from ventuno.core.table import pace
from ventuno.house.pits.pit_node import PitNode
from ventuno.house.pits.placement import PitNumber
from ventuno.house.store import schema
from ventuno.web.doors.broker import Broker, Subjects
from ventuno.web.doors.pit_asker import PitAsker
from ventuno.web.doors.pit_post import PitPost
from ventuno.web.operations.settings import Settings

SUBJECTS = Subjects("pits")


def make_broker(url: str, name: str) -> Broker:
    return Broker(Settings(broker=url), name)


class RunningNode:
    """A node in this process."""

    def __init__(self, database: str, broker: str, name: str, pits: Iterable[PitNumber]) -> None:
        self.broker = make_broker(broker, name)
        self.post = PitPost(self.broker, SUBJECTS, name)
        version = f"test/{schema.REVISION}"
        self.node = PitNode(database, name, KEY, version, self.post, make_game(), pits=pits, unsafe=True)
        self.task = asyncio.create_task(self._run())

    async def _run(self) -> None:
        async with self.broker:
            await self.broker.connected.wait()
            await self.node.run()

    @property
    def pits(self) -> set[PitNumber]:
        return set(self.node.owners)

    async def stop(self) -> None:
        self.node.stop()
        await asyncio.wait_for(self.task, PATIENCE)


@asynccontextmanager
async def run_nodes(
    database: str, broker: str, names: Iterable[str], pits: Iterable[PitNumber]
) -> AsyncIterator[list[RunningNode]]:
    pits = list(pits)
    nodes = [RunningNode(database, broker, name, pits) for name in names]
    try:
        yield nodes
    finally:
        for node in nodes:
            node.node.stop()
        await asyncio.wait_for(asyncio.gather(*(node.task for node in nodes), return_exceptions=True), PATIENCE)


class NodeProcess:
    """A node in a process of its own."""

    def __init__(self, database: str, broker: str, name: str, pits: Iterable[PitNumber], log: Path) -> None:
        listed = ",".join(map(str, pits))
        self._line = [sys.executable, "-m", "tests.support.pit_cluster.nodes", database, broker, name, listed]
        self.name, self._log = name, log
        self.start()

    def start(self) -> None:
        with self._log.open("ab") as log:
            self.process = subprocess.Popen(self._line, stdout=log, stderr=log)

    def send(self, which: signal.Signals) -> None:
        self.process.send_signal(which)

    def wait(self) -> int:
        return self.process.wait(PATIENCE)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)


@asynccontextmanager
async def open_players(database: str, broker: str, places: Iterable[Place]) -> AsyncIterator[list[PitPlayer]]:
    """Players with one connection to the broker, as a door has them."""
    line = make_broker(broker, "door")
    asker = PitAsker(line, SUBJECTS)
    pool = await asyncpg.create_pool(database, min_size=1, max_size=2)
    try:
        async with line:
            await line.connected.wait()
            yield [PitPlayer(place.player, place.table, asker, TableReader(pool)) for place in places]
    finally:
        pool.terminate()


async def play(players: Iterable[PitPlayer], is_over: Callable[[], bool]) -> None:
    """All of them, one thing after the other each, until it is over."""

    async def go_on(player: PitPlayer) -> None:
        while not is_over():
            await player.step()
            await asyncio.sleep(0.005)

    await asyncio.gather(*map(go_on, players))


async def wait_for(what: Callable[[], object], seconds: float = PATIENCE) -> float:
    """Until it is so; gives how long that took."""
    began = time.monotonic()
    async with asyncio.timeout(seconds):
        while not what():
            await asyncio.sleep(0.01)
    return time.monotonic() - began


def quicken() -> None:
    """Cards take no time to be shown."""
    pace.CARD = 5


async def run_alone(database: str, broker: str, name: str, pits: str) -> None:
    node = RunningNode(database, broker, name, map(int, pits.split(",")))
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, node.node.stop)
    await node.task


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    quicken()
    asyncio.run(run_alone(*sys.argv[1:5]))
