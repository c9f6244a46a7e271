"""A hundred thousand paired runs of each game: nothing is told of what is hidden before it is shown (G-15, H-1…H-9).

    python3 dev.py soak pairs [--pairs N] [--games NAME...] [--seed S]

Two houses live through the same rounds with other cards where none is shown, or with other choices that are nobody
else's; every byte that leaves them is compared with its time (`tests/support/paired_runs.py`).
Exits 1 on the first difference, and where one of the planted leaks is not found.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.paired_runs import Leak, Pairs, found, paired
from tests.support.planted_leaks import LEAKS
from ventuno.sheets import GAMES

BLOCK = 2_000
"""Pairs after which both houses are opened anew, so that they do not grow."""


async def block(game: str, seeds: range) -> Counter[str]:
    with tempfile.TemporaryDirectory() as folder:
        async with paired(Path(folder), game, Pairs) as pairs:
            for seed in seeds:
                await pairs.pair(seed)
            return pairs.seen


def compared(game: str, first: int, count: int) -> str:
    """What was found in so many pairs; the leak where there was one."""
    seen, began = Counter[str](), time.process_time()
    for start in range(first, first + count, BLOCK):
        try:
            seen += asyncio.run(block(game, range(start, min(start + BLOCK, first + count))))
        except Leak as leak:
            return f"{game}: {leak}"
        done = start - first + BLOCK
        print(f"\r{game}: {min(done, count):,} of {count:,} pairs ", end="", file=sys.stderr, flush=True)
    spent = time.process_time() - began
    print(file=sys.stderr)
    print(f"{game}: {count:,} pairs, none differs, {spent:,.0f} s of CPU; {dict(sorted(seen.items()))}")
    return ""


async def notices(game: str) -> list[str]:
    """The planted leaks of a game that nobody notices: there must be none."""
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        async with paired(Path(folder), game, Pairs) as pairs:
            for name, planted in LEAKS.items():
                if planted.game == game:
                    with pytest.MonkeyPatch.context() as patched:
                        planted.plant(patched)
                        missed += [] if await found(pairs, planted.mode) else [f"{game}: not noticed: {name}"]
    return missed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=100_000)
    parser.add_argument("--games", nargs="+", default=list(GAMES), choices=list(GAMES))
    parser.add_argument("--seed", type=int, default=1_000_000, help="where the seeds begin; CI takes those from 0")
    chosen = parser.parse_args()
    faults: list[str] = []
    for game in chosen.games:
        faults += [one for one in (compared(game, chosen.seed, chosen.pairs),) if one]
        faults += asyncio.run(notices(game))
    print(f"{'FAILED: ' + '; '.join(faults) if faults else 'fine'}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
