"""Everything that passes over a broker, heard by somebody who may say nothing there; and what of it doors are told.

A message counts as what it is to who hears it: its subject, its kind, and the packets in it. When it came, how many
packets shared a message and the number of a way are the network's own, and depend on nothing that is dealt.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tests.support.nats import NatsServer
from tests.support.patience import PATIENCE
from ventuno.core.rules.cards import text
from ventuno.house.shoes.commitment import SealedShoe
from ventuno.web.doors.broker import BEAT, DATA, WELCOME, Head, unpack
from ventuno.web.doors.bus import LENGTH
from ventuno.web.doors.packets import Body, Frame, FromHost, Packet, Taken

NODE, LISTENER = "node:node", "listener:listener"
CONFIG = """
authorization {
  users = [
    {user: node, password: node}
    {user: listener, password: listener, permissions: {publish: {deny: ">"}, subscribe: ">"}}
  ]
}
"""
"""Nodes speak; who listens hears every subject of every node, more than the broker of a house lets anybody hear."""
_decode = msgspec.msgpack.Decoder(list[FromHost]).decode
WINDOW, WHOLE = 5, 40
"""So many undealt cards in their order are no accident, nor are so many bytes of a shoe as the books keep it."""


class Passed(NamedTuple):
    """A message as the broker had it."""

    subject: str
    data: bytes


class BrokerCapture:
    """What was said since it was last asked, by the start of its subjects: a house has its own."""

    def __init__(self) -> None:
        self.passed: list[Passed] = []
        self.numbers: dict[tuple[str, int], int] = {}
        """The number of the last data of each way, by its subject."""

    def note(self, subject: str, data: bytes) -> None:
        self.passed.append(Passed(subject, data))
        parts = unpack(data)
        if parts and parts[0].kind == DATA:
            self.numbers[subject, parts[0].way] = parts[0].number

    def take(self, start: str) -> list[Passed]:
        taken = [one for one in self.passed if one.subject.startswith(start)]
        self.passed = [one for one in self.passed if not one.subject.startswith(start)]
        return taken


@asynccontextmanager
async def listen(server: NatsServer) -> AsyncIterator[BrokerCapture]:
    """With the one permission to hear, from now on."""
    from nats.aio.client import Client
    from nats.aio.msg import Msg

    capture, client = BrokerCapture(), Client()

    async def hand(message: Msg) -> None:
        capture.note(message.subject, message.data)

    await asyncio.wait_for(client.connect(name_user(server, LISTENER)), PATIENCE)
    try:
        await client.subscribe(">", cb=hand)
        await client.flush()
        yield capture
    finally:
        await client.close()


def name_user(server: NatsServer, user: str) -> str:
    return server.url.replace("nats://", f"nats://{user}@")


def write_config(folder: Path) -> Path:
    (folder / "nats.conf").write_text(CONFIG)
    return folder / "nats.conf"


class DoorReader:
    """Puts together what a host has said to one door, across messages."""

    def __init__(self) -> None:
        self._way, self._rest = 0, b""

    def read(self, head: Head, body: bytes) -> Iterator[Packet]:
        self._rest = body if head.way != self._way else self._rest + body
        self._way = head.way
        while len(self._rest) >= LENGTH:
            end = LENGTH + int.from_bytes(self._rest[:LENGTH], "big")
            if len(self._rest) < end:
                return
            packed, self._rest = self._rest[LENGTH:end], self._rest[end:]
            yield from _decode(packed)


class HouseReader:
    """What one house has said over the broker, by who hears it and in its order, whatever was in one message."""

    def __init__(self, start: str) -> None:
        self._start = start
        self._doors: defaultdict[str, DoorReader] = defaultdict(DoorReader)

    def read(self, passed: Iterable[Passed]) -> dict[str, list[Any]]:
        """By subject and, of a door, by the socket or call that a packet is for."""
        told: defaultdict[str, list[Any]] = defaultdict(list)
        for subject, data in passed:
            place = subject.removeprefix(self._start)
            if not place.startswith(".door."):
                if not place.startswith(".unit."):  # what doors say of clients is no secret of the house
                    told[place].append(data)
                continue
            parts = unpack(data)
            if parts is None:
                told[place].append(data)
            elif parts[0].kind == DATA:
                for packet in self._doors[place].read(*parts):
                    note_packet(told, place, packet)
            elif parts[1] or parts[0].kind not in (BEAT, WELCOME):
                told[place].append((parts[0].kind, parts[1]))
        for place in [place for place in told if place.endswith((".moved", ".who"))]:
            told[place] = sorted(set(told[place]))  # said each half second, and when somebody asks
        return dict(told)


def note_packet(told: defaultdict[str, list[Any]], place: str, packet: Any) -> None:
    """A frame for many counts for each; parts of a body are one; when a message was done with is told apart."""
    match packet:
        case Frame():
            for id in packet.ids:
                told[f"{place} {id}"].append(packet.frame)
        case Taken():
            for id in packet.ids:
                told[f"{place} {id} taken"].append(True)
        case Body():
            said = told[f"{place} {packet.id}"]
            said[-1:] = [said[-1] + packet.data] if said and isinstance(said[-1], bytes) else [*said[-1:], packet.data]
        case _:
            told[f"{place} {packet.id}"].append(packet)


def list_secrets(shoe: SealedShoe, position: int, hidden: Iterable[int]) -> list[bytes]:
    """What of a sealed shoe nobody may find, in the ways that a program writes such things.

    So many cards have left it, and of these the ones at the places `hidden` lie face down.
    """
    cards, salts = shoe.unseal()
    secrets = [*salts[position:], *(salts[place] for place in hidden), shoe.to_bytes()[-WHOLE:]]
    coming = cards[position : position + WINDOW]
    words = [text(card) for card in coming]
    written = (" ".join(words), "".join(words), '","'.join(words), ", ".join(words), ",".join(map(str, coming)))
    return [*secrets, *(one.hex().encode() for one in secrets), bytes(coming), *(one.encode() for one in written)]


def find_secrets(passed: Iterable[Passed], secrets: Sequence[bytes]) -> list[str]:
    """Where any of these stands in the clear, in a subject or in what was said."""
    return [
        f"{subject}: {secret!r}"
        for subject, data in passed
        for secret in secrets
        if secret in data or secret in subject.encode()
    ]
