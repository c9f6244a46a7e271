"""A house on nodes: hosts, a door, a broker and a database of its own, under a crowd; owners are struck (T-3, T-7).

Every process is `ventuno serve` with its role, forked from one that has read the program. A host that was killed is
started again, as a supervisor of processes does. `cluster_faults` has what happens between the processes.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import httpx

from tests.support import crash_checks
from tests.support.free_port import free_port
from tests.support.house import certify
from tests.support.kill_runs import OPEN, SOON, UNLIMITED, KillRun
from tests.support.load_players import Player
from tests.support.patience import PATIENCE
from tests.support.server_process import ForkedServer, Plant
from ventuno.cli.main import main
from ventuno.house.config import KEY
from ventuno.house.store.signing_key import load_or_create

HOSTS = ("h1", "h2")
KILL, STOP, DRAIN, TERM = "kill", "stop", "drain", "term"
STRIKES = (KILL, STOP, DRAIN, TERM)
ASLEEP = 5.0
"""Seconds for which an owner stands still: longer than its lease, and than a take-over takes."""


class ClusterRun(KillRun):
    """A crowd at one door of a house on two hosts. `addresses` and `brokers` may name proxies for a node."""

    def __init__(
        self,
        folder: Path,
        database: str,
        broker: str,
        live: int,
        solo: int,
        *,
        seed: int = 0,
        plant: Plant | None = None,
        addresses: dict[str, str] | None = None,
        brokers: dict[str, str] | None = None,
        plants: dict[str, Plant | None] | None = None,
        unsafe: bool = True,
    ) -> None:
        super().__init__(folder, live, solo, seed=seed, plant=plant, database=database)
        self._broker, self._addresses, self._unsafe = broker, addresses or {}, unsafe
        self._brokers, self.plants = brokers or {}, plants or {}
        self.nodes: dict[str, ForkedServer] = {}
        self.node_ports = {node: free_port() for node in HOSTS}
        load_or_create(folder / KEY)
        for node in HOSTS:
            shutil.copytree(certify(folder) / "certificates", folder / node / "certificates")
            shutil.copy(folder / KEY, folder / node / KEY)

    async def start_node(self, node: str) -> None:
        broker = self._brokers.get(node, self._broker)
        shared = {**UNLIMITED, "VENTUNO_NODE": node, "VENTUNO_BROKER": broker, "VENTUNO_DOORS": "0"}
        folder = self.folder / node
        folder.mkdir(exist_ok=True)
        if node in HOSTS:
            more = {"VENTUNO_ROLE": "host", "VENTUNO_TABLES": str(max(self._live, 1))}
            more |= {"VENTUNO_NODE_PORT": str(self.node_ports[node])}
            more |= {"VENTUNO_DATABASE": self._addresses.get(node, self.database)}
            more |= {"VENTUNO_UNSAFE": "true"} if self._unsafe else {}
        else:
            more = {"VENTUNO_ROLE": "door", "VENTUNO_PORT": str(self._port)}
        options, plant = ("--log-level", "info"), self.plants.get(node, self._plant)
        self.nodes[node] = await asyncio.to_thread(ForkedServer, folder, *options, plant=plant, **shared | more)

    async def _start(self) -> None:
        for node in (*HOSTS, "d1"):
            await self.start_node(node)
        self.house = self.nodes["d1"]
        await self._until(lambda: bool(self.find_owner()), "somebody owns the house")

    async def __aexit__(self, kind: type[BaseException] | None, fault: Any, trail: TracebackType | None) -> None:
        for node in self.nodes.values():
            if node.process.poll() is None:
                node.signal(signal.SIGCONT)
        await super().__aexit__(kind, fault, trail)
        for node in self.nodes.values():
            if node.process.poll() is None:
                node.process.kill()
            node.process.wait()

    def read_unit(self) -> tuple[str, int]:
        """Owner and epoch of the house, as the database has them."""
        with crash_checks.books(self.database) as books:
            rows = books.query("SELECT node, epoch FROM pits WHERE pit = 0")
        return (str(rows[0][0]), int(rows[0][1])) if rows else ("", 0)

    async def read_metrics(self, node: str) -> dict[str, float]:
        """What a host tells of itself, by name and labels."""
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{self.node_ports[node]}") as client:
            answer = await client.get("/metrics")
        lines = [line.rpartition(" ") for line in answer.text.splitlines() if not line.startswith("#")]
        return {name: float(value) for name, _, value in lines}

    def find_owner(self) -> str:
        return self.read_unit()[0]

    def is_standing_by(self, node: str) -> bool:
        with crash_checks.books(self.database) as books:
            statement = "SELECT count(*) FROM pg_stat_activity WHERE application_name = ?"
            return bool(books.query(statement, (f"ventuno/{node}/spare",))[0][0])

    async def wait_until_ready(self) -> str:
        """Everybody plays and the other host stands by; gives the owner."""
        await self._until(lambda: all(player.is_back for player in self.players), "everybody is back")
        owner = self.find_owner()
        for node in HOSTS:
            if node != owner:
                await self._until(lambda node=node: self.is_standing_by(node), f"{node} stands by")
        return owner

    async def strike(self, how: str) -> None:
        """Do something to the owner, and wait until everybody plays on by the other host, on the same sockets."""
        owner = await self.wait_until_ready()
        await asyncio.sleep(self.chance.uniform(*SOON))
        await self._until(lambda: self._count_open() >= OPEN, "rounds are open")
        before = self.read_unit()
        resent = {player: player.resent for player in self.players}
        self._killed_at = time.monotonic()
        await self._hit(owner, how)
        self.found.pauses += await self._wait_for_tables(self._killed_at)
        await self._until(lambda: all(player.is_back for player in self.players), "everybody is back")
        self._note_strike(how, resent)
        if self.read_unit()[1] <= before[1]:
            self.found.faults.append(f"{how}: the epoch stayed {before[1]}")
        await self._mend(owner, how)

    async def _wait_for_tables(self, since: float) -> list[float]:
        """Seconds from then until each player was shown his table."""
        await self._until(lambda: min(one.shown_at for one in self.players) > since, "tables are shown")
        return [one.shown_at - since for one in self.players]

    def _note_strike(self, how: str, resent: Mapping[Player, int]) -> None:
        """Everybody goes on with all that was acknowledged, and on the socket that he had, where `resent` says so."""
        self.found.kills += 1
        self.found.parts[how] += 1
        if any(player.resent > before for player, before in resent.items()):
            self.found.faults.append(f"{how}: a socket was lost")
        self.found.faults += crash_checks.lost(self.database, self._acknowledged_since())

    async def roll(self, plant: Plant | None) -> None:
        """Another version host by host, the owner last, as an operator does; `plant` makes it of that version."""
        owner = await self.wait_until_ready()
        for node in sorted(HOSTS, key=lambda node: node == owner):
            self.plants[node] = plant
            if node == owner:
                await self.strike(TERM)
            else:
                self.nodes[node].signal(signal.SIGTERM)
                await self._mend(node, TERM)
        self.found.parts["upgrade"] += 1

    def find_voids(self) -> list[str]:
        with crash_checks.books(self.database) as books:
            return [f"round {row[0]} was voided" for row in books.query("SELECT code FROM rounds WHERE voided")]

    async def _drain(self, node: str, *more: str) -> None:
        await asyncio.to_thread(main, ["nodes", "drain", node, "--database", self.database, *more])

    async def _hit(self, owner: str, how: str) -> None:
        if how == DRAIN:
            await self._drain(owner)
        else:
            self.nodes[owner].signal({KILL: signal.SIGKILL, STOP: signal.SIGSTOP, TERM: signal.SIGTERM}[how])

    async def _mend(self, owner: str, how: str) -> None:
        """The struck host stands by again."""
        if how == STOP:
            await asyncio.sleep(max(self._killed_at + ASLEEP - time.monotonic(), 0.0))
            self.nodes[owner].signal(signal.SIGCONT)
        elif how == DRAIN:
            await self._drain(owner, "--undo")
        else:
            await asyncio.to_thread(self.nodes[owner].process.wait, PATIENCE)
            await self.start_node(owner)
        await self._until(lambda: self.is_standing_by(owner), f"{owner} stands by again")
        if how == STOP and self.nodes[owner].process.poll() is not None:
            self.found.faults.append("a host that stood still ended when it woke")

    async def close_nodes(self) -> None:
        """As an operator does: all of them."""
        for node in self.nodes.values():
            node.signal(signal.SIGTERM)
        for node in self.nodes.values():
            await asyncio.to_thread(node.process.wait, PATIENCE)

    async def judge(self) -> Any:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.close_nodes()
        for node in HOSTS:
            self.found.faults += [f"{node}: {line['event']}" for line in list_errors(self, node)]
        self.found.faults += self.find_voids()
        return await super().judge()


def read_log(run: ClusterRun, node: str) -> str:
    return (run.folder / node / "log").read_text()


def list_errors(run: ClusterRun, node: str) -> list[dict[str, Any]]:
    """What a node has logged that nobody foresaw: whatever is struck, there is nothing of it."""
    lines = [json.loads(line) for line in read_log(run, node).splitlines() if line.startswith("{")]
    return [line for line in lines if line["level"] in ("error", "critical")]
