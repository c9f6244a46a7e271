"""G-26: each requirement has a test that says so, and a table of them all.

    python -m tests.project.test_requirements        the table: requirement, files

A test says so in its name (`test_r41_…`), in its docstring or in that of its module; a scenario in its criterion.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

HERE = Path(__file__).parents[1]
LAST = 48
REQUIREMENTS = tuple(f"R-{number:02}" for number in range(1, LAST + 1))
_SAID = re.compile(r"\bR-(\d{2})(?:…R-(\d{2}))?")
_NAMED = re.compile(r"_r(\d{2})(?=_)")


def spoken(text: str) -> Iterator[str]:
    """The requirements in a docstring; R-30…R-32 are three."""
    for first, last in _SAID.findall(text):
        yield from (f"R-{number:02}" for number in range(int(first), int(last or first) + 1))


def claimed(source: str) -> set[str]:
    """What a file of tests says that it shows; a file without a test shows nothing."""
    tree = ast.parse(source)
    functions = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    tests = [one for one in functions if one.name.startswith("test_")]
    if not tests:
        return set()
    texts = [ast.get_docstring(one) or "" for one in (tree, *tests)]
    return {one for text in texts for one in spoken(text)} | {
        f"R-{number}" for one in tests for number in _NAMED.findall(one.name)
    }


def table() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {one: [] for one in REQUIREMENTS}
    for file in sorted(HERE.rglob("test_*.py")):
        for one in claimed(file.read_text(encoding="utf-8")) if file != Path(__file__) else ():
            found.setdefault(one, []).append(file.relative_to(HERE).as_posix())
    for file in sorted((HERE / "scenarios").rglob("R-*.json")):
        criterion = json.loads(file.read_text(encoding="utf-8"))["criterion"]
        found.setdefault(criterion, []).append(file.relative_to(HERE).as_posix())
    return found


def missing(found: Mapping[str, list[str]]) -> list[str]:
    return [one for one, files in found.items() if not files]


def test_g26_every_requirement_is_named_by_a_test() -> None:
    found = table()
    assert missing(found) == []
    assert set(found) == set(REQUIREMENTS), "a requirement that is not there"


def test_g26_what_is_not_named_is_missed() -> None:
    assert missing({"R-01": ["a"], "R-02": []}) == ["R-02"]
    assert claimed('"""R-30…R-32."""\ndef test_r41_x(): ...\nasync def test_a_r07_b():\n    """R-09, T-3."""') == {
        *("R-30", "R-31", "R-32", "R-41", "R-07", "R-09")
    }
    assert claimed('"""R-30."""\ndef helper():\n    """R-31."""') == set()


if __name__ == "__main__":
    for requirement, files in table().items():
        print(f"{requirement}  {', '.join(files)}")
