"""A million shoes through the list of statistical tests, beside five wrong shuffles that it must reject (G-12, R-26).

    python3 dev.py soak shoes [--until N] [--minutes M] [--jobs K]

Shoes come from the kernel's entropy by the production code, before and after the players' cut. All are judged as one
sample at 99 % for the family, by Holm's procedure, once it is whole. A rejected sample is drawn anew once, and only a
second rejection by the same test counts (`tests/support/shuffle_statistics.py`). The next run goes on where this one
stopped (`bench/support/progress.py`). Exits 1 on that, on two shoes that begin with the same twelve cards anywhere in
the sample, and where a wrong shuffle is not rejected.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.support.progress import Deadline, Progress, add_arguments, resume, run_portions
from tests.support import shuffle_statistics
from tests.support.shuffle_statistics import Numbers
from tests.support.wrong_shuffles import CONTROLS
from ventuno.house.shoes import laboratory_samples
from ventuno.house.shoes.entropy import EntropySource
from ventuno.sheets import load

SHOES = 1_000_000
PORTION = 5_000
CONTROL = 10_000
"""Shoes of each wrong shuffle: as many as the daily tests take."""
STAGES = ("before the cut", "as played")
REPEATED = "overlaps anywhere"
BEGINNING = 12
"""Cards that tell a shoe from all others."""
FIRST, AGAIN = "shoes", "shoes-again"
MODULES = (
    "ventuno.house.shoes.laboratory_samples",
    "ventuno.sheets",
    "tests.support.shuffle_statistics",
    "tests.support.wrong_shuffles",
)
Counts = list[dict[str, Numbers]]


def count_shoes(count: int) -> tuple[int, Counts, list[bytes], float]:
    """So many fresh shoes: what each stage adds to the tests, how each shoe begins, and the CPU time."""
    began = time.process_time()
    rows = list(laboratory_samples.generate_outcomes(EntropySource(), load("ventuno"), count))
    counts, starts = Counts(), list[bytes]()
    for stage in range(len(STAGES)):
        shoes = np.frombuffer(b"".join(row[stage] for row in rows), dtype=np.uint8).reshape(
            count, shuffle_statistics.SIZE
        )
        counts.append(shuffle_statistics.counted(shoes))
        starts.append(shuffle_statistics.starts(shoes).tobytes())
    return count, counts, starts, time.process_time() - began


class Sample:
    """The sum of all shoes of one sample; how they begin lies in files beside the count."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        kept = progress.data.get("sums", [{} for _ in STAGES])
        self.sums = Counts({name: np.array(held, np.int64) for name, held in stage.items()} for stage in kept)
        self.files = [progress.path.with_suffix(f".starts{stage}") for stage in range(len(STAGES))]
        for file in self.files:
            file.touch()
            os.truncate(file, progress.done * BEGINNING)  # what a killed run has written beyond its count

    def add(self, count: int, counts: Counts, starts: list[bytes], seconds: float) -> None:
        for stage, file in enumerate(self.files):
            self.sums[stage] = shuffle_statistics.added((self.sums[stage], counts[stage]))
            with file.open("ab") as end:
                end.write(starts[stage])
                os.fsync(end.fileno())
        self.progress.data["sums"] = [{name: held.tolist() for name, held in stage.items()} for stage in self.sums]
        self.progress.add(count, seconds, {}, [])

    def judge(self) -> dict[str, float]:
        """The chance of each test at each stage."""
        chances = {
            f"{name}, {when}": chance
            for when, held in zip(STAGES, self.sums, strict=True)
            for name, chance in shuffle_statistics.judged(held).items()
        }
        for when, file in zip(STAGES, self.files, strict=True):
            values = np.frombuffer(file.read_bytes(), dtype=np.dtype((np.void, BEGINNING)))
            chances[f"{REPEATED}, {when}"] = 1.0 if len(np.unique(values)) == len(values) else 0.0
        return chances

    def draw(self, until: int, deadline: Deadline, jobs: int) -> None:
        """More shoes, until there are so many or the time is over."""
        before = self.progress.done
        sizes = (min(PORTION, until - at) for at in range(before, until, PORTION) if not deadline.is_over)
        for counted in run_portions(count_shoes, sizes, jobs):
            self.add(*counted)
            deadline.show(self.progress.measure, self.progress.done, before, until)
        print(file=sys.stderr)


def find_failing(first: Sample, again: Sample, until: int, deadline: Deadline, jobs: int) -> list[str]:
    """The tests that reject two whole samples in a row; prints what they found."""
    rejected = list[str]()
    for sample in (first, again):
        sample.draw(until, deadline, jobs)
        progress, chances = sample.progress, sample.judge()
        print(progress.describe(until, "shoes"))
        if not progress.done:
            return []
        now = shuffle_statistics.rejected(chances)
        least = min(chances, key=lambda name: chances[name])
        print(f"  {len(chances)} tests at 99 %: rejected {now or 'none'}; least p {chances[least]:.4f}, {least}")
        if progress.done < until:
            print("  not judged before the sample is whole")
            return []
        rejected = [name for name in now if sample is first or name in rejected]
        if not rejected:
            return []
    return rejected


def find_unrejected() -> list[str]:
    """The wrong shuffles that pass: there must be none."""
    passed = []
    for name, control in CONTROLS.items():
        found = shuffle_statistics.rejected(shuffle_statistics.chances(control(CONTROL)))
        print(f"control, {name}: rejected by {len(found)} of {len(shuffle_statistics.TESTS)} tests")
        passed += [] if found else [name]
    return passed


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, SHOES, "shoes")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    chosen = parser.parse_args(words)
    deadline = Deadline(chosen.minutes)
    with (
        resume(chosen.progress, FIRST, MODULES, {}) as first,
        resume(chosen.progress, AGAIN, MODULES, {}) as again,
    ):
        faults = [f"control not rejected: {name}" for name in find_unrejected()]
        faults += find_failing(Sample(first), Sample(again), chosen.until, deadline, chosen.jobs)
    print(f"{'FAILED: ' + '; '.join(faults) if faults else 'fine'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
