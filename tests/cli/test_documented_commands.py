"""Every command that the pages show or name in a sentence is one that the parsers take.

Blocks are run besides: tests/support/page_examples.py says by whom.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import dev
from ventuno.cli.command_line import make_parser, spread_flags
from ventuno.cli.errors import Fault
from ventuno.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGES = (*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CONTRIBUTING.md")
EXTRAS = set(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"])
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


def find_spans(text: str) -> Iterator[str]:
    """Commands that a sentence names: what stands between backquotes, of programs of ours or that install ours."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)
    for span in re.findall(r"`((?:ventuno|python3 dev\.py|pip install|uvx|pipx) [^`]+)`", prose):
        yield re.sub(r"\b(\w+)(?:\|\w+)+", r"\1", " ".join(span.split()))  # the first of several words


def find_fault(span: str) -> str:
    """What is wrong with a command that a sentence names; there it may leave out what it is given."""
    if extras := re.findall(r"ventuno\[([a-z,]+)\]", span):
        unknown = {name for names in extras for name in names.split(",")} - EXTRAS
        if unknown:
            return f"no extra is called {', '.join(unknown)}"
    called = span.partition("dev.py ")[2].split()
    if called:
        if called[0] not in dev.COMMANDS:
            return f"dev.py has no {called[0]}"
        kinds = {"bench": "", "soak": "soak_"}
        named = called[1] if called[0] in kinds and len(called) > 1 else "NAME"
        missing = named != "NAME" and not (ROOT / "bench" / f"{kinds[called[0]]}{named}.py").is_file()
        return f"nothing is called {named}" if missing else ""
    words = span[span.index("ventuno ") :] if re.search(r"(?:^|' )ventuno ", span) else ""
    try:
        if words and words != "ventuno --version":
            parse(words)
    except Fault as fault:
        return "" if "arguments are required" in str(fault) else str(fault)
    return ""


@pytest.mark.parametrize("file", PAGES, ids=lambda file: str(file.name))
def test_every_command_of_a_sentence_is_there(file: Path) -> None:
    faults = {span: find_fault(span) for span in find_spans(file.read_text(encoding="utf-8"))}
    assert {span: fault for span, fault in faults.items() if fault} == {}


def test_sentences_name_many_commands() -> None:
    assert sum(len(list(find_spans(file.read_text(encoding="utf-8")))) for file in PAGES) > 50


@pytest.mark.parametrize(
    "span",
    [
        "ventuno chekc",
        "ventuno config chekc",
        "ventuno export FILE --frist 2026-11-09",
        "python3 dev.py tset",
        "python3 dev.py bench stroage",
        "python3 dev.py soak laod",
        "pip install 'ventuno[huose]'",
        "uvx --from 'ventuno[house]' ventuno srve",
    ],
)
def test_a_planted_command_of_a_sentence_is_caught(span: str) -> None:
    (found,) = find_spans(f"Say `{span}` and wait.")
    assert find_fault(found)


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
