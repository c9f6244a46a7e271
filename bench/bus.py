"""What an action and its deliveries cost on the way between a door and its host: unix sockets beside a broker of NATS.

    python3 dev.py bench bus [--rate R] [--seconds S] [--watchers N] [--repeats N] [--quick]

Door and host are processes with a `Link` each and nothing behind it: a door hands on messages at random moments at a
steady rate, the host answers each and sends one frame to all watchers, as a table does. CPU is that of each process,
and of the broker's. Both ways are measured in turn, in one run; of each the cheapest round counts. Prints a table.
"""

from __future__ import annotations

import argparse
import asyncio
import multiprocessing
import os
import random
import sys
import tempfile
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import quantiles
from typing import Any, NamedTuple

import uvloop

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.nats import open_broker
from ventuno.web.doors.broker import Broker, Owner, Subjects
from ventuno.web.doors.broker_door import OwnerFinder
from ventuno.web.doors.broker_host import BrokerHost
from ventuno.web.doors.bus import Link
from ventuno.web.doors.packets import FromDoor, FromHost, Said, Taken
from ventuno.web.operations.settings import Settings

ANSWER, STEP, MESSAGE = b"a" * 120, b"s" * 300, '{"type":"ask","id":"m1","table":"Ventuno 1"}' + " " * 100
"""About as long as they are in play."""
WARM = 1.0
Connecting = Callable[[Callable[[], Link[Any]]], AbstractAsyncContextManager[None]]


class Cost(NamedTuple):
    """Of one action with all its deliveries, in microseconds of CPU; the round trip in milliseconds."""

    door: float
    host: float
    broker: float
    median: float
    p99: float


class Answering:
    """The host's end: what a hub does to a link, without the hub. It stands where `Doors` do."""

    is_idle = True

    def __init__(self, watchers: int) -> None:
        self._watchers = range(1, watchers + 1)

    def connect(self) -> Link[FromDoor]:
        link: Link[FromDoor] = Link(FromDoor, lambda packet: self._answer(link, packet), lambda: None, lambda: None)
        return link

    def _answer(self, link: Link[FromDoor], packet: FromDoor) -> None:
        if isinstance(packet, Said):
            link.deliver(ANSWER, packet.id)
            step = bytes(STEP)
            for id in self._watchers:
                link.deliver(step, id)
            link.tell_taken(packet.id)


def name_node(url: str, role: str) -> Settings:
    return Settings(role=role, node=role, broker=url)  # type: ignore[arg-type]


async def run_host(place: str, watchers: int, pipe: Connection) -> None:
    """Until the pipe says so; then what it has cost since it was asked last."""
    answering, loop = Answering(watchers), asyncio.get_running_loop()
    done, began = asyncio.Event(), time.process_time()

    def read() -> None:
        nonlocal began
        if pipe.recv() == "begin":
            began = time.process_time()
        else:
            pipe.send(time.process_time() - began)
            done.set()

    loop.add_reader(pipe.fileno(), read)
    if place.startswith("nats://"):
        broker = Broker(name_node(place, "host"), "host")
        host = BrokerHost(broker, Subjects("ventuno"), answering, Owner(0, 1, "host"))  # type: ignore[arg-type]
        async with broker:
            await done.wait()
        host.end()
    else:
        server = await loop.create_unix_server(answering.connect, place)
        await done.wait()
        server.close()


@asynccontextmanager
async def connect(place: str, link: Link[FromHost]) -> AsyncIterator[None]:
    if place.startswith("nats://"):
        broker = Broker(name_node(place, "door"), "door")
        finder = OwnerFinder(broker, Subjects("ventuno"), "door")
        async with broker:
            await try_until(lambda: finder.connect(lambda: link))
            yield
            link.abort()
    else:
        loop = asyncio.get_running_loop()
        await try_until(lambda: loop.create_unix_connection(lambda: link, place))
        yield
        link.abort()


async def try_until(what: Callable[[], Any]) -> None:
    async with asyncio.timeout(30):
        while True:
            try:
                await what()
                return
            except OSError:
                await asyncio.sleep(0.05)


async def run_door(place: str, rate: float, seconds: float, pipe: Connection, broker: int) -> Cost:
    sent, trips, is_counted = deque[float](), list[float](), False

    def take(packet: FromHost) -> None:
        if isinstance(packet, Taken):
            now = time.monotonic()
            for _ in packet.ids:
                began = sent.popleft()
                if is_counted:
                    trips.append(now - began)

    link: Link[FromHost] = Link(FromHost, take, lambda: None, lambda: None)
    chance = random.Random(21)

    async def ask(until: float) -> None:
        due = time.monotonic()
        while due < until:
            await asyncio.sleep(max(due - time.monotonic(), 0))
            while due <= time.monotonic():
                sent.append(due)
                link.send(Said(chance.randrange(1, 1000), MESSAGE, due))
                due += chance.expovariate(rate)

    async with connect(place, link):
        await ask(time.monotonic() + WARM)
        pipe.send("begin")
        is_counted, own, others = True, time.process_time(), read_cpu(broker)
        await ask(time.monotonic() + seconds)
        while sent:
            await asyncio.sleep(0.001)
        own, others = time.process_time() - own, read_cpu(broker) - others
        pipe.send("end")
        host = await asyncio.to_thread(pipe.recv)
    each = 1e6 / len(trips)
    cuts = quantiles(trips, n=100)
    return Cost(own * each, host * each, others * each, cuts[49] * 1000, cuts[98] * 1000)


def read_cpu(process: int) -> float:
    """Seconds that a process has used; 0 for none."""
    if not process:
        return 0.0
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:13])) / os.sysconf("SC_CLK_TCK")


def measure(place: str, given: argparse.Namespace, broker: int) -> Cost:
    """Between this process and one that it forks."""
    here, there = multiprocessing.Pipe()
    process = os.fork()
    if not process:
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                runner.run(run_host(place, given.watchers, there))
        finally:
            os._exit(0)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        cost = runner.run(run_door(place, given.rate, given.seconds, here, broker))
    os.waitpid(process, 0)
    return cost


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="what the way between a door and its host costs")
    parser.add_argument("--rate", type=float, default=1000.0, help="actions a second")
    parser.add_argument("--seconds", type=float, default=5.0, help="of one round")
    parser.add_argument("--watchers", type=int, default=9, help="who sees an action besides who acts")
    parser.add_argument("--repeats", type=int, default=3, help="rounds of each way")
    parser.add_argument("--quick", action="store_true", help="one short round: does it run at all")
    given = parser.parse_args(words)
    if given.quick:
        given.rate, given.seconds, given.repeats = 200.0, 0.5, 1
    found: dict[str, list[Cost]] = {"unix sockets": [], "NATS": []}
    for _ in range(given.repeats):
        with tempfile.TemporaryDirectory(prefix="ventuno-bus-") as folder:
            found["unix sockets"].append(measure(f"{folder}/host", given, 0))
        with open_broker() as server:
            found["NATS"].append(measure(server.url, given, server.pid))
    print(f"{given.rate:.0f} actions/s, {given.watchers + 1} deliveries each; CPU of an action in microseconds")
    print(f"{'':14}{'door':>8}{'host':>8}{'broker':>8}{'p50 ms':>8}{'p99 ms':>8}   load {os.getloadavg()[0]:.1f}")
    for name, costs in found.items():
        best = min(costs, key=lambda cost: cost.door + cost.host)
        print(f"{name:14}{best.door:8.1f}{best.host:8.1f}{best.broker:8.1f}{best.median:8.2f}{best.p99:8.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
