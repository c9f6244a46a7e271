"""The house as a process of its own: started, watched, stopped and killed from outside, as an operator does it."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.support.house import certify

ROOT = Path(__file__).resolve().parents[2]
COMMAND = (sys.executable, "-m", "ventuno.cli.main", "serve")
HURRIED = (sys.executable, "-m", "tests.support.fast_bots_house")
PATIENCE = 60.0


def environment(folder: Path, more: Mapping[str, str] | None = None) -> dict[str, str]:
    """Nothing of the machine's own settings, and the folder of this test; whatever the checkout holds is accepted."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VENTUNO_")}
    mine = {"VENTUNO_DATA": str(folder), "VENTUNO_PORT": "0", "VENTUNO_ACCEPT": "a test"}
    return {**kept, **mine, **(more or {})}


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
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            text = self.output.read_text()
            if text.endswith("\n"):
                return text.split()[-1]
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise AssertionError(f"the house did not open: {self.log.read_text()[-2000:]}")

    def get(self, path: str) -> httpx.Response:
        return httpx.get(f"{self.url}{path}", timeout=10)

    def signal(self, kind: signal.Signals) -> None:
        self.process.send_signal(kind)

    def ended(self, seconds: float = 30.0) -> int:
        return self.process.wait(seconds)

    def lines(self) -> list[dict[str, Any]]:
        """The log, every line of which is JSON."""
        return [json.loads(line) for line in self.log.read_text().splitlines()]


@contextmanager
def running(folder: Path, *options: str, **more: Any) -> Iterator[ServerProcess]:
    """A house that is ended with the test, however that ends."""
    house = ServerProcess(certify(folder), *options, **more)
    try:
        yield house
    finally:
        if house.process.poll() is None:
            house.process.kill()
        house.process.wait()


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
