"""Writes a sheet as the text of its file; `sheet_reader.read` gives the same sheet back."""

from __future__ import annotations

import json
import re

from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_reader import switches

_BARE = re.compile(r"[A-Za-z0-9_-]+")


def write(sheet: Sheet) -> str:
    """Every switch in its section, with the remark that stood beside it."""
    sections: dict[str, list[str]] = {"": []}
    for switch in switches(sheet):
        *section, key = (word if _BARE.fullmatch(word) else json.dumps(word) for word in switch.path.split("."))
        line = f"{key} = {json.dumps(switch.value, ensure_ascii=False)}"
        sections.setdefault(".".join(section), []).append(f"{line}  # {switch.note}" if switch.note else line)
    blocks = ("\n".join([f"[{name}]", *lines] if name else lines) for name, lines in sections.items())
    return "\n\n".join(blocks) + "\n"
