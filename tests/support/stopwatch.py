"""How long something took, as far as the machine let anybody do anything.

A bound in seconds is a bound of the house, not of the machine that tests it. A thread wakes every few milliseconds:
where it was not woken for longer, neither was the house, and what is beyond `LONGEST` does not count.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise
from threading import Event, Thread
from types import TracebackType
from typing import Self

STEP, LONGEST = 0.005, 0.015


def count_seconds(moments: Sequence[float]) -> float:
    """What counts of the time between the first moment and the last.

    >>> round(count_seconds([0, 0.005, 0.01, 5.01, 5.015]), 3)
    0.03
    """
    return sum(min(after - before, LONGEST) for before, after in pairwise(moments))


class Stopwatch:
    """Runs from its start to the end of the block; `seconds` may be read at any time."""

    def __init__(self) -> None:
        self._moments = [time.monotonic()]
        self._ended = Event()
        self._thread = Thread(target=self._run, name="stopwatch", daemon=True)

    @property
    def seconds(self) -> float:
        return count_seconds([*self._moments, time.monotonic()])

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
