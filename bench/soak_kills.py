"""The server killed hundreds of times under 200 players at 50 tables of all games (T-3, T-9, G-1, G-3, G-4).

    python3 dev.py soak kills [--kills N] [--seed S]

What the daily test does a few times, under fewer players: SIGKILL at a random moment, start, everybody comes back by
himself and sends again what was not answered. Exits 1 where an acknowledged ask is lost, a balance is not explained, a
card has changed, a round is gone, somebody does not come back, or 99 of 100 take longer than the goal.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.kill_runs import Found, KillRun, percentile

LIVE, SOLO = 25, 25
GOAL = 5.0
AT_ONCE = 20
"""Kills between two lines of print."""


async def besieged(folder: Path, kills: int, seed: int) -> Found:
    began = time.monotonic()
    async with KillRun(folder, LIVE, SOLO, seed=seed) as siege:
        print(f"{len(siege.players)} players at {LIVE + SOLO} tables", flush=True)
        while (left := kills - siege.found.kills) > 0:
            await siege.kill(min(left, AT_ONCE))
            print(
                f"{siege.found.kills} kills in {time.monotonic() - began:.0f} s; load {os.getloadavg()[0]:.1f}; "
                f"faults: {siege.found.faults or 'none'}",
                flush=True,
            )
            if siege.found.faults:
                break
        await siege.go_on()
        return await siege.judge()


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--kills", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ventuno-kills-") as folder:
        found = asyncio.run(besieged(Path(folder), given.kills, given.seed))
    slow = percentile(found.back, 0.99)
    print(
        f"{found.kills} kills, {found.acknowledged:,} asks acknowledged, {found.resent} sent again, {found.rounds:,} "
        f"shares of rounds; {found.same_cards} open rounds came back with the same cards, {found.finished} had ended\n"
        f"back at the table after a kill: p50 {percentile(found.back, 0.5):.2f} s, p99 {slow:.2f} s (goal {GOAL} s) "
        f"without the waits for a processor; by the wall's clock p50 {percentile(found.wall, 0.5):.2f} s, "
        f"p99 {percentile(found.wall, 0.99):.2f} s; the house was open after {percentile(found.opening, 0.5):.2f} s, "
        f"the first {AT_ONCE} times {percentile(found.opening[:AT_ONCE], 0.5):.2f}, "
        f"the last {percentile(found.opening[-AT_ONCE:], 0.5):.2f}\n"
        f"refusals: {dict(found.refusals)}\nfaults: {found.faults or 'none'}"
    )
    return int(bool(found.faults) or slow > GOAL)


if __name__ == "__main__":
    sys.exit(main())
