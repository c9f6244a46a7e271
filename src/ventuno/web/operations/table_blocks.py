"""The `[[table]]` blocks of the settings: shared tables by name, each with its game, limits and dealer's language.

What a block says is compared with the sheets before anything opens: every fault is named with its place in the file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from ventuno import words
from ventuno.core.messages.commands import ChangeLimits
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules import spelling
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table import supervision
from ventuno.core.table.fold import open_table
from ventuno.house.tables import practice
from ventuno.web.messages.fields import TableName

VIDEO = r"^(|studio|(whep|hls):https?://[a-zA-Z0-9.:\[\]-]+(/[!-~]*)?)$"
Limits = dict[str, tuple[int, int]]
Place = tuple[str | int, ...]
"""Where something stands in the file: `("table", 0, "limits", "main")`."""


class TableBlock(BaseModel):
    """A table that is open for as long as it stands in the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: TableName
    game: Annotated[str, Field(max_length=40)] = ""
    """By its id; where a sheet is named it is that sheet's, once it has been read."""
    sheet: Path | None = None
    """A file of a sheet, beside the file of the settings, where the game is in no folder of sheets."""
    limits: Limits = Field(default_factory=dict)
    cards: Literal["", "sealed", "scanned"] = ""
    """Where the cards come from: a sealed shoe, or a dealer who scans them; empty: as the sheet says (X-27)."""
    language: Literal["", "it", "en"] = ""
    """What the dealer speaks; empty: the language of whoever listens."""
    video: Annotated[str, Field(max_length=300, pattern=VIDEO)] = ""
    """`studio`: the picture comes from the dealer's browser; `whep:https://…` or `hls:https://…`: from elsewhere."""

    @model_validator(mode="after")
    def _check_game(self) -> TableBlock:
        if bool(self.game) == bool(self.sheet):
            raise ValueError("name a game or the file of a sheet, one of the two")
        return self


class BlockFault(ValueError):
    """What is wrong with a block, and where it stands."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(message)
        self.place = place


def find_faults(blocks: Iterable[TableBlock], games: Mapping[str, Sheet]) -> list[BlockFault]:
    """All that no table can be opened by: names that are used twice, games that are none, limits that do not fit."""
    faults: list[BlockFault] = []
    names: set[str] = set()
    for number, block in enumerate(blocks):
        if block.name in names or practice.is_practice(block.name):
            faults.append(BlockFault(("table", number, "name"), f"{block.name!r} is the name of another table"))
        names.add(block.name)
        sheet = games.get(game := block.game)
        if sheet is None:
            known = f"{spelling.propose(game, games)}games: {', '.join(games)}"
            faults.append(BlockFault(("table", number, "game"), f"{game!r} is no game: {known}"))
        elif sheet.game.solo:
            text = f"{game} is played alone: each player opens his own table"
            faults.append(BlockFault(("table", number, "sheet" if block.sheet else "game"), text))
        else:
            faults += _find_limit_faults(number, block, sheet)
    return faults


def _find_limit_faults(number: int, block: TableBlock, sheet: Sheet) -> list[BlockFault]:
    table, faults = open_table(block.name, sheet, None), []
    for bet, both in block.limits.items():
        refusal = supervision.decide(table, ChangeLimits({bet: both}, "settings", 0))
        if isinstance(refusal, Refusal):
            faults.append(BlockFault(("table", number, "limits", bet), words.describe_refusal(refusal)))
    return faults
