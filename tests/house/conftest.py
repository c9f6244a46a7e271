"""What the tests of the house share: both databases, a house with its shoes, a clock that jumps, tapes of batches."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped, unused-ignore]
import pytest

from tests.faults.simulation import PLAYERS, SHEETS, START_MONEY, Disk, Limits, World
from tests.house.postgres import Cluster, cluster
from ventuno.core.cards import pack
from ventuno.core.commands import LoadShoe
from ventuno.core.ledger import Posting
from ventuno.core.shoes import cut_window
from ventuno.house.authority import Authority
from ventuno.house.clock import Clock
from ventuno.house.draws import Draws
from ventuno.house.durability import open_store
from ventuno.house.records import Batch, Head, PostingRow, append
from ventuno.house.room import Room
from ventuno.house.shell import House
from ventuno.house.store import Store

SHEETS_BY_HASH = {sheet.hash: sheet for sheet in SHEETS.values()}
_numbers = count()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Cluster]:
    with cluster() as made:
        yield made


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, once on each kind."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/house.db"
    made: Cluster = request.getfixturevalue("postgres")
    asyncio.run(execute(made.url("postgres"), "DROP SCHEMA public CASCADE", "CREATE SCHEMA public"))
    return made.url("postgres")


def fresh_database(made: Cluster) -> str:
    """A database that a test may change the settings of."""
    name = f"house{next(_numbers)}"
    asyncio.run(execute(made.url("postgres"), f"CREATE DATABASE {name}"))
    return made.url(name)


async def execute(url: str, *statements: str) -> None:
    """Change a database behind the store's back, as a tamperer or a bug would."""
    if url.startswith("sqlite"):
        import sqlite3

        connection = sqlite3.connect(url.removeprefix("sqlite:///"))
        for statement in statements:
            connection.execute(statement)
        connection.commit()
        connection.close()
    else:
        other = await asyncpg.connect(url)
        for statement in statements:
            await other.execute(statement)
        await other.close()


@dataclass
class Recorder(Disk):
    """A disk of the simulation that keeps the batches themselves."""

    batches: list[Batch] = field(default_factory=list)

    def commit(self, batch: Batch) -> None:
        super().commit(batch)
        self.batches.append(batch)


class Taped(World):
    """A world of the simulation whose committed batches are kept."""

    def _open(self) -> list[str]:
        self.disk = self.recorder = Recorder()
        self.recorder.batches.append(funds(dict.fromkeys(PLAYERS, START_MONEY), self.now))
        return super()._open()


def tape(seed: int, steps: int = 60) -> tuple[list[Batch], Taped]:
    """What one world of the simulation commits, in order: real play of two games, with all that goes wrong."""
    world = Taped(seed)
    world.run(steps)
    return world.recorder.batches, world


def funds(amounts: dict[str, int], at: int, head: Head | None = None) -> Batch:
    """Money from the cashier, as one record of the house."""
    records, _ = append(head or Head(), "house", at, [("Funded", b"{}")])
    seq = records[0].seq
    rows = [PostingRow("house", seq, f"player:{player}", amount, "", "") for player, amount in amounts.items()]
    return Batch(records, (PostingRow("house", seq, "cashier", -sum(amounts.values()), "", ""), *rows))


async def fund(house: House, amounts: dict[str, int]) -> None:
    """Bring money into a house that is open."""
    batch = funds(amounts, house.now(), house.heads.get("house"))
    house.authority.wallet.post([Posting(row.account, row.amount) for row in batch.postings])
    await house.write(batch)


class Shoes:
    """A shoemaker with a seed."""

    def __init__(self, seed: int = 1) -> None:
        self._chance = random.Random(seed)

    async def __call__(self, room: Room) -> LoadShoe:
        cards = list(pack(room.table.sheet.shoe.decks))
        self._chance.shuffle(cards)
        least, most = cut_window(room.table.sheet)
        return LoadShoe(tuple(cards), self._chance.randint(least, most), 0)


def authority(seed: int = 1) -> Authority:
    return Authority(Limits(), Draws(random.Random(seed).randrange), SHEETS_BY_HASH)


async def open_house(url: str, clock: Clock, seed: int = 1, **options: Any) -> House:
    store = await open_store(url)
    return await House.open(store, authority(seed), SHEETS_BY_HASH, clock, Shoes(seed), **options)


async def fill(store: Store, batches: list[Batch]) -> None:
    """Commit a whole tape."""
    for batch in batches[:-1]:
        store.submit(batch, lambda _: None)
    await store.commit(batches[-1])
