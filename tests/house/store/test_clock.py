"""R-18: whoever sets the wall clock changes no deadline, shortens no decision and puts nothing out of order."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.house import NOON, open_application
from tests.support.patience import PATIENCE
from tests.support.scripted_evening import open_house
from tests.support.seated_table import BET, open_seated_table, perform
from ventuno.core.table.state import Phase
from ventuno.house.store.audit_log import ClockStepped, read_entries
from ventuno.house.store.clock import HouseTime, JumpingClock
from ventuno.house.tables.table_host import TableHost

HOUR = 3_600_000


async def betting(house: TableHost) -> int:
    """A table with a bet on it; how long betting goes on."""
    await open_seated_table(house)
    await perform(house, BET, "bet")
    deadline = house.committed["T"].table.deadline
    assert deadline is not None
    return deadline - house.commits.now()


async def stays(house: TableHost, clock: JumpingClock, milliseconds: int) -> bool:
    """Whether betting is still open after so long."""
    clock.move(milliseconds)
    await asyncio.sleep(0.05)
    return house.committed["T"].table.phase is Phase.BETTING


async def closes(house: TableHost, clock: JumpingClock, milliseconds: int, patience: float = PATIENCE) -> bool:
    """Whether betting closes then; the disk may take its time."""
    clock.move(milliseconds)
    with suppress(TimeoutError):
        async with asyncio.timeout(patience):
            while house.committed["T"].table.phase is not Phase.ROUND:
                await asyncio.sleep(0.01)
    return house.committed["T"].table.phase is Phase.ROUND


@pytest.mark.parametrize("step", [-HOUR, HOUR, -1_500, 10 * HOUR])
def test_r18_a_step_of_the_wall_moves_no_deadline(tmp_path: Path, step: int) -> None:
    """Back or forward, by much or little: betting closes when its time is over, not before and not later."""

    async def scenario() -> None:
        clock = JumpingClock()
        house = await open_house(f"sqlite:///{tmp_path}/house.db", clock)
        left = await betting(house)
        before = house.commits.now()
        clock.step(step)
        assert house.commits.now() == before
        assert await stays(house, clock, left - 1)
        assert await closes(house, clock, 1)
        assert house.commits.now() == before + left
        times = [record.at for record in await house.commits.store.read_records("table:T")]
        assert times == sorted(times)
        await house.stop()

    asyncio.run(scenario())


def test_r18_a_house_that_opens_an_hour_before_it_closed_goes_on(url: str) -> None:
    """The wall was set back while it was closed: time goes on from the last moment that was written."""

    async def scenario() -> None:
        clock = JumpingClock()
        house = await open_house(url, clock)
        await betting(house)
        last = house.commits.now()
        await house.stop()
        earlier = JumpingClock(clock.now() - HOUR)
        again = await open_house(url, earlier)
        assert again.commits.now() >= last
        deadline = again.committed["T"].table.deadline
        assert deadline is not None
        left = deadline - again.commits.now()
        assert 0 < left < 60_000
        assert await stays(again, earlier, left - 1)
        assert await closes(again, earlier, 1)
        times = [record.at for record in await again.commits.store.read_records("table:T")]
        assert times == sorted(times)
        await again.stop()

    asyncio.run(scenario())


def test_r18_planted_fault_a_time_that_waits_for_the_wall_stands_still(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the two tests above would miss if time were the greater of the wall and what was written."""
    floors: dict[HouseTime, int] = {}

    def floored(self: HouseTime) -> int:
        floors[self] = max(floors.get(self, 0), self._clock.now())
        return floors[self]

    async def scenario() -> None:
        clock = JumpingClock()
        house = await open_house(f"sqlite:///{tmp_path}/house.db", clock)
        left = await betting(house)
        monkeypatch.setattr(HouseTime, "now", floored)
        house.commits.now = house.commits.clock.now
        house.commits.now()
        clock.step(-HOUR)
        assert not await closes(house, clock, left, patience=2.0)
        await house.stop()

    asyncio.run(scenario())


async def test_r18_a_step_is_in_the_log_by_its_size(tmp_path: Path) -> None:
    clock = JumpingClock(NOON)
    house = await open_application(tmp_path, certified=False, clock=clock)
    for step in (-HOUR, 900, HOUR):
        clock.step(step)
        await house.maintenance.run_once()
        clock.move(1_000)
        await house.maintenance.run_once()
    noted = [one.event for one in read_entries(await house.host.commits.store.read_records("house"))]
    assert [one for one in noted if isinstance(one, ClockStepped)] == [ClockStepped(-HOUR), ClockStepped(HOUR + 900)]
    await house.close()


async def test_r18_sessions_and_logins_are_not_written_before_what_they_follow(tmp_path: Path) -> None:
    """A house of people counts all its streams, not only those of tables."""
    house = await open_application(tmp_path, certified=False, clock=JumpingClock(NOON))
    await house.accounts.enter_guest("::1", "browser")
    await house.close()
    again = await open_application(tmp_path, certified=False, clock=JumpingClock(NOON - HOUR))
    await again.accounts.enter_guest("::1", "browser")
    times = [record.at for record in await again.host.commits.store.read_records("house")]
    assert times == sorted(times)
    assert len(times) >= 4
    await again.close()
