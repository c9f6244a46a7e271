"""A house that has grown old opens and answers as quickly as a young one, and loses nothing by it (R-06, G-4, G-11).

Work is counted in records that the store hands out, not in seconds.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.databases import execute
from tests.support.house import OpenHouse, key
from ventuno.core.messages.commands import Spot
from ventuno.core.rules.money import PlayerId
from ventuno.house.application import Application
from ventuno.house.shoes import merkle, receipts
from ventuno.house.shoes.receipts import Base, Chain
from ventuno.house.store import store as stores
from ventuno.house.store.durability import StoreInconsistent
from ventuno.house.store.records import Snapshot
from ventuno.house.store.sqlite import SqliteStore
from ventuno.house.tables import snapshots, table_host
from ventuno.house.tables.concession import find_admission
from ventuno.house.tables.snapshots import Snapshots
from ventuno.sheets import GAMES

EVERY, STAYS = 16, 32
"""Records between two photographs, and between two that stay, in the houses of these tests."""
MOST = 250
"""Records that such a house may read when it opens."""
SPOTS = (Spot(1, "main"),)


class Old:
    """A house, its player and the rounds that he has played at a table for one."""

    def __init__(self, evening: OpenHouse, player: PlayerId, table: str) -> None:
        self.evening, self.player, self.table = evening, player, table
        self.codes: list[str] = []

    async def play(self, rounds: int) -> None:
        for _ in range(rounds):
            code, _ = await self.evening.solo_round(self.player, self.table, SPOTS)
            self.codes.append(code)
            self.evening.application.maintenance._snapshots.take_due(EVERY)

    async def told(self, code: str) -> tuple[Any, ...]:
        """All that the house remembers of a round: story, ids, papers."""
        application = self.evening.application
        row = await application.host.commits.store.find_round(code)
        assert row is not None
        return (
            await application.history.describe_round(self.player, code),
            await find_admission(application.host.commits.store, row, self.player),
            await application.history.read_document(self.player, code),
        )


@pytest_asyncio.fixture
async def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Old]:
    monkeypatch.setattr(table_host, "SNAPSHOT_EVERY", EVERY)
    monkeypatch.setattr(stores, "MILESTONE", STAYS)
    monkeypatch.setattr(snapshots, "CONCESSION_RECORDS", EVERY)
    evening = OpenHouse(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    evening.certify(*GAMES)
    await evening.open()
    ada = await evening.joined("Ada")
    table = await evening.application.tables.open_solo(ada, "sisal")
    assert isinstance(table, str)
    assert not (await evening.application.tables.bring(ada, table, 100_000, key()))[0].refused
    made = Old(evening, ada, table)
    yield made
    await evening.application.close()


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows each question was answered with, those about records."""
    counted: list[int] = []
    ask = SqliteStore._ask

    async def counting(self: SqliteStore, name: str, given: dict[str, Any]) -> Any:
        rows = await ask(self, name, given)
        if name in ("records", "tails"):
            counted.append(len(rows))
        return rows

    monkeypatch.setattr(SqliteStore, "_ask", counting)
    return counted


async def test_r06_what_is_read_to_open_does_not_grow_with_the_rounds(old: Old, read: list[int]) -> None:
    found = []
    for _ in range(3):
        await old.play(25)
        read.clear()
        await old.evening.crash()
        found.append(sum(read))
    assert max(found) < MOST
    assert found[2] < found[0] + 6 * EVERY, "but for how long ago the last photograph was"


