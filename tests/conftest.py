"""The order of the run, and both databases: a file, and a PostgreSQL of our own."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.databases import END_SESSIONS, execute
from tests.support.empty_books import migrate_quickly
from tests.support.patience import lengthen_timeouts
from tests.support.postgres import Cluster, cluster
from ventuno.house.store import durability

# Two workers share the run, so what takes longest begins first and what ends it is short.
LONGEST = (
    "web/operations/test_killed_server",
    "web/sockets/test_paired",
    "house/tables/test_killed",
    "web/test_bots",
    "cli/test_serve",
    "house/shoes/test_shuffle",
    "web/sockets/test_fuzz",
    "house/tables/test_outage",
    "faults/test_simulation",
)
HERE = Path(__file__).parent
lengthen_timeouts()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """File by file, so that what a module has set up serves all of its tests; the rest stays in its order."""
    place = {HERE / f"{name}.py": number for number, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path, len(place)))


def pytest_collection_finish() -> None:
    """Programs and tests are there to the end: nobody looks through them for garbage again and again."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)


@pytest.fixture(scope="session", autouse=True)
def _empty_books() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(durability, "_migrate", migrate_quickly)
        yield


@pytest.fixture(autouse=True)
def _same_handlers() -> Iterator[None]:
    """Who opens a house in this process sends its log to a stream that is closed with the test; others keep theirs."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    with cluster() as running:
        yield running


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, once on each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/house.db"
    running: Cluster = request.getfixturevalue("postgres")
    asyncio.run(execute(running.url("postgres"), END_SESSIONS, "DROP SCHEMA public CASCADE", "CREATE SCHEMA public"))
    return running.url("postgres")
