"""Practice tables: credit that resets, chosen cards, no way to the ledger of play (X-08)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.house import OpenHouse, key
from ventuno.core.messages.commands import Act, BringMoney, CloseTable, Command, LoadShoe, Spot, TakeMoney
from ventuno.core.rules.cards import cards, pack
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet_checks import cards_for_a_round
from ventuno.core.table.round import Action
from ventuno.house.tables.authority import NoSuchTable, Request
from ventuno.house.tables.practice import CREDIT, MAX_TABLES, TooManyPractice, close_oldest, find_owner, is_practice
from ventuno.sheets import GAMES, load

MAIN = (Spot(1, "main"),)


@pytest_asyncio.fixture
async def evening(tmp_path: Path) -> AsyncIterator[OpenHouse]:
    made = OpenHouse(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    await made.open()
    yield made
    await made.application.close()


async def test_x08_chosen_cards_and_credit_that_resets(evening: OpenHouse) -> None:
    ada = await evening.joined("Ada")
    first = await evening.application.tables.open_practice(ada, "first-person", cards("AS 7D KC TH"))
    await evening.bet(ada, first, MAIN)
    await evening.deal(first, ada)
    assert evening.own_view(first, ada).balance == CREDIT + 1_500, "a Blackjack, as chosen"
    again = await evening.application.tables.open_practice(ada, "first-person", cards("9S 7D KC TH"))
    assert again != first
    assert evening.own_view(again, ada).balance == CREDIT
    assert all(is_practice(one) and find_owner(one) == ada for one in (first, again))


@pytest.mark.parametrize("game", GAMES)
async def test_x08_chosen_cards_are_the_first_of_a_whole_shoe(evening: OpenHouse, game: str) -> None:
    """Behind them lie all others of the decks, each once, in an order of their own; no round can run out of cards."""
    ada, chosen = await evening.joined("Ada"), cards("AS AD KC TH 8S")
    orders = []
    for _ in range(2):
        name = await evening.application.tables.open_practice(ada, game, chosen)
        sheet, shoe = load(game), evening.application.host.authority.tables[name].table.shoe
        assert shoe is not None
        assert shoe.cards[:5] == chosen
        assert shoe.position == 0
        assert sorted(shoe.cards) == sorted(pack(sheet.shoe.decks))
        assert 5 <= shoe.cut <= len(shoe.cards) - cards_for_a_round(sheet)
        orders.append(shoe.cards)
    assert orders[0] != orders[1]


async def test_x08_play_goes_on_after_the_chosen_cards(evening: OpenHouse) -> None:
    """Four cards were chosen and a hand wants more of them: the shoe has more, and so has every later round."""
    ada = await evening.joined("Ada")
    table = await evening.application.tables.open_practice(ada, "first-person", cards("2S 7D 2C TH"))
    for _ in range(3):
        await evening.betting(table, ada)
        await evening.bet(ada, table, MAIN)
        await evening.deal(table, ada)
        await evening.application.tables.ask(ada, table, Act(ada, 1, Action.HIT, 0), key())
        await evening.finish(table, (ada,))
    assert evening.application.host.authority.tables[table].table.rounds == 3


async def test_x08_a_player_lists_and_closes_his_practice_tables(evening: OpenHouse) -> None:
    """With an open hand too, and nobody else's."""
    ada, bea = await evening.joined("Ada"), await evening.joined("Bea")
    service = evening.application.tables
    idle, busy = [await service.open_practice(ada, "first-person", cards("9S 7D 8C TH")) for _ in range(2)]
    await evening.bet(ada, busy, MAIN)
    await evening.deal(busy, ada)
    assert [live.table.id for live in service.list_practice(ada)] == [busy, idle]
    assert service.list_practice(bea) == []
    assert isinstance(await service.close_practice(bea, busy), NoSuchTable)
    assert await service.close_practice(ada, busy) is None
    assert [live.table.id for live in service.list_practice(ada)] == [idle]
    await evening.until(lambda: busy not in evening.application.host.authority.tables)
    assert await service.close_practice(ada, idle) is None
    assert service.list_practice(ada) == []
    assert isinstance(await service.close_practice(ada, idle), NoSuchTable)


