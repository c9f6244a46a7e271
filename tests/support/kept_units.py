"""Nodes of a house in one process, as far as leases go: what they own is only noted."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from tests.support.patience import PATIENCE
from ventuno.house.pits.keeper import LeaseKeeper, Tenure
from ventuno.house.pits.renewal import read_clock
from ventuno.house.store import schema
from ventuno.house.store.store import StoreFailed

KEY = bytes(range(32))


class NotingNode:
    """A node that owns units and does nothing with them."""

    def __init__(
        self, url: str, node: str, *, key: bytes = KEY, fault: Exception | None = None, **options: Any
    ) -> None:
        self.fault = fault
        self.owned: list[Tenure] = []
        options.setdefault("unsafe", True)
        self.keeper = LeaseKeeper(url, node, key, f"test/{schema.REVISION}", self._hold, **options)
        self.task = asyncio.create_task(self.keeper.run())

    @property
    def units(self) -> set[int]:
        return set(self.keeper.tenures)

    async def _hold(self, tenure: Tenure) -> None:
        self.owned.append(tenure)
        if self.fault:
            raise self.fault
        await tenure.ending.wait()
        if tenure.is_lost:
            raise StoreFailed("another node has it")

    def stop_renewing(self) -> None:
        """As a process that stands still: its sessions stay, and nobody renews."""
        assert self.keeper._renewal is not None
        self.keeper._renewal.stop()

    async def stop(self) -> None:
        self.keeper.stop()
        await self.task


@asynccontextmanager
async def open_nodes(url: str, *names: str, free: bool = True, **options: Any) -> AsyncIterator[list[NotingNode]]:
    """Nodes that came one after the other, each when the one before stood by; the first has what is free."""
    nodes: list[NotingNode] = []
    try:
        for name in names:
            nodes.append(NotingNode(url, name, **options))
            await wait_for(lambda: nodes[-1].keeper._spare is not None or nodes[-1].task.done())
            await wait_for(lambda: nodes[0].units or not free)
        yield nodes
    finally:
        for node in nodes:
            node.keeper.stop()
        await asyncio.wait_for(asyncio.gather(*(node.task for node in nodes), return_exceptions=True), PATIENCE)


async def wait_for(what: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not what():
            await asyncio.sleep(0.02)


def read_clock_ahead(milliseconds: int) -> Callable[[], int]:
    """The clock of a machine that goes before the database's by so much."""
    return lambda: read_clock() + milliseconds
