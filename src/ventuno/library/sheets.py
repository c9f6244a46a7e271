"""A rule sheet by name or file, with any of its switches changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ventuno import sheets
from ventuno.core.rules.sheet import Sheet


def load_sheet(game: str | Path, changes: Mapping[str, object] | None = None, folders: Iterable[Path] = ()) -> Sheet:
    """The sheet of a game, or of a file of one's own (`FILE.toml`), with what-if changes if any are given.

    Switches go by their path, as `ventuno sheet GAME` lists them; values are Python's, or text as in a sheet. A switch
    or value that does not exist is refused with those that do. The hash names the rules.

    >>> sheet = load_sheet("sisal", {"shoe.decks": 6, "double.after_split": False, "dealer.peek": ["A"]})
    >>> sheet.shoe.decks, sheet.double.after_split, sorted(sheet.dealer.peek)
    (6, False, ['A'])
    >>> load_sheet("sisal").hash == sheet.hash
    False
    """
    written = {switch: write_value(value) for switch, value in (changes or {}).items()}
    return sheets.load(str(game), written or None, folders)


def read_sheet(game: str | Path | Sheet) -> Sheet:
    """A sheet as it is, or by its name or file."""
    return game if isinstance(game, Sheet) else load_sheet(game)


def write_value(value: object) -> str:
    """A value of Python as a sheet writes it.

    >>> write_value(True), write_value(["A", "ten"]), write_value(6), write_value("6/5")
    ('true', '[A, ten]', '6', '6/5')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list | tuple | set | frozenset):
        return f"[{', '.join(map(str, value))}]"
    return str(value)
