"""What an action costs when several hosts decide at once, each its share of the pits: 1, 2 and 4 of them.

    python3 dev.py bench pit_load [--hosts N...] [--tables T] [--rate R] [--seconds S] [--rounds N] [--away SHARE]
                                  [--clients N] [--quick]

Hosts are processes that share all 256 pits of one house, on a PostgreSQL that syncs its disk and a broker of NATS.
Seven players at each live table act through `PitAsker`, the same players at the same rate for every number of hosts.
An action is an acknowledged ask. CPU is that of the hosts, of PostgreSQL's sessions and helpers, of the broker and of
the clients; sessions by which clients look at their tables are left out. The numbers of hosts take turns, forth and
back, and of each the middle of its rounds counts; ratios are of the same round. After each run the books are checked.
Exits 1 where a host more costs more than it may, or where books are wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median, quantiles
from typing import Any, NamedTuple

import asyncpg
import uvloop

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.support.pit_crowd import Crowd, CrowdTable, Tally
from tests.support.databases import create_database
from tests.support.nats import NatsServer, open_broker
from tests.support.patience import PATIENCE
from tests.support.pit_cluster.books import LONG, Place, open_books
from tests.support.pit_cluster.checks import find_faults
from tests.support.pit_cluster.nodes import SUBJECTS, RunningNode, make_broker, quicken
from tests.support.pit_cluster.players import TableReader
from tests.support.postgres import Cluster, cluster
from ventuno.house.pits.placement import PITS, choose_node, find_pit, find_player_pit, find_table_pit
from ventuno.house.store.migrations import migrate
from ventuno.web.doors.pit_asker import PitAsker

SEATS = 7
GOAL = 0.10
"""What each host more may add to the cost of an action, of the cost with one host."""
IDLE, WARM = 5.0, 2.0
"""Seconds for which nobody acts before the load, and for which it is not counted yet."""
TICKS = os.sysconf("SC_CLK_TCK")
LOOKING = "looking"
"""How sessions of clients are called."""
_forking = multiprocessing.get_context("fork")


class Counts(NamedTuple):
    """Of one host since it began, or of all of them; `pits` are those that it decides now."""

    commits: int
    batches: int
    pits: int


class Usage(NamedTuple):
    """Seconds of CPU of each part of the house."""

    hosts: tuple[float, ...]
    database: float
    broker: float
    clients: float


class Result(NamedTuple):
    """Of one run. Costs of an action are in microseconds of CPU, latencies in milliseconds."""

    away: float
    """How many of the players are at tables of other hosts than their home's."""
    rate: float
    """Acknowledged actions a second."""
    hosts: tuple[float, ...]
    database: float
    broker: float
    clients: float
    batches: float
    """In one commit."""
    median: float
    p99: float
    idle_hosts: float
    """Milliseconds of CPU a second of all hosts together while nobody acts."""
    idle_database: float
    refused: int

    @property
    def host(self) -> float:
        """All hosts together."""
        return sum(self.hosts)

    @property
    def whole(self) -> float:
        """With the database and the broker."""
        return self.host + self.database + self.broker


class Child:
    """A process of this bench, and the pipe by which it is told what to do."""

    def __init__(self, run: Callable[..., Any], *arguments: Any) -> None:
        self.pipe, there = _forking.Pipe()
        self._process = _forking.Process(target=_run_child, args=(run, *arguments, there), daemon=True)
        self._process.start()
        there.close()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def tell(self, word: str) -> None:
        self.pipe.send(word)

    def ask(self, word: str) -> Any:
        self.tell(word)
        return self.receive()

    def receive(self) -> Any:
        if not self.pipe.poll(PATIENCE):
            raise TimeoutError("a process of the bench does not answer")
        return self.pipe.recv()

    def join(self) -> None:
        self._process.join(PATIENCE)

    def end(self) -> None:
        if self._process.is_alive():
            self._process.kill()
        self._process.join()


def _run_child(run: Callable[..., Any], *arguments: Any) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(run(*arguments))


