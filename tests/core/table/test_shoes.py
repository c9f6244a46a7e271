"""Cards that are not there cannot be dealt (V-02), and a refusal says how many were needed of how many."""

from __future__ import annotations

import pytest

from ventuno.core.messages.refusals import ShoeExhausted
from ventuno.core.rules.cards import Shoe, cards
from ventuno.core.table.shoes import OutOfCards, draw


def test_v02_cards_that_are_not_in_the_shoe_are_not_dealt() -> None:
    shoe = Shoe(cards("AS KD 5C"), 1, 3, 1)
    assert draw(shoe, 2) == cards("KD 5C")
    with pytest.raises(OutOfCards) as fault:
        draw(shoe, 3)
    assert fault.value.refusal == ShoeExhausted(4, 3)


def test_v02_without_a_shoe_there_are_no_cards() -> None:
    assert draw(None, 0) == ()
    with pytest.raises(OutOfCards) as fault:
        draw(None, 1)
    assert fault.value.refusal == ShoeExhausted(1, 0)
