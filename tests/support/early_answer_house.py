"""A house that answers before the commit: what `test_killed_server` must catch, and nothing else."""

from __future__ import annotations

import asyncio

from ventuno.house.store.records import Batch, Snapshot
from ventuno.house.store.sqlite import SqliteStore
from ventuno.house.store.store import OnDone

LATER = 0.25
"""Seconds between the answer and the commit."""
_submit = SqliteStore.submit


def hasty(store: SqliteStore, batch: Batch, done: OnDone, snapshot: Snapshot | None = None) -> None:
    loop = asyncio.get_running_loop()
    loop.call_soon(done, None)
    loop.call_later(LATER, _submit, store, batch, _nobody, snapshot)


def _nobody(_fault: BaseException | None) -> None:
    """Everybody has been told already."""


def plant() -> None:
    """Every batch is called durable at once, and written later."""
    setattr(SqliteStore, "submit", hasty)  # noqa: B010 — a planted fault, which no type allows
