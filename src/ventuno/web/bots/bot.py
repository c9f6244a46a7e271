"""One bot at one live table: what it sees, what it wishes, and how long it thinks about it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import secrets
from collections.abc import Awaitable, Callable
from itertools import count
from typing import Any

from websockets.asyncio.client import ClientConnection

from ventuno.core.rules.cards import VALUES, card
from ventuno.core.rules.hand import is_soft, total
from ventuno.web.operations import logs
from ventuno.web.sockets.changes import apply_changes

BUY_IN, TOP_UP = 20_000, 200_000
"""What it brings to the table when it runs low, and what it takes from the cashier when that is not there; in cents."""
FREE = 2
"""Seats that are left to people: a bot sits down only where more than these are free."""
THINKING_SECONDS = {"bet": (1.0, 4.0), "deal": (5.0, 7.5), "decide": (1.0, 3.0), "sit": (0.2, 1.0)}
"""Seconds before each kind of act. Between its bet and `deal` there is time for others to bet behind."""

Post = Callable[[str, dict[str, Any] | None], Awaitable[Any]]
Command = dict[str, Any]


class Bot:
    def __init__(self, socket: ClientConnection, table: str, seats: int, post: Post) -> None:
        self._socket, self._table, self._seats, self._post = socket, table, seats, post
        self._chance = random.Random()
        self._marks, self._entropy = count(1), b""
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
            case "answer" if message["id"] in self._answers:
                self._answers.pop(message["id"]).set_result(message)
            case "shoe":
                await self._cut(message)
            case "notice" if message["kind"] == "reality-check":
                await self._post("/api/protection/reality-check/acknowledgement", None)
            case _:
                pass
        self._changed.set()

    async def _cut(self, shoe: dict[str, Any]) -> None:
        mark = f"c{next(self._marks)}"
        if shoe["phase"] == "promises" and self.me in shoe["players"] and self.me not in shoe["promised"]:
            self._entropy = secrets.token_bytes(16)
            digest = hashlib.sha256(self._entropy).hexdigest()
            await self._send(type="promise", id=mark, table=self._table, digest=digest)
        elif shoe["phase"] == "reveals" and self.me in shoe["promised"] and self.me not in shoe["revealed"]:
            await self._send(type="reveal", id=mark, table=self._table, entropy=self._entropy.hex())

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
        return {"do": "deal"} if deal and deal["price"] is not None else None

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
        return {
            "do": "decide",
            "box": box,
            "action": choose_action(allowed, hand["cards"], self.public["dealer"]["cards"]),
        }


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
