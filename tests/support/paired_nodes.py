"""Two houses on nodes live through the same rounds with other hidden cards, and a listener hears both brokers (G-15).

Each house is a host that owns it by its lease on a PostgreSQL database, and two doors that reach it over one broker of
NATS, all with the program's own code; the broker and the database are servers. Compared are what doors send to
clients, what passes over the broker to doors, and what nodes tell of themselves; what passes is read for secrets too.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count, cycle
from typing import Any

import httpx

from tests.support.broker_capture import (
    BrokerCapture,
    HouseReader,
    find_secrets,
    list_secrets,
)
from tests.support.channel_house import Ear
from tests.support.hidden_shoes import Watch
from tests.support.patience import PATIENCE
from tests.support.sealed_paired_houses import HASHED, OTHER, OWNER, SUPERVISOR, Side
from ventuno.core.rules.sheet import Sheet
from ventuno.house.accounts.sessions import Identity
from ventuno.house.pits.keeper import LeaseKeeper
from ventuno.house.store.node_sessions import read_view
from ventuno.web.doors.broker_door import BrokerDoor, OwnerFinder
from ventuno.web.doors.broker_host import BrokerHost
from ventuno.web.doors.door import DoorSocket
from ventuno.web.doors.host import Admission
from ventuno.web.doors.node import Host
from ventuno.web.doors.node_status import make_status_app
from ventuno.web.doors.packets import Gone, Return, Said
from ventuno.web.operations.settings import Settings

NODES = ("d1", "d2")
"""The doors of each house."""
MOST_CLOCKS = 60
"""Clocks that a table may have to let pass before nobody is asked any more."""
CALM = 3
"""Looks in a row at which nothing is on its way."""
OWN_AFFAIR = re.compile(r"# |process_|python_|ventuno_commit_|\w*(?:seconds|bytes|_created|offset|cpu|memory|lag)")
"""How lines of a node's figures begin that are its machine's: times, sizes, what shared a commit, the interpreter."""
DRAWN = re.compile(r"(?<=\"id\":\")[0-9a-f]{16}(?=\")")
CLIENTS, BROKER, STATUS, CLEAR = "clients", "broker", "status", "clear"


class Doors:
    """The doors of a house, each taken in its turn, as `InProcessHouse` asks for them."""

    def __init__(self, doors: list[BrokerDoor], finders: list[OwnerFinder]) -> None:
        self.doors, self.finders = doors, finders
        self._turns = cycle(range(len(doors)))

    def take_next(self) -> BrokerDoor:
        return self.doors[next(self._turns)]


@dataclass
class Seat:
    """A socket of somebody at a door, and every frame that it was sent."""

    id: int
    door: BrokerDoor
    socket: DoorSocket
    frames: list[bytes] = field(default_factory=list)


@dataclass(kw_only=True)
class NodeSide(Side):
    """One of two houses, the way to it, and what left it since it was last compared."""

    house: str
    host: BrokerHost
    keeper: LeaseKeeper
    node: Host
    at_doors: Doors
    capture: BrokerCapture
    reader: HouseReader
    looking: Any
    """The session of who asks for the nodes."""
    seats: dict[str, Seat] = field(default_factory=dict)
    answers: list[Any] = field(default_factory=list)
    before: dict[str, float] = field(default_factory=dict)
    """The figures of the node when the round began: what was turned earlier has come apart since."""
    _said: Iterator[int] = field(default_factory=lambda: count(1))

    async def arrive(self, number: int, sheet: Sheet) -> None:
        """New people at a new table, each with a socket at one of the doors that shows it; who had one leaves."""
        await super().arrive(number, sheet)
        for name in (OWNER, OTHER, SUPERVISOR) if not sheet.game.solo else (OWNER, SUPERVISOR):
            await self.enter(name)
            await self.tell(name, "join")
        self.before = await self.read_figures()

    async def enter(self, name: str) -> None:
        """A socket at the next door for somebody whom a host has let in, as one that outlived an earlier host."""
        application, door = self.doors.application, self.at_doors.take_next()
        player = self.players[name]
        entered = await self.doors.session(player)
        known = application.accounts._tokens.identify(entered.token, application.now())
        assert isinstance(known, Identity)
        admission = self.host.doors.sealer.seal(Admission(player, known.session, str(known.role), known.access, "1"))
        frames: list[bytes] = []
        ear: Any = Ear(frames.append)
        id, socket = next(door._ids), DoorSocket(ear)
        self.seats[name] = Seat(id, door, socket, frames)
        socket.open()
        socket.admission = admission
        door.sockets[id] = socket
        assert door._link is not None
        door._link.send(Return(id, admission, ()))

    async def tell(self, name: str, kind: str, **fields: Any) -> None:
        """A message over the socket, by door and broker, until everything that comes of it has come."""
        seat = self.seats[name]
        id = f"m{next(self._said)}"
        text = json.dumps({"type": kind, "id": id, "table": self.table, **fields})
        said = Said(seat.id, text, time.monotonic())
        seat.socket.keep(said)
        assert seat.door._link is not None
        seat.door._link.send(said)
        seat.socket.note_asked()
        await self.settle()

    async def ask(self, name: str, **command: Any) -> None:
        await self.tell(name, "ask", key=f"key-{next(self.keys):08}", command=command)

    async def settle(self) -> None:
        """Until nothing is on its way: not at the host, not at a door, not at the broker."""
        calm = 0
        async with asyncio.timeout(PATIENCE):
            while calm < CALM:
                calm = calm + 1 if self._is_calm() else 0
                await asyncio.sleep(0.002)

    def _is_calm(self) -> bool:
        host, held = self.host, self.doors.application.host
        if not host.doors.is_idle or held.authority.tables[self.table].version != held.committed[self.table].version:
            return False
        links = [link.link for link in host.doors.links] + [door._link for door in self.at_doors.doors]
        if any(link is None or link._unsent or link._is_due or link._taken for link in links):
            return False
        for finder in self.at_doors.finders:
            near, far = finder._way, host._ways.get(finder.name)
            if near is None or far is None or near._sent != far._heard or far._sent != near._heard:
                return False
            subject = host._subjects.name_door(finder.name)
            if self.capture.numbers.get((subject, near.id), 0) != far._sent:
                return False
        return not host._broker._outgoing

    async def take_told(self) -> dict[str, Any]:
        """All that left the house since the last time, by the way that it took; what is drawn for each alike."""
        await self.announce()
        await self.settle()
        passed = self.capture.take(self.start)
        frames = {name: [blot(frame) for frame in seat.frames] for name, seat in self.seats.items()}
        for seat in self.seats.values():
            seat.frames.clear()
        answers, self.answers = self.answers, []
        return {
            CLIENTS: {**frames, "calls": answers},
            BROKER: {place: [self._tidy(one) for one in told] for place, told in self.reader.read(passed).items()},
            STATUS: await self.read_status(),
            CLEAR: find_secrets(passed, self.list_secrets()),
        }

    @property
    def start(self) -> str:
        return f"v.{self.house}"

    def _tidy(self, told: Any) -> Any:
        """What is answered over HTTP is compared as it is at a door."""
        if isinstance(told, bytes) and told.startswith((b"{", b"[")):
            return self.plain(DRAWN.sub("#" * 16, told.decode()))
        return blot(told) if isinstance(told, bytes) else told

    async def read_calls(self) -> None:
        """Every call that reads, through the doors."""
        self.answers += await self.read()

    def list_secrets(self) -> list[bytes]:
        """Of the shoe in play: what was not turned."""
        assert isinstance(self.reveal, Watch)
        held = self.held
        shoe = self.doors.application.tables._shoe_logs.get_log(self.table).get_shoe(1)
        hidden = (*self.reveal._down, *self.reveal._own.values())
        return list_secrets(shoe, held.shoe.position if held.shoe else 0, hidden)

    async def announce(self) -> None:
        """The owner says who it is, as it does each half second: once at least between two comparisons."""
        heard, moved = len(self.capture.passed), self.host._subjects.moved
        self.host.announce()
        async with asyncio.timeout(PATIENCE):
            while moved not in (one.subject for one in self.capture.passed[heard:]):
                await asyncio.sleep(0.001)

    async def finish(self) -> None:
        """Everybody leaves, and the round ends by its clock: what comes with the reveal or after it is no secret."""
        for seat in self.seats.values():
            assert seat.door._link is not None
            seat.door._link.send(Gone(seat.id, 1000))
            del seat.door.sockets[seat.id]
        self.seats.clear()
        await self.settle()
        for _ in range(MOST_CLOCKS):
            if self.held.deadline is None or self.held.sheet.game.solo:  # a table for one waits for a day
                break
            version = self.held_version
            self.doors.clock.move(max(self.held.deadline - self.doors.application.now(), 0))
            await self.until(lambda version=version: self.held_version > version)
        await self.settle()
        self.reader.read(self.capture.take(self.start))
        self.answers.clear()

    @property
    def held_version(self) -> int:
        return self.doors.application.host.committed[self.table].version

    async def read_status(self) -> dict[str, Any]:
        """What this node tells of itself at its own port, and what `ventuno nodes` reads of it in the database."""
        figures = await self.read_figures()
        view = await read_view(self.looking)
        return {
            **{name: figure - self.before.get(name, 0) for name, figure in figures.items()},
            "reasons": self.keeper.find_reasons(),
            "nodes": [(row.node, row.version, row.draining) for row in view.nodes.values()],
            "units": [(held.unit, held.epoch, held.node) for held in view.holdings.values()],
        }

    async def read_figures(self) -> dict[str, float]:
        """All that depends on what the house does, and not on the machine."""
        transport = httpx.ASGITransport(make_status_app(Settings(), self.keeper, "test", self.node.meters.text))
        async with httpx.AsyncClient(transport=transport, base_url="http://node") as asking:
            told = (await asking.get("/metrics")).text
        lines = [line.rpartition(" ") for line in told.splitlines() if not OWN_AFFAIR.match(line)]
        return {name: float(figure) for name, _, figure in lines}


def blot(frame: bytes) -> str:
    """Hashes over hidden leaves differ by design; they are of equal length even so."""
    return HASHED.sub(lambda one: "#" * len(one[0]), frame.decode("latin-1"))
