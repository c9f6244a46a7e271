"""The schema as it grew, in Alembic's steps. `migrate(url)` brings a database to the newest one.

A step that only adds, so that programs of before go on beside it, says `oldest = "r0007"`: the oldest program that may
keep books at this step. A database of PostgreSQL carries that, so that a program knows whether it may go on with a
schema which is newer than itself: nodes of two versions run side by side during an upgrade (R-06).
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

PAGE = 2_048
"""Bytes of a page of a new SQLite file. What a batch touches is synced page by page: smaller ones are less to write."""
VERSIONS = [Path(__file__).parent / "versions"]
"""Folders of steps."""
LOCK_MILLISECONDS, LOCK_TRIES = 500, 20
"""How long a step beside play waits for a table, while commits wait behind it, and how often it tries."""
LOCK_NOT_AVAILABLE = "55P03"


def migrate(url: str, *, beside_play: bool = False) -> None:
    """Bring the database at `url` (sqlite:///FILE or postgresql://…) to the newest schema; call it from a thread.

    `beside_play`: nodes commit meanwhile, and are not held up for longer than they hardly notice.
    """
    if url.startswith("sqlite"):
        engine = create_engine(make_url(url).set(drivername="sqlite", query={}), poolclass=NullPool)
        with engine.begin() as connection:
            connection.exec_driver_sql(f"PRAGMA page_size = {PAGE}")  # a file that holds anything keeps its own
            upgrade(connection)
        engine.dispose()
    else:
        asyncio.run(_migrate_postgres(url, LOCK_TRIES if beside_play else 0))


async def _migrate_postgres(url: str, tries: int) -> None:
    from ventuno.house.store import postgres  # a house on SQLite needs no driver of PostgreSQL

    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=lambda: postgres.connect(url), poolclass=NullPool
    )
    while True:
        try:
            async with engine.begin() as connection:
                if tries:
                    await connection.exec_driver_sql(f"SET LOCAL lock_timeout = {LOCK_MILLISECONDS}")
                await connection.run_sync(upgrade)
            break
        except DBAPIError as fault:
            tries -= 1
            if getattr(fault.orig, "sqlstate", "") != LOCK_NOT_AVAILABLE or tries <= 0:
                raise
            await asyncio.sleep(LOCK_MILLISECONDS / 1000)
    await engine.dispose()


def upgrade(connection: Connection) -> None:
    """Run every missing step inside the transaction of this connection."""
    config = _make_config()
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"COMMENT ON TABLE alembic_version IS '{find_oldest()}'")


def find_oldest() -> str:
    """The step of the oldest program that may keep books at the newest step."""
    steps = ScriptDirectory.from_config(_make_config()).walk_revisions()
    return max(str(getattr(step.module, "oldest", step.revision)) for step in steps)


def _make_config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("version_locations", os.pathsep.join(map(str, VERSIONS)))
    config.set_main_option("path_separator", "os")
    return config
