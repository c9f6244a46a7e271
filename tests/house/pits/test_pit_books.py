"""The books of one pit on PostgreSQL: its own rows and nothing else, and no question that reads the whole house."""

from __future__ import annotations

import asyncpg
import pytest

from tests.support.databases import create_database
from tests.support.pit_cluster.books import MONEY, SHEET, choose_places, list_pits, open_books
from tests.support.postgres import Cluster
from ventuno.house.pits.pit_books import STATEMENTS, read_books
from ventuno.house.pits.placement import find_player_pit, find_table_pit, number_unit
from ventuno.house.pits.renewal import read_clock
from ventuno.house.pits.transfers import AWAY
from ventuno.house.store.fenced_commit import first_place
from ventuno.house.store.migrations import migrate

VALUES: dict[str, tuple[object, ...]] = {
    "records": (1,),
    "keys": (first_place(1), first_place(2), 10),
    "place": (first_place(1), first_place(2)),
    "money of the pit": ("17",),
    "money at home": (["player:p1"],),
    "shares": (["p1"], 0),
    "key": ("ask:p1 1",),
}


@pytest.fixture
def url(postgres: Cluster) -> str:
    address = create_database(postgres)
    migrate(address)
    return address


async def test_a_pit_is_read_with_its_own_rows_alone(url: str) -> None:
    places = choose_places(3)
    await open_books(url, places)
    session = await asyncpg.connect(url)
    try:
        read = {pit: await read_books(session, pit, read_clock()) for pit in range(256)}
    finally:
        await session.close()
    assert {pit for pit, one in read.items() if one.last} == set(list_pits(places))
    for player, table in places:
        home, away = read[find_player_pit(player)], read[find_table_pit(table)]
        assert [records[0].stream for records in home.books.accounts] == [f"player:{player}"]
        assert home.books.balances == {f"player:{player}": MONEY, "cashier": -MONEY, AWAY: 0}
        assert [records[0].stream for records in away.books.tables] == [f"table:{table}"]
        assert SHEET.hash.encode() in away.books.tables[0][0].body
        assert len(away.books.keys) == 1, "that of its shoe"
        assert away.place == first_place(number_unit(find_table_pit(table))) + 1
        assert not away.has_older_keys


async def test_no_question_reads_the_whole_house(url: str) -> None:
    """With tables of some size the planner goes by an index for each of them."""
    session = await asyncpg.connect(url)
    try:
        await session.execute("SET enable_seqscan = off")
        plans = {name: await _explain(session, name) for name in STATEMENTS}
        assert VALUES.keys() == STATEMENTS.keys()
        assert [name for name, plan in plans.items() if "Seq Scan" in plan] == []
        assert "accounts_by_pit" in plans["money of the pit"]
        assert "streams_by_pit" in plans["records"]
    finally:
        await session.close()


async def _explain(session: asyncpg.Connection, name: str) -> str:
    rows = await session.fetch(f"EXPLAIN {STATEMENTS[name]}", *VALUES[name])
    return "\n".join(row[0] for row in rows)
