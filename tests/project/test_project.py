"""The project's files: nothing of one machine in them, small modules, honest names, no game known by name."""

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src" / "ventuno"
NOT_OURS = {"__pycache__", "node_modules", "build", "dist", "mutants"}
MODULE_LINES = 500
"""A module is one thing. At 300 a class had to be cut over files by inheritance, which is worse than a long file."""
VAGUE_NAMES = {"utils", "util", "helpers", "helper", "manager", "managers", "common", "misc"}

# Written in pieces, so that this file does not hold what it looks for.
MACHINE_PATH = re.compile(r"(?<![\w./:-])/(?:work\b|root/|home/\w|Users/\w)")
REGISTRIES = ["py" + "pi.org", "python" + "hosted.org", "registry.npm" + "js.org", "registry.yarn" + "pkg.com"]
REGISTRY = re.compile("|".join(map(re.escape, REGISTRIES)))

GAME = r"""['"](ventuno|first.person|sisal|duello|link)['"]"""
ASKED = r"\b(game|sheet)(\.name|\.id|_id|_name)?"
GAME_COMPARED = re.compile(rf"{ASKED} *(==|!=|\b(not +)?in\b) *[\[({{]?{GAME}|{GAME} *(==|!=) *{ASKED}\b")


@cache
def project_files() -> tuple[Path, ...]:
    """Every file that is tracked or would be; without git, every file outside hidden and generated folders."""
    try:
        command = ["git", "ls-files", "-co", "--exclude-standard", "-z"]
        listed = subprocess.run(command, cwd=ROOT, capture_output=True, check=True, text=True).stdout
        paths = [ROOT / name for name in listed.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        paths = []
    return tuple(sorted(path for path in paths or walked(ROOT) if path.is_file()))


def walked(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir():
            if path.name == ".ci" or not (path.name.startswith(".") or path.name in NOT_OURS):
                yield from walked(path)
        elif path.name != "uv.lock":
            yield path


def text_files() -> Iterator[tuple[str, str]]:
    for path in project_files():
        try:
            yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue


def modules() -> Iterator[tuple[str, str]]:
    for path in sorted(SOURCES.rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def lines_with(pattern: re.Pattern[str], text: str) -> list[int]:
    """The numbers of the lines that hold the pattern; it may run over a line's end."""
    return [text.count("\n", 0, found.start()) + 1 for found in pattern.finditer(text)]


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
