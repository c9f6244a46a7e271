"""The books of a house on several machines: as one process has them, under a fence, kept by one kind alone (T-7)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.support.databases import create_database, execute
from tests.support.house import LIVE, OpenHouse
from tests.support.kept_units import open_nodes, wait_for
from tests.support.postgres import Cluster, cluster
from ventuno.core.messages.commands import Spot
from ventuno.house.config import KEY
from ventuno.house.pits.keeper import LOOK_SECONDS
from ventuno.house.pits.leases import LEASE
from ventuno.house.shoes.house_key import find_house_key
from ventuno.house.store import node_sessions
from ventuno.house.store.durability import Unsafe, find_replication_faults, open_store
from ventuno.house.store.fenced_commit import commit, prepare, take_pit
from ventuno.house.store.migrations import migrate
from ventuno.house.store.node_sessions import (
    FencedWriter,
    Holding,
    SchemaOld,
    UnconfirmedCommit,
    open_keeper,
    open_owned_store,
)
from ventuno.house.store.postgres import PostgresStore, connect, split_hosts, write
from ventuno.house.store.records import ERASED, Batch, Head, KeyRow, NameRow, chain_events
from ventuno.house.store.signing_key import load
from ventuno.house.store.store import HeldByNodes, HouseOpen, StoreFailed, WriteRequest
from ventuno.sheets import GAMES

ONE = Batch(keys=(KeyRow("k", b"d", b"a"),))
REPLICATED = {
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "synchronous_standby_names": "ANY 1 (b, c)",
}


@pytest.fixture
def url(postgres: Cluster) -> str:
    address = create_database(postgres)
    migrate(address)
    return address


@pytest.fixture(scope="module")
def lonely() -> Iterator[Cluster]:
    """A server that waits for a standby which never comes, once it is told to."""
    with cluster() as running:
        yield running


async def own(url: str, node: str = "h1", *, unsafe: bool = True) -> tuple[FencedWriter, PostgresStore]:
    """The books, taken by a node, whatever lease another has."""
    writer = await FencedWriter.open(url, node, unsafe=unsafe)
    await execute(url, "UPDATE pits SET until = 0")
    held = await writer.connection.fetchval("SELECT max(epoch) FROM pits WHERE pit = 0")
    assert await writer.take(Holding(0, held or 0), LEASE)
    return writer, await open_owned_store(url, writer)


@asynccontextmanager
async def opened(url: str, folder: Path, **options: Any) -> AsyncIterator[OpenHouse]:
    house = OpenHouse(url, folder)
    house.certify(*GAMES)
    await house.open(**options)
    try:
        yield house
    finally:
        await house.application.close()


async def play(house: OpenHouse, name: str) -> tuple[str, str]:
    """A player's round; he and its code."""
    player = await house.joined(name)
    table = await house.application.tables.open_solo(player, "duello")
    assert isinstance(table, str)
    await house.application.tables.bring(player, table, 10_000, f"bring {name}")
    code, _ = await house.solo_round(player, table, (Spot(1, "main"),))
    return player, code


async def test_books_of_one_process_go_on_with_nodes_and_come_back(url: str, tmp_path: Path) -> None:
    """Places of keys, names and heads stay as one process has them: every chain is read from its first record."""
    async with opened(url, tmp_path) as house:
        ada, first = await play(house, "Ada")
        before = await house.application.cashier.read_balances(ada)
    for node in ("h1", "h2"):
        _, store = await own(url, node)
        assert await find_house_key(store) == load(tmp_path / KEY).public
        async with opened(url, tmp_path, owned=store, deep=True) as house:
            assert await house.application.cashier.read_balances(ada) == before
            _, code = await play(house, f"Bea-{node}")
            assert (await house.application.history.list_rounds(ada)).lines[0].code == first
            assert (await house.verdict(ada, first)).is_verifiable
    async with opened(url, tmp_path, deep=True) as house:
        assert house.application.host.authority.find_faults() == []
        assert await house.application.host.commits.store.find_round(code) is not None
    places = await ask(url, "SELECT array_agg(place ORDER BY place) FROM keys")
    assert places == list(range(1, len(places) + 1))


async def ask(url: str, query: str) -> Any:
    connection = await asyncpg.connect(url)
    try:
        return await connection.fetchval(query)
    finally:
        await connection.close()


