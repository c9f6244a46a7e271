"""The house as a process of its own: started, watched, stopped and killed from outside, as an operator does it.

Most are forked from a process that has read the program already: each has its own memory, files and signals; only
reading the program again is saved, which is most of the work of a start and no part of what is tested. `COMMAND` starts
one from nothing.
"""

from __future__ import annotations

import importlib.util
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.house import certify
from tests.support.patience import PATIENCE
from ventuno.cli.main import main
from ventuno.web import bots
from ventuno.web.sockets import endpoint
from ventuno.web.sockets.limits import SocketLimits

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "ventuno.cli.main", "serve")
READ = [
    "tests.support.server_process",
    "ventuno.cli.serve",
    "ventuno.web.operations.server",
    "sqlalchemy.dialects.sqlite",
    "uvloop",
]
READ += ["uvicorn.protocols.http.httptools_impl", "uvicorn.protocols.websockets.websockets_sansio_impl"]
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(READ)
Plant = Callable[[], None]


def environment(folder: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Nothing of the machine's own settings, and the folder of this test; whatever the checkout holds is accepted."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VENTUNO_")}
    mine = {"VENTUNO_DATA": str(folder), "VENTUNO_PORT": "0", "VENTUNO_ACCEPT": "a test"}
    mine |= {"VENTUNO_DOORS": doors} if (doors := os.environ.get("DOORS_IN_TESTS")) else {}
    return {**kept, **mine, **(more or {})}


def clear_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests of the command line in this process: nothing that dev.py or the machine has set for others."""
    for name in [name for name in os.environ if name.startswith("VENTUNO_")]:
        monkeypatch.delenv(name)


class ServerProcess:
    """One start of the house. What it prints is kept in files of its folder."""

    def __init__(self, folder: Path, *options: str, command: tuple[str, ...] = COMMAND, **more: str) -> None:
        self.folder = folder
        self.output, self.log = folder / "stdout", folder / "log"
        with self.output.open("wb") as out, self.log.open("ab") as err:
            self.process = subprocess.Popen(
                [*command, *options], stdout=out, stderr=err, cwd=ROOT, env=environment(folder, more)
            )
        try:
            self.url = self._opened()
        except BaseException:
            self.process.kill()
            raise

    def _opened(self) -> str:
        """Its address. While the house works it is waited for, however slowly."""
        work, until = 0, time.monotonic() + PATIENCE
        while time.monotonic() < until:
            text = self.output.read_text()
            if text.endswith("\n"):
                return text.split()[-1]
            if self.process.poll() is not None:
                break
            if (done := count_ticks(self.process.pid)) != work:
                work, until = done, time.monotonic() + PATIENCE
            time.sleep(0.02)
        raise AssertionError(f"the house did not open: {self.log.read_text()[-2000:]}")

    def get(self, path: str) -> httpx.Response:
        # Unless told not to verify, the keys of the world are read each time.
        return httpx.get(f"{self.url}{path}", timeout=PATIENCE, verify=False)

    def signal(self, kind: signal.Signals) -> None:
        self.process.send_signal(kind)

    def ended(self, seconds: float = PATIENCE) -> int:
        return self.process.wait(seconds)

    def kill(self) -> None:
        """Kill it where it runs, and wait for all that it has started."""
        others = list_started(self.process.pid)
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        wait_for_ends(others)

    def lines(self) -> list[dict[str, Any]]:
        """The log, every line of which is JSON."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


def count_ticks(process: int) -> int:
    """The work of a process and of those it has started, in ticks of the system's clock; 0 where nobody counts it."""
    ticks = 0
    with suppress(OSError):
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
        for one in (process, *map(int, children)):
            ticks += sum(map(int, Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return ticks


def list_started(process: int) -> list[int]:
    """Every process that it has started, and those that they have."""
    with suppress(OSError):
        children = map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split())
        return [one for child in children for one in (child, *list_started(child))]
    return []


def is_running(process: int) -> bool:
    with suppress(OSError):
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    return False


def wait_for_ends(processes: list[int]) -> None:
    """Until all of them have ended, as they do with the first one: the next house on these books finds nobody there."""
    until = time.monotonic() + PATIENCE
    while any(map(is_running, processes)):
        assert time.monotonic() < until, "a process outlives its house"
        time.sleep(0.005)


class Child:
    """A forked process, asked as one of `subprocess` is."""

    def __init__(self, process: BaseProcess) -> None:
        self._process = process
        process.start()
        assert process.pid is not None
        self.pid = process.pid

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int | None:
        self._process.join(timeout)
        return self._process.exitcode

    def send_signal(self, kind: signal.Signals) -> None:
        if self._process.is_alive():
            os.kill(self.pid, kind)

    def terminate(self) -> None:
        self._process.terminate()

    def kill(self) -> None:
        self._process.kill()


def serve(files: tuple[Path, Path], settings: Mapping[str, str], options: tuple[str, ...], plant: Plant | None) -> None:
    """What a forked process does: `ventuno serve`, with something changed where that is planted."""
    for number, file in enumerate(files, 1):
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | (os.O_APPEND if number == 2 else os.O_TRUNC))
        os.dup2(handle, number)
    os.environ.clear()
    os.environ.update(settings)
    os.chdir(ROOT)
    if plant is not None:
        plant()
    sys.exit(main(["serve", *options]))


class ForkedServer(ServerProcess):
    """One start of the house; `plant` is done in its process before it opens."""

    process: Child  # type: ignore[assignment]

    def __init__(self, folder: Path, *options: str, plant: Plant | None = None, **more: str) -> None:
        self.folder = folder
        self.output, self.log = folder / "stdout", folder / "log"
        self.output.write_bytes(b"")
        given = (self.output, self.log), environment(folder, more), options, plant
        self.process = Child(_processes.Process(target=serve, args=given, daemon=True))
        try:
            self.url = self._opened()
        except BaseException:
            self.process.kill()
            raise


def wait_for_machine() -> None:
    """Nobody is turned away because the tests have a busy machine."""
    vars(endpoint)["SocketLimits"] = partial(SocketLimits, late_joins=10**6, late_asks=10**6)


def hurry_bots() -> None:
    """Bots that hardly think, for tests that wait for what they do and not for how it looks."""
    bots.THINKING_SECONDS.update(dict.fromkeys(bots.THINKING_SECONDS, (0.01, 0.1)))


@contextmanager
def running(
    folder: Path, *options: str, command: tuple[str, ...] = (), plant: Plant | None = None, **more: Any
) -> Iterator[ServerProcess]:
    """A house that is ended with the test, however that ends; by a command if one is named, else forked."""
    certify(folder)
    house = (
        ServerProcess(folder, *options, command=command, **more)
        if command
        else ForkedServer(folder, *options, plant=plant, **more)
    )
    try:
        yield house
    finally:
        house.kill()


def example() -> Any:
    """examples/bot.py as a module."""
    spec = importlib.util.spec_from_file_location("example_bot", ROOT / "examples" / "bot.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def wishes(house: ServerProcess, game: str, rounds: int, table: str = "") -> Namespace:
    """What is given to the example on its command line."""
    return Namespace(game=game, rounds=rounds, url=house.url, table=table, quiet=True)


CLIENT = ROOT / "client"
