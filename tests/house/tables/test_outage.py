"""T-6: the database stops, stands still, loses our sessions, dies, comes back, or is a restored copy.

A client repeats a command under its key until it is answered; each time the house may have died in between. Whether an
unanswered command was carried out is never guessed: the key tells. At the end every command has had its effect once.

    VENTUNO_OUTAGES=500 python dev.py test tests/house/tables/test_outage.py      as many as wanted
"""

from __future__ import annotations

import asyncio
import os
import pwd
import random
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from tests.support.databases import END_SESSIONS, create_database, execute
from tests.support.patience import PATIENCE
from tests.support.postgres import SAFE, Cluster, cluster, send_signal
from tests.support.scripted_evening import fund, open_house
from ventuno.core.messages.commands import BringMoney
from ventuno.house.store.clock import JumpingClock
from ventuno.house.store.postgres import write
from ventuno.house.store.store import HouseOpen, StoreFailed, WriteRequest
from ventuno.house.tables.authority import Request
from ventuno.house.tables.table_host import TableHost, stored_key
from ventuno.sheets import load

OUTAGES = int(os.environ.get("VENTUNO_OUTAGES", "6"))
LONGEST = 30.0 if OUTAGES > 100 else 1.0


class Guest:
    """One player who brings a cent again and again, and keeps asking until he is told."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.told: dict[str, int] = {}
        self.unclear = self.repeated = 0
        self._house: TableHost | None = None
        self._opening = asyncio.Lock()

    async def opened(self) -> TableHost:
        """The house, opened anew after each failure, as its process would be."""
        async with self._opening:
            return await self._reopened()

    async def _reopened(self) -> TableHost:
        until = time.monotonic() + PATIENCE
        while self._house is None or self._house.commits.failed.done():
            if self._house:
                await self._house.stop()
                self._house = None
            try:
                self._house = await open_house(self.url, JumpingClock())
            except (OSError, StoreFailed, HouseOpen, asyncpg.PostgresError, asyncpg.InterfaceError):
                if time.monotonic() > until:
                    raise
                await asyncio.sleep(0.02)
        return self._house

    async def brings(self, number: int) -> None:
        request = Request("T", BringMoney("ada", 1, 0), f"k{number}", "ada")
        while True:
            house = await self.opened()
            try:
                answer = await house.ask(request)
            except StoreFailed:
                self.unclear += 1
                house = await self.opened()
                with suppress(StoreFailed):
                    self.repeated += await house.commits.store.find_key(stored_key(request)) is not None
                continue
            assert not answer.refused, answer
            assert self.told.setdefault(request.key, answer.version) == answer.version
            return

    async def close(self) -> None:
        if self._house:
            await self._house.stop()


async def open_funded_table(url: str, amount: int = 1_000) -> tuple[Guest, TableHost]:
    """A guest, and a house with a new table and money in his account."""
    guest = Guest(url)
    house = await guest.opened()
    await house.open_table("T", load("ventuno"))
    await fund(house, {"ada": amount})
    return guest, house


def stopped(server: Cluster, _url: str, chance: random.Random) -> None:
    """Every process of the server stands still for a while."""
    send_signal(server, signal.SIGSTOP)
    time.sleep(chance.uniform(0.1, LONGEST))
    send_signal(server, signal.SIGCONT)


def ended(_server: Cluster, url: str, _chance: random.Random) -> None:
    """The server ends all our sessions."""
    asyncio.run(execute(url, END_SESSIONS))


def died(server: Cluster, _url: str, _chance: random.Random) -> None:
    """An immediate shutdown, as a crash, and a restart that recovers."""
    server.stop(signal.SIGQUIT)
    server.start()


def killed(server: Cluster, _url: str, _chance: random.Random) -> None:
    """SIGKILL to the whole server."""
    send_signal(server, signal.SIGKILL)
    server.stop(signal.SIGKILL)
    time.sleep(0.1)
    server.start()


OUTAGE: tuple[Callable[[Cluster, str, random.Random], None], ...] = (stopped, ended, ended, died, stopped, killed)


def test_t6_every_command_has_its_effect_once_whatever_the_database_does() -> None:
    chance = random.Random(6)
    with cluster() as server:
        url = create_database(server)

        async def scenario() -> Guest:
            guest, house = await open_funded_table(url, 10**9)
            number = 0
            for cycle in range(OUTAGES):
                until = time.monotonic() + chance.uniform(0.02, 0.1)
                while time.monotonic() < until:
                    number += 1
                    await guest.brings(number)
                outage = asyncio.create_task(
                    asyncio.to_thread(OUTAGE[cycle % len(OUTAGE)], server, url, random.Random(cycle))
                )
                while not outage.done():
                    number += 8
                    await asyncio.gather(*[guest.brings(number - one) for one in range(8)])
                await outage
            await guest.brings(0)
            await guest.close()
            final = Guest(url)
            house = await final.opened()
            assert house.authority.wallet.balance("player:ada:table") == len(guest.told)
            assert house.authority.find_faults() == []
            for key, version in list(guest.told.items())[::7]:
                again = await house.ask(Request("T", BringMoney("ada", 1, 0), key, "ada"))
                assert again.version == version
            assert house.authority.wallet.balance("player:ada:table") == len(guest.told)
            await final.close()
            return guest

        guest = asyncio.run(scenario())
    print(
        f"{OUTAGES} outages: {len(guest.told)} commands, each once; {guest.unclear} unclear, {guest.repeated} were done"
    )
    assert guest.unclear > 0
    assert len(guest.told) > OUTAGES


@pytest.mark.parametrize("is_done", [True, False])
def test_t6_an_answer_that_is_lost_is_found_by_its_key(
    postgres: Cluster, monkeypatch: pytest.MonkeyPatch, is_done: bool
) -> None:
    """The connection breaks around the commit: the client cannot know, the key can, and nothing happens twice."""
    url = create_database(postgres)

    async def broken(connection: Any, group: list[WriteRequest], place: int) -> int:
        if is_done:
            await write(connection, group, place)
        raise ConnectionResetError

    async def scenario() -> None:
        guest, house = await open_funded_table(url)
        monkeypatch.setattr(house.commits.store, "_write_group", broken)
        with pytest.raises(StoreFailed):
            await house.ask(Request("T", BringMoney("ada", 1, 0), "k1", "ada"))
        house = await guest.opened()
        assert (await house.commits.store.find_key("ask:ada k1") is not None) == is_done
        await asyncio.gather(*[guest.brings(1) for _ in range(5)])
        assert house.authority.wallet.balance("player:ada:table") == 1
        await guest.close()

    asyncio.run(scenario())


def test_t6_a_planted_client_with_a_new_key_is_caught(postgres: Cluster) -> None:
    """Who repeats under another key is paid twice: the check above sees it."""
    url = create_database(postgres)

    async def scenario() -> None:
        guest, house = await open_funded_table(url)
        await guest.brings(1)
        await house.ask(Request("T", BringMoney("ada", 1, 0), "k1-again", "ada"))
        assert house.authority.wallet.balance("player:ada:table") != len(guest.told)
        await guest.close()

    asyncio.run(scenario())


FULL = (
    "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS "
    "$$ BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END $$",
    "CREATE TRIGGER full_disk BEFORE INSERT ON keys FOR EACH ROW EXECUTE FUNCTION refuse()",
)


def test_t5_a_server_with_a_full_disk_is_waited_for_and_bets_are_refused_meanwhile(postgres: Cluster) -> None:
    """The server refuses rows as it does on a full disk; what was decided is written when it takes them again."""
    url = create_database(postgres)

    async def scenario() -> None:
        guest, house = await open_funded_table(url)
        await execute(url, *FULL)
        waiting = asyncio.create_task(guest.brings(1))
        async with asyncio.timeout(PATIENCE):
            while not house.commits.store.full:
                await asyncio.sleep(0.01)
        refused = await house.ask(Request("T", BringMoney("ada", 1, 0), "k2", "ada"))
        assert refused.refused == "DiskFull"
        assert not waiting.done()
        await execute(url, "DROP TRIGGER full_disk ON keys")
        await asyncio.wait_for(waiting, PATIENCE)
        assert not house.commits.store.full
        await guest.brings(2)
        assert house.authority.wallet.balance("player:ada:table") == 2
        assert not house.commits.failed.done()
        await guest.close()

    asyncio.run(scenario())


def test_t6_failover_to_a_restored_copy() -> None:
    """A copy of the folder and its log, taken after a crash, opens whole elsewhere: nothing acknowledged is missing."""
    with cluster() as server:
        url = create_database(server)

        async def before() -> Guest:
            guest, house = await open_funded_table(url, 10**6)
            for number in range(0, 64, 8):
                await asyncio.gather(*[guest.brings(number + one) for one in range(8)])
            server.stop(signal.SIGQUIT)
            with pytest.raises(StoreFailed):
                await house.ask(Request("T", BringMoney("ada", 1, 0), "unclear", "ada"))
            await guest.close()
            return guest

        guest = asyncio.run(before())
        with _restored(server) as copy:
            found = Guest(copy.url(url.rpartition("/")[2]))

            async def after() -> None:
                house = await found.opened()
                assert house.authority.wallet.balance("player:ada:table") == len(guest.told) == 64
                for number in range(64):
                    await found.brings(number)
                assert found.told == guest.told
                assert (
                    await house.commits.store.find_key(
                        stored_key(Request("T", BringMoney("ada", 1, 0), "unclear", "ada"))
                    )
                    is None
                )
                await found.close()

            asyncio.run(after())


@contextmanager
def _restored(server: Cluster) -> Iterator[Cluster]:
    """The folder of a server that is down, on another machine as it were: another place, another port."""
    home = Path(tempfile.mkdtemp(prefix="ventuno-copy-"))
    home.chmod(0o755)
    copy = Cluster(home, SAFE)
    shutil.copytree(server._data, copy._data)
    (copy._data / "postmaster.pid").unlink(missing_ok=True)
    if os.geteuid() == 0:
        nobody = pwd.getpwnam("nobody")
        for place in (copy._data, *copy._data.rglob("*")):
            os.chown(place, nobody.pw_uid, nobody.pw_gid)
    try:
        copy.start()
        yield copy
    finally:
        copy.stop(signal.SIGQUIT)
        shutil.rmtree(home, ignore_errors=True)
