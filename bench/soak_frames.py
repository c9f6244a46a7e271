"""A million fuzzed frames: no crash, and nothing done that the rules do not explain (T-8, G-18).

    python3 dev.py soak frames [--until N] [--minutes M] [--seed S]

Frames bent by the grammar, torn, stuffed, nested and random go to the channels of a house in memory; beside it the pure
rules work out what each accepted command does (`tests/support/fuzzed_house.py`). The next run goes on where this one
stopped (`bench/support/progress.py`). Exits 1 where there was a difference, now or in an earlier run of the same count.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.support.progress import Deadline, Progress, add_arguments, resume
from tests.support.fuzzed_house import open_fuzzed_house

FRAMES = 1_000_000
PORTION = 10_000
"""Frames after which the house is opened anew: sessions end after twelve hours of its clock."""
MODULES = ("tests.support.fuzzed_house",)


async def send(seed: int, frames: int) -> Counter[str]:
    with tempfile.TemporaryDirectory() as folder:
        async with open_fuzzed_house(Path(folder), seed) as house:
            await house.run(frames)
            return house.seen


def go_on(progress: Progress, until: int, first: int) -> None:
    seed, size, began = first + progress.done, min(PORTION, until - progress.done), time.process_time()
    seen, faults = Counter[str](), list[str]()
    try:
        seen = asyncio.run(send(seed, size))
    except AssertionError as fault:
        faults = [f"seed {seed}: {fault}"]
    progress.add(size, time.process_time() - began, seen, faults)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, FRAMES, "frames")
    parser.add_argument("--seed", type=int, default=1_000_000, help="where the seeds begin; CI takes small ones")
    chosen = parser.parse_args(words)
    deadline = Deadline(chosen.minutes)
    with resume(chosen.progress, "frames", MODULES, {"seed": chosen.seed}) as progress:
        before = progress.done
        while progress.done < chosen.until and not deadline.is_over:
            go_on(progress, chosen.until, chosen.seed)
            deadline.show("frames", progress.done, before, chosen.until)
        print(file=sys.stderr)
        print(f"{progress.describe(chosen.until, 'frames')}\n  {dict(sorted(progress.counts.items()))}")
    print("FAILED:" if progress.failures else "fine", *progress.failures, sep="\n")
    return 1 if progress.failures else 0


if __name__ == "__main__":
    sys.exit(main())
