"""Figures with their goals beside them, and what a server's process has used to reach them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.kill_runs import waited


@dataclass
class Report:
    """Lines for people, and the numbers under them."""

    missed: list[str] = field(default_factory=list)
    rows: list[tuple[str, str, str, str]] = field(default_factory=list)
    numbers: dict[str, float] = field(default_factory=dict)

    def line(
        self,
        what: str,
        found: float,
        goal: float | None = None,
        unit: str = "",
        *,
        most: bool = True,
        criterion: str = "",
    ) -> None:
        """One figure with its goal beside it, and whose goal that is; `most` says on which side of it is good."""
        good = goal is None or (found <= goal if most else found >= goal)
        name = f"{what} ({criterion})" if criterion else what
        if not good:
            self.missed.append(name)
        said = "" if goal is None else f"{'<=' if most else '>='} {goal:,.10g} {unit}"
        self.numbers[what] = found
        self.rows.append(
            (name, f"{found:,.{_places(found)}f} {unit}", said, "" if goal is None else "yes" if good else "NO")
        )
        print(f"  {name:<52} {self.rows[-1][1]:>18}   {said:<18} {self.rows[-1][3]}", flush=True)

    def table(self) -> str:
        lines = [f"| {what} | {found.strip()} | {goal.strip() or '–'} |" for what, found, goal, _ in self.rows]
        return "\n".join(["| figure | measured | goal |", "|---|---|---|", *lines])


def _places(number: float) -> int:
    return 0 if number >= 100 or number == int(number) else 1 if number >= 10 else 2


class Meter:
    """What a server has used since the last look, its writer included."""

    def __init__(self, process: int) -> None:
        self._process = process
        self.cpu = self.wall = self.waited = 0.0
        self.by_process: dict[int, float] = {}
        """Seconds of CPU of each process since the last look."""
        self._spent: dict[int, float] = {}
        self._last = self._now()

    def look(self) -> Meter:
        now = self._now()
        self.cpu, self.wall, self.waited = (one - before for one, before in zip(now, self._last, strict=True))
        self._last = now
        return self

    def _now(self) -> tuple[float, float, float]:
        spent = {process: _spent(process) for process in self._processes()}
        self.by_process = {process: seconds - self._spent.get(process, 0.0) for process, seconds in spent.items()}
        self._spent = spent
        return sum(spent.values()), time.perf_counter(), waited(self._process)

    def _processes(self) -> list[int]:
        """The server's, and those it has started, and those these have: what they use is used for it."""
        found = [self._process]
        for process in found:
            found += _children(process)
        return found

    def find_roles(self) -> dict[int, str]:
        """What each process is for: who has a writer decides."""
        roles = dict.fromkeys(self._processes(), "door")
        for process in roles:
            if "writer_process" in Path(f"/proc/{process}/cmdline").read_text():
                roles[process] = "writer"
            elif any("writer_process" in Path(f"/proc/{one}/cmdline").read_text() for one in _children(process)):
                roles[process] = "host"
        if roles[self._process] == "door":
            roles[self._process] = "supervisor"
        return roles

    @property
    def memory(self) -> int:
        """Bytes of the server that lie in memory now."""
        return _resident(self._process)

    @property
    def open_files(self) -> int:
        """Descriptors of the server and of those it has started, connections included."""
        return sum(len(list(Path(f"/proc/{process}/fd").iterdir())) for process in self._processes())

    @property
    def all_memory(self) -> int:
        """The same with those it has started."""
        return sum(map(_resident, self._processes()))


def _resident(process: int) -> int:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmRSS:"))


def _children(process: int) -> list[int]:
    lists = Path(f"/proc/{process}/task").glob("*/children")
    return [int(child) for one in lists for child in one.read_text().split()]


def _spent(process: int) -> float:
    """Seconds of a processor."""
    threads = Path(f"/proc/{process}/task").glob("*/schedstat")
    return sum(int(one.read_text().split()[0]) for one in threads) / 1e9
