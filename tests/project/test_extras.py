"""What each part of the package imports is declared in the extra that brings it, and the base install stays light."""

import ast
import gzip
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ventuno.cli import extras
from ventuno.cli.errors import WRONG_USAGE
from ventuno.cli.main import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "src"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BASE = ""
"""What every install has; the other names are extras."""
ROOMS = {
    "__init__.py": {BASE},
    "lazy_imports.py": set[str](),
    "core": set[str](),
    "words": set[str](),
    "sheets": set[str](),
    "guide": set[str](),
    "deck": {"deck"},
    "odds": {"odds", "grid"},
    "library": set[str](),
    "environments": {"odds", "research"},
    "house": {BASE, "house", "postgres", "beacon"},
    "client": {"bot"},
    "web": {"house", "otel", "cluster"},
    "cli": {BASE, "house"},
}
LIGHT = ("settle", "sheet", "play", "verify", "certify", "strategy", "simulate", "admin", "completion", "man", "deck")
"""The commands that are read with the base install; each of the others is a house's."""
OTHER_NAMES = {
    "argon2": "argon2-cffi",
    "markdown_it": "markdown-it-py",
    "nats": "nats-py",
    "opentelemetry": "opentelemetry-sdk",
}
"""Modules that are not called like their package."""
BY_OTHERS = {
    "httptools": "uvicorn reads requests with it",
    "opentelemetry-api": "one module of three packages: what a span is",
    "opentelemetry-exporter-otlp-proto-http": "the same module: how spans are sent",
}
DOCUMENT = ROOT / "tests" / "fixtures" / "old_house" / "documents" / "duello-opened.json.gz"
ROUND = {"game": "ventuno", "shoe": "9S 7D TC TH", "boxes": [{"box": 1, "player": "p1", "main": 1000}]}
WITHOUT_EXTRAS = """
import contextlib, io, json, sys
for name in sys.argv[3:]:
    __import__(name)
sys.platform = "win32" if sys.argv[3:] else sys.platform
for name in json.loads(sys.argv[1]):
    sys.modules[name] = None
from ventuno.cli.main import main
answers = []
for words in json.loads(sys.argv[2]):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(words)
        except SystemExit as ended:
            code = ended.code
    answers.append([code, out.getvalue(), err.getvalue(), "rich" in sys.modules, "cryptography" in sys.modules])
print(json.dumps(answers))
"""


def name_package(requirement: str) -> str:
    """`sqlalchemy[asyncio]>=2.1,<2.2` is sqlalchemy."""
    return re.split(r"[^\w.-]", requirement)[0]


@cache
def declared(extra: str) -> frozenset[str]:
    """The packages that an extra names itself."""
    lines = PROJECT["dependencies"] if extra == BASE else PROJECT["optional-dependencies"][extra]
    return frozenset(map(name_package, lines)) - {"ventuno"}


def installed(extra: str) -> set[str]:
    """The packages that come with an extra: its own, those of the extras that it names, and the base."""
    named = set(declared(extra))
    for line in PROJECT["optional-dependencies"].get(extra, []):
        if line.startswith("ventuno["):
            named |= set[str]().union(*map(installed, line.removeprefix("ventuno[").rstrip("]").split(",")))
    return named | declared(BASE)


def package_of(module: str) -> str:
    return OTHER_NAMES.get(module, module.replace("_", "-"))


def read_imports(source: str, *, at_once: bool = False) -> Iterator[str]:
    """Every module that is imported, `at_once` without those inside functions or for types alone."""

    def walk(node: ast.AST) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            match child:
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.Lambda() if at_once:
                    continue
                case ast.If(test=ast.Name(id="TYPE_CHECKING")) if at_once:
                    continue
                case ast.Import(names=names):
                    yield from (alias.name for alias in names)
                case ast.ImportFrom(module=str() as module, names=names):
                    yield from (module, *(f"{module}.{alias.name}" for alias in names))
                case _:
                    yield from walk(child)

    yield from walk(ast.parse(source))


def libraries(modules: Iterable[str]) -> set[str]:
    """Those that somebody else wrote, by the first part of their name."""
    return {module.partition(".")[0] for module in modules} - sys.stdlib_module_names - {"ventuno"}


def find_undeclared(room: str, source: str) -> set[str]:
    """The libraries that a module of a room imports, and no extra of that room declares."""
    packages = set[str]().union(*(declared(extra) for extra in ROOMS[room]))
    return {module for module in libraries(read_imports(source)) if package_of(module) not in packages}


