"""What can be played: the parts of `GET /api/lobby` that a program needs."""

from __future__ import annotations

from collections.abc import Mapping

from ventuno.core.rules.frozen_record import FrozenRecord
from ventuno.core.views.private_view import Limit


class TableLine(FrozenRecord):
    """A table for several at a glance: `taken` are boxes. Where `multi_table` is, one may sit elsewhere too."""

    table: str
    game: str
    name: str
    sheet: str
    seats: int
    free: int
    taken: tuple[int, ...]
    limits: Mapping[str, Limit]
    phase: str
    paused: bool
    rounds: int
    multi_table: bool


class GameLine(FrozenRecord):
    """A game, and the hash of its rules. A `solo` one is played at a table of one's own."""

    game: str
    name: str
    sheet: str
    solo: bool
    least: int
    most: int


class Lobby(FrozenRecord):
    house: str
    now: int
    unsafe: bool
    games: tuple[GameLine, ...]
    tables: tuple[TableLine, ...]

    def find_free_table(self, game: str) -> TableLine | None:
        """The first live table of a game at which somebody can sit down."""
        return next((line for line in self.tables if line.game == game and line.free and not line.paused), None)
