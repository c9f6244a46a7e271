"""Every criterion that is cited in the project stands in docs/criteria.md, once and in one line."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from functools import cache
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
TEST_NAME = re.compile(r"^ *(?:async )?def (test_\w+)", re.M)
IN_NAME = re.compile(r"(?<=_)([vfsdlxrthgi])(_?)(\d{1,2})(?=_|$)")
LEADING = re.compile(r"test_(?:[vfsdlxrthgi]\d{1,2}_)*")


def listed(page: str) -> list[str]:
    """The ids of the page, in its order."""
    return [match[1] for line in page.splitlines() if (match := LISTED.match(line))]


def cited(text: str) -> Iterator[tuple[int, str]]:
    """Each citation of a text, with its place."""
    for prefix, pattern in PATTERNS.items():
        yield from ((match.start(), prefix + match[1]) for match in pattern.finditer(text))


def without_drawings(text: str) -> str:
    return DRAWING.sub(lambda match: "\n" * match[0].count("\n"), text)


@cache
def files() -> tuple[tuple[str, str], ...]:
    """Every text of the project in which criteria are cited."""
    command = ["git", "ls-files", "-co", "--exclude-standard", "-z", "src", "tests", "client", "docs", "bench"]
    found = subprocess.run([*command, "examples", "*.md"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    names = [name for name in sorted(set(found.split("\0"))) if not name.startswith(UNREAD)]
    paths = [ROOT / name for name in names if Path(name).suffix in SUFFIXES]
    texts = [(path.relative_to(ROOT).as_posix(), path.read_text("utf-8")) for path in paths if path.is_file()]
    return tuple((name, without_drawings(text) if name.endswith(".svelte") else text) for name, text in texts)


def unknown(name: str, text: str, known: set[str]) -> list[str]:
    """Citations of a file that the page does not list, with their places."""
    strange = [(place, one) for place, one in cited(text) if one not in known]
    return [f"{name}:{text.count(chr(10), 0, place) + 1}: {one}" for place, one in strange if one not in PLANTED]


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
        ("unit = 10  # ⚑36", "⚑36"),
        ('"""As reading 40 says."""', "⚑40"),
        ("(H-1, ASVS 99.1)", "ASVS 99.1"),
        ("a\nb L-37", "L-37"),
        ("G-27:", "G-27"),
    ],
)
def test_a_planted_unknown_citation_is_caught(text: str, citation: str) -> None:
    known = set(listed(PAGE.read_text(encoding="utf-8")))
    assert unknown("file", text, known) == [f"file:{text.count(chr(10)) + 1}: {citation}"]


@pytest.mark.parametrize("text", ["V-20", "R-42…R-44", "⚑34", "K-A-2", "sha-256", "LV-99"])
def test_what_is_listed_or_no_citation_passes(text: str) -> None:
    assert unknown("file", text, set(listed(PAGE.read_text(encoding="utf-8")))) == []


def test_shapes_are_no_citations() -> None:
    assert without_drawings('a\n<path\nd="M0 0\nL-99 3" />\nV-98').splitlines()[-1] == "V-98"
    assert "L-99" not in without_drawings('<path d="M0 0L-99 3" />')


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
        for match in UNMARKED.finditer(text)
    ]
    assert found == []
    assert UNMARKED.search("once (H-8, V6.3)")
    assert not UNMARKED.search("(V-20)")


def test_the_readme_leads_to_the_page() -> None:
    assert "(docs/criteria.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def misnamed(name: str, known: set[str]) -> bool:
    """Whether a test's name cites a criterion in another way than `test_v09_…`, or one that there is not."""
    leading = LEADING.match(name)
    end = leading.end() if leading else 0
    return any(
        match[2] or match.end() > end or f"{match[1].upper()}-{match[3]}" not in known
        for match in IN_NAME.finditer(name)
    )


def test_names_of_tests_cite_in_one_spelling() -> None:
    """First the criteria, then what is shown: test_v09_r08_…; an id is written as on the page, without its line."""
    known = set(listed(PAGE.read_text(encoding="utf-8")))
    tests = [
        (file, name) for file in (ROOT / "tests").rglob("test_*.py") for name in TEST_NAME.findall(file.read_text())
    ]
    assert len(tests) > 1_600
    assert [(file.name, name) for file, name in tests if misnamed(name, known)] == []


@pytest.mark.parametrize(
    "name", ["test_v_09_x", "test_v9_x", "test_x_by_v09_y", "test_r49_x", "test_v09_x_h_5", "test_h05_x"]
)
def test_a_planted_other_spelling_is_caught(name: str) -> None:
    assert misnamed(name, set(listed(PAGE.read_text(encoding="utf-8"))))


@pytest.mark.parametrize("name", ["test_v09_x", "test_x10_h8_r17_a_table", "test_a_table_of_21", "test_asvs_6_3_codes"])
def test_names_as_they_should_be_pass(name: str) -> None:
    assert not misnamed(name, set(listed(PAGE.read_text(encoding="utf-8"))))
