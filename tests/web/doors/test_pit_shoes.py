"""Sealed shoes of a pit on PostgreSQL: made by one owner, played to their end under another, verified by anybody."""

from __future__ import annotations

import json
from dataclasses import replace

import asyncpg
import pytest

from tests.support.databases import create_database
from tests.support.nats import open_broker
from tests.support.pit_cluster.books import GAMES, SLOW, choose_places, list_pits, open_books
from tests.support.pit_cluster.nodes import RunningNode, open_players, play, run_nodes, wait_for
from tests.support.pit_simulation.sealed_shoes import KEY
from tests.support.postgres import Cluster
from ventuno.core.messages.commands import BringMoney, CloseTable, TakeSeat
from ventuno.core.table import pace
from ventuno.core.table.state import ROUND, Table
from ventuno.house.history.shoe_documents import read_document
from ventuno.house.pits.placement import find_table_pit, number_unit
from ventuno.house.shoes import shoe_document
from ventuno.house.shoes.shoe_document import ShoeDocument
from ventuno.house.shoes.verification import ProofFailed, verify
from ventuno.house.store.migrations import migrate
from ventuno.house.store.postgres import PostgresStore
from ventuno.house.tables.authority import Request


@pytest.fixture
def url(postgres: Cluster) -> str:
    address = create_database(postgres)
    migrate(address)
    return address


async def read_shoe(url: str, table: str) -> ShoeDocument:
    """The document of the first shoe of a table, as it is sent: read beside the pits, which nothing is asked."""
    session = await asyncpg.connect(url)
    store = await PostgresStore.open(url, session, alone=False)
    try:
        document = await read_document(store, f"table:{table}", 1, GAMES)
    finally:
        await store.close()
    assert document is not None
    return shoe_document.read(json.dumps(document.to_dict()).encode(), ("ventuno",))


def get_table(running: RunningNode, name: str) -> Table:
    return running.node.owners[find_table_pit(name)].pit.authority.tables[name].table


async def test_x01_a_shoe_that_two_owners_dealt_from_is_verified(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sealed and cut by the first owner; in the middle of a round another takes over, with the same cards (R-23)."""
    monkeypatch.setattr(pace, "CARD", 5)
    [place] = choose_places(1)
    pits, away = list_pits([place]), find_table_pit(place.table)
    await open_books(url, [place], SLOW, has_shoes=False)
    with open_broker() as broker:
        async with open_players(url, broker.url, [place]) as players:
            [player] = players

            async with run_nodes(url, broker.url, ["h1"], pits) as [first]:
                await wait_for(lambda: first.pits == set(pits))
                for body in (BringMoney(place.player, 20_000, 0), TakeSeat(place.player, 1, 0)):
                    await player.ask(body)
                await play(players, lambda: get_table(first, place.table).phase is ROUND)
                await first.stop()
            table = await player._reader.read(place.table)
            assert table.phase is ROUND
            assert table.shoe is not None
            async with run_nodes(url, broker.url, ["h2"], pits) as [second]:
                await wait_for(lambda: second.pits == set(pits))

                def has_ended() -> bool:
                    now = get_table(second, place.table)
                    return now.rounds > table.rounds and now.phase is not ROUND

                await play(players, has_ended)
                owner = second.node.owners[away]
                await owner.command(Request(place.table, CloseTable("house", "test", 0), "close"))
                await wait_for(lambda: get_table(second, place.table).shoe is None)
                ended = get_table(second, place.table).rounds
    document = await read_shoe(url, place.table)
    assert len(document.rounds) == ended > 1
    assert document.opening is not None
    assert verify(document, SLOW, KEY.public).rounds == ended
    order = table.shoe.cards
    assert all(one.proof.card == order[one.play] for one in document.dealt)
    with pytest.raises(ProofFailed):
        verify(replace(document, rounds=document.rounds[1:]), SLOW, KEY.public)
    session = await asyncpg.connect(url)
    entered = await session.fetch("SELECT stream FROM streams WHERE pit = $1 ORDER BY stream", number_unit(away))
    await session.close()
    assert {f"shoes:{place.table}", f"sealed:{place.table}"} <= {row["stream"] for row in entered}
