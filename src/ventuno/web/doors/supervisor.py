"""Runs a house as several processes: one host and some doors, all begun here, watched, started again, ended together.

Processes are forked from this one, which has read the program and opened nothing but two sockets that listen: that of
the players, which all doors take from, so that one that stands still takes nothing; and that of the host, at which
doors wait while a host is started again. Whoever loses this process ends: each holds an end of a pipe that says so.
"""

from __future__ import annotations

import gc
import os
import secrets
import select
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from typing import NamedTuple

from ventuno.web.operations import logs

DONE, FAILED, FORCED = 0, 1, 130
BACKLOG = 2048
WAITS = (0.0, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Seconds before a process is started again, longer each time that it ends soon."""
SOON = 1.0
"""Seconds: a door that ends before has not lasted. A host has when it was open."""
MOST_TRIES = 10
"""Starts of a host in a row that do not open; then somebody else has to look."""
LOOK = 0.5
GRACE = 2.0
"""Seconds that a process has to end once it may."""


class Place(NamedTuple):
    """What a process is begun with."""

    number: int
    """Of a door, from 1 on; of the host, how often there was one before it."""
    port: socket.socket
    """Where players come."""
    bus: socket.socket
    """Where doors come to the host."""
    path: str
    """Of that socket."""
    key: bytes
    """With which hosts sign whom they let in; empty for doors."""
    lifeline: int
    """A pipe that ends with the supervisor."""
    opened: int
    """A pipe to which the host writes when it is open."""


Run = Callable[[Place], int]


class Child:
    """A process, and how it has fared."""

    def __init__(self, name: str, run: Run) -> None:
        self.name, self.run = name, run
        self.process = self.starts = self._failures = 0
        self._began = self.due = 0.0
        self.has_lasted = False

    def note_start(self, process: int) -> None:
        self.process, self._began, self.has_lasted = process, time.monotonic(), False
        self.starts += 1

    def note_end(self, soon: float) -> None:
        """It has ended: when it is due again."""
        self.process = 0
        has_lasted = self.has_lasted or time.monotonic() - self._began > soon
        self._failures = 0 if has_lasted else self._failures + 1
        self.due = time.monotonic() + WAITS[min(self._failures, len(WAITS) - 1)]

    @property
    def has_given_up(self) -> bool:
        return self._failures >= MOST_TRIES


class Supervisor:
    """Started with what a host and a door do; `run` gives the exit code."""

    def __init__(self, port: socket.socket, run_host: Run, run_door: Run, doors: int) -> None:
        self._port = port
        self._host = Child("host", run_host)
        self._doors = [Child(f"door {number}", run_door) for number in range(1, doors + 1)]
        self._key = secrets.token_bytes(32)
        self._is_stopping = self._has_opened = False
        self._lifeline, self._lifeline_end = os.pipe()
        self._opened, self._opened_end = os.pipe()
        self._wake, self._wake_end = os.pipe()
        os.set_blocking(self._wake_end, False)

    def run(self) -> int:
        self._port.listen(BACKLOG)
        with self._port, tempfile.TemporaryDirectory(prefix="ventuno-") as folder, listen(Path(folder) / "host") as bus:
            self._bus, self._path = bus, str(Path(folder) / "host")
            with self._hear_signals():
                try:
                    return self._watch()
                finally:
                    self._end_all()

    def _watch(self) -> int:
        """Until it is told to stop, or the host cannot go on."""
        gc.collect()
        gc.freeze()  # no process looks through the program again, nor makes a copy of its memory by doing so
        for child in (self._host, *self._doors):
            self._start(child)
        while True:
            due = [child.due for child in (self._host, *self._doors) if not child.process]
            wait = max(min(due, default=0.0) - time.monotonic(), 0.0) if due else LOOK
            readable, _, _ = select.select([self._wake, self._opened], [], [], min(wait, LOOK))
            if self._wake in readable:
                os.read(self._wake, 1024)
            if self._opened in readable:
                os.read(self._opened, 1)
                self._has_opened = self._host.has_lasted = True
            code = self._note_ended()
            if code is not None:
                return code
            for child in (self._host, *self._doors):
                if not child.process and child.due <= time.monotonic() and not self._is_stopping:
                    logs.log.warning("started again", process=child.name)
                    self._start(child)

    def _note_ended(self) -> int | None:
        """Look who has ended; the code to end with where nothing is left to do."""
        while True:
            try:
                process, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return None
            if not process:
                return None
            code = os.waitstatus_to_exitcode(status)
            for child in (self._host, *self._doors):
                if child.process == process:
                    child.note_end(inf if child is self._host else SOON)
                    if not self._is_stopping and (self._has_opened or child is not self._host):
                        logs.log.error("a process has ended", process=child.name, code=code)
                    if child is self._host and (self._is_stopping or not self._has_opened or child.has_given_up):
                        return code if code >= 0 else FAILED

    def _start(self, child: Child) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        number = child.starts if child is self._host else self._doors.index(child) + 1
        key = self._key if child is self._host else b""
        process = os.fork()
        if process:
            child.note_start(process)
            return
        code = FAILED
        try:
            signal.set_wakeup_fd(-1)
            for kind in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(kind, signal.SIG_IGN)
            for end in (self._lifeline_end, self._opened, self._wake, self._wake_end):
                os.close(end)
            code = child.run(Place(number, self._port, self._bus, self._path, key, self._lifeline, self._opened_end))
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)

    def _end_all(self) -> None:
        """The pipe ends, and with it everybody; who does not is ended."""
        for end in (self._lifeline_end, self._lifeline, self._opened, self._opened_end):
            os.close(end)
        children, until = [self._host, *self._doors], time.monotonic() + GRACE
        while any(child.process for child in children):
            with suppress(ChildProcessError):
                process, _ = os.waitpid(-1, os.WNOHANG)
                for child in children:
                    if process and child.process == process:
                        child.process = 0
                if not process:
                    if time.monotonic() > until:
                        for child in children:
                            if child.process:
                                os.kill(child.process, signal.SIGKILL)
                    time.sleep(0.01)

    @contextmanager
    def _hear_signals(self) -> Iterator[None]:
        kinds = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)
        before = {kind: signal.signal(kind, self._handle) for kind in kinds}
        waking = signal.set_wakeup_fd(self._wake_end, warn_on_full_buffer=False)
        try:
            yield
        finally:
            signal.set_wakeup_fd(waking)
            for kind, handler in before.items():
                signal.signal(kind, handler)

    def _handle(self, kind: int, _frame: object) -> None:
        """The first signal to stop goes to the host, which tells everybody; the second ends all on the spot."""
        if kind == signal.SIGHUP and self._host.process:
            os.kill(self._host.process, signal.SIGHUP)
        elif kind in (signal.SIGINT, signal.SIGTERM):
            if self._is_stopping or not self._host.process:
                children = [child.process for child in (self._host, *self._doors) if child.process]
                for process in children:
                    os.kill(process, signal.SIGKILL)
                for process in children:  # who starts the house again at once finds nobody there
                    with suppress(ChildProcessError):
                        os.waitpid(process, 0)
                os._exit(FORCED)
            self._is_stopping = True
            os.kill(self._host.process, signal.SIGTERM)


@contextmanager
def listen(path: Path) -> Iterator[socket.socket]:
    """The socket of the host; its folder is this user's alone."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as bus:
        bus.bind(str(path))
        bus.listen(BACKLOG)
        yield bus
