"""A served house among hostile clients: it stays sound, and an honest player is answered in time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.history_clients import Customer
from tests.support.house import LIVE
from tests.support.http_house import ServedHouse, Visitor, opened
from tests.support.money_histories import BRING, DONE
from ventuno.web.sockets.limits import SocketLimits

PATIENT = SocketLimits(burst=10**6, faults=10**6, late_joins=10**6, late_asks=10**6)
UNDISTURBED = 1.0
"""Seconds that an honest player waits for, of the processor's time of the one thread in which all of it happens."""


@asynccontextmanager
async def open_crowded_house(folder: Path, **options: Any) -> AsyncIterator[ServedHouse]:
    """A house that must be sound again when the hostile have gone."""
    async with opened(folder, **{"bounds": PATIENT, **options}) as doors:
        yield doors
        await check_soundness(doors)


async def check_soundness(doors: ServedHouse) -> None:
    """Alive for somebody new, nothing left waiting, every balance the sum of its postings."""
    late = await Customer.come(doors)
    await late.go()
    assert await late.move(BRING, 1_000) == DONE
    assert (await late.read())["free"] == 99_000
    assert (await late.http.get("/healthz")).status_code == 200
    await late.leave()
    assert late.history.anomalies() == []
    house = doors.application.host
    assert house.authority.find_faults() == []
    assert await house.commits.store.sum_postings() == await house.commits.store.read_balances()
    assert doors.hub.backlog.waiting == 0
    assert not doors.application.pipeline.broken


async def play_honestly(visitor: Visitor, stop: asyncio.Event) -> list[float]:
    """Somebody who plays on at an even pace; how much was done before each answer came."""
    found: list[float] = []
    while not stop.is_set():
        began = time.thread_time()
        answer = await visitor.ask("allow-behind", allowed=len(found) % 2 == 0)
        assert answer["refused"] is None
        found.append(time.thread_time() - began)
        await asyncio.sleep(0.05)
    return found


@asynccontextmanager
async def check_undisturbed(doors: ServedHouse) -> AsyncIterator[None]:
    """While this goes on, an honest player is answered in time, and a watcher misses no step."""
    bea, zoe, stop = (
        await doors.seated("Honest", 6),
        await doors.enter(await doors.joined("Watcher", 0)),
        asyncio.Event(),
    )
    await zoe.join()
    playing = asyncio.create_task(play_honestly(bea, stop))
    try:
        yield
    finally:
        stop.set()
    times = await playing
    assert times
    assert max(times) < UNDISTURBED, max(times)
    await zoe.until(lambda: zoe.tables[LIVE].version == bea.tables[LIVE].version)
    assert zoe.public() == bea.public()
