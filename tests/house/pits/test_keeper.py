"""Leases of nodes on PostgreSQL: one owner at a time, a lost one is followed at once, a woken one commits nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import asyncpg
import pytest

from tests.support.databases import create_database, execute
from tests.support.kept_units import NotingNode, open_nodes, read_clock_ahead, wait_for
from tests.support.postgres import Cluster
from tests.support.stopwatch import Stopwatch
from ventuno.house.pits import keeper as keeping
from ventuno.house.pits.leases import LEASE
from ventuno.house.pits.placement import choose_node
from ventuno.house.store import fenced_commit, node_sessions
from ventuno.house.store.migrations import migrate
from ventuno.house.store.node_sessions import FencedWriter, KeyDiffers, NodeTaken, read_view, set_draining
from ventuno.house.store.records import Batch, Head, chain_events
from ventuno.house.store.store import StaleEpoch, WriteRequest

SOON = 1.9
"""Seconds for which nobody owns a unit whose owner left, or whose session is gone: less than is left of any lease that
was renewed within the last second.
"""


@pytest.fixture
def url(postgres: Cluster) -> str:
    address = create_database(postgres)
    migrate(address)
    return address


def make_group(name: str) -> list[WriteRequest]:
    records, _ = chain_events(Head(), f"table:{name}", 1, [("Told", b"{}")])
    return [WriteRequest(Batch(records), lambda _fault: None)]


async def ask(url: str, query: Callable[[Any], Awaitable[Any]]) -> Any:
    connection = await asyncpg.connect(url)
    try:
        return await query(connection)
    finally:
        await connection.close()


async def test_who_stops_hands_over_and_the_epoch_is_raised(url: str) -> None:
    async with open_nodes(url, "h1", "h2") as (first, second):
        assert (first.units, second.units) == ({0}, set())
        await first.keeper.tenures[0].writer.write(first.owned[0].writer.connection, make_group("T1"), 0)
        with Stopwatch() as watch:
            await first.stop()
            await wait_for(lambda: second.owned)
        assert watch.seconds < SOON
        assert [tenure.epoch for tenure in second.owned] == [2]
        view = await ask(url, read_view)
        assert view.holdings[0].node == "h2"
        assert view.holdings[0].has_session
        assert not view.nodes["h1"].has_session


async def test_an_owner_whose_session_is_gone_is_followed_before_its_lease_lapses(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault, no look at sessions, waits for the lease."""

    async def lose_session() -> float:
        async with open_nodes(url, "h1", "h2") as (first, second):
            await asyncio.sleep(2 * keeping.LOOK)
            with Stopwatch() as watch:
                await execute(
                    url,
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ventuno/h1/0/"
                    f"{first.owned[-1].epoch}'",
                )
                first.stop_renewing()
                await wait_for(lambda: second.units)
            return watch.seconds

    assert await lose_session() < SOON
    await execute(url, "DELETE FROM pits", "DELETE FROM nodes")
    monkeypatch.setattr(keeping.LeaseKeeper, "_has_lost_session", lambda *_: False)
    assert await lose_session() > SOON


