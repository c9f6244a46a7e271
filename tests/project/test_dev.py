"""`dev.py test`: every criterion has a test in every run, and what the checks beside the tests find is told."""

import ast
import os
import re
import shutil
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest

import dev
from tests.support.patience import PATIENCE

BROWSER = dev.ROOT / dev.BROWSER
TEXTS = {".py", ".json", ".ts", ".toml"}
WRITTEN = re.compile(r"(?<![A-Za-z0-9])([VFSDLXRHG])-(\d{1,3})(?!\d)")
SPELT = re.compile(r"_([vfsdlxrhg])(\d{2,3})(?=_)")


def find_criteria(text: str) -> set[str]:
    """Those a text names, as `V-09` or in the name of a test."""
    found = [*WRITTEN.findall(text), *SPELT.findall(text)]
    return {f"{letter.upper()}-{int(number):02}" for letter, number in found}


def is_daily(path: Path) -> bool:
    return path.parent != BROWSER or any(path.match(name) for name in dev.ALWAYS)


def read_tests() -> Iterator[tuple[Path, str]]:
    """Every file below tests/ and every test of the client, with its text."""
    client = (dev.CLIENT / "src").rglob("*.test.ts")
    for path in (*(dev.ROOT / "tests").rglob("*"), *client):
        if path.is_file() and path.suffix in TEXTS and path != Path(__file__):
            yield path, path.read_text(encoding="utf-8", errors="replace")


def find_undone(files: Iterable[tuple[Path, str]], alone: Iterable[str]) -> dict[str, set[str]]:
    """The criteria whose only tests wait for `--whole`, with these tests."""
    daily, later = set[str](), dict[str, set[str]]()
    for path, text in files:
        if is_daily(path):
            daily |= find_criteria(f"{path.name}\n{text}")
            continue
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                test = f"{path.name}::{node.name}"
                named = find_criteria(f"{node.name} {ast.get_docstring(node) or ''}")
                daily |= named if test in alone else set()
                for criterion in named:
                    later.setdefault(criterion, set()).add(test)
    return {criterion: tests for criterion, tests in later.items() if criterion not in daily}


def test_every_criterion_is_tested_in_every_run() -> None:
    assert find_undone(read_tests(), dev.ALONE) == {}


def test_a_criterion_that_waits_for_the_whole_run_is_found() -> None:
    """The check itself, on what there is: without the list, those that are on it."""
    undone = find_undone(read_tests(), ())
    assert {"F-12", "S-04", "S-05", "S-33", "D-20", "L-33"} <= set(undone)


@pytest.mark.parametrize("test", dev.ALONE)
def test_what_every_run_does_is_there(test: str) -> None:
    file, name = test.split("::")
    assert f"\ndef {name}(" in (BROWSER / file).read_text(encoding="utf-8")
    assert not is_daily(BROWSER / file), "its file is run anyway"


def test_complaints_of_the_checks_beside_the_tests_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    checks = {
        name: ([sys.executable, "-c", f"print('{name} speaks'); raise SystemExit({code})"], dev.ROOT)
        for name, code in (("first", 0), ("second", 3), ("third", 0))
    }
    monkeypatch.setattr(dev, "list_checks", lambda: checks)
    beside = dev.ChecksBeside()
    beside.begin(dev.ROOT)
    assert beside.finish() == ["second"]
    assert capsys.readouterr().out.splitlines() == ["first speaks", "second speaks", "third speaks"]


