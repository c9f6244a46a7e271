"""A client that costs little, so that the house is measured and not its callers: HTTP on a kept line, and a WebSocket.

What a client sends is masked with zeros, which RFC 6455 allows and which leaves the bytes as they are.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

HOST = "127.0.0.1"
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
KEY = "dmVudHVuby1tZWFzdXJlZA=="
Heard = Callable[[bytes], None]


class LightHttp:
    """Calls one after the other on one connection."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter

    async def post(self, path: str, cookie: str = "", body: Any = None, key: str = "") -> tuple[int, Any, str]:
        """The status, the answer, and the cookie that was set."""
        if self._reader is None:
            self._reader, self._writer = await asyncio.open_connection(HOST, self._port)
        sent = b"" if body is None else json.dumps(body).encode()
        head = [f"POST {path} HTTP/1.1", f"Host: {HOST}:{self._port}", "X-Ventuno: 1", f"Content-Length: {len(sent)}"]
        head += ["Content-Type: application/json"] if sent else []
        head += [f"Cookie: {cookie}"] if cookie else []
        head += [f"Idempotency-Key: {key}"] if key else []
        self._writer.write("\r\n".join([*head, "", ""]).encode() + sent)
        lines = (await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        named = [(name.lower(), value.strip()) for name, _, value in (line.partition(":") for line in lines[1:])]
        length = next((int(value) for name, value in named if name == "content-length"), 0)
        text = await self._reader.readexactly(length)
        cookies = [value.partition(";")[0] for name, value in named if name == "set-cookie"]
        return int(lines[0].split()[1]), json.loads(text) if text else None, cookies[0] if cookies else ""

    def close(self) -> None:
        if self._reader is not None:
            self._writer.close()


async def posted(http: LightHttp, path: str, cookie: str = "", body: Any = None, key: str = "") -> tuple[Any, str]:
    """What a call answers that must be done, and the cookie it sets."""
    status, told, given = await http.post(path, cookie, body, key)
    if status >= 300:
        raise SystemExit(f"{path}: {status} {told}")
    return told, given


class LightSocket(asyncio.Protocol):
    """One WebSocket: whole text frames go to `heard`. `closed` is the code it was closed with, 0 while it is open."""

    __slots__ = ("_buffer", "_head", "_open", "_transport", "closed", "heard")

    def __init__(self, path: str, port: int, cookie: str, heard: Heard) -> None:
        lines = [f"GET {path} HTTP/1.1", f"Host: {HOST}:{port}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {KEY}", "Sec-WebSocket-Version: 13", f"Origin: http://{HOST}:{port}"]
        lines += [f"Cookie: {cookie}"] if cookie else []
        self._head = "\r\n".join([*lines, "", ""]).encode()
        self.heard, self.closed = heard, 0
        self._buffer = b""
        self._open: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._transport: asyncio.Transport

    @classmethod
    async def connect(cls, path: str, port: int, cookie: str, heard: Heard) -> LightSocket:
        loop = asyncio.get_running_loop()
        _, wire = await loop.create_connection(lambda: cls(path, port, cookie, heard), HOST, port)
        await wire._open
        return wire

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        transport.write(self._head)

    def connection_lost(self, exc: Exception | None) -> None:
        del exc
        self.closed = self.closed or 1006
        if not self._open.done():
            self._open.set_exception(ConnectionError("the line broke"))

    def data_received(self, data: bytes) -> None:
        buffer = self._buffer + data if self._buffer else data
        if not self._open.done():
            top, found, rest = buffer.partition(b"\r\n\r\n")
            if not found:
                self._buffer = buffer
                return
            if b" 101 " not in top.split(b"\r\n", 1)[0]:
                self._open.set_exception(ConnectionError(buffer.decode("latin-1")[:500]))
                self._transport.close()
                return
            self._open.set_result(None)
            buffer = rest
        at, end = 0, len(buffer)
        while end - at >= 2:
            size, start = buffer[at + 1], at + 2
            if size == 126:
                size, start = int.from_bytes(buffer[at + 2 : at + 4], "big"), at + 4
            elif size == 127:
                size, start = int.from_bytes(buffer[at + 2 : at + 10], "big"), at + 10
            if start + size > end or (start > end):
                break
            self._frame(buffer[at] & 15, buffer[start : start + size])
            at = start + size
        self._buffer = buffer[at:]

    def _frame(self, kind: int, payload: bytes) -> None:
        if kind == TEXT:
            self.heard(payload)
        elif kind == PING:
            self._write(PONG, payload)
        elif kind == CLOSE:
            self.closed = int.from_bytes(payload[:2], "big") or 1005
            self._transport.close()

    def send(self, payload: bytes) -> None:
        if not self.closed:
            self._write(TEXT, payload)

    def _write(self, kind: int, payload: bytes) -> None:
        size = len(payload)
        head = bytes((0x80 | kind, 0x80 | size)) if size < 126 else b"%c\xfe%b" % (0x80 | kind, size.to_bytes(2, "big"))
        self._transport.write(b"%b\0\0\0\0%b" % (head, payload))

    def close(self) -> None:
        self._transport.close()
