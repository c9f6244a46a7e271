"""Three hosts that decide at once, struck again and again under play: killed, stopped and woken, told to leave (T-3).

    python3 dev.py soak pits_cluster [--until N] [--minutes M] [--players P]

Each host is a process with its share of the pits, on a PostgreSQL and a broker of their own; every player's home and
table are in different pits. After each strike everybody is answered again and the books are read: sums, chains,
transfers, all that was acknowledged. The next run goes on where this one stopped (`bench/support/progress.py`). Exits 1
where one of these is wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.support.progress import Deadline, add_arguments, resume
from tests.support.databases import create_database
from tests.support.nats import open_broker
from tests.support.pit_cluster.books import choose_places
from tests.support.pit_cluster.strikes import STRIKES, PitRun, open_run
from tests.support.postgres import cluster
from ventuno.house.store.migrations import migrate

TIMES = 300
PORTION = 10
MODULES = ("tests.support.pit_cluster.strikes", "ventuno.house.pits.pit_node", "ventuno.web.doors.pit_post")


async def besiege(folder: Path, url: str, broker: str, players: int, times: int, deadline: Deadline) -> PitRun:
    """So many strikes on one house, or as many as there is time for."""
    async with open_run(folder, url, broker, choose_places(players)) as run:
        await run.go_on()
        for _ in range(times):
            if deadline.is_over or run.faults:
                break
            await run.strike(random.choice(STRIKES))
        await run.settle()
    return run


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser, TIMES, "strikes")
    parser.add_argument("--players", type=int, default=8)
    chosen = parser.parse_args(words)
    deadline = Deadline(chosen.minutes)
    with (
        resume(chosen.progress, "pits_cluster", MODULES, {"players": chosen.players}) as progress,
        cluster() as server,
        open_broker() as broker,
    ):
        before = progress.done
        while progress.done < chosen.until and not deadline.is_over:
            folder = Path(tempfile.mkdtemp(prefix="ventuno-pits-"))
            url = create_database(server)
            migrate(url)
            times, began = min(PORTION, chosen.until - progress.done), time.process_time()
            run = asyncio.run(besiege(folder, url, broker.url, chosen.players, times, deadline))
            done = {how: len(pauses) for how, pauses in run.pauses.items()}
            for how in STRIKES:
                progress.data.setdefault(how, []).extend(run.pauses[how])
                progress.data.setdefault(f"longest {how}", []).extend(run.longest[how])
            progress.add(sum(done.values()), time.process_time() - began, run.count_done() | done, run.faults)
            deadline.show("strikes", progress.done, before, chosen.until)
            if run.faults:
                print(f"the logs are in {folder}", *run.faults, sep="\n", flush=True)
                break
            shutil.rmtree(folder)
        print(file=sys.stderr)
        print(progress.describe(chosen.until, "strikes"))
        for how in STRIKES:
            if pauses := sorted(progress.data.get(how, [])):
                waits = progress.data[f"longest {how}"]
                told = f"{pauses[len(pauses) // 2]:.2f} s in the middle, {pauses[-1]:.2f} s at most"
                print(f"{how}: pits have a new owner after {told}; the longest wait of a player {max(waits):.2f} s")
    print("FAILED:" if progress.failures else "fine", *progress.failures, sep="\n")
    return 1 if progress.failures else 0


if __name__ == "__main__":
    sys.exit(main())