async def test_an_owner_that_was_followed_ends_its_house_and_acknowledges_nothing(url: str, tmp_path: Path) -> None:
    _, store = await own(url, "h1")
    async with opened(url, tmp_path, owned=store) as house:
        await house.joined("Ada")
        writer, other = await own(url, "h2")
        with pytest.raises(StoreFailed, match="StaleEpoch"):
            await house.application.tables.open(LIVE, "ventuno")
        assert "StaleEpoch" in house.application.find_failure()
        with pytest.raises(StoreFailed):
            await house.application.flush()
        await other.commit(ONE)
        await other.close()
        await writer.close()
    assert await ask(url, "SELECT count(*) FROM names WHERE name = 'ada'") == 1
    assert await ask(url, "SELECT count(*) FROM heads WHERE stream LIKE 'table:%'") == 0


async def test_an_idle_owner_knows_by_itself_that_it_was_followed(url: str, tmp_path: Path) -> None:
    _, store = await own(url, "h1")
    async with opened(url, tmp_path, owned=store) as house:
        await execute(url, "UPDATE pits SET epoch = epoch + 1")
        await wait_for(house.application.find_failure)
        assert "StaleEpoch" in house.application.find_failure()


async def test_one_process_is_refused_where_nodes_keep_the_house_and_nodes_where_it_does(url: str) -> None:
    async with open_nodes(url, "h1", "h2"):
        with pytest.raises(HeldByNodes, match="h1, h2"):
            await open_store(url)
    alone = await open_store(url)
    with pytest.raises(HouseOpen, match="one process"):
        await open_keeper(url, "h1", "x")
    with pytest.raises(HouseOpen, match="one process"):
        await FencedWriter.open(url, "h1", unsafe=True)
    await alone.close()
    async with open_nodes(url, "h1"):
        pass


async def test_an_owner_whose_keeper_is_gone_still_keeps_one_process_out(url: str) -> None:
    """A host that stands still may have lost its other sessions: the one that commits is enough."""
    writer, store = await own(url)
    with pytest.raises(HeldByNodes, match="h1"):
        await open_store(url)
    await store.close()
    await writer.close()


async def test_an_older_schema_is_refused_with_what_to_do(url: str) -> None:
    await execute(url, "UPDATE alembic_version SET version_num = 'r0006'")
    with pytest.raises(SchemaOld, match=r"r0006.*ventuno migrate"):
        await open_keeper(url, "h1", "x")


async def test_what_is_taken_out_and_given_up_is_so_under_the_fence_too(postgres: Cluster) -> None:
    """Erasure writes the same rows by both ways; of a name that another has by now nothing is deleted."""
    records, _ = chain_events(Head(), "player:1", 1, [("Told", b'{"a":1}'), ("Told", b'{"b":2}')])
    names = NameRow("login", "ada", "1"), NameRow("login", "bea", "2")
    groups = [
        [Batch(records, names=names)],
        [
            Batch(erased=(("player:1", 1),), freed=(NameRow("login", "ada", "1"), NameRow("login", "bea", "9"))),
            Batch(names=(NameRow("login", "ada", "3"),)),
        ],
    ]
    dumps = []
    for is_fenced in (False, True):
        address = await asyncio.to_thread(create_database, postgres)
        await asyncio.to_thread(migrate, address)
        session = await asyncpg.connect(address)
        await prepare(session)
        await take_pit(session, 0, "h1", LEASE)
        for group in groups:
            requests = [WriteRequest(batch, lambda _fault: None) for batch in group]
            await (commit(session, requests, {0: 1}, 0) if is_fenced else write(session, requests, 0))
        dumps.append([await session.fetch(f"SELECT * FROM {table} ORDER BY 1, 2") for table in ("log", "names")])
        await session.close()
    assert dumps[0] == dumps[1]
    assert [bytes(row["body"]) for row in dumps[1][0]] == [ERASED, b'{"b":2}']
    assert [tuple(row) for row in dumps[1][1]] == [("login", "ada", "3"), ("login", "bea", "2")]


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({}, ""),
        ({"synchronous_commit": "remote_apply"}, ""),
        ({"synchronous_commit": "local"}, "synchronous_commit=local"),
        ({"synchronous_commit": "remote_write"}, "synchronous_commit=remote_write"),
        ({"synchronous_standby_names": ""}, "synchronous_standby_names"),
    ],
)
def test_g23_what_is_acknowledged_by_nodes_is_on_two_machines(changed: dict[str, str], named: str) -> None:
    faults = find_replication_faults(REPLICATED | changed)
    assert [named in fault for fault in faults] == [True] * bool(named)


