"""Several owners at once on PostgreSQL, with a broker of NATS between them: money, rounds and limits across nodes.

Faults that are planted here are those of the simulation of pits (T-1), and must be found on the real database too.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import pytest

from tests.support.databases import create_database, execute
from tests.support.nats import NatsServer, open_broker
from tests.support.pit_cluster.books import MONEY, SLOW, Place, choose_places, list_pits, open_books
from tests.support.pit_cluster.checks import count_open, find_faults
from tests.support.pit_cluster.nodes import SUBJECTS, RunningNode, open_players, play, run_nodes, wait_for
from tests.support.pit_cluster.players import PitPlayer
from tests.support.pit_simulation.planted import FAULTS
from tests.support.postgres import Cluster
from ventuno.core.messages.commands import BringMoney, PlaceBet, Spot, TakeMoney, TakeSeat
from ventuno.core.table import pace
from ventuno.house.pits import pit_keeper, pit_node
from ventuno.house.pits.asks import Ask, Exclude, SetLimit
from ventuno.house.pits.messages import Grant, Message, Transfer
from ventuno.house.pits.pit_books import PitBooks, read_books
from ventuno.house.pits.pit_commits import PitCommits
from ventuno.house.pits.pit_owner import NotOwner
from ventuno.house.pits.placement import choose_node, find_player_pit, find_table_pit, number_unit
from ventuno.house.store.migrations import migrate
from ventuno.house.store.records import Batch
from ventuno.house.store.store import OnDone
from ventuno.house.tables.authority import Answer
from ventuno.web.doors.pit_post import PitPost
from ventuno.web.sockets.limits import HouseBusy

NODES = ("h1", "h2")


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
        assert all({"BringMoney", "PlaceBet", "DealNow"} <= player.done.keys() for player in players)
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


def choose_apart(number: int) -> list[Place]:
    """Places whose homes and tables are on different nodes."""
    found = [one for one in choose_places(40) if choose_node(find_player_pit(one.player), NODES) == "h1"]
    return [one for one in found if choose_node(find_table_pit(one.table), NODES) == "h2"][:number]


@asynccontextmanager
async def open_house(
    url: str, broker: NatsServer, places: list[Place]
) -> AsyncIterator[tuple[list[RunningNode], list[PitPlayer]]]:
    pits = list_pits(places)
    await open_books(url, places, SLOW)
    async with run_nodes(url, broker.url, NODES, pits) as nodes, open_players(url, broker.url, places) as players:
        for name, node in zip(NODES, nodes, strict=True):
            wanted = {pit for pit in pits if choose_node(pit, NODES) == name}
            await wait_for(lambda node=node, wanted=wanted: node.pits == wanted)  # type: ignore[misc]
        yield nodes, players


async def sit_down(player: PitPlayer, table: str) -> None:
    for body in (BringMoney(player.player, 10_000, 0), TakeSeat(player.player, 1, 0)):
        answer = await player.ask(body, table)
        assert isinstance(answer, Answer)
        assert not answer.refused


async def bet(player: PitPlayer, table: str, seconds: float = 5.0) -> str:
    """Five on the main spot; gives why not."""
    ask = Ask(f"bet:{secrets.token_hex(4)}", player.player, PlaceBet(player.player, (Spot(1, "main"),), 500, 0), table)
    answer = await player._asker.ask(ask, seconds)
    return answer.refused if isinstance(answer, Answer) else answer.code


async def test_r36_a_limit_holds_across_tables_of_several_nodes(url: str, broker: NatsServer) -> None:
    places = choose_apart(2)
    async with open_house(url, broker, places) as (_nodes, (player, _)):
        first, second = (place.table for place in places)
        for table in (first, second):
            await sit_down(player, table)
        answer = await player.ask(SetLimit("stake:day", 1_000))
        assert isinstance(answer, Answer)
        assert not answer.refused
        assert await bet(player, first) == ""
        assert await bet(player, second) == ""
        assert await bet(player, first) in ("ProtectionLimit", "RoomPending")
        assert await bet(player, second) in ("ProtectionLimit", "RoomPending")
        assert await find_faults(url, [player]) == []


@pytest.mark.parametrize("is_planted", [False, True], ids=["as it is", "acknowledged before tables confirm"])
async def test_r38_an_exclusion_is_acknowledged_when_every_table_obeys(
    url: str, broker: NatsServer, is_planted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_planted:
        plant("change-is-acknowledged-before-tables-confirm", monkeypatch)
    held_back = asyncio.Event()
    send = PitPost.send

    def hold_back(self: PitPost, message: Message) -> None:
        if not (held_back.is_set() and isinstance(message.body, Grant)):
            send(self, message)

    monkeypatch.setattr(PitPost, "send", hold_back)
    async with open_house(url, broker, choose_apart(1)) as (_nodes, (player,)):
        await sit_down(player, player.table)
        assert await bet(player, player.table) == ""
        held_back.set()
        ask = Ask("ask:exclude", player.player, Exclude(30))
        early = await player._asker.ask(ask, 1.0)
        assert isinstance(early, Answer) == is_planted, "the table has not heard of it"
        assert await bet(player, player.table) == "", "it may still be played: nothing else was promised"
        held_back.clear()
        acknowledged = await player._asker.ask(ask)
        assert isinstance(acknowledged, Answer)
        assert not acknowledged.refused
        if not is_planted:
            assert await bet(player, player.table) == "PlayExcluded"
            assert await find_faults(url, [player]) == []


@pytest.mark.parametrize(
    "planted",
    ["", "refusal-is-not-written-under-the-key", "doubled-transfer-is-paid-again"],
    ids=lambda name: name or "-",
)
async def test_t1_a_transfer_that_comes_twice_is_taken_once(
    url: str, broker: NatsServer, planted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that is refused too. That money is paid again even the database refuses, and its owner drops the pit."""
    if planted:
        plant(planted, monkeypatch)
    send = PitPost.send

    def send_twice(self: PitPost, message: Message) -> None:
        send(self, message)
        if isinstance(message.body, Transfer):
            asyncio.get_running_loop().call_later(0.1, send, self, message)

    monkeypatch.setattr(PitPost, "send", send_twice)
    async with open_house(url, broker, choose_apart(1)) as (nodes, (player,)):
        pit = find_table_pit(player.table)
        missing = next(name for number in count() if find_table_pit(name := f"missing{number}") == pit)
        refused = await player.ask(BringMoney(player.player, 700, 0), missing)
        assert isinstance(refused, Answer)
        assert refused.refused == "NoSuchTable"
        await sit_down(player, player.table)
        await asyncio.sleep(0.3)
        lost = sum(node.node.keeper.losses for node in nodes)
        faults = await find_faults(url, [player])
        assert bool(faults or lost) == bool(planted), faults


