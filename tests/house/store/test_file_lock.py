"""One database, one house: a second start is refused in clear words, and a killed one is followed at once (T-7)."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys

import pytest

from tests.support.databases import execute
from tests.support.scripted_evening import open_house
from tests.support.seated_table import BET, open_seated_table, perform
from tests.support.stopwatch import Stopwatch
from ventuno.house.store.clock import JumpingClock
from ventuno.house.store.durability import open_store
from ventuno.house.store.records import Batch, KeyRow
from ventuno.house.store.store import HouseOpen, StoreFailed

ONE = Batch(keys=(KeyRow("k", b"d", b"a"),))


def test_a_second_house_is_refused_and_the_first_plays_on(url: str) -> None:
    async def scenario() -> None:
        house = await open_house(url, JumpingClock())
        await open_seated_table(house)
        with pytest.raises(HouseOpen, match=r"(process|session) \d+"):
            await open_house(url, JumpingClock())
        await perform(house, BET, "bet")
        await house.stop()
        again = await open_house(url, JumpingClock())
        assert again.committed["T"].table.total_stake_of("ada") == 500
        await again.stop()

    asyncio.run(scenario())


def test_who_reads_beside_a_house_cannot_write(url: str) -> None:
    async def scenario() -> None:
        house = await open_house(url, JumpingClock())
        await open_seated_table(house)
        beside = await open_store(url, exclusive=False)
        assert len(await beside.read_records("table:T")) == house.committed["T"].version
        with pytest.raises(HouseOpen):
            await beside.commit(ONE)
        await beside.close()
        with pytest.raises(HouseOpen):
            await open_store(url)
        await house.stop()

    asyncio.run(scenario())


def test_a_house_that_could_not_open_holds_nothing(url: str) -> None:
    """Its settings are refused: the next one opens."""
    if not url.startswith("sqlite"):
        pytest.skip("the settings of a file come with its address")

    async def scenario() -> None:
        with pytest.raises(RuntimeError, match="synchronous"):
            await open_store(f"{url}?synchronous=off")
        await (await open_store(url)).close()

    asyncio.run(scenario())


def test_t3_a_killed_house_is_followed_at_once(url: str) -> None:
    """A process opens the house, plays, and is killed: until then nobody else gets in, afterwards anybody does."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.Popen([sys.executable, __file__, url], stdout=subprocess.PIPE, text=True, env=env)
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "open\n"
        with pytest.raises(HouseOpen):
            asyncio.run(_opened(url))
    finally:
        os.kill(child.pid, signal.SIGKILL)
        child.communicate()
    with Stopwatch() as watch:
        assert asyncio.run(_opened(url)) == 500
        assert watch.seconds < 5


async def _opened(url: str) -> int:
    house = await open_house(url, JumpingClock())
    staked = house.committed["T"].table.total_stake_of("ada")
    await house.stop()
    return staked


def test_t7_who_has_lost_the_lock_cannot_write_any_more(url: str) -> None:
    """G-9: the server ends a house's session, another takes over: nothing of the first reaches the database again."""
    if url.startswith("sqlite"):
        pytest.skip("a file's lock is lost with the process alone")

    async def scenario() -> None:
        first = await open_store(url)
        await first.commit(ONE)
        await execute(
            url,
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND pid <> pg_backend_pid()",
        )
        second = await open_store(url)
        with pytest.raises(StoreFailed):
            await first.commit(Batch(keys=(KeyRow("late", b"d", b"a"),)))
        assert await second.read_recent_keys(10) == list(ONE.keys)
        await first.close()
        await second.commit(Batch(keys=(KeyRow("new", b"d", b"a"),)))
        await second.close()

    asyncio.run(scenario())


async def _keep_open(url: str) -> None:
    house = await open_house(url, JumpingClock())
    await open_seated_table(house)
    await perform(house, BET, "bet")
    print("open", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(_keep_open(sys.argv[1]))
