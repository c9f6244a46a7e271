"""The server killed thousands of times under 200 players at 50 tables of all games (T-3, T-9, G-1, G-3, G-4).

    python3 dev.py soak kills [--until N] [--minutes M] [--databases NAME...] [--seed S]

What the daily test does a few times, under fewer players: SIGKILL at a random moment, start, everybody comes back by
himself and sends again what was not answered. SQLite and PostgreSQL take turns and have half of the kills each; a house
is killed fifty times, stopped, and its books are read to the last record. The next run goes on where this one
stopped (`bench/support/progress.py`). Exits 1 where an acknowledged ask is lost, a balance is not explained, a card has
changed, a round is gone, somebody does not come back, or 99 of 100 take longer than the goal on a machine with nothing
else to do.
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
from contextlib import ExitStack, contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.support.progress import Deadline, Progress, add_arguments, resume
from tests.support.databases import create_database
from tests.support.kill_runs import HURRIED, Found, KillRun, waited
from tests.support.postgres import cluster

KILLS = 2_000
LIVE, SOLO = 25, 25
GOAL = 5.0
BUSY = 0.1
"""Part of the time that players may wait for a processor; where it was more, how soon they were back says nothing."""
PORTION = 50
"""Kills of one house."""
DATABASES = ("sqlite", "postgresql")
MODULES = ("tests.support.kill_runs", "ventuno.cli.serve")
BACK, WALL, OPENING, REFUSED = "back after ", "back by the wall after ", "open after ", "refused as "


@contextmanager
def open_database(kind: str) -> Iterator[str]:
    """The address of a new database; empty where the house makes a file of its own."""
    if kind == "sqlite":
        yield ""
    else:
        with cluster() as server:
            yield create_database(server)


async def besiege(run: KillRun, kills: int, deadline: Deadline) -> Found:
    async with run:
        while (left := kills - run.found.kills) > 0 and not deadline.is_over:
            await run.kill(min(left, HURRIED))
            if run.found.faults:
                break
        await run.go_on()
        return await run.judge()


def count_up(found: Found, is_quiet: bool) -> Counter[str]:
    """What is added to the sum; times are counted by tenths of a second, where the machine had time for the players."""
    counts = Counter(
        acknowledged=found.acknowledged,
        resent=found.resent,
        rounds=found.rounds,
        same_cards=found.same_cards,
        finished=found.finished,
    )
    if is_quiet:
        counts["timed"] = found.kills
        for name, values in ((BACK, found.back), (WALL, found.wall), (OPENING, found.opening)):
            counts.update(f"{name}{value:.1f}" for value in values)
    counts.update({f"{REFUSED}{reason}": times for reason, times in found.refusals.items()})
    return counts


def compute_percentile(counts: Counter[str], name: str, part: float) -> float:
    """Of the times that were counted under this name; 0 where there are none."""
    times = sorted((float(key.removeprefix(name)), many) for key, many in counts.items() if key.startswith(name))
    left = part * sum(many for _, many in times)
    for value, many in times:
        left -= many
        if left < 0:
            return value
    return times[-1][0] if times else 0.0


def go_on(kind: str, progress: Progress, share: int, seed: int, deadline: Deadline) -> None:
    """One more house, killed as often as the time allows; what is left of one that failed stays beside the count."""
    folder = Path(tempfile.mkdtemp(prefix="ventuno-kills-"))
    seed += progress.done
    began, started, waits, faults = time.process_time(), time.monotonic(), waited(os.getpid()), list[str]()
    with open_database(kind) as database:
        run = KillRun(folder, LIVE, SOLO, seed=seed, database=database)
        try:
            faults = asyncio.run(besiege(run, min(PORTION, share - progress.done), deadline)).faults
        except AssertionError as fault:
            faults = [*run.found.faults, str(fault)]
    if faults:
        kept = progress.path.with_suffix(f".{seed}")
        shutil.move(folder, kept)
        faults = [f"seed {seed}, kill {run.found.kills}: {fault} (see {kept.name})" for fault in faults]
    shutil.rmtree(folder, ignore_errors=True)
    is_quiet = waited(os.getpid()) - waits < BUSY * (time.monotonic() - started)
    progress.add(run.found.kills, time.process_time() - began, count_up(run.found, is_quiet), faults)


def describe_times(counts: Counter[str]) -> str:
    if not counts["timed"]:
        return "no kill was timed: the machine had other things to do"
    back, wall, opening = (
        [compute_percentile(counts, name, part) for part in (0.5, 0.99)] for name in (BACK, WALL, OPENING)
    )
    return (
        f"{counts['timed']:,} kills timed; back at the table: p50 {back[0]:.1f} s, p99 {back[1]:.1f} s (goal {GOAL} s) "
        f"without the waits for a processor; by the wall's clock p50 {wall[0]:.1f} s, p99 {wall[1]:.1f} s; the house "
        f"was open after {opening[0]:.1f} s"
    )


def report(progress: Progress, share: int) -> float:
    """Prints the sum; the seconds after which 99 of 100 are back."""
    counts = progress.counts
    print(
        f"{progress.describe(share, 'kills')} (CPU of the players)\n"
        f"  {counts['acknowledged']:,} asks acknowledged, {counts['resent']:,} sent again, {counts['rounds']:,} shares "
        f"of rounds; {counts['same_cards']:,} open rounds came back with the same cards, {counts['finished']:,} had "
        f"ended\n"
        f"  {describe_times(counts)}\n"
        f"  refusals: { {key.removeprefix(REFUSED): many for key, many in counts.items() if key.startswith(REFUSED)} }"
    )
    return compute_percentile(counts, BACK, 0.99)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, KILLS, "kills")
    parser.add_argument("--databases", nargs="+", default=list(DATABASES), choices=list(DATABASES))
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(words)
    deadline, share = Deadline(chosen.minutes), -(-chosen.until // len(chosen.databases))
    with ExitStack() as stack:
        counts = {
            kind: stack.enter_context(resume(chosen.progress, f"kills-{kind}", MODULES, {"seed": chosen.seed}))
            for kind in chosen.databases
        }
        before = sum(progress.done for progress in counts.values())
        while not deadline.is_over:
            kind = min(counts, key=lambda kind: counts[kind].done)
            if counts[kind].done >= share:
                break
            go_on(kind, counts[kind], share, chosen.seed, deadline)
            deadline.show("kills", sum(one.done for one in counts.values()), before, chosen.until)
        print(file=sys.stderr)
        slow = max(report(progress, share) for progress in counts.values())
        faults = [fault for progress in counts.values() for fault in progress.failures]
    faults += [f"99 of 100 are back after {slow:.1f} s"] if slow > GOAL else []
    print("FAILED:" if faults else "fine", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
