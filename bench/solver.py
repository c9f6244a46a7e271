"""The exact solver: processor time and memory of a full solve, of a what-if, and of a first start without kernels.

    python bench/solver.py

Prints each figure beside its bound (issue 3) and exits 1 where one is missed: a full solve 0.6 s and 150 MB, a what-if
0.6 s, a cold start 12 s, of one core.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping

GAMES = ("ventuno", "first-person", "sisal", "link")
WHAT_IF = {
    "blackjack.pays": "6/5",
    "dealer.peek": '["A", "ten"]',
    "dealer_blackjack_takes.ten": "original",
    "split.hands": "4",
    "shoe.decks": "1",
}
SOLVE, MEGABYTES, COLD = 0.6, 150.0, 12.0
_PEAK = """
import time
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(time.process_time(), int(peak) / 1024)
"""
"""A process asks the system for its own peak: what its parent hears includes the parent's pages."""
_SOLVES = """
from ventuno.odds.bets.cash_out import always_taken
from ventuno.odds.exact.solver import solve
from ventuno.sheets import load
for game in {games!r}:
    solve(load(game))
    if game == "first-person":
        always_taken(load(game))
"""
_EMPTY = """
import numpy, numba
@numba.njit
def nothing(a): return a[0]
nothing(numpy.ones(1))
"""


def spent(work: Callable[[], object], times: int = 5) -> float:
    """The least processor time of several runs, in seconds."""
    found = []
    for _ in range(times):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return min(found)


def apart(code: str, cache: str | None = None) -> tuple[float, float]:
    """Run code in a process of its own: processor seconds and megabytes at the peak."""
    environment = dict(os.environ) | ({"NUMBA_CACHE_DIR": cache} if cache else {})
    command = [sys.executable, "-c", code + _PEAK]
    ran = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    seconds, megabytes = ran.stdout.split()
    return float(seconds), float(megabytes)


def solves(changes: Mapping[str, str], game: str) -> Callable[[], object]:
    from ventuno.odds.exact.solver import solve
    from ventuno.sheets import load

    return lambda: solve(load(game, changes))


def told(name: str, figure: float, unit: str, bound: float | None = None) -> bool:
    """Print a figure beside its bound; whether it is missed."""
    missed = bound is not None and figure > bound
    beside = "" if bound is None else f"  at most {bound:g}{': MISSED' if missed else ''}"
    print(f"{name:<58}{figure:8.3f} {unit:<2}{beside}", flush=True)
    return missed


def main() -> int:
    one, every = _SOLVES.format(games=GAMES[:1]), _SOLVES.format(games=GAMES)
    apart(one)
    ready = [apart(one) for _ in range(5)]
    empty = [apart(_EMPTY) for _ in range(3)]
    missed = [told("peak memory of one solve, kernels ready", max(peak for _, peak in ready), "MB", MEGABYTES)]
    told("  a process that only loads an empty numba kernel", min(peak for _, peak in empty), "MB")
    told("one solve from the start of its process, kernels ready", min(seconds for seconds, _ in ready), "s")
    with tempfile.TemporaryDirectory() as cache:
        missed.append(told("cold start, all four sheets, no kernels ready", apart(every, cache)[0], "s", COLD))
        warm = apart(every, cache)
        told("  the same with kernels ready", warm[0], "s")
        missed.append(told("  and its peak memory", warm[1], "MB", MEGABYTES))
    for game in GAMES:
        solves({}, game)()
        missed.append(told(f"solve {game}", spent(solves({}, game)), "s", SOLVE))
    for key, value in WHAT_IF.items():
        missed.append(told(f"what-if ventuno {key}={value}", spent(solves({key: value}, "ventuno")), "s", SOLVE))
    return int(any(missed))


if __name__ == "__main__":
    sys.exit(main())
