"""The exact solver: processor time and memory of a full solve, of a what-if, and of a first start without kernels.

    python bench/solver.py

Bounds (issue 3): a full solve 0.6 s and 150 MB, a what-if 0.6 s, a cold start 12 s, of one core.
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
_COLD = """
import resource, time
from ventuno.odds.offers import always_taken
from ventuno.odds.solver import solve
from ventuno.sheets import load
for game in {games!r}:
    solve(load(game))
always_taken(load("first-person"))
print(time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""
_EMPTY = """
import resource
import numpy, numba
@numba.njit
def nothing(a): return a[0]
nothing(numpy.ones(1))
print(0.0, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def spent(work: Callable[[], object], times: int = 5) -> float:
    """The least processor time of several runs, in seconds."""
    found = []
    for _ in range(times):
        begun = time.process_time()
        work()
        found.append(time.process_time() - begun)
    return min(found)


def apart(code: str, cache: str | None) -> tuple[float, float]:
    """Run code in a process of its own: processor seconds and megabytes at the peak."""
    environment = dict(os.environ) | ({"NUMBA_CACHE_DIR": cache} if cache else {})
    ran = subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True, text=True)
    seconds, megabytes = ran.stdout.split()
    return float(seconds), float(megabytes)


def solves(changes: Mapping[str, str], game: str) -> Callable[[], object]:
    from ventuno.odds.solver import solve
    from ventuno.sheets import load

    return lambda: solve(load(game, changes))


def main() -> None:
    apart(_COLD.format(games=("ventuno",)), None)  # a child counts its parent's memory: ask before this one grows
    one, empty = apart(_COLD.format(games=("ventuno",)), None)[1], apart(_EMPTY, None)[1]
    print(f"peak memory of one solve, kernels ready {'':<14} {one:6.0f} MB  bound 150")
    print(f"  of which an empty numba kernel {'':<21} {empty:6.0f} MB")
    with tempfile.TemporaryDirectory() as cache:
        cold = apart(_COLD.format(games=GAMES), cache)
        print(f"cold start, all four sheets, no kernels ready {'':<8} {cold[0]:6.3f} s   bound 12")
        warm = apart(_COLD.format(games=GAMES), cache)
        print(f"the same with kernels ready {'':<26} {warm[0]:6.3f} s   {warm[1]:.0f} MB")
    for game in GAMES:
        solves({}, game)()
        print(f"solve {game:<48} {spent(solves({}, game)):6.3f} s   bound 0.6")
    for key, value in WHAT_IF.items():
        print(f"what-if ventuno {key + '=' + value:<38} {spent(solves({key: value}, 'ventuno')):6.3f} s   bound 0.6")


if __name__ == "__main__":
    main()
