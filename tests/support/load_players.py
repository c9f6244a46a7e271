"""Many scripted players in one process, over the public protocol alone: they bet, decide, lose the line and come back.

Each is the example's bot with a memory that outlives its connections: the last version, and the ask that was not
answered yet, which is sent again with the same key. What it was told is kept as evidence.
"""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from tests.support.server_process import example

HOST = "127.0.0.1"
FIRST, LONGEST = 0.1, 1.0
"""Seconds before a lost line is tried again, and at most, doubled each time."""
THINKS = (0.02, 0.4)
"""Seconds before an act."""
PATIENCE = 1.0
"""Seconds after which a player looks again though nothing was said."""
SEATS = 99
"""More than any table has: where a player sits is said by his part, not by what is free."""
EXAMPLE = example()
PURSE: int = EXAMPLE.PURSE
BOT: Any = EXAMPLE.Bot
LOST = (OSError, EOFError, TimeoutError, WebSocketException)


class Sight(NamedTuple):
    """The open cards of a table as one player saw them last, and of which round they are."""

    version: int
    code: str
    phase: str
    cards: dict[str, tuple[str, ...]]


class Seen(NamedTuple):
    """What a player was shown of his money at a table, and what he knew of the money that he brought."""

    now: int
    total: int
    brought: int
    pending: int
    """A bring that was asked and not answered yet: it may be in the total."""
    rounds: int
    """Rounds whose settlement he has seen."""


class Settled(NamedTuple):
    code: str
    net: int


async def call(port: int, path: str, cookie: str = "", body: Any = None, key: str = "") -> tuple[Any, str]:
    """One POST to the house: the answer, and the cookie it set. OSError or EOFError where the line breaks."""
    sent = b"" if body is None else json.dumps(body).encode()
    head = [f"POST {path} HTTP/1.1", f"Host: {HOST}:{port}", "X-Ventuno: 1", "Connection: close"]
    head += [f"Content-Length: {len(sent)}", f"Origin: http://{HOST}:{port}"]
    head += ["Content-Type: application/json"] if sent else []
    head += [f"Cookie: {cookie}"] if cookie else []
    head += [f"Idempotency-Key: {key}"] if key else []
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        writer.write("\r\n".join([*head, "", ""]).encode() + sent)
        whole = await reader.read()
    finally:
        writer.close()
    top, found, text = whole.partition(b"\r\n\r\n")
    if not found:
        raise EOFError("the line broke before the answer")
    lines = top.decode("latin-1").split("\r\n")
    status = int(lines[0].split()[1])
    if status in (429, 503):
        raise EOFError(f"{path}: {status}")
    if status >= 300:
        raise RuntimeError(f"{path}: {status} {text.decode()}")
    if len(text) < _length(lines):
        raise EOFError("the line broke within the answer")
    return json.loads(text) if text else None, _cookie(lines)


def _length(lines: list[str]) -> int:
    return next((int(line.partition(":")[2]) for line in lines if line.lower().startswith("content-length:")), 0)


def _cookie(lines: list[str]) -> str:
    found = (line.partition(":")[2] for line in lines if line.lower().startswith("set-cookie:"))
    return next((one.strip().partition(";")[0] for one in found), "")


