"""Notes of certificates are codes with numbers; the sentences of older ones are read (X-16)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

from ventuno.core.messages.certificate_notes import METHODS, NOTES, Note
from ventuno.core.rules.sheet_reader import plain, read_canonical
from ventuno.odds.certificate.certificate import Certificate, certify
from ventuno.sheets import GAMES, load
from ventuno.web.messages.odds import NoteCode
from ventuno.words import LANGUAGES, say_note
from ventuno.words.notes import read_note, read_old_note

OLD_HOUSE = Path(__file__).resolve().parents[2] / "fixtures" / "old_house" / "certificates"
SHEETS: dict[str, tuple[str, dict[str, str]]] = {
    **{game: (game, {}) for game in GAMES},
    "many hands": ("first-person", {"split.hands": "4"}),
    "a pair that is kept by standing, many hands": ("sisal", {"split.hands": "3"}),
}


@cache
def certified(name: str) -> Certificate:
    game, changes = SHEETS[name]
    return certify(read_canonical(plain(load(game)), changes), compare=False)


@pytest.mark.parametrize("name", SHEETS)
def test_every_note_of_a_certificate_is_a_code_that_is_read_and_said(name: str) -> None:
    document = json.loads(certified(name).text())
    for entry in (document["method"], *document["notes"], *(bet["method"] for bet in document["bets"])):
        note = read_note(entry)
        assert note is not None, entry
        assert note.plain() == entry
        for language in LANGUAGES:
            assert "{" not in say_note(note, language)


def test_the_numbers_are_those_of_the_certificate() -> None:
    def numbers(name: str) -> dict[str, Mapping[str, int | float]]:
        return {note.code: note.numbers for note in certified(name).notes}

    assert numbers("sisal")["pair"] == {"percent": round(certified("sisal").pair_forfeited or 0, 8)}
    assert numbers("link")["max-win"] == {"amount": load("link").stakes.max_win}
    assert numbers("many hands")["fixed"] == {"hands": 4}


def test_the_wire_has_every_code_and_no_other() -> None:
    assert set(get_args(NoteCode)) == {*METHODS, *NOTES, "other"}
    assert not set(METHODS) & set(NOTES)


@pytest.mark.parametrize("game", GAMES)
def test_a_certificate_of_format_1_notes_what_is_noted_today(game: str) -> None:
    """The old house keeps sentences; they are read as the codes that the same sheet gives now."""
    (old,) = [found for path in OLD_HOUSE.glob("*.json") if (found := json.loads(path.read_text()))["game"] == game]
    assert (old["certificate"], type(old["method"])) == (1, str)
    today = certified(game)
    assert [read_note(entry) for entry in old["notes"]] == list(today.notes)
    assert read_note(old["method"]) == today.main.method
    assert [read_note(bet["method"]) for bet in old["bets"]] == [figure.method for figure in today.figures]


def test_old_sentences_with_numbers_are_read() -> None:
    fixed = "fixed strategy; exact return of up to 4 hands, each played as after a first split"
    assert read_old_note(f"splits {fixed}") == Note("fixed", {"hands": 4})
    assert read_old_note(f"finite shoe without replacement, one box; splits {fixed}") == Note(
        "method-fixed", {"hands": 4}
    )
    pair = "the player's pair is certified as kept by standing; played by the chart: "
    assert read_old_note(pair + "84.57831325 % (reading 22)") == Note("pair", {"percent": 84.57831325})
    assert read_old_note(pair + "not computed (reading 22)") == Note("pair-unknown")


@pytest.mark.parametrize("entry", ["the roof leaks", {"code": "roof", "numbers": {}}, {"code": "pair"}, 7, None])
def test_what_is_no_note_is_not_read(entry: object) -> None:
    assert read_note(entry) is None
