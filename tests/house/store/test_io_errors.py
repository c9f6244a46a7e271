"""T-5, G-8: the disk reports an error at the n-th write or sync, or is full: nothing is acknowledged after it.

The faults come through the disk of the power cuts, under the real writer and its thread. A failed sync also forgets
what it did not write, as kernels do: whoever tries again believes a lie. One test uses a real limit of the kernel.
"""

from __future__ import annotations

import asyncio
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from queue import SimpleQueue

import apsw
import pytest

from tests.support.journaled_disk import (
    CHECKPOINT,
    EXCLUSIVE,
    KEPT,
    LOST,
    TORN,
    Disk,
    Step,
    connect_to_disk,
    create_disk,
    cut_power,
    find_damage,
)
from tests.support.scripted_evening import fund, open_house, tape
from tests.support.seated_table import BET, open_seated_table, perform, wait_for_phase
from ventuno.core.messages.commands import BringMoney
from ventuno.core.table.state import Phase
from ventuno.house.store.clock import JumpingClock
from ventuno.house.store.file_lock import RESERVE_SIZE
from ventuno.house.store.records import Batch
from ventuno.house.store.sqlite import PRAGMAS, Writer, connect
from ventuno.house.store.store import StoreFailed, WriteRequest
from ventuno.house.tables.authority import Request
from ventuno.house.tables.table_host import stored_key
from ventuno.sheets import load

BATCHES = 22
AFTERWARDS = 3
Told = SimpleQueue[tuple[StoreFailed | None, bool]]


@dataclass
class FaultyDisk(Disk):
    """A disk that fails at the n-th step of a kind; a full one stays full, other faults come once."""

    kind: str = ""
    at: int = 0
    met: int = 0
    planted: list[int] = field(default_factory=list)

    def happens(self, step: Step) -> None:
        wanted = "sync" if self.kind == "sync" else "write"
        if self.kind and step.kind == wanted:
            self.met += 1
            if self.met == self.at or (self.kind == "full" and self.met > self.at):
                self.planted.append(len(self.steps))
                if self.kind == "sync":
                    self.forget(step.file)
                raise _fault(self.kind)
        super().happens(step)

    def forget(self, file: str) -> None:
        """What waited for the failed sync is marked clean and gone; the next sync will not complain."""
        last = max((n for n, step in enumerate(self.steps) if step.kind == "sync" and step.file == file), default=-1)
        self.steps = [
            Step("lost", "") if n > last and step.file == file and step.kind == "write" else step
            for n, step in enumerate(self.steps)
        ]


def _fault(kind: str) -> Exception:
    if kind == "full":
        return apsw.FullError("planted: the disk is full")
    fault = apsw.IOError(f"planted: {kind} failed")
    result = apsw.SQLITE_IOERR_FSYNC if kind == "sync" else apsw.SQLITE_IOERR_WRITE
    setattr(fault, "extendedresult", result)  # noqa: B010  APSW reads it, its types do not know it
    return fault


class Stubborn(Writer):
    """A planted fault: a writer that tries again."""

    def write(self, group: Sequence[WriteRequest]) -> StoreFailed | None:
        first = super().write(group)
        self._failure = None
        return super().write(group) if first else None


class Careless(Writer):
    """A planted fault: a writer that does not look at errors."""

    def write(self, group: Sequence[WriteRequest]) -> StoreFailed | None:
        super().write(group)
        self._failure = None
        return None


def run(disk: FaultyDisk, batches: list[Batch], kind: type[Writer] = Writer) -> int:
    """Commit one by one through the writer's thread; gives how many were acknowledged after the disk's first error."""
    told: Told = SimpleQueue()
    late, failed = 0, 0
    with suppress(apsw.Error), connect_to_disk(disk, EXCLUSIVE) as connection:
        writer = kind(connection, lambda _group, fault: told.put((fault, bool(disk.planted))), CHECKPOINT)
        writer.start()
        for batch in batches:
            writer.put(WriteRequest(batch, lambda _: None))
            fault, erred = told.get(timeout=60)
            if fault is None:
                disk.acknowledge(batch)
                late += erred
            else:
                failed += 1
            if failed > AFTERWARDS:
                break
        steps = list(disk.steps)
        with suppress(apsw.Error):
            writer.stop()
        disk.steps = steps
    return late


