"""Durable bets a second through the whole house: decided, chained, committed with their postings, then acknowledged.

Many players at many tables each wait for their own acknowledgement before the next bet. SQLite and PostgreSQL, both
with every sync on, beside what the same disk can do at all. The ledger holds old keys already, more than memory keeps:
each bet's key is looked up in the store before it is decided (I-4). Several short runs, because other work on the
machine slows them; the best counts, all are shown with the load and the raw rate of their moment. Exits 1 below a goal
(G-22).
"""

from __future__ import annotations

import asyncio
import os
import random
import sys
import tempfile
import time
from itertools import count
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.postgres import cluster
from ventuno.core.messages.commands import BringMoney, ClearBets, Command, LoadShoe, PlaceBet, Spot, TakeSeat
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import pack
from ventuno.core.table.ledger import Posting
from ventuno.core.table.shoes import cut_window
from ventuno.house.store.durability import open_store
from ventuno.house.store.records import Batch, Head, KeyRow, PostingRow, chain_events
from ventuno.house.tables.authority import Authority, LiveTable, Request
from ventuno.house.tables.bonus_draws import BonusDraws
from ventuno.house.tables.table_host import TableHost
from ventuno.sheets import load

GOALS = {"SQLite": 5_000, "PostgreSQL": 2_000}
BELL_SECONDS = 1.0
"""For all bets of the last second."""
TABLES, SEATS = 150, 7
BELL_TABLES = 500
SECONDS = 2.0
RUNS = 4
OLD_KEYS = 50_000
CHIPS = 5
SHEET = load("ventuno")
MONEY = 10**7


class Still:
    """A clock that stands: betting stays open for as long as the measure takes."""

    def now(self) -> int:
        return 1_790_000_000_000

    def steady(self) -> int:
        return 0

    async def sleep(self, _milliseconds: int, /) -> None:
        await asyncio.Event().wait()


class Unlimited:
    def refuses(self, _player: str, _added: int, _at: int, _raises: bool) -> Refusal | None:
        return None

    def add_round(self, _player: str, _staked: int, _returned: int, _at: int) -> None:
        return


async def shoes(room: LiveTable) -> LoadShoe:
    cards = list(pack(room.table.sheet.shoe.decks))
    random.shuffle(cards)
    return LoadShoe(tuple(cards), cut_window(room.table.sheet)[0], 0)


