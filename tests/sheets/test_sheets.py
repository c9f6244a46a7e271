"""Sheets are found in folders, by their id and in the order they ask for; a wrong one is named by file and key."""

from __future__ import annotations

from pathlib import Path

import pytest

from ventuno import sheets
from ventuno.core.rules.sheet_reader import read
from ventuno.core.rules.sheet_writer import write
from ventuno.core.rules.switches import SheetError


def put(folder: Path, name: str, **changes: str) -> Path:
    """A copy of a game with a few switches changed, as a file of one's own."""
    given = {"game.id": name, **{key.replace("__", "."): value for key, value in changes.items()}}
    path = folder / f"{name}.toml"
    path.write_text(write(sheets.load("sisal", given)), encoding="utf-8")
    return path


@pytest.mark.parametrize("game", sheets.GAMES)
def test_a_sheet_that_is_written_is_read_again(game: str) -> None:
    sheet = sheets.load(game)
    again = read(write(sheet))
    assert (again, again.hash, again.looks) == (sheet, sheet.hash, sheet.looks)


def test_looks_are_not_part_of_the_hash() -> None:
    changed = sheets.load("sisal", {"looks.tone": "red", "looks.order": "7"})
    assert changed.looks.tone == "red"
    assert changed.hash == sheets.load("sisal").hash
    assert sheets.load("sisal", {"game.name": "Another"}).hash != changed.hash


def test_games_are_found_in_the_order_of_the_lobby(tmp_path: Path) -> None:
    assert sheets.GAMES == ("ventuno", "first-person", "sisal", "duello", "link")
    put(tmp_path, "last", looks__order="900")
    put(tmp_path, "first", looks__order="5")
    assert tuple(sheets.find_sheets([tmp_path])) == ("first", *sheets.GAMES, "last")
    assert sheets.load("first", folders=[tmp_path]) == sheets.load(str(tmp_path / "first.toml"))


def test_one_id_twice_is_refused(tmp_path: Path) -> None:
    put(tmp_path, "sisal")
    with pytest.raises(SheetError, match=r"sisal\.toml: game\.id: 'sisal' is already the game of sisal\.toml"):
        sheets.find_sheets([tmp_path])


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("decks = 8", "decks = 9", r"mine\.toml: shoe\.decks: 9 is not legal; legal: a whole number 1-8"),
        ("decks = 8", "packs = 8", r"mine\.toml: shoe\.packs: unknown key"),
        ("[shoe]", "[shoe", r"mine\.toml: not readable as TOML"),
        ('id = "mine"', 'id = "My Game"', r"mine\.toml: game\.id: 'My Game' is not legal"),
        ('win = "S-31"', "", r"mine\.toml: cites: no criterion for win"),
        (
            'cards = ["7H", "7D"]',
            'cards = ["7H"]',
            r"mine\.toml: looks\.cards: \['7H'\] is not legal; legal: two cards",
        ),
    ],
)
def test_a_wrong_sheet_is_named_with_its_key(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = put(tmp_path, "mine")
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(SheetError, match=says):
        sheets.find_sheets([tmp_path])


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(SheetError, match="no_such_folder: no such folder of sheets"):
        sheets.find_sheets([tmp_path / "no_such_folder"])
    with pytest.raises(SheetError, match=r"no_such\.toml: cannot be read: No such file"):
        sheets.load(str(tmp_path / "no_such.toml"))
    (tmp_path / "binary.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SheetError, match=r"binary\.toml: cannot be read"):
        sheets.find_sheets([tmp_path])
