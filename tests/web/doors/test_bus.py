"""What travels between a door and its host."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec

from ventuno.web.doors import bus
from ventuno.web.doors.bus import Link
from ventuno.web.doors.door import Door, DoorSocket
from ventuno.web.doors.host import Admission, Sealer
from ventuno.web.doors.packets import Close, Frame, FromDoor, FromHost, Hello, Return, Said, Taken
from ventuno.web.operations.settings import Settings
from ventuno.web.sockets.websocket_protocol import WebSocketProtocol

ADA = Admission("7", "session", "player", "", "127.0.0.1")


class Ends:
    """Both ends of a bus, and what each has heard."""

    def __init__(self) -> None:
        self.at_host, self.at_door = list[Any](), list[Any]()
        self.lost = asyncio.Event()

    async def wait(self, heard: list[Any], number: int) -> None:
        async with asyncio.timeout(60):
            while len(heard) < number:
                await asyncio.sleep(0.005)


@asynccontextmanager
async def linked(folder: Path) -> AsyncIterator[tuple[Ends, Link[Any], Link[Any]]]:
    loop, ends, made = asyncio.get_running_loop(), Ends(), asyncio.Event()
    host: Link[Any] = Link(FromDoor, ends.at_host.append, made.set, ends.lost.set)
    server = await loop.create_unix_server(lambda: host, str(folder / "bus"))
    door: Link[Any] = Link(FromHost, ends.at_door.append, lambda: None, lambda: None)
    await loop.create_unix_connection(lambda: door, str(folder / "bus"))
    await made.wait()
    try:
        yield ends, host, door
    finally:
        door.abort()
        host.abort()
        server.close()


async def test_packets_come_in_order_and_whole(tmp_path: Path) -> None:
    async with linked(tmp_path) as (ends, _, door):
        sent = [Hello(1), *(Said(number, "x" * number * 50, 1.5) for number in range(300))]
        for packet in sent:
            door.send(packet)
        await ends.wait(ends.at_host, len(sent))
        assert ends.at_host == sent


async def test_a_frame_for_many_is_sent_once_and_never_before_what_came_first(tmp_path: Path) -> None:
    async with linked(tmp_path) as (ends, host, _):
        shared, other = b"frame for all", b"for one"
        for id in (1, 2, 3):
            host.deliver(shared, id)
        host.deliver(other, 4)
        host.tell_taken(4)
        host.send(Close(2, 4000))
        host.deliver(shared, 5)
        await ends.wait(ends.at_door, 5)
        assert ends.at_door == [
            Frame(shared, [1, 2, 3]),
            Frame(other, [4]),
            Close(2, 4000),
            Frame(shared, [5]),
            Taken([4]),
        ]


async def test_an_answer_goes_with_what_it_answers(tmp_path: Path) -> None:
    """Who waits for what is being told wakes up a turn of the loop later: both are one write."""
    async with linked(tmp_path) as (ends, host, _):
        durable, written = asyncio.get_running_loop().create_future(), list[bytes]()

        class Counted:
            def write(self, data: bytes) -> None:
                written.append(data)

            def get_write_buffer_size(self) -> int:
                return 0

        async def answer() -> None:
            await durable
            host.deliver(b"answer", 1)

        answering = asyncio.create_task(answer())
        await asyncio.sleep(0)
        host._transport, transport = Counted(), host._transport  # type: ignore[assignment]
        host.deliver(b"step", 1)
        durable.set_result(None)
        await answering
        for _ in range(5):
            await asyncio.sleep(0)
        host._transport = transport
        (packets,) = [msgspec.msgpack.decode(data[bus.LENGTH :], type=list[FromHost]) for data in written]
        assert packets == [Frame(b"step", [1]), Frame(b"answer", [1])]
        assert not ends.at_door


async def test_who_does_not_read_is_given_up(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(bus, "MOST_UNSENT", 1 << 20)
    async with linked(tmp_path) as (ends, host, door):
        assert door._transport is not None
        door._transport.pause_reading()
        for number in range(100):
            host.deliver(b"%d" % number * 50_000, 1)
            await asyncio.sleep(0)
        async with asyncio.timeout(60):
            await ends.lost.wait()
        assert host.is_lost


async def test_bytes_that_nobody_wrote_end_the_connection(tmp_path: Path) -> None:
    async with linked(tmp_path) as (ends, _, door):
        assert door._transport is not None
        door._transport.write(b"\xff\xff\xff\xff garbage")
        async with asyncio.timeout(60):
            await ends.lost.wait()


def test_an_admission_comes_back_only_as_a_host_has_signed_it() -> None:
    sealer = Sealer(b"k" * 32)
    sealed = sealer.seal(ADA)
    assert sealer.open(sealed) == ADA
    assert Sealer(b"x" * 32).open(sealed) is None
    forged = sealed[:32] + msgspec.msgpack.encode(Admission("8", "session", "supervisor", "", "127.0.0.1"))
    assert sealer.open(forged) is None
    assert sealer.open(b"") is None


class Sent:
    """Where a door says what it has to say."""

    is_lost = False

    def __init__(self) -> None:
        self.packets: list[Any] = []

    def send(self, packet: Any) -> None:
        self.packets.append(packet)


async def test_what_was_not_answered_is_asked_again_as_if_it_came_now() -> None:
    """Who waited for a new host is not refused as late by it."""
    door, link = Door(Settings(), lambda _make: asyncio.sleep(0)), Sent()
    door.sockets[7] = held = DoorSocket(WebSocketProtocol.__new__(WebSocketProtocol))
    held.admission, held.tables = b"sealed", ("T1",)
    held.keep(Said(7, "asked", 1.0))
    held.note_asked()
    door._begin(link)  # type: ignore[arg-type]
    (returned,) = [one for one in link.packets if isinstance(one, Return)]
    (said,) = [one for one in link.packets if isinstance(one, Said)]
    assert returned == Return(7, b"sealed", ("T1",))
    assert (said.text, said.again) == ("asked", True)
    assert time.monotonic() - said.arrived < 60
