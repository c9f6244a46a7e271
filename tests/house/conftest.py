"""Both databases for the tests of the store: a file, and a PostgreSQL of our own."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.support.postgres import Cluster, cluster

_numbers = count()


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


def fresh_database(made: Cluster) -> str:
    """A database that a test may change the settings of."""
    name = f"house{next(_numbers)}"
    asyncio.run(execute(made.url("postgres"), f"CREATE DATABASE {name}"))
    return made.url(name)


async def execute(url: str, *statements: str) -> None:
    """Change a database behind the store's back, as a tamperer or a bug would."""
    if url.startswith("sqlite"):
        connection = sqlite3.connect(url.removeprefix("sqlite:///"))
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()
    else:
        import asyncpg  # type: ignore[import-untyped, unused-ignore]  # not every test of this folder needs it

        other = await asyncpg.connect(url)
        for statement in statements:
            await other.execute(statement)
        await other.close()
