"""The line to one client: uvicorn's WebSocket, to which frames are handed ready made, and which never fills memory.

A frame that goes to a thousand watchers is encoded and framed once; each line gets the same bytes. Writing never waits:
what a client has not taken is counted, and one that reads too slowly is cut off (T-8).
"""

from __future__ import annotations

from time import monotonic
from typing import Any

from starlette.types import Scope
from uvicorn._types import ASGISendEvent
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame
from websockets.http11 import Request

from ventuno.web.caller import Caller
from ventuno.web.wire.tells import CLOSES

EXTENSION = "ventuno.line"
BUFFER = 64 << 10
"""Bytes that may wait for a client; with one more frame it is cut off."""
FRAGMENTS = 64
"""Pieces in which one message may come; empty ones would cost nothing to send and memory to keep."""
QUEUED = 8
"""Messages of a client that are taken in before he is answered; the rest waits with him."""
ARRIVED = "ventuno.arrived"
"""When a message came, in it, by `time.monotonic`: whoever takes it knows how long it has waited."""
LINGER = 2.0
"""Seconds that a client has to answer our closing."""
TOO_LONG, TOO_SLOW = 4001, 4003


class Line(WebSocketsSansIOProtocol):
    """What the sockets of the house are spoken over; the application finds it among the extensions of its scope."""

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if not self.close_sent:
            self.scope["extensions"][EXTENSION] = {"line": self}

    async def send(self, message: ASGISendEvent) -> None:
        await super().send(message)
        if message["type"] == "websocket.accept":
            self._forget()
        elif message["type"] == "websocket.http.response.body" and not message.get("more_body", False):
            self.handshake_complete = True  # a refusal is an answer: uvicorn would log each as an error

    def _forget(self) -> None:
        """Once it is let in, what a client said of itself at the door is not kept for the hours that it stays: a tenth
        of what a line takes of memory (G-19), and a cookie less in it.
        """
        self.request.headers.clear()  # the parser holds on to the request
        del self.request, self.response
        self.scope["headers"] = []

    def write(self, frame: bytes) -> bool:
        """Hand over a frame; False where the line is closing, or is closed by this for reading too slowly."""
        if self.close_sent or self.transport.is_closing():
            return False
        self.transport.write(frame)
        return self._keeps_up()

    def shut(self, code: int) -> None:
        """Close with a reason, after what was written; who does not answer is cut off."""
        if self.close_sent or self.transport.is_closing():
            return
        reason = CLOSES[code]
        self.queue.put_nowait({"type": "websocket.disconnect", "code": code, "reason": reason})
        self.conn.send_close(code, reason)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        if self.read_paused:
            self.read_paused = False
            self.transport.resume_reading()
        self.close_timer = self.loop.call_later(LINGER, self.transport.abort)

    def send_receive_event_to_app(self) -> None:
        """A whole message has come. uvicorn would stop reading after each, and start again: two calls of the system."""
        if self.curr_msg_data_type != "text" or self.close_sent:
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
        super().handle_ping()
        self._keeps_up()

    def handle_cont(self, event: Frame) -> None:
        if len(self.frames) < FRAGMENTS:
            super().handle_cont(event)
        else:
            self.frames = [b""]
            self.shut(TOO_LONG)

    def _keeps_up(self) -> bool:
        if self.transport.get_write_buffer_size() <= BUFFER:
            return True
        self.shut(TOO_SLOW)
        return False


def line_of(scope: Scope) -> Line | None:
    """The line under an application's scope, where the server is ours."""
    found: dict[str, Any] = scope.get("extensions", {}).get(EXTENSION, {})
    return found.get("line")


def framed(payload: bytes) -> bytes:
    """One whole text frame as a server sends it (RFC 6455, 5.2)."""
    size = len(payload)
    if size < 126:
        return bytes((0x81, size)) + payload
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2, "big") + payload
    return b"\x81\x7f" + size.to_bytes(8, "big") + payload


SERVER: dict[str, Any] = {
    "http": Caller,
    "ws": Line,
    "ws_max_size": 8 << 10,
    "ws_per_message_deflate": False,
    "ws_ping_interval": 60.0,
    "ws_ping_timeout": 20.0,
}
"""What uvicorn is told of connections. It ends messages beyond `ws_max_size` itself, with 1009."""
