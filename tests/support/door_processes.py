"""The processes of a house with doors, as the system lists them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path


class DoorProcesses:
    """Whose first process is the supervisor; the host is the one that has begun others: its writer."""

    def __init__(self, supervisor: int) -> None:
        self.supervisor = supervisor

    @property
    def children(self) -> list[int]:
        return list_children(self.supervisor)

    @property
    def host(self) -> int:
        (host,) = [child for child in self.children if list_children(child)]
        return host

    @property
    def writer(self) -> int:
        return list_children(self.host)[0]

    @property
    def doors(self) -> list[int]:
        return [child for child in self.children if not list_children(child)]

    def find_door(self, port: int, client: int) -> int:
        """The door that holds the socket between these two ports of this machine."""
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            _, local, remote, *_ = line.split()
            inode = line.split()[9]
            if int(remote.split(":")[1], 16) == client and int(local.split(":")[1], 16) == port:
                (door,) = [child for child in self.doors if holds(child, inode)]
                return door
        raise AssertionError("nobody holds this socket")


def list_children(process: int) -> list[int]:
    with suppress(OSError):
        return sorted(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))
    return []


def holds(process: int, inode: str) -> bool:
    with suppress(OSError):
        return any(os.readlink(one) == f"socket:[{inode}]" for one in Path(f"/proc/{process}/fd").iterdir())
    return False
