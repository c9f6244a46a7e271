"""Sessions that have run out end in the log, in time (R-43)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import msgspec
import pytest
import pytest_asyncio

from tests.support.house import OpenHouse
from ventuno.house.accounts.sessions import Entered

IDLE_LIMIT, ACTIVITY_INTERVAL = 30 * 60_000, 5 * 60_000
LATEST = 11_000
"""Milliseconds after its end by which a session that ran out is written down as over."""


@pytest_asyncio.fixture
async def evening(tmp_path: Path) -> AsyncIterator[OpenHouse]:
    made = OpenHouse(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    await made.open()
    yield made
    await made.application.close()


async def list_ended(evening: OpenHouse) -> list[tuple[str, str]]:
    """The sessions that the audit log calls over, each with the reason."""
    records = await evening.application.host.commits.store.read_records("house")
    bodies = [msgspec.json.decode(record.body) for record in records if record.kind == "SessionEnded"]
    return [(body["session"], body["reason"]) for body in bodies]


@pytest.mark.parametrize("active", [0, ACTIVITY_INTERVAL - 1])
async def test_r43_a_session_that_ran_out_is_ended_in_time_and_not_before(evening: OpenHouse, active: int) -> None:
    """R-43: thirty minutes after the last activity, also where that is not written down; the log knows it at once."""
    app = evening.application
    entered = await app.accounts.enter_guest("10.0.0.1", "browser")
    assert isinstance(entered, Entered)
    evening.clock.move(active)
    assert await app.accounts.note_activity(entered.player, entered.session) is None
    await app.maintenance.run_once()
    evening.clock.move(IDLE_LIMIT - 1)
    await app.maintenance.run_once()
    assert await list_ended(evening) == []
    evening.clock.move(LATEST)
    await app.maintenance.run_once()
    assert await list_ended(evening) == [(entered.session, "no-activity")]
