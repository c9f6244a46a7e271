"""A million worlds of several hosts, on all cores (T-1, G-2).

    python3 dev.py soak pits [--until N] [--minutes M] [--first SEED] [--jobs K]

Prints each failing seed with the one command that replays it, then worlds a second for each core. The next run goes on
where this one stopped (`bench/support/progress.py`). Exits 1 on a failure, now or in an earlier run of the same count.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.support.progress import Deadline, add_arguments, resume, run_portions
from tests.support.pit_simulation.simulation import find_failures

WORLDS = 1_000_000
PORTION = 500
GOAL = 150
"""Worlds a second of CPU on one core."""
MODULES = ("tests.support.pit_simulation.simulation",)
Chunk = tuple[int, int]


def run_chunk(task: Chunk) -> tuple[int, float, list[str]]:
    """How many worlds, the CPU time they took, what broke in them."""
    started = time.process_time()
    faults = find_failures(*task)
    return task[1], time.process_time() - started, faults


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, WORLDS, "worlds")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args(words)
    deadline = Deadline(chosen.minutes)
    with resume(chosen.progress, "pits", MODULES, {"first": chosen.first}) as progress:
        before, start = progress.done, chosen.first + progress.done
        last = chosen.first + chosen.until
        tasks = ((first, min(PORTION, last - first)) for first in range(start, last, PORTION) if not deadline.is_over)
        for count, seconds, faults in run_portions(run_chunk, tasks, chosen.jobs):
            progress.data["best"] = max(progress.data.get("best", 0.0), count / max(seconds, 1e-9))
            progress.add(count, seconds, {}, faults)
            for fault in faults:
                print(fault, flush=True)
            deadline.show("worlds", progress.done, before, chosen.until)
        print(file=sys.stderr)
        print(progress.describe(chosen.until, "worlds"))
        rate = progress.done / max(progress.seconds, 1e-9)
        print(f"{judge(rate)} of CPU on each core; {progress.data.get('best', 0):.0f} in the best {PORTION}")
    print("FAILED:" if progress.failures else "fine", *progress.failures, sep="\n")
    return 1 if progress.failures else 0


def judge(rate: float) -> str:
    return f"goal {'reached' if rate >= GOAL else 'MISSED'}: {rate:.0f} worlds a second, goal {GOAL}"


if __name__ == "__main__":
    sys.exit(main())
