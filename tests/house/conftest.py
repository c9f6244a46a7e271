"""Both databases for the tests of the store: a file, and a PostgreSQL of our own."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.databases import execute
from tests.support.postgres import Cluster, cluster


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    with cluster() as made:
        yield made


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, once on each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/house.db"
    made: Cluster = request.getfixturevalue("postgres")
    asyncio.run(execute(made.url("postgres"), "DROP SCHEMA public CASCADE", "CREATE SCHEMA public"))
    return made.url("postgres")
