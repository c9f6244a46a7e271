"""The tests a mutant is tried with: which pass through its line, in order of speed, in a copy of the tree.

A worker has read pytest, but nothing of the house; each run in a fresh process is forked from it.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import multiprocessing
import os
import shutil
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from bench.support.fork_server import CUT, PASSED, UNFIT, Answer, Ask, ForkServer, wait_for
from bench.support.line_contexts import MEASURED, WRITTEN
from bench.support.mutants import Mutant

COPIED = ("src", "tests", "bench")
LINKED = ("client", "docs", "examples", "README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "requirements")
PRELOADED = ("pytest", "pytest_asyncio.plugin", "pytest_timeout", "_hypothesis_pytestplugin", "coverage")
PLUGINS = ("pytest_asyncio.plugin", "pytest_timeout", "_hypothesis_pytestplugin", "bench.support.line_contexts")
FIRST, MOST = 40, 250
"""How many tests are tried at first, and at most."""
LONGEST, LONGEST_NEAR = 20.0, 130.0
"""Seconds, unmutated, of the tests that one mutant is tried with at most; then of slow ones of its own room."""
PATIENCE, GRACE, LEAST = 4, 30.0, 15.0
"""A run is cut after this many times its unmutated seconds and GRACE more, a test in a fork after LEAST more: the
machine may be shared."""
KILLED, SURVIVED, UNDECIDED, UNFITTING = "killed", "survived", "undecided", "unfitting"
READ_AT_COLLECTION = ("src/ventuno/core/rules/", "src/ventuno/core/scenario/")
"""Sheets and scenarios are read while tests are collected: what survives in a fork there is tried afresh."""
USAGE_ERROR = 4


@dataclass(frozen=True)
class Trial:
    outcome: str
    seconds: float
    tests: int
    how: str


@dataclass(frozen=True)
class Measured:
    """What the tests of one file run, by file and line; `seconds` by test."""

    seconds: dict[str, float]
    failed: list[str]
    lines: dict[str, dict[int, list[str]]]


class Workshop:
    """One copy of the tree, in which one run of tests at a time is done."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.folder = folder
        self._runs = 0
        self._server: Connection | None = None
        self._sound: dict[str, bool] = {}
        self._output = folder.with_suffix(".txt")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for name in COPIED:
            shutil.copytree(
                root / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "golden", "static")
            )
        for name in ("pyproject.toml", "dev.py"):
            shutil.copy2(root / name, folder / name)
        for name in LINKED:
            (folder / name).symlink_to(root / name)
        for name in PRELOADED:
            importlib.import_module(name)

    def measure(self, test_file: str, measured: Sequence[str], written: Path) -> str:
        """The unmutated tests of a file with the lines they run; what pytest says at the end unless all pass."""
        prefix = f"{self.folder}/"
        partly = written.with_suffix(".partly")
        names = json.dumps([prefix + name for name in measured])
        code, output = self._run([test_file], 1200.0, {MEASURED: names, WRITTEN: str(partly)})
        if partly.exists():
            found = partly.read_text(encoding="utf-8").replace(json.dumps(prefix)[1:-1], "")
            written.write_text(found, encoding="utf-8")
            partly.unlink()
        return f"exit {code}, {output.strip()[-300:]}" if code else ""

    def try_mutant(self, mutant: Mutant, tests: Sequence[str], seconds: Mapping[str, float]) -> Trial:
        """Run the tests with the change until one fails: in a fork where that is enough, else in a fresh process."""
        started = time.monotonic()
        outcome, how = (UNFITTING, "") if mutant.at_import else self._try_in_fork(mutant, tests, seconds)
        if outcome == UNFITTING or (outcome == SURVIVED and mutant.path.startswith(READ_AT_COLLECTION)):
            outcome, how = self._try_afresh(mutant, tests, seconds)
        if outcome == UNDECIDED:
            outcome, how = self._confirm_cut(tests[:FIRST], seconds)
        return Trial(outcome, time.monotonic() - started, len(tests), how)

    @property
    def is_open(self) -> bool:
        return self._server is not None

    def open_server(self, test_files: Sequence[str]) -> None:
        """Collect all tests once, in a process that forks for each mutant."""
        self._server, asks = multiprocessing.Pipe()
        child = os.fork()
        if not child:
            self._server.close()
            self._become_pytest(test_files, {}, f"{self.folder}-server", ForkServer(self.folder, asks))
        asks.close()
        self._server.recv()

    def _ask(self, ask: Ask) -> Answer:
        assert self._server is not None
        self._server.send(ask)
        answer: Answer = self._server.recv()
        return answer

    def _try_in_fork(self, mutant: Mutant, tests: Sequence[str], seconds: Mapping[str, float]) -> tuple[str, str]:
        for part in (tests[:FIRST], tests[FIRST:]):
            wanted = sorted(name for name in part if self._sound.get(name, True))
            while wanted:
                limits = {name: LEAST + PATIENCE * seconds[name] for name in wanted}
                answer = self._ask(Ask(mutant.path, mutant.text, mutant.line, limits))
                if answer.code == CUT:
                    return UNDECIDED, ""
                if answer.code == UNFIT:
                    return UNFITTING, ""
                if answer.code == PASSED:
                    break
                if not answer.failed or self._is_sound(answer.failed, mutant, limits[answer.failed] / 2):
                    return KILLED, answer.failed
                wanted.remove(answer.failed)
        return SURVIVED, ""

    def _is_sound(self, test: str, mutant: Mutant, limit: float) -> bool:
        """Whether the test passes in a fork where nothing is changed, well within its time: only then its failure tells
        something.
        """
        if test not in self._sound:
            original = (self.folder / mutant.path).read_text(encoding="utf-8")
            self._sound[test] = self._ask(Ask(mutant.path, original, mutant.line, {test: limit})).code == PASSED
        return self._sound[test]

    def _try_afresh(self, mutant: Mutant, tests: Sequence[str], seconds: Mapping[str, float]) -> tuple[str, str]:
        path = self.folder / mutant.path
        original, stat = path.read_text(encoding="utf-8"), path.stat()
        outcome, how = SURVIVED, ""
        try:
            path.write_text(mutant.text, encoding="utf-8")
            # Compiled files are told apart by size and second alone.
            self._runs += 1
            os.utime(path, (stat.st_atime, int(stat.st_mtime) - 10 * self._runs))
            for part in (tests[:FIRST], tests[FIRST:]):
                if part and outcome == SURVIVED:
                    outcome, how = self._judge(part, sum(seconds[name] for name in part))
        finally:
            path.write_text(original, encoding="utf-8")
            os.utime(path, (stat.st_atime, stat.st_mtime))
        return outcome, how

    def _judge(self, tests: Sequence[str], expected: float) -> tuple[str, str]:
        limit = GRACE + PATIENCE * expected
        code, output = self._run(["-x", *tests], limit)
        if code == USAGE_ERROR and not _has_failed(output):
            # The change gave a test another name: all tests of that function then.
            code, output = self._run(["-x", *dict.fromkeys(name.partition("[")[0] for name in tests)], limit)
        if code == CUT:
            return UNDECIDED, f"cut after {limit:.0f} s"
        failed = next((line for line in output.splitlines() if line.startswith(("FAILED ", "ERROR "))), f"exit {code}")
        return (SURVIVED, "") if code == 0 else (KILLED, failed[:160])

    def _confirm_cut(self, tests: Sequence[str], seconds: Mapping[str, float]) -> tuple[str, str]:
        """A run that was cut counts as caught only where the unmutated one ends well within the limit."""
        limit = GRACE + PATIENCE * sum(seconds[name] for name in tests)
        started = time.monotonic()
        code, _ = self._run(["-x", *tests], limit)
        taken = time.monotonic() - started
        if code == 0 and taken < limit / 2:
            return KILLED, f"cut after {limit:.0f} s; unmutated {taken:.0f} s"
        return UNDECIDED, f"cut after {limit:.0f} s; unmutated {taken:.0f} s, exit {code}"

    def _run(
        self, arguments: Sequence[str], limit: float, settings: Mapping[str, str] | None = None
    ) -> tuple[int, str]:
        child = os.fork()
        if not child:
            self._become_pytest(arguments, settings or {}, str(self.folder))
        return wait_for(child, limit), self._output.read_text(encoding="utf-8", errors="replace")

    def _become_pytest(
        self, arguments: Sequence[str], settings: Mapping[str, str], name: str, plugin: ForkServer | None = None
    ) -> None:
        code = 3
        try:
            os.setsid()
            written = os.open(f"{name}.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(written, 1)
            os.dup2(written, 2)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.chdir(self.folder)
            paths = [str(self.folder / "src"), str(self.folder)]
            sys.path[:] = [*paths, *sys.path]
            sys.pycache_prefix = f"{self.folder}-compiled"
            os.environ |= {
                "PYTHONPATH": os.pathsep.join(paths),
                "PYTHONPYCACHEPREFIX": sys.pycache_prefix,
                "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
                **settings,
            }
            plugins = [word for name in PLUGINS for word in ("-p", name)]
            quiet = ["-q", "--tb=line", "-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
            words = [*plugins, *quiet, "--basetemp", f"{name}-tmp", *arguments]
            code = int(importlib.import_module("pytest").main(words, [plugin] if plugin else []))
            sys.stdout.flush()
        finally:
            os._exit(code)


def _has_failed(output: str) -> bool:
    return any(line.startswith(("FAILED ", "ERROR tests", "ImportError")) for line in output.splitlines())


def read_measured(path: Path) -> Measured:
    raw = json.loads(path.read_text(encoding="utf-8"))
    names = list(raw["seconds"])
    lines = {
        name: {int(line): [names[number] for number in numbers] for line, numbers in by_line.items()}
        for name, by_line in raw["lines"].items()
    }
    return Measured(raw["seconds"], raw["failed"], lines)


class TestMap:
    """Which tests run a line, from what was measured without any change."""

    def __init__(self, measured: Sequence[Measured]) -> None:
        self.seconds = {name: spent for part in measured for name, spent in part.seconds.items()}
        self._lines = [part.lines for part in measured]

    def choose(self, mutant: Mutant) -> list[str]:
        """The tests that run the mutated lines, those of the module's own file and the fast ones first.

        What runs when the module is imported is used by its functions: then the tests that run any of these, and those
        of its room.
        """
        wanted = range(mutant.line, mutant.last + 1)
        names = set[str]()
        for lines in self._lines:
            by_line = lines.get(mutant.path, {})
            chosen = by_line.values() if mutant.at_import else [by_line.get(line, []) for line in wanted]
            names.update(name for tests in chosen for name in tests)
        if mutant.at_import:
            folder = _mirror(mutant.path).parent.as_posix()
            names |= {name for name in self.seconds if name.startswith(folder)} or set(self.seconds)
        return self._cut_short(mutant, names)

    def _cut_short(self, mutant: Mutant, names: set[str]) -> list[str]:
        own = _mirror(mutant.path)
        digest = hashlib.sha256(mutant.name.encode()).hexdigest()

        def rank(name: str) -> tuple[int, float, str]:
            path = Path(name.partition("::")[0])
            near = 0 if path == own else 1 if path.parent == own.parent else 2
            # Of tests as fast as each other not always the same.
            return near, round(self.seconds[name], 2), hashlib.sha256((digest + name).encode()).hexdigest()

        by_room = sorted(names, key=rank)
        by_speed = sorted(names, key=lambda name: (round(self.seconds[name], 2), rank(name)))
        quick = self._take_up_to(LONGEST, [*_spread(by_room, FIRST // 2), *by_speed])[:MOST]
        near = [name for name in by_speed if rank(name)[0] < 2 and name not in quick]
        return [*quick, *self._take_up_to(LONGEST_NEAR, near)]

    def _take_up_to(self, most: float, names: Sequence[str]) -> list[str]:
        chosen, spent = list[str](), 0.0
        for name in dict.fromkeys(names):
            if spent + self.seconds[name] <= most:
                chosen.append(name)
                spent += self.seconds[name]
        return chosen


def _spread(names: Sequence[str], most: int) -> list[str]:
    """The first of each file in turn, so that no file with many tests takes all places."""
    by_file: dict[str, list[str]] = {}
    for name in names:
        by_file.setdefault(name.partition("::")[0], []).append(name)
    turns = [[tests[number] for tests in by_file.values() if number < len(tests)] for number in range(3)]
    return [name for turn in turns for name in turn][:most]


def _mirror(path: str) -> Path:
    source = Path(path).relative_to("src/ventuno")
    return Path("tests") / source.parent / f"test_{source.name}"
