"""Long runs that are spread over several: nothing is counted twice, nothing that failed is forgotten."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench import soak_pairs, soak_simulation, soak_timing
from bench.support import progress, world_counts
from bench.support.progress import Progress, read, resume
from bench.support.sources import hash_sources
from tests.support.hole_card_timing import Times

GAME = "duello"
PAIRS = ["--games", GAME, "--until", "8", "--progress"]
WORLDS = ["--jobs", "1", "--until", "60", "--progress"]


def find_count(folder: Path) -> Progress:
    [path] = folder.glob("*.json")
    return read(path)


def set_sources(patched: pytest.MonkeyPatch, text: str) -> None:
    patched.setattr(progress, "hash_sources", lambda _modules: text)


@pytest.fixture(autouse=True)
def _small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(soak_pairs, "PORTION", 4)
    monkeypatch.setattr(soak_pairs, "LEAKS", {})
    monkeypatch.setattr(world_counts, "PORTION", 20)
    set_sources(monkeypatch, "these")


def test_a_count_that_was_interrupted_equals_one_that_was_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed in its second portion, of which nothing counts."""
    assert soak_pairs.main([*PAIRS, str(tmp_path / "whole")]) == 0
    real = soak_pairs.compare

    async def stop_in_the_second(game: str, seeds: range) -> Any:
        if seeds.start > 1_000_000:
            raise KeyboardInterrupt
        return await real(game, seeds)

    with monkeypatch.context() as patched:
        patched.setattr(soak_pairs, "compare", stop_in_the_second)
        with pytest.raises(KeyboardInterrupt):
            soak_pairs.main([*PAIRS, str(tmp_path / "resumed")])
    assert find_count(tmp_path / "resumed").done == 4
    assert soak_pairs.main([*PAIRS, str(tmp_path / "resumed")]) == 0
    whole, resumed = find_count(tmp_path / "whole"), find_count(tmp_path / "resumed")
    assert (resumed.done, resumed.counts) == (whole.done, whole.counts)
    assert (resumed.runs, whole.runs) == (2, 1)
    assert whole.counts["revealed"] + whole.counts["never revealed"] == 8


def test_h2_times_of_two_runs_are_judged_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rounds are timed anew in each run; those of the run before are still among them."""

    async def measure(times: Times, rounds: int, seed: int) -> None:
        for number in range(seed, seed + rounds):
            times.add("deal", number % 2 == 1, number)

    monkeypatch.setattr(soak_timing, "measure", measure)
    monkeypatch.setattr(soak_timing, "PORTION", 10)
    for until in ("20", "40"):
        soak_timing.main(["--seed", "100", "--until", until, "--progress", str(tmp_path)])
    assert find_count(tmp_path).data["times"] == {"deal": [list(range(100, 140, 2)), list(range(101, 140, 2))]}


def test_planted_fault_stays_until_the_sources_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What failed in one run is told by the next, which finds nothing; other sources begin a new count and say so."""
    planted = "seed 25: planted"
    broken = replace(
        soak_simulation.COUNT, find_failures=lambda first, count: [planted] if first <= 25 < first + count else []
    )
    assert broken.main("", [*WORLDS[:3], "40", "--progress", str(tmp_path)]) == 1
    assert soak_simulation.COUNT.main("", [*WORLDS, str(tmp_path)]) == 1
    assert (find_count(tmp_path).done, find_count(tmp_path).failures) == (60, [planted])
    assert capsys.readouterr().out.endswith(f"FAILED:\n{planted}\n")
    set_sources(monkeypatch, "others")
    assert soak_simulation.COUNT.main("", [*WORLDS[:3], "20", "--progress", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "a new count begins; the one before had 60 done and 1 failed" in printed
    assert planted in printed
    assert sorted(read(path).done for path in tmp_path.glob("*.json")) == [20, 60]


def test_other_settings_begin_a_count_of_their_own(tmp_path: Path) -> None:
    for seed in (1, 2, 1):
        with resume(tmp_path, "tries", (), {"seed": seed}) as count:
            count.add(5, 0.5, {"revealed": seed}, [])
    assert sorted((read(path).done, read(path).counts["revealed"]) for path in tmp_path.glob("*.json")) == [
        (5, 2),
        (10, 2),
    ]


def test_a_run_that_dies_while_it_writes_leaves_the_count_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write_half(_content: Any, file: Any, **_options: Any) -> None:
        file.write('{"done": 1')
        raise KeyboardInterrupt

    with resume(tmp_path, "tries", (), {}) as count:
        count.add(5, 0.5, {"revealed": 3}, [])
        monkeypatch.setattr(json, "dump", write_half)
        with pytest.raises(KeyboardInterrupt):
            count.add(5, 0.5, {"revealed": 3}, [])
    assert (find_count(tmp_path).done, find_count(tmp_path).counts) == (5, {"revealed": 3})


def test_a_run_is_over_when_its_time_is_and_tells_the_sum(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert soak_simulation.COUNT.main("", [*WORLDS[:3], "20", "--progress", str(tmp_path)]) == 0
    assert soak_simulation.COUNT.main("", [*WORLDS, str(tmp_path), "--minutes", "0"]) == 0
    assert "simulation: 20 of 60 worlds so far, 0 failed" in capsys.readouterr().out


def test_two_runs_of_one_count_are_not_let_in_together(tmp_path: Path) -> None:
    with (
        resume(tmp_path, "tries", (), {}),
        pytest.raises(SystemExit, match="another run"),
        resume(tmp_path, "tries", (), {}),
    ):
        pytest.fail("two runs count at once")


PACKAGE = {
    "src/ventuno/__init__.py": "",
    "src/ventuno/game.py": "def play():\n    from ventuno import rules\n    return rules.PAYS\n",
    "src/ventuno/rules.py": '"""Text."""\n\nPAYS = 3  # to two\n',
    "src/ventuno/sheets/__init__.py": "",
    "src/ventuno/sheets/one.toml": "decks = 6\n",
    "src/ventuno/other.py": "",
    "tests/run.py": "import json\nfrom ventuno import game\nfrom ventuno.sheets import load\n",
}


def hash_package(folder: Path, changed: dict[str, str]) -> str:
    for name, text in {**PACKAGE, **changed}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return hash_sources(("tests.run",), folder)


@pytest.mark.parametrize(
    ("name", "text", "same"),
    [
        ("src/ventuno/rules.py", '"""Other text."""\n\nPAYS = 3\n', True),
        ("src/ventuno/other.py", "PAYS = 4\n", True),
        ("src/ventuno/rules.py", "PAYS = 4\n", False),
        ("src/ventuno/sheets/one.toml", "decks = 8\n", False),
        ("tests/run.py", "from ventuno import game\n", False),
    ],
    ids=["words about it", "what is not imported", "imported when it is needed", "a sheet", "the run itself"],
)
def test_sources_are_what_is_run(tmp_path: Path, name: str, text: str, same: bool) -> None:
    before = hash_package(tmp_path, {})
    assert (hash_package(tmp_path, {name: text}) == before) is same
