"""How long something took, as far as the machine let anybody do anything.

A bound in seconds is a bound of the house, not of the machine that tests it. A thread wakes every few milliseconds:
where it was not woken for longer, neither was the house, and what is beyond `LONGEST` does not count. Nor does the time
that a thread of this process, or of one it has started, had work to do and waited for a processor, as Linux counts it.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread
from types import TracebackType
from typing import Self

STEP, LONGEST = 0.005, 0.015
LOOKS = 100
"""Steps between two looks at who waits for a processor."""


def count_seconds(moments: Sequence[float]) -> float:
    """What counts of the time between the first moment and the last.

    >>> round(count_seconds([0, 0.005, 0.01, 5.01, 5.015]), 3)
    0.03
    """
    return sum(min(after - before, LONGEST) for before, after in pairwise(moments))


def list_threads(process: int) -> Iterator[Path]:
    """Of a process and of all it has started, as folders of /proc; none where there is no such thing."""
    with suppress(OSError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            yield thread
            with suppress(OSError):
                for child in (thread / "children").read_text().split():
                    yield from list_threads(int(child))


def read_waits() -> dict[str, int]:
    """For each thread the nanoseconds it was ready to work and had no processor."""
    waits = dict[str, int]()
    for thread in list_threads(os.getpid()):
        with suppress(OSError, IndexError):
            waits[thread.name] = int((thread / "schedstat").read_text().split()[1])
    return waits


class Stopwatch:
    """Runs from its start to the end of the block; `seconds` may be read at any time."""

    def __init__(self) -> None:
        self._moments = [time.monotonic()]
        self._first = read_waits()
        self._waits = dict(self._first)
        self._ended = Event()
        self._thread = Thread(target=self._run, name="stopwatch", daemon=True)

    @property
    def seconds(self) -> float:
        self._waits |= read_waits()
        others = {thread: wait for thread, wait in self._waits.items() if thread != str(self._thread.native_id)}
        waited = sum(wait - self._first.get(thread, 0) for thread, wait in others.items()) / 1e9
        moments = [*self._moments, time.monotonic()]
        return min(count_seconds(moments), max(moments[-1] - moments[0] - waited, 0))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ended.wait(STEP):
            self._moments.append(time.monotonic())
            if len(self._moments) % LOOKS == 0:
                self._waits |= read_waits()
