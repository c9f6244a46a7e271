"""The door of the socket: a page of ours, a session, and a ticket of that session, once and in time (ASVS 4.4)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import pytest_asyncio

from tests.support.busy_house import World
from tests.support.in_process_house import ORIGIN, InProcessHouse, opened
from ventuno.house.accounts.sessions import Identity
from ventuno.web.http.rate_limits import RateLimits
from ventuno.web.sockets.open_socket import EXTENSION, run_socket
from ventuno.web.sockets.tickets import LIFE, REMEMBERED, Tickets, TicketUnfit


class Handshakes:
    """Opens sockets at an application without a server; who is let in is noted and let go again."""

    def __init__(self, entrance: InProcessHouse) -> None:
        self.entrance, self.let_in = entrance, list[Identity]()
        entrance.app.state.hub.serve = self._serve

    async def _serve(self, _line: object, _receive: object, known: Identity) -> None:
        self.let_in.append(known)

    async def ticket(self, token: str) -> str:
        async with self.entrance.client(token) as client:
            return str((await client.post("/api/ticket")).json()["ticket"])

    async def open(self, token: str, ticket: str | None, origin: str | None = ORIGIN, path: str = "/socket") -> str:
        """`open`, or the code of the refusal, which comes before the socket opens."""
        named = {"cookie": f"ventuno={token}" if token else None, "origin": origin}
        told: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "websocket.connect"}

        async def send(message: Any) -> None:
            told.append(message)

        scope = {
            "type": "websocket",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "scheme": "ws",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": urlencode({} if ticket is None else {"ticket": ticket}).encode(),
            "headers": [(key.encode(), value.encode()) for key, value in named.items() if value is not None],
            "client": ("127.0.0.1", 1),
            "server": ("127.0.0.1", 2121),
            "subprotocols": [],
            "extensions": {"websocket.http.response": {}, EXTENSION: {"line": object()}},
        }
        await run_socket(self.entrance.app, scope, receive, send)
        if told[0]["type"] == "websocket.accept":
            return "open"
        assert told[0]["type"] == "websocket.http.response.start"
        assert told[0]["status"] in (401, 403, 404, 429)
        assert any(name == b"content-security-policy" for name, _ in told[0]["headers"])
        return str(json.loads(told[1]["body"])["error"]["code"])


@pytest_asyncio.fixture
async def doors(entrance: InProcessHouse) -> AsyncIterator[Handshakes]:
    yield Handshakes(entrance)


async def test_a_ticket_opens_once(doors: Handshakes) -> None:
    ada = await doors.entrance.joined("Ada")
    token = await doors.entrance.token(ada)
    ticket = await doors.ticket(token)
    assert await doors.open(token, ticket) == "open"
    assert await doors.open(token, ticket) == "TicketUnfit"
    assert [one.player for one in doors.let_in] == [ada]


async def test_a_ticket_is_good_for_thirty_seconds(doors: Handshakes) -> None:
    token = await doors.entrance.token(await doors.entrance.joined("Ada"))
    assert LIFE <= 30_000
    first, second = await doors.ticket(token), await doors.ticket(token)
    doors.entrance.clock.move(LIFE - 1)
    assert await doors.open(token, first) == "open"
    doors.entrance.clock.move(1)
    assert await doors.open(token, second) == "TicketUnfit"


async def test_a_ticket_is_good_for_its_session_alone(doors: Handshakes) -> None:
    ada, bea = await doors.entrance.joined("Ada"), await doors.entrance.joined("Bea")
    token, again, other = [await doors.entrance.token(player) for player in (ada, ada, bea)]
    for stranger in (other, again):
        ticket = await doors.ticket(token)
        assert await doors.open(stranger, ticket) == "TicketUnfit"
        assert await doors.open(token, ticket) == "TicketUnfit"
    assert await doors.open("", await doors.ticket(token)) == "NotKnown"
    assert doors.let_in == []


@pytest.mark.parametrize("ticket", [None, "", "x", "0" * 43, "é", "a" * 5000])
async def test_no_ticket_and_what_is_none(doors: Handshakes, ticket: str | None) -> None:
    token = await doors.entrance.token(await doors.entrance.joined("Ada"))
    assert await doors.open(token, ticket) == "TicketUnfit"


@pytest.mark.parametrize(
    "origin", [None, "null", "https://evil.example", "http://127.0.0.1:2122", "http://127.0.0.1:2121.evil.example", ""]
)
async def test_a_foreign_page_opens_nothing(doors: Handshakes, origin: str | None) -> None:
    token = await doors.entrance.token(await doors.entrance.joined("Ada"))
    ticket = await doors.ticket(token)
    assert await doors.open(token, ticket, origin) == "ForeignOrigin"
    assert await doors.open(token, ticket) == "open"


async def test_a_socket_opens_at_its_own_path_alone(doors: Handshakes) -> None:
    token = await doors.entrance.token(await doors.entrance.joined("Ada"))
    for path in ("/", "/api/lobby", "/api/nothing", "/socket/2"):
        assert await doors.open(token, await doors.ticket(token), path=path) == "NothingHere"


async def test_planted_door_that_forgets_to_ask_is_caught(doors: Handshakes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A desk that takes any ticket: the tests above would see it let everybody in."""
    monkeypatch.setattr(Tickets, "redeem", lambda *_: None)
    token = await doors.entrance.token(await doors.entrance.joined("Ada"))
    assert await doors.open(token, "x") == "open"


async def test_a_session_that_is_over_opens_nothing(doors: Handshakes) -> None:
    ada = await doors.entrance.joined("Ada")
    token = await doors.entrance.token(ada)
    ticket = await doors.ticket(token)
    async with doors.entrance.client(token) as client:
        await client.post("/api/logout")
    assert await doors.open(token, ticket) == "SessionOver"


async def test_a_supervisor_without_a_second_factor_opens_nothing(doors: Handshakes) -> None:
    token = await doors.entrance.token(await World(doors.entrance).supervisor(enrolled=False))
    assert await doors.open(token, "x") == "SecondFactorMissing"


async def test_sockets_of_one_address_are_counted(tmp_path: Path) -> None:
    async with opened(tmp_path, allowances=RateLimits(connections=1)) as entrance:
        doors = Handshakes(entrance)
        token = await entrance.token(await entrance.joined("Ada"))
        assert entrance.app.state.rates.connect("127.0.0.1")
        assert await doors.open(token, await doors.ticket(token)) == "TooManySockets"
        entrance.app.state.rates.disconnect("127.0.0.1")
        for _ in range(3):
            assert await doors.open(token, await doors.ticket(token)) == "open"


def test_the_memory_of_tickets_is_bounded_and_holds_no_ticket() -> None:
    now = [0]
    tickets = Tickets(lambda: now[0])
    first = tickets.issue("s")
    assert first not in str(tickets._open)
    for _ in range(2_000):
        now[0] += LIFE // 1_000
        tickets.issue("s")
    assert len(tickets) <= 1_001
    assert REMEMBERED <= 100_000
    assert tickets.redeem(first, "s") == TicketUnfit()
    assert len({tickets.issue("s") for _ in range(100)}) == 100
