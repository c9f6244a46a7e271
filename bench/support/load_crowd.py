"""Players and watchers of every table under load: each table plays rounds, each arrival finds something to do.

Arrivals come when they come (open loop): decisions that somebody waits for go first, then chips on tables that take
bets. Where a table is not free yet the arrival waits, and its latency runs from the moment it was meant for.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter, deque
from typing import Any, NamedTuple

from bench.support.load_table import LoadTable, Member

TRIES = 16
"""Players that are asked in turn for one who may send."""


class Asked(NamedTuple):
    intended: float
    sent: float
    member: Member
    key: str
    command: dict[str, Any]
    is_public: bool


class LoadCrowd:
    """All tables, what was asked of them and what came of it."""

    def __init__(self, seed: int = 0) -> None:
        self.loop = asyncio.get_running_loop()
        self.chance = random.Random(seed)
        self.tables: list[LoadTable] = []
        self.asked: dict[str, Asked] = {}
        self.acknowledged: list[str] = []
        """Keys, as the store has them, of everything that was answered with yes."""
        self.seen_by_all: list[float] = []
        """Seconds from the intended moment of an act to its last watcher."""
        self.answers: list[float] = []
        """Seconds from the intended moment to the answer; whoever finds everybody waiting has waited already."""
        self.waits: list[float] = []
        """Seconds from the sending of a message to its answer."""
        self.refused: Counter[str] = Counter()
        self.heard: Counter[str] = Counter()
        self.frames = self.bytes = self.sent = 0
        self.serial = 0
        self.unplaced = 0
        """Arrivals for which no table was free until the end."""
        self.quiet = False
        """Rounds end and none begins."""
        self._offered: deque[LoadTable] = deque()
        self._in_line: set[LoadTable] = set()
        self._betting: list[LoadTable] = []
        self._backlog: deque[float] = deque()

    def takes_bets(self, table: LoadTable, does: bool) -> None:
        if does:
            self._betting.append(table)
        elif table in self._betting:
            self._betting.remove(table)

    def offer(self, table: LoadTable) -> None:
        if table not in self._in_line:
            self._in_line.add(table)
            self._offered.append(table)
        while self._backlog and self._do_next(self._backlog[0]):
            self._backlog.popleft()

    def arrive(self, intended: float) -> None:
        if self._backlog or not self._do_next(intended):
            self._backlog.append(intended)

    def _do_next(self, intended: float) -> bool:
        while self._offered:
            table = self._offered.popleft()
            self._in_line.discard(table)
            if act := table.act():
                table.busy = act[2]
                self.ask(intended, *act)
                if not act[2]:
                    self.loop.call_soon(self.offer, table)
                return True
        if not self._betting or self.quiet:
            return False
        for _ in range(TRIES):
            table = self.chance.choice(self._betting)
            member = self.chance.choice(table.players)
            if member.box not in table.done and member.may_send():
                self.ask(intended, member, table.chip(member), False)
                return True
        return False

    def ask(self, intended: float, member: Member, command: dict[str, Any], is_public: bool) -> str:
        self.serial += 1
        id = f"a{self.serial}"
        key = f"load-{self.serial:08d}"
        self.asked[id] = Asked(intended, time.perf_counter(), member, key, command, is_public)
        self.sent += 1
        member.waiting += 1
        member.send({"type": "ask", "id": id, "table": member.table.name, "key": key, "command": command})
        return id

    def answered(self, told: dict[str, Any]) -> None:
        asked = self.asked.pop(told["id"], None)
        if asked is None:
            self.heard["cut"] += 1
            return
        now = time.perf_counter()
        self.answers.append(now - asked.intended)
        self.waits.append(now - asked.sent)
        table, member = asked.member.table, asked.member
        member.waiting -= 1
        if no := told["refused"]:
            self.refused[no["code"]] += 1
            table.busy = table.busy and not asked.is_public
            if no["code"] == "HouseBusy":
                table.not_done(member, asked.command)
            self.loop.call_later(0.5, table.look)
            return
        self.acknowledged.append(f"ask:{member.player} {asked.key}")
        if asked.is_public:
            table.answered(told["version"], asked.intended)

    @property
    def closed(self) -> dict[int, int]:
        """Sockets that were closed, by code."""
        return dict(Counter(one.wire.closed for table in self.tables for one in table.members if one.wire.closed))

    async def run(self, rate: float, seconds: float) -> None:
        """Arrivals drawn beforehand, whatever comes of them."""
        gaps, at = [], self.chance.expovariate(rate)
        while at < seconds:
            gaps.append(at)
            at += self.chance.expovariate(rate)
        began = time.perf_counter()
        for number, one in enumerate(gaps):
            if (wait := began + one - time.perf_counter()) > 0 or number % 16 == 0:
                await asyncio.sleep(max(wait, 0))
            self.arrive(began + one)
        if (wait := began + seconds - time.perf_counter()) > 0:
            await asyncio.sleep(wait)

    async def play_out(self, seconds: float) -> float:
        """End the rounds that are open, at most for so long; how long it took until every table took bets."""
        self.quiet, began = True, time.perf_counter()
        while len(self._betting) < len(self.tables) and time.perf_counter() - began < seconds:
            while self._do_next(time.perf_counter()):
                pass
            await asyncio.sleep(0.02)
        self.quiet = False
        return time.perf_counter() - began

    def leave(self) -> None:
        """Everybody goes."""
        for member in [one for table in self.tables for one in table.members]:
            member.wire.close()

    async def drained(self, seconds: float) -> bool:
        """Whether everything that was asked is answered, and seen by all, within so many seconds."""
        until = time.perf_counter() + seconds
        self.unplaced += len(self._backlog)
        self._backlog.clear()
        while self.asked or any(table.unseen for table in self.tables):
            if time.perf_counter() > until:
                return False
            await asyncio.sleep(0.02)
        return True
