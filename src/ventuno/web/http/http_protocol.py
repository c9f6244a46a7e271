"""The HTTP connection of one client: uvicorn's, which waits for nobody for ever and says why it goes (T-8).

uvicorn gives a connection that sends nothing, or one byte now and then, all the time there is, takes headers of any
length, and answers what is no HTTP in plain text. Here a request is small, comes within its time or is told so, and
every refusal has its code, its sentence and its id.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from http import HTTPStatus
from typing import Any

from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from ventuno.core.messages.refusals import Refusal
from ventuno.web.http.errors import encode_error
from ventuno.web.http.security import security_headers

SECONDS = 15
"""For a whole request, from the connection or its first byte on; `request_checks` ends a slow body before that."""
LINGER = 1
"""Seconds in which who was turned away may read why."""
LARGEST_HEAD = 16 << 10
"""Bytes of the line and the headers together."""


class NotHttp(Refusal):
    pass


class HostMissing(Refusal):
    """RFC 9112: every request names one host, and one alone."""


class RequestSlow(Refusal):
    within: int


class HeadTooLarge(Refusal):
    most: int = LARGEST_HEAD


class HttpProtocol(HttpToolsProtocol):
    """One connection, with its patience."""

    _timer: asyncio.TimerHandle | None = None
    """What ends the connection by and by."""
    _head: int | None = 0
    """Bytes of the head so far; None when it is whole."""
    _is_begun = _is_refused = False
    """Whether the request being read was handed on, to be answered there; whether the connection is given up."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        super().data_received(data)
        if self._head is not None and not self._is_refused:
            self._head += len(data)
            if self._head > LARGEST_HEAD:
                self._refuse(431, HeadTooLarge())

    def handle_websocket_upgrade(self) -> None:
        if not self._is_refused:
            self._stop_timer()
            super().handle_websocket_upgrade()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._head, self._is_begun = 0, False
        if self._timer is None:
            self._start_timer()

    def on_headers_complete(self) -> None:
        self._head = None
        if len(self.url) + sum(len(name) + len(value) for name, value in self.headers) > LARGEST_HEAD:
            self._refuse(431, HeadTooLarge())
        elif [bool(value) for name, value in self.headers if name == b"host"] != [True]:
            self._refuse(400, HostMissing())
        else:
            self._is_begun = True
            super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        if not self._is_refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        if not self._is_refused:
            self._stop_timer()
            super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        del msg
        self._refuse(400, NotHttp())

    def _start_timer(self) -> None:
        self._timer = self.loop.call_later(SECONDS, self._too_slow)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_slow(self) -> None:
        if self.flow.read_paused:
            self._start_timer()  # it is we who do not read
        else:
            self._refuse(408, RequestSlow(SECONDS))

    def _refuse(self, status: int, refusal: Refusal) -> None:
        """Say why, and go; where somebody else answers, or has answered, this request, only go."""
        self._stop_timer()
        self._is_refused = True
        last: RequestResponseCycle | None = self.cycle
        if self.transport.is_closing() or self._is_begun or (last is not None and not last.response_complete):
            self.transport.close()
            return
        headers, body = encode_refusal(status, refusal, self.config, self.server)
        lines = [f"{name}: {value}" for name, value in headers.items()]
        start = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}", *lines, "", ""]
        self.transport.write("\r\n".join(start).encode() + body)
        self.transport.write_eof()
        self.flow.resume_reading()  # what is not read would reset the connection, and take our reason with it
        self._timer = self.loop.call_later(LINGER, self.transport.abort)


def encode_refusal(
    status: int, refusal: Refusal, config: Config, server: tuple[str, int | None] | None
) -> tuple[dict[str, str], bytes]:
    """A refusal that no route gives: its body, and the headers of every answer of this house, which the application
    would have put on (ASVS 3.4).
    """
    app: Any = config.app
    body = encode_error(status, refusal.code, asdict(refusal))
    fixed = security_headers(app.state.settings, server[1] or 0 if server else 0)
    own = {"Content-Type": "application/json", "Cache-Control": "no-store", "Connection": "close"}
    return {**own, **fixed, "Content-Length": str(len(body))}, body
