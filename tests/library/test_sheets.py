"""Sheets by name or file, with switches as Python has them."""

from pathlib import Path

import pytest

import ventuno
from ventuno.core.rules.sheet_writer import write
from ventuno.core.rules.switches import SheetError
from ventuno.sheets import GAMES, load


def test_a_sheet_comes_by_name_by_file_or_as_it_is(tmp_path: Path) -> None:
    for game in GAMES:
        assert ventuno.load_sheet(game) == load(game)
    file = tmp_path / "own.toml"
    file.write_text(write(load("sisal", {"game.id": "own"})), encoding="utf-8")
    assert ventuno.load_sheet(file).game.id == ventuno.load_sheet(str(file)).game.id == "own"
    assert ventuno.Table(file).sheet == ventuno.Table(ventuno.load_sheet(file)).sheet


def test_switches_are_python_s_values_or_text() -> None:
    changes = {"dealer.peek": ("A", "ten"), "double.after_split": True, "shoe.decks": 6, "blackjack.pays": "6/5"}
    written = {"dealer.peek": "[A, ten]", "double.after_split": "true", "shoe.decks": "6", "blackjack.pays": "6/5"}
    assert ventuno.load_sheet("ventuno", changes) == load("ventuno", written)
    assert ventuno.load_sheet("ventuno", {"dealer.peek": []}).dealer.peek == frozenset()


@pytest.mark.parametrize("changes", [{"shoe.deck": 6}, {"shoe.decks": 9}, {"double.after_split": None}])
def test_what_no_sheet_says_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(SheetError):
        ventuno.load_sheet("ventuno", changes)
