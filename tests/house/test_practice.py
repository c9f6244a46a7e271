"""Practice tables: credit that resets, chosen cards, no way to the ledger of play (X-08)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import pytest
import pytest_asyncio

from tests.house.test_premises import Evening, key
from ventuno.core.cards import cards
from ventuno.core.commands import Act, BringMoney, Command, LoadShoe, Spot, TakeMoney
from ventuno.core.money import PlayerId
from ventuno.core.round import Action
from ventuno.house.tables.practice import CREDIT, is_practice, keeper
from ventuno.sheets import GAMES, load

MAIN = (Spot(1, "main"),)


@pytest_asyncio.fixture
async def evening(tmp_path: Path) -> AsyncIterator[Evening]:
    made = Evening(f"sqlite:///{tmp_path}/house.db", tmp_path / "data")
    await made.open()
    yield made
    await made.premises.close()


async def test_x08_chosen_cards_and_credit_that_resets(evening: Evening) -> None:
    ada = await evening.joined("Ada")
    first = await evening.premises.practise(ada, "first-person", cards("AS 7D KC TH"))
    await evening.bet(ada, first, MAIN)
    await evening.deal(first, ada)
    assert evening.view(first, ada).balance == CREDIT + 1_500, "a Blackjack, as chosen"
    again = await evening.premises.practise(ada, "first-person", cards("9S 7D KC TH"))
    assert again != first
    assert evening.view(again, ada).balance == CREDIT
    assert all(is_practice(one) and keeper(one) == ada for one in (first, again))


async def test_x08_cards_are_chosen_by_the_house_alone(evening: Evening) -> None:
    """Not even at his own practice table does a player load a shoe; nor does money come to it."""
    ada = await evening.joined("Ada")
    table = await evening.premises.practise(ada, "sisal", cards("AS"))
    shoe = LoadShoe(cards("AS AD AC AH"), 0, 0, stacked=True)
    assert (await evening.premises.ask(ada, table, shoe, key())).refused == "NotYours"
    assert (await evening.premises.bring(ada, table, 1_000, key()))[0].refused == "PracticeCredit"
    assert evening.view(table, ada).balance == load("sisal").stakes.session_cap


def has_begun(evening: Evening, table: str, player: PlayerId) -> bool:
    return bool(evening.view(table, player).code)


@pytest.mark.parametrize("game", GAMES)
async def test_x08_practice_never_touches_the_ledger(evening: Evening, game: str) -> None:
    """Any play at a practice table: no posting, no balance, no limit used, whatever is asked of it."""
    ada = await evening.joined("Ada", 10_000)
    assert await evening.premises.set_limit(ada, "stake:day", 100) is None
    before = await evening.premises.house.store.sums()
    for _ in range(6):
        table = await evening.premises.practise(ada, game)
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
            await evening.premises.ask(ada, table, command, key())
    assert await evening.premises.house.store.rounds()
    assert await evening.premises.house.store.sums() == before
    assert evening.premises.house.authority.faults() == []
    await evening.crash()
    assert await evening.premises.house.store.sums() == before
    assert (await evening.premises.means(ada)).free == 10_000
    assert evening.premises.staff.guard.net(ada, 0) == 0