async def test_r06_without_photographs_it_would(old: Old, read: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: nobody photographs."""
    monkeypatch.setattr(Snapshots, "take_due", lambda *_, **__: None)
    await old.play(50)
    read.clear()
    await old.evening.crash()
    assert sum(read) > MOST


async def test_r06_an_open_round_comes_back_without_what_was_before_it(old: Old, read: list[int]) -> None:
    await old.play(30)
    evening, ada, table = old.evening, old.player, old.table
    await evening.betting(table, ada)
    await evening.bet(ada, table, SPOTS)
    code = await evening.deal(table, ada)
    before = evening.view(table, ada)
    read.clear()
    await evening.crash()
    assert sum(read) < MOST
    assert evening.view(table, ada).boxes == before.boxes
    await evening.finish(table, (ada,))
    assert (await evening.verdict(ada, code)).is_verifiable


async def test_x01_rounds_of_long_ago_are_told_and_proven_as_if_read_from_the_first_record(
    old: Old, read: list[int]
) -> None:
    """Story, ids and papers, before and after the milestones are gone: the same, to the last byte of a proof."""
    await old.play(45)
    codes = [old.codes[0], old.codes[20], old.codes[33], old.codes[44]]
    quick = []
    for code in codes:
        read.clear()
        quick.append(await old.told(code))
        assert sum(read) < MOST
        assert (await old.evening.verdict(old.player, code)).is_verifiable
        assert quick[-1][1] is not None
    await execute(old.evening.url, "DELETE FROM milestones")
    read.clear()
    assert [await old.told(code) for code in codes] == quick
    assert sum(read) > MOST


async def test_g11_photographs_are_what_the_records_say(old: Old) -> None:
    """A deep look folds every stream again; a photograph that says another thing is found."""
    await old.play(20)
    await old.evening.application.close()
    await old.evening.open(deep=True)
    for start, place in (("shoes:", 3), ("concession", 5)):
        await old.evening.application.close()
        with closing(sqlite3.connect(old.evening.url.removeprefix("sqlite:///"))) as base:
            asked = base.execute("SELECT stream, body FROM snapshots WHERE stream LIKE ?", (f"{start}%",))
            [(stream, good)] = asked.fetchall()
            body = json.loads(good)
            body[place] = [] if body[place] else 7
            put = "UPDATE snapshots SET body = ? WHERE stream = ?"
            base.execute(put, (json.dumps(body, separators=(",", ":")).encode(), stream))
            base.commit()
            with pytest.raises(StoreInconsistent, match=f"{stream}: its snapshot is not what"):
                await old.evening.open(deep=True)
            base.execute(put, (good, stream))
            base.commit()
        await old.evening.open()


@pytest.mark.parametrize(
    "change",
    [
        "DELETE FROM log WHERE stream LIKE 'shoes:%' AND seq = 5",
        "UPDATE log SET at = at + 1 WHERE stream LIKE 'shoes:%' AND seq = 3",
        "UPDATE log SET kind = 'ReportSent' WHERE stream = 'concession' AND seq = 2",
        "UPDATE log SET body = body || ' ' WHERE stream LIKE 'table:%' AND seq = 9",
        "DELETE FROM log WHERE stream LIKE 'sealed:%' AND seq = 1",
    ],
)
async def test_g11_what_was_changed_long_ago_is_found_when_the_books_are_read_again(old: Old, change: str) -> None:
    """The house opens from its photographs all the same; the books are read beside play, and every screen tells."""
    await old.play(20)
    application = old.evening.application
    assert await application.maintenance.chains.check_all() == []
    await execute(old.evening.url, change)
    application = await old.evening.crash()
    assert len(await application.maintenance.chains.check_all()) == 1
    await application.maintenance.run_once()
    assert application.maintenance.faults == application.maintenance.chains.faults


async def test_r06_a_photograph_of_another_record_is_refused(old: Old) -> None:
    await old.play(10)
    await old.evening.application.close()
    await execute(old.evening.url, "UPDATE snapshots SET seq = seq - 1 WHERE stream LIKE 'shoes:%'")
    with pytest.raises(StoreInconsistent, match="its snapshot was taken at"):
        await old.evening.open()
    await execute(old.evening.url, "DELETE FROM snapshots")
    assert isinstance(await old.evening.open(), Application)


async def test_milestones_stay_and_are_found_by_their_mark(old: Old) -> None:
    store = old.evening.application.host.commits.store
    for seq in (3, 7, 9):
        await store.save(Snapshot("s", seq, b"%d" % seq, 10 * seq))
    await store.save(Snapshot("s", 9, b"again", 90))
    await store.save(Snapshot("s", 12, b"passing"))
    found = [await store.find_permanent_snapshot("s", mark) for mark in (29, 30, 75, 500)]
    assert [one and one.body for one in found] == [None, b"3", b"7", b"9"]
    assert (await store.read_snapshots("s"))["s"].body == b"passing"


@pytest.mark.parametrize("size", range(40))
def test_a_tree_that_is_resumed_goes_on_as_if_it_knew_all(size: int) -> None:
    leaves = [merkle.hash_leaf(bytes([number])) for number in range(size + 21)]
    whole, resumed = merkle.Tree(leaves), merkle.Tree.resume(size, merkle.Tree(leaves[:size]).peaks)
    for one in leaves[size:]:
        resumed.append(one)
    for length in range(max(size, 1), len(leaves) + 1):
        assert resumed.root(length) == whole.root(length)
        for index in range(size, length):
            assert resumed.path(index, length) == whole.path(index, length)
    assert resumed.peaks == whole.peaks
    for index in range(size - 1):
        with pytest.raises(IndexError):
            resumed.path(index)


def test_a_chain_that_rests_on_its_base_signs_the_same() -> None:
    hashes = [bytes([number]) * 32 for number in range(30)]
    whole, resting = Chain("house", "T1", hashes), Chain("house", "T1", hashes[:17])
    resting.reset(resting.base)
    for one in hashes[17:]:
        resting.append(one)
    assert resting.make_checkpoint(1) == whole.make_checkpoint(1)
    assert resting.prove_inclusion(18) == whole.prove_inclusion(18)
    assert resting.base == whole.base
    assert receipts.BEGINNING == Base() == Chain("house", "T1").base
    with pytest.raises(IndexError):
        resting.prove_inclusion(17)
