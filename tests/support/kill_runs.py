"""A house under a crowd, killed again and again at random moments, and looked at after each start (T-3)."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.support import crash_checks
from tests.support.door_processes import DoorProcesses
from tests.support.free_port import free_port
from tests.support.house import certify
from tests.support.load_players import Player, Sight
from tests.support.patience import PATIENCE
from tests.support.server_process import ForkedServer, Plant
from ventuno.house.application import Application
from ventuno.house.config import Config
from ventuno.sheets import GAMES, load

UNLIMITED = {
    "VENTUNO_SOCKETS_PER_ADDRESS": "6000",
    "VENTUNO_CALLS_PER_SECOND": "100000",
    "VENTUNO_ENTRIES_PER_MINUTE": "1000000",
}
"""A crowd comes from one address: what one address may do is raised."""
AT_ONCE = 16
"""Players that come in together at the start."""
SOON, LATE = (0.05, 1.2), (0.05, 3.0)
"""Seconds until a kill: after everybody is back, and after the house has opened, whoever is back."""
OPEN = 2
"""Rounds that a kill finds open, but for one in a hurry: players of a busy machine are slow to bet."""
HURRIED = 4
"""Every so many kills the house is not given the time to have everybody back."""


def shared_games() -> list[str]:
    return [game for game in GAMES if not load(game).game.solo]


def games_for_one() -> list[str]:
    return [game for game in GAMES if load(game).game.solo]


@dataclass
class Found:
    """What a siege has shown."""

    kills: int = 0
    acknowledged: int = 0
    rounds: int = 0
    resent: int = 0
    same_cards: int = 0
    finished: int = 0
    back: list[float] = field(default_factory=list)
    """Seconds from each kill to each player's table, less what the house waited for a processor."""
    wall: list[float] = field(default_factory=list)
    """The same by the wall's clock."""
    opening: list[float] = field(default_factory=list)
    pauses: list[float] = field(default_factory=list)
    """Seconds from the death of a host to the table as the next one shows it, for who kept his socket."""
    parts: Counter[str] = field(default_factory=Counter)
    """What was killed of a house with doors."""
    refusals: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


