"""The way between a door and its host: a socket of this machine, packets both ways, few writes.

Nothing here waits for the other side. What it has not taken is counted; beyond a bound the connection is given up, and
a process that stands still holds up nobody else.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

import msgspec

from ventuno.web.doors.packets import Frame, Packet, Taken

LENGTH = 4
"""Bytes that say how long the packets after them are."""
MOST_UNSENT = 64 << 20
"""Bytes that may wait for the other side."""
LARGEST = 256 << 20
"""Bytes that come in one write at most; more is nothing that we wrote."""
MOST_VIDEO = 4 << 20
"""Bytes that may wait before chunks of video are left out: they never cost anybody the connection."""
Received = TypeVar("Received")
_encode = msgspec.msgpack.Encoder().encode


class Link(asyncio.Protocol, Generic[Received]):
    """One end of it."""

    def __init__(
        self,
        kinds: Any,
        take: Callable[[Received], None],
        made: Callable[[], None],
        lost: Callable[[], None],
        held: Callable[[], None] = lambda: None,
    ) -> None:
        self._decode: Callable[[Any], Sequence[Received]] = msgspec.msgpack.Decoder(list[kinds]).decode
        self._take, self._made, self._lost, self.hold = take, made, lost, held
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._unsent: list[Packet] = []
        self._frame, self._receivers = b"", list[int]()
        self._taken: list[int] = []
        self._is_due = False
        self.is_lost = False
        self.clock_offset = 0.0
        """To be added to what the other side's clock said: another machine has another one."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        transport.set_write_buffer_limits(MOST_UNSENT)
        self._made()

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self.is_lost = True
        self._unsent.clear()
        self._lost()

    def data_received(self, data: bytes) -> None:
        received = self._received
        received += data
        start, end = 0, len(received)
        while end - start >= LENGTH:
            size = int.from_bytes(received[start : start + LENGTH], "big")
            if size > LARGEST:
                self.abort()
                return
            if end - start - LENGTH < size:
                break
            start += LENGTH
            for packet in self._decode(bytes(received[start : start + size])):
                self._take(packet)
            start += size
        del received[:start]

    def send(self, packet: Packet) -> None:
        """With whatever else is said in this turn of the loop and the next, in order."""
        if self.is_lost:
            return
        self._receivers = []
        self._unsent.append(packet)
        if not self._is_due:
            self._is_due = True
            self._loop.call_soon(self._flush_next)

    def send_video(self, packet: Packet) -> bool:
        """A chunk, where there is room; who watches goes on with the next key frame."""
        if self._transport is None or self._transport.get_write_buffer_size() > MOST_VIDEO:
            return False
        self.send(packet)
        return True

    def deliver(self, frame: bytes, id: int) -> None:
        """A frame for a socket; what goes to several one after the other is sent once."""
        if self._receivers and frame is self._frame:
            self._receivers.append(id)
            return
        receivers = [id]
        self.send(Frame(frame, receivers))
        self._frame, self._receivers = frame, receivers

    def tell_taken(self, id: int) -> None:
        """A message is done with; said behind everything that came of it."""
        self._taken.append(id)
        if not self._is_due and not self.is_lost:
            self._is_due = True
            self._loop.call_soon(self._flush_next)

    def _flush_next(self) -> None:
        """A turn later: who waited for what became durable in this one answers in the next, and in the same write."""
        self._loop.call_soon(self.flush)

    def flush(self) -> None:
        self._is_due = False
        if self._taken:
            self._unsent.append(Taken(self._taken))
            self._taken = []
        packets, self._unsent = self._unsent, []
        self._frame, self._receivers = b"", []
        if self.is_lost or not packets or self._transport is None:
            return
        packed = _encode(packets)
        self._transport.write(len(packed).to_bytes(LENGTH, "big") + packed)
        if self._transport.get_write_buffer_size() > MOST_UNSENT:
            self.abort()

    def abort(self) -> None:
        """Give up: the other side does not read, or says what makes no sense."""
        self.is_lost = True
        if self._transport is not None:
            self._transport.abort()
