"""The line to one client: uvicorn's WebSocket, to which frames are handed ready made, and which never fills memory.

A frame that goes to a thousand watchers is encoded and framed once; each line gets the same bytes. Writing never waits:
what a client has not taken is counted, and one that reads too slowly is cut off. Nor does reading hold up anybody else:
what comes is looked at a little at a time, messages as they are taken, and frames that are none of them are counted
here, where the bucket of messages never sees them (T-8).
"""

from __future__ import annotations

from asyncio import BaseTransport
from collections.abc import Callable
from email.utils import formatdate
from functools import partial
from http import HTTPStatus
from socket import SO_SNDBUF, SOL_SOCKET
from time import monotonic
from typing import Any

from uvicorn._types import ASGIReceiveEvent, ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.datastructures import Headers
from websockets.frames import Frame
from websockets.http11 import Request, Response

from ventuno.core.messages.refusals import Refusal
from ventuno.web.http.errors import Broken
from ventuno.web.http.http_protocol import HttpProtocol, encode_refusal
from ventuno.web.http.rate_limits import TokenBucket
from ventuno.web.messages.server_messages import CLOSE_REASONS
from ventuno.web.sockets.inbox import Inbox
from ventuno.web.sockets.open_socket import EXTENSION, run_socket

BUFFER = 64 << 10
"""Bytes that may wait for a client; with one more frame it is cut off. The system is asked to hold no more than that
either (it takes the double): it would let its own buffer grow to megabytes, and a client that never reads would be kept
for as long."""
FRAGMENTS = 64
"""Pieces in which one message may come; empty ones would cost nothing to send and memory to keep."""
QUEUED = 8
"""Messages of a client that are taken in before he is answered; the rest waits with him."""
ARRIVED = "ventuno.arrived"
"""When a message came, in it, by `time.monotonic`: whoever takes it knows how long it has waited."""
SLICE = 1 << 10
"""Bytes that are parsed at once: the loop reads 256 KiB, and so many pings in one go would keep everybody waiting."""
BINARY_SLICE = 16 << 10
"""The same of who may send binary messages."""
CONTROL_FRAMES = 20, 128
"""Frames in a second, and at once, that bring no message: pings, pongs, pieces, whatever comes after the end."""
LINGER = 2.0
"""Seconds that a client has to answer our closing."""
TOO_LONG, TOO_MANY, TOO_SLOW = 4001, 4002, 4003


class HandshakeUnfit(Refusal):
    version: int = 13


class Unwaiting:
    """In the place of uvicorn's event for an open socket: nobody waits for a client, what it has not taken is
    counted.
    """

    def set(self) -> None: ...

    def clear(self) -> None: ...

    async def wait(self) -> bool:
        return True


_UNWAITING: Any = Unwaiting()


