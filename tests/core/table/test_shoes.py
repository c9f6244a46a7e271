"""Cards that are not there cannot be dealt (V-02), and a refusal says how many were needed of how many."""

from __future__ import annotations

import pytest

from ventuno.core.messages.commands import LoadShoe
from ventuno.core.messages.refusals import Refusal, ShoeExhausted, ShoeUnfit
from ventuno.core.rules.cards import Card, Shoe, cards, pack
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.shoes import OutOfCards, cut_window, draw
from ventuno.sheets import load


def test_v02_cards_that_are_not_in_the_shoe_are_not_dealt() -> None:
    shoe = Shoe(cards("AS KD 5C"), 1, 3, 1)
    assert draw(shoe, 2) == cards("KD 5C")
    with pytest.raises(OutOfCards) as fault:
        draw(shoe, 3)
    assert fault.value.refusal == ShoeExhausted(4, 3)


@pytest.mark.parametrize("changed", [pack(8)[1:], (*pack(8)[1:], pack(1)[5]), (*pack(8), 0), pack(7), ()])
def test_v02_a_shoe_is_eight_of_each_card_and_nothing_else(changed: tuple[Card, ...]) -> None:
    table = open_table("T1", load("ventuno"))
    assert not isinstance(advance(table, LoadShoe(pack(8), cut_window(table.sheet)[0], 0)), Refusal)
    refusal = advance(table, LoadShoe(changed, cut_window(table.sheet)[0], 0))
    assert refusal == ShoeUnfit("not-the-cards", 8)


def test_v02_without_a_shoe_there_are_no_cards() -> None:
    assert draw(None, 0) == ()
    with pytest.raises(OutOfCards) as fault:
        draw(None, 1)
    assert fault.value.refusal == ShoeExhausted(1, 0)
