"""T-7: a database that stands still, or is no longer this house's alone, is seen within two seconds.

A house that lost it acknowledges nothing more: what it would write goes where nobody looks, or another writes too.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.databases import create_database, execute
from tests.support.house import open_application
from tests.support.patience import PATIENCE
from tests.support.postgres import Cluster, send_signal
from tests.support.scripted_evening import open_house
from tests.support.seated_table import BET, open_seated_table, perform
from tests.support.stopwatch import Stopwatch
from ventuno.core.messages.commands import BringMoney
from ventuno.house.application import Application
from ventuno.house.store.clock import JumpingClock
from ventuno.house.store.durability import open_store
from ventuno.house.store.file_lock import HeldFiles, name_lock
from ventuno.house.store.postgres import HOUSE_LOCK, PostgresStore
from ventuno.house.store.sqlite import SqliteStore, WriterProcess
from ventuno.house.store.store import HouseOpen, StoreFailed
from ventuno.house.tables.table_host import TableHost
from ventuno.web.operations.health import find_reasons

SOON = 2.0
"""Seconds after which it must be known."""
SLACK = 1.0
"""And what the writer takes to notice that it has written nothing."""
SILENT = ["the store does not write"]
HOLDER = f"SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND objid = {HOUSE_LOCK % 2**32}"


@asynccontextmanager
async def opened(folder: Path, url: str = "", *, apart: bool = False) -> AsyncIterator[Application]:
    application = await open_application(folder, url=url, apart=apart)
    try:
        assert await find_reasons(application) == []
        yield application
    finally:
        await application.close()


async def ask_in_time(application: Application) -> list[str]:
    """What `/readyz` says, and that it says it in time."""
    with Stopwatch() as watch:
        reasons = await find_reasons(application)
        assert watch.seconds < SOON
    return reasons


async def wait_for_failure(host: TableHost) -> str:
    with Stopwatch() as watch:
        failure = str(await asyncio.wait_for(asyncio.shield(host.commits.failed), PATIENCE))
        assert watch.seconds < SOON + SLACK
    return failure


def test_t7_a_stopped_server_is_told_within_two_seconds_and_play_goes_on_after_it(
    postgres: Cluster, tmp_path: Path
) -> None:
    url = create_database(postgres)

    async def scenario() -> None:
        async with opened(tmp_path, url) as application:
            send_signal(postgres, signal.SIGSTOP)
            try:
                assert await ask_in_time(application) == SILENT
            finally:
                send_signal(postgres, signal.SIGCONT)
            await application.flush()
            assert await ask_in_time(application) == []
            assert not application.find_failure()

    asyncio.run(scenario())


def test_t7_a_house_whose_session_the_server_ended_stops_deciding(postgres: Cluster) -> None:
    url = create_database(postgres)

    async def scenario() -> None:
        house = await open_house(url, JumpingClock())
        await open_seated_table(house)
        await execute(url, HOLDER)
        with pytest.raises(StoreFailed):
            await perform(house, BET, "bet")
        assert "the store stopped" in await wait_for_failure(house)
        with pytest.raises(StoreFailed):
            await perform(house, BET, "later")
        await house.stop()
        again = await open_house(url, JumpingClock(), deep=True)
        assert not await again.commits.store.find_key("ask:ada bet")
        await again.stop()

    asyncio.run(scenario())


@pytest.mark.parametrize("act", ["ended", "unlocked"])
def test_t7_an_idle_house_knows_by_itself_that_it_lost_the_lock(postgres: Cluster, act: str) -> None:
    url = create_database(postgres)

    async def scenario() -> None:
        house = await open_house(url, JumpingClock())
        store = house.commits.store
        assert isinstance(store, PostgresStore)
        if act == "ended":
            await execute(url, HOLDER)
        else:
            await store._connection.execute("SELECT pg_advisory_unlock_all()")
        assert "the store stopped" in await wait_for_failure(house)
        other = await open_store(url)
        await other.close()
        await house.stop()

    asyncio.run(scenario())


def remove(file: Path) -> None:
    file.unlink()


def move_away(file: Path) -> None:
    file.rename(f"{file}.old")


def replace_by_copy(file: Path) -> None:
    shutil.copy(file, f"{file}.copy")
    os.replace(f"{file}.copy", file)


def remove_log(file: Path) -> None:
    Path(f"{file}-wal").unlink()


def remove_lock(file: Path) -> None:
    Path(name_lock(str(file))).unlink()


LOSSES = (remove, move_away, replace_by_copy, remove_log, remove_lock)


@pytest.mark.parametrize(("lose", "apart"), [*[(lose, False) for lose in LOSSES], (replace_by_copy, True)])
def test_t7_nothing_is_acknowledged_once_the_file_is_another(
    tmp_path: Path, lose: Callable[[Path], None], *, apart: bool
) -> None:
    file = tmp_path / "house.db"

    async def scenario() -> None:
        house = await open_house(f"sqlite:///{file}", JumpingClock(), apart=apart)
        await open_seated_table(house)
        lose(file)
        with pytest.raises(StoreFailed):
            await perform(house, BET, "bet")
        assert "is not the file that this house has open" in await wait_for_failure(house)
        with pytest.raises(StoreFailed):
            await perform(house, BringMoney("ada", 1, 0), "later")
        await house.stop()

    asyncio.run(scenario())


def test_t7_a_planted_house_that_does_not_look_acknowledges_into_the_void(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(HeldFiles, "check", lambda _: None)

    async def scenario() -> None:
        house = await open_house(f"sqlite:///{tmp_path}/house.db", JumpingClock())
        await open_seated_table(house)
        remove(tmp_path / "house.db")
        await perform(house, BET, "bet")
        await house.stop()

    asyncio.run(scenario())
    assert not (tmp_path / "house.db").exists()


def test_t7_an_idle_house_knows_that_another_has_the_lock(tmp_path: Path) -> None:
    """Its lock file is gone, and another house opens on the same books: the first ends, the second plays."""
    url = f"sqlite:///{tmp_path}/house.db"

    async def scenario() -> None:
        house = await open_house(url, JumpingClock())
        with pytest.raises(HouseOpen):
            await open_store(url)
        remove_lock(tmp_path / "house.db")
        other = await open_store(url)
        await wait_for_failure(house)
        await other.close()
        await house.stop()

    asyncio.run(scenario())


def test_t7_a_file_that_somebody_else_writes_is_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path) as application:
            with closing(sqlite3.connect(tmp_path / "house.db", isolation_level=None)) as other:
                other.execute("BEGIN IMMEDIATE")
                assert await ask_in_time(application) == SILENT
                other.execute("ROLLBACK")
            await application.flush()
            assert await ask_in_time(application) == []

    asyncio.run(scenario())


def test_t7_a_writer_that_stands_still_is_told(tmp_path: Path) -> None:
    async def scenario() -> None:
        async with opened(tmp_path, apart=True) as application:
            process = find_writer(application.host.commits.store).process
            process.send_signal(signal.SIGSTOP)
            try:
                assert await ask_in_time(application) == SILENT
            finally:
                process.send_signal(signal.SIGCONT)
            await application.flush()
            assert await ask_in_time(application) == []

    asyncio.run(scenario())


def find_writer(store: Any) -> WriterProcess:
    assert isinstance(store, SqliteStore)
    assert isinstance(store.writer, WriterProcess)
    return store.writer
