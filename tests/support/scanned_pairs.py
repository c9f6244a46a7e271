"""Two houses with a dealer at a table that scans cards; only the face-down card is another (H-1, X-27).

Every byte that leaves them is compared until the rules turn that card: to players, a spectator, a supervisor, the
dealer himself, who comes late, and over HTTP. A commitment is another where the card is: it is masked by its place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from tests.support import channel_house
from tests.support.paired_houses import (
    BOXES,
    LATE,
    NAMES,
    OWNER,
    PURSE,
    SPECTATOR,
    SUPERVISOR,
    WATCHING,
    PairedHouse,
    Start,
    Told,
)
from tests.support.public_pages import OFTEN, open_public_pages
from ventuno.core.games import insurance
from ventuno.core.messages.events import Event, HoleTurned, Peeked, RoundVoided
from ventuno.core.rules import hand
from ventuno.core.rules.cards import Card, text
from ventuno.core.rules.sheet import SCANNED
from ventuno.core.table import legal
from ventuno.core.table.round import Action, CardPlace, Stage
from ventuno.core.table.scanning import find_wanted
from ventuno.house.accounts.players import Role

DEALER = "dealer"
GAME = "ventuno"
STEPS = 60
_COMMITMENT = re.compile(rb"[0-9a-f]{64}")


class FaceDown:
    """Knows when the dealer's face-down card is turned; a void keeps it closed."""

    def __init__(self) -> None:
        self.revealed = False

    def see(self, events: Iterable[Event]) -> None:
        for event in events:
            is_turned = isinstance(event, HoleTurned | RoundVoided)
            self.revealed = self.revealed or is_turned or (isinstance(event, Peeked) and event.blackjack)


@dataclass
class ScannedHouse(PairedHouse):
    """A house of which one table has a dealer, who has burnt the first card of his shoe."""

    async def furnish(self, seed: int) -> None:
        del seed
        application = self.house.application
        for name, called in {**NAMES, DEALER: "Dora"}.items():
            role = {SUPERVISOR: Role.SUPERVISOR, DEALER: Role.DEALER}.get(name, Role.PLAYER)
            self.players[name] = await self.house.joined(called, role=role)
            self.channels[name] = await self.house.enter(self.players[name], self._ear(name))
        await application.tables.open(self.table, self.sheet.game.id, cards=SCANNED)
        application.host.watch("", self._news)
        for name in self.present():
            await self.join(name)
        for name, boxes in BOXES.items():
            await self.ask(name, do="bring", amount=PURSE)
            for box in boxes:
                await self.ask(name, do="sit", box=box)
        for word in ("take-desk", "new-shoe"):
            await self.ask(DEALER, do=word)
        await self.ask(DEALER, do="scan", card="2C")
        assert self.room.table.phase == "betting", self.room.table

    def present(self) -> tuple[str, ...]:
        return (*WATCHING, DEALER)