@pytest.mark.parametrize("is_planted", [False, True], ids=["as it is", "only what is written passes the fence"])
async def test_t7_an_owner_of_before_answers_nothing_not_even_what_it_knows(
    url: str, broker: NatsServer, is_planted: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would tell from its memory what a new owner has changed since."""
    if is_planted:
        submit = PitCommits.submit

        def submit_unfenced(
            self: PitCommits, unit: int, epoch: int, batch: Batch | None, done: OnDone, **_: bool
        ) -> None:
            submit(self, unit, epoch, batch, done, is_fenced=batch is not None)

        monkeypatch.setattr(PitCommits, "submit", submit_unfenced)
    async with open_house(url, broker, choose_apart(1)) as (nodes, (player,)):
        await sit_down(player, player.table)
        pit = find_table_pit(player.table)
        owner = nodes[1].node.owners[pit]
        tables = owner.pit.authority.tables
        await wait_for(lambda: tables[player.table].table.spare and not owner.waiting)  # nothing else is written then
        again = Ask(f"ask:{player.player} 2", player.player, TakeSeat(player.player, 1, 0), player.table)
        assert not (await owner.ask(again)).refused
        await execute(url, f"UPDATE pits SET epoch = epoch + 1, node = 'h1' WHERE pit = {number_unit(pit)}")
        if is_planted:
            assert not (await owner.ask(again)).refused
            return
        with pytest.raises(NotOwner):
            await owner.ask(again)
        with pytest.raises(NotOwner):
            await owner.ask(Ask("ask:late", player.player, TakeMoney(player.player, 500, 0), player.table))


async def test_a_message_that_makes_no_sense_is_dropped_and_counted(url: str, broker: NatsServer) -> None:
    async with open_house(url, broker, choose_apart(1)) as (nodes, (player,)):
        await sit_down(player, player.table)
        line, pit = player._asker._broker, find_table_pit(player.table)
        for kind in ("move", "grant", "ask", "other"):
            line.publish(SUBJECTS.name_pit(pit, player._asker.epochs[pit], kind), b"\xc1nonsense")
        await wait_for(lambda: sum(node.post.malformed for node in nodes) == 4)
        assert await bet(player, player.table) == "", "it goes on"


async def test_t7_a_pit_knows_the_owners_that_appeared_while_its_books_were_read(
    url: str, broker: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pits are taken one look after the other; money for a table must not go to its owner of before for ever."""

    async def read_slowly(*arguments: Any) -> PitBooks:
        await asyncio.sleep(1.0)
        return await read_books(*arguments)

    monkeypatch.setattr(pit_node, "read_books", read_slowly)
    monkeypatch.setattr(pit_keeper, "MOST_TAKEN", 1)
    places = [one for one in choose_places(8) if find_player_pit(one.player) < find_table_pit(one.table)][:1]
    await open_books(url, places)
    async with (
        run_nodes(url, broker.url, ["h1"], list_pits(places)) as (node,),
        open_players(url, broker.url, places) as (player,),
    ):
        await wait_for(lambda: len(node.pits) == 2)
        await sit_down(player, player.table)


async def test_where_nobody_owns_a_pit_the_house_is_busy(url: str, broker: NatsServer) -> None:
    places = choose_places(1)
    await open_books(url, places)
    async with open_players(url, broker.url, places) as (player,):
        answer = await player._asker.ask(Ask("ask:1", player.player, Exclude(30)), 0.3)
        assert isinstance(answer, HouseBusy)


def plant(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = next(one for one in FAULTS if one.name == name)
    for owner, attribute in fault.places:
        monkeypatch.setattr(owner, attribute, fault.mutant(getattr(owner, attribute)))
