"""Players of the house's own, so that a newcomer sees play at once and can bet behind (X-09).

They are called bots wherever they are seen, and play through the same doors as everybody: a session, a ticket, a
socket on the loopback. They bet little, think as long as people do, hurry nobody, never take the last seats, have no
part in the cut of a shoe, and come back after every failure.
"""

from __future__ import annotations

import asyncio
import json
import random
import secrets
import urllib.request
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException
from websockets.typing import Origin

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import VALUES, card
from ventuno.core.rules.hand import is_soft, total
from ventuno.house.accounts.sessions import Entered
from ventuno.web.http.security import cookie_name
from ventuno.web.operations import logs
from ventuno.web.operations.settings import Settings
from ventuno.web.sockets.changes import apply_changes

NAMES = ("Ada", "Bruno", "Carla", "Dino", "Elsa")
RETRY_SECONDS = (1.0, 2.0, 5.0, 15.0, 60.0)
"""Seconds before another try, longer each time that one fails."""
STABLE_SECONDS = 30.0
"""A visit that lasted so long was a good one: the next failure begins to count anew."""
_TIMEOUT = 5.0
BUY_IN, TOP_UP = 20_000, 200_000
"""What it brings to the table when it runs low, and what it takes from the cashier when that is not there; in cents."""
FREE = 2
"""Seats that are left to people: a bot sits down only where more than these are free."""
REJOIN_SECONDS = 1.0
"""After which a bot asks again for a table that the house was too busy to show."""
THINKING_SECONDS = {"bet": (1.0, 4.0), "deal": (5.0, 7.5), "decide": (1.0, 3.0), "sit": (0.2, 1.0)}
"""Seconds before each kind of act. Between its bet and `deal` there is time for others to bet behind."""

Entry = Callable[[str, str], Awaitable[Entered | Refusal]]
Post = Callable[[str, dict[str, Any] | None], Awaitable[Any]]
Command = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Place:
    """Where the bots connect: to this very process, at its address on this machine."""

    address: str
    table: str
    seats: int
    settings: Settings

    @property
    def origin(self) -> str:
        """A page of the house, as `request_checks` knows it."""
        return self.settings.public_origin or f"http://{self.address}"


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
            f"ws://{self._place.address}/socket?ticket={ticket}",
            origin=Origin(self._place.origin),
            additional_headers={"Cookie": cookie},
            compression=None,
            proxy=None,
        ) as socket:
            await Bot(socket, self._place.table, self._place.seats, post).play()

    def _post(self, path: str, body: dict[str, Any] | None, cookie: str) -> Any:
        """One call over HTTP, in a thread."""
        headers = {"X-Ventuno": "1", "Origin": self._place.origin, "Cookie": cookie}
        headers |= {"Content-Type": "application/json", "Idempotency-Key": secrets.token_urlsafe(12)}
        address = f"http://{self._place.address}{path}"
        request = urllib.request.Request(address, json.dumps(body).encode() if body else b"", headers, method="POST")
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
            text = answer.read()
        return json.loads(text) if text else None


