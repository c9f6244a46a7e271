"""A house with doors as its operator has it: its processes, as the system lists them, and sockets at chosen doors."""

from __future__ import annotations

import asyncio
import json
import os
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from tests.support.load_players import call
from tests.support.patience import PATIENCE
from tests.support.server_process import ServerProcess

TABLE = "Ventuno 1"


class DoorProcesses:
    """Whose first process is the supervisor; the host is the one that has begun others: its writer."""

    def __init__(self, supervisor: int) -> None:
        self.supervisor = supervisor

    @property
    def children(self) -> list[int]:
        return list_children(self.supervisor)

    @property
    def host(self) -> int:
        host = self.find_host()
        assert host
        return host

    def find_host(self) -> int:
        """0 where there is none at the moment."""
        return next((child for child in self.children if list_children(child)), 0)

    @property
    def writer(self) -> int:
        return list_children(self.host)[0]

    @property
    def doors(self) -> list[int]:
        return [child for child in self.children if not list_children(child)]

    def find_door(self, port: int, client: int) -> int:
        """The door that holds the socket between these two ports of this machine."""
        doors = self.list_holders(port, client)
        assert len(doors) == 1, "nobody holds this socket"
        return doors[0]

    def has_door(self, port: int, client: int) -> bool:
        """Whether a door has taken it from the queue."""
        return bool(self.list_holders(port, client))

    def list_holders(self, port: int, client: int) -> list[int]:
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
            _, local, remote, *_ = line.split()
            inode = line.split()[9]
            if int(remote.split(":")[1], 16) == client and int(local.split(":")[1], 16) == port:
                return [child for child in self.doors if holds(child, inode)]
        return []


class HouseWithDoors(DoorProcesses):
    """The processes of a house with doors, and where it is."""

    def __init__(self, served: ServerProcess) -> None:
        super().__init__(served.process.pid)
        self.served, self.port = served, int(served.url.rpartition(":")[2])

    def find_door_of(self, socket: Socket) -> int:
        return self.find_door(self.port, socket.line.local_address[1])


class Socket:
    """A guest's socket that never comes back by itself."""

    def __init__(self, line: ClientConnection, cookie: str) -> None:
        self.line, self.cookie, self.heard = line, cookie, list[dict[str, Any]]()

    async def tell(self, kind: str, **fields: Any) -> str:
        id = secrets.token_hex(4)
        await self.line.send(json.dumps({"type": kind, "id": id, "table": TABLE, **fields}))
        return id

    async def hear(self, what: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Everything up to the first message of a kind."""
        async with asyncio.timeout(PATIENCE):
            while True:
                message: dict[str, Any] = json.loads(await self.line.recv())
                self.heard.append(message)
                if message["type"] == "ping":
                    await self.line.send(json.dumps({"type": "pong", "nonce": message["nonce"]}))
                if what(message):
                    return message

    async def ask(self, kind: str, **fields: Any) -> dict[str, Any]:
        id = await self.tell(kind, **fields)
        return await self.hear(lambda message: id in (message.get("id"), message.get("about")))

    async def command(self, **command: Any) -> dict[str, Any]:
        return await self.ask("ask", key=secrets.token_urlsafe(12), command=command)


async def enter_guest(port: int) -> str:
    """A guest with money; the cookie of his session."""
    _, cookie = await call(port, "/api/guest")
    await call(port, "/api/cashier/deposits", cookie, {"amount": 100_000}, secrets.token_urlsafe(12))
    return cookie


@asynccontextmanager
async def entered(port: int, cookie: str = "", **join: Any) -> AsyncIterator[Socket]:
    """A socket of this session, or of a new guest, that watches a live table."""
    cookie = cookie or await enter_guest(port)
    told, _ = await call(port, "/api/ticket", cookie)
    async with connect(
        f"ws://127.0.0.1:{port}/socket?ticket={told['ticket']}",
        origin=Origin(f"http://127.0.0.1:{port}"),
        additional_headers={"Cookie": cookie},
        compression=None,
        ping_interval=None,
        close_timeout=1,
    ) as line:
        socket = Socket(line, cookie)
        assert (await socket.ask("join", **join))["refused"] is None
        yield socket


def read_figures(house: HouseWithDoors) -> dict[str, float]:
    """Of all processes, by name and labels."""
    lines = house.served.get("/metrics").text.splitlines()
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines if not line.startswith("#"))}


async def wait_until(what: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not what():
            await asyncio.sleep(0.02)


@asynccontextmanager
async def spread(house: HouseWithDoors, cookie: str = "") -> AsyncIterator[tuple[Socket, Socket]]:
    """Two guests, or two sockets of one session, each at a door of its own: they come until it is so."""
    async with entered(house.port, cookie) as first:
        door = house.find_door_of(first)
        for _ in range(40):
            async with entered(house.port, cookie) as second:
                if house.find_door_of(second) != door:
                    yield first, second
                    return
        raise AssertionError("all sockets are at one door")


def list_children(process: int) -> list[int]:
    with suppress(OSError):
        return sorted(map(int, Path(f"/proc/{process}/task/{process}/children").read_text().split()))
    return []


def holds(process: int, inode: str) -> bool:
    with suppress(OSError):
        return any(os.readlink(one) == f"socket:[{inode}]" for one in Path(f"/proc/{process}/fd").iterdir())
    return False
