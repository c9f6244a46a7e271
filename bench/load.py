"""What the doors carry: 500 tables with seven players each and watchers, 5 000 sockets, played by an open-loop load.

    python3 dev.py bench load [--tables N] [--sockets N] [--seconds S] [--rate R] [--doors N...] [--compare] [--quick]

The house is `ventuno serve` on SQLite with every sync on, processes of its own; this process is the load: arrival times
are drawn beforehand, and latency runs from the intended moment, so that a slow answer hides nothing. A chip is seen by
who moves it, a decision by all: for the ten deliveries an action that are asked for, watchers follow two tables each,
as the client shows them in one window. From the same run comes the ceiling: a bare uvicorn WebSocket server that sends
frames of the same size to groups of the same size. CPU is that of the server's processes alone. Other work on the
machine slows the clock's figures: the load is printed, and `waited` is how long the server was ready to run and had no
processor. A disk that stalls by itself delays whoever waits for a sync: a bare loop of writes says how much it does,
before each look at the latency, of which the best counts. Then the same load on one process and on a host with doors,
side by side, what each process uses when nobody acts, and what an action costs the host by its parts (`host_actions`).
Exits 1 where a goal is missed, except
`--quick`; the goals of G-19, G-20 and G-21 are those of an idle machine.

Everybody comes from one address here, so the limits by address are raised by settings (`UNLIMITED`), as
docs/operations.md explains them; no other setting differs from the house's own.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import uvloop

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.support.bare_broadcast import ceiling
from bench.support.disk_stalls import stalled
from bench.support.light_client import LightHttp, LightSocket, posted
from bench.support.load_crowd import LoadCrowd
from bench.support.load_table import JOIN, LoadTable, Member
from bench.support.report import Meter, Report
from tests.support.crash_checks import lost
from tests.support.free_port import free_port
from tests.support.house import certify
from tests.support.kill_runs import UNLIMITED, percentile
from tests.support.server_process import ServerProcess

SEATS, PURSE = 7, 150_000
AT_ONCE = 12
"""Players that come in together."""
ROLES = ("host", "door", "writer", "supervisor")
HOST_ACTIONS = str(Path(__file__).with_name("host_actions.py"))
FIELDS = ("sockets", "asks_total", "deliveries_total")
SETTLED = 15.0
"""Seconds after the last has come in until nothing is under way: shoes are cut, and lines have been measured."""
OFFERED = 1.06
"""Arrivals for each action of the goal: some find their table busy for a moment."""


class LoadFigures(NamedTuple):
    """What the criteria have goals for. `deliveries` are those of the busiest phase; the latency is from an action to
    its last watcher under the full load, in milliseconds.
    """

    memory: float
    sockets: float
    deliveries: float
    middle: float
    slowest: float


def judge(report: Report, figures: LoadFigures, sockets: int, rate: float) -> None:
    """Against the goals of the criteria, for an idle machine; a smaller load has a smaller goal."""
    report.line("memory per idle connection", figures.memory, 40, "KiB", criterion="G-19")
    report.line("sockets held", figures.sockets, sockets, most=False, criterion="G-19")
    report.line("deliveries a second at the most", figures.deliveries, 20 * rate, "/s", most=False, criterion="G-20")
    report.line("full load: action to last watcher, p50", figures.middle, 5, "ms", criterion="G-21")
    report.line("full load: action to last watcher, p99", figures.slowest, 50, "ms", criterion="G-21")


class Bench:
    def __init__(self, given: argparse.Namespace, house: ServerProcess, port: int, folder: Path) -> None:
        self.given, self.house, self.port, self.folder = given, house, port, folder
        self.counted = 0, 0, 0
        self.full: dict[str, float] = {}
        self.idle_memory = 0.0
        self.crowd, self.report, self.meter = LoadCrowd(given.seed), Report(), Meter(house.process.pid)

    async def metrics(self) -> dict[str, float]:
        """What the house itself has counted."""
        text = await asyncio.to_thread(_read, f"{self.house.url}/metrics")
        lines = [line.split() for line in text.splitlines() if line.startswith("ventuno_")]
        return {name: float(value) for one in lines if len(one) == 2 for name, value in [one]}

    async def sit(self) -> None:
        """Players first: guest, money, ticket, socket, table, seat. Then the watchers, and what one costs in memory."""
        crowd, given = self.crowd, self.given
        crowd.tables = [LoadTable(crowd, f"Ventuno {number}") for number in range(1, given.tables + 1)]
        began = time.perf_counter()
        await self._come_in((table, box, None) for table in crowd.tables for box in range(1, SEATS + 1))
        print(f"  {given.tables * SEATS} players sit after {time.perf_counter() - began:.0f} s", flush=True)
        before = self.meter.all_memory
        watchers = given.sockets - given.tables * SEATS
        await self._come_in(
            (crowd.tables[number % given.tables], 0, crowd.tables[(number + given.tables // 2) % given.tables])
            for number in range(watchers)
        )
        print(f"  {watchers} watch after {time.perf_counter() - began:.0f} s", flush=True)
        self.idle_memory = (self.meter.all_memory - before) / 1024 / max(watchers, 1)

    async def _come_in(self, places: Iterator[tuple[LoadTable, int, LoadTable | None]]) -> None:
        async def some() -> None:
            http = LightHttp(self.port)
            for place in places:
                await self._enter(http, *place)
            http.close()

        await asyncio.gather(*[some() for _ in range(AT_ONCE)])

    async def _enter(self, http: LightHttp, table: LoadTable, box: int, beside: LoadTable | None) -> None:
        told, cookie = await posted(http, "/api/guest")
        if box:
            body = {"amount": PURSE + 50_000}
            await posted(http, "/api/cashier/deposits", cookie, body, f"deposit-{told['player']}")
        ticket = (await posted(http, "/api/ticket", cookie))[0]["ticket"]
        member = Member(self.crowd, table, box, told["player"], cookie, beside)
        member.wire = await LightSocket.connect(f"/socket?ticket={ticket}", self.port, cookie, member.heard)
        await self._joined(member, table)
        if beside:
            await self._joined(member, beside)
        if box:
            for command in ({"do": "bring", "amount": PURSE}, {"do": "sit", "box": box}):
                await self._done(member, command)
            if member.leads:
                await self._joined(member, table)

    async def _joined(self, member: Member, table: LoadTable) -> None:
        """Watch the table, as soon as the house lets anybody new to one."""
        while True:
            member.joined = None
            member.wire.send(b'{"type":"join","id":"%b","table":"%b"}' % (JOIN.encode(), table.name.encode()))
            while member.joined is None:
                await asyncio.sleep(0.002)
            if member.joined:
                return
            await asyncio.sleep(0.5)

    async def _done(self, member: Member, command: dict[str, Any]) -> None:
        """Ask until the house is not too busy to do it."""
        while True:
            busy = self.crowd.refused["HouseBusy"]
            id = self.crowd.ask(time.perf_counter(), member, command, False)
            while id in self.crowd.asked:
                await asyncio.sleep(0.002)
            if self.crowd.refused["HouseBusy"] == busy:
                return
            await asyncio.sleep(0.5)

    async def hold(self, name: str, rate: float, seconds: float) -> dict[str, float]:
        """So many actions a second for so long: what came of it."""
        crowd, before = self.crowd, await self.metrics()
        sent, frames, acknowledged, size = crowd.sent, crowd.frames, len(crowd.acknowledged), crowd.bytes
        crowd.answers, crowd.waits, crowd.seen_by_all = [], [], []
        refused = crowd.refused.copy()
        self.meter.look()
        own = time.process_time()
        await crowd.run(rate, seconds)
        used = self.meter.look()
        found = {
            "asked": crowd.sent - sent,
            "actions": (len(crowd.acknowledged) - acknowledged) / used.wall,
            "deliveries": (crowd.frames - frames) / used.wall,
            "size": (crowd.bytes - size) / max(crowd.frames - frames, 1),
            "cpu": used.cpu / used.wall,
            "acknowledged": len(crowd.acknowledged) - acknowledged,
            "frames": crowd.frames - frames,
            "seconds": used.cpu,
        }
        drained = await crowd.drained(30)
        after = await self.metrics()
        told = {one: after[f"ventuno_{one}"] - before[f"ventuno_{one}"] for one in FIELDS[1:]}
        print(
            f"{name}: {rate:,.0f} arrivals/s for {seconds:.0f} s; load {os.getloadavg()[0]:.1f}, server waited "
            f"{used.waited:.1f} s, this process used {(time.process_time() - own) / used.wall:.0%} of a core; "
            f"the house counted {told['asks_total']:,.0f} asks and {told['deliveries_total']:,.0f} deliveries; "
            f"refused {dict(crowd.refused - refused)}; {crowd.unplaced} arrivals found no table; "
            f"closed {crowd.closed or 'none'}; "
            f"{'all answered' if drained else f'{len(crowd.asked)} NOT ANSWERED'}",
            flush=True,
        )
        if not drained:
            self.report.missed.append(f"{name}: unanswered")
        return found

    async def rest(self, seconds: float) -> dict[int, float]:
        """Nobody does anything: what each process uses all the same, in seconds of CPU a second."""
        await asyncio.sleep(SETTLED)
        self.meter.look()
        await asyncio.sleep(seconds)
        used = self.meter.look()
        return {process: spent / used.wall for process, spent in used.by_process.items()}

    async def bell(self) -> None:
        """Every player bets once in the same second, at tables that take bets: each answer counts (closing bell)."""
        crowd = self.crowd
        players = [member for table in crowd.tables for member in table.players]
        crowd.chance.shuffle(players)
        times = sorted(crowd.chance.random() for _ in players)
        crowd.answers = []
        acknowledged, refused = len(crowd.acknowledged), crowd.refused.copy()
        began = time.perf_counter()
        for at, member in zip(times, players, strict=True):
            if (wait := began + at - time.perf_counter()) > 0:
                await asyncio.sleep(wait)
            crowd.ask(began + at, member, member.table.chip(member), False)
        drained = await crowd.drained(30)
        taken, no = len(crowd.acknowledged) - acknowledged, crowd.refused - refused
        print(f"closing bell: {taken} taken, refused {dict(no)}; load {os.getloadavg()[0]:.1f}")
        self.report.line(f"closing bell: slowest of {len(players):,} answers", max(crowd.answers), 2, "s")
        self.report.line("closing bell: refused because the house is busy", no["HouseBusy"], 0)
        if not drained:
            self.report.missed.append("closing bell: unanswered")

    async def measure(self) -> None:
        given, report = self.given, self.report
        await self.sit()
        offered = OFFERED * given.rate
        await self.crowd.run(offered / 2, given.settle)
        full = await self.hold("full load", offered, given.seconds)
        sockets = (await self.metrics())["ventuno_sockets"]
        report.line("actions acknowledged a second, durable", full["actions"], given.rate, "/s", most=False)
        report.line("deliveries a second", full["deliveries"], 10 * given.rate, "/s", most=False)
        report.line(
            "CPU per action, deliveries included", 1e6 * full["seconds"] / max(full["acknowledged"], 1), None, "µs"
        )
        report.line("CPU per delivery, actions included", 1e6 * full["seconds"] / max(full["frames"], 1), None, "µs")
        report.line("bytes of a delivery", full["size"], None, "bytes")
        report.line("server's CPU at full load", 100 * full["cpu"], None, "% of a core")
        latency = _milli(self.crowd.seen_by_all, 0.5), _milli(self.crowd.seen_by_all, 0.99)
        best: list[tuple[float, float]] = []
        stalls: list[float] = []
        for _ in range(given.repeats):
            stalls.append(100 * await asyncio.to_thread(stalled, self.folder, given.seconds / 10))
            half = await self.hold("half load", offered / 2, given.seconds / 3)
            best.append((_milli(self.crowd.seen_by_all, 0.5), _milli(self.crowd.seen_by_all, 0.99)))
            found = f"p50 {best[-1][0]:.1f} ms, p99 {best[-1][1]:.1f} ms; the disk alone stalled {stalls[-1]:.1f} %"
            print(f"  {found}; {half['cpu']:.0%} of a core, {half['deliveries']:,.0f} deliveries/s", flush=True)
        report.line("the disk alone, before that: time in syncs of over 30 ms", max(stalls), None, "%")
        report.line("half load: action to last watcher, p50", min(best)[0], 10, "ms")
        report.line("half load: action to last watcher, p99", min(one[1] for one in best), 100, "ms")
        print(f"  every table takes bets after {await self.crowd.play_out(given.rest):.0f} s", flush=True)
        await self.bell()
        refused = self.crowd.refused.copy()
        over = await self.hold("three times the load", 3 * offered, given.seconds / 3)
        busy = self.crowd.refused["HouseBusy"] - refused["HouseBusy"]
        report.line("three times the load: acknowledged a second", over["actions"], None, "/s")
        report.line("three times the load: refused with HouseBusy", 100 * busy / max(over["asked"], 1), None, "%")
        report.line("three times the load: slowest answer to a message", max(self.crowd.waits, default=0.0), 2, "s")
        report.line(
            "three times the load: the same with waiting to send it", max(self.crowd.answers, default=0.0), None, "s"
        )
        report.line("sockets still open", (await self.metrics())["ventuno_sockets"], given.sockets, most=False)
        asked = [one[4:].split(" ") for one in self.crowd.acknowledged]
        missing = lost(f"sqlite:///{self.folder / 'house.db'}", [(player, key) for player, key in asked])
        report.line(f"lost of {len(self.crowd.acknowledged):,} acknowledged", len(missing), 0)
        most = max(full["deliveries"], over["deliveries"])
        judge(report, LoadFigures(self.idle_memory, sockets, most, *latency), given.sockets, given.rate)
        self.full = full
        await self._count()

    async def _count(self) -> None:
        """Frames that came here between two looks at what the house has sent: never fewer, never more."""
        least = int((await self.metrics())["ventuno_deliveries_total"])
        until = time.perf_counter() + 10
        while self.crowd.frames < least and time.perf_counter() < until:
            await asyncio.sleep(0.05)
        came = self.crowd.frames
        self.counted = least, came, int((await self.metrics())["ventuno_deliveries_total"])
        print(f"deliveries: {least:,} sent, {came:,} came, {self.counted[2]:,} sent a moment later", flush=True)
        if not least <= came <= self.counted[2]:
            self.report.missed.append("deliveries that did not come")


def _milli(values: Sequence[float], part: float) -> float:
    return 1000 * percentile(values, part) if values else 0.0


def _read(url: str) -> str:
    with urllib.request.urlopen(url, timeout=20) as answer:
        return str(answer.read().decode())


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--sockets", type=int, default=5_000, help="players and watchers together")
    parser.add_argument("--seconds", type=float, default=60.0, help="of the full load; other phases take a third of it")
    parser.add_argument("--rate", type=float, default=1_000.0, help="actions a second that must be done at full load")
    parser.add_argument("--settle", type=float, default=15.0, help="seconds of half load before anything is measured")
    parser.add_argument("--rest", type=float, default=60.0, help="seconds in which rounds end before the closing bell")
    parser.add_argument(
        "--idle", type=float, default=10.0, help="seconds in which nobody does anything, when comparing"
    )
    parser.add_argument("--repeats", type=int, default=3, help="how often the latency is measured; the best counts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--doors", type=int, nargs="*", default=[1, 2], help="how many doors it is compared with")
    parser.add_argument("--compare", action="store_true", help="only one process and doors side by side, no other look")
    parser.add_argument("--quick", action="store_true", help="a few tables for a few seconds: does it run at all")
    given = parser.parse_args(words)
    if given.quick:
        given.tables, given.sockets, given.seconds, given.rate = 4, 40, 3.0, 60.0
        given.settle, given.rest, given.repeats, given.idle = 6.0, 20.0, 1, 1.0
    if given.sockets < given.tables * SEATS:
        parser.error(f"{given.tables} tables have {given.tables * SEATS} players: --sockets must be at least that")
    return given


def run(given: argparse.Namespace) -> Bench:
    with tempfile.TemporaryDirectory(prefix="ventuno-load-") as folder:
        return played(given, Path(folder), _measured)


def played(given: argparse.Namespace, folder: Path, play: Callable[[Bench], Awaitable[None]], doors: int = 0) -> Bench:
    """A house in this folder for a crowd of this size, open while it is played in, then stopped as an operator does."""
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    port, began = free_port(), time.perf_counter()
    more: Any = {**UNLIMITED, "VENTUNO_PORT": str(port), "VENTUNO_TABLES": str(given.tables)}
    more["VENTUNO_DOORS"] = str(doors)
    house = ServerProcess(certify(folder), "--log-level", "warning", **more)

    async def evening() -> Bench:
        bench = Bench(given, house, port, folder)
        await play(bench)
        return bench

    try:
        print(f"open after {time.perf_counter() - began:.1f} s; load {os.getloadavg()[0]:.1f}", flush=True)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            bench = runner.run(evening())
        house.signal(signal.SIGTERM)
        house.ended(60)
        return bench
    finally:
        if house.process.poll() is None:
            house.process.kill()
            house.process.wait()


async def _measured(bench: Bench) -> None:
    given = bench.given
    await bench.measure()
    bench.crowd.leave()
    await ceiling(bench.full, given.tables, given.sockets, given.seconds / 3, bench.report)


class Split(NamedTuple):
    """What an action at half the load has cost each role, in microseconds; of several doors the busiest."""

    doors: int
    total: float
    busiest: float
    host: float
    door: float
    """Of all doors together, for a delivery."""
    writer: float
    middle: float
    slowest: float
    memory: float
    """KiB of all processes for a socket that only watches."""
    idle: Mapping[str, float]
    """Milliseconds of CPU a second by role where everybody is there and nobody does anything."""
    beside: Mapping[str, float]
    """What that is for an action at half the load, in microseconds: in the other figures, and not caused by actions."""


def compare(given: argparse.Namespace, report: Report) -> list[Split]:
    """The same load on one process and on a host with doors, one after the other; beside the first the ceiling."""
    found: list[Split] = []

    async def measure(bench: Bench) -> None:
        await bench.sit()
        resting = await bench.rest(given.idle)
        await bench.crowd.run(OFFERED * given.rate / 2, given.settle)
        held = await bench.hold(f"{count} doors", OFFERED * given.rate / 2, given.seconds)
        actions, roles = max(held["acknowledged"], 1), bench.meter.find_roles()
        cost = {process: 1e6 * seconds / actions for process, seconds in bench.meter.by_process.items()}
        total = sum_by_role(cost, roles)
        idle = {role: 1e3 * seconds for role, seconds in sum_by_role(resting, roles).items()}
        found.append(
            Split(
                count,
                sum(cost.values()),
                max(cost[one] for one in roles if roles[one] in ("host", "door")),
                total["host"],
                total["door"] * actions / max(held["frames"], 1),
                total["writer"],
                _milli(bench.crowd.seen_by_all, 0.5),
                _milli(bench.crowd.seen_by_all, 0.99),
                bench.idle_memory,
                idle,
                {role: 1e3 * spent / max(held["actions"], 1e-9) for role, spent in idle.items()},
            )
        )
        bench.crowd.leave()
        if given.compare and not count:
            await ceiling(held, given.tables, given.sockets, given.seconds / 3, report)

    for count in (0, *given.doors):
        with tempfile.TemporaryDirectory(prefix="ventuno-load-") as folder:
            played(given, Path(folder), measure, count)
    return found


def sum_by_role(spent: Mapping[int, float], roles: Mapping[int, str]) -> dict[str, float]:
    """What all processes of a role have used together."""
    return {role: sum(spent.get(one, 0.0) for one in roles if roles[one] == role) for role in ROLES}


def judge_doors(report: Report, splits: Sequence[Split]) -> None:
    """Doors beside one process, in the same run: what bounds a machine with enough cores is the busiest process."""
    alone = splits[0]
    for split in splits:
        name = f"{split.doors} doors" if split.doors else "one process"
        report.line(f"{name}: CPU an action, all processes", split.total, 1_100, "µs")
        report.line(f"{name}: of it the writer", split.writer, None, "µs")
        report.line(f"{name}: of it what is used when nobody acts", sum(split.beside.values()), None, "µs")
        for role in ROLES:
            if split.idle[role]:
                report.line(f"{name}: nobody acts, CPU of the {role}", split.idle[role], None, "ms/s")
        report.line(f"{name}: memory of all processes for a connection", split.memory, 30, "KiB")
        report.line(f"{name}: half load, action to last watcher, p50", split.middle, 5, "ms")
        report.line(f"{name}: half load, action to last watcher, p99", split.slowest, 60, "ms")
        if split.doors:
            report.line(f"{name}: CPU of the host an action", split.host, 400, "µs")
            report.line(f"{name}: of it what it uses when nobody acts", split.beside["host"], None, "µs")
            report.line(f"{name}: CPU of the doors a delivery", split.door, 35, "µs")
            goal = 0.45 if split.doors > 1 else None
            report.line(f"{name}: busiest process to one process", split.busiest / max(alone.busiest, 1e-9), goal)


def main() -> int:
    given = arguments()
    report = Report() if given.compare else run(given).report
    if given.doors:
        judge_doors(report, compare(given, report))
        print("what an action costs the host, by its parts:", flush=True)
        subprocess.run([sys.executable, HOST_ACTIONS, *(["--quick"] if given.quick else [])], check=False)
    print(f"\n{report.table()}\n\nmissed: {'; '.join(report.missed) or 'nothing'}")
    return int(bool(report.missed) and not given.quick)


if __name__ == "__main__":
    sys.exit(main())
