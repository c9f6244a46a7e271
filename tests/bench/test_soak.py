"""The long runs (G-12, G-13): started by name, honest about what was not run, and able to fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bench import soak_dieharder, soak_shoes
from bench.soak_dieharder import Result
from tests.support import shuffle_statistics

ROOT = Path(__file__).resolve().parents[2]


def test_g13_without_the_program_it_says_not_run(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "bench" / "soak_dieharder.py")]
    done = subprocess.run(
        command, env={**os.environ, "PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert done.stdout.startswith("not run: ")
    assert "apt-get install dieharder" in done.stdout


SCRIPT = """#!{python}
import sys
words = sys.argv[1:]
sys.stdin.buffer.read(100)
number = words[words.index("-d") + 1] if "-d" in words else "1"
print("no,line,of,the,table")
print("some_test,%s,0,%s,%s" % (number, words[words.index("-p") + 1] if "-p" in words else 100, {answers}))
"""


@pytest.mark.parametrize(
    ("first", "again", "fails"),
    [
        ("0.5,PASSED", "0.5,PASSED", 0),
        ("0.001,WEAK", "0.5,PASSED", 0),
        ("0.001,WEAK", "0.001,WEAK", 0),
        ("0.001,WEAK", "0.0,FAILED", 1),
        ("0.0,FAILED", "0.5,PASSED", 0),
        ("0.0,FAILED", "0.001,WEAK", 1),
        ("0.0,FAILED", "0.0,FAILED", 1),
    ],
)
def test_g13_the_retest_rule(tmp_path: Path, first: str, again: str, fails: int) -> None:
    program = tmp_path / "dieharder"
    answers = f'"{again}" if "-p" in words else "{first}"'
    program.write_text(SCRIPT.format(python=sys.executable, answers=answers))
    program.chmod(0o755)
    assert len(soak_dieharder.failed(str(program), [1])) == fails
    assert soak_dieharder.failed(str(program), [14]) == [], "what the program says not to use is not counted"
    assert bool(soak_dieharder.unnoticed(str(program))) is ("FAILED" not in first), "the planted one must fail"


def test_g13_results_are_read_and_other_lines_are_not() -> None:
    assert soak_dieharder.read("sts_monobit,100,1,100,0.25,WEAK\n") == Result("sts_monobit", 100, 1, 100, 0.25, "WEAK")
    assert soak_dieharder.read("# stdin_input_raw(): Error: EOF") is None
    assert soak_dieharder.read("a,b,c,d,e,f") is None


def test_g12_a_block_is_what_the_list_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    count, counts, starts = soak_shoes.block(40)
    assert count == 40
    assert [int(held["frequency"].sum()) for held in counts] == [40 * shuffle_statistics.SIZE] * 2
    assert [len(one) for one in starts] == [40 * 12] * 2
    assert shuffle_statistics.rejected({"a": 0.0, "b": 1.0}) == ["a"]
    monkeypatch.setattr(soak_shoes, "sample", lambda *_: {"a": 0.0001, "b": 0.5})
    assert soak_shoes.failing(1, 1) == ["a"]
    chances = iter(({"a": 0.0001, "b": 0.5}, {"a": 0.5, "b": 0.0001}))
    monkeypatch.setattr(soak_shoes, "sample", lambda *_: next(chances))
    assert soak_shoes.failing(1, 1) == [], "another test is no second rejection"


def test_g12_planted_fault_a_wrong_shuffle_that_passes_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    pack = np.tile(np.arange(shuffle_statistics.SIZE, dtype=np.int64) % 52, (400, 1)).astype(np.uint8)
    monkeypatch.setattr(soak_shoes, "CONTROLS", {"none": lambda _: rng.permuted(pack, axis=1)})
    assert soak_shoes.unrejected() == ["none"]


@pytest.mark.parametrize("words", [["soak", "nothing"], ["bench", "nothing"]])
def test_a_name_that_is_no_run_is_refused_with_those_there_are(words: list[str]) -> None:
    done = subprocess.run([sys.executable, str(ROOT / "dev.py"), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "dieharder" in done.stderr
    assert "shoes" in done.stderr
    assert "simulation" in done.stderr
