"""What may stand in a name (R-42): the signs that nobody sees, to the last one."""

from __future__ import annotations

import pytest

from ventuno.house.accounts import text_rules

IGNORABLE = """
00AD 034F 061C 115F..1160 17B4..17B5 180B..180F 200B..200F 202A..202E 2060..206F 3164 FE00..FE0F FEFF FFA0 FFF0..FFF8
1BCA0..1BCA3 1D173..1D17A E0000..E0FFF
"""
"""Default_Ignorable_Code_Point, as DerivedCoreProperties.txt of Unicode 15 has it."""


def read_range(text: str) -> tuple[int, int]:
    first, _, last = text.partition("..")
    return int(first, 16), int(last or first, 16)


@pytest.mark.parametrize("text", IGNORABLE.split())
def test_r42_what_unicode_draws_as_nothing_is_refused_and_its_neighbours_are_not(text: str) -> None:
    first, last = read_range(text)
    for code in (first, last):
        assert text_rules.find_invisible(f"A{chr(code)}da") == chr(code), hex(code)
        assert text_rules.remove_invisible(f"A{chr(code)}da") == "Ada"
        assert isinstance(text_rules.check_name(f"A{chr(code)}da"), text_rules.NameUnfit)
    for code in (first - 1, last + 1):
        assert text_rules.find_invisible(chr(code)) == "", hex(code)


def test_r42_marks_count_for_the_letter_under_them() -> None:
    """Two on a letter are an alphabet, three a tower; the next letter begins anew, a sign carries none."""
    fine = "Nq\u0308\u0304k\u0308\u0304"
    assert text_rules.check_name(fine) == fine
    for raw in ("Nq\u0308\u0304\u0303k", "Na.\u0308b"):
        refusal = text_rules.check_name(raw)
        assert isinstance(refusal, text_rules.NameUnfit)
        assert refusal.reason == "stacked-marks", raw
