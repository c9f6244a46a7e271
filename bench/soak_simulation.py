"""A million worlds of the simulation of faults, on all cores (T-1, G-2, G-5).

    python3 dev.py soak simulation [--until N] [--minutes M] [--first SEED] [--jobs K]

Prints each failing seed with the one command that replays it, then worlds a second for each core. The next run goes on
where this one stopped (`bench/support/progress.py`). Exits 1 on a failure, now or in an earlier run of the same count;
whether the goal of G-5 is reached is said beside it.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.support.world_counts import WorldCount
from tests.support.simulation.simulation import failures

COUNT = WorldCount("simulation", failures, 500, "G-5")


if __name__ == "__main__":
    sys.exit(COUNT.main(__doc__))