class Player(BOT):  # type: ignore[misc]
    """One player at one table, from his first call to the end of the crowd."""

    table: str
    code: str
    settled: int

    def __init__(self, port: int, game: str, table: str, box: int, told: Callable[[Player], None]) -> None:
        super().__init__(None, table, SEATS, True)
        self.port, self.game, self.seat, self.told = port, game, box, told
        self.chance = random.Random(f"{game} {table} {box}")
        self.cookie = ""
        self.waiting: tuple[str, dict[str, Any]] | None = None
        """The ask that is not answered: its key and what was asked."""
        self.acknowledged: list[tuple[str, str]] = []
        """What was answered with yes: key and what was done."""
        self.refusals: dict[str, int] = {}
        self.resent = self.looked_at = 0
        self.brought = 0
        self.seen: list[Seen] = []
        self.rounds: list[Settled] = []
        self.is_back = False
        self.shown_at = 0.0
        """When the house last sent the whole table or let him to it, by the steady clock."""
        self.heard_at = 0.0

    async def enter(self) -> None:
        """A guest with some money and a table; whatever breaks on the way is tried again."""
        _, self.cookie = await again(lambda: call(self.port, "/api/guest"))
        key = secrets.token_urlsafe(12)
        await again(lambda: call(self.port, "/api/cashier/deposits", self.cookie, {"amount": 4 * PURSE}, key))
        if not self.table:
            told, _ = await again(lambda: call(self.port, f"/api/solo/{self.game}", self.cookie))
            self.table = told["table"]

    async def live(self) -> None:
        """Play until cancelled. A lost line is taken up again, later each time that it fails."""
        wait = FIRST
        while True:
            try:
                async with self._connected():
                    await self._come_back()
                    wait = FIRST
                    await self._play_on()
            except LOST:
                self.is_back = False
            await asyncio.sleep(wait * self.chance.uniform(0.5, 1.5))
            wait = min(2 * wait, LONGEST)

    @asynccontextmanager
    async def _connected(self) -> AsyncIterator[None]:
        told, _ = await call(self.port, "/api/ticket", self.cookie)
        address = f"ws://{HOST}:{self.port}/socket?ticket={told['ticket']}"
        held: Any = {"Cookie": self.cookie}
        origin: Any = f"http://{HOST}:{self.port}"
        async with connect(
            address, origin=origin, additional_headers=held, compression=None, ping_interval=None, close_timeout=1
        ) as self.socket:
            yield

    async def _come_back(self) -> None:
        """The table with the last version, then the ask that was not answered, with its key."""
        mark = f"j{next(self.marks)}"
        version = {"version": self.version} if self.version >= 0 else {}
        await self.send(type="join", id=mark, table=self.table, **version)
        answer = await self._answered(mark)
        if answer["refused"]:
            raise EOFError(f"not let in: {answer['refused']['code']}")
        self.is_back, self.shown_at = True, time.monotonic()
        self.told(self)
        if self.waiting:
            self.resent += 1
            await self._insist()

    async def _answered(self, mark: str) -> dict[str, Any]:
        async with asyncio.timeout(120):
            while (told := await self.hear())["type"] != "answer" or told["id"] != mark:
                pass
        return dict(told)

    async def _play_on(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            until = loop.time() + self.chance.uniform(*THINKS)
            while (left := until - loop.time()) > 0:
                await self._hear_within(left)
            command = self.wish()
            if command is None or await self.ask(command):
                await self._hear_within(PATIENCE)

    async def _hear_within(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(seconds):
                await self.hear()
        except TimeoutError:
            pass

    def wish(self) -> dict[str, Any] | None:
        wished: dict[str, Any] | None = super().wish()
        return {"do": "sit", "box": self.seat} if wished and wished["do"] == "sit" else wished

    async def ask(self, command: dict[str, Any]) -> Any:
        self.waiting = secrets.token_urlsafe(12), command
        return await self._insist()

    async def _insist(self) -> Any:
        """Send what waits until it is answered; it is forgotten then and not before."""
        assert self.waiting is not None
        key, command = self.waiting
        mark = f"a{next(self.marks)}"
        await self.send(type="ask", id=mark, table=self.table, key=key, command=command)
        answer = await self._answered(mark)
        self.waiting = None
        if no := answer["refused"]:
            self.refusals[no["code"]] = self.refusals.get(no["code"], 0) + 1
            return no
        self.acknowledged.append((key, command["do"]))
        if command["do"] == "bring":
            self.brought += command["amount"]
        while self.version < answer["version"]:
            await self.hear()
        return None

    async def hear(self) -> dict[str, Any]:
        told: dict[str, Any] = await super().hear()
        self.heard_at = time.monotonic()
        if told["type"] == "table":
            self.shown_at = self.heard_at
        if told["type"] in ("table", "step") and self.version >= 0:
            self._keep(told["now"])
        return told

    def _keep(self, now: int) -> None:
        lines = [line for line in self.public["lines"] if line["player"] == self.me]
        if lines and self.public["code"] != self.code:
            self.code, self.settled = self.public["code"], self.settled + 1
            self.rounds.append(Settled(self.code, sum(line["returned"] - line["stake"] for line in lines)))
        pending = self.waiting[1]["amount"] if self.waiting and self.waiting[1]["do"] == "bring" else 0
        total = self.mine["balance"] + self.mine["staked"]
        one = Seen(now, total, self.brought, pending, len(self.rounds))
        if not self.seen or self.seen[-1][1:] != one[1:]:
            self.seen.append(one)

    def state(self) -> str:
        """Where he stands, for who has to find out why nothing goes on."""
        public = {name: self.public.get(name) for name in ("phase", "stage", "code", "turn", "deadline", "paused")}
        mine = {name: self.mine.get(name) for name in ("balance", "staked", "bets")}
        return f"{self.me} at {self.table} box {self.seat}: {public} {mine} waits for {self.waiting}; {self.refusals}"

    def sight(self) -> Sight:
        """The open cards as they were shown last."""
        dealer = self.public["dealer"]
        cards = {"dealer": tuple(dealer["cards"]), "community": tuple(dealer["community"])}
        for box in self.public["boxes"]:
            cards[f"box {box['box']}"] = tuple(card for hand in box["hands"] for card in hand["cards"])
        return Sight(self.version, self.public["code"], self.public["phase"], cards)


async def again(what: Callable[[], Any]) -> Any:
    """Do it until the line holds."""
    wait = FIRST
    while True:
        try:
            return await what()
        except LOST:
            await asyncio.sleep(wait)
            wait = min(2 * wait, LONGEST)
