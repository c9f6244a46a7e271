"""A house that answers before the commit: what `test_killed_server` must catch, and nothing else.

Run as a program it is `ventuno serve` with a store that calls every batch durable at once, and writes it later.
"""

from __future__ import annotations

import asyncio
import sys

from ventuno.cli.main import main
from ventuno.house.books.records import Batch
from ventuno.house.books.sqlite import SqliteStore
from ventuno.house.books.store import Done, Snapshot

LATER = 0.25
"""Seconds between the answer and the commit."""
_submit = SqliteStore.submit


def hasty(store: SqliteStore, batch: Batch, done: Done, snapshot: Snapshot | None = None) -> None:
    loop = asyncio.get_running_loop()
    loop.call_soon(done, None)
    loop.call_later(LATER, _submit, store, batch, _nobody, snapshot)


def _nobody(_fault: BaseException | None) -> None:
    """Everybody has been told already."""


if __name__ == "__main__":
    setattr(SqliteStore, "submit", hasty)  # noqa: B010 — a planted fault, which no type allows
    sys.exit(main(["serve", *sys.argv[1:]]))