def recovered(folder: Path, batches: list[Batch]) -> None:
    """What is left opens on a stock SQLite, and the evening goes on to its end."""
    connection = connect(str(folder / "house.db"), PRAGMAS | {"synchronous": "off"})
    keys = {key for (key,) in connection.execute("SELECT key FROM keys")}
    heads = dict(connection.execute("SELECT stream, seq FROM heads"))
    writer = Writer(connection, lambda *_: None)
    missing = [
        batch
        for batch in batches
        if not any(key.key in keys for key in batch.keys)
        and batch.records[0].seq > heads.get(batch.records[0].stream, 0)
    ]
    assert writer.write([WriteRequest(batch, lambda _: None) for batch in missing]) is None
    connection.close()


def swept(folder: Path, kind: str, writer: type[Writer] = Writer) -> tuple[int, list[str]]:
    """A fault of this kind at every place where it can come: how many met, and everything that went wrong.

    For a planted writer every seventh place is enough.
    """
    batches = tape(2, 60).batches[:BATCHES]
    ready = create_disk(folder / "ready").base
    (folder / "remains").mkdir()
    wrong: list[str] = []
    for at in range(1, 10_000, 1 if writer is Writer else 7):
        disk = FaultyDisk(folder / "ready", ready, kind=kind, at=at)
        for old in disk.folder.glob("house.db*"):
            old.unlink()
        (disk.folder / "house.db").write_bytes(ready["house.db"])
        late = run(disk, batches, writer)
        if not disk.planted:
            return at - 1, wrong
        if late:
            wrong.append(f"{kind} {at}: {late} acknowledged after the error")
        chance, place = random.Random(at), len(disk.steps)
        for how in (LOST, KEPT, TORN):
            files = cut_power(disk, place, how, chance)
            if fault := find_damage(folder / "remains", files, disk.before(place)):
                wrong.append(f"{kind} {at} {how}: {fault}")
            elif writer is Writer:
                recovered(folder / "remains", batches)
    raise AssertionError("the evening never ends")


@pytest.mark.parametrize("kind", ["write", "sync", "full"])
def test_t5_no_acknowledgement_after_an_error_and_a_clean_recovery(tmp_path: Path, kind: str) -> None:
    met, wrong = swept(tmp_path, kind)
    print(f"{met} places for a fault of kind {kind}: no acknowledgement after it, every recovery clean")
    assert met > (100 if kind != "sync" else BATCHES)
    assert wrong == []


@pytest.mark.parametrize("kind", ["write", "sync", "full"])
def test_t5_a_planted_writer_that_does_not_look_loses(tmp_path: Path, kind: str) -> None:
    _, wrong = swept(tmp_path, kind, Careless)
    assert any("acknowledged and lost" in fault for fault in wrong)


def test_t5_a_planted_writer_that_tries_again_is_caught(tmp_path: Path) -> None:
    _, wrong = swept(tmp_path, "sync", Stubborn)
    assert any("acknowledged after the error" in fault for fault in wrong)


def test_t5_a_real_limit_of_the_kernel_stops_the_house(tmp_path: Path) -> None:
    """A process whose files may not grow: the kernel refuses a write, the house stops, all it had said is there."""
    file = tmp_path / "house.db"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, __file__, file], check=True, capture_output=True, text=True, env=env)
    lines = done.stdout.splitlines()
    assert lines[-1].startswith("stopped: the store stopped")
    connection = sqlite3.connect(file)
    keys = {key for (key,) in connection.execute("SELECT key FROM keys")}
    assert connection.execute("SELECT SUM(amount) FROM postings").fetchone() == (0,)
    connection.close()
    assert len(lines) > 20
    assert set(lines[:-1]) <= keys

    async def again() -> None:
        house = await open_house(f"sqlite:///{file}", JumpingClock(), deep=True)
        await house.stop()

    asyncio.run(again())


