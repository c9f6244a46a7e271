"""Databases for the tests of the store, changed behind the store's back."""

from __future__ import annotations

import asyncio
import sqlite3
from itertools import count

from tests.support.patience import PATIENCE
from tests.support.postgres import Cluster

_numbers = count()
END_SESSIONS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)
"""A house that a failed test has left open locks nobody out."""


def create_database(made: Cluster) -> str:
    """A database that a test may change the settings of."""
    name = f"house{next(_numbers)}"
    asyncio.run(execute(made.url("postgres"), f"CREATE DATABASE {name}"))
    return made.url(name)


async def execute(url: str, *statements: str) -> None:
    """Change a database behind the store's back, as a tamperer or a bug would."""
    if url.startswith("sqlite"):
        connection = sqlite3.connect(url.removeprefix("sqlite:///"), timeout=PATIENCE)
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()
    else:
        import asyncpg  # not every test of this folder needs it

        other = await asyncpg.connect(url)
        for statement in statements:
            await other.execute(statement)
        await other.close()
