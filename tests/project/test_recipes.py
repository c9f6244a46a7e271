"""CONTRIBUTING.md by doing what it says: recipes are followed in a copy; every file that a page names is there."""

from __future__ import annotations

import doctest
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest

import ventuno
from tests.support.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
HEADINGS = (
    "Change a payout",
    *(f"Add a {what}" for what in ("game", "side bet", "decision")),
    "Add an endpoint",
    *(f"Add a {what}" for what in ("message", "setting", "metric", "column", "language", "colour", "close code")),
)
PAGES = (
    *("ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "client/README.md"),
    *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md") if path.name != "criteria.md"),
)
BASES = ("", "src", "src/ventuno", "client", "client/src", "src/ventuno/core", "docs")
"""Where a path that a page names may begin."""
MADE = ("src/ventuno/web/static/", "client/openapi.json", "my-sheets/", "certificates/", "sheets/")
"""What is made by a build, or by whoever follows a page."""
PATH = re.compile(r"`([\w{][\w.{},*-]*/[\w./{},*-]*)`")
ROOMS = re.compile(r"(?:src|client|tests|docs|bench|core|odds|house|web|cli|words)/")
MODULE = re.compile(r"`(?:python -m )?(ventuno(?:\.[a-z_]+)+|test_[a-z_]+)(?: >[^`]*)?`")
"""A module by its dotted name, or a test by the name of its module."""
FILE = re.compile(r"(?:/|\.(?:py|md|toml|ts|css|svelte|json|txt))$")


def list_recipes(page: str) -> dict[str, str]:
    """The text of each recipe by its heading."""
    _, _, rest = page.partition("\n## Recipes\n")
    parts = re.split(r"^### (.+)\n", rest.partition("\n## ")[0], flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def find_blocks(recipe: str, language: str) -> str:
    """All code blocks of a language in a recipe, one after the other."""
    return "".join(re.findall(rf"```{language}\n(.*?)```", recipe, re.DOTALL))


def follow(recipe: str, folder: Path) -> str:
    """What goes wrong when a recipe is followed in a copy of the sources; nothing where all comes as promised."""
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("static", "*.pyc.*", "*.egg-info"))
    environment = make_environment(folder)
    if patch := find_blocks(recipe, "diff"):
        command = ["git", "apply", "-"]
        applied = subprocess.run(
            command, input=patch, cwd=folder, env=environment, text=True, capture_output=True, check=False
        )
        if applied.returncode:
            return applied.stderr
    for line, promised in list_commands(find_blocks(recipe, "console")):
        done = subprocess.run(
            line, shell=True, cwd=folder, env=environment, text=True, capture_output=True, check=False, timeout=PATIENCE
        )
        if done.returncode or not is_as_promised(promised, done.stdout):
            return f"$ {line}\n{done.stdout}{done.stderr}"
    return ""


def make_environment(folder: Path) -> Mapping[str, str]:
    """Commands of this Python on the copy; a folder that is no repository, so that a diff is applied where it lies."""
    commands = folder / "bin"
    commands.mkdir()
    for name, call in (("python", '"$@"'), ("ventuno", '-m ventuno.cli.main "$@"')):
        (commands / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {call}\n')
        (commands / name).chmod(0o755)
    own = {name: value for name, value in os.environ.items() if not name.startswith(("VENTUNO_", "GIT_"))}
    return own | {
        "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(folder / "src"),
        "PYTHONPYCACHEPREFIX": "",  # compiled files that were copied count for what is not changed
        "GIT_CEILING_DIRECTORIES": str(folder.parent),
    }


def list_commands(block: str) -> list[tuple[str, str]]:
    """Each command with the lines that it must print."""
    parts = re.split(r"^\$ (.+)\n", block, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2], strict=True))


def is_as_promised(promised: str, printed: str) -> bool:
    """Whether a command printed what the page says, where `...` is anything."""
    return doctest.OutputChecker().check_output(promised, printed, doctest.ELLIPSIS)


def find_missing(page: str) -> list[str]:
    """The paths in backticks, outside blocks of code, at which there is nothing."""
    text = re.sub(r"```.*?```", "", page, flags=re.DOTALL)
    names = [name for name in PATH.findall(text) if FILE.search(name) or ROOMS.match(name)]
    modules = [name for name in MODULE.findall(text) if name.removeprefix("ventuno.") not in ventuno.__all__]
    names += [name.replace(".", "/") if "." in name else f"tests/**/{name}" for name in modules]
    return [name for name in dict.fromkeys(names) if not name.startswith(MADE) and not all(map(is_there, expand(name)))]


def expand(name: str) -> list[str]:
    """`a/{b,c}.py` as both of its paths."""
    parts = [part.split(",") if place % 2 else [part] for place, part in enumerate(re.split(r"[{}]", name))]
    return ["".join(choice) for choice in product(*parts)]


def is_there(name: str) -> bool:
    """Whether a file, a folder or a module of this name lies in one of the places where paths begin."""
    names = [name.rstrip("/"), f"{name}.py", f"{name}.ts"]
    return any(next((ROOT / base).glob(pattern), None) for base in BASES for pattern in names)


RECIPES = list_recipes((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
FOLLOWED = [heading for heading, recipe in RECIPES.items() if find_blocks(recipe, "console")]


def test_there_are_twelve_recipes_that_name_files() -> None:
    assert tuple(RECIPES) == HEADINGS
    assert [heading for heading, recipe in RECIPES.items() if not (PATH.search(recipe) and "\n1. " in recipe)] == []
    assert len(FOLLOWED) >= 5


@pytest.mark.parametrize("document", PAGES)
def test_every_file_that_a_page_names_is_there(document: str) -> None:
    assert find_missing((ROOT / document).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("heading", FOLLOWED)
def test_a_recipe_is_followed(heading: str, tmp_path: Path) -> None:
    assert follow(RECIPES[heading], tmp_path) == ""


def test_planted_stale_diff_is_caught(tmp_path: Path) -> None:
    stale = RECIPES["Change a payout"].replace('-coloured = "', '-coloured = "1')
    assert "patch does not apply" in follow(stale, tmp_path)


def test_planted_wrong_line_is_caught(tmp_path: Path) -> None:
    wrong = RECIPES["Change a payout"].replace("22,00", "26,00")
    assert "$ ventuno settle" in follow(wrong, tmp_path)


def test_planted_recipe_that_was_not_done_is_caught(tmp_path: Path) -> None:
    undone = RECIPES["Change a payout"].replace("```diff", "```text")
    assert "26,00" in follow(undone, tmp_path)


def test_planted_file_that_is_gone_is_caught() -> None:
    text = (
        "`core/rules/cards.py` `web/sockets/{hub,gone}.py` `src/lost/` `core/games/` `a.b()` `docs/no.md` `odds/loops`"
    )
    assert find_missing(text) == ["web/sockets/{hub,gone}.py", "src/lost/", "docs/no.md", "odds/loops"]
    assert find_missing("`ventuno.core.lost` `test_lost` `test_recipes` `ventuno.core` `ventuno.solve`") == [
        "ventuno/core/lost",
        "tests/**/test_lost",
    ]
