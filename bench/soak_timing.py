"""A hundred thousand rounds timed: no answer takes longer because the dealer has Blackjack face down (G-16, H-2).

    python3 dev.py soak timing [--until N] [--minutes M] [--seed S]

Processor time of the thread that answers, of the real path from the frame to the bytes that are written, in memory
(`tests/support/hole_card_timing.py`). Prints Welch's t for each kind of message, and what delay would have been seen.
The next run goes on where this one stopped (`bench/support/progress.py`). Exits 1 where |t| is 4.5 or more, and where
a planted delay of a fifth of a millisecond is not found.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.support.progress import Deadline, Progress, add_arguments, resume
from tests.support.hole_card_timing import GAME, LIMIT, Peeking, Times, cropped
from tests.support.paired_houses import open_paired_house
from tests.support.planted_leaks import plant_delay

PLANTED = 2_000
PORTION = 2_000
"""Rounds after which the house is opened anew, so that it does not grow."""
ROUNDS = 100_000
MODULES = ("tests.support.hole_card_timing", "tests.support.planted_leaks")


async def measure(times: Times, rounds: int, seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with open_paired_house(Path(folder), GAME, 1) as made:
            peeking, rng = await Peeking.begin(made), Random(seed)
            peeking.times = times
            for _ in range(rounds):
                await peeking.round(rng)


def go_on(progress: Progress, times: Times, until: int, first: int) -> None:
    size, began = min(PORTION, until - progress.done), time.process_time()
    asyncio.run(measure(times, size, first + progress.done))
    progress.data["times"] = times.of
    progress.add(size, time.process_time() - began, {}, [])


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, ROUNDS, "rounds")
    parser.add_argument("--seed", type=int, default=1_000_000)
    chosen = parser.parse_args(words)
    deadline, times = Deadline(chosen.minutes), Times()
    with resume(chosen.progress, "timing", MODULES, {"seed": chosen.seed}) as progress:
        before = progress.done
        times.of.update({what: (both[0], both[1]) for what, both in progress.data.get("times", {}).items()})
        while progress.done < chosen.until and not deadline.is_over:
            go_on(progress, times, chosen.until, chosen.seed)
            deadline.show("rounds", progress.done, before, chosen.until)
        print(file=sys.stderr)
        print(progress.describe(chosen.until, "rounds"))
    faults = []
    for what, score in times.scores().items():
        without, with_it = cropped(*times.of[what])
        spread = statistics.variance(without) / len(without) + statistics.variance(with_it) / len(with_it)
        seen = LIMIT * spread**0.5 / 1000
        print(
            f"{what}: {len(without):,} without and {len(with_it):,} with Blackjack, median "
            f"{statistics.median(without) / 1000:.0f} µs, t {score:+.2f}; a difference of {seen:.1f} µs would show"
        )
        faults += [f"{what}: t {score:+.2f}"] if abs(score) >= LIMIT else []
    with pytest.MonkeyPatch.context() as patched:
        plant_delay(patched)
        delayed = Times()
        asyncio.run(measure(delayed, PLANTED, chosen.seed))
        scores = delayed.scores()
    print("planted, 200 µs:", ", ".join(f"{what} t {score:+.1f}" for what, score in scores.items()))
    faults += [f"planted delay not found: {what}" for what, score in scores.items() if abs(score) < LIMIT]
    print(f"{'FAILED: ' + '; '.join(faults) if faults else 'fine'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
