"""A house on two hosts struck again and again under a crowd: its owner, its lines, its broker, its database (T-3, T-7).

    python3 dev.py soak cluster [--kind owners|partitions|promotions|upgrades] [--until N] [--minutes M] [--seed S]

Hosts, a door, a broker and a database of their own, or three with `promotions`. `owners` are killed, stopped, drained,
ended; `partitions` fall between hosts, door, broker and database; `promotions` lose the primary; `upgrades` change the
version of one host after the other, on a schema of the next one. After each strike everybody goes on by his socket;
after some the nodes are stopped and the books are read to the last record. The next run goes on where this one stopped
(`bench/support/progress.py`). Exits 1 where an acknowledged ask is lost, a balance is not explained, a socket is lost,
an epoch is not raised, a round is void, a host logs an error, or 99 of 100 pauses take longer than their goal, on a
machine with nothing else to do.
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
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.soak_kills import BUSY, compute_percentile
from bench.support.progress import Deadline, Progress, add_arguments, resume
from tests.support.cluster_faults import (
    DOOR_KILL,
    FOLLOWED,
    PARTITIONS,
    PROMOTIONS,
    REPAIRED,
    PartitionedRun,
    ReplicatedRun,
)
from tests.support.cluster_runs import DRAIN, KILL, STOP, STRIKES, TERM, ClusterRun
from tests.support.databases import create_database, execute
from tests.support.kill_runs import waited
from tests.support.nats import open_broker
from tests.support.next_versions import EXPANDED, as_version, plant_expanded
from tests.support.postgres import cluster, replicated
from ventuno.house.store.migrations import migrate

OWNERS, UPGRADES = "owners", "upgrades"
UPGRADE = "upgrade"
KINDS = {OWNERS: STRIKES, "partitions": PARTITIONS, "promotions": PROMOTIONS, UPGRADES: (UPGRADE,)}
TIMES = {OWNERS: 500, "partitions": 500, "promotions": 50, UPGRADES: 20}
LIVE, SOLO = 2, 4
PORTION = 20
LOADED = "loaded "
"""Before the names of pauses that were measured while others had the processors: they are shown, and judge nothing."""
GOALS = {
    KILL: 3.0,
    STOP: 5.0,
    DRAIN: 0.5,
    TERM: 0.5,
    UPGRADE: 1.0,
    **dict.fromkeys((*FOLLOWED, DOOR_KILL), 5.0),
    **dict.fromkeys(REPAIRED, 2.0),
    **dict.fromkeys(PROMOTIONS, 2.0),
}
"""Seconds of pause for who kept his socket: from the strike where another host follows, from its end where all is
repaired, from the promotion where the primary was lost.
"""
MODULES = (
    *("tests.support.cluster_faults", "tests.support.next_versions", "ventuno.cli.serve"),
    *("ventuno.web.doors.node", "ventuno.web.doors.broker_host", "ventuno.web.doors.broker_door"),
)


async def besiege(run: ClusterRun, kind: str, times: int, deadline: Deadline, pauses: Counter[str]) -> None:
    async with run:
        plants = [plant_expanded, None]
        while run.found.kills < times and not deadline.is_over and not run.found.faults:
            how = run.chance.choice(KINDS[kind])
            before = len(run.found.pauses)
            if how == UPGRADE:
                await run.roll(plants[run.found.kills % 2])
            else:
                await run.strike(how)
            since = run.since_promotion if isinstance(run, ReplicatedRun) else run.found.pauses
            pauses.update(f"{how} {pause:.1f}" for pause in since[before:])
        await run.go_on()
        await run.judge()


@contextmanager
def open_run(kind: str, folder: Path, seed: int) -> Iterator[ClusterRun]:
    """A house of this kind, with all that it needs."""
    with open_broker() as broker:
        if kind == "promotions":
            with replicated() as servers:
                first = servers.servers[servers.primary]
                asyncio.run(execute(first.url("postgres"), "CREATE DATABASE house"))
                migrate(first.url("house"))
                yield ReplicatedRun(folder, "house", servers, broker.url, LIVE, SOLO, seed=seed, unsafe=False)
            return
        with cluster() as server:
            url = create_database(server)
            migrate(url)
            if kind == UPGRADES:
                with as_version(EXPANDED):
                    migrate(url)
            if kind == "partitions":
                yield PartitionedRun(folder, url, server, broker, LIVE, SOLO, seed=seed)
            else:
                yield ClusterRun(folder, url, broker.url, LIVE, SOLO, seed=seed)


def go_on(progress: Progress, kind: str, until: int, seed: int, deadline: Deadline) -> None:
    """One more house; what is left of one that failed stays beside the count."""
    folder = Path(tempfile.mkdtemp(prefix="ventuno-cluster-"))
    seed += progress.done
    began, started, waits = time.process_time(), time.monotonic(), waited(os.getpid())
    pauses = Counter[str]()
    with open_run(kind, folder, seed) as run:
        try:
            asyncio.run(besiege(run, kind, min(PORTION, until - progress.done), deadline, pauses))
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
    else:
        counts.update({f"{LOADED}{name}": number for name, number in pauses.items()})
    progress.add(run.found.kills, time.process_time() - began, counts, faults)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, 0, "strikes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--kind", choices=tuple(KINDS), action="append", help="what is struck; all kinds by default")
    chosen = parser.parse_args(words)
    deadline = Deadline(chosen.minutes)
    return max(strike_all(kind, chosen, deadline) for kind in chosen.kind or KINDS)


def strike_all(kind: str, chosen: argparse.Namespace, deadline: Deadline) -> int:
    """Everything of one kind that is not done yet, and what came of it."""
    until = chosen.until or TIMES[kind]
    with resume(chosen.progress, f"cluster-{kind}", MODULES, {"seed": chosen.seed}) as progress:
        before = progress.done
        while progress.done < until and not deadline.is_over and not progress.failures:
            go_on(progress, kind, until, chosen.seed, deadline)
            deadline.show("strikes", progress.done, before, until)
        counts, faults = progress.counts, list(progress.failures)
        print(
            f"\n{kind}: {progress.describe(until, 'strikes')} (CPU of the players)\n"
            f"  {', '.join(f'{counts[how]} x {how}' for how in GOALS if counts[how])}; "
            f"{counts['acknowledged']:,} asks acknowledged, {counts['rounds']:,} shares of rounds"
        )
        for how, goal in GOALS.items():
            for prefix in ("", LOADED):
                if not any(name.startswith(f"{prefix}{how} ") for name in counts):
                    continue
                middle, slowest = (compute_percentile(counts, f"{prefix}{how} ", part) for part in (0.5, 0.99))
                beside = ", beside other work on the machine" if prefix else ""
                print(f"  pause after {how}: p50 {middle:.1f} s, p99 {slowest:.1f} s (goal {goal} s){beside}")
                if slowest > goal and not prefix:
                    faults.append(f"{how}: 99 of 100 pauses are over after {slowest:.1f} s")
    print("FAILED:" if faults else "fine", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
