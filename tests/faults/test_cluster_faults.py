"""Between the machines of a house: partitions, brokers and primaries lost, versions side by side (T-7, X-26).

`bench/soak_cluster.py` does more of the same and gives the distribution of the pauses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cluster_faults import (
    BROKER_GONE,
    BROKER_RESTART,
    DATABASE_HALF,
    DATABASE_SILENT,
    DOOR_SILENT,
    PRIMARY_ALONE,
    PartitionedRun,
    ReplicatedRun,
)
from tests.support.cluster_runs import HOSTS, ClusterRun
from tests.support.databases import create_database, execute
from tests.support.early_answer_house import plant
from tests.support.nats import NatsServer, open_broker
from tests.support.next_versions import EXPANDED, as_version, plant_expanded
from tests.support.postgres import Cluster, replicated
from ventuno.cli.main import main
from ventuno.house.pits.keeper import CAUSES, GIVEN_UP, SESSION_GONE
from ventuno.house.store.migrations import migrate


@pytest.fixture
def url(postgres: Cluster) -> str:
    address = create_database(postgres)
    migrate(address)
    return address


@pytest.fixture
def broker() -> Iterator[NatsServer]:
    with open_broker() as running:
        yield running


@pytest.mark.timeout(600)
async def test_t7_partitions_cost_time_and_nothing_else(
    postgres: Cluster, url: str, broker: NatsServer, tmp_path: Path
) -> None:
    """The owner is cut off from the database or the broker; the door is; the broker is started anew."""
    async with PartitionedRun(tmp_path, url, postgres, broker, 1, 1, seed=3) as run:
        for how in (DATABASE_HALF, BROKER_GONE, DOOR_SILENT, BROKER_RESTART):
            await run.strike(how)
        assert run.found.faults == []
        told = [await run.read_metrics(node) for node in HOSTS]
        found = await run.judge()
    assert found.faults == []
    assert found.rounds > 0
    assert sum(metrics["ventuno_node_units"] for metrics in told) == 1
    causes = {
        cause: sum(metrics[f'ventuno_node_takeovers_total{{cause="{cause}"}}'] for metrics in told) for cause in CAUSES
    }
    assert causes[SESSION_GONE] == 1, "the line to the database was lost"
    assert causes[GIVEN_UP] >= 2, "at the start, and without a broker"


@pytest.mark.timeout(300)
async def test_t7_a_host_that_answers_though_its_database_is_silent_is_found(
    postgres: Cluster, url: str, broker: NatsServer, tmp_path: Path
) -> None:
    async with PartitionedRun(tmp_path, url, postgres, broker, 1, 1, seed=4, plant=plant) as run:
        await run.strike(DATABASE_SILENT)
        assert any("was acknowledged and is not in the store" in fault for fault in run.found.faults)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("synchronous", [True, False], ids=["acknowledged by a standby", "acknowledged by it alone"])
async def test_g23_what_was_acknowledged_outlives_the_primary(
    synchronous: bool, broker: NatsServer, tmp_path: Path
) -> None:
    """The planted fault, a primary that waits for no standby, loses what it acknowledged while they were away."""
    with replicated(synchronous=synchronous) as servers:
        first = servers.servers["a"]
        await execute(first.url("postgres"), "CREATE DATABASE house")
        await asyncio.to_thread(migrate, first.url("house"))
        options = {"seed": 5, "unsafe": not synchronous}
        async with ReplicatedRun(tmp_path, "house", servers, broker.url, 1, 1, **options) as run:
            await run.strike(PRIMARY_ALONE)
            if synchronous:
                found = await run.judge()
                assert found.faults == []
                assert found.acknowledged > 0
            else:
                assert any("was acknowledged and is not in the store" in fault for fault in run.found.faults)


@pytest.mark.timeout(600)
async def test_r06_two_versions_play_side_by_side_while_hosts_are_upgraded_one_by_one(
    url: str, broker: NatsServer, tmp_path: Path
) -> None:
    async with ClusterRun(tmp_path, url, broker.url, 1, 1, seed=6) as run:
        with as_version(EXPANDED):
            assert await asyncio.to_thread(main, ["migrate", "--database", url]) == 0
        await run.go_on()
        await run.roll(plant_expanded)
        await run.roll(None)
        await run.go_on()
        found = await run.judge()
    assert found.faults == [], "no round is void, nothing is lost"
    assert found.parts["term"] == 2