class Floor:
    """A house with its tables full and its players funded."""

    def __init__(self, house: TableHost, tables: int) -> None:
        self.house, self.tables = house, tables
        self._numbers = count()
        self.waits: list[float] = []
        self.bets = 0

    async def say(self, table: str, player: str, command: Command) -> None:
        answer = await self.house.ask(Request(table, command, f"{player}-{next(self._numbers)}", player))
        if answer.refused:
            raise RuntimeError(answer.refused)

    async def fill(self) -> None:
        await asyncio.gather(*[self.house.open_table(f"T{number}", SHEET) for number in range(self.tables)])
        players = [f"p{number}-{seat}" for number in range(self.tables) for seat in range(1, SEATS + 1)]
        records, _ = chain_events(Head(), "house", self.house.commits.now(), [("Funded", b"{}")])
        rows = [PostingRow("house", 1, f"player:{player}", MONEY, "", "") for player in players]
        rows.append(PostingRow("house", 1, "cashier", -MONEY * len(players), "", ""))
        self.house.authority.wallet.post([Posting(row.account, row.amount) for row in rows])
        await self.house.commits.write(Batch(records, tuple(rows)))
        await asyncio.gather(
            *[self.sit(f"T{one}", one, seat) for one in range(self.tables) for seat in range(1, SEATS + 1)]
        )

    async def sit(self, table: str, number: int, seat: int) -> None:
        player = f"p{number}-{seat}"
        await self.say(table, player, BringMoney(player, MONEY // 2, 0))
        await self.say(table, player, TakeSeat(player, seat, 0))

    async def bet(self, number: int, seat: int) -> None:
        player, began = f"p{number}-{seat}", time.perf_counter()
        await self.say(f"T{number}", player, PlaceBet(player, (Spot(seat, "main"),), 500, 0))
        self.waits.append(time.perf_counter() - began)
        self.bets += 1

    async def play(self, number: int, seat: int, until: float) -> None:
        player = f"p{number}-{seat}"
        while True:
            for _ in range(CHIPS):
                await self.bet(number, seat)
                if time.perf_counter() >= until:
                    return
            await self.say(f"T{number}", player, ClearBets(player, 0))


async def opened(url: str, tables: int) -> Floor:
    store = await open_store(url)
    old = [KeyRow(f"ask:old {number:x}", bytes(32), b"{}") for number in range(OLD_KEYS)]
    for start in range(0, OLD_KEYS, 5_000):
        await store.commit(Batch(keys=tuple(old[start : start + 5_000])))
    authority = Authority(Unlimited(), BonusDraws(random.randrange), {SHEET.hash: SHEET})
    floor = Floor(await TableHost.open(store, authority, {SHEET.hash: SHEET}, Still(), shoes), tables)
    await floor.fill()
    return floor


class Run(NamedTuple):
    """One measure: bets a second or seconds for the bell, the waits, CPU for each bet, and how the machine was."""

    result: float
    waits: list[float]
    cpu: float
    raw: float
    load: float


async def steady(url: str, folder: Path) -> list[Run]:
    """Every player bets, waits, bets again."""
    floor = await opened(url, TABLES)
    seats = [(number, seat) for number in range(TABLES) for seat in range(1, SEATS + 1)]
    runs = []
    for _ in range(RUNS):
        raw, load = syncs(folder), os.getloadavg()[0]
        floor.waits, floor.bets = [], 0
        began, spent = time.perf_counter(), time.process_time()
        await asyncio.gather(*[floor.play(number, seat, began + SECONDS) for number, seat in seats])
        rate = floor.bets / (time.perf_counter() - began)
        runs.append(Run(rate, sorted(floor.waits), (time.process_time() - spent) / floor.bets, raw, load))
    await floor.house.stop()
    return runs


async def bell(url: str, folder: Path) -> list[Run]:
    """All players bet at the same moment, as before the closing bell."""
    floor = await opened(url, BELL_TABLES)
    runs = []
    for _ in range(RUNS):
        raw, load = syncs(folder), os.getloadavg()[0]
        floor.waits, floor.bets = [], 0
        began, spent = time.perf_counter(), time.process_time()
        places = [(number, seat) for number in range(BELL_TABLES) for seat in range(1, SEATS + 1)]
        await asyncio.gather(*[floor.bet(number, seat) for number, seat in places])
        taken = time.perf_counter() - began
        runs.append(Run(taken, sorted(floor.waits), (time.process_time() - spent) / floor.bets, raw, load))
    await floor.house.stop()
    return runs


def syncs(folder: Path) -> float:
    """How often a second this disk makes one page durable."""
    file = os.open(folder / "raw", os.O_CREAT | os.O_WRONLY)
    os.write(file, bytes(1 << 20))
    os.fsync(file)
    began, done = time.perf_counter(), 0
    while time.perf_counter() - began < 0.3:
        os.pwrite(file, bytes(4096), done % 256 * 4096)
        os.fdatasync(file)
        done += 1
    os.close(file)
    return done / (time.perf_counter() - began)


async def create(url: str, names: list[str]) -> None:
    import asyncpg

    connection = await asyncpg.connect(url)
    for name in names:
        await connection.execute(f"CREATE DATABASE {name}")
    await connection.close()


def measured(name: str, urls: list[str], folder: Path) -> bool:
    runs = asyncio.run(steady(urls[0], folder))
    best = max(runs, key=lambda run: run.result)
    middle, late = (best.waits[len(best.waits) * part // 100] * 1000 for part in (50, 99))
    print(
        f"{name}: {best.result:,.0f} durable bets/s (goal {GOALS[name]:,}), {TABLES * SEATS:,} players at {TABLES} "
        f"tables, acknowledged in {middle:.0f} ms (median), {late:.0f} ms (99 %), {best.cpu * 1e6:.0f} us of CPU for "
        f"each; raw disk {best.raw:,.0f} fdatasync/s, load {best.load:.1f}"
    )
    print(f"  all runs: {', '.join(f'{run.result:,.0f}/s at load {run.load:.1f}' for run in runs)}")
    bells = asyncio.run(bell(urls[1], folder))
    first = min(bells, key=lambda run: run.result)
    print(
        f"{name}: closing bell of {len(first.waits):,} bets acknowledged in {first.result:.2f} s "
        f"(goal {BELL_SECONDS} s); "
        f"raw disk {first.raw:,.0f} fdatasync/s, load {first.load:.1f}"
    )
    print(f"  all runs: {', '.join(f'{run.result:.2f} s at load {run.load:.1f}' for run in bells)}")
    return judge(name, best.result, first.result)


def judge(name: str, rate: float, bell_seconds: float) -> bool:
    """Whether both goals are reached, and says so (G-22)."""
    reached = rate >= GOALS[name] and bell_seconds <= BELL_SECONDS
    print(f"{name}: G-22 {'reached' if reached else 'MISSED'}")
    return reached


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="ventuno-bench-") as folder:
        home = Path(folder)
        good = measured("SQLite", [f"sqlite:///{home}/steady.db", f"sqlite:///{home}/bell.db"], home)
        with cluster() as server:
            asyncio.run(create(server.url("postgres"), ["steady", "bell"]))
            good &= measured("PostgreSQL", [server.url("steady"), server.url("bell")], home)
    return int(not good)


if __name__ == "__main__":
    sys.exit(main())