def source_of(module: str) -> Path | None:
    place = SOURCES.joinpath(*module.split("."))
    return next((file for file in (place / "__init__.py", place.with_suffix(".py")) if file.is_file()), None)


def read_with(module: str) -> set[str]:
    """All modules that are imported when this one is."""
    seen, waiting = set[str](), [module]
    while waiting:
        name = waiting.pop()
        parents = [name.rsplit(".", end)[0] for end in range(name.count(".") + 1)]
        for part in parents:
            if part in seen:
                continue
            if not part.startswith("ventuno"):
                seen.add(part)
            elif file := source_of(part):
                seen.add(part)
                waiting += read_imports(file.read_text(encoding="utf-8"), at_once=True)
    return seen


@pytest.mark.parametrize("room", ROOMS)
def test_every_import_is_declared_in_the_extra_that_uses_it(room: str) -> None:
    files = [SOURCES / "ventuno" / room] if room.endswith(".py") else sorted((SOURCES / "ventuno" / room).rglob("*.py"))
    undeclared = {file.name: find_undeclared(room, file.read_text(encoding="utf-8")) for file in files}
    assert {name: missing for name, missing in undeclared.items() if missing} == {}
    assert {file.relative_to(SOURCES / "ventuno").parts[0] for file in (SOURCES / "ventuno").rglob("*.py")} == set(
        ROOMS
    )


def test_planted_undeclared_import_is_caught() -> None:
    """Also inside a function; and a library of another room is none of this one's."""
    assert find_undeclared("web", "def f():\n    import requests.sessions") == {"requests"}
    assert find_undeclared("core", "import numpy as np") == {"numpy"}
    assert find_undeclared("web", "from numba import njit\nimport fastapi, json\nfrom ventuno import x") == {"numba"}


def test_nothing_is_declared_that_nobody_imports() -> None:
    sources = (SOURCES / "ventuno").rglob("*.py")
    used = {package_of(name) for file in sources for name in libraries(read_imports(file.read_text(encoding="utf-8")))}
    for extra in (BASE, *PROJECT["optional-dependencies"]):
        assert declared(extra) - used - set(BY_OTHERS) == set(), extra


def test_a_missing_module_leads_to_the_extra_that_brings_it() -> None:
    sources = (SOURCES / "ventuno").rglob("*.py")
    used = set[str]().union(*(libraries(read_imports(file.read_text(encoding="utf-8"))) for file in sources))
    assert {name for name in used if package_of(name) not in declared(BASE)} == set(extras.EXTRA_OF) - set(BY_OTHERS)
    for module, extra in extras.EXTRA_OF.items():
        assert package_of(module) in declared(extra), module


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_is_read_with_the_extra_that_it_names(command: str) -> None:
    packages = installed(BASE if command in LIGHT else "house")
    assert {
        name for name in libraries(read_with(f"ventuno.cli.{command}")) if package_of(name) not in packages
    } == set()


def test_planted_heavy_command_is_caught() -> None:
    """The walk goes through modules of our own, and not into functions."""
    assert {"sqlalchemy", "msgspec", "argon2"} <= read_with("ventuno.cli.staff")
    assert "sqlalchemy" not in read_with("ventuno.cli.verify")
    assert "ventuno.house.store.signing_key" in read_with("ventuno.cli.verify")


def test_the_client_is_read_with_the_extra_bot_alone() -> None:
    """No part of it brings a house, a database or a compiler; the walk goes through what it imports of ours."""
    modules = read_with("ventuno.client")
    assert {"ventuno.client.connection", "ventuno.core.views.private_view", "httpx", "websockets"} <= modules
    assert {package_of(name) for name in libraries(modules)} <= installed("bot")


def test_all_is_every_extra() -> None:
    every = [extra for extra in PROJECT["optional-dependencies"] if extra != "all"]
    assert PROJECT["optional-dependencies"]["all"] == [f"ventuno[{','.join(every)}]"]
    assert {"house", "odds", "postgres", "cluster", "research", "grid", "bot"} <= set(every)
    assert installed("bot") == {*declared(BASE), "httpx", "websockets"}


