"""The text of printed codes: one list for both readers, and every single misread and swap of neighbours refused."""

import json
import string
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from ventuno.core.rules import cards
from ventuno.core.rules.card_codes import CUT, PREFIX, compute_check, parse_code, write_code

VECTORS = json.loads((Path(__file__).parents[2] / "fixtures" / "card_codes.json").read_text(encoding="utf-8"))
NAMES = (*cards.NAMES, CUT)
READABLE = string.ascii_uppercase + string.digits + string.punctuation + " "


def test_every_card_and_the_cut_card_have_a_code_of_their_own() -> None:
    assert {name: write_code(name) for name in NAMES} == VECTORS["printed"]
    assert len(set(VECTORS["printed"].values())) == 53
    assert [parse_code(code) for code in VECTORS["printed"].values()] == list(NAMES)


@pytest.mark.parametrize("text", VECTORS["typed"])
def test_what_is_typed_is_read(text: str) -> None:
    assert parse_code(text) == VECTORS["typed"][text]


@pytest.mark.parametrize("text", VECTORS["refused"])
def test_what_is_no_code_is_refused(text: str) -> None:
    assert parse_code(text) is None


def test_no_code_is_written_for_what_is_no_card() -> None:
    with pytest.raises(cards.NotACard):
        write_code("1D")


def misread(code: str) -> Iterator[str]:
    """Every text that differs in one character, and every text with two neighbours swapped."""
    for at, character in enumerate(code):
        yield from (code[:at] + other + code[at + 1 :] for other in READABLE if other != character)
    for at, (first, second) in enumerate(pairwise(code)):
        if first != second:
            yield code[:at] + second + first + code[at + 2 :]


def accepted_misreads(read: Callable[[str], str | None], codes: list[str]) -> list[str]:
    return [text for code in codes for text in misread(code) if read(text) is not None]


def test_any_misread_character_and_any_swap_is_refused() -> None:
    codes = list(VECTORS["printed"].values())
    assert sum(1 for code in codes for _ in misread(code)) > 28_000
    assert accepted_misreads(parse_code, codes) == []


def test_a_reader_that_does_not_check_is_found() -> None:
    """Without the last character a misread suit or rank is another card."""

    def read_unchecked(text: str) -> str | None:
        name = text[4:-2]
        return name if text.startswith(PREFIX) and name in NAMES else None

    found = accepted_misreads(read_unchecked, [write_code("TD")])
    assert f"{PREFIX}TS-{compute_check(PREFIX + 'TD')}" in found
    assert len(found) > 15
