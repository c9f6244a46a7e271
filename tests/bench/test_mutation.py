"""Planted faults: what is planted, that a red tree is not counted, and that a run goes on where it stopped."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from bench.mutation import list_stale, read_equivalent
from bench.support.mutants import find_places, generate_mutants, list_changes

ROOT = Path(__file__).resolve().parents[2]
IDLE = '''
"""A docstring with 3 numbers."""
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    Number = int | float
Amount = int | None

@dataclass(frozen=True, slots=True, order=True)
class Stake:
    """Not 5."""
    __slots__ = ("cents", 2)
    cents: int | None

def tell(stake: int | None = None, other: "Stake | None" = None) -> str | None:
    assert stake is not None and stake > 3
    log.warning("%s", 3 + 4)
    list(zip(stake, other, strict=True))
    return f"{stake + 100:>{7}}" + "x"
'''
CODE = """
LIMIT = 10

def take(stake, limit):
    if stake < 0:
        raise ValueError
    return min(stake + 1, limit)

def keep(purse, name):
    purse[name] = True
    for other in purse:
        if other != name and not other:
            break
"""
CHANGES = {
    ("LIMIT = 10", "10 -> 11"),
    ("if stake < 0:", "stake < 0 -> stake <= 0"),
    ("if stake < 0:", "if stake < 0: -> never"),
    ("raise ValueError", "raise ValueError -> pass"),
    ("return min(stake + 1, limit)", "min(stake + 1, limit) -> max(stake + 1, limit)"),
    ("return min(stake + 1, limit)", "stake + 1 -> stake - 1"),
    ("purse[name] = True", "purse[name] = True -> pass"),
    ("purse[name] = True", "True -> False"),
    ("for other in purse:", "for other in purse: -> no turn"),
    ("if other != name and not other:", "other != name and (not other) -> other != name or not other"),
    ("if other != name and not other:", "other != name and (not other) -> other != name"),
    ("if other != name and not other:", "not other -> other"),
    ("break", "break -> continue"),
}


def test_nothing_is_planted_where_no_run_could_notice() -> None:
    assert [change for place in find_places(IDLE) for _, change in place.changes] == [
        "list(zip(stake, other, strict=True)) -> pass"
    ]


def test_what_decides_is_changed_in_one_place(tmp_path: Path) -> None:
    (tmp_path / "code.py").write_text(CODE)
    assert list_changes(tmp_path, "code.py") >= CHANGES
    mutants = [mutant for _, mutant in generate_mutants(tmp_path, "code.py", 1)]
    assert len(mutants) == len(find_places(CODE))
    for mutant in mutants:
        compile(mutant.text, mutant.name, "exec")
        changed = [line for line, old in zip(mutant.text.splitlines(), CODE.splitlines(), strict=True) if line != old]
        assert len(changed) == 1, mutant.name
    assert [mutant.name for mutant in mutants] == [
        mutant.name for _, mutant in generate_mutants(tmp_path, "code.py", 1)
    ]


def test_every_equivalent_mutant_has_its_line_and_a_reason() -> None:
    """And an entry whose line was changed since is told."""
    entries = read_equivalent()
    assert not list_stale(entries)
    assert all(len(entry["reason"].split()) > 3 for entry in entries)
    rotten = {"file": "src/ventuno/core/rules/money.py", "line": "no such line", "change": "1 -> 2", "reason": ""}
    assert list_stale([*entries, rotten]) == ["src/ventuno/core/rules/money.py 1 -> 2"]


def run_bench(tree: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        str(tree / "bench" / "mutation.py"),
        "--folder",
        str(tree / "kept"),
        "--workers",
        "1",
        *words,
    ]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_a_red_tree_is_refused_and_a_run_goes_on_where_it_stopped(tmp_path: Path) -> None:
    """A small tree with one line that its test does not look at."""
    for name in (
        "bench/mutation.py",
        *(f"bench/support/{part}.py" for part in ("mutants", "mutant_tests", "fork_server", "line_contexts")),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    package, tests = tmp_path / "src" / "ventuno" / "core", tmp_path / "tests" / "core"
    for folder in (package, tests):
        folder.mkdir(parents=True)
    for folder in (package, package.parent):
        (folder / "__init__.py").write_text("")
    (package / "purse.py").write_text(
        "def add(purse, amount):\n    return purse + amount\n\n\ndef idle():\n    return 1 < 2\n"
    )
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\nminversion = '9.0'\n")
    (tmp_path / "dev.py").write_text("")
    test = tests / "test_purse.py"
    start = "from ventuno.core.purse import add, idle\n\n\ndef test_add():\n    idle()\n    assert add(2, 3) == "

    test.write_text(f"{start}6\n")
    red = run_bench(tmp_path)
    assert red.returncode == 2
    assert "fail on the tree as it is: tests/core/test_purse.py" in red.stdout
    assert "caught" not in red.stdout

    test.write_text(f"{start}5\n")
    first = run_bench(tmp_path)
    assert first.returncode == 1, first.stderr
    assert "caught 1 of 4 planted faults: 25.0% (seed 16), goal 90%" in first.stdout
    assert "survived  src/ventuno/core/purse.py:6 1 < 2 -> " in first.stdout
    kept = (tmp_path / "kept" / "results-16.jsonl").read_text()

    test.write_text(f"{start}5\n    assert idle()\n")
    assert "caught 2 of 4 planted faults" in run_bench(tmp_path).stdout
    added = (tmp_path / "kept" / "results-16.jsonl").read_text().removeprefix(kept).splitlines()
    assert len(added) == 3, "what was caught is not tried again, what survived is"

    changed = (package / "purse.py").read_text() + "\n\ndef more():\n    return 3 < 4\n"
    (package / "purse.py").write_text(changed)
    told = run_bench(tmp_path, "--earlier").stdout
    assert "caught 2 of 7 planted faults: 28.6% (seed 16, 2 of them on earlier sources), goal 90%" in told
    assert "caught 2 of 7 planted faults: 28.6% (seed 16), goal 90%" in run_bench(tmp_path).stdout
