"""The simulator: rounds a second of CPU on one core for every game, two cores beside one, a process from its start.

Prints each figure beside its goal and exits 1 where one is missed. Measures take turns and the best turn of each
counts: a busy machine costs turns, not truth. `plain_loop` measures the same rules as a plain loop.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from threading import Lock

import numpy as np

from ventuno.core.rules.sheet import Sheet
from ventuno.odds.simulator.simulation import BLOCK, Machine, best_strategy, machine, simulate
from ventuno.odds.simulator.tally import Tally
from ventuno.sheets import GAMES, load

GOALS = {"ventuno": 50.0, "duello": 20.0, "link": 20.0}
"""Million rounds a second of the main bet; Duello and Link with all their side bets."""
SHARE, TWO_CORES, MEGABYTES, START, COLD_START = 0.6, 1.8, 200.0, 2.0, 12.0
TURNS, TWO_CORE_TURNS = 20, 20
TWO_CORE_BLOCKS = 16
PEAK = """
import sys, time
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(time.process_time(), peak, file=sys.stderr)
"""
"""A process asks the system for its own peak: what its parent hears includes the parent's pages."""
FRESH = f"""
from ventuno.cli.main import main
main(["simulate", {GAMES[0]!r}, "--rounds", "10000000", "--cores", "1"])
"""
EMPTY = """
import numba, numpy
@numba.njit
def nothing(a): return a[0]
nothing(numpy.ones(1))
"""
"""The reference for a start: a process that does nothing but bring numba up."""
ALONE = f"""
import sys, time
from ventuno.odds.simulator.simulation import BLOCK, best_strategy, machine
from ventuno.sheets import load
def now():
    with open("/proc/thread-self/schedstat") as file:
        return time.thread_time(), int(file.read().split()[1]) / 1e9
sheet = load({GAMES[0]!r})
ready = machine(sheet, best_strategy(sheet), statistics=False)
ready.play(21, 0, BLOCK)
print(0.0, 0.0, flush=True)
for line in sys.stdin:
    ran, waited = now()
    for block in range(int(line)):
        ready.play(21, block, BLOCK)
    then = now()
    print(then[0] - ran, then[1] - waited, flush=True)
"""
"""A process that plays so many blocks whenever it is told to, and says for how long it ran, and waited to run."""


@dataclass(frozen=True)
class Measured:
    name: str
    figure: float
    goal: float | None = None
    at_most: bool = False
    unit: str = "M rounds/s"

    @property
    def missed(self) -> bool:
        if self.goal is None:
            return False
        return self.figure > self.goal if self.at_most else self.figure < self.goal

    def __str__(self) -> str:
        bound = "at most" if self.at_most else "at least"
        goal = f"  ({bound} {self.goal:.3g}{': MISSED' if self.missed else ''})" if self.goal is not None else ""
        return f"{self.name:<44}{self.figure:9.2f} {self.unit}{goal}"


def main() -> int:
    missed = False
    for measure in (speeds, two_cores, fresh_process):
        lines = measure()
        print("\n".join(map(str, lines)), flush=True)
        missed |= any(one.missed for one in lines)
    return int(missed)


def speeds() -> list[Measured]:
    found = []
    for game in GAMES:
        sheet = load(game)
        strategy = best_strategy(sheet)
        alone, every = turns(machine(sheet, strategy, statistics=False), machine(sheet, strategy))
        goal = GOALS.get(game)
        found.append(Measured(f"{game}, main", alone, goal))
        found.append(Measured(f"{game}, all bets", every, goal if game != GAMES[0] else None))
        share = SHARE if game == GAMES[0] else None
        found.append(Measured(f"{game}, all bets to main", every / alone, share, unit="times"))
    return found


def turns(*machines: Machine) -> list[float]:
    """Million rounds a second of each; a turn is one block, short enough that some are not disturbed."""
    best = [0.0] * len(machines)
    for ready in machines:
        ready.play(21, 0, BLOCK)
    for _ in range(TURNS):
        for number, ready in enumerate(machines):
            begun = time.process_time()
            ready.play(21, 1, BLOCK)
            best[number] = max(best[number], BLOCK / (time.process_time() - begun) / 1e6)
    return best


@dataclass
class Shared:
    """One turn: for how long each part ran, and waited for a processor that others had; and all of it by the clock."""

    parts: list[tuple[float, float]] = field(default_factory=list)
    wall: float = 0.0

    @property
    def ran(self) -> float:
        return sum(ran for ran, _ in self.parts)

    def cores(self, alone: float) -> float:
        """How many cores this came to on a machine of its own, where one core needs `alone`: a thread that could run
        counts, one that waited for another of ours does not; work that took longer side by side counts less."""
        return sum(ran + waited for ran, waited in self.parts) / self.wall * alone / self.ran


