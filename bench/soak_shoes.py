"""A million shoes through the list of statistical tests, beside five wrong shuffles that it must reject (G-12, R-26).

    python3 dev.py soak shoes [--shoes N] [--jobs K]

Shoes come from the kernel's entropy by the production code, before and after the players' cut. All are judged as one
sample at 99 % for the family, by Holm's procedure. A rejected sample is drawn anew once, and only a second rejection by
the same test counts (`tests/support/shuffle_statistics.py`). Exits 1 on that, on two shoes that begin with
the same twelve cards anywhere in the sample, and where a wrong shuffle is not rejected.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support import shuffle_statistics
from tests.support.shuffle_statistics import Numbers
from tests.support.wrong_shuffles import CONTROLS
from ventuno.house.shoes import laboratory_samples
from ventuno.house.shoes.entropy import EntropySource
from ventuno.sheets import load

BLOCK = 5_000
CONTROL = 10_000
"""Shoes of each wrong shuffle: as many as the daily tests take."""
STAGES = ("before the cut", "as played")
REPEATED = "overlaps anywhere"
Counts = list[dict[str, Numbers]]


def block(count: int) -> tuple[int, Counts, list[bytes]]:
    """So many fresh shoes: what each stage adds to the tests, and how each shoe begins."""
    rows = list(laboratory_samples.generate_outcomes(EntropySource(), load("ventuno"), count))
    counts, starts = Counts(), list[bytes]()
    for stage in range(len(STAGES)):
        shoes = np.frombuffer(b"".join(row[stage] for row in rows), dtype=np.uint8).reshape(
            count, shuffle_statistics.SIZE
        )
        counts.append(shuffle_statistics.counted(shoes))
        starts.append(shuffle_statistics.starts(shoes).tobytes())
    return count, counts, starts


def sample(shoes: int, jobs: int) -> dict[str, float]:
    """The chance of each test at each stage, over so many fresh shoes."""
    sizes = [min(BLOCK, shoes - start) for start in range(0, shoes, BLOCK)]
    sums, starts, done, began = Counts({} for _ in STAGES), [bytearray() for _ in STAGES], 0, time.monotonic()
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        for count, counts, begun in pool.imap_unordered(block, sizes):
            for stage in range(len(STAGES)):
                sums[stage] = shuffle_statistics.added((sums[stage], counts[stage]))
                starts[stage] += begun[stage]
            done += count
            progress(done, shoes, time.monotonic() - began)
    print(file=sys.stderr)
    found = {
        f"{name}, {when}": chance
        for when, held in zip(STAGES, sums, strict=True)
        for name, chance in shuffle_statistics.judged(held).items()
    }
    for when, held_starts in zip(STAGES, starts, strict=True):
        values = np.frombuffer(bytes(held_starts), dtype=np.dtype((np.void, 12)))
        found[f"{REPEATED}, {when}"] = 1.0 if len(np.unique(values)) == len(values) else 0.0
    return found


def progress(done: int, shoes: int, seconds: float) -> None:
    width = 30
    bar = "#" * (width * done // shoes)
    left = seconds / done * (shoes - done)
    print(f"\r[{bar:<{width}}] {done:,} of {shoes:,} shoes, {left:,.0f} s left ", end="", file=sys.stderr, flush=True)


def failing(shoes: int, jobs: int) -> list[str]:
    """The tests that reject two samples in a row; prints what they found."""
    found = sample(shoes, jobs)
    first = shuffle_statistics.rejected(found)
    least = min(found, key=lambda name: found[name])
    print(
        f"{shoes:,} shoes, {len(found)} tests at 99 %: rejected {first or 'none'}; least p {found[least]:.4f}, {least}"
    )
    if not first:
        return []
    again = shuffle_statistics.rejected(sample(shoes, jobs))
    print(f"drawn anew: rejected {again or 'none'}")
    return [name for name in first if name in again]


def unrejected() -> list[str]:
    """The wrong shuffles that pass: there must be none."""
    passed = []
    for name, control in CONTROLS.items():
        found = shuffle_statistics.rejected(shuffle_statistics.chances(control(CONTROL)))
        print(f"control, {name}: rejected by {len(found)} of {len(shuffle_statistics.TESTS)} tests")
        passed += [] if found else [name]
    return passed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shoes", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args()
    began = time.monotonic()
    faults = [*failing(chosen.shoes, chosen.jobs), *(f"control not rejected: {name}" for name in unrejected())]
    print(f"{'FAILED: ' + '; '.join(faults) if faults else 'fine'}, in {time.monotonic() - began:,.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
