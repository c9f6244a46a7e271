"""Houses as processes that open at once: forked from one that has read the program already, and killed like any other.

Each is a process of its own with its own memory, files and signals; only reading the program again is saved, which is
most of the work of a start, and no part of what a kill puts to the test.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Mapping
from multiprocessing.process import BaseProcess
from pathlib import Path

from tests.support.server_process import ROOT, ServerProcess, environment
from ventuno.cli.main import main

READ = [
    "tests.support.forked_server",
    "ventuno.cli.serve",
    "ventuno.web.operations.server",
    "sqlalchemy.dialects.sqlite",
    "uvloop",
]
READ += ["uvicorn.protocols.http.httptools_impl", "uvicorn.protocols.websockets.websockets_sansio_impl"]
_processes = multiprocessing.get_context("forkserver")
_processes.set_forkserver_preload(READ)
Plant = Callable[[], None]


class Child:
    """A process, asked as one of `subprocess` is."""

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

    def kill(self) -> None:
        self._process.kill()


def serve(files: tuple[Path, Path], settings: Mapping[str, str], options: tuple[str, ...], plant: Plant | None) -> None:
    """What the process does: `ventuno serve`, with a fault where one is planted."""
    for number, file in enumerate(files, 1):
        held = os.open(file, os.O_WRONLY | os.O_CREAT | (os.O_APPEND if number == 2 else os.O_TRUNC))
        os.dup2(held, number)
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
