"""A hundred thousand paired runs of each game: nothing is told of what is hidden before it is shown (G-15, H-1…H-9).

    python3 dev.py soak pairs [--until N] [--minutes M] [--games NAME...] [--seed S]

Two houses live through the same rounds with other cards where none is shown, or with other choices that are nobody
else's; every byte that leaves them is compared with its time (`tests/support/paired_runs.py`). The games take turns;
the next run goes on where this one stopped (`bench/support/progress.py`). Exits 1 where two houses differed, now or in
an earlier run of the same count, and where one of the planted leaks is not found.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest
import uvloop

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.support.progress import Deadline, Progress, add_arguments, resume
from tests.support.paired_runs import Pairs, found, paired
from tests.support.planted_leaks import LEAKS
from tests.support.simulation.simulation import rarely_collected
from ventuno.sheets import GAMES

PAIRS = 100_000
PORTION = 1_000
"""Pairs after which both houses are opened anew, so that they do not grow, and the count is kept."""
MODULES = ("tests.support.paired_runs", "tests.support.planted_leaks")
PLANTED = "planted leaks"


async def compare(game: str, seeds: range) -> tuple[Counter[str], list[str]]:
    """What came up in these pairs, and those that differ."""
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        async with paired(Path(folder), game, Pairs) as pairs:
            for seed in seeds:
                try:
                    await pairs.pair(seed)
                except AssertionError as fault:  # a leak, or a house that does what no house may
                    faults.append(f"{game}, seed {seed}: {type(fault).__name__}: {fault}")
            return pairs.seen, faults


async def find_unnoticed(game: str) -> list[str]:
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


def go_on(game: str, progress: Progress, until: int, first: int) -> None:
    """One more portion of a game; before its first the planted leaks."""
    began = time.process_time()
    with rarely_collected(), asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        if PLANTED not in progress.data:
            missed = runner.run(find_unnoticed(game))
            progress.data[PLANTED] = sum(planted.game == game for planted in LEAKS.values())
            progress.add(0, time.process_time() - began, {}, missed)
            began = time.process_time()
        start, size = first + progress.done, min(PORTION, until - progress.done)
        seen, faults = runner.run(compare(game, range(start, start + size)))
    progress.add(size, time.process_time() - began, seen, faults)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, PAIRS, "pairs of each game")
    parser.add_argument("--games", nargs="+", default=list(GAMES), choices=list(GAMES))
    parser.add_argument("--seed", type=int, default=1_000_000, help="where the seeds begin; CI takes those from 0")
    chosen = parser.parse_args(words)
    deadline, settings = Deadline(chosen.minutes), {"seed": chosen.seed}
    with ExitStack() as stack:
        counts = {
            game: stack.enter_context(resume(chosen.progress, f"pairs-{game}", MODULES, settings))
            for game in chosen.games
        }
        before = sum(progress.done for progress in counts.values())
        while not deadline.is_over:
            game = min(counts, key=lambda game: counts[game].done)
            if counts[game].done >= chosen.until:
                break
            go_on(game, counts[game], chosen.until, chosen.seed)
            done = sum(progress.done for progress in counts.values())
            deadline.show("pairs", done, before, chosen.until * len(counts))
        print(file=sys.stderr)
        for progress in counts.values():
            print(progress.describe(chosen.until, f"pairs, {progress.data.get(PLANTED, 0)} planted leaks tried"))
            print(f"  {dict(sorted(progress.counts.items()))}")
        faults = [fault for progress in counts.values() for fault in progress.failures]
    print("FAILED:" if faults else "fine", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
