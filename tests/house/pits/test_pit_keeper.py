"""Leases of 256 pits: as many questions as for one, spread over the nodes, moved in order when a node comes (T-7)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from tests.support.databases import create_database, execute
from tests.support.kept_units import KEY, NotingNode, wait_for
from tests.support.patience import PATIENCE
from tests.support.pit_cluster.books import choose_places, open_books
from tests.support.postgres import Cluster
from tests.support.stopwatch import Stopwatch
from ventuno.house.pits.keeper import LOOK
from ventuno.house.pits.leases import LEASE
from ventuno.house.pits.pit_keeper import MOST_MOVING, SETTLED, STAYS, PitKeeper, PitTenure
from ventuno.house.pits.placement import PITS, choose_pits
from ventuno.house.store import fenced_commit, schema
from ventuno.house.store.durability import open_store
from ventuno.house.store.migrations import migrate
from ventuno.house.store.records import Batch, Head, chain_events
from ventuno.house.store.store import BooksDivided, StaleEpoch, StoreFailed


@pytest.fixture
def url(postgres: Cluster) -> str:
    address = create_database(postgres)
    migrate(address)
    return address


class NotingPits:
    """A node that owns pits and does nothing with them."""

    def __init__(self, url: str, name: str) -> None:
        self.keeper = PitKeeper(url, name, KEY, f"test/{schema.REVISION}", self._hold, unsafe=True)
        self.most_ending = 0
        self.tenures: list[PitTenure] = []
        self.task = asyncio.create_task(self.keeper.run())

    async def _hold(self, tenure: PitTenure) -> None:
        self.tenures.append(tenure)
        tenure.commits.begin(tenure.unit, tenure.epoch, 0)
        await tenure.ending.wait()
        ending = [one for one in self.keeper.tenures.values() if one.ending.is_set() and not one.is_lost]
        self.most_ending = max(self.most_ending, len(ending))
        if tenure.is_lost:
            raise StoreFailed("another node has it")

    @property
    def pits(self) -> list[int]:
        return sorted(tenure.pit for tenure in self.keeper.tenures.values() if not tenure.ending.is_set())

    async def stop(self) -> None:
        self.keeper.stop()
        await asyncio.wait_for(self.task, PATIENCE)


@asynccontextmanager
async def open_keepers(url: str, *names: str) -> AsyncIterator[list[NotingPits]]:
    nodes = [NotingPits(url, name) for name in names]
    try:
        yield nodes
    finally:
        for node in nodes:
            node.keeper.stop()
        await asyncio.wait_for(asyncio.gather(*(node.task for node in nodes), return_exceptions=True), PATIENCE)


def submit(tenure: PitTenure, name: str) -> asyncio.Future[BaseException | None]:
    """A record of a stream of its own, as this owner decided it."""
    done: asyncio.Future[BaseException | None] = asyncio.get_running_loop().create_future()
    records, _ = chain_events(Head(), f"table:{name}", 1, [("Told", b"{}")])
    tenure.commits.submit(tenure.unit, tenure.epoch, Batch(records), done.set_result)
    return done


async def test_a_node_that_comes_gets_its_share_in_order_and_gives_it_back(url: str) -> None:
    """Of 256 pits half move, a few at a time, none of them twice; who stays alone has them all again."""
    async with open_keepers(url, "h1") as (first,):
        with Stopwatch() as alone:
            await wait_for(lambda: len(first.pits) == PITS)
        async with open_keepers(url, "h2") as (second,):
            with Stopwatch() as moving:
                await wait_for(lambda: second.pits == choose_pits("h2", ["h1", "h2"]))
            assert first.pits == choose_pits("h1", ["h1", "h2"])
            assert first.keeper.moved == len(second.pits)
            assert 0 < first.most_ending <= MOST_MOVING
            assert not first.keeper.losses
            with Stopwatch() as leaving:
                await second.stop()
                await wait_for(lambda: len(first.pits) == PITS)
        assert max(alone.seconds, moving.seconds, leaving.seconds) < 20


async def test_256_pits_ask_no_more_than_one_does_and_commit_by_one_session(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: Counter[str] = Counter()
    fetch = asyncpg.Connection.fetch

    async def count(self: Any, query: str, *values: Any, **options: Any) -> Any:
        asked[query] += 1
        return await fetch(self, query, *values, **options)

    async with open_keepers(url, "h1") as (node,):
        await wait_for(lambda: len(node.pits) == PITS)
        monkeypatch.setattr(asyncpg.Connection, "fetch", count)
        await asyncio.sleep(5 * LOOK)
        monkeypatch.undo()
        assert max(asked.values()) <= 8, asked
        session = await asyncpg.connect(url)
        names = await session.fetch("SELECT application_name FROM pg_stat_activity WHERE datname = current_database()")
        await session.close()
        assert sum(row[0].startswith("ventuno/h1/pits/") for row in names) == 1
        assert len(names) <= 6


async def test_pits_of_a_node_whose_sessions_are_ended_are_taken_before_their_leases_lapse(url: str) -> None:
    async with open_keepers(url, "h1", "h2") as (first, second):
        await wait_for(lambda: len(first.pits) + len(second.pits) == PITS and second.pits and first.pits)
        assert first.keeper._renewal is not None
        await asyncio.sleep(2 * LOOK)
        first.keeper._renewal.stop()
        first.keeper._is_fit = lambda: False
        with Stopwatch() as watch:
            await execute(
                url,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE starts_with(application_name, 'ventuno/h1/pits/')",
            )
            await wait_for(lambda: len(second.pits) == PITS)
        assert watch.seconds < LEASE / 1000


@pytest.mark.parametrize("is_planted", [False, True], ids=["as it is", "without a fence"])
async def test_who_stood_still_commits_nothing_and_stops_nobody_else(
    url: str, is_planted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two pits that wait in one commit one is another's by now: the other is written all the same."""
    if is_planted:
        planted = fenced_commit._COMMIT.replace("held <> cardinality($1)", "false")
        monkeypatch.setattr(fenced_commit, "_COMMIT", planted)
    async with open_keepers(url, "h1") as (node,):
        await wait_for(lambda: len(node.pits) == PITS)
        await execute(url, "UPDATE pits SET epoch = epoch + 1, node = 'h2' WHERE pit = 1")
        stale, sound = (next(one for one in node.tenures if one.unit == unit) for unit in (1, 2))
        faults = await asyncio.gather(submit(stale, "T1"), submit(sound, "T2"))
        assert faults[1] is None
        assert isinstance(faults[0], StaleEpoch) != is_planted


