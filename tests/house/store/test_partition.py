"""T-7, G-9: a real proxy between a house and its database: late, standing still, half open, half closed, reset.

Nothing is acknowledged that did not come back from the database, and never do two houses write.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from tests.support.databases import create_database
from tests.support.patience import PATIENCE
from tests.support.postgres import Cluster
from tests.support.scripted_evening import open_house
from tests.support.seated_table import BET, open_seated_table, perform
from tests.support.tcp_proxy import TcpProxy, proxied
from tests.support.volume import scale
from ventuno.core.messages.commands import BringMoney
from ventuno.house.store.clock import JumpingClock
from ventuno.house.store.durability import open_store
from ventuno.house.store.postgres import PostgresStore
from ventuno.house.store.records import Batch, Snapshot
from ventuno.house.store.store import HouseOpen, OnDone, StoreFailed
from ventuno.house.tables.authority import Request
from ventuno.house.tables.table_host import TableHost

DELAY = 0.05
MOMENT = 0.5
"""Seconds in which an answer that needs no database would long have come."""
RESETS = 40


@asynccontextmanager
async def opened(postgres: Cluster, url: str, delay: float = 0.0) -> AsyncIterator[tuple[TableHost, TcpProxy]]:
    """A house with ada seated, whose every byte to the database goes through a proxy."""
    async with proxied(postgres.port, delay) as proxy:
        house = await open_house(url.replace(f":{postgres.port}/", f":{proxy.port}/"), JumpingClock())
        try:
            await open_seated_table(house)
            yield house, proxy
        finally:
            proxy.resume()
            if house.commits.failed.done():
                proxy.reset()
            await house.stop()


async def abandon(house: TableHost) -> None:
    """Its line is gone: what it would say at the end goes nowhere."""
    with suppress(StoreFailed):
        await house.stop()
    await house.commits.store.close()


async def count_stake(url: str) -> int:
    """What ada has staked, as a house finds it that opens now."""
    house = await open_house(url, JumpingClock(), deep=True)
    staked = house.committed["T"].table.total_stake_of("ada")
    await house.stop()
    return staked


@pytest.fixture
def url(postgres: Cluster) -> str:
    return create_database(postgres)


async def test_t7_an_acknowledgement_waits_for_the_whole_journey(postgres: Cluster, url: str) -> None:
    """Begin, write, commit: each there and back; who answers earlier has asked nobody."""
    async with opened(postgres, url, DELAY) as (house, _):
        began = time.monotonic()
        await perform(house, BET, "bet")
        assert time.monotonic() - began >= 2 * 3 * DELAY
    assert await count_stake(url) == 500


async def ask_over_stalled_line(postgres: Cluster, url: str) -> bool:
    """Whether a bet is acknowledged while nothing passes; afterwards it is, and once."""
    async with opened(postgres, url) as (house, proxy):
        proxy.stall()
        bet = asyncio.create_task(perform(house, BET, "bet"))
        await asyncio.wait([bet], timeout=MOMENT)
        acknowledged = bet.done()
        with pytest.raises(HouseOpen):
            await open_store(url)
        proxy.resume()
        assert not (await asyncio.wait_for(bet, PATIENCE)).refused
        assert not (await house.ask(Request("T", BET, "bet", "ada"))).refused
    assert await count_stake(url) == 500
    return acknowledged


async def test_t7_nothing_is_acknowledged_over_a_line_that_stands_still(postgres: Cluster, url: str) -> None:
    """And nobody else may open the house meanwhile: the lock is held as long as the line may come back."""
    assert not await ask_over_stalled_line(postgres, url)


async def test_t7_a_planted_store_that_answers_by_itself_is_caught(
    postgres: Cluster, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = PostgresStore.submit

    def submit(self: PostgresStore, batch: Batch, done: OnDone, snapshot: Snapshot | None = None) -> None:
        right(self, batch, lambda _: None, snapshot)
        asyncio.get_running_loop().call_soon(done, None)

    monkeypatch.setattr(PostgresStore, "submit", submit)
    assert await ask_over_stalled_line(postgres, url)


async def test_t7_g9_a_house_that_the_database_took_for_dead_writes_nothing_more(postgres: Cluster, url: str) -> None:
    """Half open: the server ends the session, the house hears nothing. Another plays on; the first never answers."""
    async with opened(postgres, url) as (first, proxy):
        proxy.lose_server_side()
        bet = asyncio.create_task(perform(first, BET, "first"))
        second = await open_house(url, JumpingClock())
        await perform(second, BringMoney("ada", 700, 0), "second")
        assert not bet.done()
        proxy.reset()
        with pytest.raises(StoreFailed):
            await asyncio.wait_for(bet, PATIENCE)
        assert first.commits.failed.done()
        with pytest.raises(StoreFailed):
            await perform(first, BET, "later")
        assert await second.commits.store.find_key("ask:ada second")
        assert not await second.commits.store.find_key("ask:ada first")
        assert second.committed["T"].table.purse("ada") == 50_700
        await second.stop()
    assert await count_stake(url) == 0


async def test_t7_a_line_that_is_half_closed_ends_the_house(postgres: Cluster, url: str) -> None:
    """It could still write, but would never hear whether that was kept."""
    async with opened(postgres, url) as (house, proxy):
        proxy.half_close()
        with pytest.raises(StoreFailed):
            await asyncio.wait_for(perform(house, BET, "bet"), PATIENCE)
        assert house.commits.failed.done()
    assert await count_stake(url) == 0


async def test_t7_t9_a_line_reset_at_any_moment_doubles_and_loses_nothing(postgres: Cluster, url: str) -> None:
    """A player asks under his key until he is told; whatever he was told is there, and once."""
    chance, broken = random.Random(7), 0
    async with proxied(postgres.port) as proxy:
        address = url.replace(f":{postgres.port}/", f":{proxy.port}/")
        house = await open_house(address, JumpingClock())
        await open_seated_table(house)
        for number in range(scale(RESETS)):
            request = Request("T", BringMoney("ada", 1, 0), f"k{number}", "ada")
            asked = asyncio.create_task(house.ask(request))
            await asyncio.sleep(chance.random() * 0.01)
            proxy.reset()
            while True:
                try:
                    assert not (await asyncio.wait_for(asked, PATIENCE)).refused
                    break
                except StoreFailed:
                    broken += 1
                    await abandon(house)
                    house = await open_house(address, JumpingClock())
                    asked = asyncio.create_task(house.ask(request))
        await abandon(house)
    assert broken
    again = await open_house(url, JumpingClock(), deep=True)
    assert again.committed["T"].table.purse("ada") == 50_000 + scale(RESETS)
    await again.stop()
