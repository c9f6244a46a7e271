"""T-3: a real process is killed (SIGKILL) again and again while five tables play; what it said holds.

After every kill: each acknowledged key is stored, each version that was shown is in the log as it was shown, its table
folds to the very cards, all money sums to zero. The next process recovers, checks itself and plays on. A kill leaves
the page cache alone, so this shows atomicity; durability is shown by the power cuts of T-4.

    VENTUNO_KILLS=2000 python dev.py test tests/house/tables/test_killed.py      as many as wanted
"""

from __future__ import annotations

import asyncio
import os
import random
import select
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest

from tests.support.killed_child import state_of
from tests.support.patience import PATIENCE
from tests.support.scripted_evening import SHEETS_BY_HASH
from tests.support.volume import scale
from ventuno.house.store.body_packing import unpack
from ventuno.house.store.durability import StoreInconsistent, open_store
from ventuno.house.store.records import Record
from ventuno.house.tables.authority import recover_table
from ventuno.house.tables.recovery import recover

KILLS = int(os.environ.get("VENTUNO_KILLS", scale(100)))
PER_FILE = 20
LONGEST = 0.25
HOUR = 3_600_000
CHILD = Path(__file__).parents[2] / "support" / "killed_child.py"


class Lost(AssertionError):
    """Something the house had said did not hold."""


class ForkedHouses:
    """Starts houses on a file and kills them."""

    def __init__(self, process: subprocess.Popen[str], pipe: int) -> None:
        self._process, self._pipe = process, pipe

    def life(self, file: Path, seed: int, planted: str, seconds: float) -> list[list[str]]:
        """One house from start to kill: what it said, in order."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        now = 1_790_000_000_000 + seed * HOUR
        self._process.stdin.write(f"{file} {seed} {now} {planted}\n")
        self._process.stdin.flush()
        house = int(self._process.stdout.readline())
        said, until = b"", time.monotonic() + PATIENCE
        ready = False
        while time.monotonic() < until:
            if select.select([self._pipe], [], [], max(until - time.monotonic(), 0))[0]:
                said += os.read(self._pipe, 1 << 16)
                if b"F " in said and b"\nF " in b"\n" + said:
                    break
                if not ready and b"R\n" in said:
                    ready, until = True, time.monotonic() + seconds
        with suppress(ProcessLookupError):
            os.kill(house, signal.SIGKILL)
        assert self._process.stdout.readline() == "dead\n"
        while select.select([self._pipe], [], [], 0)[0]:
            said += os.read(self._pipe, 1 << 16)
        lines = [line.split(" ", 1) for line in said.decode().split("\n")[:-1]]
        if failed := [rest for kind, *rest in lines if kind == "F"]:
            raise Lost(f"the house did not come back: {failed}")
        assert ready, "the house never came up"
        return lines


@contextmanager
def fork_houses() -> Iterator[ForkedHouses]:
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, CHILD, str(writing)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=[writing],
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    os.close(writing)
    try:
        yield ForkedHouses(process, reading)
    finally:
        process.communicate()
        os.close(reading)


def check(file: Path, said: list[list[str]]) -> tuple[int, int]:
    """What was said is there: gives how many keys were acknowledged and how many rounds stood open."""
    with closing(sqlite3.connect(file)) as connection:
        return compare(connection, said)


def compare(connection: sqlite3.Connection, said: list[list[str]]) -> tuple[int, int]:
    keys = {key for (key,) in connection.execute("SELECT key FROM keys")}
    acknowledged = [rest[0] for kind, *rest in said if kind == "A"]
    if missing := [key for key in acknowledged if key not in keys]:
        raise Lost(f"acknowledged and gone: {missing[:5]}")
    if total := connection.execute("SELECT SUM(amount) FROM postings").fetchone()[0]:
        raise Lost(f"all postings sum to {total}")
    shown = [rest[0].split(" ") for kind, *rest in said if kind == "S"]
    hashes = {(name, int(version)): link for name, version, link, _ in shown}
    for (name, version), link in hashes.items():
        row = connection.execute("SELECT hash FROM log WHERE stream = ? AND seq = ?", (f"table:{name}", version))
        if (found := row.fetchone()) is None or found[0].hex() != link:
            raise Lost(f"{name} {version} was shown and is not in the log")
    still_open = 0
    for name, last, _, state in {name: (name, *rest) for name, *rest in shown}.values():
        rows = connection.execute(
            "SELECT * FROM log WHERE stream = ? AND seq <= ? ORDER BY seq", (f"table:{name}", int(last))
        )
        room = recover_table([Record(*row)._replace(body=unpack(row[4])) for row in rows], dict(SHEETS_BY_HASH))
        still_open += room.table.phase == "round"
        if state_of(room.table) != state:
            raise Lost(f"{name} {last} does not come back with the same cards")
    return len(acknowledged), still_open


async def whole(file: Path) -> None:
    """Everything agrees with everything, from the first record on."""
    store = await open_store(f"sqlite:///{file}")
    try:
        found = await recover(store, SHEETS_BY_HASH, deep=True)
        settled = {row for room in found.rooms.values() for row in [room.table.rounds] if row}
        assert settled, "nobody played"
    finally:
        await store.close()


def killed(folder: Path, kills: int, planted: str = "none") -> tuple[int, int]:
    """Lives of houses, each ended by a kill, on a few files one after the other."""
    chance = random.Random(kills)
    acknowledged, still_open = 0, 0
    with fork_houses() as houses:
        for number in range(kills):
            file = folder / f"house{number // PER_FILE}.db"
            said = houses.life(file, number, planted, chance.uniform(0.01, LONGEST))
            keys, rounds = check(file, said)
            acknowledged, still_open = acknowledged + keys, still_open + rounds
            if number % PER_FILE == PER_FILE - 1 or number == kills - 1:
                asyncio.run(whole(file))
    return acknowledged, still_open


def test_t3_what_was_said_survives_every_kill(tmp_path: Path) -> None:
    acknowledged, still_open = killed(tmp_path, KILLS)
    print(f"{KILLS} kills: {acknowledged} acknowledged, none lost; {still_open} open rounds, all with their cards")
    assert acknowledged > KILLS
    assert still_open > KILLS // 4


@pytest.mark.parametrize("planted", ["early", "split"])
def test_t3_a_planted_fault_is_caught(tmp_path: Path, planted: str) -> None:
    """Acknowledged before the commit; records and money in two transactions."""
    with pytest.raises((Lost, StoreInconsistent)):
        killed(tmp_path, 20, planted)