def ask(blocked: list[str], words: list[list[str]], *read_before: str) -> Any:
    """What the commands answer where some modules cannot be imported; on Windows, where some were read before that."""
    command = [sys.executable, "-c", WITHOUT_EXTRAS, json.dumps(blocked), json.dumps(words), *read_before]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_the_base_install_settles_shows_verifies_and_names_what_is_missing(tmp_path: Path) -> None:
    """As in an environment without any extra: what runs, what does not, and the line that it says."""
    shoe, scenario = tmp_path / "shoe.json", tmp_path / "round.json"
    shoe.write_bytes(gzip.decompress(DOCUMENT.read_bytes()))
    scenario.write_text(json.dumps(ROUND | {"decisions": [{"box": 1, "do": "stand"}]}))
    words = [
        ["--help"],
        ["settle", str(scenario), "--json"],
        ["sheet", "link"],
        ["verify", str(shoe)],
        ["play", "--help"],
        ["completion", "bash"],
        ["man", "serve"],
        *(["serve"], ["staff", "add", "anna"], ["replay", "Ventuno 1-1"]),
        *(["certify", "duello"], ["strategy", "ventuno"], ["simulate", "ventuno", "--rounds", "1000"]),
        ["deck", "--pdf", str(tmp_path / "deck.pdf")],
        ["verify", "Ventuno 1-1"],
    ]
    answers = ask(sorted(extras.EXTRA_OF), words)
    assert [code for code, *_ in answers] == [0] * 7 + [WRONG_USAGE] * 8, answers
    assert answers[0][3:] == [False, False], "help reads no library"
    assert json.loads(answers[1][1])["players"]["p1"]["net"] == 1000
    assert answers[3][1].startswith("holds: shoe")
    named = ["house"] * 3 + ["odds"] * 3 + ["deck"]
    for given, (_, out, err, *_), extra in zip(words[7:-1], answers[7:-1], named, strict=True):
        line = f"ventuno {given[0]} needs the extra `{extra}`: pip install 'ventuno[{extra}]', or at once: uvx --from "
        assert (out, err) == ("", f"{line}'ventuno[{extra}]' ventuno {given[0]}\n")
    missing = "Ventuno 1-1: there is no such file; a round in the books of a house needs the extra `house`: pip install"
    assert answers[-1][2] == f"{missing} 'ventuno[house]'\n"


def test_a_module_that_no_extra_has_is_one_line_too() -> None:
    fault = extras.explain_missing("ventuno serve", "h11.connection")
    assert (str(fault), fault.code) == ("ventuno serve: h11.connection is missing: install ventuno again", WRONG_USAGE)


def test_the_library_names_its_extra() -> None:
    script = (
        "import sys; sys.modules.update(numpy=None)\nimport ventuno.odds as odds\n"
        "try: odds.solve\n"
        "except ImportError as fault: print(fault.name, fault)"
    )
    lines = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert lines == ["numpy ventuno.odds.solve needs numpy: pip install 'ventuno[odds]'"]


@pytest.mark.parametrize("module", ["fcntl", "sqlalchemy", "asyncpg"])
def test_windows_is_told_what_runs_and_what_does_not(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """No extra is proposed that would not help."""
    monkeypatch.setattr(sys, "platform", "win32")
    fault = extras.explain_missing("ventuno serve", module)
    assert isinstance(fault, extras.PlatformUnfit)
    assert fault.code == WRONG_USAGE
    assert all(part in str(fault) for part in ("ventuno serve does not run on Windows", "WSL", "`verify FILE`"))
    assert isinstance(extras.explain_missing("ventuno certify", "numpy"), extras.ExtraMissing)


def test_on_windows_a_whole_install_says_that_no_house_opens(tmp_path: Path) -> None:
    """Every extra is there, but not the locks of files; the rules run."""
    scenario = tmp_path / "round.json"
    scenario.write_text(json.dumps(ROUND | {"decisions": [{"box": 1, "do": "stand"}]}))
    words = [
        ["serve"],
        ["staff", "add", "anna"],
        ["replay", "Ventuno 1-1"],
        ["export", str(tmp_path / "house.jsonl")],
        ["check"],
        ["backup", str(tmp_path / "house.tar")],
        ["restore", str(tmp_path / "house.tar")],
        ["config", "check"],
        ["migrate"],
        ["nodes", "--database", "postgresql://127.0.0.1/house"],
        ["settle", str(scenario)],
        ["sheet", "duello"],
        ["admin", "--help"],
    ]
    house = [word for word, *_ in words[:-3]]
    assert set(house) == set(COMMANDS) - set(LIGHT)
    answers = ask([extras.FILE_LOCKS], words, "asyncio", "uvicorn", "fastapi", "sqlalchemy", "rich", "alembic")
    assert [code for code, *_ in answers] == [WRONG_USAGE] * len(house) + [0] * 3, answers
    for command, (_, _, err, *_) in zip(house, answers, strict=False):
        assert err.startswith(f"ventuno {command} does not run on Windows")
        assert err.count("\n") == 1