class Bot:
    """One bot at one table: what it sees, what it wishes, and how long it thinks about it."""

    def __init__(self, socket: ClientConnection, table: str, seats: int, post: Post) -> None:
        self._socket, self._table, self._seats, self._post = socket, table, seats, post
        self._chance = random.Random()
        self._marks = count(1)
        self._answers: dict[str, asyncio.Future[Any]] = {}
        self._changed = asyncio.Event()
        self.me, self.version = "", -1
        self.public: dict[str, Any] = {}
        self.mine: dict[str, Any] = {}

    async def play(self) -> None:
        """Until the connection ends: one half listens, the other thinks and acts."""
        acting = asyncio.create_task(self._act())
        try:
            await self._send(type="join", id="join", table=self._table)
            async for frame in self._socket:
                await self.hear(json.loads(frame))
                if acting.done():
                    await acting
        finally:
            acting.cancel()
            await asyncio.gather(acting, return_exceptions=True)

    async def _send(self, **message: Any) -> None:
        await self._socket.send(json.dumps(message))

    async def hear(self, message: dict[str, Any]) -> None:
        match message["type"]:
            case "welcome":
                self.me = message["player"]
            case "ping":
                await self._send(type="pong", nonce=message["nonce"])
            case "table":
                self.public, self.mine, self.version = message["public"], message["mine"], message["version"]
            case "step" if message["after"] == self.version:
                self.public = apply_changes(self.public, message["public"])
                self.mine = apply_changes(self.mine, message.get("mine", ()))
                self.version = message["version"]
            case "step" if message["version"] > self.version:
                await self._send(type="join", id=f"j{next(self._marks)}", table=self._table, version=self.version)
            case "answer" if message["id"].startswith("j") and is_busy(message["refused"]):
                await asyncio.sleep(REJOIN_SECONDS)
                await self._send(type="join", id=f"j{next(self._marks)}", table=self._table)
            case "answer" if message["id"] in self._answers:
                self._answers.pop(message["id"]).set_result(message)
            case "notice" if message["kind"] == "reality-check":
                await self._post("/api/protection/reality-check/acknowledgement", None)
            case _:
                pass
        self._changed.set()

    async def _act(self) -> None:
        """Wish, think, and do it if it is still the wish; after a refusal wait until something moves."""
        while True:
            wish = self.choose_command() if self.version >= 0 and self.me else None
            if wish is not None:
                await asyncio.sleep(self._chance.uniform(*THINKING_SECONDS.get(wish["do"], THINKING_SECONDS["sit"])))
                now = self.choose_command()
                if now is None or now["do"] != wish["do"] or not await self._ask(now):
                    continue
            self._changed.clear()
            await self._changed.wait()

    async def _ask(self, command: Command) -> str:
        """Ask it, and wait until its effect is seen; the code of the refusal where there is one."""
        mark = f"a{next(self._marks)}"
        answer = self._answers[mark] = asyncio.get_running_loop().create_future()
        key = secrets.token_urlsafe(12)
        await self._send(type="ask", id=mark, table=self._table, key=key, command=command)
        reply = await answer
        if reply["refused"]:
            return await self._handle_refusal(reply["refused"]["code"], command)
        while self.version < reply["version"]:
            self._changed.clear()
            await self._changed.wait()
        return ""

    async def _handle_refusal(self, code: str, command: Command) -> str:
        """What a bot can do about a refusal: money from the cashier, a confirmation. The rest is for the next wish."""
        if code == "FundsMissing" and command["do"] == "bring":
            await self._post("/api/cashier/deposits", {"amount": TOP_UP})
            return ""
        if code == "RealityCheckDue":
            await self._post("/api/protection/reality-check/acknowledgement", None)
            return ""
        logs.log.debug("a bot was refused", code=code)
        return code

    def choose_command(self) -> Command | None:
        """What to do next as things stand, or nothing but wait."""
        phase, seats = self.public["phase"], self.public["seats"]
        box = next((seat["box"] for seat in seats if seat["player"] == self.me), 0)
        if self.public["paused"] is not None or self.public["closing"]:
            return None
        if phase == "round":
            return self._decision()
        if not self.mine["limits"]:
            return {"do": "bring", "amount": BUY_IN}
        least = self.mine["limits"]["main"]["least"]
        if self.mine["balance"] < 10 * least:
            return {"do": "bring", "amount": max(BUY_IN, 20 * least)}
        if not box:
            return self._seat({seat["box"] for seat in seats})
        if phase != "betting":
            return None
        if not self.mine["bets"]:
            return self._bet(box, least)
        deal = self.mine["options"]["betting"].get("deal")
        return {"do": "deal"} if deal and deal["price"] is not None and not self._waits_for_people() else None

    def _waits_for_people(self) -> bool:
        """Whether somebody sits here who is no bot and has not confirmed a bet: a bot hurries nobody (V-38)."""
        ready = {chips["player"] for chips in self.public["bets"]}
        people = self.public["people"]
        sitting = {seat["player"] for seat in self.public["seats"] if not seat["leaving"]}
        return any(not people[player]["bot"] for player in sitting - ready)

    def _seat(self, taken: set[int]) -> Command | None:
        """Any seat, as long as enough of them stay free."""
        free = [box for box in range(1, self._seats + 1) if box not in taken]
        return {"do": "sit", "box": self._chance.choice(free)} if len(free) > FREE else None

    def _bet(self, box: int, least: int) -> Command | None:
        open_now = {spot["bet"] for spot in self.mine["options"]["spots"] if spot["box"] == box and is_open(spot)}
        if "main" not in open_now:
            return None
        sides = sorted(open_now - {"main", "behind"})
        spots = [{"box": box, "bet": "main"}]
        if sides and self._chance.random() < 0.2:
            spots.append({"box": box, "bet": self._chance.choice(sides)})
        return {"do": "bet", "spots": spots, "amount": least * self._chance.choice((1, 1, 2, 5))}

    def _decision(self) -> Command | None:
        decisions = self.mine["options"]["decisions"]
        box = next((option["box"] for option in decisions if is_open(option)), 0)
        if not box:
            return None
        allowed = {option["action"] for option in decisions if option["box"] == box and is_open(option)}
        turn = self.public["turn"]
        box_view = next(option for option in self.public["boxes"] if option["box"] == box)
        hand = box_view["hands"][max(turn["hand"] - 1, 0) if turn else 0]
        action = choose_action(allowed, hand["cards"], self.public["dealer"]["cards"])
        return {"do": "decide", "box": box, "action": action}


def is_busy(refused: dict[str, Any] | None) -> bool:
    return refused is not None and refused["code"] == "HouseBusy"


def is_open(option: dict[str, Any]) -> bool:
    return option["price"] is not None


def choose_action(allowed: set[str], cards: list[str], dealer: list[str]) -> str:
    """A plain way to play: no insurance, split aces and eights, double ten and eleven, stand on a weak dealer."""
    hand = tuple(map(card, cards))
    have, shows = total(hand), VALUES[card(dealer[0])] if dealer else 10
    if "decline" in allowed:
        return "decline"
    if "split" in allowed and cards[0][0] in "A8":
        return "split"
    if "double" in allowed and have in (10, 11) and shows not in (1, 10):
        return "double"
    stands = have >= (18 if is_soft(hand) else 17 if shows in (1, 7, 8, 9, 10) else 12)
    return "stand" if stands else "hit"
