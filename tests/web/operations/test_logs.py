"""The log: one line of JSON for each event, nothing in it that was sent, nothing that steers a terminal."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import traceback
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel
from starlette.types import Message, Receive, Scope, Send

from ventuno.house.store.store import StoreFailed
from ventuno.web.operations import logs

SECRET = "correct-horse-7f3a"


class Body(BaseModel):
    amount: int


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What is logged while a test runs; every logger is as before afterwards."""
    named = [logging.getLogger(name) for name in (None, "uvicorn", "websockets", "httpx", "alembic")]
    before = [(one, one.handlers[:], one.level, one.propagate) for one in named]
    stream = io.StringIO()
    logs.configure("info", stream)
    yield stream
    for one, handlers, level, propagate in before:
        one.handlers[:], one.propagate = handlers, propagate
        one.setLevel(level)


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


@pytest.mark.parametrize("sign", ["\n", "\r", "\x1b[2J", "\x00", "\x7f", "\x85", "\u2028", "\u202e", "\x9b31m"])
def test_no_sign_begins_a_line_or_steers_a_terminal(written: io.StringIO, sign: str) -> None:
    """ASVS 16: whatever is logged stays in its line and is printable ASCII there."""
    forged = f'x{sign}{{"event": "forged"}}'
    logs.log.info(forged, name=forged)
    logging.getLogger("ventuno.house").warning("table %s", forged)
    text = written.getvalue()
    assert [one["level"] for one in lines(written)] == ["info", "warning"]
    assert text.isascii()
    assert all(one.isprintable() for one in text.splitlines())
    assert lines(written)[0]["name"] == forged


def test_an_error_is_told_by_kind_and_place_and_not_by_its_words(written: io.StringIO) -> None:
    """The words of an error may quote what was sent: pydantic's do, and those of a missing key."""
    try:
        Body.model_validate({"amount": SECRET})
    except ValueError:
        logs.log.exception("unfit")
    try:
        dict[str, int]()[SECRET]
    except KeyError as fault:
        logging.getLogger("ventuno.house").error("no %s", "shoe", exc_info=fault)
    first, second = lines(written)
    assert (first["fault"], second["fault"]) == ("ValidationError", "KeyError")
    assert "test_logs.py" in first["where"][0]
    assert SECRET not in written.getvalue()


def test_a_traceback_in_a_message_loses_its_words(written: io.StringIO) -> None:
    """uvicorn puts the whole of it into the message when an application does not start."""
    try:
        dict[str, int]()[SECRET]
    except KeyError:
        logging.getLogger("uvicorn.error").error(traceback.format_exc())
    (line,) = lines(written)
    assert "test_logs.py" in line["where"][0][0]
    assert SECRET not in written.getvalue()


def test_what_the_house_says_itself_is_told(written: io.StringIO) -> None:
    logs.log.error("failed", exc_info=StoreFailed("the store stopped: disk I/O error"))
    assert lines(written)[0]["detail"] == "the store stopped: disk I/O error"


async def test_what_nobody_waited_for_is_logged_without_its_words(written: io.StringIO) -> None:
    async def fails() -> None:
        raise KeyError(SECRET)

    loop = asyncio.get_running_loop()
    loop.set_exception_handler(logs.log_unhandled)
    task = asyncio.create_task(fails())
    await asyncio.sleep(0)
    del task
    await asyncio.sleep(0)
    (line,) = lines(written)
    assert line["fault"] == "KeyError"
    assert SECRET not in written.getvalue()


def test_values_are_bounded_and_objects_only_named(written: io.StringIO) -> None:
    logs.log.info("long", text="x" * 10_000, thing=Body(amount=7))
    (line,) = lines(written)
    assert len(line["text"]) == logs.LONGEST + 1
    assert line["thing"] == "<Body>"


async def call(app: Any, path: str, query: bytes = b"", kind: str = "http") -> list[Message]:
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": SECRET.encode(), "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": kind, "method": "POST", "path": path, "query_string": query, "client": ("10.1.2.3", 5)}
    scope["headers"] = [(b"cookie", f"ventuno={SECRET}".encode())]
    await app(scope, receive, send)
    return sent


class Answering:
    """An app that notes the id of its request, logs a line and answers."""

    id = ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        self.id = scope["state"]["id"]
        assert logs.get_request_id() == self.id
        logging.getLogger("ventuno.web").info("inside")
        await send({"type": "http.response.start", "status": 418})
        await send({"type": "http.response.body", "body": b""})


async def test_a_request_is_one_line_with_its_id_and_no_query(written: io.StringIO) -> None:
    """Request id = error id: what is logged while a request is answered bears the id that its answer can show."""
    app = Answering()
    counted: list[int] = []
    await call(
        logs.LogMiddleware(app, lambda _scope, status: counted.append(status)), "/api/x", b"ticket=" + SECRET.encode()
    )
    inside, line = lines(written)
    assert (line["event"], line["path"], line["status"], line["address"]) == ("request", "/api/x", 418, "10.1.2.3")
    assert inside["id"] == line["id"] == app.id
    assert counted == [418]
    assert SECRET not in written.getvalue()


async def test_the_scan_catches_a_logger_that_prints_bodies(written: io.StringIO) -> None:
    """Planted fault: the same scan, with a middleware that logs what was sent."""

    async def careless(scope: Scope, receive: Receive, send: Send) -> None:
        logging.getLogger("ventuno.web").info("body %s", (await receive())["body"])
        await Answering()(scope, receive, send)

    await call(logs.LogMiddleware(careless), "/api/x")
    assert SECRET in written.getvalue()


async def test_outside_of_requests_ids_are_new() -> None:
    assert logs.get_request_id() != logs.get_request_id()
