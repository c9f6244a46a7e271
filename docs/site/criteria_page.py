"""Which tests hold which criterion, by their names and docstrings; which scenarios, by their names."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import NamedTuple

IN_NAME = re.compile(r"(?<=_)([vfsdlxrthgi])(\d{1,2})(?=_)")
LEADING = re.compile(r"test_(?:[vfsdlxrthgi]\d{1,2}_)*")
CITED = re.compile(r"(?<![\w.-])([VFSDLXRTHGI]-\d{1,2})(?:…[VFSDLXRTHGI]-(\d{1,2}))?(?![\w-]|\.\d)")
READING = re.compile(r"(?:⚑|\breadings? )(\d{1,2})\b")
TITLE = re.compile(r"""\b(?:test|describe)\(\s*['"`]([^'"`]+)""")
SCENARIO = re.compile(r"([VFSDLXRTHGI]-\d{1,2})-([a-z0-9-]+?)(?:\.table)?\.json")
ITEM = re.compile(r"<li>\s*(?:<p>)?((?:[A-Z]-|⚑|ASVS |Mistake )[\d.]+): (.*?)</li>", re.DOTALL)


class Holder(NamedTuple):
    """A test or a scenario: what it says, and the file it is in."""

    says: str
    file: str


def find_cited(text: str) -> Iterator[str]:
    """The criteria that a text cites; R-30…R-32 are three."""
    for first, last in CITED.findall(text):
        letter, number = first.split("-")
        for each in range(int(number), int(last or number) + 1):
            yield f"{letter}-{each:0{len(number)}}"
    yield from (f"⚑{number}" for number in READING.findall(text))


def list_holders(root: Path) -> Iterator[tuple[str, Holder]]:
    """Every criterion with each test that names it."""
    for path in sorted((root / "tests").rglob("test_*.py")):
        file = path.relative_to(root).as_posix()
        yield from read_tests(path.read_text(encoding="utf-8"), file)
    for path in sorted((root / "tests" / "scenarios").rglob("*.json")):
        if match := SCENARIO.fullmatch(path.name):
            yield match[1], Holder(match[2].replace("-", " "), path.relative_to(root).as_posix())
    for path in sorted((root / "client" / "src").rglob("*.test.ts")):
        for title in TITLE.findall(path.read_text(encoding="utf-8")):
            yield from ((name, Holder(title, path.relative_to(root).as_posix())) for name in find_cited(title))


def read_tests(source: str, file: str) -> Iterator[tuple[str, Holder]]:
    """The tests of a file by the criteria in their names and docstrings."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            leading = LEADING.match(node.name)
            start = leading[0] if leading else "test_"
            named = [f"{letter.upper()}-{number}" for letter, number in IN_NAME.findall(start)]
            holder = Holder(node.name.removeprefix(start).replace("_", " "), file)
            cited = find_cited(ast.get_docstring(node) or "")
            yield from ((name, holder) for name in dict.fromkeys([*named, *cited]))


def add_tests(html: str, root: Path) -> str:
    """The list of criteria with an anchor for each, and under it the tests that hold it."""
    holders: dict[str, list[Holder]] = defaultdict(list)
    for name, holder in list_holders(root):
        holders[name].append(holder)

    def write(match: re.Match[str]) -> str:
        name, text = match[1], match[2].removesuffix("</p>").rstrip()
        anchor = name.lower().replace(" ", "-").replace("⚑", "reading-")
        return f'<li id="{anchor}"><strong>{name}</strong> {text}{write_holders(holders.get(name, []))}</li>'

    return ITEM.sub(write, html)


def write_holders(holders: list[Holder]) -> str:
    if not holders:
        return ""
    rows = "".join(f"<li>{escape(each.says)} <code>{escape(each.file)}</code></li>" for each in holders)
    word = "test" if len(holders) == 1 else "tests"
    return f'<details class="holders"><summary>{len(holders)} {word}</summary><ul>{rows}</ul></details>'
