"""Two houses with their doors, dealing from sealed shoes that a test has ordered: for paired runs over HTTP.

Shuffle and cut are fixed, so that two shoes are played in the very order that is given; seal, commitment, trail, store
and every call are the house's own.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support import in_process_house
from tests.support.busy_house import World
from tests.support.channel_house import drawn
from tests.support.hidden_shoes import Cards
from tests.support.house import FACTOR
from tests.support.in_process_house import InProcessHouse
from tests.support.paired_houses import Reveal
from tests.support.public_pages import ASKED, Asked, readable
from tests.support.volume import VOLUME
from ventuno.core.messages.commands import Command, DealNow, PlaceBet, Spot, TakeSeat
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.shoes import cut_window
from ventuno.core.table.state import Phase, Table
from ventuno.house.accounts.players import Role
from ventuno.house.shoes import commitment, cut
from ventuno.house.shoes.commitment import Commitment, SealedShoe
from ventuno.house.tables import shoe_supply
from ventuno.house.tables.table_host import TableCommitted
from ventuno.web.http import lobby

HASHED = re.compile(r"[0-9a-f]{64,}|(?<=\"id\": \")[0-9a-f]{16}")
"""Hashes and signatures, and the ids of refusals; salts and session ids are shorter and must be equal."""
ASKING = 1
"""How many of the people there ask one thing at a time: the next time it is another."""
OWNER, OTHER, STRANGER, SUPERVISOR, NOBODY = "owner", "other", "stranger", "supervisor", "nobody"


class Fixed:
    """A source for the house's share of a cut: the same for both houses, however often it is asked."""

    failure = ""

    def __init__(self, number: int, side: Side) -> None:
        self._number, self.side = number, side

    def draw(self, size: int) -> bytes:
        return sha256(f"cut {self._number}".encode()).digest()[:size]