async def test_x08_no_name_is_given_again(evening: OpenHouse) -> None:
    """Whichever practice tables were closed, the next one has a name that there never was; also after a restart."""
    ada = await evening.joined("Ada")
    names = [await evening.application.tables.open_practice(ada, "ventuno") for _ in range(3)]
    for gone in (names[0], names[2]):
        await evening.application.host.ask(Request(gone, CloseTable("house", "a test", 0), f"close {gone}"))
        assert gone not in evening.application.host.authority.tables
        names.append(await evening.application.tables.open_practice(ada, "ventuno"))
    await evening.application.close()
    await evening.open()
    names.append(await evening.application.tables.open_practice(ada, "ventuno"))
    assert names == [f"practice-{ada}-{number}" for number in range(1, 7)]


async def test_x08_one_account_holds_so_many_practice_tables(evening: OpenHouse) -> None:
    """The oldest makes way for one too many, but none at which a round is open: then it is refused."""
    ada, bea = await evening.joined("Ada"), await evening.joined("Bea")
    house = evening.application.host
    hers = await evening.application.tables.open_practice(bea, "ventuno")
    names = [
        await evening.application.tables.open_practice(ada, "first-person", cards("9S 7D 8C TH"))
        for _ in range(MAX_TABLES)
    ]
    await evening.bet(ada, names[0], MAIN)
    await evening.deal(names[0], ada)
    assert await close_oldest(house, ada) is None
    assert [one for one in names if one not in house.authority.tables] == [names[1]]
    assert await close_oldest(house, ada) is None
    names = [
        *names[:1],
        *names[2:],
        await evening.application.tables.open_practice(ada, "first-person", cards("9S 7D 8C TH")),
    ]
    for name in names[1:]:
        await evening.bet(ada, name, MAIN)
        await evening.deal(name, ada)
    assert await close_oldest(house, ada) == TooManyPractice(MAX_TABLES)
    assert {hers, *names} <= house.authority.tables.keys()


async def test_x08_cards_are_chosen_by_the_house_alone(evening: OpenHouse) -> None:
    """Not even at his own practice table does a player load a shoe; nor does money come to it."""
    ada = await evening.joined("Ada")
    table = await evening.application.tables.open_practice(ada, "sisal", cards("AS"))
    shoe = LoadShoe(cards("AS AD AC AH"), 0, 0, stacked=True)
    assert (await evening.application.tables.ask(ada, table, shoe, key())).refused == "NotYours"
    assert (await evening.application.tables.bring(ada, table, 1_000, key()))[0].refused == "PracticeCredit"
    assert evening.own_view(table, ada).balance == load("sisal").stakes.session_cap


def has_begun(evening: OpenHouse, table: str, player: PlayerId) -> bool:
    return bool(evening.view(table, player).code)


@pytest.mark.parametrize("game", GAMES)
async def test_x08_practice_never_touches_the_ledger(evening: OpenHouse, game: str) -> None:
    """Any play at a practice table: no posting, no balance, no limit used, whatever is asked of it."""
    ada = await evening.joined("Ada", 10_000)
    assert await evening.application.protection.set_limit(ada, "stake:day", 100) is None
    before = await evening.application.host.commits.store.sum_postings()
    for _ in range(6):
        table = await evening.application.tables.open_practice(ada, game)
        await evening.betting(table, ada)
        await evening.bet(ada, table, MAIN)
        if load(game).game.solo:
            await evening.deal(table, ada)
        evening.clock.move(16_000)
        await evening.until(partial(has_begun, evening, table, ada))
        await evening.finish(table, (ada,))
        asked: tuple[Command, ...]
        asked = (TakeMoney(ada, 5_000, 0), BringMoney(ada, 10**9, 0), Act(ada, 1, Action.STAND, 0))
        for command in asked:
            await evening.application.tables.ask(ada, table, command, key())
    assert await evening.application.host.commits.store.list_rounds()
    assert await evening.application.host.commits.store.sum_postings() == before
    assert evening.application.host.authority.find_faults() == []
    await evening.crash()
    assert await evening.application.host.commits.store.sum_postings() == before
    assert (await evening.application.cashier.read_balances(ada)).free == 10_000
    assert evening.application.tables._limits.sum_result(ada, 0) == 0
