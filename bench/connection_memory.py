"""What a connection costs in memory, by process and by step: the account, the socket, each table that it shows.

    python3 dev.py bench connection_memory [--people N] [--warm N] [--tables N] [--doors N...] [--quick]

The house is `ventuno serve`, once as one process and once with each number of doors. Everybody takes a step before
anybody takes the next: a guest with his ticket, his socket, a table, a second one. Between two steps the memory that
belongs to each process alone is read (`Private_Dirty` and `Private_Clean` of the system), so that what is shared with
the supervisor counts once. Some people come first, for whom whatever is made only once is made. Exits 1 where the
socket and its tables cost more than the goal, except `--quick`; an account stays when its connection goes, and is
printed apart.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import uvloop

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.support.light_client import LightHttp, LightSocket, posted
from bench.support.report import Meter
from tests.support.free_port import free_port
from tests.support.house import certify
from tests.support.kill_runs import UNLIMITED
from tests.support.server_process import ServerProcess

GOAL = 30
"""KiB of all processes together for a socket that shows two tables."""
AT_ONCE = 12
"""People that come in together."""
STEPS = ("account", "socket", "one table", "two tables")
SETTLED = 1.5
"""Seconds after a step in which what it began ends."""


class Person:
    """A guest who watches."""

    def __init__(self, port: int, number: int, tables: int) -> None:
        self._port = port
        self._tables = f"Ventuno {number % tables + 1}", f"Ventuno {(number + tables // 2) % tables + 1}"
        self._cookie = self._ticket = ""
        self._is_let_in: bool | None = False
        """Whether he was let to the table that he asked for; None until that is answered."""
        self.wire: LightSocket

    async def take(self, step: int, http: LightHttp) -> None:
        if step == 0:
            _, self._cookie = await posted(http, "/api/guest")
            self._ticket = (await posted(http, "/api/ticket", self._cookie))[0]["ticket"]
        elif step == 1:
            path = f"/socket?ticket={self._ticket}"
            self.wire = await LightSocket.connect(path, self._port, self._cookie, self._hear)
        else:
            while not self._is_let_in:
                self._is_let_in = None
                self.wire.send(b'{"type":"join","id":"join","table":"%b"}' % self._tables[step - 2].encode())
                while self._is_let_in is None:
                    await asyncio.sleep(0.002)
            self._is_let_in = False

    def _hear(self, frame: bytes) -> None:
        if frame.endswith(b'"type":"answer"}'):
            self._is_let_in = b'"refused":null' in frame  # a busy house is asked again
        elif frame.endswith(b'"type":"ping"}'):
            nonce = frame.partition(b'"nonce":"')[2].partition(b'"')[0]
            self.wire.send(b'{"type":"pong","nonce":"%b"}' % nonce)


async def advance(people: Sequence[Person], step: int, port: int) -> None:
    """Everybody takes this step."""
    waiting = iter(people)

    async def take_some() -> None:
        http = LightHttp(port)
        for person in waiting:
            await person.take(step, http)
        http.close()

    await asyncio.gather(*[take_some() for _ in range(AT_ONCE)])
    await asyncio.sleep(SETTLED)


def read_private(meter: Meter) -> Counter[str]:
    """KiB that belong to one process alone, by what the process is for."""
    found: Counter[str] = Counter()
    for process, role in meter.find_roles().items():
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        found[role] += sum(int(line.split()[1]) for line in lines if line.startswith("Private_"))
    return found


async def measure(house: ServerProcess, port: int, given: argparse.Namespace) -> dict[str, Counter[str]]:
    """KiB for each person, by step and by role."""
    meter = Meter(house.process.pid)
    warm = [Person(port, number, given.tables) for number in range(given.warm)]
    people = [Person(port, number, given.tables) for number in range(given.people)]
    for step in range(len(STEPS)):
        await advance(warm, step, port)
    found: dict[str, Counter[str]] = {}
    before = read_private(meter)
    for step, name in enumerate(STEPS):
        await advance(people, step, port)
        after = read_private(meter)
        found[name] = Counter({role: after[role] - before[role] for role in after})
        before = after
    for person in (*warm, *people):
        person.wire.close()
    return found


def tell(doors: int, found: dict[str, Counter[str]], people: int) -> float:
    """Print it; KiB of a socket with its tables."""
    roles = [role for role in ("host", "door", "writer", "supervisor") if any(step[role] for step in found.values())]
    print(f"{f'{doors} doors' if doors else 'one process'}, KiB for each of {people:,} people:")
    print(f"  {'':<12}{''.join(f'{role:>12}' for role in roles)}{'all':>12}")
    for name, step in found.items():
        each = [step[role] / people for role in roles]
        print(f"  {name:<12}{''.join(f'{one:>12.1f}' for one in each)}{sum(each):>12.1f}")
    connection = sum(sum(step.values()) for name, step in found.items() if name != STEPS[0]) / people
    print(f"  a connection with two tables: {connection:.1f} KiB (goal {GOAL})", flush=True)
    return connection


def run(doors: int, given: argparse.Namespace) -> float:
    port = free_port()
    more: Any = {**UNLIMITED, "VENTUNO_PORT": str(port), "VENTUNO_TABLES": str(given.tables)}
    with tempfile.TemporaryDirectory(prefix="ventuno-memory-") as folder:
        house = ServerProcess(certify(Path(folder)), "--log-level", "warning", VENTUNO_DOORS=str(doors), **more)
        try:
            with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
                return tell(doors, runner.run(measure(house, port, given)), given.people)
        finally:
            house.kill()


def arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--people", type=int, default=1_500)
    parser.add_argument("--warm", type=int, default=200, help="people who come before anything is measured")
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--doors", type=int, nargs="*", default=[0, 1, 2], help="0 is one process")
    parser.add_argument("--quick", action="store_true", help="a few people: does it run at all")
    given = parser.parse_args(words)
    if given.quick:
        given.people, given.warm, given.tables = 30, 10, 4
    return given


def main() -> int:
    given = arguments()
    found = [run(doors, given) for doors in given.doors]
    return int(max(found) > GOAL and not given.quick)


if __name__ == "__main__":
    sys.exit(main())