@pytest.mark.parametrize(("kind", "freed"), [("full", 1), ("write", 0), ("sync", 0)])
def test_t5_a_full_disk_gives_the_reserve_back_and_other_errors_do_not(tmp_path: Path, kind: str, freed: int) -> None:
    disk = FaultyDisk(tmp_path / "disk", create_disk(tmp_path / "disk").base, kind=kind, at=20)
    given: list[int] = []
    told: Told = SimpleQueue()
    with suppress(apsw.Error), connect_to_disk(disk, EXCLUSIVE) as connection:
        writer = Writer(connection, lambda _group, fault: told.put((fault, True)))
        writer.when_full = lambda: given.append(1)
        writer.start()
        for batch in tape(2, 60).batches[:BATCHES]:
            writer.put(WriteRequest(batch, lambda _: None))
            if told.get(timeout=60)[0]:
                break
        with suppress(apsw.Error):
            writer.stop()
    assert len(given) == freed


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 40 MB, where the system lets us have one."""
    folder = tmp_path / "small"
    folder.mkdir()
    line = ["mount", "-t", "tmpfs", "-o", "size=40m", "ventuno", str(folder)]
    if not shutil.which("mount") or subprocess.run(line, check=False, capture_output=True).returncode:
        pytest.skip("no file system may be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


@pytest.mark.parametrize("apart", [False, True])
def test_t5_on_a_full_disk_open_rounds_end_in_the_reserve_and_no_new_one_begins(
    small_disk: Path, *, apart: bool
) -> None:
    """The house stops at the first refused write; its next life ends the round and refuses bets until there is room."""
    url, reserve = f"sqlite:///{small_disk}/house.db", small_disk / "house.db.reserve"

    async def fills() -> set[str]:
        clock = JumpingClock()
        house = await open_house(url, clock, apart=apart)
        assert house.commits.store.full == ""
        assert reserve.stat().st_blocks * 512 >= RESERVE_SIZE
        await open_seated_table(house)
        await perform(house, BET, "bet")
        await wait_for_phase(clock, house, Phase.ROUND)
        room = os.statvfs(small_disk)
        with (small_disk / "filler").open("wb") as filler:
            os.posix_fallocate(filler.fileno(), 0, room.f_bavail * room.f_frsize - 100_000)
        keys: set[str] = set()
        with suppress(StoreFailed):
            for number in range(10_000):
                await perform(house, BringMoney("ada", 1, 0), f"k{number}")
                keys.add(f"ask:ada k{number}")
        assert "full" in str(house.commits.failed.result())
        assert not reserve.exists()
        await house.stop()
        return keys

    async def ends(keys: set[str]) -> None:
        clock = JumpingClock()
        house = await open_house(url, clock, apart=apart, deep=True)
        assert "full" in house.commits.store.full
        assert keys <= {key.key for key in await house.commits.store.read_recent_keys(100_000)}
        await wait_for_phase(clock, house, Phase.RESULTS)
        await wait_for_phase(clock, house, Phase.BETTING)
        assert house.committed["T"].table.total_stake_of("ada") == 0
        no = await house.ask(Request("T", BET, "next", "ada"))
        assert no.refused == "DiskFull"
        assert not (await house.ask(Request("T", BET, "bet", "ada"))).refused, "what was answered is answered again"
        assert house.authority.find_faults() == []
        await house.stop()

    async def opens() -> None:
        house = await open_house(url, JumpingClock())
        assert house.commits.store.full == ""
        assert reserve.exists()
        await perform(house, BET, "next")
        await house.stop()

    keys = asyncio.run(fills())
    asyncio.run(ends(keys))
    (small_disk / "filler").unlink()
    asyncio.run(opens())


async def _until_full(file: str) -> str:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    house = await open_house(f"sqlite:///{file}", JumpingClock())
    await house.open_table("T", load("ventuno"))
    await fund(house, {"ada": 10**9})
    size = os.path.getsize(f"{file}-wal") + 1_000_000
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    lines = []
    for number in range(100_000):
        request = Request("T", BringMoney("ada", 1, 0), f"k{number}", "ada")
        try:
            await house.ask(request)
        except StoreFailed as fault:
            lines.append(f"stopped: {fault}")
            break
        lines.append(stored_key(request))
    with suppress(Exception):
        await house.commits.store.close()
    return "\n".join(lines)


if __name__ == "__main__":
    print(asyncio.run(_until_full(sys.argv[1])))
