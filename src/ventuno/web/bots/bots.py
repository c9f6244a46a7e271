"""Players of the house's own, so that a newcomer sees play at once and can bet behind (X-09).

They are called bots wherever they are seen, and play through the same doors as everybody: a session, a ticket, a
socket on the loopback. They bet little, think as long as people do, never take the last seats, and come back after
every failure.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import urllib.request
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts.tokens import Entered
from ventuno.web.bots.bot import Bot
from ventuno.web.http.security import cookie_name
from ventuno.web.operations import logs
from ventuno.web.operations.settings import Settings

NAMES = ("Ada", "Bruno", "Carla", "Dino", "Elsa")
RETRY_SECONDS = (1.0, 2.0, 5.0, 15.0, 60.0)
"""Seconds before another try, longer each time that one fails."""
STABLE_SECONDS = 30.0
"""A visit that lasted so long was a good one: the next failure begins to count anew."""
_TIMEOUT = 5.0

Entry = Callable[[str, str], Awaitable[Entered | Refusal]]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the bots knock: the door of this very process, as the machine itself reaches it."""

    near: str
    table: str
    seats: int
    settings: Settings

    @property
    def origin(self) -> str:
        """A page of the house, as the gate knows it."""
        return self.settings.public_origin or f"http://{self.near}"


class Bots:
    """So many tasks, each one player who comes back for as long as the house is open."""

    def __init__(self, enter: Entry, place: Place) -> None:
        self._enter, self._place = enter, place
        self._tasks: list[asyncio.Task[None]] = []

    def start(self, number: int) -> None:
        for name in NAMES[:number]:
            self._tasks.append(asyncio.create_task(self._keep(name), name=f"web-bot-{name}"))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _keep(self, name: str) -> None:
        failures, loop = 0, asyncio.get_running_loop()
        while True:
            began = loop.time()
            try:
                await self._visit(name)
            except (OSError, WebSocketException, TimeoutError, LookupError, ValueError) as fault:
                logs.log.warning("a bot was interrupted", bot=name, fault=type(fault).__name__)
            failures = 0 if loop.time() - began > STABLE_SECONDS else failures + 1
            await asyncio.sleep(RETRY_SECONDS[min(failures, len(RETRY_SECONDS)) - 1] if failures else RETRY_SECONDS[0])

    async def _visit(self, name: str) -> None:
        entered = await self._enter(name, "127.0.0.1")
        if isinstance(entered, Refusal):
            logs.log.warning("a bot may not come in", bot=name, code=entered.code)
            return
        cookie = f"{cookie_name(self._place.settings)}={entered.token}"

        async def post(path: str, body: dict[str, Any] | None = None) -> Any:
            return await asyncio.to_thread(self._post, path, body, cookie)

        ticket = (await post("/api/ticket"))["ticket"]
        async with connect(
            f"ws://{self._place.near}/socket?ticket={ticket}",
            origin=self._place.origin,  # type: ignore[arg-type]
            additional_headers={"Cookie": cookie},
            compression=None,
            proxy=None,
        ) as socket:
            await Bot(socket, self._place.table, self._place.seats, post).play()

    def _post(self, path: str, body: dict[str, Any] | None, cookie: str) -> Any:
        """One call over HTTP, in a thread."""
        headers = {"X-Ventuno": "1", "Origin": self._place.origin, "Cookie": cookie}
        headers |= {"Content-Type": "application/json", "Idempotency-Key": secrets.token_urlsafe(12)}
        address = f"http://{self._place.near}{path}"
        request = urllib.request.Request(address, json.dumps(body).encode() if body else b"", headers, method="POST")
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
            text = answer.read()
        return json.loads(text) if text else None