@dataclass
class ScannedPairs:
    mine: ScannedHouse
    other: ScannedHouse
    start: tuple[Start, Start]
    seen: Counter[str] = field(default_factory=Counter)

    @property
    def over(self) -> bool:
        return any(each.reveal is None or each.reveal.revealed for each in (self.mine, self.other))

    async def pair(self, seed: int) -> None:
        """One round in both houses, up to the card that is turned."""
        rng = Random(seed)
        for each, start in zip((self.mine, self.other), self.start, strict=True):
            each.reveal = None
            await each.restore(start, None, seed)
            each.reveal, each.until = FaceDown(), 0
            each.told.clear()
        for name, boxes in BOXES.items():
            for box in boxes:
                await self.ask(name, do="bet", spots=[{"box": box, "bet": "main"}], amount=1_000)
        await self.wait(20_000)
        for _ in range(STEPS):
            if self.over:
                break
            await self.step(rng)
        self.compare(seed)

    async def step(self, rng: Random) -> None:
        table = self.mine.room.table
        if rng.random() < 0.1:
            await self.read(rng)
        if rng.random() < 0.03:
            await self.both(LATE, "join")
        if wanted := find_wanted(table):
            await self.scan(rng, wanted)
        elif table.round and table.round.stage is Stage.INSURANCE:
            player, box = next(iter(insurance.waiting(table.round)))
            await self.decide(player, box.number, rng.choice((Action.INSURE, Action.DECLINE)))
        elif table.round and (turn := legal.turn(table.round)):
            if rng.random() < 0.25:
                await self.ask(DEALER, do="scan", card="TD")
                self.seen["out of turn"] += 1
            await self.decide(turn[0].player, turn[0].number, rng.choice((Action.HIT, Action.STAND, Action.DOUBLE)))
        await self.wait(1_100)

    async def scan(self, rng: Random, wanted: CardPlace) -> None:
        if rng.random() < 0.04:
            await self.ask(DEALER, do="unscan", reason="wrong")
            self.seen["taken back"] += 1
            return
        card = rng.randrange(52)
        if wanted.face == "up":
            await self.ask(DEALER, do="scan", card=text(card))
            return
        other = self.draw_other(rng, card)
        self.seen["face down"] += 1
        await self.mine.ask(DEALER, do="scan", card=text(card))
        await self.other.ask(DEALER, do="scan", card=text(other))

    def draw_other(self, rng: Random, card: Card) -> Card:
        """Another card with the same answer to a peek: that answer everybody hears (V-08)."""
        shoe = self.mine.room.table.shoe
        assert shoe is not None
        up = shoe.cards[shoe.position + 3]
        while True:
            found = rng.randrange(52)
            if found != card and hand.is_natural((up, found)) == hand.is_natural((up, card)):
                return found

    async def decide(self, player: str, box: int, action: Action) -> None:
        name = next(name for name, id in self.mine.players.items() if id == player)
        await self.ask(name, do="decide", box=box, action=str(action))
        self.seen[str(action)] += 1

    async def read(self, rng: Random) -> None:
        assert self.mine.public_pages is not None
        path = rng.choice((*OFTEN, *self.mine.public_pages.paths))
        name = rng.choice((OWNER, SPECTATOR, SUPERVISOR, DEALER))
        for each in (self.mine, self.other):
            await each.read(name, path)
        self.seen["read"] += 1

    async def ask(self, name: str, **command: Any) -> None:
        for each in (self.mine, self.other):
            await each.ask(name, **command)

    async def both(self, name: str, kind: str) -> None:
        for each in (self.mine, self.other):
            await each.say(name, kind)

    async def wait(self, milliseconds: int) -> None:
        for each in (self.mine, self.other):
            await each.wait(milliseconds)

    def compare(self, seed: int) -> None:
        mine, other = ([mask(told) for told in each.public()] for each in (self.mine, self.other))
        assert len(mine) > 20
        least = min(len(mine), len(other))
        assert mine[:least] == other[:least], f"seed {seed}"
        assert len(mine) == len(other), f"seed {seed}"


def mask(told: Told) -> Told:
    """Commitments and the hashes of sheets are not compared: the first are another with the card, by its salt."""
    return told._replace(what=_COMMITMENT.sub(b"#", told.what))


@asynccontextmanager
async def open_scanned_house(folder: Path) -> AsyncIterator[ScannedHouse]:
    async with channel_house.opened(folder) as house:
        made = ScannedHouse(house, house.application.config.games[GAME])
        await made.furnish(0)
        try:
            yield made
        finally:
            made.leave()


@asynccontextmanager
async def open_scanned_pairs(folder: Path) -> AsyncIterator[ScannedPairs]:
    async with (
        open_scanned_house(folder / "mine") as mine,
        open_scanned_house(folder / "other") as other,
        open_public_pages(mine.house, {**mine.players}) as mine.public_pages,
        open_public_pages(other.house, {**other.players}) as other.public_pages,
    ):
        yield ScannedPairs(mine, other, (mine.save(), other.save()))
