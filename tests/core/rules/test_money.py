"""Amounts as people read them."""

from __future__ import annotations

import pytest

from ventuno.core.rules.money import format_euro


@pytest.mark.parametrize(
    ("cents", "text"),
    [
        (0, "€ 0,00"),
        (5, "€ 0,05"),
        (99, "€ 0,99"),
        (100, "€ 1,00"),
        (125_000, "€ 1.250,00"),
        (123_456_789, "€ 1.234.567,89"),
        (-1, "-€ 0,01"),
        (-101, "-€ 1,01"),
    ],
)
def test_amounts_are_written_as_in_italy_to_the_cent(cents: int, text: str) -> None:
    assert format_euro(cents) == text
