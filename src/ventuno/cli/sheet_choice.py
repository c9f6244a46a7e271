"""Which sheets a command knows, and which of them it takes.

`--sheets` and `VENTUNO_SHEETS` name folders of one's own; `--set KEY=VALUE…` changes switches of a copy.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ventuno import sheets
from ventuno.cli.errors import Fault
from ventuno.core.rules import sheet_reader
from ventuno.core.rules.sheet import Sheet

ENVIRONMENT = "VENTUNO_SHEETS"
GAME = "GAME|FILE.toml"
GAME_HELP = "a game by its id, or the file of its sheet"


def add_game(parser: argparse.ArgumentParser) -> None:
    """A game with the changes of a what-if."""
    parser.add_argument("game", metavar=GAME, help=GAME_HELP)
    add_folders(parser)
    add_changes(parser)


def add_changes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE…",
        dest="changes",
        help="change switches of a copy; as many as you like, each KEY=VALUE",
    )


def add_folders(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--sheets",
        metavar="FOLDER",
        type=Path,
        action="append",
        help="a folder of sheets of your own; may stand several times",
    )


def list_folders(given: argparse.Namespace) -> tuple[Path, ...]:
    """What the command line names, else what the environment does, written like `PATH`."""
    named = os.environ.get(ENVIRONMENT, "").split(os.pathsep)
    return tuple(given.sheets or (Path(folder) for folder in named if folder))


def load_games(given: argparse.Namespace) -> dict[str, Sheet]:
    """Every game that this command knows."""
    return sheets.load_games(list_folders(given))


def load(given: argparse.Namespace, game: str) -> Sheet:
    """The sheet of a game or of a file, with the what-if changes of the command line."""
    changes = _read_changes(given.changes) if "changes" in given else None
    return sheets.load(game, changes, list_folders(given))


def list_by_hash(given: argparse.Namespace) -> dict[str, Sheet]:
    """Every sheet that this command knows, as records name it."""
    return sheet_reader.list_by_hash(load_games(given).values())


def _read_changes(words: list[str]) -> dict[str, str]:
    """The changes by switch; a key may be given once."""
    values: dict[str, str] = {}
    for word in words:
        key, sign, value = word.partition("=")
        if not sign or not key.strip():
            raise Fault(f"--set {word!r}: write KEY=VALUE, as in split.aces=free")
        if key.strip() in values:
            raise Fault(f"--set {key.strip()}: given twice")
        values[key.strip()] = value.strip()
    return values
