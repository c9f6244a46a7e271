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
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
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
from tests.support.patience import PATIENCE
from tests.support.scripted_evening import fund, open_house, tape
from tests.support.seated_table import BET, open_seated_table, perform, wait_for_phase
from tests.support.volume import VOLUME
from ventuno.core.messages.commands import BringMoney, Spot, TakeSeat
from ventuno.core.table.state import Phase
from ventuno.house.store.clock import JumpingClock
from ventuno.house.store.file_lock import RESERVE_SIZE, DiskReserve
from ventuno.house.store.records import Batch
from ventuno.house.store.sqlite import PRAGMAS, ROOM_SECONDS, Writer, connect
from ventuno.house.store.store import StoreFailed, WriteRequest
from ventuno.house.tables.authority import Request
from ventuno.house.tables.table_host import stored_key
from ventuno.sheets import load

BATCHES = 22
AFTERWARDS = 3
Told = SimpleQueue[tuple[StoreFailed | None, bool]]


@dataclass
class FaultyDisk(Disk):
    """A disk that fails at the n-th step of a kind; a full one stays full until it is cleared, others fail once."""

    kind: str = ""
    at: int = 0
    met: int = 0
    is_cleared: bool = False
    planted: list[int] = field(default_factory=list)

    def happens(self, step: Step) -> None:
        wanted = "sync" if self.kind == "sync" else "write"
        if self.kind and step.kind == wanted:
            self.met += 1
            if self.met == self.at or (self.kind == "full" and self.met > self.at and not self.is_cleared):
                self.planted.append(len(self.steps))
                if self.kind == "sync":
                    self.forget(step.file)
                raise _fault(self.kind)
        super().happens(step)

    def clear(self) -> bool:
        """Somebody makes room."""
        self.is_cleared = True
        return True

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


def run(disk: FaultyDisk, batches: list[Batch], kind: type[Writer] = Writer, *, has_room: bool = False) -> int:
    """Commit one by one through the writer's thread; gives how many were acknowledged after the disk's first error.

    With `has_room` there is room on a full disk as soon as the writer asks for some; it opens before the disk is full.
    """
    fault_kind, disk.kind = disk.kind, "" if has_room else disk.kind
    told: Told = SimpleQueue()
    late, failed = 0, 0
    with suppress(apsw.Error), connect_to_disk(disk, EXCLUSIVE) as connection:
        writer = kind(connection, lambda _group, fault: told.put((fault, bool(disk.planted))), CHECKPOINT)
        if has_room:
            writer.make_room, disk.kind = disk.clear, fault_kind
        writer.start()
        for batch in batches:
            writer.put(WriteRequest(batch, lambda _: None))
            fault, erred = told.get(timeout=PATIENCE)
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


def swept(folder: Path, kind: str, writer: type[Writer] = Writer, *, has_room: bool = False) -> tuple[int, list[str]]:
    """A fault of this kind where it can come: how many places there are, and everything that went wrong.

    `soak volume` takes every place, the daily run every third; for a planted writer every seventh is enough.
    """
    batches = tape(2, 60).batches[:BATCHES]
    keys = sum(len(batch.keys) for batch in batches)
    ready = create_disk(folder / "ready").base
    (folder / "remains").mkdir()
    wrong: list[str] = []
    for at in range(1, 10_000, 7 if writer is not Writer else 1 if VOLUME else 3):
        disk = FaultyDisk(folder / "ready", ready, kind=kind, at=at)
        for old in disk.folder.glob("house.db*"):
            old.unlink()
        (disk.folder / "house.db").write_bytes(ready["house.db"])
        late = run(disk, batches, writer, has_room=has_room)
        if not disk.planted:
            return at - 1, wrong
        if late and not has_room:
            wrong.append(f"{kind} {at}: {late} acknowledged after the error")
        if has_room and len(disk.acknowledged) < keys:
            wrong.append(f"{kind} {at}: not everything was written once there was room")
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


def test_t5_where_room_is_made_what_a_full_disk_refused_is_written_and_all_of_it_survives(tmp_path: Path) -> None:
    """At any write, in the log and in the file: the group comes again, and whatever the power does then, it is there
    once.
    """
    met, wrong = swept(tmp_path, "full", has_room=True)
    assert met > 100
    assert wrong == []


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


def note_call(calls: list[int]) -> bool:
    """Nobody makes room."""
    calls.append(1)
    return False


