"""Every criterion that is cited in the project stands in docs/criteria.md, once and in one line."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "criteria.md"
SUFFIXES = {".py", ".md", ".toml", ".ts", ".svelte", ".css", ".json"}
UNREAD = ("tests/fixtures/", "tests/project/test_criteria.py", "requirements/", "client/package", "CHANGELOG.md")
"""Files of others, of an earlier version, of the past; and this one, which plants citations."""
PLANTED = {"V-99"}
"""A criterion that is none, in tests which must notice it."""
PATTERNS = {
    "": re.compile(r"(?<![\w.-])([VFSDLXRTHGI]-\d{1,2})(?![\w-]|\.\d)"),
    "⚑": re.compile(r"(?:⚑|\breadings? )(\d{1,2})\b"),
    "ASVS ": re.compile(r"\bASVS (\d+(?:\.\d+)*)"),
    "Mistake ": re.compile(r"\b[Mm]istake (\d+)\b"),
}
LISTED = re.compile(r"^- ((?:[A-Z]-|⚑|ASVS |Mistake )[\d.]+): \S.*[.]$")
UNMARKED = re.compile(r"(?<![\w.#/-])V\d{1,2}(?:\.\d+)*(?![\w-])")
"""A security rule without the word ASVS, as they were written once."""
DRAWING = re.compile(r"""\b(?:d|points|path)=(?:"[^"]*"|'[^']*'|\{[^}]*\})""")
"""Shapes of SVG, whose letters are no citations."""


def listed(page: str) -> list[str]:
    """The ids of the page, in its order."""
    return [match[1] for line in page.splitlines() if (match := LISTED.match(line))]


def cited(text: str) -> Iterator[tuple[int, str]]:
    """Each citation of a text, with its line."""
    plain = DRAWING.sub(lambda match: "\n" * match[0].count("\n"), text)
    for number, line in enumerate(plain.splitlines(), 1):
        for prefix, pattern in PATTERNS.items():
            yield from ((number, prefix + match[1]) for match in pattern.finditer(line))


def files() -> Iterator[tuple[str, str]]:
    """Every text of the project in which criteria are cited."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z", "src", "tests", "client", "docs", "bench"]
    found = subprocess.run([*command, "examples", "*.md"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    for name in sorted(set(found.split("\0"))):
        path = ROOT / name
        if path.suffix in SUFFIXES and path.is_file() and not name.startswith(UNREAD):
            yield name, path.read_text(encoding="utf-8")


def unknown(name: str, text: str, known: set[str]) -> list[str]:
    """Citations of a file that the page does not list, with their places."""
    return [f"{name}:{line}: {one}" for line, one in cited(text) if one not in known | PLANTED]


def test_every_citation_is_on_the_page() -> None:
    known = set(listed(PAGE.read_text(encoding="utf-8")))
    assert [fault for name, text in files() for fault in unknown(name, text, known)] == []


def test_there_is_something_to_check() -> None:
    """Citations are found in source, sheets, tests, client and docs."""
    places = [(name, one) for name, text in files() for _, one in cited(text)]
    assert len(places) > 2_500
    for start in ("src/ventuno/core/", "src/ventuno/sheets/", "src/ventuno/web/", "tests/", "client/src/", "docs/"):
        assert any(name.startswith(start) for name, _ in places), start
    assert {"⚑23", "ASVS 6.3", "V-20", "R-48", "H-10"} <= {one for _, one in places}


@pytest.mark.parametrize(
    ("text", "citation"),
    [
        ("# V-98", "V-98"),
        ("(R-42…R-49)", "R-49"),
        ("unit = 10  # ⚑35", "⚑35"),
        ('"""As reading 40 says."""', "⚑40"),
        ("(H-1, ASVS 99.1)", "ASVS 99.1"),
        ("a\nb L-37", "L-37"),
        ("G-27:", "G-27"),
    ],
)
def test_a_planted_unknown_citation_is_caught(text: str, citation: str) -> None:
    known = set(listed(PAGE.read_text(encoding="utf-8")))
    assert unknown("file", text, known) == [f"file:{text.count(chr(10)) + 1}: {citation}"]


@pytest.mark.parametrize("text", ["V-20", "R-42…R-44", "⚑34", "K-A-2", "sha-256", "LV-99", '<path d="M0 0L-99 3" />'])
def test_what_is_listed_or_no_citation_passes(text: str) -> None:
    assert unknown("file", text, set(listed(PAGE.read_text(encoding="utf-8")))) == []


def test_each_id_is_listed_once_and_without_gaps() -> None:
    ids = listed(PAGE.read_text(encoding="utf-8"))
    assert len(ids) == len(set(ids))
    for start in ("V-", "F-", "S-", "D-", "L-", "X-", "R-", "I-", "T-", "H-", "G-", "⚑", "Mistake "):
        numbers = [int(one.removeprefix(start)) for one in ids if one.startswith(start)]
        assert numbers == list(range(1, len(numbers) + 1)), start


def test_each_line_of_a_list_is_an_id() -> None:
    """No entry is lost to a slip of the pen."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("- ")]
    assert [line for line in lines if not LISTED.match(line)] == []


def test_security_rules_are_cited_as_asvs() -> None:
    """V is a rule of the game and nothing else."""
    found = [
        f"{name}: {match[0]}"
        for name, text in files()
        if not name.endswith(".json")
        for match in UNMARKED.finditer(DRAWING.sub("", text))
    ]
    assert found == []
    assert UNMARKED.search("once (H-8, V6.3)")
    assert not UNMARKED.search("(V-20)")


def test_the_readme_leads_to_the_page() -> None:
    assert "(docs/criteria.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
