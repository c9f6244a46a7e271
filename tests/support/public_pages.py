"""What everybody may read of a house over HTTP, asked without a network: for paired runs, between two frames.

The application is the house's own, with every middleware; a call is counted as its status, its headers and its bytes.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, nullcontext
from functools import cache
from typing import Any

import pytest
from fastapi import FastAPI
from starlette.datastructures import State
from starlette.types import ASGIApp

from tests.support.channel_house import ChannelHouse
from tests.support.doors_in_tests import DOORS, JoinedDoors, open_joined_doors
from tests.support.in_process_house import ORIGIN, PLENTY
from tests.support.shared_routes import shared
from ventuno.core.rules.money import PlayerId
from ventuno.house.application import Application
from ventuno.house.store.records import Batch
from ventuno.web.app import create_app, schema_only
from ventuno.web.http import lobby
from ventuno.web.odds_room.calculator import OddsClosed
from ventuno.web.operations.metrics import Metrics
from ventuno.web.operations.settings import Settings

DRAWN = re.compile(rb"(?<=\"id\": \")[0-9a-f]{16}|(?<=\"key\":\")[0-9a-f]{64}")
"""The ids of refusals, drawn anew each time; the key that a house signs with, which is its own."""
OFTEN = ("/api/lobby", "/api/me", "/api/supervisor/tables", "/api/supervisor/tables/{table}", "/api/history/{code}")
"""What tells of a table and of a round is read sixteen times as often as the rest."""

ASKED = {
    "/api/supervisor/rounds": "?day={now}&time=12:00:00",
    "/api/supervisor/players": "?name=ad",
    "/api/tables/{table}/consistency": "?old=1&size=1",
}
"""What a call cannot do without."""
APART = (
    "/api/supervisor/export",
    "/api/supervisor/players/{player}",
    "/api/supervisor/players/{player}/data",
    "/api/supervisor/turnover",
)
"""Held by tests of their own: a file that a process writes from the books (tests/house/history/test_export.py), the
page of a player and the data about him, which show a supervisor his money on purpose, and sums of rounds that are over,
which come apart with what was turned in them (tests/web/http/test_console.py).
"""

COMPUTED = "/api/odds/"
"""Odds of rule sheets: what is asked of who computes them has no table in it."""


@cache
def readable() -> tuple[str, ...]:
    """Every path that the document lets anybody read; the document is made once, as it takes a while."""
    listed = schema_only().openapi()["paths"].items()
    return tuple(
        path
        for path, held in listed
        if "get" in held and path.startswith("/api/") and not path.startswith(COMPUTED) and path not in APART
    )


@cache
def door() -> tuple[FastAPI, list[Application]]:
    """One application for all houses of this process, and whom it opens next: making one takes as long as a hundred
    rounds."""
    opening: list[Application] = []

    async def given() -> Application:
        return opening[-1]

    return shared(create_app(given, Settings(), PLENTY)), opening


class Asked:
    """In the place of who computes odds: it only keeps what it is asked, which is told with the answer."""

    def __init__(self) -> None:
        self.questions: list[bytes] = []

    async def ask(self, question: Mapping[str, Any]) -> OddsClosed:
        self.questions.append(json.dumps(question, sort_keys=True, default=str).encode())
        return OddsClosed()

    async def close(self) -> None:
        """There is nothing to end."""


class PublicPages:
    """The calls that read, by path, with the values that a table gives them."""

    def __init__(self, app: FastAPI, cookies: Mapping[str, str], doors: JoinedDoors | None) -> None:
        self._app, self._state, self._cookies, self._doors = app, app.state, dict(cookies), doors
        self._asked = app.state.solved.calculator = Asked()
        self.paths = tuple(f"{path}{ASKED.get(path, '')}" for path in (*readable(), *OFTEN * 15))
        assert set(OFTEN) <= set(readable())

    async def get(self, name: str, path: str, values: Mapping[str, str]) -> bytes:
        """All that is answered to a person, or to nobody where he has no session."""
        place, _, query = path.format(**values).partition("?")
        headers = [(b"host", ORIGIN.removeprefix("http://").encode()), (b"sec-fetch-site", b"same-origin")]
        if token := self._cookies.get(name):
            headers.append((b"cookie", f"ventuno={token}".encode()))
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": place,
            "raw_path": place.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": headers,
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 2121),
        }
        told: list[bytes] = [path.encode()]
        bodies = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> dict[str, Any]:
            return bodies.pop() if bodies else await asyncio.get_running_loop().create_future()

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                told.append(b"%d %r" % (message["status"], message["headers"]))
                assert message["status"] not in (422, 429, 500), (path, message)
            else:
                told.append(DRAWN.sub(lambda one: b"#" * len(one[0]), message.get("body", b"")))

        self._app.state = self._state
        self._asked.questions.clear()
        front: ASGIApp = self._doors.take_next() if self._doors else self._app
        await front(scope, receive, send)
        return b"\n".join((*told, *self._asked.questions))


@asynccontextmanager
async def open_public_pages(house: ChannelHouse, players: Mapping[str, PlayerId]) -> AsyncIterator[PublicPages]:
    """The door of a house, with a session for each of these people."""

    cookies, now = dict[str, str](), house.application.now()
    for name, player in players.items():
        token, _, records = house.application.accounts._tokens.open(player, "127.0.0.1", "test", now)
        await house.application.host.commits.commit(Batch(records=records))
        cookies[name] = token
    app, opening = door()
    opening[:] = [house.application]
    app.state = state = State()
    state.settings, state.meters, state.traces = Settings(), Metrics(), None
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lobby, "FRESH", 0.0)  # the board as it stands at the moment
        async with app.router.lifespan_context(app):
            async with open_joined_doors(app, state.settings) if DOORS else nullcontext() as doors:
                yield PublicPages(app, cookies, doors)
            app.state = state
