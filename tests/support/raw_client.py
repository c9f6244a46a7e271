"""A client that speaks bytes: it may say anything, in any pieces, and reads only when it likes (T-8)."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from random import Random

from tests.support.http_house import ServedHouse
from tests.support.patience import PATIENCE
from ventuno.house.accounts.sessions import Entered

TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9


def framed(payload: bytes, opcode: int = TEXT, *, last: bool = True, masked: bool = True, bits: int = 0) -> bytes:
    """A frame of a client; with a mask of zeros the payload is as it is."""
    first = opcode | bits | (0x80 if last else 0)
    mask = 0x80 if masked else 0
    if len(payload) < 126:
        head = struct.pack("!BB", first, mask | len(payload))
    elif len(payload) < 1 << 16:
        head = struct.pack("!BBH", first, mask | 126, len(payload))
    else:
        head = struct.pack("!BBQ", first, mask | 127, len(payload))
    return head + (bytes(4) if masked else b"") + payload


@dataclass
class Raw:
    """A TCP connection to the house."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    @classmethod
    async def open(cls, doors: ServedHouse, receive_buffer: int = 0) -> Raw:
        """Connected, and nothing said yet."""
        held = socket.socket()
        if receive_buffer:
            held.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        held.setblocking(False)
        await asyncio.get_running_loop().sock_connect(held, ("127.0.0.1", doors.port))
        reader, writer = await asyncio.open_connection(sock=held, limit=1 << 12)
        doors.strangers.append(writer)
        return cls(reader, writer)

    @classmethod
    async def enter(cls, doors: ServedHouse, session: Entered, receive_buffer: int = 0) -> Raw:
        """A socket of this session; its welcome is not read yet."""
        made = await cls.open(doors, receive_buffer)
        ticket = doors.app.state.tickets.issue(session.session)
        made.send(
            f"GET /socket?ticket={ticket} HTTP/1.1\r\nHost: 127.0.0.1:{doors.port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            f"Origin: {doors.origin}\r\nCookie: ventuno={session.token}\r\n\r\n".encode()
        )
        assert b"101" in await asyncio.wait_for(made.reader.readline(), PATIENCE)
        await asyncio.wait_for(made.reader.readuntil(b"\r\n\r\n"), PATIENCE)
        return made

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def rest(self, seconds: float = PATIENCE) -> bytes:
        """Everything until the house closes the connection."""
        found = bytearray()
        with suppress(ConnectionError):
            async with asyncio.timeout(seconds):
                while chunk := await self.reader.read(1 << 16):
                    found += chunk
        return bytes(found)

    async def leave(self) -> int:
        """Say goodbye and nothing more, and give the code with which the house closed; 0 where it said none."""
        self.send(framed(struct.pack("!H", 1000), CLOSE))
        with suppress(OSError):
            self.writer.write_eof()
        data = await self.rest()
        await self.drop()
        return closed(data)

    async def drop(self) -> None:
        self.writer.close()
        with suppress(ConnectionError):
            await self.writer.wait_closed()

    def vanish(self) -> None:
        """Gone without a word: the connection is reset."""
        held: socket.socket = self.writer.get_extra_info("socket")
        held.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    def torn(self, sent: str | bytes, rng: Random) -> bytes:
        """A frame that is wrong in its bits, or only half of one, or in pieces."""
        payload = sent if isinstance(sent, bytes) else sent.encode(errors="replace")
        good = framed(payload)
        match rng.randrange(10):
            case 0:
                return framed(payload, masked=False)
            case 1:
                return framed(payload, bits=rng.choice((0x40, 0x20, 0x10, 0x70)))
            case 2:
                return framed(payload, rng.choice((3, 7, 11, 15)))
            case 3:
                return framed(payload[:100], PING, last=False)
            case 4:
                return framed(struct.pack("!H", rng.choice((0, 999, 1005, 1006, 2000, 65535))) + payload[:50], CLOSE)
            case 5:
                return framed(b"\xff\xfe\xc0\x80" + payload[:50])
            case 6:
                return struct.pack("!BBQ", 0x81, 0xFF, rng.choice((2**63 - 1, 2**40, 10**6))) + bytes(4) + payload
            case 7:
                place = rng.randrange(len(payload) + 1)
                return framed(payload[:place], last=False) + framed(payload[place:], 0)
            case 8:
                return good[: rng.randrange(1, len(good) + 1)]
            case _:
                return framed(payload, 0) + framed(b"p", PING) + rng.randbytes(rng.randrange(60))


def closed(data: bytes) -> int:
    """The code of the last frame, where it closes."""
    place = data.rfind(b"\x88")
    while place >= 0:
        if place + 2 <= len(data) and data[place + 1] == len(data) - place - 2:
            return int.from_bytes(data[place + 2 : place + 4], "big") if data[place + 1] >= 2 else 1005
        place = data.rfind(b"\x88", 0, place)
    return 0


def split_frames(data: bytes) -> Iterator[bytes]:
    """The payloads of text frames as a server sends them."""
    while data:
        assert data[0] == 0x81
        size, start = data[1], 2
        if size == 126:
            size, start = int.from_bytes(data[2:4], "big"), 4
        elif size == 127:
            size, start = int.from_bytes(data[2:10], "big"), 10
        yield data[start : start + size]
        data = data[start + size :]
