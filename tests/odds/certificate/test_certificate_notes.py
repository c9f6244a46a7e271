"""What certificates say in words is written from one table and read by it again: each reader gets his own (X-16)."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

import ventuno.odds
from ventuno.core.messages import certificate_notes
from ventuno.core.rules.sheet_reader import plain, read_canonical
from ventuno.odds.certificate.certificate import Certificate, certify
from ventuno.sheets import GAMES, load
from ventuno.web.messages.odds import RemarkCode

SHEETS: dict[str, tuple[str, dict[str, str]]] = {
    **{game: (game, {}) for game in GAMES},
    "many hands": ("first-person", {"split.hands": "4"}),
    "a pair that is kept by standing, many hands": ("sisal", {"split.hands": "3"}),
}


@cache
def certified(name: str) -> Certificate:
    game, changes = SHEETS[name]
    return certify(read_canonical(plain(load(game)), changes), compare=False)


def sentences(name: str) -> Iterator[str]:
    yield certified(name).main.method
    yield from certified(name).notes


@pytest.mark.parametrize("name", SHEETS)
def test_every_sentence_of_a_certificate_has_a_code(name: str) -> None:
    for sentence in sentences(name):
        found = certificate_notes.read(sentence)
        assert found is not None, sentence
        assert certificate_notes.written(found.code, **found.numbers) == sentence
        assert found.code in get_args(RemarkCode)


def test_the_numbers_are_those_of_the_certificate() -> None:
    def numbers(name: str) -> dict[str, Mapping[str, int | str]]:
        return {said.code: said.numbers for note in certified(name).notes if (said := certificate_notes.read(note))}

    assert numbers("sisal")["pair"] == {"percent": f"{certified('sisal').pair_forfeited:.8f}"}
    assert numbers("link")["max-win"] == {"amount": load("link").stakes.max_win}
    assert numbers("many hands")["fixed"] == {"hands": 4}


def test_the_wire_has_every_code_and_no_other() -> None:
    assert set(get_args(RemarkCode)) == {*certificate_notes.METHODS, *certificate_notes.NOTES, "other"}
    assert not certificate_notes.METHODS.keys() & certificate_notes.NOTES.keys()


def test_a_sentence_is_one_code_alone() -> None:
    numbers: dict[str, int | str] = {"hands": 3, "percent": "84.50000000", "amount": 123_456}
    for code, says in (certificate_notes.METHODS | certificate_notes.NOTES).items():  # type: ignore[operator]
        held = {name: number for name, number in numbers.items() if f"{{{name}}}" in says}
        assert certificate_notes.read(certificate_notes.written(code, **held)) == (code, held)


def test_a_sentence_that_is_not_in_the_table_is_found() -> None:
    """The check itself: one letter more, another number, or a sentence of its own."""
    for sentence in ("the roof leaks", certificate_notes.written("weights") + ".", certificate_notes.NOTES["max-win"]):
        assert certificate_notes.read(sentence) is None


def spoken(source: str) -> Iterator[str]:
    """What is put among the notes of a certificate, or said of its method, without the table."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "append":
            is_note = isinstance(node.func.value, ast.Name) and node.func.value.id == "notes"
            yield from (ast.unparse(one) for one in node.args if is_note and "written(" not in ast.unparse(one))
        if isinstance(node, ast.keyword) and node.arg in ("notes", "method"):
            texts = [one for one in ast.walk(node.value) if isinstance(one, ast.JoinedStr)]
            plain = [one for one in ast.walk(node.value) if isinstance(one, ast.Constant) and " " in str(one.value)]
            yield from (ast.unparse(one) for one in (*texts, *plain))


def test_no_sentence_is_written_elsewhere() -> None:
    for path in sorted(Path(ventuno.odds.__file__).parent.glob("*.py")):
        assert list(spoken(path.read_text())) == [], path.name
    assert list(spoken('notes.append(f"a {word}")')) == ["f'a {word}'"]
    assert list(spoken('MainBet(notes=("of its own",))')) == ["'of its own'"]
