"""A hundred thousand paired runs of each game: nothing is told of what is hidden before it is shown (G-15, H-1…H-9).

    python3 dev.py soak pairs [--nodes] [--until N] [--minutes M] [--games NAME...] [--seed S]

Two houses live through the same rounds with other cards where none is shown, or with other choices that are nobody
else's; every byte that leaves them is compared with its time (`tests/support/paired_runs.py`). The games take turns;
the next run goes on where this one stopped (`bench/support/progress.py`). Exits 1 where two houses differed, now or in
an earlier run of the same count, and where one of the planted leaks is not found.

With `--nodes` both houses are hosts on PostgreSQL with two doors each over NATS, and a thousand pairs of each game are
run: what doors send to clients, what passes over the broker to doors and what nodes tell of themselves is compared, and
nothing of a shoe passes in the clear (`tests/support/paired_node_runs.py`).
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
from tests.support.databases import create_database
from tests.support.paired_node_houses import open_paired_nodes
from tests.support.paired_node_runs import NODE_LEAKS, Sides, list_modes, run_pair
from tests.support.paired_runs import Pairs, found, paired
from tests.support.planted_leaks import LEAKS
from tests.support.postgres import Cluster, cluster
from tests.support.simulation.simulation import rarely_collected
from ventuno.house.store.migrations import migrate
from ventuno.sheets import GAMES, load

PAIRS = 100_000
PORTION = 1_000
"""Pairs after which both houses are opened anew, so that they do not grow, and the count is kept."""
MODULES = ("tests.support.paired_runs", "tests.support.planted_leaks")
NODE_PAIRS, NODE_PORTION, NODE_LEAK_SEEDS = 1_000, 40, 20
NODE_MODULES = ("tests.support.paired_node_runs", "ventuno.web.doors.broker_door", "ventuno.web.doors.node")
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


async def compare_nodes(game: str, seeds: range, databases: tuple[str, str]) -> tuple[Counter[str], list[str]]:
    """The same on nodes."""
    seen, faults, modes = Counter[str](), list[str](), list_modes(load(game))
    with tempfile.TemporaryDirectory() as folder:
        async with open_paired_nodes(Path(folder), databases) as sides:
            for seed in seeds:
                mode = modes[seed % len(modes)]
                times, differ = await run_pair(sides, game, mode, seed, reads=seed == seeds.start)
                seen.update({mode: 1, "compared": times})
                faults += [f"{game}, {mode}, seed {seed}: {way}: {what}" for way, what in differ.items()]
            return seen, faults


async def find_unnoticed_nodes(databases: tuple[str, str]) -> list[str]:
    """The leaks between nodes that nobody notices on their way."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_paired_nodes(Path(folder), databases) as sides:
            return [f"not noticed: {name}" for name in NODE_LEAKS if not await is_noticed(sides, name)]


async def is_noticed(sides: Sides, name: str) -> bool:
    leak = NODE_LEAKS[name]
    with pytest.MonkeyPatch.context() as patched:
        leak.plant(patched, sides)
        for seed in range(NODE_LEAK_SEEDS):
            _, differ = await run_pair(sides, "ventuno", "hole", seed, reads=False)
            if set(leak.ways) <= set(differ):
                return True
    return False


def go_on_nodes(game: str, progress: Progress, until: int, first: int, server: Cluster) -> None:
    """One more portion of a game in two new houses; before its first the leaks between nodes."""
    began = time.process_time()
    if PLANTED not in progress.data:
        missed = asyncio.run(find_unnoticed_nodes(create_databases(server)))
        progress.data[PLANTED] = len(NODE_LEAKS)
        progress.add(0, time.process_time() - began, {}, missed)
        began = time.process_time()
    start, size = first + progress.done, min(NODE_PORTION, until - progress.done)
    seen, faults = asyncio.run(compare_nodes(game, range(start, start + size), create_databases(server)))
    progress.add(size, time.process_time() - began, seen, faults)


def create_databases(server: Cluster) -> tuple[str, str]:
    urls = create_database(server), create_database(server)
    for url in urls:
        migrate(url)
    return urls


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
    add_arguments(parser, 0, "pairs of each game")
    parser.add_argument("--nodes", action="store_true", help="houses on nodes, with a broker that is heard")
    parser.add_argument("--games", nargs="+", default=list(GAMES), choices=list(GAMES))
    parser.add_argument("--seed", type=int, default=1_000_000, help="where the seeds begin; CI takes those from 0")
    chosen = parser.parse_args(words)
    deadline, settings = Deadline(chosen.minutes), {"seed": chosen.seed}
    until = chosen.until or (NODE_PAIRS if chosen.nodes else PAIRS)
    kind, modules = ("pairs-nodes", NODE_MODULES) if chosen.nodes else ("pairs", MODULES)
    with ExitStack() as stack:
        server = stack.enter_context(cluster()) if chosen.nodes else None
        counts = {
            game: stack.enter_context(resume(chosen.progress, f"{kind}-{game}", modules, settings))
            for game in chosen.games
        }
        before = sum(progress.done for progress in counts.values())
        while not deadline.is_over:
            game = min(counts, key=lambda game: counts[game].done)
            if counts[game].done >= until:
                break
            if server is not None:
                go_on_nodes(game, counts[game], until, chosen.seed, server)
            else:
                go_on(game, counts[game], until, chosen.seed)
            done = sum(progress.done for progress in counts.values())
            deadline.show("pairs", done, before, until * len(counts))
        print(file=sys.stderr)
        for progress in counts.values():
            print(progress.describe(until, f"pairs, {progress.data.get(PLANTED, 0)} planted leaks tried"))
            print(f"  {dict(sorted(progress.counts.items()))}")
        faults = [fault for progress in counts.values() for fault in progress.failures]
    print("FAILED:" if faults else "fine", *faults, sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
