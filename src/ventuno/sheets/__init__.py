"""The five games. Reading them is the only thing done here; what they mean is the core's."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_reader import read
from ventuno.core.rules.switches import SheetError

GAMES = ("ventuno", "first-person", "sisal", "duello", "link")


def text(game: str) -> str:
    """The file of a game as it stands."""
    if game not in GAMES:
        raise SheetError(f"{game!r} is no game; games: {', '.join(GAMES)}")
    return (files(__name__) / f"{game.replace('-', '_')}.toml").read_text(encoding="utf-8")


def load(game: str, changes: Mapping[str, str] | None = None) -> Sheet:
    """The checked sheet of a game, with what-if changes if any are given."""
    return read(text(game), changes) if changes else _published(game)


@cache
def _published(game: str) -> Sheet:
    return read(text(game))