async def test_g23_a_single_server_is_refused_unless_somebody_says_that_he_knows(url: str) -> None:
    with pytest.raises(Unsafe, match=r"synchronous_standby_names.*ANY 1"):
        await FencedWriter.open(url, "h1", unsafe=False)
    writer, store = await own(url)
    assert store.unsafe.startswith("UNSAFE")
    await store.close()
    await writer.close()


@pytest.mark.parametrize("is_watched", [True, False])
async def test_g23_a_commit_that_did_not_wait_for_its_standby_counts_as_failed(
    lonely: Cluster, is_watched: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server answers with success and a warning. Whoever does not look at that acknowledges what may be lost."""
    if not is_watched:
        monkeypatch.setattr(node_sessions.FencedWriter, "_note", lambda *_: None)
    name = f"house_{is_watched}".lower()
    await execute(lonely.url("postgres"), f"CREATE DATABASE {name}")
    url = lonely.url(name)
    await asyncio.to_thread(migrate, url)
    writer, store = await own(url)
    await set_standbys(lonely, "nobody")
    try:
        waiting = asyncio.create_task(store.commit(ONE))
        assert not (await asyncio.wait([waiting], timeout=0.5))[0], "it waits for the standby"
        await execute(
            url, "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'ventuno/h1/0/1'"
        )
        if is_watched:
            with pytest.raises(StoreFailed, match=UnconfirmedCommit.__name__):
                await waiting
        else:
            await waiting
    finally:
        await set_standbys(lonely, "")
        await store.close()
        await writer.close()


async def test_g23_nodes_outlive_a_time_without_a_standby(lonely: Cluster) -> None:
    """Nothing is taken meanwhile; what they say of themselves waits for nobody."""
    await execute(lonely.url("postgres"), "CREATE DATABASE house_waiting")
    url = lonely.url("house_waiting")
    await asyncio.to_thread(migrate, url)
    async with open_nodes(url, "h1") as [node]:
        await set_standbys(lonely, "nobody")
        try:
            node.owned[0].lose()
            await asyncio.sleep(LOOK_SECONDS + 2)
            assert not node.task.done()
            assert len(node.owned) == 1
        finally:
            await set_standbys(lonely, "")
        await wait_for(lambda: len(node.owned) == 2)


async def set_standbys(server: Cluster, names: str) -> None:
    await execute(
        server.url("postgres"),
        f"ALTER SYSTEM SET synchronous_standby_names = '{names}'",
        "SELECT pg_reload_conf()",
    )
    connection = await asyncpg.connect(server.url("postgres"))
    while await connection.fetchval("SHOW synchronous_standby_names") != names:
        await asyncio.sleep(0.02)
    await connection.close()


@pytest.mark.parametrize(
    ("address", "servers"),
    [
        ("postgresql://u:p@a:1,b:2/x", ["postgresql://u:p@a:1/x", "postgresql://u:p@b:2/x"]),
        ("postgresql://a,b", ["postgresql://a", "postgresql://b"]),
        ("postgresql://u@[::1]:5/x?sslmode=require", ["postgresql://u@[::1]:5/x?sslmode=require"]),
    ],
)
def test_an_address_of_several_servers_is_one_for_each(address: str, servers: list[str]) -> None:
    assert split_hosts(address) == servers


async def test_of_several_servers_the_one_that_answers_is_taken(postgres: Cluster) -> None:
    name = "postgres"
    dead, alive = "127.0.0.1:9", f"127.0.0.1:{postgres.port}"
    connection = await connect(f"postgresql://ventuno@{dead},{alive}/{name}", "ventuno/h1/spare")
    assert await connection.fetchval("SHOW application_name") == "ventuno/h1/spare"
    await connection.close()
    with pytest.raises(StoreFailed, match="no server"):
        await connect(f"postgresql://ventuno@{dead},127.0.0.1:10/{name}")
