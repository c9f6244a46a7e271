"""The simulation of several hosts (T-1): one seed, one world, one trace, byte for byte.

python -m tests.support.pit_simulation.simulation SEED     the trace of one world, and what broke in it
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable

from tests.support.pit_simulation.world import World
from tests.support.simulation.simulation import rarely_collected

COMMAND = "python -m tests.support.pit_simulation.simulation"


def run(seed: int, make: Callable[[int], World] = World) -> bytes:
    """The digest of a world's trace; whatever is wrong with it is raised."""
    world = make(seed)
    digest = world.run()
    world.end()
    return digest


def find_failure(seed: int, make: Callable[[int], World] = World) -> str:
    """What broke in this world and how to see it again; empty where nothing did."""
    try:
        run(seed, make)
    except Exception as fault:
        return f"seed {seed}: {type(fault).__name__}: {fault}\n  {COMMAND} {seed}"
    return ""


def find_failures(first: int, count: int, make: Callable[[int], World] = World) -> list[str]:
    """All that broke in so many worlds from the first."""
    with rarely_collected():
        return [fault for seed in range(first, first + count) if (fault := find_failure(seed, make))]


def main() -> int:
    world: World | None = None
    try:
        world = World(int(sys.argv[1]))
        digest = world.run().hex()
    except Exception:
        print("\n".join(world.trace if world else ()))
        traceback.print_exc(file=sys.stdout)
        return 1
    print("\n".join([*world.trace, digest]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
