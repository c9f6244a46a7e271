"""Several owners at once on PostgreSQL, with a broker of NATS between them: money, rounds and limits across nodes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest

from tests.support.databases import create_database
from tests.support.nats import NatsServer, open_broker
from tests.support.pit_cluster.books import MONEY, choose_places, list_pits, open_books
from tests.support.pit_cluster.checks import count_open, find_faults
from tests.support.pit_cluster.nodes import open_players, play, run_nodes, wait_for
from tests.support.postgres import Cluster
from ventuno.core.messages.commands import BringMoney, TakeMoney
from ventuno.core.table import pace
from ventuno.house.store.migrations import migrate
from ventuno.house.tables.authority import Answer


@pytest.fixture(scope="module")
def broker() -> Iterator[NatsServer]:
    with open_broker() as running:
        yield running


@pytest.fixture
def url(postgres: Cluster) -> str:
    address = create_database(postgres)
    migrate(address)
    return address


@pytest.fixture(autouse=True)
def _quick_cards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pace, "CARD", 5)


async def wait_until_ended(url: str) -> None:
    async with asyncio.timeout(20):
        while await count_open(url):
            await asyncio.sleep(0.05)


async def test_players_play_at_tables_of_other_nodes(url: str, broker: NatsServer) -> None:
    places = choose_places(4)
    pits = list_pits(places)
    await open_books(url, places)
    async with (
        run_nodes(url, broker.url, ("h1", "h2"), pits) as nodes,
        open_players(url, broker.url, places) as players,
    ):
        await wait_for(lambda: {pit for node in nodes for pit in node.pits} == set(pits))
        assert all(node.pits for node in nodes)
        await play(players, lambda: all(player.rounds > 1 for player in players))
        assert all({"BringMoney", "PlaceBet", "DealNow", "Act"} <= player.done.keys() for player in players)
        for player in players:
            table = await player._reader.read(player.table)
            if purse := table.purse(player.player):
                taken = await player.ask(TakeMoney(player.player, purse, 0))
                assert isinstance(taken, Answer)
        refused = await players[0].ask(BringMoney(players[0].player, 10 * MONEY, 0))
        assert isinstance(refused, Answer)
        assert refused.refused == "FundsMissing"
        await wait_until_ended(url)
        assert await find_faults(url, players) == []
        assert not any(node.node.keeper.losses or node.post.malformed for node in nodes)
