"""The long runs (G-12, G-13): started by name, honest about what was not run, and able to fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from bench import soak_dieharder, soak_kills, soak_shoes
from bench.soak_dieharder import Result
from bench.support.progress import Deadline, Progress, read
from tests.support import shuffle_statistics
from tests.support.kill_runs import Found

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
    progress = Progress("dieharder", "sources", path=tmp_path / "count.json")
    soak_dieharder.go_on(str(program), progress, ("-d", "1"))
    assert (progress.done, len(progress.failures)) == (1, fails)
    soak_dieharder.go_on(str(program), progress, ("-d", "14"))
    assert len(progress.failures) == fails, "what the program says not to use is not counted"
    assert bool(soak_dieharder.find_unnoticed(str(program))) is ("FAILED" not in first), "the planted one must fail"


def test_g13_all_tests_are_asked_for_at_every_length() -> None:
    options = soak_dieharder.list_options(())
    assert len(options) == len(set(options)) == 18 + 3 + 12 + 4 + 4 + 33 + 6
    assert options[0] == ("-d", "0")
    assert ("-d", "203", "-n", "32") in options
    assert soak_dieharder.list_options([201]) == [("-d", "201", "-n", str(length)) for length in (2, 3, 4, 5)]


def test_g13_results_are_read_and_other_lines_are_not() -> None:
    assert soak_dieharder.read("sts_monobit,100,1,100,0.25,WEAK\n") == Result("sts_monobit", 100, 1, 100, 0.25, "WEAK")
    assert soak_dieharder.read("# stdin_input_raw(): Error: EOF") is None
    assert soak_dieharder.read("a,b,c,d,e,f") is None


def sample(folder: Path, name: str = "shoes") -> soak_shoes.Sample:
    path = folder / f"{name}.json"
    return soak_shoes.Sample(read(path) if path.exists() else Progress(name, "sources", path=path))


def test_g12_a_sample_is_what_the_list_counts_however_often_it_is_interrupted(tmp_path: Path) -> None:
    """What a killed run has written beyond its count is forgotten; two runs are judged as one sample."""
    portions = [soak_shoes.count_shoes(40), soak_shoes.count_shoes(40)]
    whole = sample(tmp_path, "whole")
    sample(tmp_path).add(*portions[0])
    with (tmp_path / "shoes.starts0").open("ab") as file:
        file.write(b"twelve cards")
    resumed = sample(tmp_path)
    resumed.add(*portions[1])
    for portion in portions:
        whole.add(*portion)
    assert resumed.progress.done == 80
    assert [int(held["frequency"].sum()) for held in resumed.sums] == [80 * shuffle_statistics.SIZE] * 2
    assert sample(tmp_path).judge() == whole.judge()
    assert whole.judge()[f"{soak_shoes.REPEATED}, as played"] == 1.0


def test_g12_planted_fault_a_shoe_of_an_earlier_run_comes_again(tmp_path: Path) -> None:
    portion = soak_shoes.count_shoes(20)
    sample(tmp_path).add(*portion)
    again = sample(tmp_path)
    again.add(*portion)
    assert again.judge()[f"{soak_shoes.REPEATED}, before the cut"] == 0.0


@pytest.mark.parametrize(
    ("second", "until", "failing"),
    [
        ({"a": 0.0001, "b": 0.5}, 20, ["a"]),
        ({"a": 0.5, "b": 0.0001}, 20, []),
        ({"a": 0.0001, "b": 0.5}, 21, []),
    ],
    ids=["twice", "another test is no second rejection", "not before the sample is whole"],
)
def test_g12_only_a_second_rejection_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, second: dict[str, float], until: int, failing: list[str]
) -> None:
    samples = [sample(tmp_path, name) for name in ("first", "again")]
    for made, chances in zip(samples, ({"a": 0.0001, "b": 0.5}, second), strict=True):
        made.add(*soak_shoes.count_shoes(20))
        monkeypatch.setattr(made, "judge", lambda chances=chances: chances)
    assert soak_shoes.find_failing(samples[0], samples[1], until, Deadline(0), 1) == failing


def test_g12_planted_fault_a_wrong_shuffle_that_passes_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(3)
    pack = np.tile(np.arange(shuffle_statistics.SIZE, dtype=np.int64) % 52, (400, 1)).astype(np.uint8)
    monkeypatch.setattr(soak_shoes, "CONTROLS", {"none": lambda _: rng.permuted(pack, axis=1)})
    assert soak_shoes.find_unrejected() == ["none"]


def test_g4_times_are_counted_where_the_machine_had_time_for_the_players() -> None:
    found = Found(kills=3, acknowledged=70, back=[1.04, 2.0, 2.04], wall=[1.2, 2.2, 9.0], opening=[0.5] * 3)
    quiet, busy = soak_kills.count_up(found, True), soak_kills.count_up(found, False)
    assert (quiet["timed"], busy["timed"]) == (3, 0)
    assert quiet["acknowledged"] == busy["acknowledged"] == 70
    sums = quiet + quiet
    assert [soak_kills.compute_percentile(sums, soak_kills.BACK, part) for part in (0, 0.3, 0.5, 0.99)] == [1, 1, 2, 2]
    assert soak_kills.compute_percentile(sums, soak_kills.WALL, 0.99) == 9.0
    assert soak_kills.compute_percentile(busy, soak_kills.BACK, 0.99) == 0.0


@pytest.mark.parametrize("words", [["soak", "nothing"], ["bench", "nothing"]])
def test_a_name_that_is_no_run_is_refused_with_those_there_are(words: list[str]) -> None:
    done = subprocess.run([sys.executable, str(ROOT / "dev.py"), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "dieharder" in done.stderr
    assert "shoes" in done.stderr
    assert "simulation" in done.stderr
