"""The owner of a house on two hosts struck again and again under a crowd: killed, stopped, drained, ended (T-3, T-7).

    python3 dev.py soak cluster [--until N] [--minutes M] [--seed S]

Hosts, a door, a broker and a database of their own. After each strike the other host follows on the same sockets; after
twenty the nodes are stopped and the books are read to the last record. The next run goes on where this one stopped
(`bench/support/progress.py`). Exits 1 where an acknowledged ask is lost, a balance is not explained, a socket is lost
with its host, an epoch is not raised, or 99 of 100 pauses take longer than their goal, on a machine with nothing else
to do.
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
from tests.support.cluster_runs import DRAIN, KILL, STOP, STRIKES, TERM, ClusterRun
from tests.support.databases import create_database
from tests.support.kill_runs import waited
from tests.support.nats import open_broker
from tests.support.postgres import cluster
from ventuno.house.store.migrations import migrate

TIMES = 500
LIVE, SOLO = 2, 4
PORTION = 20
GOALS = {KILL: 3.0, STOP: 5.0, DRAIN: 0.5, TERM: 0.5}
"""Seconds of pause for who kept his socket: a kill, a host that stands still, an orderly hand-over."""
MODULES = ("tests.support.cluster_runs", "ventuno.cli.serve", "ventuno.web.doors.node", "ventuno.web.doors.broker_host")


async def besiege(run: ClusterRun, times: int, deadline: Deadline, pauses: Counter[str]) -> None:
    async with run:
        while run.found.kills < times and not deadline.is_over and not run.found.faults:
            how = run.chance.choice(STRIKES)
            before = len(run.found.pauses)
            await run.strike(how)
            pauses.update(f"{how} {pause:.1f}" for pause in run.found.pauses[before:])
        await run.go_on()
        await run.judge()


def go_on(progress: Progress, until: int, seed: int, deadline: Deadline) -> None:
    """One more house; what is left of one that failed stays beside the count."""
    folder = Path(tempfile.mkdtemp(prefix="ventuno-cluster-"))
    seed += progress.done
    began, started, waits = time.process_time(), time.monotonic(), waited(os.getpid())
    pauses = Counter[str]()
    with cluster() as server, open_broker() as broker:
        url = create_database(server)
        migrate(url)
        run = ClusterRun(folder, url, broker.url, LIVE, SOLO, seed=seed)
        try:
            asyncio.run(besiege(run, min(PORTION, until - progress.done), deadline, pauses))
            faults = run.found.faults
        except AssertionError as fault:
            faults = [*run.found.faults, str(fault)]
    if faults:
        kept = progress.path.with_suffix(f".{seed}")
        shutil.move(folder, kept)
        faults = [f"seed {seed}, strike {run.found.kills}: {fault} (see {kept.name})" for fault in faults]
    shutil.rmtree(folder, ignore_errors=True)
    counts = Counter(acknowledged=run.found.acknowledged, rounds=run.found.rounds, **run.found.parts)
    if waited(os.getpid()) - waits < BUSY * (time.monotonic() - started):
        counts += pauses
    progress.add(run.found.kills, time.process_time() - began, counts, faults)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, TIMES, "strikes")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(words)
    deadline = Deadline(chosen.minutes)
    with resume(chosen.progress, "cluster", MODULES, {"seed": chosen.seed}) as progress:
        before = progress.done
        while progress.done < chosen.until and not deadline.is_over and not progress.failures:
            go_on(progress, chosen.until, chosen.seed, deadline)
            deadline.show("strikes", progress.done, before, chosen.until)
        counts, faults = progress.counts, list(progress.failures)
        print(
            f"\n{progress.describe(chosen.until, 'strikes')} (CPU of the players)\n"
            f"  {', '.join(f'{counts[how]} x {how}' for how in STRIKES)}; "
            f"{counts['acknowledged']:,} asks acknowledged, {counts['rounds']:,} shares of rounds"
        )
        for how, goal in GOALS.items():
            if not any(name.startswith(f"{how} ") for name in counts):
                continue
            middle, slowest = (compute_percentile(counts, f"{how} ", part) for part in (0.5, 0.99))
            print(f"  pause after {how}: p50 {middle:.1f} s, p99 {slowest:.1f} s (goal {goal} s)")
            faults += [f"{how}: 99 of 100 pauses are over after {slowest:.1f} s"] if slowest > goal else []
    print("FAILED:" if faults else "fine", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
