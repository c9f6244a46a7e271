"""The deterministic simulation of faults (T-1): one seed, one world, one trace, byte for byte.

    python -m tests.support.simulation.simulation SEED            the trace of one world, and what broke in it
    python -m tests.support.simulation.simulation --cover SEEDS   which events and refusals so many worlds reach

Commands are lost, doubled, late, reordered, forged, replayed; the process dies between two commits; the clock steps;
limits change in mid-round. I-1…I-8 are checked after every step.
"""

from __future__ import annotations

import gc
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.support.simulation.disk import Broken, Disk
from tests.support.simulation.opening import SHEETS, START_MONEY, Limits
from tests.support.simulation.players import PLAYERS
from tests.support.simulation.world import STEPS, World


def run(seed: int, make: Callable[[int], World] = World) -> bytes:
    """The digest of a world's trace; whatever is wrong with it is raised."""
    world = make(seed)
    digest = world.run()
    world.end()
    return digest


def failure(seed: int, make: Callable[[int], World] = World) -> str:
    """What broke in this world and how to see it again; empty where nothing did."""
    try:
        run(seed, make)
    except Exception as fault:
        return f"seed {seed}: {type(fault).__name__}: {fault}\n  python -m tests.support.simulation.simulation {seed}"
    return ""


def failures(first: int, count: int, make: Callable[[int], World] = World) -> list[str]:
    """All that broke in so many worlds from the first."""
    with rarely_collected():
        return [fault for seed in range(first, first + count) if (fault := failure(seed, make))]


@contextmanager
def rarely_collected() -> Iterator[None]:
    """A world that ends leaves nothing behind: looking for garbage as often as usual takes a tenth of the time."""
    usual, frozen = gc.get_threshold(), gc.get_freeze_count()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        if not frozen:
            gc.unfreeze()


def main() -> int:
    if sys.argv[1] == "--cover":
        from tests.support.simulation import coverage

        print(coverage.report(int(sys.argv[2])))
        return 0
    world = World(int(sys.argv[1]))
    try:
        digest = world.run().hex()
    except Exception:
        print("\n".join(world.trace))
        traceback.print_exc(file=sys.stdout)
        return 1
    print("\n".join([*world.trace, digest]))
    return 0


__all__ = ["PLAYERS", "SHEETS", "START_MONEY", "STEPS", "Broken", "Disk", "Limits", "World", "failures", "run"]

if __name__ == "__main__":
    sys.exit(main())
