"""The order of the tests: `tests/` mirrors `src/ventuno`, helpers are in `tests/support` alone.

How the names of tests are spelt is checked in `test_criteria`.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import conftest

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"
PACKAGE = ROOT / "src" / "ventuno"
MODULES = sorted(path.relative_to(TESTS).as_posix() for path in TESTS.rglob("*.py"))
IMPORTERS = sorted(
    path.relative_to(ROOT).as_posix() for room in ("tests", "bench", "examples") for path in (ROOT / room).rglob("*.py")
)
ROOMS = {
    "bench": "the measurements of bench/",
    "browser": "the client in real browsers",
    "core/properties": "rules that hold for all modules of the core, by random play",
    "faults": "the whole house under simulated faults",
    "fixtures": "files that tests read",
    "project": "the files of the project",
    "scenarios": "files that tests read",
    "support": "the helpers",
}
"""Folders that no folder of the package answers to, each with what it holds."""


def imported_modules(source: str) -> Iterator[str]:
    """Every module that a source imports, and everything that may be a module of a package it imports from."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def imported_tests(source: str) -> list[str]:
    """The modules of `tests` that a source imports and that are no helpers; the order of the run may be looked at."""
    return [
        name
        for name in imported_modules(source)
        if name.startswith("tests.") and not f"{name}.".startswith("tests.support.") and name != "tests.conftest"
    ]


def is_misplaced(module: str) -> bool:
    """Whether a module is neither a helper nor a file that pytest collects or reads its fixtures from."""
    room, name = module.split("/")[0], Path(module).name
    is_test = name.startswith("test_") or name == "conftest.py"
    return is_test if room in {"support", "fixtures"} else not is_test


def has_room(folder: str) -> bool:
    """Whether a folder of tests answers to one of the package, or is named above with its reason."""
    return any(folder == room or folder.startswith(f"{room}/") for room in ROOMS) or (PACKAGE / folder).is_dir()


def functions_of(source: str) -> Iterator[tuple[str, bool]]:
    """The functions of a conftest: their names, and whether pytest calls them."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
            yield node.name, node.name.startswith("pytest_") or any("fixture" in name for name in decorators)


def own_helpers(source: str) -> list[str]:
    """What a conftest defines besides fixtures and hooks."""
    return [name for name, is_called_by_pytest in functions_of(source) if not is_called_by_pytest]


def test_there_are_modules_to_look_at() -> None:
    assert {"conftest.py", "project/test_tests.py", "support/house.py"} <= set(MODULES)
    assert {"bench/load.py", "tests/support/house.py"} <= set(IMPORTERS)


@pytest.mark.parametrize("module", IMPORTERS)
def test_no_test_is_imported(module: str) -> None:
    assert imported_tests((ROOT / module).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "from tests.house.tables.test_recovery import BET",
        "from tests.house.conftest import execute",
        "from tests.web.sockets import test_limits",
        "import tests.core.views.test_views",
        "def late():\n    from tests.browser.test_solo import alone",
        "from tests.supported import key",
    ],
)
def test_planted_import_of_a_test_is_caught(source: str) -> None:
    assert imported_tests(source)


@pytest.mark.parametrize(
    "source", ["from tests.support.house import key", "from tests.support import house", "import dev"]
)
def test_imports_of_helpers_pass(source: str) -> None:
    assert imported_tests(source) == []


def test_helpers_are_in_support_alone() -> None:
    assert [module for module in MODULES if is_misplaced(module)] == []


@pytest.mark.parametrize(
    "module", ["house/specimen.py", "helpers.py", "web/sockets/limits.py", "support/test_house.py"]
)
def test_planted_misplaced_module_is_caught(module: str) -> None:
    assert is_misplaced(module)


@pytest.mark.parametrize("module", [module for module in MODULES if module.endswith("conftest.py")])
def test_conftests_have_fixtures_alone(module: str) -> None:
    assert own_helpers((TESTS / module).read_text(encoding="utf-8")) == []


def test_planted_helper_in_a_conftest_is_caught() -> None:
    fixture = "@pytest.fixture(scope='session')\ndef url(): ...\n"
    assert own_helpers(fixture + "async def execute(): ...") == ["execute"]
    assert own_helpers(fixture + "def pytest_configure(): ...") == []


@pytest.mark.parametrize(
    "folder", sorted({Path(module).parent.as_posix() for module in MODULES if Path(module).name.startswith("test_")})
)
def test_each_folder_has_its_room(folder: str) -> None:
    assert has_room(folder)


@pytest.mark.parametrize("folder", ["house/books", "casino", "core/propertiesque", "house/tables/more"])
def test_planted_folder_without_a_room_is_caught(folder: str) -> None:
    assert not has_room(folder)


def test_each_named_exception_is_one() -> None:
    assert [room for room in ROOMS if not (TESTS / room).is_dir() or (PACKAGE / room).is_dir()] == []


def test_the_longest_tests_are_where_the_order_of_the_run_looks_for_them() -> None:
    assert [name for name in conftest.LONGEST if not (TESTS / f"{name}.py").is_file()] == []
