"""A house that answers before the commit: what `test_killed_server` must catch, and nothing else."""

from __future__ import annotations

import asyncio

from ventuno.house.store.postgres import PostgresStore
from ventuno.house.store.records import Batch, Snapshot
from ventuno.house.store.sqlite import SqliteStore
from ventuno.house.store.store import OnDone, Store

LATER = 0.25
"""Seconds between the answer and the commit."""


def hurry(store: type[Store]) -> None:
    """Every batch of this kind of store is called durable at once, and written later."""
    submit = store.submit

    def hasty(self: Store, batch: Batch, done: OnDone, snapshot: Snapshot | None = None) -> None:
        loop = asyncio.get_running_loop()
        loop.call_soon(done, None)
        loop.call_later(LATER, submit, self, batch, _nobody, snapshot)

    setattr(store, "submit", hasty)  # noqa: B010 — a planted fault, which no type allows


def _nobody(_fault: BaseException | None) -> None:
    """Everybody has been told already."""


def plant() -> None:
    hurry(SqliteStore)
    hurry(PostgresStore)
