"""What the doors write down: one line of JSON for each event, built up from what may be told (ASVS 13, ASVS 16, H-1).

No body, no query, no header and no cookie of a request comes here, nor any frame; of an error its kind and its place,
and its words only where they are ours. JSON escapes whatever could begin a new line or steer a terminal.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import secrets
import sqlite3
import sys
import time
import traceback
from collections.abc import Callable, Mapping, MutableMapping
from contextvars import ContextVar
from functools import partial
from types import TracebackType
from typing import Any, TextIO

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ventuno.house.store.durability import StoreInconsistent, Unsafe
from ventuno.house.store.store import HouseOpen, StoreFailed
from ventuno.web.sockets.open_socket import Serving, find_serving, leave_serving

LONGEST = 500
"""Characters of a value at most."""
_FRAMES = 12
_EXTRAS = ("id", "code", "status", "kind", "table")
"""What loggers of the standard library may add to a line; anything else that they carry stays out of it."""
_OURS = (OSError, sqlite3.Error, StoreFailed, HouseOpen, Unsafe, StoreInconsistent)
_PRINTED, _PLACES = "Traceback (most recent call last)", re.compile(r'File "([^"\n]+)", line (\d+)')
"""A traceback that somebody has put into a message: its places are kept, its words are not."""
_current: ContextVar[str] = ContextVar("ventuno_request", default="")


def new_id() -> str:
    """The name of a request or of an error: shown to whoever met it, and found here."""
    return secrets.token_hex(8)


def get_request_id() -> str:
    """The id of the request being answered; a new one outside of any."""
    return _current.get() or new_id()


def public_words(fault: BaseException) -> str:
    """The words of an error where they are the system's or the house's; other words may quote what was sent."""
    return str(fault) if isinstance(fault, _OURS) else ""


def describe_error(kind: type[BaseException], fault: BaseException, trail: TracebackType | None) -> dict[str, Any]:
    """An error as it is logged: kind, words if they may be told, and where, innermost last."""
    frames = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(trail)[-_FRAMES:]]
    return {"fault": kind.__name__, "detail": public_words(fault)[:LONGEST], "where": frames}


def log_unhandled(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What nobody waited for and went wrong; asyncio itself would print the words of the error."""
    log.error(str(context.get("message", "")).partition("\n")[0], exc_info=context.get("exception"))


def add_request(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    if (current := _current.get()) and "id" not in event:
        event["id"] = current
    return event


def add_error(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Instead of a printed traceback, whose last line would quote the words of any error."""
    info = event.pop("exc_info", None)
    record = event.get("_record")
    info = info or (record.exc_info if record is not None else None)
    if record is not None:
        record.exc_info, record.exc_text = None, None
    if info is True:
        info = sys.exc_info()
    if isinstance(info, BaseException):
        info = (type(info), info, info.__traceback__)
    if info and info[0] is not None:
        event.update(describe_error(*info))
    if _PRINTED in (text := str(event.get("event", ""))):
        event.update(event="a fault in a library", where=_PLACES.findall(text)[-_FRAMES:])
    return event


def shorten(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name, value in event.items():
        if isinstance(value, str) and len(value) > LONGEST:
            event[name] = f"{value[:LONGEST]}…"
    return event


def write_json(event: Any, **_options: Any) -> str:
    """In printable ASCII, on one line."""
    return json.dumps(event, ensure_ascii=True, default=_kind).replace("\x7f", "\\u007f")


def _kind(value: object) -> str:
    """What is no plain value is named by its kind alone: a repr could show anything."""
    return f"<{type(value).__name__}>"


_STEPS: tuple[structlog.typing.Processor, ...] = (
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    add_request,
    add_error,
    structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
    shorten,
)
# Without `configure` nothing is printed here: what is logged goes to the standard library's loggers as anything else.
structlog.configure(
    processors=[structlog.stdlib.filter_by_level, *_STEPS, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
    logger_factory=structlog.stdlib.LoggerFactory(),
)
log = structlog.stdlib.get_logger("ventuno.web")


def configure(level: str = "info", stream: TextIO | None = None) -> None:
    """Send every logger of the process, ours and the libraries', through the same few steps to one stream."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.ExtraAdder(_EXTRAS), *_STEPS],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(write_json),
            ],
        )
    )
    logging.getLogger().handlers[:] = [handler]
    set_level(level)


def set_level(level: str) -> None:
    """The least that is logged; libraries speak up for less of it."""
    root = logging.getLogger()
    root.setLevel(level.upper())
    for name, least in (("uvicorn", "WARNING"), ("websockets", "ERROR"), ("httpx", "WARNING"), ("alembic", "WARNING")):
        quiet = logging.getLogger(name)
        quiet.handlers[:] = []
        quiet.propagate = True
        quiet.setLevel(max(getattr(logging, least), root.level))


class LogMiddleware:
    """Middleware: names each request, and writes one line when it is answered."""

    def __init__(self, app: ASGIApp, counted: Callable[[Scope, int], None] | None = None) -> None:
        self._app, self._counted = app, counted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        token = _current.set(new_id())
        scope.setdefault("state", {})["id"] = _current.get()
        status, began = [0], time.perf_counter()

        async def send_watched(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                status[0] = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_watched)
        finally:
            if serving := find_serving(scope):
                leave_serving(scope, partial(_serve_logged, serving, scope["state"], _line(scope), began))
            else:
                if self._counted and scope["type"] == "http":
                    self._counted(scope, status[0])
                kind, code = "socket" if scope["type"] == "websocket" else "request", status[0]
                _write_end(kind, _line(scope), code or scope["state"].get("close_code", 0), began)
            _current.reset(token)


async def _serve_logged(serving: Serving, state: Mapping[str, Any], line: Mapping[str, Any], began: float) -> None:
    """An open socket until its end, under the name of the request that opened it."""
    token = _current.set(state["id"])
    try:
        await serving()
    finally:
        _write_end("socket", line, state.get("close_code", 0), began)
        _current.reset(token)


def _write_end(kind: str, line: Mapping[str, Any], status: int, began: float) -> None:
    log.info(kind, **line, status=status, ms=round((time.perf_counter() - began) * 1000, 1))


def _line(scope: Mapping[str, Any]) -> dict[str, Any]:
    """Who asked what: the path without its query, in which a ticket may be; the address as the gate found it."""
    peer = scope.get("client")
    address = scope.get("ventuno.address") or (peer[0] if peer else "")
    return {"method": scope.get("method", "GET"), "path": scope["path"][:200], "address": address}
