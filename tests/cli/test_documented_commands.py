"""Every command that the pages show is one that the parsers take; `test_manual` and others run the ones that matter."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest

from ventuno.cli.command_line import make_parser, spread_flags
from ventuno.cli.errors import Fault
from ventuno.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGES = (*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md")
_BLOCK = re.compile(r"^```[a-z]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def find_commands(text: str) -> Iterator[str]:
    """Lines of fenced blocks that call the program, as a shell would read them: without prompt, pipes, comments."""
    for block in _BLOCK.findall(text):
        prompt = r"\$ " if re.search(r"^\$ ", block, re.MULTILINE) else ""
        yield from re.findall(rf"^{prompt}(?:\S*/)?(ventuno [a-z-].*)$", block, re.MULTILINE)


def read_words(line: str) -> list[str]:
    words = shlex.split(line, comments=True)
    ends = [place for place, word in enumerate(words) if word in ("|", ">", "&&", ";", ">>")]
    return words[1 : min(ends, default=len(words))]


def parse(line: str) -> None:
    words = [word for word in read_words(line) if word != "--help"]  # which would end here
    make_parser(next(word for word in words if not word.startswith("-"))).parse_args(spread_flags(words))


@pytest.mark.parametrize("file", PAGES, ids=lambda file: str(file.name))
def test_every_command_of_a_page_is_understood(file: Path) -> None:
    for line in find_commands(file.read_text(encoding="utf-8")):
        try:
            parse(line)
        except Fault as fault:
            pytest.fail(f"{file.name}: {line}: {fault}")


def test_the_manual_shows_every_command_of_an_operator() -> None:
    page = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")
    shown = {read_words(line)[0] for line in find_commands(page)}
    assert {"serve", "export", "check", "backup", "restore", "admin"} <= shown
    assert all(f"`ventuno {name}" in page or name in shown for name in ("config", "completion", "man", "staff"))


@pytest.mark.parametrize("line", ["ventuno chekc", "ventuno export a b c", "ventuno admin table close X"])
def test_a_planted_command_that_is_none_is_caught(line: str) -> None:
    (found,) = find_commands(f"```\n{line}\n```\n")
    with pytest.raises(Fault):
        parse(found)


def test_the_list_of_commands_is_the_modules_that_take_arguments() -> None:
    folder = ROOT / "src" / "ventuno" / "cli"
    modules = {file.stem for file in folder.glob("*.py") if "\ndef run(given" in file.read_text(encoding="utf-8")}
    modules |= {file.stem for file in folder.glob("*.py") if "\ndef run(args" in file.read_text(encoding="utf-8")}
    assert modules == set(COMMANDS)
