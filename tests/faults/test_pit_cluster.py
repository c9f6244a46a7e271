"""Several owners at once on PostgreSQL and NATS: nothing acknowledged is lost, whoever dies, and no cent made (T-3)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.databases import create_database
from tests.support.nats import NatsServer, open_broker
from tests.support.pit_cluster.books import choose_places
from tests.support.pit_cluster.strikes import KILL, STOP, TERM, open_run
from tests.support.postgres import Cluster
from ventuno.house.pits.leases import LEASE
from ventuno.house.store.migrations import migrate

TAKEN_OVER = 2 * LEASE / 1000 + 2
"""Seconds within which somebody else has the pits of an owner that stands still, on a busy machine."""


@pytest.fixture(scope="module")
def broker() -> Iterator[NatsServer]:
    with open_broker() as running:
        yield running


@pytest.fixture
def url(postgres: Cluster) -> str:
    address = create_database(postgres)
    migrate(address)
    return address


async def test_t3_owners_are_killed_stand_still_and_leave_in_the_middle_of_transfers(
    url: str, broker: NatsServer, tmp_path: Path
) -> None:
    async with open_run(tmp_path, url, broker.url, choose_places(5)) as run:
        await run.go_on()
        for how, node in ((KILL, "h1"), (STOP, "h2"), (TERM, "h3")):
            await run.strike(how, node)
        await run.wait_until_placed()
        await run.settle()
    assert run.faults == []
    assert max(pause for pauses in run.pauses.values() for pause in pauses) < TAKEN_OVER
    done = run.count_done()
    assert {"BringMoney", "TakeMoney", "PlaceBet", "Act"} <= done.keys()
