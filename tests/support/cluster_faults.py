"""What happens between the processes of a house on nodes: lines that stand still, break, are late; a broker that is
started anew; a primary that is lost, and a standby promoted (T-7).
"""

from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.support.cluster_runs import HOSTS, ClusterRun
from tests.support.kill_runs import OPEN, SOON
from tests.support.nats import NatsServer
from tests.support.postgres import Cluster, ReplicatedServers
from tests.support.server_process import Plant
from tests.support.tcp_proxy import TcpProxy

DATABASE_SILENT, DATABASE_GONE, DATABASE_HALF = "database-silent", "database-gone", "database-half-open"
DATABASE_LATE = "database-late"
BROKER_SILENT, BROKER_GONE = "broker-silent", "broker-gone"
MACHINE_SILENT = "machine-silent"
"""Both at once: the machine has vanished without a word."""
DOOR_SILENT, DOOR_GONE, DOOR_KILL = "door-silent", "door-gone", "door-kill"
BROKER_RESTART = "broker-restart"
FOLLOWED = (DATABASE_SILENT, DATABASE_GONE, DATABASE_HALF, BROKER_SILENT, BROKER_GONE, MACHINE_SILENT)
"""Partitions of the owner, after which another host has the house."""
REPAIRED = (DOOR_SILENT, DOOR_GONE, BROKER_RESTART, DATABASE_LATE)
"""What everybody waits out: the owner need not change."""
PARTITIONS = (*FOLLOWED, *REPAIRED, DOOR_KILL)
AWAY = (0.2, 4.0)
"""Seconds for which a door has no broker, or there is none at all."""
PRIMARY, PRIMARY_ALONE = "primary", "primary-alone"
"""The primary is lost: out of the blue, or when its standbys have been away for a while."""
PROMOTIONS = (PRIMARY, PRIMARY_ALONE)
ALONE = 1.0
"""Seconds for which the primary has no standby before it is lost."""
LATE, LATE_SECONDS = 0.05, 2.0
"""Seconds that the database's answers take longer, each way, and for how long."""