@pytest.mark.parametrize(("kind", "freed"), [("full", 1), ("write", 0), ("sync", 0)])
def test_t5_a_full_disk_gives_the_reserve_back_and_other_errors_do_not(tmp_path: Path, kind: str, freed: int) -> None:
    disk = FaultyDisk(tmp_path / "disk", create_disk(tmp_path / "disk").base, kind=kind, at=20)
    given: list[int] = []
    told: Told = SimpleQueue()
    with suppress(apsw.Error), connect_to_disk(disk, EXCLUSIVE) as connection:
        writer = Writer(connection, lambda _group, fault: told.put((fault, True)))
        writer.make_room = partial(note_call, given)
        writer.start()
        for batch in tape(2, 60).batches[:BATCHES]:
            writer.put(WriteRequest(batch, lambda _: None))
            if told.get(timeout=PATIENCE)[0]:
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


def fill_disk(folder: Path, left: int) -> None:
    room = os.statvfs(folder)
    with (folder / f"filler-{left}").open("wb") as filler:
        os.posix_fallocate(filler.fileno(), 0, room.f_bavail * room.f_frsize - left)


def make_room(folder: Path) -> None:
    for filler in folder.glob("filler-*"):
        filler.unlink()


async def wait_for(what: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not what():
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("apart", [False, True])
def test_t5_a_full_disk_ends_rounds_in_the_reserve_begins_none_and_goes_on_when_there_is_room(
    small_disk: Path, *, apart: bool
) -> None:
    """One house, never restarted: what was refused by the disk is written in the reserve, bets are refused and given
    back, and with room again the next bet is taken.
    """
    url, reserve = f"sqlite:///{small_disk}/house.db", small_disk / "house.db.reserve"

    async def scenario() -> None:
        clock = JumpingClock()
        house = await open_house(url, clock, apart=apart)
        store = house.commits.store
        assert store.full == ""
        assert reserve.stat().st_blocks * 512 >= RESERVE_SIZE
        await open_seated_table(house)
        await house.open_table("T2", load("ventuno"))
        await perform(house, BringMoney("ada", 10_000, 0), "bring-2", "T2")
        await perform(house, TakeSeat("ada", 2, 0), "sit-2", "T2")
        await perform(house, BET, "bet")
        await wait_for_phase(clock, house, Phase.ROUND)
        await perform(house, replace(BET, spots=(Spot(2, "main"),)), "undealt", "T2")
        fill_disk(small_disk, 0)
        for number in range(2_000):
            if not reserve.exists():
                break
            await perform(house, BringMoney("ada", 1, 0), f"k{number}")
        await wait_for(lambda: "full" in store.full)
        await wait_for_phase(clock, house, Phase.RESULTS)
        await wait_for_phase(clock, house, Phase.BETTING)
        await wait_for_phase(clock, house, Phase.BETTING, "T2")
        assert [house.committed[name].table.total_stake_of("ada") for name in ("T", "T2")] == [0, 0]
        assert house.committed["T2"].table.rounds == 0, "bets that were not dealt went back"
        refused = await house.ask(Request("T", BET, "next", "ada"))
        assert refused.refused == "DiskFull"
        assert not (await house.ask(Request("T", BET, "bet", "ada"))).refused, "what was answered is answered again"
        assert house.housekeeping.refused_ticks == 0
        make_room(small_disk)
        await wait_for(lambda: not store.full)
        assert reserve.exists()
        await perform(house, BET, "next")
        assert house.authority.find_faults() == []
        await house.stop()
        again = await open_house(url, JumpingClock(), apart=apart, deep=True)
        assert again.committed["T"].table.total_stake_of("ada") == 500
        await again.stop()

    asyncio.run(scenario())


def test_t5_where_even_the_reserve_is_used_up_answers_wait_for_room(small_disk: Path) -> None:
    """Nothing is acknowledged and nothing is lost: what waits is answered when somebody has made room."""
    url = f"sqlite:///{small_disk}/house.db"

    async def scenario() -> None:
        house = await open_house(url, JumpingClock(), apart=True)
        await open_seated_table(house)
        DiskReserve(f"{small_disk}/house.db").release()
        fill_disk(small_disk, 0)
        waiting = [
            asyncio.create_task(perform(house, BringMoney("ada", 1, 0), f"k{number}")) for number in range(2_000)
        ]
        await wait_for(lambda: "full" in house.commits.store.full)
        await asyncio.sleep(2 * ROOM_SECONDS)
        assert not all(task.done() for task in waiting)
        make_room(small_disk)
        await asyncio.gather(*waiting)
        await wait_for(lambda: not house.commits.store.full)
        await house.stop()
        again = await open_house(url, JumpingClock(), deep=True)
        assert again.authority.wallet.balance("player:ada:table") == 52_000
        await again.stop()

    asyncio.run(scenario())


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
