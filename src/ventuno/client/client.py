"""A session in the house: over HTTP what concerns the account, over one socket as many tables as one likes."""

from __future__ import annotations

import asyncio
import random
import secrets
from collections import deque
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin

from ventuno.client.account import Login, Movement
from ventuno.client.connection import BUSY, BUSY_SECONDS, RETRY_SECONDS, TRY_AGAIN, Connection, Json
from ventuno.client.errors import CallRefused, LineLost, Refused, TableGone
from ventuno.client.lobby import Lobby
from ventuno.client.records import read_record
from ventuno.client.table import Notice, Table

NOTICES_KEPT = 100
TABLE_ENDS = ("taken-over", "table-closed")
"""Notices after which nothing more is heard of a table."""


class Client:
    """Made by `guest`, `register`, `log_in` or `by_token`; used in `async with`: it comes in there, goes at its end.

    A guest is gone with the session: keep one client for as long as you play.
    """

    def __init__(self, url: str, method: str, path: str, body: Json | None = None, token: str = "") -> None:
        self._url = url.rstrip("/")
        self._entry = method, path, body
        self._bearer = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.AsyncClient(
            base_url=self._url,
            headers={"X-Ventuno": "1", "Origin": self._url, **self._bearer},
            verify=self._url.startswith("https:"),  # the keys of the world take a while to read
        )
        self.connection = Connection(self._open_socket, self._note)
        self._tables: dict[str, Table] = {}
        self.login = Login("", "", "", guest=True, session="")
        """Who one is, once one is in."""
        self.notices: deque[Notice] = deque(maxlen=NOTICES_KEPT)
        """What the house had to say, the newest last."""

    @classmethod
    def guest(cls, url: str) -> Self:
        """A new guest: a number, a name after it, a session."""
        return cls(url, "POST", "/api/guest")

    @classmethod
    def register(cls, url: str, name: str, password: str) -> Self:
        """A new account."""
        return cls(url, "POST", "/api/register", {"name": name, "password": password})

    @classmethod
    def log_in(cls, url: str, name: str, password: str, code: str | None = None) -> Self:
        """An account that there is; `code` where it has a second factor."""
        body = {"name": name, "password": password, **({"code": code} if code else {})}
        return cls(url, "POST", "/api/login", body)

    @classmethod
    def by_token(cls, url: str, token: str) -> Self:
        """A declared bot, by an access token of its account."""
        return cls(url, "GET", "/api/me", token=token)

    async def __aenter__(self) -> Self:
        try:
            self.login = read_record(Login, await self.call(*self._entry))
        except BaseException:
            await self._http.aclose()
            raise
        self.connection.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, fault: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.connection.close()
        await self._http.aclose()

    async def call(self, method: str, path: str, body: Json | None = None, key: str = "") -> Any:
        """Any call of the protocol: what it answers, as JSON. `CallRefused` where the house says no.

        What can be asked twice without harm, to look or under a key, is asked again when the line is lost.
        """
        is_harmless, failures = method == "GET" or bool(key), 0
        while True:
            try:
                return await self._call_once(method, path, body, key)
            except (LineLost, CallRefused) as fault:
                is_passing = isinstance(fault, LineLost) or fault.status in TRY_AGAIN
                if not (is_harmless and is_passing) or failures == len(RETRY_SECONDS):
                    raise
                wait = 0 if isinstance(fault, LineLost) else fault.numbers.get("seconds", 0)
                await asyncio.sleep(max(wait, RETRY_SECONDS[failures] * random.uniform(0.5, 1)))
                failures += 1

    async def _call_once(self, method: str, path: str, body: Json | None, key: str) -> Any:
        headers = {"Idempotency-Key": key} if key else {}
        try:
            answer = await self._http.request(method, path, json=body, headers=headers)
        except httpx.TransportError as fault:
            raise LineLost(f"{self._url}{path}: {str(fault) or type(fault).__name__}") from fault
        if not answer.is_error:
            return answer.json() if answer.content else None
        try:
            error = answer.json()["error"]
        except (ValueError, LookupError, TypeError):  # not of the house: a proxy before it
            raise CallRefused(answer.status_code, answer.reason_phrase, {}) from None
        raise CallRefused(answer.status_code, error["code"], error["numbers"], error["detail"], error["id"])

    async def lobby(self) -> Lobby:
        """Games and live tables, now."""
        return read_record(Lobby, await self.call("GET", "/api/lobby"))

    async def deposit(self, amount: int) -> Movement:
        """Play money into the account, in cents."""
        return await self._move("deposits", amount)

    async def withdraw(self, amount: int) -> Movement:
        return await self._move("withdrawals", amount)

    async def _move(self, direction: str, amount: int) -> Movement:
        path, key = f"/api/cashier/{direction}", secrets.token_urlsafe(12)
        return read_record(Movement, await self.call("POST", path, {"amount": amount}, key))

    async def join(self, name: str) -> Table:
        """A table by its name: its view comes whole, and stays up to date."""
        if name in self._tables and not self._tables[name].is_gone:
            return self._tables[name]
        seats = {line.table: line.seats for line in (await self.lobby()).tables}
        table = Table(name, self.login.player, seats.get(name, 1), self.connection)
        self.connection.watch(table)
        try:
            await self._join(name)
            await table.wait_for(lambda joined: joined.version >= 0)
        except BaseException:
            self.connection.forget(name)
            raise
        self._tables[name] = table
        return table

    async def _join(self, name: str) -> None:
        while refused := (await self.connection.request("join", name))["refused"]:
            if refused["code"] not in BUSY:
                raise Refused(refused["code"], refused["numbers"])
            await asyncio.sleep(BUSY_SECONDS)

    async def join_game(self, game: str) -> Table:
        """One's own table of a game for one, or the first live table of a game with a free seat."""
        lobby = await self.lobby()
        if any(line.game == game and line.solo for line in lobby.games):
            return await self.join((await self.call("POST", f"/api/solo/{quote(game)}"))["table"])
        free = lobby.find_free_table(game)
        if free is None:
            raise TableGone(game, "no table of this game has a free seat")
        return await self.join(free.table)

    async def _open_socket(self) -> ClientConnection:
        ticket = (await self._call_once("POST", "/api/ticket", None, ""))["ticket"]
        headers = self._bearer or {"Cookie": "; ".join(f"{name}={value}" for name, value in self._http.cookies.items())}
        address = f"{self._url.replace('http', 'ws', 1)}/socket?ticket={ticket}"
        return await connect(address, origin=Origin(self._url), additional_headers=headers)

    def _note(self, message: Json) -> None:
        notice = Notice(message["kind"], message.get("table", ""), message.get("numbers", {}))
        self.notices.append(notice)
        if notice.kind in TABLE_ENDS and (table := self._tables.pop(notice.table, None)):
            self.connection.forget(table.name)
            table.end(TableGone(table.name, notice.kind))