class PartitionedRun(ClusterRun):
    """Every node reaches the database and the broker through a proxy of its own."""

    def __init__(
        self,
        folder: Path,
        database: str,
        server: Cluster,
        broker: NatsServer,
        live: int,
        solo: int,
        *,
        seed: int = 0,
        plant: Plant | None = None,
    ) -> None:
        super().__init__(folder, database, broker.url, live, solo, seed=seed, plant=plant)
        self._nats = broker
        self.databases = {node: TcpProxy(server.port) for node in HOSTS}
        self.ways = {node: TcpProxy(broker.port) for node in (*HOSTS, "d1")}
        self._server = server

    async def __aenter__(self) -> Self:
        for proxy in (*self.databases.values(), *self.ways.values()):
            await proxy.open()
        for node, proxy in self.databases.items():
            self._addresses[node] = self.database.replace(f":{self._server.port}/", f":{proxy.port}/")
        for node, proxy in self.ways.items():
            self._brokers[node] = f"nats://127.0.0.1:{proxy.port}"
        return await super().__aenter__()

    async def __aexit__(self, kind: type[BaseException] | None, fault: Any, trail: TracebackType | None) -> None:
        await super().__aexit__(kind, fault, trail)
        for proxy in (*self.databases.values(), *self.ways.values()):
            await proxy.close()

    async def close_nodes(self) -> None:
        """With the lines that were forgotten: no server would keep them for ever either."""
        await super().close_nodes()
        for proxy in self.databases.values():
            proxy.reset()

    async def strike(self, how: str) -> None:
        if how in REPAIRED:
            await self._interrupt(how)
        elif how == DOOR_KILL:
            await self._kill_door()
        else:
            await super().strike(how)

    async def _hit(self, owner: str, how: str) -> None:
        """The owner is cut off; it is not told where the line is silent."""
        match how:
            case "database-silent":
                self.databases[owner].stall()
            case "database-gone":
                self.databases[owner].refuse()
            case "database-half-open":
                self.databases[owner].lose_server_side()
            case "broker-silent":
                self.ways[owner].stall()
            case "broker-gone":
                self.ways[owner].refuse()
            case "machine-silent":
                self.ways[owner].stall()
                self.databases[owner].stall()
            case _:
                await super()._hit(owner, how)

    async def _mend(self, owner: str, how: str) -> None:
        """The line is there again. What was on its way comes late, or never; the host stands by either way."""
        if how not in FOLLOWED:
            await super()._mend(owner, how)
            return
        await asyncio.sleep(self.chance.uniform(*SOON))
        forgets = self.chance.random() < 0.5
        for proxy in (self.databases[owner], self.ways[owner]):
            mend(proxy, forgets=forgets and not proxy.flowing.is_set())
        await self._until(lambda: self.is_standing_by(owner), f"{owner} stands by again after {how}")
        if self.nodes[owner].process.poll() is not None:
            self.found.faults.append(f"{how}: {owner} ended")

    async def _interrupt(self, how: str) -> None:
        """Something that passes: everybody waits, keeps his socket and goes on."""
        owner = await self.wait_until_ready()
        await asyncio.sleep(self.chance.uniform(*SOON))
        await self._until(lambda: self._count_open() >= OPEN, "rounds are open")
        before = self.read_unit()
        resent = {player: player.resent for player in self.players}
        settled = {player: player.settled for player in self.players}
        self._killed_at = time.monotonic()
        if how == DATABASE_LATE:
            self.databases[owner].delay = LATE
            await asyncio.sleep(LATE_SECONDS)
            self.databases[owner].delay = 0.0
            if self.read_unit() != before:
                self.found.faults.append(f"{how}: {owner} lost the house")
        elif how == BROKER_RESTART:
            await asyncio.to_thread(self._nats.stop)
            await asyncio.sleep(self.chance.uniform(*AWAY))
            await asyncio.to_thread(self._nats.start)
        else:
            proxy = self.ways["d1"]
            proxy.stall() if how == DOOR_SILENT else proxy.refuse()
            await asyncio.sleep(self.chance.uniform(*AWAY))
            mend(proxy, forgets=False)
        heard = await self._wait_for_frames(time.monotonic())
        self.found.pauses += [] if how == DATABASE_LATE else heard  # nobody paused: it is a table's own rhythm
        await self._until(lambda: all(player.settled > settled[player] for player in self.players), "all play on")
        self._note_strike(how, resent)

    async def _kill_door(self) -> None:
        """Those at it come to the next one, with what was not answered; what was acknowledged stays."""
        await self.wait_until_ready()
        await asyncio.sleep(self.chance.uniform(*SOON))
        await self._until(lambda: self._count_open() >= OPEN, "rounds are open")
        self._killed_at = time.monotonic()
        self.nodes["d1"].signal(signal.SIGKILL)
        await asyncio.to_thread(self.nodes["d1"].process.wait)
        await self.start_node("d1")
        self.house = self.nodes["d1"]
        self.found.pauses += await self._wait_for_tables(self._killed_at)
        await self._until(lambda: all(player.is_back for player in self.players), "everybody is back")
        self._note_strike(DOOR_KILL, {})

    async def _wait_for_frames(self, since: float) -> list[float]:
        """Seconds from then until each player heard anything of the house."""
        heard: dict[Any, float] = {}

        def has_all() -> bool:
            for player in self.players:
                if player.heard_at > since:
                    heard.setdefault(player, player.heard_at - since)
            return len(heard) == len(self.players)

        await self._until(has_all, "everybody hears of the house")
        return list(heard.values())


class ReplicatedRun(ClusterRun):
    """The database is a primary and two standbys; the primary is lost, and a manager promotes who has most."""

    def __init__(
        self, folder: Path, name: str, servers: ReplicatedServers, broker: str, live: int, solo: int, **options: Any
    ) -> None:
        addresses = dict.fromkeys(HOSTS, servers.url(name))
        database = servers.servers[servers.primary].url(name)
        super().__init__(folder, database, broker, live, solo, addresses=addresses, **options)
        self._name, self._servers = name, servers
        self.since_promotion: list[float] = []

    async def strike(self, how: str) -> None:
        if how not in PROMOTIONS:
            await super().strike(how)
            return
        await self.wait_until_ready()
        await asyncio.sleep(self.chance.uniform(*SOON))
        await self._until(lambda: self._count_open() >= OPEN, "rounds are open")
        resent = {player: player.resent for player in self.players}
        lost = self._servers.primary
        if how == PRIMARY_ALONE:
            for standby in self._servers.standbys:
                await asyncio.to_thread(standby.stop)
            await asyncio.sleep(ALONE)
        self._killed_at = time.monotonic()
        await asyncio.to_thread(self._servers.lose_primary)
        if how == PRIMARY_ALONE:
            for standby in self._servers.standbys:
                await asyncio.to_thread(standby.start)
        promoted = await asyncio.to_thread(self._servers.promote)
        done = time.monotonic()
        self.database = promoted.url(self._name)
        self.found.pauses += await self._wait_for_tables(self._killed_at)
        self.since_promotion += [one.shown_at - done for one in self.players]
        await self._until(lambda: all(player.is_back for player in self.players), "everybody is back")
        self._note_strike(how, resent)
        await asyncio.to_thread(self._servers.rejoin, lost)


def mend(proxy: TcpProxy, *, forgets: bool) -> None:
    """A line that stood still goes on, or is forgotten and made anew."""
    if forgets:
        proxy.forget()
    proxy.resume()
    proxy.accept()
