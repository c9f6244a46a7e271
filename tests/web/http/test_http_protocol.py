"""Connections that send a request slowly, endlessly or not at all: each is told why, and ends (T-8, DoS)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.http_house import ServedHouse, opened
from tests.support.raw_client import Raw
from ventuno.web.http import http_protocol, request_checks
from ventuno.web.http.http_protocol import LARGEST_HEAD

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
    monkeypatch.setattr(http_protocol, "SECONDS", 1)
    monkeypatch.setattr(request_checks, "SECONDS", 0.4)


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


async def answered(doors: ServedHouse, data: bytes) -> tuple[int, dict[str, Any]]:
    line = await Raw.open(doors)
    line.send(data)
    found = await line.rest()
    await line.drop()
    return told(found)


async def test_a_head_is_small(tmp_path: Path) -> None:
    """One long header, many short ones, a long path: at once or in pieces."""
    async with opened(tmp_path) as doors:
        for data in (
            START + b"X-A: " + b"y" * LARGEST_HEAD,
            START + b"X-A: " + b"y" * (LARGEST_HEAD - 10) + b"\r\n\r\n",
            START + b"".join(b"X-%d: y\r\n" % number for number in range(3_000)) + b"\r\n",
            b"GET /" + b"x" * LARGEST_HEAD + b" HTTP/1.1\r\nHost: x\r\n\r\n",
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


HANDSHAKE = {
    "Host": "x",
    "Upgrade": "websocket",
    "Connection": "Upgrade",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    "Sec-WebSocket-Version": "13",
}


def shaking(path: str = "/socket", method: str = "GET", **changed: str) -> bytes:
    """A handshake, with these headers changed or, where they are empty, left out."""
    held = {**HANDSHAKE, **{name.replace("_", "-"): value for name, value in changed.items()}}
    rows = [f"{name}: {value}" for name, value in held.items() if value]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *rows, "", ""]).encode()


HOSTLESS = {
    "no host": b"GET /healthz HTTP/1.1\r\nX-A: y\r\n\r\n",
    "an empty host": b"GET /healthz HTTP/1.1\r\nHost:\r\n\r\n",
    "two hosts": b"GET /healthz HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n",
    "an old version without one": b"GET /healthz HTTP/1.0\r\n\r\n",
    "a handshake without one": shaking(Host=""),
}


@pytest.mark.parametrize("data", HOSTLESS.values(), ids=HOSTLESS)
async def test_a_request_names_one_host(tmp_path: Path, data: bytes) -> None:
    async with opened(tmp_path) as doors:
        status, error = await answered(doors, data)
        assert (status, error["code"]) == (400, "HostMissing")


UNFIT = {
    "another version": (shaking(Sec_WebSocket_Version="8"), 400),
    "no version": (shaking(Sec_WebSocket_Version=""), 400),
    "no key": (shaking(Sec_WebSocket_Key=""), 400),
    "a short key": (shaking(Sec_WebSocket_Key="eA=="), 400),
    "another method": (shaking(method="POST"), 405),
    "a long path": (shaking(f"/socket?ticket={'x' * 9_000}"), 414),
    "a long header": (shaking(X_Long="y" * 9_000), 431),
    "many headers": (shaking(**{f"X-{number}": "y" for number in range(300)}), 431),
}
ELSEWHERE = {
    "no request": (b"HELO there\r\n\r\n", 400),
    "a large head": (START + b"X-A: " + b"y" * LARGEST_HEAD, 431),
    "no page": (START.replace(b"/api/lobby", b"/api/none") + b"\r\n", 404),
    "no metrics": (START.replace(b"/api/lobby", b"/metrics") + b"Forwarded: for=1.2.3.4\r\n\r\n", 404),
    "no ticket": (shaking(), 403),
    "no socket": (shaking("/elsewhere"), 404),
}
PROMISED = {
    *("content-security-policy", "x-content-type-options", "x-frame-options", "referrer-policy", "permissions-policy"),
    *("cross-origin-opener-policy", "cross-origin-resource-policy"),
}


@pytest.mark.parametrize(("data", "status"), [*UNFIT.values(), *ELSEWHERE.values()], ids=[*UNFIT, *ELSEWHERE])
async def test_v34_every_no_is_told_in_one_form_with_the_headers_of_all_answers(
    tmp_path: Path, data: bytes, status: int
) -> None:
    """Also where no route, and nothing of the application, is asked: each header is there once, and as it is there."""
    async with opened(tmp_path) as doors, httpx.AsyncClient(base_url=doors.origin) as client:
        usual = (await client.get("/api/lobby")).headers
        line = await Raw.open(doors)
        line.send(data)
        reader = asyncio.create_task(line.rest())
        await asyncio.sleep(0.3)
        line.writer.write_eof()
        found = await reader
        await line.drop()
        assert told(found)[0] == status
        rows = found.partition(b"\r\n\r\n")[0].decode().split("\r\n")[1:]
        given = [(name.lower(), value) for name, _, value in (row.partition(": ") for row in rows)]
        assert len(dict(given)) == len(given), "none is there twice"
        told_of = dict(given)
        assert told_of["content-type"] == "application/json"
        assert {name: told_of.get(name) for name in PROMISED} == {name: usual[name] for name in PROMISED}
        assert told_of["cache-control"] in ("no-store", "no-cache")


async def test_an_honest_caller_notices_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many requests over one connection, with pauses longer than a request may take."""
    monkeypatch.setattr(http_protocol, "SECONDS", 1)
    async with opened(tmp_path) as doors, httpx.AsyncClient(base_url=doors.origin) as client:
        for pause in (0, 0, 1.5, 0):
            assert (await client.get("/api/lobby")).is_success
            assert (await client.post("/api/login", json={"name": "Ada", "password": "x" * 9})).status_code == 403
            await asyncio.sleep(pause)


async def test_without_patience_the_check_finds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The check itself: a server that waits for ever does not end the connection."""
    monkeypatch.setattr(http_protocol.HttpProtocol, "_start_timer", lambda _self: None)
    monkeypatch.setattr(http_protocol, "SECONDS", 0.2)
    async with opened(tmp_path) as doors:
        line = await Raw.open(doors)
        line.send(START)
        with pytest.raises(TimeoutError):
            await line.rest(1.5)
        await line.drop()