@dataclass
class Side:
    """A house with its doors, and what the next shoe of it will be."""

    doors: InProcessHouse
    order: Cards = ()
    players: dict[str, PlayerId] = field(default_factory=dict)
    clients: dict[str, httpx.AsyncClient] = field(default_factory=dict)
    table: str = ""
    reveal: Reveal | None = None
    asked: Asked = field(default_factory=Asked)
    reads: int = 0
    keys: Iterator[int] = field(default_factory=lambda: count(1))

    @property
    def held(self) -> Table:
        return self.doors.application.host.committed[self.table].table

    async def begin(self) -> None:
        """Who is there for all rounds."""
        self.doors.app.state.solved.calculator = self.asked
        self.clients[NOBODY] = self.doors.client()
        eva = self.players[SUPERVISOR] = await self.doors.joined("Eva-Rossi")
        await self.doors.application.accounts.appoint(eva, Role.SUPERVISOR, FACTOR)
        self.clients[SUPERVISOR] = self.doors.client(await self.doors.token(eva))
        self.doors.application.host.watch("", self._news)

    def _news(self, news: TableCommitted) -> None:
        if self.reveal is not None and news.table == self.table:
            self.reveal.see(news.events)

    async def arrive(self, number: int, sheet: Sheet) -> None:
        """New people at a new table: nothing of an earlier round is in what they are told."""
        application = self.doors.application
        supply = application._shoe_supply
        supply._source = Fixed(number, self)  # type: ignore[assignment]
        for name in (OWNER, OTHER, STRANGER):
            player = await self.doors.joined(f"{name.title()}-{number}")
            await application.cashier.deposit(player, 200_000, "some-money")
            self.players[name], self.clients[name] = player, self.doors.client(await self.doors.token(player))
        self.table = f"T{number}"
        if sheet.game.solo:
            self.table = str(await application.tables.open_solo(self.players[OWNER], sheet.game.id))
        else:
            await application.tables.open(self.table, sheet.game.id)
        for name, box in ((OWNER, 1),) if sheet.game.solo else ((OWNER, 1), (OTHER, 4)):
            await application.tables.bring(self.players[name], self.table, 50_000, f"bring-{number}-{box}")
            if not sheet.game.solo:
                await self.say(name, TakeSeat(self.players[name], box, 0))
        await self.until(lambda: self.held.phase is Phase.BETTING and self.table not in supply._tasks)

    async def say(self, name: str, command: Command) -> None:
        await self.doors.application.tables.ask(self.players[name], self.table, command, f"key-{next(self.keys)}")

    async def until(self, what: Any) -> None:
        await World(self.doors).until(what)

    async def deal(self) -> None:
        application = self.doors.application
        for name, box in ((OWNER, 1),) if self.held.sheet.game.solo else ((OWNER, 1), (OTHER, 4)):
            player = self.players[name]
            answer = await application.tables.ask(
                player, self.table, PlaceBet(player, (Spot(box, "main"),), 1_000, 0), f"b{box}"
            )
            assert not answer.refused, answer
        if self.held.sheet.game.solo:
            await self.say(OWNER, DealNow(self.players[OWNER], 0))
        else:
            self.doors.clock.move((self.held.deadline or 0) - application.now())
        await self.until(lambda: self.held.phase is not Phase.BETTING)

    async def read(self) -> list[tuple[str, str, int, str]]:
        """Every call that reads: who, what, the status, and the body with its hashes blotted out.

        Each is asked by some, the next time by others; by everybody in `soak volume`.
        """
        found = []
        code = self.held.round.code if self.held.round else "none"
        values = {"table": self.table, "code": code, "game": self.held.sheet.game.id, "player": self.players[OWNER]}
        values |= {"shoe": "1"}
        self.reads += 1
        for number, path in enumerate(readable()):
            for place, (name, client) in enumerate(self.clients.items()):
                if not VOLUME and (number + place + self.reads) % len(self.clients) >= ASKING:
                    continue
                now = str(self.doors.application.now())
                answer = await client.get((path + ASKED.get(path, "")).format(**values, now=now))
                assert answer.status_code not in (422, 429, 500), (path, answer.text)
                questions = b"".join(self.asked.questions).decode()
                self.asked.questions.clear()
                found.append((name, path, answer.status_code, self.plain(answer.text) + questions))
        return found

    def plain(self, text: str) -> str:
        """What came of earlier rounds is taken out: they were turned, and have come apart since."""
        body = json.loads(text)
        for name, key in (("tables", "table"), ("rounds", "code")):
            if isinstance(body.get(name), list):
                body[name] = [one for one in body[name] if one[key].startswith(self.table)]
                text = json.dumps(body)
        if body.pop("voids", None) is not None:
            text = json.dumps(body)
        return HASHED.sub(lambda one: "#" * len(one[0]), text)


def seal_in_order(
    source: Fixed, sheet: Sheet, table: str, number: int, previous: bytes
) -> tuple[SealedShoe, Commitment]:
    """What shuffles for a test: the order that its house is to deal, salts that follow from the place alone."""
    order = source.side.order
    salts = [sha256(f"{table} {number} {place}".encode()).digest()[:16] for place in range(len(order))]
    shoe = SealedShoe(order, salts, commitment.hash_rules(sheet.hash, sheet.shoe.decks))
    return shoe, Commitment(table, number, sheet.game.id, sheet.hash, sheet.shoe.decks, shoe.root, previous)


@asynccontextmanager
async def houses(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Side, Side]]:
    for name in ("mine", "other"):
        (folder / name).mkdir()
    common: dict[str, Any] = {"cut_seconds": 0}
    async with (
        in_process_house.opened(folder / "mine", tokens=drawn("paired"), **common) as mine,
        in_process_house.opened(folder / "other", tokens=drawn("paired"), **common) as other,
    ):
        sides = Side(mine), Side(other)
        monkeypatch.setattr(shoe_supply, "seal", seal_in_order)
        monkeypatch.setattr(lobby, "FRESH", 0.0)  # both boards as they stand at the moment
        least = {sheet.hash: cut_window(sheet)[1] for sheet in mine.application.config.games.values()}
        monkeypatch.setattr(
            cut, "compute_order", lambda made, _reveals, sheet: (tuple(range(made.size)), least[sheet.hash])
        )
        for side in sides:
            await side.begin()
        yield sides