async def run_host(database: str, broker: str, name: str, pipe: Connection) -> None:
    """A node that tells what it has committed whenever it is asked, until it is told to end."""
    quicken()
    running = RunningNode(database, broker, name, range(PITS))

    def answer() -> None:
        if pipe.recv() == "end":
            running.node.stop()
        else:
            owners = [*running.node.owners.values()]
            commits = owners[0].tenure.commits if owners else None
            pipe.send(Counts(commits.commits, commits.batches, len(owners)) if commits else Counts(0, 0, 0))

    asyncio.get_running_loop().add_reader(pipe.fileno(), answer)
    await running.task


async def run_client(database: str, broker: str, places: list[Place], rate: float, pipe: Connection) -> None:
    """Says when everybody sits; then acts until it is told to end, and gives what it counted since it was told to."""
    line, is_over = make_broker(broker, f"client{os.getpid()}"), asyncio.Event()
    named = {"application_name": LOOKING}
    asker = PitAsker(line, SUBJECTS)
    async with asyncpg.create_pool(database, min_size=1, max_size=2, server_settings=named) as pool, line:
        await line.connected.wait()
        reader = TableReader(pool)
        names = dict.fromkeys(place.table for place in places)
        crowd = Crowd(
            [CrowdTable(name, [one.player for one in places if one.table == name], reader) for name in names], asker
        )
        await crowd.sit_down()
        pipe.send("ready")

        def listen() -> None:
            if pipe.recv() == "begin":
                crowd.clear()
            else:
                pipe.send(crowd.tally)
                is_over.set()

        asyncio.get_running_loop().add_reader(pipe.fileno(), listen)
        await crowd.act(rate, is_over)