class KillRun:
    """Use it as an async context: the crowd comes in at its start and goes home at its end."""

    def __init__(
        self,
        folder: Path,
        live: int,
        solo: int,
        *,
        seed: int = 0,
        plant: Plant | None = None,
        database: str = "",
        doors: int = 0,
    ) -> None:
        self.folder, self.database = certify(folder), database or f"sqlite:///{folder / 'house.db'}"
        self.found, self.chance = Found(), random.Random(seed)
        self._plant, self._live, self._doors = plant, live, doors
        self._port = free_port()
        self._killed_at = 0.0
        self._came: dict[str, Sight] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self.house: ForkedServer
        self.players = list(self._cast(live, solo))

    def _cast(self, live: int, solo: int) -> Any:
        for game in shared_games():
            sheet = load(game)
            for number in range(1, live + 1):
                for box in range(1, sheet.seats.count + 1):
                    yield Player(self._port, game, f"{game.title()} {number}", box, self._back)
        for number in range(solo):
            games = games_for_one()
            yield Player(self._port, games[number % len(games)], "", 1, self._back)

    async def __aenter__(self) -> Self:
        await self._start()
        waiting = iter(self.players)

        async def come_in() -> None:
            for player in waiting:
                await player.enter()

        await asyncio.gather(*[come_in() for _ in range(AT_ONCE)])
        self._tasks = [asyncio.create_task(player.live()) for player in self.players]
        await self._until(lambda: all(player.is_back for player in self.players), "everybody sits")
        return self

    async def __aexit__(self, kind: type[BaseException] | None, fault: Any, trail: TracebackType | None) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.house.process.poll() is None:
            self.house.process.kill()
        self.house.process.wait()

    async def go_on(self, rounds: int = 1) -> None:
        """Until every player has seen so many more rounds of his settled."""
        before = [player.settled for player in self.players]
        wanted = {player: was + rounds for player, was in zip(self.players, before, strict=True)}
        try:
            await self._until(lambda: all(one.settled >= most for one, most in wanted.items()), f"{rounds} rounds more")
        except AssertionError as fault:
            stuck = [one.state() for one, most in wanted.items() if one.settled < most]
            raise AssertionError(f"{fault}: {len(stuck)} do not: {stuck[:5]}") from None

    async def kill(self, times: int) -> None:
        for number in range(times):
            if number % HURRIED == HURRIED - 1:
                await asyncio.sleep(self.chance.uniform(*LATE))
            else:
                await self._until(lambda: all(player.is_back for player in self.players), "everybody is back")
                await asyncio.sleep(self.chance.uniform(*SOON))
                await self._until(lambda: self._count_open() >= OPEN, "rounds are open")
            await self._kill_once()
        await self._until(lambda: all(player.is_back for player in self.players), "everybody is back")

    def _count_open(self) -> int:
        return sum(1 for sight in self._sights().values() if sight.phase == "round")

    async def _kill_once(self) -> None:
        self.house.signal(signal.SIGKILL)
        self._killed_at = time.monotonic()
        await asyncio.to_thread(self.house.process.wait)
        await asyncio.sleep(0)
        # what had arrived before the end is still read: only then is it known what was acknowledged
        await self._until(lambda: not any(player.is_back for player in self.players), "everybody has lost the line")
        before = self._sights()
        self._came = {}
        self.found.kills += 1
        await self._start()
        self.found.opening.append(time.monotonic() - self._killed_at)
        self._count_back()
        await self._until(lambda: len(self._came) == len(before), "every table is seen again")
        self._compare(before)
        self.found.faults += crash_checks.lost(self.database, self._acknowledged_since())

    async def kill_part(self, part: str) -> None:
        """Kill the host, its writer or a door of a house with doors, and wait until everybody is back by himself."""
        await self._until(lambda: all(player.is_back for player in self.players), "everybody is back")
        await asyncio.sleep(self.chance.uniform(*SOON))
        await self._until(lambda: self._count_open() >= OPEN, "rounds are open")
        processes = DoorProcesses(self.house.process.pid)
        host, doors = processes.host, processes.doors
        victim = {"host": host, "writer": processes.writer, "door": self.chance.choice(doors)}[part]
        self._killed_at = time.monotonic()
        os.kill(victim, signal.SIGKILL)
        if part == "door":
            await self._until(lambda: len(set(processes.doors) - {victim}) == len(doors), "a new door")
        else:
            await self._until(lambda: min(one.shown_at for one in self.players) > self._killed_at, "tables are shown")
            self.found.pauses += [one.shown_at - self._killed_at for one in self.players]
        await self._until(lambda: all(player.is_back for player in self.players), "everybody is back")
        self.found.kills += 1
        self.found.parts[part] += 1
        self.found.faults += crash_checks.lost(self.database, self._acknowledged_since())

    def _acknowledged_since(self) -> list[tuple[str, str]]:
        """What was acknowledged since the last look, by player and key."""
        found = [(one.me, key) for one in self.players for key, _ in islice(one.acknowledged, one.looked_at, None)]
        for player in self.players:
            player.looked_at = len(player.acknowledged)
        return found

    def _sights(self) -> dict[str, Sight]:
        """The newest sight that anybody had of each table."""
        newest: dict[str, Sight] = {}
        for player in self.players:
            if player.version >= 0:
                sight = player.sight()
                if player.table not in newest or newest[player.table].version < sight.version:
                    newest[player.table] = sight
        return newest

    def _back(self, player: Player) -> None:
        """A player sees his table again; the first of a table says what lies there."""
        self._came.setdefault(player.table, player.sight())
        if self._killed_at:
            self.found.wall.append(time.monotonic() - self._killed_at)
            if self.house.process.poll() is None:
                self._count_back()

    def _count_back(self) -> None:
        """Take off what the house waited for a processor. Who came before its start was noticed is counted then."""
        lost = waited(self.house.process.pid)
        self.found.back += [took - lost for took in self.found.wall[len(self.found.back) :]]

    def _compare(self, before: Mapping[str, Sight]) -> None:
        open_before = {table: sight for table, sight in before.items() if sight.phase == "round"}
        over = crash_checks.finished(self.database, [one.code for one in open_before.values()])
        for table, sight in open_before.items():
            after = self._came[table]
            if after.code == sight.code:
                self.found.same_cards += 1
                self.found.faults += crash_checks.changed(table, sight, after)
            elif sight.code in over:
                self.found.finished += 1
            else:
                self.found.faults.append(f"{table}: round {sight.code} was open, and is neither open nor finished")

    async def judge(self) -> Found:
        """Stop the house as an operator does, read its books to the last record, and judge every history."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.house.signal(signal.SIGTERM)
        await asyncio.to_thread(self.house.process.wait)
        found = self.found
        found.faults += crash_checks.lost(self.database, self._acknowledged_since())
        found.faults += crash_checks.unbalanced(self.database)
        found.faults += crash_checks.histories(self.database, self.players)
        application = await Application.open(self.database, self.folder, Config(accepted="a test"), deep=True)
        found.faults += application.host.authority.find_faults()
        await application.close()
        found.acknowledged = sum(len(player.acknowledged) for player in self.players)
        found.rounds = sum(player.settled for player in self.players)
        found.resent = sum(player.resent for player in self.players)
        for player in self.players:
            found.refusals.update(player.refusals)
        return found

    async def _start(self) -> None:
        more = {**UNLIMITED, "VENTUNO_PORT": str(self._port), "VENTUNO_TABLES": str(max(self._live, 1))}
        more |= {"VENTUNO_DATABASE": self.database, "VENTUNO_DOORS": str(self._doors)}
        options = ("--log-level", "warning")
        self.house = await asyncio.to_thread(ForkedServer, self.folder, *options, plant=self._plant, **more)

    async def _until(self, wanted: Any, what: str) -> None:
        until = time.monotonic() + PATIENCE
        while not wanted():
            for task in self._tasks:
                if task.done():
                    await task
            if time.monotonic() > until:
                raise AssertionError(f"in vain: {what}")
            await asyncio.sleep(0.01)


def waited(process: int) -> float:
    """Seconds for which a process was ready to run and had no processor: other work on the machine. 0 if unknown."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9
    except (OSError, IndexError):
        return 0.0


def percentile(values: Sequence[float], part: float) -> float:
    listed = sorted(values)
    return listed[min(int(len(listed) * part), len(listed) - 1)]
