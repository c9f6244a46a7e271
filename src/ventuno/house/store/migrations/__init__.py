"""The schema as it grew, in Alembic's steps. `migrate(url)` brings a database to the newest one."""

from __future__ import annotations

import asyncio
from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

PAGE = 2_048
"""Bytes of a page of a new SQLite file. What a batch touches is synced page by page: smaller ones are less to write."""


def migrate(url: str) -> None:
    """Bring the database at `url` (sqlite:///FILE or postgresql://…) to the newest schema; call it from a thread."""
    if url.startswith("sqlite"):
        engine = create_engine(make_url(url).set(drivername="sqlite", query={}), poolclass=NullPool)
        with engine.begin() as connection:
            connection.exec_driver_sql(f"PRAGMA page_size = {PAGE}")  # a file that holds anything keeps its own
            upgrade(connection)
        engine.dispose()
    else:
        asyncio.run(_migrate_postgres(url))


async def _migrate_postgres(url: str) -> None:
    from ventuno.house.store import postgres  # a house on SQLite needs no driver of PostgreSQL

    engine = create_async_engine(
        "postgresql+asyncpg://", async_creator=lambda: postgres.connect(url), poolclass=NullPool
    )
    async with engine.begin() as connection:
        await connection.run_sync(upgrade)
    await engine.dispose()


def upgrade(connection: Connection) -> None:
    """Run every missing step inside the transaction of this connection."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
