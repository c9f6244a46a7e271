"""Host, writer and doors of one house killed at random under 100 players: nothing lost, a short pause (T-3, T-9).

    python3 dev.py soak doors [--until N] [--minutes M] [--seed S]

A house of two doors is killed fifty times in parts, stopped, and its books are read to the last record; the next run
goes on where this one stopped (`bench/support/progress.py`). Exits 1 where an acknowledged ask is lost, a balance is
not explained, somebody does not come back, a door or a host does not come back by itself, or who kept his socket saw a
pause of more than the goal when the host was killed, on a machine with nothing else to do.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.soak_kills import BUSY, compute_percentile
from bench.support.progress import Deadline, Progress, add_arguments, resume
from tests.support.kill_runs import Found, KillRun, waited

KILLS = 200
DOORS, LIVE, SOLO = 2, 12, 16
GOAL = 3.0
PORTION = 50
PARTS = ("host", "door", "host", "door", "writer")
"""Drawn from these: doors and hosts twice as often as the writer."""
MODULES = ("tests.support.kill_runs", "ventuno.cli.serve")
PAUSE = "pause of "


async def besiege(run: KillRun, kills: int, deadline: Deadline) -> Found:
    async with run:
        while run.found.kills < kills and not deadline.is_over and not run.found.faults:
            await run.kill_part(run.chance.choice(PARTS))
        await run.go_on()
        return await run.judge()


def go_on(progress: Progress, until: int, seed: int, deadline: Deadline) -> None:
    """One more house; what is left of one that failed stays beside the count."""
    folder = Path(tempfile.mkdtemp(prefix="ventuno-doors-"))
    seed += progress.done
    began, started, waits = time.process_time(), time.monotonic(), waited(os.getpid())
    run = KillRun(folder, LIVE, SOLO, seed=seed, doors=DOORS)
    try:
        faults = asyncio.run(besiege(run, min(PORTION, until - progress.done), deadline)).faults
    except AssertionError as fault:
        faults = [*run.found.faults, str(fault)]
    if faults:
        kept = progress.path.with_suffix(f".{seed}")
        shutil.move(folder, kept)
        faults = [f"seed {seed}, kill {run.found.kills}: {fault} (see {kept.name})" for fault in faults]
    shutil.rmtree(folder, ignore_errors=True)
    counts = Counter(acknowledged=run.found.acknowledged, rounds=run.found.rounds, **run.found.parts)
    if waited(os.getpid()) - waits < BUSY * (time.monotonic() - started):
        counts["timed"] = len(run.found.pauses)
        counts.update(f"{PAUSE}{pause:.1f}" for pause in run.found.pauses)
    progress.add(run.found.kills, time.process_time() - began, counts, faults)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, KILLS, "kills")
    parser.add_argument("--seed", type=int, default=1)
    chosen, slowest = parser.parse_args(words), 0.0
    deadline = Deadline(chosen.minutes)
    with resume(chosen.progress, "doors", MODULES, {"seed": chosen.seed}) as progress:
        before = progress.done
        while progress.done < chosen.until and not deadline.is_over and not progress.failures:
            go_on(progress, chosen.until, chosen.seed, deadline)
            deadline.show("kills", progress.done, before, chosen.until)
        counts, faults = progress.counts, list(progress.failures)
        print(
            f"\n{progress.describe(chosen.until, 'kills')} (CPU of the players)\n"
            f"  {counts['host']} hosts, {counts['writer']} writers, {counts['door']} doors; "
            f"{counts['acknowledged']:,} asks acknowledged, {counts['rounds']:,} shares of rounds"
        )
        if counts["timed"]:
            middle, slowest = (compute_percentile(counts, PAUSE, part) for part in (0.5, 0.99))
            print(f"  pause for who kept his socket: p50 {middle:.1f} s, p99 {slowest:.1f} s (goal {GOAL} s)")
        else:
            print("  no pause was timed: the machine had other things to do")
    faults += [f"99 of 100 pauses are over after {slowest:.1f} s"] if slowest > GOAL else []
    print("FAILED:" if faults else "fine", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