class Watched:
    """A machine whose blocks are timed in the threads that play them; `lock` plants a fault: one block at a time."""

    def __init__(self, ready: Machine, lock: AbstractContextManager[object] | None = None) -> None:
        self.faces, self.shared = ready.faces, Shared()
        self._ready, self._lock = ready, lock or nullcontext()

    def play(self, seed: int, block: int, rounds: int) -> Tally:
        ran, waited = now()
        with self._lock:
            tally = self._ready.play(seed, block, rounds)
        then = now()
        self.shared.parts.append((then[0] - ran, then[1] - waited))
        return tally


def now() -> tuple[float, float]:
    """Seconds for which this thread ran, and waited for a processor."""
    with open("/proc/thread-self/schedstat") as file:
        return time.thread_time(), int(file.read().split()[1]) / 1e9


def threads(sheet: Sheet, ready: Machine, cores: int, *, one_by_one: bool = False) -> Shared:
    watched = Watched(ready, Lock() if one_by_one else None)
    watched.shared.wall = simulate(sheet, watched, TWO_CORE_BLOCKS * BLOCK, cores=cores).seconds
    return watched.shared


def processes(workers: Sequence[Apart]) -> Shared:
    """The same blocks by processes that share nothing but the machine."""
    shared, begun = Shared(), time.perf_counter()
    for worker in workers:
        worker.start(TWO_CORE_BLOCKS // len(workers))
    for worker in workers:
        shared.parts.append(worker.wait())
    shared.wall = time.perf_counter() - begun
    return shared


class Apart:
    """A process of its own that waits for work."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", ALONE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.wait()

    def start(self, count: int) -> None:
        assert self._process.stdin is not None
        print(count, file=self._process.stdin, flush=True)

    def wait(self) -> tuple[float, float]:
        assert self._process.stdout is not None
        ran, waited = map(float, self._process.stdout.readline().split())
        return ran, waited

    def close(self) -> None:
        self._process.communicate()


def two_cores() -> list[Measured]:
    """How many times one core two cores are, without the time for which others held the processors; and by the clock.

    Beside it what two independent processes reach, and a pool that plays one block at a time, which must miss.
    """
    sheet = load(GAMES[0])
    ready = machine(sheet, best_strategy(sheet), statistics=False)
    ones, twos, apart, faulty = list[Shared](), list[Shared](), list[Shared](), list[Shared]()
    with closing(Apart()) as one, closing(Apart()) as other:
        for _ in range(TWO_CORE_TURNS):
            ones += [threads(sheet, ready, 1), processes([one])]
            twos.append(threads(sheet, ready, 2))
            apart.append(processes([one, other]))
            faulty.append(threads(sheet, ready, 2, one_by_one=True))
    alone = min(turn.ran for turn in ones)
    found, ceiling, fault = (max(turn.cores(alone) for turn in turns) for turns in (twos, apart, faulty))
    clock = min(turn.wall for turn in ones) / min(turn.wall for turn in twos)
    return [
        Measured("two cores to one", found, TWO_CORES, unit="times"),
        Measured("two cores to one, two processes", ceiling, unit="times"),
        Measured("two cores to one, one block at a time", fault, TWO_CORES, at_most=True, unit="times"),
        Measured("two cores to one, wall", clock, unit="times"),
    ]


def fresh_process() -> list[Measured]:
    """`ventuno simulate` as a process of its own: time to ten million rounds, and its memory."""
    wall, processor, memory, empty, empty_memory = np.inf, np.inf, np.inf, np.inf, np.inf
    for _ in range(5):
        begun = time.perf_counter()
        spent, peak = measured(FRESH)
        wall = min(wall, time.perf_counter() - begun)
        processor, memory = min(processor, spent), min(memory, peak)
        spent, peak = measured(EMPTY)
        empty, empty_memory = min(empty, spent), min(empty_memory, peak)
    with TemporaryDirectory() as nothing:
        cold, _ = measured(FRESH, NUMBA_CACHE_DIR=nothing)
    return [
        Measured("start to 10 M rounds, all bets, CPU", processor, START, at_most=True, unit="s"),
        Measured("start to 10 M rounds, all bets, wall", wall, unit="s"),
        Measured("start to 10 M rounds, no kernels ready, CPU", cold, COLD_START, at_most=True, unit="s"),
        Measured("start of an empty numba kernel, CPU", empty, unit="s"),
        Measured("memory of the simulation", memory, MEGABYTES, at_most=True, unit="MB"),
        Measured("memory of an empty numba kernel", empty_memory, unit="MB"),
    ]


def measured(code: str, **where: str) -> tuple[float, float]:
    """CPU seconds and megabytes at the peak of a process of its own."""
    command, environment = [sys.executable, "-c", code + PEAK], {**os.environ, **where}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    spent, peak = map(float, done.stderr.split())
    return spent, peak / 1024


if __name__ == "__main__":
    sys.exit(main())
