"""A million fuzzed frames: no crash, and nothing done that the rules do not explain (T-8, G-18).

    python3 dev.py soak frames [--frames N] [--seed S]

Frames bent by the grammar, torn, stuffed, nested and random go to the channels of a house in memory; beside it the pure
rules work out what each accepted command does (`tests/support/fuzzed_house.py`). Exits 1 on the first difference.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.fuzzed_house import open_fuzzed_house

BLOCK = 50_000
"""Frames after which the house is opened anew: sessions end after twelve hours of its clock."""


async def block(seed: int, frames: int) -> Counter[str]:
    with tempfile.TemporaryDirectory() as folder:
        async with open_fuzzed_house(Path(folder), seed) as house:
            await house.run(frames)
            return house.seen


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1_000_000, help="where the seeds begin; CI takes small ones")
    chosen = parser.parse_args()
    seen, began = Counter[str](), time.process_time()
    for start in range(0, chosen.frames, BLOCK):
        try:
            seen += asyncio.run(block(chosen.seed + start, min(BLOCK, chosen.frames - start)))
        except AssertionError as fault:
            print(f"FAILED: seed {chosen.seed + start}: {fault}")
            return 1
        done = min(start + BLOCK, chosen.frames)
        print(f"\r{done:,} of {chosen.frames:,} frames ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    spent = time.process_time() - began
    print(f"{chosen.frames:,} frames, {spent:,.0f} s of CPU; {dict(sorted(seen.items()))}")
    print("fine")
    return 0


if __name__ == "__main__":
    sys.exit(main())
