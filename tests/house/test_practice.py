"""Practice tables: credit that resets, chosen cards, no way to the ledger of play (X-08)."""

from __future__ import annotations

from random import Random

import pytest

from tests.house.foyer import SHEETS, Foyer
from ventuno.core.cards import cards, pack
from ventuno.core.commands import Act, BringMoney, DealNow, TakeMoney
from ventuno.core.round import Action
from ventuno.house.tables.practice import CREDIT, NotPractice, is_practice
from ventuno.sheets import GAMES


def test_x08_chosen_cards_and_credit_that_resets() -> None:
    foyer = Foyer()
    ada = foyer.joined("Ada", 10_000)
    sheet = SHEETS["first-person"]
    first = foyer.practice.open(ada, sheet, cards("AS 7D KC TH"), 0, foyer.now)
    foyer.keep(first.batch)
    foyer.bet(first.table, ada, 1, 1_000)
    foyer.say(first.table, DealNow(ada, foyer.now), ada)
    held = foyer.authority.rooms[first.table].table
    assert held.purse(ada) == CREDIT + 1_500, "a Blackjack, as chosen"
    again = foyer.practice.open(ada, sheet, cards("9S 7D KC TH"), 0, foyer.now)
    foyer.keep(again.batch)
    assert again.table != first.table
    assert foyer.authority.rooms[again.table].table.purse(ada) == CREDIT
    assert is_practice(f"table:{again.table}")


def test_x08_cards_are_chosen_nowhere_else() -> None:
    foyer = Foyer()
    ada = foyer.joined("Ada", 10_000)
    foyer.keep(foyer.authority.open("F1", SHEETS["first-person"], foyer.now, ada))
    for table in ("F1", "F9"):
        assert foyer.practice.choose(table, cards("AS AD AC AH"), foyer.now).answer.refused == NotPractice.__name__
    opened = foyer.practice.open(ada, SHEETS["first-person"], cards("AS"), 0, foyer.now)
    foyer.keep(opened.batch)
    assert foyer.practice.choose(opened.table, cards("AS AD"), foyer.now).answer.refused == "WrongPhase"
    assert foyer.bring(ada, opened.table, 1_000).decided.answer.refused == "PracticeCredit"


@pytest.mark.parametrize("game", GAMES)
def test_x08_practice_never_touches_the_ledger(game: str) -> None:
    """Any play at a practice table: no posting, no balance, no limit used, whatever is asked of it."""
    foyer = Foyer(8)
    ada = foyer.joined("Ada", 10_000)
    foyer.keep(foyer.protection.set_limit(ada, "stake:day", 100, foyer.now))
    before, postings = foyer.authority.wallet.balances(), list(foyer.disk.postings)
    rng = Random(8)
    for _ in range(6):
        shoe = list(pack(SHEETS[game].shoe.decks))
        rng.shuffle(shoe)
        opened = foyer.practice.open(ada, SHEETS[game], tuple(shoe), 0, foyer.now)
        foyer.keep(opened.batch)
        assert not foyer.bet(opened.table, ada, 1, 1_000).answer.refused
        foyer.finish(opened.table)
        foyer.ask(opened.table, TakeMoney(ada, 5_000, foyer.now), ada)
        foyer.ask(opened.table, BringMoney(ada, 10**9, foyer.now), ada)
        foyer.ask(opened.table, Act(ada, 1, Action.STAND, foyer.now), ada)
    assert foyer.disk.rounds
    assert foyer.authority.wallet.balances() == before
    assert foyer.disk.postings == postings
    assert foyer.authority.faults() == []
    foyer.crash()
    assert foyer.authority.wallet.balances() == before
    assert foyer.guard.net(ada, 0) == 0
