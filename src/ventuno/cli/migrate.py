"""`ventuno migrate`: bring a database to the schema of this version.

A house of one process does that by itself when it opens; the nodes of several machines refuse a database that is before
their step. Steps that only add are done while nodes of the version before play. Exit code 1 where somebody has the
house open who could not go on after it.
"""

from __future__ import annotations

import argparse
import asyncio

from sqlalchemy.exc import SQLAlchemyError

from ventuno.cli import book_source
from ventuno.cli.book_source import format_address, require_driver
from ventuno.cli.errors import ANSWER_IS_NO, Fault
from ventuno.house.store import schema
from ventuno.house.store.durability import open_store
from ventuno.house.store.migrations import find_oldest, migrate
from ventuno.house.store.store import HeldByNodes, HouseOpen, StoreFailed


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.allow_abbrev = False  # half a word would name another house than was meant
    book_source.arguments(parser)


def run(given: argparse.Namespace) -> int:
    url = book_source.address(given)
    require_driver(url)
    try:
        asyncio.run(_migrate(url))
    except HouseOpen as fault:
        raise Fault(f"nothing was changed: {fault}", ANSWER_IS_NO) from None
    except (OSError, StoreFailed, SQLAlchemyError) as fault:
        raise Fault(f"{format_address(url)}: {fault}", ANSWER_IS_NO) from None
    print(f"{format_address(url)} is at {schema.REVISION}")
    return 0


async def _migrate(url: str) -> None:
    """The store migrates where that is needed, under the lock of one process; else beside nodes that play."""
    try:
        store = await open_store(url, unsafe=True)
    except HeldByNodes:
        await _migrate_beside_nodes(url)
    else:
        await store.close()


async def _migrate_beside_nodes(url: str) -> None:
    from ventuno.house.store import node_sessions, postgres

    connection = await postgres.connect(url, "ventuno migrate")
    try:
        view = await node_sessions.read_view(connection)
    finally:
        await connection.close()
    if behind := node_sessions.find_left_behind(view, find_oldest()):
        raise HeldByNodes(f"the nodes {', '.join(behind)} could not go on with {schema.REVISION}: stop them first")
    await asyncio.to_thread(migrate, url, beside_play=True)
