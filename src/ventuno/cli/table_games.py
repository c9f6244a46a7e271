"""The games of a house with the sheets of its `[[table]]` blocks: read, and every block compared with its game."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ventuno import sheets
from ventuno.core.rules.switches import SheetError
from ventuno.sheets import SheetFile

if TYPE_CHECKING:
    from ventuno.web.operations.settings import Settings


def resolve_games(settings: Settings, file: Path | None) -> tuple[Settings, dict[str, SheetFile]]:
    """The settings with the game of each table by its id, and every game in the order of the lobby.

    What no table can be opened by raises SettingsUnfit; `file` is where the settings stand, for who has to mend them.
    """
    from ventuno.web.operations.settings import PREFIX, SettingsUnfit, format_place, locate
    from ventuno.web.operations.table_blocks import BlockFault, find_faults

    games, faults, blocks = sheets.find_sheets(settings.sheets), list[BlockFault](), []
    for number, block in enumerate(settings.table):
        if block.sheet is None:
            blocks.append(block)
            continue
        place = ("table", number, "sheet")
        try:
            entry = sheets.read_file(block.sheet)
        except SheetError as fault:
            faults.append(BlockFault(place, str(fault)))
            continue
        game = entry.sheet.game.id
        if games.setdefault(game, entry).sheet.hash != entry.sheet.hash:
            text = f"{block.sheet}: game.id: {game!r} is already the game of {games[game].place}"
            faults.append(BlockFault(place, text))
        blocks.append(block.model_copy(update={"game": game}))
    if not faults:
        faults = find_faults(blocks, {game: entry.sheet for game, entry in games.items()})
    if faults:
        source = None if os.environ.get(f"{PREFIX}TABLE") else file
        lines = (f"{locate(source, fault.place)}{format_place(fault.place)}: {fault}" for fault in faults)
        raise SettingsUnfit("; ".join(lines))
    ordered = sorted(games.items(), key=lambda item: (item[1].sheet.looks.order, item[0]))
    return settings.model_copy(update={"table": tuple(blocks)}), dict(ordered)
