"""`ventuno serve` as an operator starts it, but for the cards and the spins that a test has chosen.

They lie in a file, by the name of a table: what was drawn is taken out of it, so that a house that was killed and comes
back draws on, and never again what is in its books.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ventuno.cli.main import main
from ventuno.core.messages.commands import Command, LoadShoe, SpinBoard, SpinWheel
from ventuno.core.rules.cards import card, pack
from ventuno.core.rules.sheet import Sheet
from ventuno.house.tables.authority import LiveTable
from ventuno.house.tables.bonus_draws import SealedDraws
from ventuno.house.tables.live_proofs import LiveProofs

FILE = "RIGGED"
COMMAND = (sys.executable, "-m", "tests.support.browser.chosen_cards_server", "serve")
_arranged, _filled = LiveProofs.make_load_command, SealedDraws.fill


def chosen() -> dict[str, Any]:
    told: dict[str, Any] = json.loads(Path(os.environ[FILE]).read_text())
    return told


def arranged(proofs: LiveProofs, table: str, sheet: Sheet) -> LoadShoe:
    command = _arranged(proofs, table, sheet)
    first = tuple(map(card, chosen().get(table, {}).get("cards", "").split()))
    rest = list(pack(sheet.shoe.decks))
    for one in first:
        rest.remove(one)
    return LoadShoe((*first, *rest), command.cut, 0)


def filled(draws: SealedDraws, room: LiveTable, command: SpinWheel | SpinBoard) -> Command:
    told = chosen()
    waiting = told.get(room.table.id, {}).get("spins", [])
    if not waiting:
        return _filled(draws, room, command)
    drawn = waiting.pop(0)
    Path(os.environ[FILE]).write_text(json.dumps(told))
    return replace(command, **{name: _read(value) for name, value in drawn.items()})


def _read(value: Any) -> Any:
    """JSON has lists and texts where a spin has tuples and cells."""
    if isinstance(value, Mapping):
        return {int(cell): prize for cell, prize in value.items()}
    return tuple(value) if isinstance(value, list) else value


if __name__ == "__main__":
    setattr(LiveProofs, "make_load_command", arranged)  # noqa: B010 — chosen cards, which no type allows
    setattr(SealedDraws, "fill", filled)  # noqa: B010
    sys.exit(main())
