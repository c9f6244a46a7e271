"""A house on several machines whose owner is struck: sockets stay, nothing acknowledged is lost (T-3, T-7, R-06).

`bench/soak_cluster.py` does more of the same, with partitions and the loss of the database's primary.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.cluster_runs import KILL, STOP, TERM, ClusterRun, read_log
from tests.support.databases import create_database
from tests.support.early_answer_house import plant
from tests.support.nats import open_broker
from tests.support.postgres import Cluster
from ventuno.house.store.migrations import migrate

TRIES = 4
"""Kills within which the planted fault is found."""


@pytest.fixture
def url(postgres: Cluster) -> str:
    address = create_database(postgres)
    migrate(address)
    return address


@pytest.fixture
def broker() -> Iterator[str]:
    with open_broker() as running:
        yield running.url


@pytest.mark.timeout(600)
async def test_t7_an_owner_that_is_lost_is_followed_on_the_same_sockets(url: str, broker: str, tmp_path: Path) -> None:
    async with ClusterRun(tmp_path, url, broker, 1, 1, seed=1) as run:
        for how in (KILL, STOP, TERM):
            await run.strike(how)
        assert run.found.faults == []
        log = "".join(read_log(run, node) for node in ("h1", "h2"))
        assert "was lost at epoch" in log, "the host that stood still has dropped its house when it woke"
        await run.go_on()
        found = await run.judge()
    assert found.faults == []
    assert found.acknowledged > 0
    assert found.rounds > 0


@pytest.mark.timeout(300)
async def test_t3_a_host_that_answers_before_it_has_written_is_found(url: str, broker: str, tmp_path: Path) -> None:
    async with ClusterRun(tmp_path, url, broker, 1, 1, seed=2, plant=plant) as run:
        for _ in range(TRIES):
            await run.strike(KILL)
            if run.found.faults:
                break
        assert any("was acknowledged and is not in the store" in fault for fault in run.found.faults)
