"""The host behind its doors: what breaks there leaves nobody waiting, and doors that are silent are known."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import pytest_asyncio
from starlette.types import Message, Receive, Scope, Send

from tests.support.doors_in_tests import KEY, JoinedDoors, open_all
from tests.support.http_house import opened
from tests.support.in_process_house import ORIGIN
from ventuno.web.doors.host import SILENT, Doors
from ventuno.web.operations.settings import Settings
from ventuno.web.sockets.hub import Hub

BEGINNING: tuple[Message, ...] = (
    {"type": "http.response.start", "status": 200, "headers": []},
    {"type": "http.response.body", "body": b"the first half", "more_body": True},
)


async def break_down(scope: Scope, _receive: Receive, send: Send) -> None:
    """An application that ends before its answer does."""
    for message in BEGINNING if scope["path"].endswith("/begun") else ():
        await send(message)
    raise ValueError("nobody foresaw it")


@pytest_asyncio.fixture
async def doors() -> AsyncIterator[JoinedDoors]:
    application: Any = break_down
    async with open_all(JoinedDoors(Doors(application, KEY, 2), Hub, Settings())) as made:  # type: ignore[arg-type]
        yield made


def call(doors: JoinedDoors) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(doors.take_next()), base_url=ORIGIN)


async def test_a_call_that_breaks_before_its_answer_is_refused(doors: JoinedDoors) -> None:
    async with call(doors) as client:
        answer = await client.get("/api/never")
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "HouseClosed")


async def test_an_answer_that_breaks_in_the_middle_is_not_taken_for_a_whole_one(doors: JoinedDoors) -> None:
    async with call(doors) as client:
        with pytest.raises(ConnectionError):
            await client.get("/api/begun")


async def test_a_socket_whose_service_breaks_is_closed_and_may_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def serve(*_: object) -> None:
        raise ValueError("nobody foresaw it")

    async with opened(tmp_path, doors_before=2) as house:
        ada = await house.joined("Ada")
        with monkeypatch.context() as patched:
            patched.setattr(house.hub, "serve", serve)
            with pytest.raises(AssertionError, match="closed with 4006"):
                await house.enter(ada)
        assert await (await house.enter(ada)).join()


async def test_a_door_that_says_nothing_for_long_is_missing(doors: JoinedDoors) -> None:
    assert doors.host.count_missing() == 0
    for number, link in enumerate(doors.links, 1):
        link.heard -= SILENT + 1
        assert doors.host.count_missing() == number
    (door, *_) = doors.doors
    assert door._link is not None
    door._link.send(door._measure())
    door._link.flush()
    assert doors.host.count_missing() == 1
