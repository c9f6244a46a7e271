"""Counts worlds of a simulation on all cores: what the long runs of both simulations have in common."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass

from bench.support.progress import Deadline, add_arguments, resume, run_portions

WORLDS = 1_000_000
PORTION = 500


@dataclass(frozen=True, slots=True)
class WorldCount:
    """One simulation: what breaks in so many worlds from a seed on, and the goal of worlds a second of CPU."""

    measure: str
    find_failures: Callable[[int, int], list[str]]
    goal: int
    criterion: str

    def run_chunk(self, task: tuple[int, int]) -> tuple[int, float, list[str]]:
        """How many worlds, the CPU time they took, what broke in them."""
        started = time.process_time()
        faults = self.find_failures(*task)
        return task[1], time.process_time() - started, faults

    def judge(self, rate: float) -> str:
        return (
            f"{self.criterion} {'reached' if rate >= self.goal else 'MISSED'}: "
            f"{rate:.0f} worlds a second, goal {self.goal}"
        )

    def main(self, description: str | None, words: list[str] | None = None) -> int:
        parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
        add_arguments(parser, WORLDS, "worlds")
        parser.add_argument("--first", type=int, default=0)
        parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
        chosen = parser.parse_args(words)
        deadline, modules = Deadline(chosen.minutes), (self.find_failures.__module__,)
        with resume(chosen.progress, self.measure, modules, {"first": chosen.first}) as progress:
            before, last = progress.done, chosen.first + chosen.until
            starts = range(chosen.first + progress.done, last, PORTION)
            tasks = ((first, min(PORTION, last - first)) for first in starts if not deadline.is_over)
            for count, seconds, faults in run_portions(self.run_chunk, tasks, chosen.jobs):
                progress.data["best"] = max(progress.data.get("best", 0.0), count / max(seconds, 1e-9))
                progress.add(count, seconds, {}, faults)
                for fault in faults:
                    print(fault, flush=True)
                deadline.show("worlds", progress.done, before, chosen.until)
            print(file=sys.stderr)
            print(progress.describe(chosen.until, "worlds"))
            rate = progress.done / max(progress.seconds, 1e-9)
            print(f"{self.judge(rate)} of CPU on each core; {progress.data.get('best', 0):.0f} in the best {PORTION}")
        print("FAILED:" if progress.failures else "fine", *progress.failures, sep="\n")
        return 1 if progress.failures else 0
