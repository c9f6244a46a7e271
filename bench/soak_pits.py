"""A million worlds of several hosts, on all cores (T-1, G-2).

    python3 dev.py soak pits [--until N] [--minutes M] [--first SEED] [--jobs K]

Prints each failing seed with the one command that replays it, then worlds a second for each core. The next run goes on
where this one stopped (`bench/support/progress.py`). Exits 1 on a failure, now or in an earlier run of the same count.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.support.world_counts import WorldCount
from tests.support.pit_simulation.simulation import find_failures

COUNT = WorldCount("pits", find_failures, 150, "goal")


if __name__ == "__main__":
    sys.exit(COUNT.main(__doc__))
