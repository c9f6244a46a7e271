"""How far a long run is, kept in a file: the next run goes on where the last one stopped.

    python3 dev.py soak NAME [--until N] [--minutes M] [--progress FOLDER]

A file is named by what is measured and by the hash of the sources and settings that it is measured with; a change of
either begins a new count, and says so. It is replaced as a whole after each portion, so that a run that is killed loses
its last portion at most. What failed stays in it, with its seed, until the sources change.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import json
import multiprocessing
import os
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar

from bench.support.sources import ROOT, hash_sources

FOLDER = ROOT / ".soak"
WIDTH = 30
Task = TypeVar("Task")
Done = TypeVar("Done")


@dataclass
class Progress:
    """The sum of all runs of one measurement so far."""

    measure: str
    sources: str
    settings: dict[str, Any] = field(default_factory=dict)
    began: str = ""
    last: str = ""
    runs: int = 0
    done: int = 0
    """Seeds from the first on, without a gap."""
    seconds: float = 0.0
    """Of a processor."""
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)
    """What is no count: statistics that are added up by whoever measures."""
    path: Path = Path()

    def add(self, done: int, seconds: float, counts: Mapping[str, int], failures: list[str]) -> None:
        """One more portion, durable when this returns."""
        self.done += done
        self.seconds += seconds
        self.counts.update(counts)
        self.failures += failures
        self.save()

    def save(self) -> None:
        self.last = now()
        content = {name: value for name, value in vars(self).items() if name != "path"}
        beside = self.path.with_suffix(".new")
        with beside.open("w", encoding="utf-8") as file:
            json.dump(content, file, indent=1, sort_keys=True)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(self.path)

    def describe(self, until: int, what: str) -> str:
        """The sum so far, with its dates, for people."""
        count = f"{self.done:,} {what}" if self.done >= until else f"{self.done:,} of {until:,} {what} so far"
        return (
            f"{self.measure}: {count}, {len(self.failures)} failed, {self.seconds:,.0f} s of CPU, "
            f"{self.runs} runs from {self.began} to {self.last}, sources {self.sources}"
        )


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")


@contextmanager
def resume(folder: Path, measure: str, modules: tuple[str, ...], settings: Mapping[str, Any]) -> Iterator[Progress]:
    """The count of these sources and settings, for one process at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    given = json.dumps(settings, sort_keys=True)
    sources = hashlib.sha256(f"{hash_sources(modules)} {given}".encode()).hexdigest()[:12]
    path = folder / f"{measure}-{sources}.json"
    with (folder / f"{measure}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SystemExit(f"{measure}: another run goes on with this count") from None
        progress = read(path) if path.exists() else begin(path, measure, sources, dict(settings))
        progress.runs += 1
        yield progress


def begin(path: Path, measure: str, sources: str, settings: dict[str, Any]) -> Progress:
    earlier = [read(one) for one in path.parent.glob(f"{measure}-????????????.json")]
    if earlier:
        newest = max(earlier, key=lambda one: one.last)
        print(
            f"{measure}: the sources or settings are not those of {newest.last}, a new count begins; "
            f"the one before had {newest.done:,} done and {len(newest.failures)} failed (sources {newest.sources})",
            *newest.failures,
            sep="\n  ",
        )
    return Progress(measure, sources, settings, began=now(), path=path)


def read(path: Path) -> Progress:
    content = json.loads(path.read_text(encoding="utf-8"))
    return Progress(**{**content, "counts": Counter(content["counts"])}, path=path)


class Deadline:
    """How long this run may go on; for ever where nobody says."""

    def __init__(self, minutes: float | None) -> None:
        self._began, self._until = time.monotonic(), None if minutes is None else time.monotonic() + 60 * minutes

    @property
    def is_over(self) -> bool:
        return self._until is not None and time.monotonic() >= self._until

    def show(self, what: str, done: int, first: int, until: int) -> None:
        """A bar for whoever watches; `first` is where this run began."""
        part = min(done / until, 1.0) if until else 1.0
        rate = (done - first) / max(time.monotonic() - self._began, 1e-9)
        bar = f"[{'#' * int(WIDTH * part):<{WIDTH}}] {what}: {done:,} of {until:,}"
        print(
            f"\r{bar}, {rate:,.1f}/s, {(until - done) / max(rate, 1e-9):,.0f} s left ",
            end="",
            file=sys.stderr,
            flush=True,
        )


def run_portions(run: Callable[[Task], Done], tasks: Iterator[Task], jobs: int) -> Iterator[Done]:
    """In their order, so that what is done has no gap; a task is taken when a process is free for it, not before."""
    if jobs == 1:
        yield from map(run, tasks)
        return
    with multiprocessing.get_context("spawn").Pool(jobs) as pool:
        waiting = deque(pool.apply_async(run, (task,)) for task in islice(tasks, jobs + 1))
        while waiting:
            yield waiting.popleft().get()
            waiting.extend(pool.apply_async(run, (task,)) for task in islice(tasks, 1))


def add_arguments(parser: argparse.ArgumentParser, until: int, what: str) -> None:
    parser.add_argument("--until", type=int, default=until, help=f"{what} in all, those of earlier runs included")
    parser.add_argument(
        "--minutes", type=float, default=None, help="how long this run may take; unless it is done before"
    )
    parser.add_argument("--progress", type=Path, default=FOLDER, help="folder that keeps how far each count is")