@pytest.mark.parametrize("ended", [True, False], ids=["its session is ended", "its session stays"])
async def test_an_owner_that_stood_still_commits_nothing_and_stands_by_again(
    url: str, ended: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fence alone keeps it from committing; that its session is ended only frees the row sooner."""
    if not ended:

        async def end_none(*_arguments: object) -> int:
            return 0

        monkeypatch.setattr(keeping, "end_lapsed_session", end_none)
    async with open_nodes(url, "h1", "h2") as (first, second):
        old = first.owned[0]
        first.stop_renewing()
        with Stopwatch() as watch:
            await wait_for(lambda: second.units)
        assert watch.seconds < LEASE / 1000 + SOON
        with pytest.raises((StaleEpoch, asyncpg.PostgresError, asyncpg.InterfaceError)) as refused:
            await old.writer.write(old.writer.connection, make_group("T1"), 0)
        assert (refused.type is StaleEpoch) != ended
        assert await ask(url, lambda session: session.fetchval("SELECT count(*) FROM log")) == 0
        new = second.owned[0]
        await new.writer.write(new.writer.connection, make_group("T1"), 0)
        old.lose()
        await wait_for(lambda: not first.units)
        await second.stop()
        await wait_for(lambda: first.owned[1:])
        assert first.owned[-1].epoch == 3


async def test_without_a_fence_an_owner_that_stood_still_would_commit(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault of the test before: what it watches for does happen where epochs are not compared."""
    monkeypatch.setattr(fenced_commit, "_COMMIT", fenced_commit._COMMIT.replace("held <> cardinality($1)", "false"))

    async def end_none(*_arguments: object) -> int:
        return 0

    monkeypatch.setattr(keeping, "end_lapsed_session", end_none)
    async with open_nodes(url, "h1", "h2") as (first, second):
        old = first.owned[0]
        first.stop_renewing()
        await wait_for(lambda: second.units)
        await old.writer.write(old.writer.connection, make_group("T1"), 0)
        assert await ask(url, lambda session: session.fetchval("SELECT count(*) FROM log")) == 1


async def test_the_renewal_tells_an_owner_that_another_has_its_unit(url: str) -> None:
    async with open_nodes(url, "h1") as (first,):
        await execute(url, "UPDATE pits SET epoch = 7, node = 'h9', until = until + 60000")
        await wait_for(lambda: not first.units)
        assert first.owned[0].is_lost
        assert first.owned[0].writer.connection.is_closed()


@pytest.mark.parametrize("ahead", [-200, 0, 200, -300, 300])
async def test_a_node_whose_clock_is_off_takes_nothing(url: str, ahead: int) -> None:
    async with open_nodes(url, "h1", free=False, clock=read_clock_ahead(ahead)) as (node,):
        await wait_for(lambda: node.keeper.clock_offset is not None)
        if abs(ahead) < 250:
            await wait_for(lambda: node.units)
        else:
            await asyncio.sleep(5 * keeping.LOOK)
            assert not node.units
        view = await ask(url, read_view)
        assert view.nodes["h1"].has_session


async def test_units_that_lapse_go_to_the_nodes_that_placement_names(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keeping, "GRACE", 60.0)
    units = range(6)
    rows = ", ".join(f"({unit}, 5, 'h9', {2**52})" for unit in units)
    await execute(url, f"INSERT INTO pits VALUES {rows}")
    async with open_nodes(url, "h1", "h2", free=False, units=units) as (first, second):
        await asyncio.sleep(2 * keeping.LOOK)
        await execute(url, "UPDATE pits SET until = 0")
        await wait_for(lambda: len(first.units) + len(second.units) == len(units))
        chosen = {unit: choose_node(unit, ["h1", "h2"]) for unit in units}
        assert set(chosen.values()) == {"h1", "h2"}
        assert {unit: "h1" if unit in first.units else "h2" for unit in units} == chosen
        assert {tenure.epoch for node in (first, second) for tenure in node.owned} == {6}


async def test_a_node_that_is_drained_hands_over_and_takes_nothing_until_it_may(url: str) -> None:
    async with open_nodes(url, "h1") as (alone,):
        await ask(url, lambda session: set_draining(session, "h1", draining=True))
        await asyncio.sleep(3 * keeping.LOOK)
        assert alone.units, "nobody else could have it"
        other = NotingNode(url, "h2")
        await wait_for(lambda: other.units)
        assert not alone.units
        await ask(url, lambda session: set_draining(session, "h1", draining=False))
        await ask(url, lambda session: set_draining(session, "h2", draining=True))
        await wait_for(lambda: alone.units)
        await other.stop()


async def test_a_name_and_a_key_are_for_one_node_and_one_house(url: str) -> None:
    async with open_nodes(url, "h1"):
        with pytest.raises(NodeTaken, match="h1"):
            await NotingNode(url, "h1").task
        with pytest.raises(KeyDiffers, match=r"house\.key"):
            await NotingNode(url, "h2", key=bytes(32)).task


async def test_a_node_that_cannot_open_the_books_gives_the_unit_up_and_ends(url: str) -> None:
    node = NotingNode(url, "h1", fault=ValueError("the books are wrong"))
    with pytest.raises(ValueError, match="the books are wrong"):
        await node.task
    view = await ask(url, read_view)
    assert view.holdings[0].node == ""
    assert view.nodes["h1"].seen == 0


async def test_a_session_that_is_ended_comes_back_and_goes_on(url: str) -> None:
    """The keeper's own sessions may be lost without the unit being so."""
    async with open_nodes(url, "h1") as (node,):
        for kind in ("keeper/%", "renewal"):
            await execute(
                url,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                f"WHERE application_name LIKE 'ventuno/h1/{kind}'",
            )
        await asyncio.sleep(LEASE / 1000 + 0.5)
        assert [tenure.epoch for tenure in node.owned] == [1]
        view = await ask(url, read_view)
        assert view.holdings[0].until > view.now
        assert view.nodes["h1"].has_session


async def test_sessions_of_a_writer_are_named_by_unit_and_epoch(url: str) -> None:
    writer = await FencedWriter.open(url, "h5", unsafe=True)
    try:
        assert await writer.take(node_sessions.Holding(3), LEASE)
        view = await ask(url, read_view)
        assert view.holdings[3] == node_sessions.Holding(3, 1, "h5", view.holdings[3].until, has_session=True)
    finally:
        await writer.close()
