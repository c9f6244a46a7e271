"""The people around a table, as a paired run has them behave: by chance, by their screens, and a little badly.

They read the screens of one house; what they do is done in both.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from random import Random
from typing import Any

import msgspec

from tests.support.paired_houses import BEHIND, LATE, OTHER, OWNER, PLAYERS, PairedHouse
from ventuno.core.views.private_view import PrivateView
from ventuno.core.views.public_view import PublicView

Tree = dict[str, Any]

WEIGHTS = {"hit": 4, "split": 4, "double": 2, "left": 3, "right": 3, "cash-out": 1, "fold": 1}
"""How often a decision is taken that is open; anything else counts 2."""


def build_tree(view: PublicView | PrivateView) -> Tree:
    """A view as a client has it."""
    tree: Tree = msgspec.to_builtins(view)
    return tree


class Company(ABC):
    """`seen` counts what they have come through, so that nobody praises an empty run."""

    mine: PairedHouse
    other: PairedHouse
    seen: Counter[str]
    _blind: tuple[str, ...]
    """Whose own affair the difference between the houses is."""

    @abstractmethod
    async def both(self, name: str, kind: str, *others: dict[str, Any], **fields: Any) -> None:
        """The same message in both houses; `others` are what differs between them."""

    @abstractmethod
    async def ask(self, name: str, *others: dict[str, Any] | None, **command: Any) -> None:
        """The same command; where a house has None instead, nothing is asked there."""

    @abstractmethod
    async def wait(self, milliseconds: int) -> None: ...

    @abstractmethod
    def secret(self, kind: str, name: str, box: int = 0) -> None:
        """From now on the houses differ in what this player has chosen for himself."""

    @property
    def public(self) -> Tree:
        return build_tree(self.mine.stage._public)

    @property
    def deadline(self) -> int:
        """Milliseconds until the clock of the table strikes."""
        return max((self.public["deadline"] or 0) - self.mine.now, 0)

    def own(self, name: str) -> Tree:
        """What this player is shown of his own."""
        return build_tree(self.mine.stage._own[self.mine.players[name]].view)

    async def bet(self, rng: Random, boxes: int, kind: str = "") -> None:
        """Chips on a bare table; the boxes of the owner first."""
        places = [(OWNER, box) for box in range(1, boxes + 1)]
        if not self.mine.sheet.game.solo:
            places = [(OWNER, 1), (OTHER, 4), (OWNER, 2)][:boxes]
        amount = 100 * rng.randrange(1, 30)
        if kind == "balance":
            self.secret(kind, OWNER)
            await self.ask(OWNER, {"amount": 1_000}, {"amount": 2_000}, do="bring")
        for name, box in places:
            await self.ask(name, do="bet", spots=[{"box": box, "bet": "main"}], amount=amount)
        for name, box in places:
            sides = [one for one in self.mine.sheet.sides if rng.random() < 0.4]
            for bet in sides:
                spot = 0 if self.mine.sheet.sides[bet].kind == "dealer-pair" else box
                await self.ask(name, do="bet", spots=[{"box": spot, "bet": bet}], amount=100)
        if self.mine.sheet.options.behind and rng.random() < 0.8:
            await self.ask(BEHIND, do="bet", spots=[{"box": 1, "bet": "behind"}], amount=200)
            await self.ask(BEHIND, do="follow", box=1, double=rng.random() < 0.5, split=rng.random() < 0.5)
        if kind == "chips":
            self.secret(kind, OWNER)
            await self.ask(OWNER, {"amount": 100}, {"amount": 500}, do="bet", spots=[{"box": 1, "bet": "main"}])

    async def step(self, rng: Random, kind: str) -> bool:
        """The next thing that anybody does; False when the round is over."""
        for side in (self.mine, self.other):
            side.count()
        if rng.random() < 0.25:
            await self.aside(rng)
        match self.public["phase"]:
            case "betting":
                await self.deal(rng, kind)
            case "round" if self.public["stage"] == "insurance":
                await self.insure(rng, kind)
            case "round":
                await self.decide(rng, kind)
            case _:
                return False
        return True

    async def deal(self, rng: Random, kind: str) -> None:
        if self.mine.sheet.game.solo:
            await self.ask(OWNER, do="deal")
            return
        if kind == "follow":
            self.secret(kind, BEHIND, 1)
            await self.ask(BEHIND, {"double": True}, {"double": False}, do="follow", box=1, split=rng.random() < 0.5)
        for name in PLAYERS if kind != "chips" else (OTHER, BEHIND):
            if rng.random() < 0.6:
                await self.ask(name, do="deal")
        await self.wait(self.deadline)

    def open(self, name: str) -> list[tuple[int, str]]:
        """What this player may decide now."""
        found = self.own(name)["options"]["decisions"]
        return [(one["box"], one["action"]) for one in found if one["price"] is not None]

    async def insure(self, rng: Random, kind: str) -> None:
        self.seen["insurance"] += 1
        places = [(name, *one) for name in self.mine.seated() for one in self.open(name)]
        if not places or (not self.mine.sheet.game.solo and rng.random() < 0.1):
            await self.wait(self.deadline)
            return
        name, box, action = rng.choice(places)
        self.seen["even money"] += "even-money" in [one[2] for one in places]
        answers = [one[2] for one in places if one[:2] == (name, box)]
        if kind == "insurance" and not self._blind and "insure" in answers:
            self.secret(kind, name, box)
            await self.ask(name, {"action": "insure"}, {"action": "decline"}, do="decide", box=box)
            return
        await self.ask(name, do="decide", box=box, action=action)

    async def decide(self, rng: Random, kind: str) -> None:
        turn = self.public["turn"]
        box = next(one for one in self.public["boxes"] if one["box"] == turn["box"])
        name = next(one for one, player in self.mine.players.items() if player == box["player"])
        if kind == "early" and not self._blind and await self.early(rng):
            return
        if turn["hand"] == 0:
            self.seen["bonus"] += 1
            await self.ask(name, do="spin-board" if box["bonus"]["segment"] else "spin-wheel", box=box["box"])
            return
        self.seen["offer"] += any(one["offer"] is not None for one in self.own(name)["boxes"])
        if not self.mine.sheet.game.solo and rng.random() < 0.1:
            await self.wait(self.deadline)
            return
        await self.wait(min(rng.choice((0, 0, 700)), self.deadline - 1))
        actions = [action for at, action in self.open(name) if at == box["box"]]
        action = rng.choices(actions, [WEIGHTS.get(one, 2) for one in actions])[0]
        await self.ask(name, do="decide", box=box["box"], action=action)

    async def early(self, rng: Random) -> bool:
        """Somebody whose turn is yet to come chooses, otherwise here than there, or only here."""
        for name in (OWNER, OTHER):
            found = [one for one in self.own(name)["options"]["early"] if one["price"] is not None]
            if found:
                box = rng.choice(found)["box"]
                words = sorted({one["action"] for one in found if one["box"] == box})
                self.secret("early", name, box)
                first, second = rng.sample(words, 2)
                there = None if rng.random() < 0.5 else {"action": second}
                await self.ask(name, {"action": first}, there, do="decide-early", box=box)
                return True
        return False

    async def aside(self, rng: Random) -> None:
        """Something beside the round: who comes, who talks, who asks what he may not."""
        name = rng.choice((*self.mine.present(), LATE))
        match rng.randrange(7):
            case 0 | 1:
                await self.both(LATE, "join")
                await self.both(LATE, "part")
                self.seen["late"] += 1
            case 2:
                version = max(self.mine.stage.version - rng.randrange(4), 0)
                await self.both(rng.choice(self.mine.present()), "join", version=version)
            case 3:
                await self.both(rng.choice(self.mine.present()), "join")
            case 4:
                await self.both(name, "say", text="che bella carta")
            case 5:
                await self.ask(name, do="decide", box=rng.randrange(1, 6), action=rng.choice(("double", "insure")))
            case _ if name not in self._blind and name in (OWNER, OTHER):
                await self.ask(name, do="decide-early", box=rng.choice((1, 2, 4)), action=rng.choice(("stand", "hit")))
            case _:
                await self.ask(name, do="bet", spots=[{"box": 1, "bet": "main"}], amount=100)
