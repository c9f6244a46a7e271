"""The writer in a process of its own: the same promises as the one in a thread, whichever of the two is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.patience import PATIENCE
from tests.support.scripted_evening import open_house
from tests.support.seated_table import BET, open_seated_table, perform
from ventuno.house.store import sqlite
from ventuno.house.store.clock import JumpingClock
from ventuno.house.store.durability import open_store
from ventuno.house.store.migrations import migrate
from ventuno.house.store.records import Batch, KeyRow, PostingRow, Snapshot
from ventuno.house.store.sqlite import Connection, SqliteStore, Writer, WriterProcess, connect, encode_packet
from ventuno.house.store.store import HouseOpen, StoreFailed, WriteRequest
from ventuno.house.store.writer_process import BackgroundCheckpoint, Inbox
from ventuno.house.tables.table_host import TableHost


def one(number: int) -> Batch:
    return Batch(keys=(KeyRow(f"k{number}", b"d", b"a"),))


def writer(store: object) -> WriterProcess:
    assert isinstance(store, SqliteStore)
    assert isinstance(store.writer, WriterProcess)
    return store.writer


def test_what_is_told_durable_is_there_in_order_and_once(tmp_path: Path) -> None:
    async def scenario() -> None:
        store = await open_store(f"sqlite:///{tmp_path}/house.db", writer_process=True)
        told: list[int] = []

        def tell(number: int, fault: BaseException | None) -> None:
            told.append(number if fault is None else -1)

        for number in range(3_000):
            store.submit(one(number), partial(tell, number))
        await store.save(Snapshot("s", 7, b"body"))
        assert told == list(range(3_000))
        found = await store.read_recent_keys(3_000)
        assert sorted(int(key.key[1:]) for key in found) == told
        await store.close()
        assert writer(store).process.returncode == 0

    asyncio.run(scenario())


@pytest.mark.parametrize(("limit", "bets", "transactions"), [(sqlite.GROUP_LIMIT, 3_500, 2), (1, 60, 60)])
def test_g22_bets_that_wait_together_share_a_transaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: int, bets: int, transactions: int
) -> None:
    """G-22: a closing bell of 3,500 is two waits for the disk. Planted: a writer that takes one bet at a time."""
    monkeypatch.setattr(sqlite, "GROUP_LIMIT", limit)
    monkeypatch.setattr(sqlite, "GROUP_SECONDS", 600.0)
    migrate(f"sqlite:///{tmp_path}/house.db")
    groups = list[tuple[int, object]]()
    queue = Writer(connect(f"{tmp_path}/house.db"), lambda group, fault: groups.append((len(group), fault)))
    for number in range(bets):
        queue.put(WriteRequest(one(number), lambda _fault: None))
    queue.start()
    queue.stop()
    assert (len(groups), sum(size for size, _ in groups), {fault for _, fault in groups}) == (
        transactions,
        bets,
        {None},
    )


def test_t3_a_house_whose_scribe_is_killed_stops_and_has_lost_nothing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/house.db"

    async def scenario() -> None:
        house = await open_house(url, JumpingClock(), apart=True)
        await open_seated_table(house)
        await perform(house, BET, "bet")
        writer(house.commits.store).process.kill()
        with pytest.raises(StoreFailed):
            await _bets(house)
        assert "has ended" in str(house.commits.failed.result())
        with pytest.raises(StoreFailed):
            await perform(house, BET, "later")
        await house.stop()
        again = await open_house(url, JumpingClock(), apart=True, deep=True)
        assert not (await again.commits.store.find_key("ask:ada later"))
        assert again.committed["T"].table.total_stake_of("ada") >= 500
        assert again.authority.find_faults() == []
        await again.stop()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (Batch(postings=(PostingRow("s", 1, "house", 5, "V-19", ""),)), "sum to 5"),
        (Batch(keys=(KeyRow("k0", b"d", b"a"),)), "UNIQUE"),
    ],
)
def test_t5_what_cannot_be_written_stops_the_store_for_good(tmp_path: Path, wrong: Batch, why: str) -> None:
    async def scenario() -> None:
        store = await open_store(f"sqlite:///{tmp_path}/house.db", writer_process=True)
        await store.commit(one(0))
        with pytest.raises(StoreFailed, match=why):
            await store.commit(wrong)
        with pytest.raises(StoreFailed, match=why):
            await store.commit(one(1))
        assert [key.key for key in await store.read_recent_keys(9)] == ["k0"]
        await store.close()
        assert writer(store).process.returncode == 1

    asyncio.run(scenario())


def test_the_log_is_carried_over_beside_the_writer_and_begins_anew(tmp_path: Path) -> None:
    """However much is written, the log of SQLite stays small, and everything is in the file."""
    file = tmp_path / "house.db"

    async def scenario() -> None:
        store = await open_store(f"sqlite:///{file}", writer_process=True)
        sizes = []
        for turn in range(12):
            for number in range(10_000):
                store.submit(one(turn * 10_000 + number), lambda _: None)
            await store.commit(Batch())
            sizes.append((tmp_path / "house.db-wal").stat().st_size)
        assert sizes[-1] <= 2 * sizes[3], sizes
        await store.close()

    asyncio.run(scenario())
    assert not (tmp_path / "house.db-wal").exists() or not (tmp_path / "house.db-wal").stat().st_size
    with closing(sqlite3.connect(file)) as found:
        assert found.execute("SELECT count(*) FROM keys").fetchone() == (120_000,)


@pytest.mark.parametrize("where", ["beside the writer", "by the writer"])
def test_t5_a_log_that_cannot_be_carried_over_stops_the_store(where: str, tmp_path: Path) -> None:
    """SQLite would say nothing of it: the next batch is told, and nothing after it is written."""
    path = str(tmp_path / "house.db")
    migrate(f"sqlite:///{path}")
    beside = connect(path)
    carrier, writer = BackgroundCheckpoint(beside), Writer(connect(path), lambda *_: None, 1)
    assert writer.write([WriteRequest(one(0), lambda _: None)]) is None
    if where == "beside the writer":
        beside.close()
    else:
        writer._connection = Refuses(writer._connection)
    until = time.monotonic() + PATIENCE
    while (fault := writer.write([WriteRequest(one(1), lambda _: None)])) is None and time.monotonic() < until:
        writer._place -= 1
        writer._connection.execute("DELETE FROM keys WHERE key = 'k1'")
        writer.checkpoint_if_due(carrier.is_done)
        time.sleep(0.001)
    assert "the store stopped" in str(fault)
    assert writer.write([WriteRequest(one(2), lambda _: None)]) is fault
    with closing(connect(path)) as found:
        assert found.execute("SELECT key FROM keys").fetchall() == [("k0",)]


def test_signals_are_for_the_house_to_hear(tmp_path: Path) -> None:
    """Whoever stops a whole group of processes stops the house; the scribe writes to the end."""

    async def scenario() -> None:
        store = await open_store(f"sqlite:///{tmp_path}/house.db", writer_process=True)
        await store.commit(one(0))
        for kind in (signal.SIGINT, signal.SIGTERM):
            writer(store).process.send_signal(kind)
        await store.commit(one(1))
        await store.close()

    asyncio.run(scenario())


def test_t3_after_a_killed_house_the_next_waits_for_its_scribe(tmp_path: Path) -> None:
    """The house is killed with its scribe stopped in the middle: nobody opens beside it, then everything is there."""
    url = f"sqlite:///{tmp_path}/house.db"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.Popen([sys.executable, __file__, url], stdout=subprocess.PIPE, text=True, env=env)
    assert child.stdout is not None
    scribe = int(child.stdout.readline())
    acknowledged = int(child.stdout.readline())
    with pytest.raises(HouseOpen):
        asyncio.run(_keys(url))
    os.kill(scribe, signal.SIGSTOP)
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    began = time.monotonic()
    waiting = subprocess.Popen(["sh", "-c", f"sleep 0.5; kill -CONT {scribe}"])
    found = asyncio.run(_keys(url))
    assert time.monotonic() - began >= 0.4
    waiting.wait()
    assert found >= acknowledged


def test_packets_come_whole_however_they_are_cut() -> None:
    """Byte by byte, and many at once; what is cut off by the end of the house is no batch."""
    ours, its = socket.socketpair()
    with ours, its:
        inbox = Inbox(its)
        sent = [WriteRequest(one(number), lambda _: None, Snapshot("s", number, b"x")) for number in range(3)]
        for byte in encode_packet(sent[:2]):
            ours.sendall(bytes((byte,)))
        ours.sendall(encode_packet(sent[2:]) + encode_packet(sent)[:-1])
        ours.shutdown(socket.SHUT_WR)
        found = inbox.take_group()
        assert [(entry.batch, entry.snapshot) for entry in found] == [(entry.batch, entry.snapshot) for entry in sent]
        assert inbox.take_group() == []


class Refuses:
    """A connection on which nothing can be carried over."""

    def __init__(self, real: Connection) -> None:
        self._real = real

    def execute(self, statement: str, values: Any = (), /) -> Any:
        if "checkpoint" in statement:
            raise OSError("planted")
        return self._real.execute(statement, values)

    def close(self) -> None:
        self._real.close()


async def _bets(house: TableHost) -> None:
    """The end of a process is noticed a moment later."""
    for number in range(1_000):
        await perform(house, BET, f"more{number}")


async def _keys(url: str) -> int:
    store = await open_store(url)
    found = await store.read_recent_keys(100_000)
    await store.close()
    return len(found)


async def _hand_in(url: str) -> None:
    store = await open_store(url, writer_process=True)
    await store.commit(one(0))
    print(writer(store).process.pid, flush=True)
    told = 0

    def done(_fault: BaseException | None) -> None:
        nonlocal told
        told += 1

    for number in range(1, 2_000):
        store.submit(one(number), done)
        await asyncio.sleep(0)
    print(told, flush=True)
    while True:
        store.submit(one(number := number + 1), done)
        await asyncio.sleep(0.001)


if __name__ == "__main__":
    asyncio.run(_hand_in(sys.argv[1]))
