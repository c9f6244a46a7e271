"""The rule sheets: one TOML file per game, found by looking into folders. What a sheet means is the core's.

The games of the package lie beside this file. Folders of one's own are named by whoever asks: docs/write-a-game.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ventuno.core.rules import spelling
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_reader import read
from ventuno.core.rules.switches import SheetError

SUFFIX = ".toml"
_ID = re.compile(r"[a-z][a-z0-9-]{0,39}")


class SheetFile(NamedTuple):
    """A checked sheet, the text it was read from, and where that lies."""

    sheet: Sheet
    text: str
    place: str


def find_sheets(folders: Iterable[Path] = ()) -> dict[str, SheetFile]:
    """Every game of the package and of these folders by its id, in the order of the lobby.

    A sheet that cannot be read is refused, and so are two sheets with one id: the message names file and key.
    """
    games = dict(_find_package_sheets())
    for folder in folders:
        if not folder.is_dir():
            raise SheetError(f"{folder}: no such folder of sheets")
        for path in sorted(folder.glob(f"*{SUFFIX}")):
            _add(games, read_file(path))
    return dict(sorted(games.items(), key=lambda item: (item[1].sheet.looks.order, item[0])))


def load_games(folders: Iterable[Path] = ()) -> dict[str, Sheet]:
    """The sheets of `find_sheets` alone."""
    return {game: entry.sheet for game, entry in find_sheets(folders).items()}


def read_file(path: Path, changes: Mapping[str, str] | None = None) -> SheetFile:
    """The sheet of one file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        raise SheetError(f"{path}: cannot be read: {reason}") from None
    return _check(text, str(path), changes)


def load(game: str, changes: Mapping[str, str] | None = None, folders: Iterable[Path] = ()) -> Sheet:
    """The sheet of a game, or of a FILE.toml, with what-if changes if any are given."""
    if game.endswith(SUFFIX):
        return read_file(Path(game), changes).sheet
    entry = find_game(game, folders)
    return read(entry.text, changes) if changes else entry.sheet


def find_game(game: str, folders: Iterable[Path] = ()) -> SheetFile:
    """The file of a game."""
    games = find_sheets(folders)
    if game not in games:
        proposal = spelling.propose(game, games)
        raise SheetError(
            f"{game!r} is no game; {proposal}games: {', '.join(games)}; or name a file of your own, FILE{SUFFIX}"
        )
    return games[game]


@cache
def _find_package_sheets() -> Mapping[str, SheetFile]:
    games: dict[str, SheetFile] = {}
    for path in files(__name__).iterdir():
        if path.name.endswith(SUFFIX):
            _add(games, _check(path.read_text(encoding="utf-8"), path.name, None))
    return games


def _check(text: str, place: str, changes: Mapping[str, str] | None) -> SheetFile:
    try:
        sheet = read(text, changes)
    except SheetError as fault:
        raise SheetError(f"{place}: {fault}") from None
    if not _ID.fullmatch(sheet.game.id):
        raise SheetError(f"{place}: game.id: {sheet.game.id!r} is not legal; legal: small letters, digits and hyphens")
    return SheetFile(sheet, text, place)


def _add(games: dict[str, SheetFile], entry: SheetFile) -> None:
    game = entry.sheet.game.id
    if game in games:
        raise SheetError(f"{entry.place}: game.id: {game!r} is already the game of {games[game].place}")
    games[game] = entry


if TYPE_CHECKING:
    GAMES: tuple[str, ...]
    """The games of the package, in the order of the lobby; read when first asked for."""
else:

    def __getattr__(name: str) -> tuple[str, ...]:
        if name != "GAMES":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return tuple(find_sheets())
