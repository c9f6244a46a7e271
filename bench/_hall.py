"""A hall full of players and watchers for the load: every table plays rounds, and each arrival finds something to do.

Arrivals come when they come (open loop): decisions that somebody waits for go first, then chips on tables that take
bets. Where a table is not free yet the arrival waits, and its latency runs from the moment it was meant for.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
import secrets
import time
from collections import Counter, deque
from typing import Any, NamedTuple

import msgspec

from bench._wire import Wire
from ventuno.web.changes import applied

VALUES = {**{str(pip): pip for pip in range(2, 10)}, **dict.fromkeys("TJQK", 10), "A": 1}
FLOOR = 4.0
"""Seconds for which betting is open at least; then its players call the deal."""
CHIPS = 12
"""Chips of one player on his spot before he takes them back."""
PACE, BURST = 1 / 18, 20
"""Seconds for one message of a socket in the long run, and messages at once: less than the house takes."""
MOST = 4
"""Asks of one player that wait for an answer at most."""
TRIES = 16
"""Players that are asked in turn for one who may send."""
KEPT = 16
"""Versions of a table that are remembered."""
_decode = msgspec.json.decode
_encode = msgspec.json.encode


class Asked(NamedTuple):
    intended: float
    member: Member
    key: str
    command: dict[str, Any]
    is_public: bool


class Member:
    """One socket at one table: a player in a box, or a watcher in box 0."""

    def __init__(self, hall: Hall, felt: Felt, box: int, player: str, cookie: str) -> None:
        self.hall, self.felt, self.box, self.player, self.cookie = hall, felt, box, player, cookie
        self.leads = not felt.members
        self.wire: Wire
        self.entropy = b""
        self._next = 0.0
        self.waiting = 0
        """What he asked and is not answered."""
        felt.members.append(self)

    def may_send(self) -> bool:
        """Whether one more message keeps to what the house takes from a socket, and to what one person would send."""
        return self.waiting < MOST and self._next - time.perf_counter() < BURST * PACE

    def send(self, message: dict[str, Any]) -> None:
        self._next = max(self._next, time.perf_counter()) + PACE
        self.wire.send(_encode(message))

    def heard(self, frame: bytes) -> None:
        hall, felt = self.hall, self.felt
        hall.frames += 1
        hall.bytes += len(frame)
        if frame.startswith(b'{"type":"step"'):
            at = frame.find(b'"after":') + 8
            comma = frame.find(b",", at)
            after, version = int(frame[at:comma]), int(frame[comma + 11 : frame.find(b",", comma + 11)])
            if after != version:
                felt.stepped(version)
            if self.leads:
                felt.public = applied(felt.public, _decode(frame)["public"])
                felt.look()
        elif frame.startswith(b'{"type":"table"'):
            if self.leads:
                told = _decode(frame)
                felt.public = told["public"]
                felt.least = told["mine"]["limits"].get("main", {"least": 0})["least"]
                felt.look()
        else:
            self._told(_decode(frame))

    def _told(self, told: dict[str, Any]) -> None:
        match told["type"]:
            case "answer":
                self.hall.answered(told)
            case "ping":
                self.send({"type": "pong", "nonce": told["nonce"]})
            case "shoe":
                self._cut(told)
            case kind:
                self.hall.heard[f"{kind} {told.get('kind', told.get('code', ''))}".strip()] += 1

    def _cut(self, shoe: dict[str, Any]) -> None:
        ask = {"id": "cut", "table": self.felt.name}
        if self.player not in shoe["players"]:
            return
        if shoe["phase"] == "promises" and self.player not in shoe["promised"]:
            self.entropy = secrets.token_bytes(16)
            self.send({"type": "promise", **ask, "digest": hashlib.sha256(self.entropy).hexdigest()})
        elif shoe["phase"] == "reveals" and self.player in shoe["promised"] and self.player not in shoe["revealed"]:
            self.send({"type": "reveal", **ask, "entropy": self.entropy.hex()})


class Felt:
    """A table as its first member sees it, and when each version of it had come to everybody."""

    def __init__(self, hall: Hall, name: str) -> None:
        self.hall, self.name = hall, name
        self.members: list[Member] = []
        self.public: dict[str, Any] = {}
        self.least = 0
        self.busy = False
        """Whether something that everybody sees is asked and not answered."""
        self.chips: Counter[int] = Counter()
        self.done: set[int] = set()
        self._round: tuple[str, str, str] = ("", "", "")
        self._arrived: dict[int, tuple[int, float]] = {}
        self._awaited: dict[int, list[float]] = {}
        self.opened = 0.0

    @property
    def players(self) -> list[Member]:
        return [one for one in self.members if one.box]

    def stepped(self, version: int) -> None:
        count, _ = self._arrived.get(version, (0, 0.0))
        now = time.perf_counter()
        self._arrived[version] = count + 1, now
        if count + 1 == len(self.members):
            for intended in self._awaited.pop(version, ()):
                self.hall.seen_by_all.append(now - intended)
            self._arrived.pop(version - KEPT, None)

    def answered(self, version: int, intended: float) -> None:
        """An act that everybody sees is in this version: it is over when the last of them has it."""
        self.busy = False
        count, last = self._arrived.get(version, (0, 0.0))
        if count >= len(self.members):
            self.hall.seen_by_all.append(max(last - intended, 0.0))
        else:
            self._awaited.setdefault(version, []).append(intended)
        self.look()

    @property
    def unseen(self) -> int:
        return sum(map(len, self._awaited.values()))

    def look(self) -> None:
        """After whatever changed: is there something for somebody to do."""
        public = self.public
        now = public["phase"], public["stage"], public["code"]
        if now != self._round:
            was, self._round = self._round[0], now
            self.done.clear()
            if (now[0] == "betting") != (was == "betting"):
                self.hall.takes_bets(self, now[0] == "betting")
            if now[0] == "betting" != was:
                self.opened = time.perf_counter()
                self.chips.clear()
                self.hall.loop.call_later(FLOOR, self.hall.offer, self)
        if not self.busy and now[0] in ("betting", "round"):
            self.hall.offer(self)

    def act(self) -> tuple[Member, dict[str, Any], bool] | None:
        """What somebody waits for: who does it, what, and whether everybody sees it."""
        if self.busy or not self.public or self.public["paused"] is not None:
            return None
        phase = self.public["phase"]
        if phase == "betting" and self.hall.quiet:
            return None
        if phase == "betting" and time.perf_counter() - self.opened >= FLOOR:
            return self._close_betting()
        if phase != "round":
            return None
        if self.public["stage"] == "insurance":
            waiting = [one for one in self.players if one.box not in self.done]
            if not waiting:
                return None
            self.done.add(waiting[0].box)
            return waiting[0], {"do": "decide-all", "action": "decline"}, True
        turn = self.public["turn"]
        member = next((one for one in self.players if turn and one.box == turn["box"]), None)
        if member is None:
            return None
        box = next(one for one in self.public["boxes"] if one["box"] == member.box)
        cards = box["hands"][turn["hand"] - 1]["cards"]
        action = "hit" if sum(VALUES[card[0]] for card in cards) <= 11 else "stand"
        return member, {"do": "decide", "box": member.box, "action": action}, True

    def _close_betting(self) -> tuple[Member, dict[str, Any], bool] | None:
        for member in self.players:
            if not self.chips[member.box]:
                return member, self.chip(member), False
        for member in self.players:
            if member.box not in self.done:
                self.done.add(member.box)
                return member, {"do": "deal"}, True
        return None

    def chip(self, member: Member) -> dict[str, Any]:
        if self.chips[member.box] >= CHIPS:
            self.chips[member.box] = 1
            return {"do": "remove", "spot": {"box": member.box, "bet": "main"}, "amount": (CHIPS - 1) * self.least}
        self.chips[member.box] += 1
        return {"do": "bet", "spots": [{"box": member.box, "bet": "main"}], "amount": self.least}


class Hall:
    """All tables, what was asked of them and what came of it."""

    def __init__(self, seed: int = 0) -> None:
        self.loop = asyncio.get_running_loop()
        self.chance = random.Random(seed)
        self.felts: list[Felt] = []
        self.asked: dict[str, Asked] = {}
        self.acknowledged: list[str] = []
        """Keys, as the store has them, of everything that was answered with yes."""
        self.seen_by_all: list[float] = []
        """Seconds from the intended moment of an act to its last watcher."""
        self.answers: list[float] = []
        self.refused: Counter[str] = Counter()
        self.heard: Counter[str] = Counter()
        self.frames = self.bytes = self.sent = 0
        self.serial = 0
        self.unplaced = 0
        """Arrivals for which no table was free until the end."""
        self.quiet = False
        """Rounds end and none begins."""
        self._offered: deque[Felt] = deque()
        self._in_line: set[Felt] = set()
        self._betting: list[Felt] = []
        self._backlog: deque[float] = deque()

    def takes_bets(self, felt: Felt, does: bool) -> None:
        if does:
            self._betting.append(felt)
        elif felt in self._betting:
            self._betting.remove(felt)

    def offer(self, felt: Felt) -> None:
        if felt not in self._in_line:
            self._in_line.add(felt)
            self._offered.append(felt)
        while self._backlog and self._do_next(self._backlog[0]):
            self._backlog.popleft()

    def arrive(self, intended: float) -> None:
        if self._backlog or not self._do_next(intended):
            self._backlog.append(intended)

    def _do_next(self, intended: float) -> bool:
        while self._offered:
            felt = self._offered.popleft()
            self._in_line.discard(felt)
            if act := felt.act():
                felt.busy = act[2]
                self.ask(intended, *act)
                if not act[2]:
                    self.loop.call_soon(self.offer, felt)
                return True
        if not self._betting or self.quiet:
            return False
        for _ in range(TRIES):
            felt = self.chance.choice(self._betting)
            member = self.chance.choice(felt.players)
            if member.box not in felt.done and member.may_send():
                self.ask(intended, member, felt.chip(member), False)
                return True
        return False

    def ask(self, intended: float, member: Member, command: dict[str, Any], is_public: bool) -> str:
        self.serial += 1
        id = f"a{self.serial}"
        key = f"load-{self.serial:08d}"
        self.asked[id] = Asked(intended, member, key, command, is_public)
        self.sent += 1
        member.waiting += 1
        member.send({"type": "ask", "id": id, "table": member.felt.name, "key": key, "command": command})
        return id

    def answered(self, told: dict[str, Any]) -> None:
        asked = self.asked.pop(told["id"], None)
        if asked is None:
            self.heard["join or cut"] += 1
            return
        self.answers.append(time.perf_counter() - asked.intended)
        felt, member = asked.member.felt, asked.member
        member.waiting -= 1
        if no := told["refused"]:
            self.refused[no["code"]] += 1
            felt.busy = felt.busy and not asked.is_public
            if no["code"] == "HouseBusy":
                felt.done.discard(member.box)
            self.loop.call_later(0.5, felt.look)
            return
        self.acknowledged.append(f"ask:{member.player} {asked.key}")
        if asked.is_public:
            felt.answered(told["version"], asked.intended)

    @property
    def closed(self) -> dict[int, int]:
        """Sockets that were closed, by code."""
        return dict(Counter(one.wire.closed for felt in self.felts for one in felt.members if one.wire.closed))

    async def run(self, rate: float, seconds: float) -> None:
        """Arrivals drawn beforehand, whatever comes of them."""
        gaps, at = [], self.chance.expovariate(rate)
        while at < seconds:
            gaps.append(at)
            at += self.chance.expovariate(rate)
        began = time.perf_counter()
        for number, one in enumerate(gaps):
            if (wait := began + one - time.perf_counter()) > 0 or number % 16 == 0:
                await asyncio.sleep(max(wait, 0))
            self.arrive(began + one)
        if (wait := began + seconds - time.perf_counter()) > 0:
            await asyncio.sleep(wait)

    async def play_out(self, seconds: float) -> float:
        """End the rounds that are open, at most for so long; how long it took until every table took bets."""
        self.quiet, began = True, time.perf_counter()
        while len(self._betting) < len(self.felts) and time.perf_counter() - began < seconds:
            while self._do_next(time.perf_counter()):
                pass
            await asyncio.sleep(0.02)
        self.quiet = False
        return time.perf_counter() - began

    async def drained(self, seconds: float) -> bool:
        """Whether everything that was asked is answered, and seen by all, within so many seconds."""
        until = time.perf_counter() + seconds
        self.unplaced += len(self._backlog)
        self._backlog.clear()
        while self.asked or any(felt.unseen for felt in self.felts):
            if time.perf_counter() > until:
                return False
            await asyncio.sleep(0.02)
        return True
