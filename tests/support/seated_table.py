"""One live table of a house, with ada at box 1."""

from __future__ import annotations

import asyncio

from tests.support.patience import PATIENCE
from tests.support.scripted_evening import SHEETS, fund
from ventuno.core.messages.commands import BringMoney, Command, PlaceBet, Spot, TakeSeat
from ventuno.core.table.state import Phase
from ventuno.house.store.clock import JumpingClock
from ventuno.house.tables.authority import Answer, Request
from ventuno.house.tables.table_host import TableHost

BET = PlaceBet("ada", (Spot(1, "main"),), 500, 0)


async def open_seated_table(house: TableHost, table: str = "T") -> None:
    """One live table, ada at box 1 with money."""
    await house.open_table(table, SHEETS["ventuno"])
    await fund(house, {"ada": 100_000})
    await perform(house, BringMoney("ada", 50_000, 0), "bring", table)
    await perform(house, TakeSeat("ada", 1, 0), "sit", table)


async def perform(house: TableHost, command: Command, key: str, table: str = "T") -> Answer:
    answer = await house.ask(Request(table, command, key, "ada"))
    assert not answer.refused, answer
    return answer


async def wait_for_phase(clock: JumpingClock, house: TableHost, phase: Phase, table: str = "T") -> None:
    """Let time pass until the table shows this phase; while the disk has something to write, no time passes."""
    async with asyncio.timeout(PATIENCE):
        while house.committed[table].table.phase is not phase:
            if house.committed[table].version == house.authority.tables[table].version:
                clock.move(250)
            await asyncio.sleep(0.001)
