#!/usr/bin/env python3
"""A bot for Ventuno in one file: it comes in as a guest and plays any game through the public protocol.

    python examples/bot.py ventuno --rounds 5 --url http://127.0.0.1:2121

It needs `httpx` and `websockets`, and nothing of the house's own code; docs/protocol.md explains every message.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import secrets
import sys
from itertools import count
from typing import Any

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

PURSE = 50_000
"""What it brings to a table, in cents."""
PACE = 1 / 20
"""Seconds for one message, in the long run."""
VALUES = {**{str(pip): pip for pip in range(2, 10)}, **dict.fromkeys("TJQK", 10), "A": 1}


def total(cards: list[str]) -> tuple[int, bool]:
    """The total of some cards, and whether an ace counts eleven in it."""
    hard = sum(VALUES[card[0]] for card in cards)
    soft = hard <= 11 and any(card[0] == "A" for card in cards)
    return hard + 10 * soft, soft


def decide(allowed: set[str], cards: list[str], dealer: list[str], community: list[str]) -> str:
    """A plain strategy over whatever the house says is allowed."""
    have, soft = total(cards)
    shows = VALUES[dealer[0][0]] if dealer else 10
    if "decline" in allowed:
        return "decline"
    if "left" in allowed:  # the duel: one of two cards in the middle, or give up
        best = max(("left", "right"), key=lambda side: total([*cards, community[side == "right"]])[0])
        return "fold" if 12 <= total([*cards, community[best == "right"]])[0] <= 15 else best
    if "split" in allowed and cards[0][0] in "A8":
        return "split"
    if "double" in allowed and have in (10, 11) and 2 <= shows <= 9:
        return "double"
    stands = have >= (18 if soft else 17 if shows in (1, 7, 8, 9, 10) else 12)
    return "stand" if stands and "stand" in allowed else "hit"


def apply(tree: Any, changes: list[list[Any]]) -> Any:
    """A view after a step: `[path, value]` sets, `[path]` takes away, an index one past the end appends."""
    for path, *value in changes:
        if not path:
            tree = value[0] if value else None
            continue
        branch = tree
        for word in path[:-1]:
            branch = branch[word]
        if not value:
            del branch[path[-1]]
        elif isinstance(branch, list) and path[-1] == len(branch):
            branch.append(value[0])
        else:
            branch[path[-1]] = value[0]
    return tree


class Bot:
    """One table over one socket. Frames are read one after the other; the view is kept up to date as they come."""

    def __init__(self, socket: ClientConnection, table: str, seats: int, quiet: bool) -> None:
        self.socket, self.table, self.seats, self.quiet = socket, table, seats, quiet
        self.me, self.version = "", -1
        self.public: dict[str, Any] = {}
        self.mine: dict[str, Any] = {}
        self.marks, self.entropy, self.next_send = count(1), b"", 0.0
        self.settled, self.net, self.code = 0, 0, ""

    async def send(self, **message: Any) -> None:
        """No faster than the house takes messages: 20 a second, some more at once."""
        loop = asyncio.get_running_loop()
        await asyncio.sleep(self.next_send - loop.time())
        self.next_send = max(self.next_send, loop.time() - 1) + PACE
        await self.socket.send(json.dumps(message))

    async def hear(self) -> dict[str, Any]:
        """The next frame, after it has had its effect here."""
        told: dict[str, Any] = json.loads(await self.socket.recv())
        match told["type"]:
            case "welcome":
                self.me = told["player"]
            case "ping":
                await self.send(type="pong", nonce=told["nonce"])
            case "table":
                self.public, self.mine, self.version = told["public"], told["mine"], told["version"]
            case "step" if told["after"] == self.version:
                self.public = apply(self.public, told["public"])
                self.mine = apply(self.mine, told.get("mine", []))
                self.version = told["version"]
            case "step" if told["version"] > self.version:  # something was missed: the house sends what is lacking
                await self.send(type="join", id=f"j{next(self.marks)}", table=self.table, version=self.version)
            case "answer" if told["id"].startswith("j") and (told["refused"] or {}).get("code") == "HouseBusy":
                await asyncio.sleep(1)
                await self.send(type="join", id=f"j{next(self.marks)}", table=self.table)
            case "shoe":
                await self.cut(told)
            case "notice":
                print(f"notice: {told['kind']} {told.get('numbers') or ''}", file=sys.stderr)
            case "fault":
                raise RuntimeError(f"{told['code']}: {told['detail']} ({told['id']})")
            case _:
                pass
        return told

    async def cut(self, shoe: dict[str, Any]) -> None:
        """The house shuffles, the players cut: promise the hash of some bytes, and reveal them when that is asked."""
        mark = f"c{next(self.marks)}"
        if self.me not in shoe["players"]:
            return
        if shoe["phase"] == "promises" and self.me not in shoe["promised"]:
            self.entropy = secrets.token_bytes(16)
            digest = hashlib.sha256(self.entropy).hexdigest()
            await self.send(type="promise", id=mark, table=self.table, digest=digest)
        elif shoe["phase"] == "reveals" and self.me in shoe["promised"] and self.me not in shoe["revealed"]:
            own = {"player": self.me, "promise": hashlib.sha256(self.entropy).hexdigest()}
            if own in shoe["promises"]["listed"]["promises"]:  # all promises are fixed: none is written by what we tell
                await self.send(type="reveal", id=mark, table=self.table, entropy=self.entropy.hex())

    async def ask(self, command: dict[str, Any]) -> Any:
        """Ask something of the table and wait for the answer; the reason where it is refused."""
        mark = f"a{next(self.marks)}"
        await self.send(type="ask", id=mark, table=self.table, key=secrets.token_urlsafe(12), command=command)
        while (told := await self.hear())["type"] != "answer" or told["id"] != mark:
            pass
        while self.version < told["version"] and not told["refused"]:
            await self.hear()
        return told["refused"]

    def wish(self) -> dict[str, Any] | None:
        """What to do next as things stand, or nothing but wait."""
        options, box = self.mine["options"], self.own_box()
        if self.public["paused"] is not None or (self.public["phase"] == "shuffling" and box):
            return None
        least = self.mine["limits"].get("main", {"least": PURSE})["least"]
        if self.mine["balance"] < 10 * least and self.public["phase"] != "round":
            return {"do": "bring", "amount": PURSE}
        if not box:
            taken = {seat["box"] for seat in self.public["seats"]}
            return {"do": "sit", "box": next(number for number in range(1, self.seats + 1) if number not in taken)}
        if self.public["phase"] == "round":
            return self.decision(options["decisions"])
        if self.public["phase"] != "betting":
            return None
        return self.bet(options["spots"], box) or ({"do": "deal"} if self.open(options["betting"]["deal"]) else None)

    def own_box(self) -> int:
        return next((seat["box"] for seat in self.public["seats"] if seat["player"] == self.me), 0)

    @staticmethod
    def open(option: dict[str, Any] | None) -> bool:
        """An option with a price is open; one without says why not."""
        return option is not None and option["price"] is not None

    def bet(self, spots: list[dict[str, Any]], box: int) -> dict[str, Any] | None:
        """The least on the main spot, then on the bonus bets of the same box where the game has any."""
        placed = {chip["bet"] for chip in self.mine["bets"]}
        for bet in ("main", "link", "2-up"):
            if bet not in placed and any(one["bet"] == bet and one["box"] == box and self.open(one) for one in spots):
                least = self.mine["limits"][bet]["least"]
                return {"do": "bet", "spots": [{"box": box, "bet": bet}], "amount": least}
        return None

    def decision(self, decisions: list[dict[str, Any]]) -> dict[str, Any] | None:
        turn = self.public["turn"]
        if turn and turn["hand"] == 0 and self.box(turn["box"])["player"] == self.me:
            spun = (self.box(turn["box"])["bonus"] or {}).get("segment")
            return {"do": "spin-board" if spun else "spin-wheel", "box": turn["box"]}
        allowed = {one["action"] for one in decisions if self.open(one)}
        number = next((one["box"] for one in decisions if self.open(one)), 0)
        if not number:
            return None
        hand = self.box(number)["hands"][turn["hand"] - 1 if turn and turn["box"] == number else 0]
        dealer = self.public["dealer"]
        action = decide(allowed, hand["cards"], dealer["cards"], dealer["community"])
        return {"do": "decide", "box": number, "action": action if action in allowed else min(allowed)}

    def box(self, number: int) -> dict[str, Any]:
        found: dict[str, Any] = next(one for one in self.public["boxes"] if one["box"] == number)
        return found

    def count_round(self) -> None:
        """Print a settled round once; every line says by which criterion and how it was reckoned."""
        lines = [line for line in self.public["lines"] if line["player"] == self.me]
        if not lines or self.public["code"] == self.code:
            return
        self.code, self.settled = self.public["code"], self.settled + 1
        net = sum(line["returned"] - line["stake"] for line in lines)
        self.net += net
        if not self.quiet:
            paid = "; ".join(f"{line['bet']} {line['arithmetic']} [{line['criterion']}]" for line in lines)
            print(f"{self.code}  dealer {' '.join(self.public['dealer']['cards']):<12} {net / 100:+8.2f}  {paid}")

    async def play(self, rounds: int) -> None:
        await self.send(type="join", id="join", table=self.table)
        while self.version < 0 or not self.me:
            await self.hear()
        self.code = self.public["code"] if self.public["lines"] else ""
        while self.settled < rounds:
            command = self.wish()
            if command is None or await self.ask(command):
                await self.hear()
            self.count_round()


async def visit(given: argparse.Namespace) -> tuple[int, int]:
    """Guest, money, table, ticket, socket, rounds; a lost connection is taken up again. Rounds and cents won."""
    headers = {"X-Ventuno": "1", "Origin": given.url}
    async with httpx.AsyncClient(base_url=given.url, headers=headers) as http:

        async def post(path: str, body: Any = None, **more: str) -> Any:
            answer = await http.post(path, json=body, headers=more)
            if answer.is_error:
                raise SystemExit(f"{path}: {answer.json()['error']['detail']}")
            return answer.json()

        await post("/api/guest")
        await post("/api/cashier/deposits", {"amount": 4 * PURSE}, **{"Idempotency-Key": secrets.token_urlsafe(12)})
        table, seats = await choose(given, (await http.get("/api/lobby")).json(), post)
        cookies = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
        played, net = 0, 0
        while played < given.rounds:
            bot = None
            try:
                ticket = (await post("/api/ticket"))["ticket"]
                address = f"{given.url.replace('http', 'ws', 1)}/socket?ticket={ticket}"
                async with connect(address, origin=given.url, additional_headers={"Cookie": cookies}) as socket:
                    bot = Bot(socket, table, seats, given.quiet)
                    await bot.play(given.rounds - played)
            except (OSError, httpx.TransportError, WebSocketException) as lost:
                print(f"lost the connection ({lost}); coming back", file=sys.stderr)
                await asyncio.sleep(1)
            finally:
                played, net = played + (bot.settled if bot else 0), net + (bot.net if bot else 0)
        return played, net


async def choose(given: argparse.Namespace, lobby: dict[str, Any], post: Any) -> tuple[str, int]:
    """A live table with a free seat, or one's own table of a game for one; and its seats."""
    solo = {one["game"]: one["solo"] for one in lobby["games"]}
    if given.game not in solo:
        raise SystemExit(f"{given.game}: no such game; games: {', '.join(solo)}")
    if solo[given.game]:
        return (await post(f"/api/solo/{given.game}"))["table"], 1
    free = [one for one in lobby["tables"] if one["game"] == given.game and one["free"]]
    line = next((one for one in free if given.table in ("", one["table"])), None)
    if line is None:
        raise SystemExit("no such table has a free seat")
    return line["table"], line["seats"]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("game", help="ventuno, first-person, sisal, duello or link")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--url", default="http://127.0.0.1:2121")
    parser.add_argument("--table", default="", help="a live table by name; the first with a free seat otherwise")
    parser.add_argument("--quiet", action="store_true", help="print the sum alone")
    given = parser.parse_args()
    try:
        played, net = asyncio.run(visit(given))
    except httpx.TransportError as fault:
        raise SystemExit(f"{given.url}: {fault}") from None
    print(f"{given.game}: {played} rounds, {net / 100:+.2f}")


if __name__ == "__main__":
    main()
