"""A million worlds of the simulation of faults, on all cores (T-1, G-2, G-5).

    python3 dev.py soak simulation [--seeds N] [--first SEED] [--jobs K]

Prints each failing seed with the one command that replays it, then worlds a second for each core; exits 1 on a failure.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.simulation.simulation import failures

CHUNK = 500
Chunk = tuple[int, int]


def chunk(task: Chunk) -> tuple[int, float, list[str]]:
    """How many worlds, the CPU time they took, what broke in them."""
    started = time.process_time()
    found = failures(*task)
    return task[1], time.process_time() - started, found


def progress(done: int, seeds: int, failed: int, rate: float) -> None:
    print(f"\r{done:,} of {seeds:,} worlds, {failed} failed, {rate:.0f}/s/core", end="", file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=1_000_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args()
    last = chosen.first + chosen.seeds
    tasks = [(start, min(CHUNK, last - start)) for start in range(chosen.first, last, CHUNK)]
    done, failed, spent, best, started = 0, 0, 0.0, 0.0, time.monotonic()
    with multiprocessing.get_context("spawn").Pool(chosen.jobs) as pool:
        for count, seconds, found in pool.imap_unordered(chunk, tasks):
            done, failed, spent = done + count, failed + len(found), spent + seconds
            best = max(best, count / seconds)
            for fault in found:
                print(fault, flush=True)
            progress(done, chosen.seeds, failed, done / spent)
    print(file=sys.stderr)
    elapsed = time.monotonic() - started
    print(f"{done:,} worlds on {chosen.jobs} cores in {elapsed:.0f} s, {failed} failed")
    print(f"{done / max(spent, 1e-9):.0f} worlds a second of CPU on each core, {best:.0f} in the best {CHUNK}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