class WebSocketProtocol(WebSocketsSansIOProtocol):
    """What the sockets of the house are spoken over; the application finds it among the extensions of its scope."""

    __slots__ = (
        *("_control_bucket", "_is_ignoring", "_most_unsent", "_take_binary", "_unparsed"),
        *("app", "app_state", "asgi_version", "client", "close_sent", "close_timeout", "close_timer", "config", "conn"),
        *("connections", "curr_msg_data_type", "default_headers", "disconnected", "frames", "handshake_complete"),
        *("handshake_initiated", "initial_response", "last_ping_rtt", "logger", "loop", "pending_ping_payload"),
        *("ping_interval", "ping_sent_at", "ping_timeout", "ping_timer", "pong_timer", "queue", "read_paused"),
        *("request", "response", "root_path", "scheme", "scope", "server", "tasks", "transport", "writable"),
    )
    """What uvicorn keeps of a line lies here too: in its dictionary it would be 1.5 KiB (G-19)."""
    is_at_door = False

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.queue = Inbox()  # type: ignore[assignment]
        self.app = partial(run_socket, self.app)
        self._unparsed: bytearray | None = None
        """What has come and is not parsed yet: what the loop read at once, and no more while it is there."""
        self._control_bucket: TokenBucket | None = None
        self._is_ignoring = False
        """Whether too much has come: nothing more is parsed."""
        self._take_binary: Callable[[bytes], None] | None = None
        self._most_unsent = BUFFER

    def connection_made(self, transport: BaseTransport) -> None:
        super().connection_made(transport)
        self.conn.reject = self._reject  # type: ignore[method-assign]
        if (raw_socket := transport.get_extra_info("socket")) is not None:
            raw_socket.setsockopt(SOL_SOCKET, SO_SNDBUF, BUFFER)

    def data_received(self, data: bytes) -> None:
        if self._is_ignoring:
            return
        if not self.handshake_initiated:
            self._read_handshake(data)
        elif self._unparsed or len(data) > SLICE:
            self._unparsed = (self._unparsed or bytearray()) + data
            self._parse_more()
        else:
            super().data_received(data)

    def _read_handshake(self, data: bytes) -> None:
        """The request, which comes whole. uvicorn would say nothing to one that cannot be read, and wait for ever."""
        super().data_received(data)
        if not self.handshake_initiated:
            self.handshake_complete = self.close_sent = True
            answer = b"".join(self.conn.data_to_send()) or self._reject(HTTPStatus.BAD_REQUEST, "").serialize()
            self.transport.write(answer)
            self.transport.close()

    def _parse_more(self) -> None:
        """Parse what has come, until the queue is full or nothing is left."""
        while self._unparsed and not self.read_paused and not self.transport.is_closing():
            size = SLICE if self._take_binary is None else BINARY_SLICE
            part = bytes(self._unparsed[:size])
            del self._unparsed[:size]
            super().data_received(part)

    async def receive(self) -> ASGIReceiveEvent:
        """The next message; when it was the last, what was held back is parsed, and only then more is read."""
        message = await self.queue.get()
        if message["type"] == "websocket.disconnect":
            self.scope["state"]["close_code"] = message.get("code") or 1005  # for the line in the log
        if self.read_paused and self.queue.empty():
            self.read_paused = False
            self._parse_more()
            if not self.read_paused and not self._is_ignoring:
                self.transport.resume_reading()
        return message

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if not self.close_sent:
            self.scope["extensions"][EXTENSION] = {"line": self}

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        if message["type"] == "websocket.accept":
            self._drop_request()
        elif message["type"] == "websocket.http.response.body" and not message.get("more_body", False):
            self.handshake_complete = True  # a refusal is an answer: uvicorn would log each as an error

    def _drop_request(self) -> None:
        """Once it is let in, what a client said of itself at the door is not kept for the hours that it stays: a tenth
        of what a line takes of memory (G-19), and a cookie less in it.
        """
        self.request.headers.clear()  # the parser holds on to the request
        del self.request, self.response, self.conn.reject
        self.scope["headers"] = []
        self.writable = _UNWAITING

    def write(self, frame: bytes) -> bool:
        """Hand over a frame; False where the line is closing, or is closed by this for reading too slowly."""
        if self.close_sent or self.transport.is_closing():
            return False
        self.transport.write(frame)
        return self._check_buffer()

    def allow_unsent(self, most: int) -> None:
        """This client may be behind by so many bytes: whoever writes to it looks at what is unsent before."""
        self._most_unsent = most

    def count_unsent(self) -> int:
        return self.transport.get_write_buffer_size()

    def write_raw(self, frame: bytes) -> None:
        """Hand over a frame, where who writes has counted what is unsent."""
        if not self.close_sent:
            self.transport.write(frame)

    def allow_binary(self, take: Callable[[bytes], None], largest: int) -> None:
        """Binary messages up to this size go to `take` as they come; at all other sockets they are a fault."""
        self._take_binary = take
        self.conn.max_message_size = largest

    def close_with(self, code: int) -> None:
        """Close with a reason, after what was written; who does not answer is cut off."""
        if self.close_sent or self.transport.is_closing():
            return
        reason = CLOSE_REASONS[code]
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.conn.send_close(code, reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
            self.loop.call_soon(self._parse_more)
        self.close_timer = self.loop.call_later(LINGER, self.transport.abort)

    def show_tables(self, tables: tuple[str, ...]) -> None:
        """Nobody else has to know: the line ends with the process that shows them."""

    def send_receive_event_to_app(self) -> None:
        """A whole message has come. uvicorn would stop reading after each, and start again: two calls of the system."""
        if self.close_sent:
            self.frames = []
            self._count_control_frame()
            return
        if self.curr_msg_data_type != "text" and self._take_binary is not None:
            message, self.frames = self.frames[0] if len(self.frames) == 1 else b"".join(self.frames), []
            self._take_binary(bytes(message))
            return
        if self.curr_msg_data_type != "text":
            super().send_receive_event_to_app()
            return
        data, self.frames = self.frames[0] if len(self.frames) == 1 else b"".join(self.frames), []
        try:
            text = str(data, "utf-8")
        except UnicodeDecodeError:
            self.frames = [data]
            super().send_receive_event_to_app()
            return
        self.queue.put_nowait({"type": "websocket.receive", "text": text, ARRIVED: monotonic()})  # type: ignore[arg-type]
        if not self.read_paused and self.queue.qsize() >= QUEUED:
            self.read_paused = True
            self.transport.pause_reading()

    def handle_ping(self) -> None:
        if self._count_control_frame():
            super().handle_ping()
            self._check_buffer()

    def handle_pong(self, event: Frame) -> None:
        if self._count_control_frame():
            super().handle_pong(event)

    def handle_cont(self, event: Frame) -> None:
        """One more piece; the first one counts with the second, without which it is nothing. Browsers send a large
        binary message in pieces: those count with their message.
        """
        is_expected = self._take_binary is not None and self.curr_msg_data_type != "text"
        if not is_expected and not self._count_control_frame():
            return
        if len(self.frames) < FRAGMENTS:
            super().handle_cont(event)
        else:
            self.frames = [b""]
            self.close_with(TOO_LONG)

    def _count_control_frame(self) -> bool:
        """One more frame that brings no message; False where there were too many. Then nothing more is parsed, nor
        read: what still comes stays with who sends it, and our reason with who reads.
        """
        if self._is_ignoring:
            return False
        now = int(self.loop.time() * 1000)
        self._control_bucket = self._control_bucket or TokenBucket(*CONTROL_FRAMES, now)
        if self._control_bucket.take(now):
            return True
        self._is_ignoring, self._unparsed = True, None
        if self.handshake_complete:
            self.close_with(TOO_MANY)
        if self.close_timer is None:
            self.transport.abort()
        else:
            self.transport.pause_reading()
        return False

    def _reject(self, status: int, text: str) -> Response:
        """What uvicorn and its parser say where no socket can open, as the house says no (ASVS 16)."""
        del text
        http_status = HTTPStatus(status)
        is_ours = (
            http_status >= HTTPStatus.INTERNAL_SERVER_ERROR and http_status != HTTPStatus.HTTP_VERSION_NOT_SUPPORTED
        )
        refusal = Broken() if is_ours else HandshakeUnfit()
        headers, body = encode_refusal(http_status, refusal, self.config, self.server)
        more = {"Date": formatdate(usegmt=True), "Sec-WebSocket-Version": "13"}
        return Response(http_status, http_status.phrase, Headers({**headers, **more}), body)

    def _check_buffer(self) -> bool:
        if self.transport.get_write_buffer_size() <= self._most_unsent:
            return True
        self.close_with(TOO_SLOW)
        return False


def encode_frame(payload: bytes) -> bytes:
    """One whole text frame as a server sends it (RFC 6455, 5.2)."""
    size = len(payload)
    if size < 126:
        return bytes((0x81, size)) + payload
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2, "big") + payload
    return b"\x81\x7f" + size.to_bytes(8, "big") + payload


UVICORN_OPTIONS: dict[str, Any] = {
    "http": HttpProtocol,
    "ws": WebSocketProtocol,
    "ws_max_size": 8 << 10,
    "ws_per_message_deflate": False,
    "ws_ping_interval": 60.0,
    "ws_ping_timeout": 20.0,
}
"""What uvicorn is told of connections. It ends messages beyond `ws_max_size` itself, with 1009."""
