"""Paired runs: two houses, the same people doing the same at the same time, other cards where none is shown (H-1…H-9).

Whatever either house says to anybody, writes to its log or counts must be the same bytes at the same time, until an
event turns what is different. `Leak` says where it was not.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.web.hidden import DUEL_HIDDEN, HIDDEN, Choice, Shoes, Watch
from tests.web.twins import (
    BEHIND,
    BOXES,
    COUNTERS,
    LATE,
    OTHER,
    OWNER,
    PLAYERS,
    SPECTATOR,
    Scribe,
    Start,
    Told,
    Twin,
    twin,
)
from ventuno.core.sheet import DUEL
from ventuno.web.showing import Tree

FELTS = 12
"""Tables with bets on them that rounds begin from; one round in eight begins from a bare one."""
STEPS = 60
WEIGHTS = {"hit": 4, "split": 4, "double": 2, "left": 3, "right": 3, "cash-out": 1, "fold": 1}
"""How often a decision is taken that is open; anything else counts 2."""


class Leak(AssertionError):
    """Something was told that depends on what nobody may know yet."""


@dataclass
class Pairs:
    """Two houses side by side. `seen` counts what the pairs have come through, so that nobody praises an empty run."""

    mine: Twin
    other: Twin
    shoes: Shoes
    modes: tuple[str, ...]
    felts: list[tuple[Start, Start]] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    scribe: Scribe = field(default_factory=Scribe)
    _at: tuple[int, int] = (0, 0)
    _blind: tuple[str, ...] = ()
    """Whose own affair the difference is: he is not compared."""

    @property
    def public(self) -> Tree:
        return self.mine.stage._public

    @property
    def deadline(self) -> int:
        """Milliseconds until the clock of the table strikes."""
        return max((self.public["deadline"] or 0) - self.mine.now, 0)

    def own(self, name: str) -> Tree:
        """What this player is shown of his own."""
        return self.mine.stage._own[self.mine.players[name]].tree

    async def pair(self, seed: int, mode: str = "") -> None:
        """One round in both houses, up to the reveal or to its end."""
        rng = Random(seed)
        kind = mode or rng.choice(self.modes)
        bare = kind in ("chips", "balance") or rng.random() < 0.125
        mine, other = self.felts[0] if bare else rng.choice(self.felts[1:])
        table = mine.room.table
        boxes = len({box for slip in table.slips.values() for box, _ in slip.totals() if box})
        if bare:
            boxes = rng.randrange(1, len(BOXES[OWNER]) + 2)
        assert table.shoe is not None
        cards = self.shoes.pair(kind, boxes, table.shoe.position, rng)
        draws = rng.randrange(10**6)
        self._blind, self._at = (), (0, 0)
        for one, start, shoe in ((self.mine, mine, cards[0]), (self.other, other, cards[1])):
            one.reveal = Watch(table.sheet, *cards, table.shoe.position, kind == "draws")
            self.scribe.twin = one
            await one.restore(start, shoe, draws + (kind == "draws" and one is self.other))
        self.compare(kind, seed)
        if bare:
            await self.bet(rng, boxes, kind)
        self.compare(kind, seed)
        for _ in range(STEPS):
            if self.over or not await self.step(rng, kind):
                break
            self.compare(kind, seed)
        self.compare(kind, seed)
        self.seen[kind] += 1
        self.seen["revealed" if self.over else "never revealed"] += 1

    @property
    def over(self) -> bool:
        return any(one.reveal is not None and one.reveal.revealed for one in (self.mine, self.other))

    def compare(self, kind: str, seed: int) -> None:
        """All that both houses have told since the last time."""
        told = [[one for one in side.public()[at:] if one.to not in self._blind] for side, at in self.sides()]
        if told[0] != told[1]:
            first = next(at for at in range(len(told[0]) + 1) if told[0][at : at + 1] != told[1][at : at + 1])
            place = [one[first] if first < len(one) else None for one in told]
            raise Leak(f"{self.mine.sheet.game.id} {kind} {seed}: {place[0]} is not {place[1]}")
        if len({side.reveal is not None and side.reveal.revealed for side, _ in self.sides()}) > 1:
            raise Leak(f"{self.mine.sheet.game.id} {kind} {seed}: one house has turned what the other has not")
        self._at = len(self.mine.public()), len(self.other.public())

    def sides(self) -> Iterator[tuple[Twin, int]]:
        return zip((self.mine, self.other), self._at, strict=True)

    async def both(self, name: str, kind: str, *others: dict[str, Any], **fields: Any) -> None:
        """The same message in both houses; `others` are what differs between them."""
        for place, side in enumerate((self.mine, self.other)):
            self.scribe.twin = side
            await side.say(name, kind, **fields, **(others[place] if others else {}))

    async def ask(self, name: str, *others: dict[str, Any], **command: Any) -> None:
        for place, side in enumerate((self.mine, self.other)):
            self.scribe.twin = side
            await side.ask(name, **command, **(others[place] if others else {}))

    async def wait(self, milliseconds: int) -> None:
        for side in (self.mine, self.other) if milliseconds > 0 else ():
            self.scribe.twin = side
            await side.wait(milliseconds)

    def secret(self, kind: str, name: str, box: int = 0) -> None:
        """From now on the houses differ in what this player has chosen for himself."""
        self._blind = (name, COUNTERS)
        for side in (self.mine, self.other):
            side.reveal = Choice(kind, box)

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
            if kind not in self.modes[-1:]:
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
        self.seen["even money"] += ("even-money" in [one[2] for one in places])
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
        """Somebody whose turn is yet to come chooses, otherwise here than there."""
        for name in (OWNER, OTHER):
            found = [one for one in self.own(name)["options"]["early"] if one["price"] is not None]
            if found:
                box = rng.choice(found)["box"]
                words = sorted({one["action"] for one in found if one["box"] == box})
                self.secret("early", name, box)
                await self.ask(name, *({"action": one} for one in rng.sample(words, 2)), do="decide-early", box=box)
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


def modes_of(one: Twin) -> tuple[str, ...]:
    """What is hidden in a game, from whom: cards three times as often as choices."""
    sheet = one.sheet
    if sheet.game.family == DUEL:
        return (*DUEL_HIDDEN * 2, "chips", "balance")
    cards = (*HIDDEN * 3, *(("draws",) * 3 if sheet.bonus.wheel else ()))
    return (*cards, "insurance", "chips", "balance", *(("early", "early", "follow") if sheet.options.behind else ()))


@asynccontextmanager
async def paired(folder: Path, game: str) -> AsyncIterator[Pairs]:
    """Two houses whose shoes were never the same, with bets on the table; betting itself is the first pair."""
    async with twin(folder / "mine", game, 1) as mine, twin(folder / "other", game, 2) as other:
        pairs = Pairs(mine, other, Shoes(mine.sheet), modes_of(mine))
        with heard(pairs.scribe):
            pairs.compare("furnishing", 0)
            pairs.felts.append((mine.save(), other.save()))
            for seed in range(1, FELTS):
                rng = Random(seed)
                for side, start in zip((mine, other), pairs.felts[0], strict=True):
                    await side.restore(start, None, 0)
                pairs._at = 0, 0
                await pairs.bet(rng, rng.randrange(1, 4))
                pairs.compare("betting", seed)
                pairs.felts.append((mine.save(), other.save()))
            yield pairs


@contextmanager
def heard(scribe: Scribe) -> Iterator[None]:
    log = logging.getLogger("ventuno")
    level = log.level
    log.addHandler(scribe)
    log.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        log.removeHandler(scribe)
        log.setLevel(level)


__all__ = ["Leak", "Pairs", "Told", "modes_of", "paired", "SPECTATOR"]
