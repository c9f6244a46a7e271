"""Connections that send a request slowly, endlessly or not at all: each is told why, and ends (T-8, DoS)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.web.doors import Doors, opened
from tests.web.raw import Raw
from ventuno.web import caller, gate
from ventuno.web.caller import HEAD

LORIS = 8
START = b"GET /api/lobby HTTP/1.1\r\nHost: x\r\n"


def told(data: bytes) -> tuple[int, dict[str, Any]]:
    """The status and the error of the last answer."""
    head, _, body = data[data.rfind(b"HTTP/1.1 ") :].partition(b"\r\n\r\n")
    assert f"content-length: {len(body)}".encode() in head.lower()
    error: dict[str, Any] = json.loads(body)["error"]
    assert set(error) == {"code", "detail", "id", "numbers"}
    assert len(error["id"]) == 16
    return int(head.split(b" ")[1]), error


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller, "SECONDS", 1)
    monkeypatch.setattr(gate, "SECONDS", 0.4)


async def dripped(line: Raw, data: bytes, pause: float = 0.05) -> bytes:
    """A byte now and then, until the house has had enough."""
    reading = asyncio.create_task(line.rest())
    for place in range(len(data)):
        if reading.done():
            break
        line.send(data[place : place + 1])
        await asyncio.sleep(pause)
    found = await reading
    await line.drop()
    return found


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("data", [b"", START, START + b"X-A: " + b"y" * 500, b"GET"])
async def test_a_request_comes_in_time_or_is_told_so(tmp_path: Path, data: bytes) -> None:
    """Nothing at all, or a byte of a head now and then; others are served meanwhile."""
    async with opened(tmp_path) as doors:
        loris = [asyncio.create_task(dripped(await Raw.open(doors), data)) for _ in range(LORIS)]
        async with httpx.AsyncClient(base_url=doors.origin) as client:
            while not all(one.done() for one in loris):
                assert (await client.get("/api/lobby")).is_success
                await asyncio.sleep(0.1)
        for one in loris:
            status, error = told(one.result())
            assert (status, error["code"]) == (408, "RequestSlow")


@pytest.mark.usefixtures("hasty")
async def test_a_body_comes_in_time_or_is_told_so(tmp_path: Path) -> None:
    head = b"POST /api/login HTTP/1.1\r\nHost: x\r\nX-Ventuno: 1\r\nContent-Type: application/json\r\n"
    async with opened(tmp_path) as doors:
        line = await Raw.open(doors)
        line.send(head + b"Content-Length: 90\r\n\r\n")
        status, error = told(await dripped(line, b"{" + b" " * 80))
        assert (status, error["code"]) == (408, "TooSlow")


@pytest.mark.usefixtures("hasty")
async def test_a_body_that_nobody_waits_for_ends_too(tmp_path: Path) -> None:
    """A call that reads is answered before its body is there; who goes on dripping it is cut off all the same."""
    async with opened(tmp_path) as doors:
        line = await Raw.open(doors)
        line.send(START + b"Content-Length: 100000\r\n\r\n")
        found = await dripped(line, b"x" * 400)
        assert found.startswith(b"HTTP/1.1 200")


@pytest.mark.usefixtures("hasty")
async def test_the_second_request_of_a_connection_has_its_time_too(tmp_path: Path) -> None:
    async with opened(tmp_path) as doors:
        line = await Raw.open(doors)
        line.send(START + b"\r\n")
        await asyncio.sleep(0.3)
        status, error = told(await dripped(line, START))
        assert (status, error["code"]) == (408, "RequestSlow")


async def answered(doors: Doors, data: bytes) -> tuple[int, dict[str, Any]]:
    line = await Raw.open(doors)
    line.send(data)
    found = await line.rest()
    await line.drop()
    return told(found)


async def test_a_head_is_small(tmp_path: Path) -> None:
    """One long header, many short ones, a long path: at once or in pieces."""
    async with opened(tmp_path) as doors:
        for data in (
            START + b"X-A: " + b"y" * HEAD,
            START + b"X-A: " + b"y" * (HEAD - 10) + b"\r\n\r\n",
            START + b"".join(b"X-%d: y\r\n" % number for number in range(3_000)) + b"\r\n",
            b"GET /" + b"x" * HEAD + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        ):
            status, error = await answered(doors, data)
            assert (status, error["code"]) == (431, "HeadTooLarge"), data[:60]
        line = await Raw.open(doors)
        for _ in range(40):
            line.send(b"X" * 1_000 if _ else START + b"X-A: ")
            await asyncio.sleep(0.002)
        assert told(await line.rest())[0] == 431
        await line.drop()


@pytest.mark.parametrize(
    "data",
    [
        b"\x00\x01\x02",
        b"HELO there\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET  \r\n\r\n",
    ],
)
async def test_what_is_no_request_is_told_so(tmp_path: Path, data: bytes) -> None:
    async with opened(tmp_path) as doors:
        status, error = await answered(doors, data)
        assert (status, error["code"]) == (400, "NotHttp")


async def test_an_honest_caller_notices_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many requests over one connection, with pauses longer than a request may take."""
    monkeypatch.setattr(caller, "SECONDS", 1)
    async with opened(tmp_path) as doors, httpx.AsyncClient(base_url=doors.origin) as client:
        for pause in (0, 0, 1.5, 0):
            assert (await client.get("/api/lobby")).is_success
            assert (await client.post("/api/login", json={"name": "Ada", "password": "x" * 9})).status_code == 403
            await asyncio.sleep(pause)


async def test_without_patience_the_check_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself: a server that waits for ever does not end the connection."""
    monkeypatch.setattr(caller.Caller, "_wait", lambda _self: None)
    monkeypatch.setattr(caller, "SECONDS", 0.2)
    async with opened(tmp_path) as doors:
        line = await Raw.open(doors)
        line.send(START)
        with pytest.raises(TimeoutError):
            await line.rest(1.5)
        await line.drop()
