"""Several hosts on one PostgreSQL: a stale owner writes nothing, and leases follow the rules of `pits` (T-7)."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import pytest

from tests.support.databases import create_database
from tests.support.postgres import Cluster
from tests.support.simulation.opening import START_MONEY, opening
from tests.support.simulation.players import PLAYERS
from ventuno.house.pits import leases
from ventuno.house.pits.leases import LEASE, Lease
from ventuno.house.store import fenced_commit, schema
from ventuno.house.store.fenced_commit import commit, first_place, give_up_pit, prepare, renew_pits, take_pit
from ventuno.house.store.migrations import migrate
from ventuno.house.store.postgres import make_dsn, write
from ventuno.house.store.records import Batch, Head, PostingRow, chain_events
from ventuno.house.store.store import StaleEpoch, WriteRequest

PIT = 17


@pytest.fixture
def url(postgres: Cluster) -> str:
    address = create_database(postgres)
    migrate(address)
    return make_dsn(address)


@asynccontextmanager
async def open_sessions(url: str, count: int = 2) -> AsyncIterator[list[Any]]:
    sessions = [await asyncpg.connect(url) for _ in range(count)]
    try:
        for session in sessions:
            await prepare(session)
        yield sessions
    finally:
        for session in sessions:
            await session.close()


def run(url: str, scenario: Callable[..., Awaitable[None]], count: int = 2) -> None:
    async def main() -> None:
        async with open_sessions(url, count) as sessions:
            await scenario(*sessions)

    asyncio.run(main())


def make_group(number: int, *postings: PostingRow) -> list[WriteRequest]:
    """A batch with one record, the first of a stream of its own."""
    records, _ = chain_events(Head(), f"table:T{number}", number, [("Told", b"{}")])
    return [WriteRequest(Batch(records, postings), lambda _fault: None)]


async def count_records(session: Any) -> int:
    return int(await session.fetchval("SELECT count(*) FROM log"))


async def lapse(session: Any) -> None:
    await session.execute("UPDATE pits SET until = 0")


def test_a_stale_owner_writes_nothing(url: str) -> None:
    async def scenario(old: Any, new: Any) -> None:
        assert await take_pit(old, PIT, "h1", LEASE) == {PIT: 1}
        await commit(old, make_group(1), {PIT: 1}, first_place(PIT))
        assert await take_pit(new, PIT, "h2", LEASE) is None, "its lease runs"
        await lapse(new)
        assert await take_pit(new, PIT, "h2", LEASE) == {PIT: 2}
        with pytest.raises(StaleEpoch):
            await commit(old, make_group(2), {PIT: 1}, first_place(PIT))
        assert await count_records(new) == 1
        await commit(new, make_group(3), {PIT: 2}, first_place(PIT))
        assert await count_records(new) == 2
        assert await renew_pits(old, "h1", {PIT: 1}, LEASE) == set()

    run(url, scenario)


def test_one_stale_pit_of_a_group_keeps_all_of_it_out(url: str) -> None:
    async def scenario(session: Any) -> None:
        for pit in (1, 2, 3):
            await take_pit(session, pit, "h1", LEASE)
        await take_pit(session, 2, "h1", LEASE)
        with pytest.raises(StaleEpoch):
            await commit(session, make_group(1), {1: 1, 2: 1, 3: 1}, 0)
        with pytest.raises(StaleEpoch):
            await commit(session, make_group(1), {4: 1}, 0)
        assert await count_records(session) == 0
        await commit(session, make_group(1), {1: 1, 2: 2, 3: 1}, 0)
        assert await count_records(session) == 1

    run(url, scenario, 1)


def test_a_take_over_waits_for_a_commit_and_a_commit_for_a_take_over(url: str) -> None:
    """FOR SHARE: there is no moment at which both go on."""

    async def scenario(old: Any, new: Any, third: Any) -> None:
        await take_pit(old, PIT, "h1", LEASE)
        await lapse(old)
        committing = old.transaction()
        await committing.start()
        await commit(old, make_group(1), {PIT: 1}, 0)
        taking = asyncio.create_task(take_pit(new, PIT, "h2", LEASE))
        assert not (await asyncio.wait([taking], timeout=0.3))[0], "the commit holds the row"
        await committing.commit()
        assert await taking == {PIT: 2}
        await lapse(new)
        raising = new.transaction()
        await raising.start()
        await take_pit(new, PIT, "h3", LEASE)
        late = asyncio.create_task(commit(third, make_group(2), {PIT: 2}, 0))
        assert not (await asyncio.wait([late], timeout=0.3))[0], "the new owner holds the row"
        await raising.commit()
        with pytest.raises(StaleEpoch):
            await late

    run(url, scenario, 3)


def test_of_two_new_owners_the_later_knows_of_the_other(url: str) -> None:
    """A new owner drops messages of older epochs: so what it reads may not miss one that was told of its own."""

    async def scenario(one: Any, other: Any) -> None:
        first = one.transaction()
        await first.start()
        assert await take_pit(one, 1, "h1", LEASE) == {1: 1}
        taking = asyncio.create_task(take_pit(other, 2, "h2", LEASE))
        assert not (await asyncio.wait([taking], timeout=0.3))[0]
        await first.commit()
        assert await taking == {1: 1, 2: 1}

    run(url, scenario)


def test_leases_follow_the_rules_of_the_pits(url: str) -> None:
    async def scenario(session: Any) -> None:
        chance = random.Random(7)
        for pit in range(60):
            now = int(await session.fetchval(f"SELECT {fenced_commit.NOW}"))
            until = now + chance.choice((-60_000, -1, 60_000))
            lease = Lease(pit, chance.randint(1, 9), chance.choice(("", "h1", "h2")), until)
            await session.execute("INSERT INTO pits VALUES ($1, $2, $3, $4)", *lease)
            node, epoch = chance.choice(("h1", "h2")), lease.epoch + chance.choice((0, 0, -1))
            renewed = await renew_pits(session, node, {pit: epoch}, LEASE)
            assert bool(renewed) == (leases.renew(lease, node, epoch, now) is not None)
            await session.execute("UPDATE pits SET until = $2 WHERE pit = $1", pit, until)
            taken = await take_pit(session, pit, "h1", LEASE)
            assert (taken is not None) == leases.may_take(lease, "h1", now)
            if taken:
                assert taken[pit] == leases.take(lease, "h1", now).epoch
                await give_up_pit(session, pit, "h1", taken[pit])
                assert await take_pit(session, pit, "h3", LEASE) is not None

    run(url, scenario, 1)


def test_an_overdrawn_player_is_refused_and_nothing_is_written(url: str) -> None:
    async def scenario(session: Any) -> None:
        await take_pit(session, PIT, "h1", LEASE)
        rows = PostingRow("table:T1", 1, "player:3", -5, "", ""), PostingRow("table:T1", 1, "house:x#17", 5, "", "")
        with pytest.raises(ValueError, match="player:3 is -5"):
            await commit(session, make_group(1, *rows), {PIT: 1}, 0)
        assert await count_records(session) == 0

    run(url, scenario, 1)


def test_one_call_writes_what_many_statements_write(postgres: Cluster) -> None:
    """The same rows in every table, whichever way they came."""
    money = [PostingRow("house", 0, f"player:{player}", START_MONEY, "", "") for player in PLAYERS]
    money.append(PostingRow("house", 0, "cashier", -START_MONEY * len(PLAYERS), "", ""))
    batches = [Batch(postings=tuple(money)), *opening(3).batches]
    groups = [[WriteRequest(batch, lambda _fault: None)] for batch in batches]
    dumps = []
    for is_fenced in (False, True):
        address = create_database(postgres)
        migrate(address)

        async def scenario(session: Any, fenced: bool = is_fenced) -> None:
            await take_pit(session, PIT, "h1", LEASE)
            place = 0
            for group in groups:
                if fenced:
                    place = await commit(session, group, {PIT: 1}, place)
                else:
                    place = await write(session, group, place)
            tables = [name for name in schema.metadata.tables if name != "pits"]
            dumps.append({table: await session.fetch(f"SELECT * FROM {table} ORDER BY 1, 2") for table in tables})

        run(make_dsn(address), scenario, 1)
    assert dumps[0] == dumps[1]
    assert all(dumps[0][table] for table in ("log", "heads", "postings", "accounts", "keys"))
