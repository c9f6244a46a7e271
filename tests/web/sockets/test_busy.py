"""A house that is behind says so at once, and does not put new asks behind those that wait (G-24).

The disk is held, so that what was asked waits; on a real server this is a load that it cannot carry.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.support.doors_in_tests import DOORS
from tests.support.house import LIVE, key
from tests.support.http_house import ServedHouse, Visitor, opened
from tests.support.patience import PATIENCE
from ventuno.house.store.records import Batch, Snapshot
from ventuno.house.store.store import OnDone, StoreFailed
from ventuno.web.sockets import channel
from ventuno.web.sockets.channel import Backlog, Connection
from ventuno.web.sockets.limits import SocketLimits
from ventuno.web.sockets.websocket_protocol import QUEUED

LATE = 1_000
BOUNDS = SocketLimits(late_joins=10**6, late_asks=LATE)


class HeldDisk:
    """Keeps what is handed to the writer until it is let go, in its order.

    What no command asked for goes on: the cut of the next shoe would stand before the bet of who has a part in it.
    """

    def __init__(self, doors: ServedHouse, patched: pytest.MonkeyPatch) -> None:
        store = doors.application.host.commits.store
        self._submit, self._kept, self._is_held = store.submit, list[tuple[Any, ...]](), True
        patched.setattr(store, "submit", self._hold)

    def _hold(self, batch: Batch, done: OnDone, snapshot: Snapshot | None = None) -> None:
        if self._is_held and (batch.keys or not batch.records):
            self._kept.append((batch, done, snapshot))
        else:
            self._submit(batch, done, snapshot)

    def let_go(self) -> None:
        self._is_held = False
        for one in self._kept:
            self._submit(*one)


def bet(box: int, again: str) -> dict[str, Any]:
    command = {"do": "bet", "spots": [{"box": box, "bet": "main"}], "amount": 1_000}
    return {"type": "ask", "id": again, "table": LIVE, "key": again, "command": command}


def is_answered(visitor: Visitor, id: str) -> bool:
    return id in answers(visitor)


def answers(visitor: Visitor) -> dict[str, str]:
    """Under the id of each answer the refusal, or nothing."""
    return {one["id"]: (one["refused"] or {"code": ""})["code"] for one in visitor.of("answer")}


@asynccontextmanager
async def two_players(folder: Path) -> AsyncIterator[tuple[ServedHouse, Visitor, Visitor]]:
    """At a table that takes bets."""
    async with opened(folder, bounds=SocketLimits(late_joins=10**6, late_asks=10**6)) as doors:
        ada, bea = await doors.seated("Ada", 1), await doors.seated("Bea", 2)
        await ada.until(lambda: ada.public()["phase"] == "betting")
        doors.hub.limits = BOUNDS
        yield doors, ada, bea


async def behind(doors: ServedHouse) -> None:
    """Until somebody has waited for longer than the house takes new bets."""
    async with asyncio.timeout(PATIENCE):
        while doors.hub.backlog.measure(time.monotonic()) <= LATE:
            await asyncio.sleep(0.02)


async def is_refused_at_once(
    doors: ServedHouse, ada: Visitor, bea: Visitor, patched: pytest.MonkeyPatch, patience: float
) -> bool:
    """One bet waits for the disk; whether another is answered while it does, within so many seconds."""
    disk, first, second = HeldDisk(doors, patched), key(), key()
    try:
        await ada.send(bet(1, first))
        async with asyncio.timeout(PATIENCE):
            while not doors.hub.backlog.pending:
                if first in answers(ada):  # the machine stood still, and the house was late by itself
                    first = key()
                    await ada.send(bet(1, first))
                await asyncio.sleep(0.01)
        await asyncio.sleep((LATE + 100) / 1000)
        await bea.send(bet(2, second))
        with suppress(TimeoutError):
            await bea.until(lambda: second in answers(bea), patience)
        code = answers(bea).get(second)
        assert first not in answers(ada), "nothing is said before it is durable"
    finally:
        disk.let_go()  # a house closes when all is written
    await ada.until(lambda: first in answers(ada))
    await bea.until(lambda: second in answers(bea))
    assert answers(ada)[first] == ""
    return code == "HouseBusy"


async def test_g24_a_bet_that_would_wait_too_long_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What waited is done, what was refused was not; asked again with its key it is done once."""
    async with two_players(tmp_path) as (doors, ada, bea):
        assert await is_refused_at_once(doors, ada, bea, monkeypatch, PATIENCE)
        table = doors.application.host.committed[LIVE].table
        assert (table.total_stake_of(ada.player), table.total_stake_of(bea.player)) == (1_000, 0)
        refused = next(one for one in answers(bea) if answers(bea)[one] == "HouseBusy")
        for _ in range(2):
            await bea.send(bet(2, refused))
        await bea.until(lambda: [one["id"] for one in bea.of("answer")].count(refused) == 3)
        assert answers(bea)[refused] == ""
        assert doors.application.host.committed[LIVE].table.total_stake_of(bea.player) == 1_000


