"""A round that was played is written as the scenario that plays it again (X-18): the words of its answers."""

from __future__ import annotations

import pytest

from ventuno.core.messages.events import InsuranceAnswered
from ventuno.core.scenario import recorder
from ventuno.core.table.round import Origin


@pytest.mark.parametrize(
    ("amount", "even_money", "origin", "word"),
    [
        (500, False, Origin.PLAYER, "insure"),
        (0, False, Origin.PLAYER, "decline"),
        (0, True, Origin.PLAYER, "even-money"),
        (0, False, Origin.TIMEOUT, "timeout"),
    ],
)
def test_x18_answers_to_insurance_are_written_as_they_were_given(
    amount: int, even_money: bool, origin: Origin, word: str
) -> None:
    assert recorder._answer(InsuranceAnswered("ada", 1, amount, even_money, origin)) == word
