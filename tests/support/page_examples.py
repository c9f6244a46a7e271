"""The examples of the pages: every fenced block that a reader would run, and how it is run, or why it is not.

A comment above a block says what happens to it; without one it is run here. `examples:` says it for a whole page.

    <!-- not run: REASON -->        a person, another machine or another system is needed
    <!-- run by: tests/FILE.py -->  a test of its own follows it
    <!-- in a house -->             run in a closed house that was played in; CODE is one of its rounds
    <!-- opens a house -->          each line opens one that stays; tests/project/test_served_examples.py ends it
    <!-- on a clean machine -->     `python3 dev.py bench manual` runs it in a clean clone with an empty home
    <!-- examples: run by: tests/FILE.py -->
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from tests.support.patience import PATIENCE
from tests.support.project_files import ROOT
from ventuno.cli.main import main

FENCE = re.compile(
    r"^(?P<above>(?:<!--[^\n]*-->\n)*)```(?P<language>[a-z]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
MARK = re.compile(r"<!-- (not run: .+|run by: \S+|in a house|opens a house|on a clean machine) -->")
WHOLE_PAGE = re.compile(r"^<!-- examples: (.+) -->$", re.MULTILINE)
IN_A_HOUSE, OPENS_A_HOUSE, ON_A_CLEAN_MACHINE = "in a house", "opens a house", "on a clean machine"
SHELL = {"console", "bash", "sh"}
PROGRAMS = "python3?|pip|pipx|uvx|npm|docker|systemctl|curl|sudo|useradd|sqlite3|cp"
COMMAND = re.compile(rf"^(?:\$ )?(?:\S*/)?(?:ventuno -?[a-z]|(?:{PROGRAMS}) \S)", re.MULTILINE)
"""What makes a block without a language an example: a line that calls a program."""
SHELL_WORDS = re.compile(r"[|<>&;`]|^\w+=")
ENDS_WITH = re.compile(r"\s+# exit (\d)$")


class Block(NamedTuple):
    """A block that a reader would run, with the line it begins at and what its page says of it."""

    page: str
    line: int
    language: str
    text: str
    mark: str


class House(NamedTuple):
    """A closed house: its folder, and a round of it."""

    folder: Path
    code: str


def list_pages() -> list[str]:
    """Every page of the site that is written by hand."""
    from docs.site.hooks import LINKS

    return sorted(LINKS.pages)


def find_blocks(page: str, text: str) -> Iterator[Block]:
    whole = WHOLE_PAGE.search(text)
    for match in FENCE.finditer(text):
        language, body = match["language"], match["text"]
        if language in {"python", *SHELL} or (not language and COMMAND.search(body)):
            own = MARK.search(match["above"])
            mark = own[1] if own else whole[1] if whole else ""
            yield Block(page, text.count("\n", 0, match.start("text")), language, body, mark)


def find_fault(block: Block) -> str:
    """Why what a page says of a block cannot be true: a test that is not there or does not read the page, no reason."""
    kind, _, rest = block.mark.partition(": ")
    if kind == "run by":
        test = ROOT / rest
        name = block.page.rpartition("/")[2]
        if not test.is_file() or not re.search(rf"\b{re.escape(name)}\b", test.read_text(encoding="utf-8")):
            return f"{block.page}:{block.line}: {rest} does not follow this page"
    elif kind == "not run":
        return "" if len(rest.split()) > 2 else f"{block.page}:{block.line}: not run, and no reason"
    return ""


def run_page(
    blocks: list[Block], folder: Path, house: House | None = None, settings: Mapping[str, str] | None = None
) -> str:
    """What goes wrong when the blocks of a page are run in their order; nothing where all is as it says."""
    names: dict[str, Any] = {"__name__": "page"}
    for block in blocks:
        fault = run_python(block, names) if block.language == "python" else run_shell(block, folder, house, settings)
        if fault:
            return f"{block.page}:{block.line}: {fault}"
    return ""


def run_python(block: Block, names: dict[str, Any]) -> str:
    """A session with prompts is a doctest; a program is executed. Both share the names of their page."""
    if ">>> " not in block.text:
        try:
            exec(compile(block.text, f"{block.page}:{block.line}", "exec"), names)
        except Exception as fault:
            return f"{type(fault).__name__}: {fault}"
        return ""
    told = io.StringIO()
    test = doctest.DocTestParser().get_doctest(block.text, {}, block.page, block.page, block.line)
    test.globs = names
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False).run(test, out=told.write, clear_globs=False)
    return told.getvalue()


def list_commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command with the lines that it must print; where no line has a prompt, each line is a command."""
    if not re.search(r"^\$ ", text, re.MULTILINE):
        yield from ((line, "") for line in text.splitlines() if line.strip())
        return
    parts = re.split(r"^\$ (.+)\n", text, flags=re.MULTILINE)
    yield from zip(parts[1::2], parts[2::2], strict=True)


def run_shell(block: Block, folder: Path, house: House | None, settings: Mapping[str, str] | None = None) -> str:
    own = dict(settings or {})
    if house and block.mark == IN_A_HOUSE:
        own, folder = {**own, "VENTUNO_DATA": str(house.folder)}, folder / str(block.line)
        folder.mkdir()
        if "export house.jsonl" not in block.text:
            run_command("ventuno export house.jsonl", folder, own)
    for line, promised in list_commands(block.text):
        command, code = ENDS_WITH.sub("", line), ENDS_WITH.search(line)
        if house:
            command = command.replace("CODE", house.code)
        ended, printed = run_command(command, folder, own)
        if ended != (int(code[1]) if code else 0):
            return f"$ {command}\nended with {ended}\n{printed}"
        if promised and not doctest.OutputChecker().check_output(promised, printed, doctest.ELLIPSIS):
            return f"$ {command}\nprinted\n{printed}"
    return ""


def run_command(line: str, folder: Path, more: Mapping[str, str]) -> tuple[int, str]:
    """A plain call of the program in this process, which is quicker; all else by a shell that has it."""
    words = shlex.split(line, comments=True)
    if words[0] == "ventuno" and not SHELL_WORDS.search(line.partition(" #")[0]):
        told = io.StringIO()
        with contextlib.chdir(folder), contextlib.redirect_stdout(told), contextlib.redirect_stderr(told), held(more):
            try:
                code = main(words[1:])
            except SystemExit as ended:
                code = int(ended.code or 0)
        return code, told.getvalue()
    environment = {**os.environ, **more, "PATH": make_path(folder)}
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    return done.returncode, done.stdout + done.stderr


def make_path(folder: Path, **stand_ins: str) -> str:
    """A PATH that has the program of this checkout, and what stands here for programs of another machine."""
    programs = folder / "bin"
    programs.mkdir(exist_ok=True)
    for name, script in {"ventuno": f'exec "{sys.executable}" -m ventuno.cli.main "$@"', **stand_ins}.items():
        (programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (programs / name).chmod(0o755)
    return f"{programs}{os.pathsep}{os.environ['PATH']}"


@contextlib.contextmanager
def held(more: Mapping[str, str]) -> Iterator[None]:
    """These settings in the environment, and then as before."""
    before = dict(os.environ)
    os.environ.update(more)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