@pytest.mark.parametrize(
    ("codes", "complaints", "ends"), [((0, 0), [], 0), ((0, 0), ["mypy"], 1), ((1, 0), [], 1), ((5, 0), [], 0)]
)
def test_a_run_is_the_tests_and_the_browser_beside_them_and_its_code_speaks_for_all(
    monkeypatch: pytest.MonkeyPatch, codes: tuple[int, int], complaints: list[str], ends: int
) -> None:
    """Checks are asked for what they found after both runs; 5 is pytest's word for no test at all."""
    asked, called, begun = list[int](), dict[tuple[bool, int], tuple[str, ...]](), list[Path]()
    together = Barrier(4, timeout=PATIENCE)

    class Checks:
        def begin(self, folder: Path) -> None:
            begun.append(folder)

        def finish(self) -> list[str]:
            asked.append(len(called))
            return complaints

    def call(*command: Any, told: Any, doors: int) -> int:
        together.wait()
        words = tuple(map(str, command))
        is_browser = any(word.startswith(dev.BROWSER) for word in words)
        called[is_browser, doors] = words
        assert (told is None) == (not is_browser and not doors), "the first is seen as it goes"
        return 0 if doors else codes[is_browser]

    monkeypatch.setattr(dev, "set_up", lambda _kind: None)
    monkeypatch.setattr(dev, "set_up_client", lambda: None)
    monkeypatch.setattr(dev, "find_chromium", lambda: "chromium")
    monkeypatch.setattr(dev, "provide_programs", lambda: None)
    monkeypatch.setattr(dev, "ChecksBeside", Checks)
    monkeypatch.setattr(dev, "call", call)
    monkeypatch.setenv("VENTUNO_CHROMIUM", "")
    assert dev.test(["-k", "insure"]) == ends
    assert sorted(begun) == [dev.ROOT, dev.CLIENT]
    first, second = called[False, 0], called[True, 0]
    assert {"-k", "insure", f"--ignore={dev.BROWSER}"} <= set(first)
    assert {f"{dev.BROWSER}/{test}" for test in dev.ALONE} <= set(second)
    assert first[first.index("--durations") + 1] == second[second.index("--durations") + 1] == "30"
    assert asked == [4]
    assert {"-k", "insure", *dev.BEHIND_DOORS} <= set(called[False, 2])
    assert {"-k", "insure", *dev.BROWSER_BEHIND_DOORS} <= set(called[True, 2])


@pytest.mark.parametrize("there", [("apt-get", "dpkg-deb", "caddy"), ("caddy",)])
def test_programs_that_are_missing_are_fetched_where_debian_is(
    monkeypatch: pytest.MonkeyPatch, there: tuple[str, ...]
) -> None:
    """Unpacked beside the environment and found there; nothing is installed, and nothing is asked of other systems."""
    called = list[tuple[str, ...]]()

    def call(*words: Any, folder: Path) -> int:
        called.append(tuple(map(str, words)))
        if "download" in words:
            (folder / "nginx_1_amd64.deb").touch()
        return 0

    monkeypatch.setattr(shutil, "which", lambda name: name if name in there else None)
    monkeypatch.setattr(dev, "call", lambda *words, folder=dev.ROOT: call(*words, folder=folder))
    monkeypatch.setenv("PATH", "/usr/bin")
    dev.provide_programs()
    assert os.environ["PATH"].split(os.pathsep)[-1] == "/usr/bin"
    assert str(dev.UNPACKED / "usr" / "sbin") in os.environ["PATH"]
    if "apt-get" not in there:
        assert not called
        return
    assert called[0][:2] == ("apt-get", "download")
    assert called[0][-2:] == ("nginx", "prometheus")
    assert [words[:2] for words in called[1:]] == [("dpkg-deb", "-x")]


@pytest.mark.parametrize("missing", ["environment", "client"])
def test_what_the_set_up_lacks_stops_the_run(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    """Both are set up at once; what either says is the last line."""
    done = list[str]()

    def provide(name: str) -> None:
        done.append(name)
        if name == missing:
            raise dev.Stop(f"no {name}")

    monkeypatch.setattr(dev, "set_up", lambda _kind: provide("environment"))
    monkeypatch.setattr(dev, "set_up_client", lambda: provide("client"))
    with pytest.raises(dev.Stop, match=f"no {missing}"):
        dev.set_up_all()
    assert sorted(done) == ["client", "environment"]


def test_what_runs_beside_is_told_after_what_is_seen(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The second ends first: its lines wait."""
    (tmp_path / "second.txt").touch()
    lines = {
        "first": "while (tmp / 'second.txt').exists(): time.sleep(0.01)\nprint('seen'); raise SystemExit(3)",
        "second": "print('told', os.environ.get('DOORS_IN_TESTS')); sys.stdout.flush(); print('too', file=sys.stderr)\n"
        "(tmp / 'second.txt').unlink()",
    }
    start = f"import os, sys, time, pathlib; tmp = pathlib.Path({str(tmp_path)!r})\n"
    monkeypatch.setattr(dev.Run, "command", property(lambda run: [sys.executable, "-c", start + lines[run.words[0]]]))
    assert dev.run_together([dev.Run(["first"]), dev.Run(["second"], doors=2)]) == {0, 3}
    assert capfd.readouterr().out.splitlines() == ["seen", "told 2", "too"]
