"""What the fence of several machines costs a commit on PostgreSQL: a server of our own that syncs its disk.

The same batches are written by one session in three ways: by the statements of a house of one process, in one call
without a fence, and in one call that locks and compares the epochs of its pits. The ways take turns, so that what else
the machine does meets all of them.

    python3 dev.py bench fence [--commits 400] [--batches 4] [--turns 5]
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import asyncpg

from tests.support.databases import create_database
from tests.support.postgres import cluster
from ventuno.house.store.fenced_commit import commit, prepare, take_pit
from ventuno.house.store.migrations import migrate
from ventuno.house.store.postgres import make_dsn, write
from ventuno.house.store.records import Batch, Head, KeyRow, PostingRow, chain_events
from ventuno.house.store.store import WriteRequest

LEASE = 3_600_000
PITS = 8
"""Pits in one commit, where there is a fence."""
WAYS = ("statements", "one call", "one call, fenced")


class Writer:
    """Batches as a bet makes them: a record, two postings, a key."""

    def __init__(self, session: Any, epochs: Mapping[int, int]) -> None:
        self._session, self._epochs = session, epochs
        self._heads: dict[str, Head] = {}
        self._place = 0

    def make_group(self, batches: int) -> list[WriteRequest]:
        group = []
        for number in range(batches):
            stream = f"table:T{number}"
            records, head = chain_events(self._heads.get(stream, Head()), stream, 1, [("BetPlaced", b"{}" * 100)])
            self._heads[stream] = head
            names = f"player:{number}:in-play", f"house:x#{number}"
            postings = tuple(
                PostingRow(stream, head.seq, name, amount, "", "") for name, amount in zip(names, (5, -5), strict=True)
            )
            key = KeyRow(f"ask:{stream} {head.seq}", bytes(32), b"{}")
            group.append(WriteRequest(Batch(records, postings, (key,)), lambda _fault: None))
        return group

    async def write(self, way: str, batches: int) -> float:
        """Seconds of one commit."""
        group = self.make_group(batches)
        began = time.perf_counter()
        if way == "statements":
            self._place = await write(self._session, group, self._place)
        else:
            fence = self._epochs if way == "one call, fenced" else {}
            self._place = await commit(self._session, group, fence, self._place)
        return time.perf_counter() - began


async def measure(url: str, commits: int, batches: int, turns: int) -> dict[str, list[float]]:
    session = await asyncpg.connect(url)
    await prepare(session)
    epochs: dict[int, int] = {}
    for pit in range(PITS):
        epochs = await take_pit(session, pit, "h1", LEASE) or {}
    writer, taken = Writer(session, epochs), {way: list[float]() for way in WAYS}
    for turn in range(turns + 1):
        for way in WAYS:
            times = [await writer.write(way, batches) for _ in range(commits if turn else 20)]
            taken[way] += times if turn else []
    await session.close()
    return taken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--commits", type=int, default=400)
    parser.add_argument("--batches", type=int, default=4)
    parser.add_argument("--turns", type=int, default=5)
    given = parser.parse_args()
    with cluster() as server:
        url = create_database(server)
        migrate(url)
        taken = asyncio.run(measure(make_dsn(url), given.commits, given.batches, given.turns))
    for way, times in taken.items():
        parts = statistics.quantiles(times, n=100)
        print(f"{way:20} {given.batches} batches: median {parts[49] * 1e3:6.3f} ms, p99 {parts[98] * 1e3:6.3f} ms")
    return 0


if __name__ == "__main__":
    sys.exit(main())
