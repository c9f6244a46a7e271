"""A hundred thousand rounds timed: no answer takes longer because the dealer has Blackjack face down (G-16, H-2).

    python3 dev.py soak timing [--rounds N] [--seed S]

Processor time of the thread that answers, of the real path from the frame to the bytes that are written, in memory
(`tests/support/hole_card_timing.py`). Prints Welch's t for each kind of message, and what delay this run would have
seen. Exits 1 where |t| is 4.5 or more, and where a planted delay of a fifth of a millisecond is not found.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
from pathlib import Path
from random import Random

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.hole_card_timing import GAME, LIMIT, Peeking, Times, cropped
from tests.support.paired_houses import open_paired_house
from tests.support.planted_leaks import plant_delay

PLANTED = 2_000
BLOCK = 5_000
"""Rounds after which the house is opened anew, so that it does not grow."""


async def block(times: Times, rounds: int, seed: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        async with open_paired_house(Path(folder), GAME, 1) as made:
            peeking, rng = await Peeking.begin(made), Random(seed)
            peeking.times = times
            for _ in range(rounds):
                await peeking.round(rng)


def timed(rounds: int, seed: int) -> Times:
    times = Times()
    for start in range(0, rounds, BLOCK):
        asyncio.run(block(times, min(BLOCK, rounds - start), seed + start))
        print(f"\r{min(start + BLOCK, rounds):,} of {rounds:,} rounds ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return times


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1_000_000)
    chosen = parser.parse_args()
    times = timed(chosen.rounds, chosen.seed)
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
        scores = timed(PLANTED, chosen.seed).scores()
    print("planted, 200 µs:", ", ".join(f"{what} t {score:+.1f}" for what, score in scores.items()))
    faults += [f"planted delay not found: {what}" for what, score in scores.items() if abs(score) < LIMIT]
    print(f"{'FAILED: ' + '; '.join(faults) if faults else 'fine'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
