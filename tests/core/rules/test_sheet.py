"""What each switch of a sheet may say (X-22), and what it says where it is left out: the page and the code agree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

from ventuno.core.rules import sheet
from ventuno.core.rules.sheet_reader import plain

PAGE = Path(__file__).parents[3] / "docs" / "write-a-game.md"


def tell_default(field: Field[Any]) -> str:
    if field.default is MISSING and field.default_factory is MISSING:
        return "must be there"
    value = plain(field.default if field.default is not MISSING else {})
    return f"`{str(value).lower() if isinstance(value, bool) else value}`".replace("'", '"')


def list_switches(section: type[Any], path: str = "") -> Iterator[tuple[str, str, str]]:
    """Path, legal values, default; `NAME` stands for an entry of a table of tables."""
    for field in fields(section):
        if kind := field.metadata.get("kind"):
            yield f"{path}{field.name}", kind.legal, tell_default(field)
        elif entries := field.metadata.get("entries"):
            yield from list_switches(entries, f"{path}{field.name}.NAME.")
        elif field.name not in ("hash", "notes"):
            yield from list_switches(getattr(sheet, str(field.type)), f"{path}{field.name}.")


def read_page(text: str) -> list[tuple[str, str, str]]:
    table = text.partition("## Every switch")[2]
    rows = re.findall(r"^\| `([^`]+)` \| (.*) \| (.*) \|$", table, re.MULTILINE)
    return [(path, legal.replace("\\|", "|"), default) for path, legal, default in rows]


def test_x22_every_switch_takes_what_the_page_says_and_no_other() -> None:
    assert read_page(PAGE.read_text(encoding="utf-8")) == list(list_switches(sheet.Sheet))


def test_x22_a_bound_that_is_moved_is_noticed() -> None:
    kind = next(field for field in fields(sheet.Clocks) if field.name == "betting").metadata["kind"]
    object.__setattr__(kind, "high", 601)
    try:
        assert read_page(PAGE.read_text(encoding="utf-8")) != list(list_switches(sheet.Sheet))
    finally:
        object.__setattr__(kind, "high", 600)
