"""A table under load as its players and watchers see it, and when each version of it had come to the last of them."""

from __future__ import annotations

import hashlib
import secrets
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import msgspec

from bench.support.light_client import LightSocket
from ventuno.web.sockets.changes import apply_changes

if TYPE_CHECKING:
    from bench.support.load_crowd import LoadCrowd

VALUES = {**{str(pip): pip for pip in range(2, 10)}, **dict.fromkeys("TJQK", 10), "A": 1}
FLOOR = 4.0
"""Seconds for which betting is open at least; then its players call the deal."""
CHIPS = 12
"""Chips of one player on his spot before he takes them back."""
PACE, BURST = 1 / 18, 20
"""Seconds for one message of a socket in the long run, and messages at once: less than the house takes."""
MOST = 4
"""Asks of one player that wait for an answer at most."""
KEPT = 16
"""Versions of a table that are remembered."""
JOIN = "join"
"""The id of a message that asks to watch the table."""
_decode = msgspec.json.decode
_encode = msgspec.json.encode


class Member:
    """One socket: a player in a box of a table, or in box 0 a watcher, with two tables in one window."""

    def __init__(
        self, crowd: LoadCrowd, table: LoadTable, box: int, player: str, cookie: str, beside: LoadTable | None = None
    ) -> None:
        self.crowd, self.table, self.box, self.player, self.cookie = crowd, table, box, player, cookie
        self.beside = beside
        self.leads = not table.members
        self.wire: LightSocket
        self.entropy = b""
        self.joined: bool | None = None
        """Whether he was let to the table; None until that is answered."""
        self._next = 0.0
        self.waiting = 0
        """What he asked and is not answered."""
        table.members.append(self)
        if beside:
            beside.members.append(self)

    def may_send(self) -> bool:
        """Whether one more message keeps to what the house takes from a socket, and to what one person would send."""
        return self.waiting < MOST and self._next - time.perf_counter() < BURST * PACE

    def send(self, message: dict[str, Any]) -> None:
        self._next = max(self._next, time.perf_counter()) + PACE
        self.wire.send(_encode(message))

    def heard(self, frame: bytes) -> None:
        crowd, table = self.crowd, self.table
        crowd.frames += 1
        crowd.bytes += len(frame)
        if frame.startswith(b'{"type":"step"'):
            at = frame.find(b'"after":') + 8
            comma = frame.find(b",", at)
            after, version = int(frame[at:comma]), int(frame[comma + 11 : frame.find(b",", comma + 11)])
            if after != version:
                other = self.beside
                (other if other and frame.startswith(other.step) else table).stepped(version)
            if self.leads:
                table.public = apply_changes(table.public, _decode(frame)["public"])
                table.look()
        elif frame.startswith(b'{"type":"table"'):
            if self.leads:
                told = _decode(frame)
                table.public = told["public"]
                table.least = told["mine"]["limits"].get("main", {"least": 0})["least"]
                table.look()
        else:
            self._told(_decode(frame))

    def _told(self, told: dict[str, Any]) -> None:
        match told["type"]:
            case "answer" if told["id"] == JOIN:
                self.joined = told["refused"] is None
            case "answer":
                self.crowd.answered(told)
            case "ping":
                self.send({"type": "pong", "nonce": told["nonce"]})
            case "shoe":
                self._cut(told)
            case kind:
                self.crowd.heard[f"{kind} {told.get('kind', told.get('code', ''))}".strip()] += 1

    def _cut(self, shoe: dict[str, Any]) -> None:
        ask = {"id": "cut", "table": self.table.name}
        if self.player not in shoe["players"]:
            return
        if shoe["phase"] == "promises" and self.player not in shoe["promised"]:
            self.entropy = secrets.token_bytes(16)
            self.send({"type": "promise", **ask, "digest": hashlib.sha256(self.entropy).hexdigest()})
        elif shoe["phase"] == "reveals" and self.player in shoe["promised"] and self.player not in shoe["revealed"]:
            self.send({"type": "reveal", **ask, "entropy": self.entropy.hex()})


class LoadTable:
    """A table as its first member sees it, and when each version of it had come to everybody."""

    def __init__(self, crowd: LoadCrowd, name: str) -> None:
        self.crowd, self.name = crowd, name
        self.step = b'{"type":"step","table":%b,' % _encode(name)
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
                self.crowd.seen_by_all.append(now - intended)
            self._arrived.pop(version - KEPT, None)

    def answered(self, version: int, intended: float) -> None:
        """An act that everybody sees is in this version: it is over when the last of them has it."""
        self.busy = False
        count, last = self._arrived.get(version, (0, 0.0))
        if count >= len(self.members):
            self.crowd.seen_by_all.append(max(last - intended, 0.0))
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
                self.crowd.takes_bets(self, now[0] == "betting")
            if now[0] == "betting" != was:
                self.opened = time.perf_counter()
                self.chips.clear()
                self.crowd.loop.call_later(FLOOR, self.crowd.offer, self)
        if not self.busy and now[0] in ("betting", "round"):
            self.crowd.offer(self)

    def act(self) -> tuple[Member, dict[str, Any], bool] | None:
        """What somebody waits for: who does it, what, and whether everybody sees it."""
        if self.busy or not self.public or self.public["paused"] is not None:
            return None
        phase = self.public["phase"]
        if phase == "betting" and self.crowd.quiet:
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

    def not_done(self, member: Member, command: dict[str, Any]) -> None:
        """The house was too busy for it: everything lies as it lay."""
        self.done.discard(member.box)
        if command["do"] == "bet":
            self.chips[member.box] -= 1
        elif command["do"] == "remove":
            self.chips[member.box] += CHIPS - 1

    def chip(self, member: Member) -> dict[str, Any]:
        if self.chips[member.box] >= CHIPS:
            self.chips[member.box] = 1
            return {"do": "remove", "spot": {"box": member.box, "bet": "main"}, "amount": (CHIPS - 1) * self.least}
        self.chips[member.box] += 1
        return {"do": "bet", "spots": [{"box": member.box, "bet": "main"}], "amount": self.least}