def read_cpu(process: int) -> float:
    """Seconds that a process has used, with those of its children that have ended."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / TICKS


def read_database_cpu(server: int, left_out: set[int]) -> float:
    """All processes of the server, but for those sessions."""
    children = set(map(int, Path(f"/proc/{server}/task/{server}/children").read_text().split()))
    return read_cpu(server) + sum(map(read_cpu, children - left_out))


def choose_seats(tables: int, hosts: Sequence[str], away: float | None) -> list[Place]:
    """Seven players at each table, as names come; or such that so many have their home on another host."""
    names, places, elsewhere = (f"p{number}" for number in count()), list[Place](), 0
    for table in (f"T{number}" for number in range(tables)):
        host = choose_node(find_table_pit(table), hosts)
        for _ in range(SEATS):
            is_wanted = away is not None and len(hosts) > 1 and elsewhere < away * (len(places) + 1)
            for player in names:
                is_away = choose_node(find_player_pit(player), hosts) != host
                if away is None or len(hosts) == 1 or is_away == is_wanted:
                    break
            elsewhere += is_away
            places.append(Place(player, table))
    return places


def count_away(places: Sequence[Place], hosts: Sequence[str]) -> float:
    pairs = [(find_player_pit(one.player), find_table_pit(one.table)) for one in places]
    return sum(choose_node(home, hosts) != choose_node(table, hosts) for home, table in pairs) / len(places)


async def wait_until_placed(url: str, hosts: Sequence[str]) -> None:
    """Until every pit is where it belongs."""
    wanted = {pit: choose_node(pit, hosts) for pit in range(PITS)}
    session = await asyncpg.connect(url)
    try:
        async with asyncio.timeout(PATIENCE):
            while {find_pit(row[0]): row[1] for row in await session.fetch("SELECT pit, node FROM pits")} != wanted:
                await asyncio.sleep(0.1)
    finally:
        await session.close()


async def find_lookers(url: str) -> set[int]:
    session = await asyncpg.connect(url)
    try:
        rows = await session.fetch("SELECT pid FROM pg_stat_activity WHERE application_name = $1", LOOKING)
    finally:
        await session.close()
    return {row[0] for row in rows}


@contextmanager
def open_children() -> Iterator[list[Child]]:
    children: list[Child] = []
    with ExitStack() as ends:
        try:
            yield children
        finally:
            for child in children:
                ends.callback(child.end)


class Run:
    """One house with so many hosts, from its opening to the check of its books."""

    def __init__(self, server: Cluster, broker: NatsServer, hosts: int, given: argparse.Namespace) -> None:
        self._server, self._broker, self._given = server, broker, given
        self._names = [f"h{number}" for number in range(1, hosts + 1)]
        self._places = choose_seats(given.tables, self._names, given.away)
        self._lookers: set[int] = set()

    def measure(self) -> Result:
        url = create_database(self._server)
        migrate(url)
        asyncio.run(open_books(url, self._places, LONG))
        given = self._given
        with open_children() as children:
            hosts = [Child(run_host, url, self._broker.url, name) for name in self._names]
            children += hosts
            asyncio.run(wait_until_placed(url, self._names))
            while self._count(hosts).pits < PITS:
                time.sleep(0.1)
            idle = self._meter(hosts, [], given.idle)
            tables = [self._places[start : start + SEATS] for start in range(0, len(self._places), SEATS)]
            shares = [
                [one for table in tables[first :: given.clients] for one in table] for first in range(given.clients)
            ]
            rate = given.rate / given.clients
            clients = [Child(run_client, url, self._broker.url, share, rate) for share in shares]
            children += clients
            for client in clients:
                client.receive()
            self._lookers = asyncio.run(find_lookers(url))
            time.sleep(WARM)
            before = self._count(hosts)
            for client in clients:
                client.tell("begin")
            used = self._meter(hosts, clients, given.seconds)
            tallies: list[Tally] = [client.ask("end") for client in clients]
            after = self._count(hosts)
            for part in (clients, hosts):
                for child in part:
                    if part is hosts:
                        child.tell("end")
                for child in part:
                    child.join()
        if faults := asyncio.run(find_faults(url)):
            raise SystemExit(f"the books are wrong: {faults}")
        return self._reckon(idle, used, tallies, Counts(*(b - a for a, b in zip(before, after, strict=True))))

    def _reckon(self, idle: Usage, used: Usage, tallies: list[Tally], counts: Counts) -> Result:
        given = self._given
        taken = [latency for tally in tallies for latency in tally.latencies]
        refused = sum((tally.refused for tally in tallies), Counter[str]())
        if refused or (missed := sum(tally.missed for tally in tallies)) > len(taken) / 100:
            print(f"  {dict(refused)} refused, {missed if not refused else 0} moments without a table", file=sys.stderr)
        each, parts = 1e6 / len(taken), quantiles(taken, n=100)
        return Result(
            count_away(self._places, self._names),
            len(taken) / given.seconds,
            tuple(host * each for host in used.hosts),
            used.database * each,
            used.broker * each,
            used.clients * each,
            counts.batches / max(counts.commits, 1),
            parts[49] * 1e3,
            parts[98] * 1e3,
            sum(idle.hosts) / given.idle * 1e3,
            idle.database / given.idle * 1e3,
            sum(refused.values()),
        )

    def _meter(self, hosts: list[Child], clients: list[Child], seconds: float) -> Usage:
        """What all parts use in so many seconds."""
        before = self._read(hosts, clients)
        time.sleep(seconds)
        after = self._read(hosts, clients)
        spent = tuple(b - a for a, b in zip(before.hosts, after.hosts, strict=True))
        return Usage(spent, *(b - a for a, b in zip(before[1:], after[1:], strict=True)))

    def _read(self, hosts: list[Child], clients: list[Child]) -> Usage:
        return Usage(
            tuple(read_cpu(host.pid) for host in hosts),
            read_database_cpu(self._server.pid, self._lookers),
            read_cpu(self._broker.pid),
            sum(read_cpu(client.pid) for client in clients),
        )

    def _count(self, hosts: list[Child]) -> Counts:
        counts: list[Counts] = [host.ask("count") for host in hosts]
        return Counts(*map(sum, zip(*counts, strict=True)))


def judge(hosts: int, ratios: Sequence[float]) -> bool:
    """Whether so many hosts cost an action no more than they may, of what one host costs; says so."""
    most, middle = 1 + GOAL * (hosts - 1), median(ratios)
    is_reached = middle <= most
    told = ", ".join(f"{ratio:.2f}" for ratio in ratios)
    verdict = "reached" if is_reached else "MISSED"
    print(
        f"{hosts} hosts cost an action {middle:.2f} times what one does, {most:.2f} asked: {verdict} (rounds: {told})"
    )
    return is_reached


def measure(given: argparse.Namespace) -> dict[int, list[Result]]:
    found: dict[int, list[Result]] = {hosts: [] for hosts in given.hosts}
    with cluster() as server, open_broker() as broker:
        for number in range(given.rounds):
            for hosts in given.hosts[:: -1 if number % 2 else 1]:
                found[hosts].append(Run(server, broker, hosts, given).measure())
                last = found[hosts][-1]
                print(
                    f"  round {number + 1}, {hosts} hosts: {last.host:.0f} us, p99 {last.p99:.1f} ms", file=sys.stderr
                )
    return found


def show(found: dict[int, list[Result]], given: argparse.Namespace) -> None:
    print(
        f"{given.tables * SEATS} players at {given.tables} tables, {given.rate:.0f} actions/s from {given.clients} "
        f"clients; CPU of an action in microseconds, the middle of {given.rounds} rounds; load {os.getloadavg()[0]:.1f}"
    )
    heads = "hosts  away  all hosts  the busiest  PostgreSQL  broker  client  actions/s  batches/commit  p50 ms  p99 ms"
    print(f"{heads}  idle ms/s: hosts  PostgreSQL")
    for hosts, results in found.items():

        def middle(read: Callable[[Result], float], results: list[Result] = results) -> float:
            return median(map(read, results))

        print(
            f"{hosts:5}{middle(lambda one: one.away * 100):5.0f}%{middle(lambda one: one.host):11.0f}"
            f"{middle(lambda one: max(one.hosts)):13.0f}{middle(lambda one: one.database):12.0f}"
            f"{middle(lambda one: one.broker):8.0f}{middle(lambda one: one.clients):8.0f}"
            f"{middle(lambda one: one.rate):11.0f}{middle(lambda one: one.batches):16.2f}"
            f"{middle(lambda one: one.median):8.1f}{middle(lambda one: one.p99):8.1f}"
            f"{middle(lambda one: one.idle_hosts):18.1f}{middle(lambda one: one.idle_database):12.1f}"
        )


def parse(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hosts", type=int, nargs="+", default=[1, 2, 4], help="how many; the first is compared with")
    parser.add_argument("--tables", type=int, default=60, help="live tables, seven players at each")
    parser.add_argument("--rate", type=float, default=200.0, help="actions a second of all clients together")
    parser.add_argument("--seconds", type=float, default=12.0, help="of one run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--away", type=float, help="share of players whose home is on another host; else as names fall")
    parser.add_argument("--clients", type=int, default=1, help="processes that ask")
    parser.add_argument("--quick", action="store_true", help="one short round: does it run at all")
    given = parser.parse_args(words)
    given.idle = IDLE
    if given.quick:
        given.tables, given.rate, given.seconds, given.rounds, given.idle = 8, 40.0, 2.0, 1, 0.5
    return given


def main(words: Sequence[str] | None = None) -> int:
    given = parse(words)
    found = measure(given)
    show(found, given)
    first, *more = given.hosts
    pairs = {hosts: list(zip(found[first], found[hosts], strict=True)) for hosts in more}
    reached = [judge(hosts, [other.host / one.host for one, other in pairs[hosts]]) for hosts in more]
    for hosts in more:
        whole = median(other.whole / one.whole for one, other in pairs[hosts])
        print(f"{hosts} hosts with PostgreSQL and the broker: {whole:.2f} times")
    return 0 if all(reached) or given.quick else 1


if __name__ == "__main__":
    sys.exit(main())