async def test_a_house_that_only_queues_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself: without the measure of who waits, the second bet waits behind the first.

    A machine that stands still for a second makes any house late: then it is looked at again.
    """
    monkeypatch.setattr(
        Backlog, "measure", lambda backlog, since: max(backlog.late, int((time.monotonic() - since) * 1000))
    )
    for turn in range(3):
        (folder := tmp_path / str(turn)).mkdir()
        async with two_players(folder) as (doors, ada, bea):
            if not await is_refused_at_once(doors, ada, bea, monkeypatch, 0.5):
                return
    pytest.fail("a house that only queues was not told from one that refuses")


async def test_g24_a_message_that_is_old_when_it_is_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of several that one player sent together the later ones have waited too."""
    async with two_players(tmp_path) as (doors, ada, _):
        disk, keys = HeldDisk(doors, monkeypatch), [key() for _ in range(QUEUED)]
        for one in keys:
            await ada.send(bet(1, one))
        await asyncio.sleep((LATE + 200) / 1000)
        disk.let_go()
        await ada.until(lambda: all(one in answers(ada) for one in keys))
        assert [answers(ada)[one] for one in keys] == ["", *["HouseBusy"] * (QUEUED - 1)]
        assert doors.application.host.committed[LIVE].table.total_stake_of(ada.player) == 1_000


async def test_g24_decisions_are_refused_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody waits for them: they are taken for a while when bets no longer are."""
    async with two_players(tmp_path) as (doors, ada, bea):
        disk, first = HeldDisk(doors, monkeypatch), key()
        await ada.send(bet(1, first))
        await behind(doors)
        codes = []
        for late in (LATE, 10):
            doors.hub.limits = SocketLimits(late_joins=10**6, late_asks=late)
            again = key()
            decision = {"do": "decide", "box": 2, "action": "stand"}
            await bea.send({**bet(2, again), "command": decision})
            if late == LATE:
                await asyncio.sleep(0.1)
                taken = again not in answers(bea)
                disk.let_go()
                await ada.until(lambda: first in answers(ada))
            await bea.until(partial(is_answered, bea, again))
            codes.append(answers(bea)[again])
            if late == LATE:
                disk = HeldDisk(doors, monkeypatch)
                await ada.send(bet(1, key()))
                await behind(doors)
        disk.let_go()
        assert taken, "it waited for what was decided before it, as everything does"
        assert codes[0] != "HouseBusy"
        assert codes[1] == "HouseBusy"


def test_how_far_behind_a_house_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """As long as the oldest waits, whoever is answered first."""
    monkeypatch.setattr(channel, "monotonic", lambda: 5.0)
    backlog = Backlog()
    first, second, third = (Connection.__new__(Connection) for _ in range(3))
    assert backlog.measure(5.0) == 0
    backlog.pending |= {first: 1.0, second: 2.0}
    del backlog.pending[second]
    assert backlog.measure(5.0) == 4_000
    backlog.pending[third] = 4.0
    del backlog.pending[first]
    assert backlog.measure(5.0) == 1_000
    del backlog.pending[third]
    assert backlog.measure(5.0) == 0


@pytest.mark.skipif(DOORS > 0, reason="sockets outlive their host: tests/web/doors kills its writer")
async def test_a_store_that_failed_closes_the_sockets_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(tmp_path) as doors:
        ada = await doors.seated("Ada", 1)

        async def fails(*_: object) -> None:
            raise StoreFailed("the disk is gone")

        with monkeypatch.context() as patched:
            patched.setattr(doors.application.tables, "ask", fails)
            await ada.send({"type": "ask", "id": "m", "table": LIVE, "key": key(), "command": {"do": "undo"}})
            assert await ada.ended() == 4006
        assert [one["code"] for one in ada.of("fault")] == ["HouseClosed"]
