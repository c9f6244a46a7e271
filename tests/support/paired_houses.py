"""One of two houses that live through the same: everybody at one table, and every byte that leaves it with its time.

The table is set once; each round begins from the same state, on the same second, with a shoe that is put in its place.
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, Protocol

from tests.support import channel_house
from tests.support.channel_house import ChannelHouse, say
from tests.support.hidden_shoes import Cards
from tests.support.house import FACTOR
from tests.support.public_pages import PublicPages
from ventuno.core.messages.commands import LoadShoe
from ventuno.core.messages.events import Event
from ventuno.core.rules.cards import pack
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.shoes import cut_window
from ventuno.house.accounts.players import Role
from ventuno.house.money.wallet import Wallet
from ventuno.house.tables.authority import LiveTable, Request
from ventuno.house.tables.bonus_draws import BonusDraws
from ventuno.house.tables.concession import ConcessionState
from ventuno.house.tables.housekeeping import Deadlines
from ventuno.house.tables.table_host import TableCommitted
from ventuno.web.sockets.channel import Connection
from ventuno.web.sockets.table_broadcast import TableBroadcast

OWNER, OTHER, BEHIND, SPECTATOR, SUPERVISOR, LATE = "owner", "other", "behind", "spectator", "supervisor", "late"
PLAYERS = (OWNER, OTHER, BEHIND)
WATCHING = (*PLAYERS, SPECTATOR, SUPERVISOR)
"""Who is there from the beginning; the late one comes when he likes."""
NAMES = {OWNER: "Ada", OTHER: "Bea", BEHIND: "Cleo", SPECTATOR: "Zoe", SUPERVISOR: "Eva", LATE: "Lena"}
PURSE = 40_000
BOXES = {OWNER: (1, 2), OTHER: (4,)}
NOBODY, LOG, COUNTERS = "nobody", "the log", "the counters"
OF_THE_CALL = re.compile(r"'ms': [0-9.]+|'id': '[0-9a-f]{16}'|'at': '[^']*'")
"""What a log line has of the call alone: how long it took, its id, the hour on the wall."""


class Told(NamedTuple):
    """Something that left the house: to whom, at what time of the house, and its bytes."""

    to: str
    at: int
    what: bytes


class Reveal(Protocol):
    """Knows from the events of a round when what was hidden may be seen."""

    revealed: bool

    def see(self, events: Iterable[Event], /) -> None: ...


class Start(NamedTuple):
    """A house as it stood at a moment."""

    room: LiveTable
    balances: dict[str, Cents]
    concession: ConcessionState
    wall: int
    steady: int


@dataclass
class PairedHouse:
    """A house, its table, its people and all that was told since the round began."""

    house: ChannelHouse
    sheet: Sheet
    table: str = "T1"
    players: dict[str, PlayerId] = field(default_factory=dict)
    channels: dict[str, Connection] = field(default_factory=dict)
    told: list[Told] = field(default_factory=list)
    reveal: Reveal | None = None
    public_pages: PublicPages | None = None
    until: int = 0
    """How much was told when the reveal came."""
    _keys: int = 0

    @property
    def room(self) -> LiveTable:
        return self.house.application.host.authority.tables[self.table]

    @property
    def stage(self) -> TableBroadcast:
        return self.house.hub.broadcasts[self.table]

    @property
    def now(self) -> int:
        return self.house.application.now()

    async def furnish(self, seed: int) -> None:
        """Open the table, let everybody in, and sit down with money."""
        application = self.house.application
        application._shoe_supply.serve = lambda table: None  # type: ignore[method-assign]  # noqa: ARG005
        for name, called in NAMES.items():
            player = self.players[name] = await self.house.joined(called)
            if name == SUPERVISOR:
                await self.house.application.accounts.appoint(player, Role.SUPERVISOR, FACTOR)
            self.channels[name] = await self.house.enter(self.players[name], self._ear(name))
        if self.sheet.game.solo:
            self.table = str(await application.tables.open_solo(self.players[OWNER], self.sheet.game.id))
        else:
            await application.tables.open(self.table, self.sheet.game.id)
        application.tables._shoe_logs.logs.pop(self.table)
        application.host.watch("", self._news)
        for name in self.present():
            await self.join(name)
        for name in self.seated():
            await self.ask(name, do="bring", amount=PURSE)
        if not self.sheet.game.solo:
            for name, boxes in BOXES.items():
                for box in boxes:
                    await self.ask(name, do="sit", box=box)
        cards = list(pack(self.sheet.shoe.decks))
        Random(seed).shuffle(cards)
        for spare in range(self.sheet.shoe.sets):
            shoe = LoadShoe(tuple(cards), cut_window(self.sheet)[1], 0)
            answer = await application.host.ask(Request(self.table, shoe, f"shoe {spare}"))
            assert not answer.refused, answer

    def present(self) -> tuple[str, ...]:
        """Who may watch: at a table for one its owner and a supervisor."""
        return (OWNER, SUPERVISOR) if self.sheet.game.solo else WATCHING

    def seated(self) -> tuple[str, ...]:
        return (OWNER,) if self.sheet.game.solo else PLAYERS

    def _ear(self, name: str) -> Callable[[bytes], None]:
        return lambda frame: self.told.append(Told(name, self.house.clock.now(), frame))

    def _news(self, news: TableCommitted) -> None:
        """Before anybody is shown what became durable; what was said before it is heard first."""
        self.house.flush()
        if self.reveal is None or self.reveal.revealed or news.table != self.table:
            return
        self.reveal.see(news.events)
        if self.reveal.revealed:
            self.until = len(self.told)

    def public(self) -> list[Told]:
        """All that was told before the reveal."""
        return self.told[: self.until] if self.reveal and self.reveal.revealed else self.told

    async def say(self, name: str, kind: str, **fields: Any) -> None:
        self._keys += 1
        message = {"type": kind, "id": f"m{self._keys}", "table": self.table, **fields}
        code = await say(self.channels[name], message)
        assert code == 0, (name, message, code)

    async def ask(self, name: str, **command: Any) -> None:
        await self.say(name, "ask", key=f"key-{self._keys:08}", command=command)

    def skip(self) -> None:
        """Nothing is said here while something is said in the other house."""
        self._keys += 1

    async def join(self, name: str, version: int | None = None) -> None:
        await self.say(name, "join", **({} if version is None else {"version": version}))

    async def wait(self, milliseconds: int) -> None:
        """Time passes, and what is due happens."""
        self.house.clock.move(milliseconds)
        await self.house.settle()

    async def read(self, name: str, path: str) -> None:
        """Somebody asks over HTTP; what he is answered is told to him."""
        assert self.public_pages is not None
        play = self.room.table.round
        values = {"table": self.table, "code": play.code if play else "none", "game": self.sheet.game.id}
        what = await self.public_pages.get(name, path, {**values, "now": str(self.now), "player": "1", "shoe": "1"})
        self.told.append(Told(name, self.house.clock.now(), what))

    def count(self) -> None:
        """What an operator could read off the meters is told too."""
        hub = self.house.hub
        counted = (hub.requests, hub.deliveries, hub.faults, sorted(hub.refusals.items()))
        self.told.append(Told(COUNTERS, self.house.clock.now(), repr(counted).encode()))

    def save(self) -> Start:
        app, clock = self.house.application, self.house.clock
        balances, reports = app.host.authority.wallet.balances(), app.tables._concession.state
        return Start(self.room, balances, reports, clock.now(), clock.steady())

    async def restore(self, start: Start, cards: Cards | None, draws: int) -> None:
        """Back to that moment, with these cards in the shoe, and everybody comes to the table anew."""
        app, house, clock = self.house.application, self.house.application.host, self.house.clock
        self.leave()
        table = start.room.table
        if cards is not None:
            assert table.shoe is not None
            table = table._replace(shoe=table.shoe._replace(cards=cards))
        room = LiveTable(start.room.stream, table, start.room.head, start.room.practice, start.room.first)
        clock._wall, clock._steady = start.wall, start.steady
        house.authority.tables[self.table] = house.committed[self.table] = room
        house.authority.wallet = Wallet(start.balances)
        house.authority.keys.clear()
        house.housekeeping._deadlines = Deadlines()
        house.housekeeping.note(self.table, table)
        app.tables._concession.state = start.concession
        app.tables._limits._flows.clear()
        house.authority._chance = BonusDraws(Random(draws).randrange)
        self.house.hub.refusals.clear()
        self.house.hub.requests = self.house.hub.deliveries = self.house.hub.faults = 0
        self.told.clear()
        for name in self.present():
            await self.join(name)
        await self.house.settle(4)

    def leave(self) -> None:
        for channel in self.channels.values():
            self.house.hub.part(channel, self.table)


class Scribe(logging.Handler):
    """Writes what the house logs beside what it sends."""

    def __init__(self) -> None:
        super().__init__()
        self.twin: PairedHouse | None = None

    def emit(self, record: logging.LogRecord) -> None:
        if self.twin is not None:
            text = OF_THE_CALL.sub("#", record.getMessage())
            self.twin.told.append(Told(LOG, self.twin.house.clock.now(), text.encode()))


@asynccontextmanager
async def open_paired_house(folder: Path, game: str, seed: int) -> AsyncIterator[PairedHouse]:
    """A furnished house; of two with other seeds only the hidden is different."""
    async with channel_house.opened(folder) as house:
        made = PairedHouse(house, house.application.config.games[game])
        await made.furnish(seed)
        try:
            yield made
        finally:
            made.leave()