async def test_what_was_decided_under_an_older_epoch_is_not_written_under_a_newer_one(url: str) -> None:
    async with open_keepers(url, "h1") as (node,):
        await wait_for(lambda: len(node.pits) == PITS)
        tenure = node.tenures[0]
        tenure.commits.begin(tenure.unit, tenure.epoch + 1, 0)
        assert isinstance(await submit(tenure, "T1"), StaleEpoch)


async def test_books_of_a_house_with_one_owner_are_not_divided(url: str) -> None:
    await execute(url, "INSERT INTO pits VALUES (0, 1, 'h1', 0)")
    node = NotingPits(url, "h1")
    with pytest.raises(BooksDivided):
        await asyncio.wait_for(node.task, PATIENCE)


async def test_divided_books_are_opened_by_no_house_of_one_owner(url: str) -> None:
    await open_books(url, choose_places(1))
    with pytest.raises(BooksDivided):
        await open_store(url, unsafe=True)
    alone = NotingNode(url, "h1")
    with pytest.raises(BooksDivided):
        await asyncio.wait_for(alone.task, PATIENCE)


async def test_what_the_database_refuses_costs_its_own_pit_alone(url: str) -> None:
    """A record that is there already can only be a fault of the program: everybody else goes on."""
    async with open_keepers(url, "h1") as (node,):
        await wait_for(lambda: len(node.pits) == PITS)
        first, second = node.tenures[:2]
        assert await submit(first, "T1") is None
        faults = await asyncio.gather(submit(first, "T1"), submit(second, "T2"))
        assert isinstance(faults[0], StoreFailed)
        assert faults[1] is None
        assert not first.commits.is_lost


async def test_a_pit_that_cannot_be_read_costs_no_other(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    hold = NotingPits._hold

    async def fail(self: NotingPits, tenure: PitTenure) -> None:
        if tenure.pit == 17:
            raise ValueError("a chain is broken")
        await hold(self, tenure)

    monkeypatch.setattr(NotingPits, "_hold", fail)
    async with open_keepers(url, "h1") as (node,):
        await wait_for(lambda: len(node.pits) == PITS - 1)
        await asyncio.sleep(3 * LOOK)
        assert [*node.keeper.broken] == [17]
        assert 17 not in node.pits
        assert not node.task.done()


async def test_nobody_gives_pits_to_a_node_that_is_not_fit(url: str) -> None:
    """A node without a broker takes nothing; pits stay where they are, and do not go to and fro."""
    async with open_keepers(url, "h1") as (first,):
        await wait_for(lambda: len(first.pits) == PITS)
        second = NotingPits(url, "h2")
        second.keeper._is_fit = lambda: False
        try:
            await asyncio.sleep(STAYS + SETTLED)
            assert not first.keeper.moved
            second.keeper._is_fit = lambda: True
            await wait_for(lambda: second.pits == choose_pits("h2", ["h1", "h2"]))
        finally:
            await second.stop()
