"""The project's files: nothing of one machine in them, small modules, honest names, no game known by name."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.project_files import REGISTRIES, REGISTRY, ROOT, lines_with, project_files

SOURCES = ROOT / "src" / "ventuno"
MODULE_LINES = 500
"""A module is one thing. At 300 a class had to be cut over files by inheritance, which is worse than a long file."""
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc"}

# Written in pieces, so that this file does not hold what it looks for.
MACHINE_PATH = re.compile(r"(?<![\w./:-])/(?:work\b|root/|home/\w|Users/\w)")

GAME = r"""['"](ventuno|first.person|sisal|duello|link)['"]"""
ASKED = r"\b(game|sheet)(\.name|\.id|_id|_name)?"
GAME_COMPARED = re.compile(rf"{ASKED} *(==|!=|\b(not +)?in\b) *[\[({{]?{GAME}|{GAME} *(==|!=) *{ASKED}\b")


def text_files() -> Iterator[tuple[str, str]]:
    for path in project_files():
        try:
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def modules() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCES.rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def places(pattern: re.Pattern[str], files: Iterator[tuple[str, str]]) -> list[str]:
    return [f"{name}:{line}" for name, text in files for line in lines_with(pattern, text)]


def is_long(text: str) -> bool:
    return len(text.splitlines()) > MODULE_LINES


def is_vague(name: str) -> bool:
    """Whether a module, or a folder on its way, has a name that says nothing."""
    return not VAGUE_NAMES.isdisjoint(Path(name).with_suffix("").parts)


def test_there_are_files_to_look_at() -> None:
    names = {name for name, _ in text_files()}
    assert {"dev.py", "pyproject.toml", ".ci/run", "tests/project/test_project.py", "src/ventuno/__init__.py"} <= names


def test_no_path_of_one_machine() -> None:
    assert places(MACHINE_PATH, text_files()) == []


@pytest.mark.parametrize("path", ["work", "work/main", "root/.cache", "home/anna/x", "Users/anna"])
@pytest.mark.parametrize("before", ["", "cd ", '"', "file=", "("])
def test_planted_machine_path_is_caught(before: str, path: str) -> None:
    assert lines_with(MACHINE_PATH, f"first\n{before}/{path}") == [2]


@pytest.mark.parametrize(
    "text", ["frame/work", "/workers", "src/home/page", "/home", "https://example.org/home/a", "./root/x"]
)
def test_other_slashes_pass(text: str) -> None:
    assert lines_with(MACHINE_PATH, text) == []


def test_no_registry_address() -> None:
    assert places(REGISTRY, text_files()) == []


@pytest.mark.parametrize("host", REGISTRIES)
def test_planted_registry_address_is_caught(host: str) -> None:
    assert lines_with(REGISTRY, f"--index-url https://{host}/simple") == [1]


def test_modules_are_small() -> None:
    assert [name for name, text in modules() if is_long(text)] == []


def test_planted_long_module_is_caught() -> None:
    assert is_long("x = 1\n" * (MODULE_LINES + 1))
    assert not is_long("x = 1\n" * MODULE_LINES)


def test_no_vague_names() -> None:
    assert [name for name, _ in modules() if is_vague(name)] == []


@pytest.mark.parametrize("name", ["core/utils.py", "core/helpers/cards.py", "house/manager.py", "common.py"])
def test_planted_vague_name_is_caught(name: str) -> None:
    assert is_vague(name)
    assert not is_vague("core/cards.py")


def test_no_game_is_known_by_name() -> None:
    assert places(GAME_COMPARED, modules()) == []


@pytest.mark.parametrize(
    "source",
    [
        'if game == "sisal":',
        "if sheet.name != 'duello':",
        'if sheet.id in ("link", "sisal"):',
        "if game_name not in ['first-person']:",
        'x = state.sheet.name=="first_person"',
        "if game_id in {'ventuno'}:",
        'if "link" == game:',
    ],
)
def test_planted_game_name_is_caught(source: str) -> None:
    assert lines_with(GAME_COMPARED, source) == [1]


@pytest.mark.parametrize(
    "source", ['if bet == "link":', 'load(game="sisal")', "if sheet.charlie == 0:", 'game = "link"']
)
def test_other_comparisons_pass(source: str) -> None:
    assert lines_with(GAME_COMPARED, source) == []
