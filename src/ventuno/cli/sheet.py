"""`ventuno sheet GAME`: the sheet in force, its hash, its switches with legal values and criteria.

`--toml` prints it as a file: with `--set`, the start of a game of one's own (docs/write-a-game.md).
"""

from __future__ import annotations

import argparse
import json
import re
from typing import Any

from ventuno.cli import sheet_choice
from ventuno.core.rules.sheet_reader import Switch, plain, switches
from ventuno.core.rules.sheet_writer import write
from ventuno.core.rules.switches import Payout

_CRITERION = re.compile(r"[VFSDLXR]-\d+")


def arguments(parser: argparse.ArgumentParser) -> None:
    sheet_choice.add_game(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON document")
    form.add_argument("--toml", action="store_true", help="print the sheet as a file")


def run(given: argparse.Namespace) -> int:
    sheet = sheet_choice.load(given, given.game)
    if given.toml:
        print(write(sheet), end="")
        return 0
    listed = switches(sheet)
    criteria = sorted(
        {entry for switch in listed for entry in _CRITERION.findall(switch.note)} | set(sheet.cites.values())
    )
    if given.json:
        rows = [
            {
                "switch": entry.path,
                "value": _write_value(entry),
                "legal": entry.legal,
                "criteria": _CRITERION.findall(entry.note),
            }
            for entry in listed
        ]
        document = {
            "game": sheet.game.id,
            "name": sheet.game.name,
            "hash": sheet.hash,
            "criteria": criteria,
            "sheet": plain(sheet),
            "switches": rows,
        }
        print(json.dumps(document, indent=2, ensure_ascii=False))
        return 0
    print(f"{sheet.game.name} ({sheet.game.id})  sheet {sheet.hash}")
    width = max(len(entry.path) for entry in listed)
    for entry in listed:
        value = json.dumps(_write_value(entry), ensure_ascii=False)
        print(f"{entry.path:<{width}}  {value:<24}  [{entry.legal}]  {entry.note}".rstrip())
    print(f"criteria: {' '.join(criteria)}")
    return 0


def _write_value(switch: Switch) -> Any:
    """As the files write it: `3/2` where odds are always to one. The canonical form, which is hashed, has `3:2`."""
    to_one = isinstance(switch.kind, Payout) and switch.kind.to_one_only
    return switch.value.replace(":", "/") if to_one else switch.value
