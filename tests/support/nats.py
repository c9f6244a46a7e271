"""A broker of our own for the tests: the NATS server of a wheel, on a free port of this machine."""

from __future__ import annotations

import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.free_port import free_port
from tests.support.patience import PATIENCE

PROGRAM = Path(sys.executable).with_name("nats-server")


class NatsServer:
    """It is started and stopped at will, always on the same port; `config` is a file of its own language."""

    def __init__(self, folder: Path, config: Path | None = None) -> None:
        self._folder, self._config, self.port = folder, config, free_port()
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"nats://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        words = ["-a", "127.0.0.1", "-p", str(self.port), *(["-c", str(self._config)] if self._config else [])]
        with (self._folder / "nats.log").open("ab") as log:
            self._process = subprocess.Popen([PROGRAM, *words], stdout=log, stderr=log, cwd=self._folder)
        until = time.monotonic() + PATIENCE
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1):
                return
            if time.monotonic() > until or self._process.poll() is not None:
                raise RuntimeError((self._folder / "nats.log").read_text())
            time.sleep(0.01)

    def stop(self) -> None:
        """At once, as a crash does."""
        if self._process:
            self._process.kill()
            self._process.wait(PATIENCE)
            self._process = None


@contextmanager
def open_broker(config: Path | None = None) -> Iterator[NatsServer]:
    folder = Path(tempfile.mkdtemp(prefix="ventuno-nats-"))
    server = NatsServer(folder, config)
    try:
        server.start()
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)
