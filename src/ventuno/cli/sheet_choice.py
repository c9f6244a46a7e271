"""Which sheets a command knows: the package's, and those in folders of one's own (`--sheets`, `VENTUNO_SHEETS`)."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from ventuno import sheets
from ventuno.cli import what_if
from ventuno.core.rules.sheet import Sheet

ENVIRONMENT = "VENTUNO_SHEETS"
GAME = "GAME|FILE.toml"
GAME_HELP = "a game by its id, or the file of its sheet"


def arguments(parser: argparse.ArgumentParser) -> None:
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
    changes = what_if.read(given.changes) if "changes" in given else None
    return sheets.load(game, changes, list_folders(given))


def list_by_hash(given: argparse.Namespace) -> dict[str, Sheet]:
    """Every sheet that this command knows, as records name it."""
    return {sheet.hash: sheet for sheet in load_games(given).values()}
