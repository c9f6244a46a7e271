"""A customer over a real server: cashier and lobby by HTTP, a table by sockets, and a history of every answer (T-9)."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any

import httpx
from websockets.exceptions import ConnectionClosed

from tests.support.house import LIVE, key
from tests.support.http_house import ServedHouse, Visitor
from tests.support.money_histories import (
    BRING,
    DEPOSIT,
    DONE,
    READ,
    REFUSED,
    TAKE,
    UNKNOWN,
    WITHDRAW,
    Books,
    Call,
    History,
)
from tests.support.patience import PATIENCE
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts.sessions import Entered

SHORT = "FundsMissing"
_numbers = count(1)
Answer = tuple[str, str, dict[str, Any]]
"""Done, refused or unknown; the code of a refusal; what was told."""


@dataclass
class Customer:
    """One player with a session, a browser and, where he has gone to a table, a socket."""

    doors: ServedHouse
    player: PlayerId
    session: Entered
    http: httpx.AsyncClient
    history: History
    visitor: Visitor | None = None
    refusals: list[str] = field(default_factory=list)

    @classmethod
    async def come(cls, doors: ServedHouse, money: Cents = 100_000, name: str = "") -> Customer:
        player = await doors.joined(name, money)
        session = await doors.session(player)
        http = httpx.AsyncClient(
            base_url=doors.origin,
            headers={"X-Ventuno": "1", "Origin": doors.origin, "Cookie": f"ventuno={session.token}"},
            limits=httpx.Limits(max_connections=200),
        )
        return cls(doors, player, session, http, History(Books(money)))

    async def go(self, table: str = LIVE) -> Visitor:
        self.visitor = await self.doors.enter(self.player, self.session)
        assert (await self.visitor.join(table))["refused"] is None
        return self.visitor

    async def leave(self) -> None:
        await self.http.aclose()

    async def cash(self, kind: str, amount: Cents, again: str = "", *, patience: float = PATIENCE) -> str:
        """A deposit or a withdrawal; who loses patience does not know what came of it."""
        name = again or key()

        async def call() -> Answer:
            answer = await self.http.post(
                f"/api/cashier/{kind}s", json={"amount": amount}, headers={"Idempotency-Key": name}
            )
            body = answer.json()
            if answer.is_success:
                return DONE, "", {"free": body["balance"]}
            return REFUSED, body["error"]["code"], {"free": body["error"]["numbers"].get("available")}

        return await self._noted(DEPOSIT if kind == "deposit" else WITHDRAW, amount, name, call, patience)

    async def move(self, kind: str, amount: Cents, again: str = "", *, patience: float = PATIENCE) -> str:
        """Money to the table or back, over the socket."""
        name, visitor = again or key(), self.visitor
        assert visitor is not None

        async def call() -> Answer:
            answer = await visitor.ask(kind, amount=amount, again=name)
            no = answer["refused"]
            return (REFUSED, no["code"], {}) if no else (DONE, "", {})

        return await self._noted(kind, amount, name, call, patience)

    async def read(self) -> dict[str, Any]:
        """What the house says he has."""
        began = time.monotonic()
        body: dict[str, Any] = (await self.http.get("/api/me")).json()
        told = {"free": body["free"], "purse": body["at_tables"]}
        self.history.calls.append(Call(READ, began, time.monotonic(), **told))
        return body

    async def _noted(
        self, kind: str, amount: Cents, name: str, call: Callable[[], Awaitable[Answer]], patience: float
    ) -> str:
        began = time.monotonic()
        try:
            outcome, code, told = await asyncio.wait_for(call(), patience)
        except (TimeoutError, ConnectionClosed, httpx.TransportError, AssertionError):
            outcome, code, told = UNKNOWN, "", {}
        ended = time.monotonic() if outcome != UNKNOWN else float("inf")
        if outcome != REFUSED or code == SHORT:
            self.history.calls.append(Call(kind, began, ended, amount, outcome, name, **told))
        if code:
            self.refusals.append(code)
        return code or outcome

    async def wander(self, rng: Random, calls: int) -> None:
        """So many calls at random; some are sent twice, and for some he does not wait."""
        for _ in range(calls):
            amount, name = 100 * rng.randrange(1, 400), key()
            patience = rng.choice((PATIENCE, PATIENCE, PATIENCE, 0.002))
            match rng.randrange(6):
                case 0:
                    await self.cash("deposit", amount, name, patience=patience)
                case 1:
                    await self.cash("withdrawal", amount, name, patience=patience)
                case 2:
                    await self.move(BRING, amount, name)
                case 3:
                    await self.move(TAKE, amount, name)
                case 4:
                    await asyncio.gather(*[self.cash("deposit", amount, name) for _ in range(3)])
                case _:
                    await self.read()
