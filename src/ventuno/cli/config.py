"""`ventuno config check`: the settings in force and where each comes from; every wrong or unknown one is named."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ventuno.cli.errors import ANSWER_IS_NO, Fault
from ventuno.cli.table_games import resolve_games
from ventuno.core.rules import spelling
from ventuno.core.rules.switches import SheetError

if TYPE_CHECKING:
    from ventuno.web.operations.settings import Settings

HIDDEN = "***"
OF_COMMANDS = ("admin_house", "admin_name", "admin_password", "admin_code")
"""Variables of the environment that commands read, and the house does not."""


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("act", choices=("check",), help="look at all settings, and open nothing")
    parser.add_argument("--config", metavar="FILE", type=Path, help="settings in TOML, as for `ventuno serve`")
    parser.add_argument("--json", action="store_true", help="print one JSON document")


def run(given: argparse.Namespace) -> int:
    from ventuno.web.operations import settings

    try:
        written = settings.read_file(given.config) if given.config else {}
    except settings.SettingsUnfit as fault:
        raise Fault(str(fault)) from None
    faults, in_force = [*_find_unknown(written)], None
    try:
        in_force = settings.read(None, _select_known(written), place=given.config)
        resolve_games(in_force, given.config)
    except settings.SettingsUnfit as fault:
        faults += str(fault).split("; ")
    except SheetError as fault:
        faults.append(f"sheets: {fault}")
    lines = _list_values(in_force, written) if in_force else {}
    if given.json:
        print(json.dumps({"settings": lines, "faults": faults}, ensure_ascii=False))
    else:
        width = max(map(len, lines), default=0)
        for name, line in lines.items():
            print(f"{name:<{width}}  {line['value']}  ({line['from']})")
        print("\n".join(faults) if faults else "all settings are fit")
    return ANSWER_IS_NO if faults else 0


def _find_unknown(written: Mapping[str, Any]) -> list[str]:
    from ventuno.web.operations.settings import PREFIX, Settings

    names = list(Settings.model_fields)
    spoken = sorted(
        name.removeprefix(PREFIX).lower() for name in os.environ if name.startswith(PREFIX) and os.environ[name]
    )
    return [
        *(
            f"{name}: no such setting; {spelling.propose(name, names)}".rstrip("; ")
            for name in written
            if name not in names
        ),
        *(
            f"{PREFIX}{name.upper()}: no such setting in the environment; {spelling.propose(name, names)}".rstrip("; ")
            for name in spoken
            if name not in names and name not in OF_COMMANDS
        ),
    ]


def _select_known(written: Mapping[str, Any]) -> dict[str, Any]:
    """What the file says and the environment does not, as `settings.read` takes it."""
    from ventuno.web.operations.settings import PREFIX, Settings

    return {
        name: value
        for name, value in written.items()
        if name in Settings.model_fields and not os.environ.get(f"{PREFIX}{name.upper()}")
    }


def _list_values(in_force: Settings, written: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Each setting with its value and where it comes from; secrets are hidden."""
    from ventuno.cli.book_source import format_address
    from ventuno.web.operations.settings import PREFIX

    lines = {}
    for name, value in in_force.model_dump(mode="json").items():
        raw = getattr(in_force, name)
        is_secret = hasattr(raw, "get_secret_value")
        shown = (HIDDEN if raw.get_secret_value() else "") if is_secret else value
        shown = format_address(shown) if name == "database" and shown else shown
        origin = (
            "environment" if os.environ.get(f"{PREFIX}{name.upper()}") else "file" if name in written else "default"
        )
        lines[name] = {"value": shown, "from": origin}
    return lines
