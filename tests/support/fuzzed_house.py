"""A house under fuzzed frames, and the model beside it: what an accepted command does, worked out again by the rules.

After each frame all that the house holds is compared: tables, balances, what went to the store. A frame that was not
accepted has changed nothing; one that was has done exactly what the pure rules say of it.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

from tests.support import channel_house
from tests.support.channel_house import ChannelHouse
from tests.support.frame_grammar import Frame, Speaker, frame
from tests.support.fuzzing_client import Client, sensible
from tests.support.hidden_shoes import Cards
from ventuno.core.messages.commands import BringMoney, LoadShoe, SpinBoard, SpinWheel, TakeSeat
from ventuno.core.messages.events import BoardSpun, Event, WheelSpun
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import is_ace, is_ten, pack
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table import ledger
from ventuno.core.table.fold import advance, replay
from ventuno.core.table.shoes import cut_window
from ventuno.core.table.state import Table
from ventuno.house.accounts.players import Role
from ventuno.house.store.records import Batch, read_table_event
from ventuno.house.tables.authority import LiveTable, Request
from ventuno.house.tables.housekeeping import _lacks_shoe
from ventuno.web.messages import client_messages
from ventuno.web.messages.client_messages import to_command

LIVE = "T1"
CLOSES = (0, 4000, 4001)
EVERY, SENSIBLE = 300, 0.25
"""Frames between two strokes of the clock, and the share of those that anybody might send."""
PEOPLE = {"Ada": Role.PLAYER, "Bea": Role.PLAYER, "Cleo": Role.PLAYER, "Zoe": Role.PLAYER, "Eva": Role.SUPERVISOR}
MONEY, PURSE = 10**8, 50_000


_reader = client_messages.client_message


class Outside(AssertionError):
    """The house did something that the model does not know."""


@dataclass
class FuzzedHouse:
    """A house with a table of every game, and five who send whatever they like."""

    house: ChannelHouse
    rng: Random
    clients: list[Client] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    seen: Counter[str] = field(default_factory=Counter)
    _used: dict[tuple[PlayerId, str], tuple[str, client_messages.TableCommand]] = field(default_factory=dict)

    @property
    def rooms(self) -> dict[str, LiveTable]:
        return self.house.application.host.authority.tables

    async def furnish(self) -> None:
        """Two have a table of each game for one and sit at the shared one; one bets behind; one has no money at all."""
        application = self.house.application
        await application.tables.open(LIVE, "ventuno")
        self.tables += [LIVE, "no such table"]
        for name, role in PEOPLE.items():
            player = await self.house.joined(name, MONEY if name != "Zoe" else 0, role)
            self.clients.append(Client(name, player, Speaker(self.rng, [LIVE] * 4, name)))
        for number, client in enumerate(self.clients[:2]):
            own = [
                str(await application.tables.open_solo(client.player, game))
                for game, sheet in self.games()
                if sheet.game.solo
            ]
            self.tables += own
            client.speaker.tables += own * 2
            for table in (LIVE, *own):
                await application.tables.bring(client.player, table, PURSE, f"purse {table}")
            await application.tables.ask(client.player, LIVE, TakeSeat(client.player, (1, 7)[number], 0), "seat")
        await application.tables.bring(self.clients[2].player, LIVE, PURSE, "purse")
        for client in self.clients:
            client.speaker.tables += self.tables
            client.channel = await self.house.enter(client.player, client.told.append)
        await self.clock()

    def games(self) -> Iterable[tuple[str, Sheet]]:
        return self.house.application.config.games.items()

    async def clock(self) -> None:
        """Time goes on: rounds begin and end, shoes come, checks are read, everybody watches again."""
        application = self.house.application
        self.house.clock.move(self.rng.choice((1_000, 5_000, 16_000)))
        await self.house.settle(30)
        for name, room in list(self.rooms.items()):
            while _lacks_shoe(self.rooms[name].table):
                shoe = LoadShoe(self.cards(room.table.sheet), cut_window(room.table.sheet)[1], 0)
                key = f"shoe {name} {self.rooms[name].version}"
                assert not (await application.host.ask(Request(name, shoe, key))).refused
        for client in self.clients:
            assert client.channel is not None
            await application.protection.acknowledge(client.player)
            for table in self.tables:
                if table not in client.channel.broadcasts:
                    await channel_house.say(client.channel, {"type": "join", "id": "again", "table": table})
            client.told.clear()
        self.seen["rounds"] = sum(one.table.rounds for one in self.rooms.values())

    def cards(self, sheet: Sheet) -> Cards:
        """A shuffled shoe; in every second one good cards lie on top, so that what is rare comes up."""
        cards = list(pack(sheet.shoe.decks))
        self.rng.shuffle(cards)
        if self.rng.random() < 0.5:
            cards.sort(key=lambda one: not (is_ten(one) or is_ace(one)) or self.rng.random() < 0.5)
        return tuple(cards)

    async def send(self, client: Client, sent: Frame) -> None:
        """One frame, and everything that may have come of it."""
        rooms, balances = dict(self.rooms), self.balances()
        self.house.batches.clear()
        assert client.channel is not None
        kind = "text" if isinstance(sent, str) else "bytes"
        code = await client.channel._read({"type": "websocket.receive", kind: sent})
        self.house.flush()
        if code not in CLOSES:
            raise Outside(f"{sent!r} closes with {code}")
        heard = client.heard()
        self.judge(client, sent, code, heard, rooms, balances)

    def balances(self) -> dict[str, Cents]:
        return dict(self.house.application.host.authority.wallet._balances)

    def judge(
        self,
        client: Client,
        sent: Frame,
        code: int,
        heard: list[dict[str, Any]],
        rooms: dict[str, LiveTable],
        balances: dict[str, Cents],
    ) -> None:
        faults = [one for one in heard if one["type"] == "fault"]
        answers = [one for one in heard if one["type"] == "answer"]
        asked = read(sent)
        silent = code == 4001 or isinstance(asked, client_messages.Pong)
        due = (0, 0) if silent else (1, 0) if asked is None else (0, 1)
        if (len(faults), len(answers)) != due:
            raise Outside(f"{sent!r}: {heard}")
        if any(one["code"] not in ("Malformed", "NotText") for one in faults):
            raise Outside(f"{sent!r}: {faults}")
        self.seen["malformed" if faults else "too long" if code else "refused" if refused(answers) else "taken"] += 1
        if asked is None or not answers or refused(answers) or not isinstance(asked, client_messages.Ask):
            self.unchanged(sent, rooms, balances)
            self.remembered(client, asked, answers)
        else:
            self.carried_out(client, asked, rooms, balances)

    def unchanged(
        self, sent: Frame | client_messages.Ask, rooms: dict[str, LiveTable], balances: dict[str, Cents]
    ) -> None:
        """No table, no balance, no record of a table, no posting."""
        if any(self.rooms[name] is not room for name, room in rooms.items()) or self.balances() != balances:
            raise Outside(f"{sent!r} has changed something")
        if moved := [one for one in self.house.batches if one.postings or one.keys or any_table(one)]:
            raise Outside(f"{sent!r} was written: {moved}")

    def remembered(
        self, client: Client, asked: client_messages.ClientMessage | None, answers: list[dict[str, Any]]
    ) -> None:
        """What was done under a key is answered as done, ever after, to who may still ask there (G-7)."""
        if not isinstance(asked, client_messages.Ask) or answers[0]["refused"]["code"] == "NotJoined":
            return
        if self._used.get((client.player, asked.key)) == (asked.table, asked.command):
            raise Outside(f"{asked} was done, and is refused now: {answers}")

    def carried_out(
        self, client: Client, asked: client_messages.Ask, rooms: dict[str, LiveTable], balances: dict[str, Cents]
    ) -> None:
        """The command did what the rules say, at its table and in the books, and nothing else."""
        place, word = (client.player, asked.key), (asked.table, asked.command)
        if place in self._used:
            if self._used[place] != word:
                raise Outside(f"{asked}: the key was used for {self._used[place]}")
            self.seen["again"] += 1
            self.unchanged(asked, rooms, balances)
            return
        self._used[place] = word
        before = rooms.pop(asked.table).table
        after, events = self.rooms[asked.table].table, written(self.house.batches, asked.table)
        expected = self.expected(client, asked, before, events)
        if expected != (events, after):
            raise Outside(f"{asked} led to {events}, the rules say {expected[0]}")
        if any(self.rooms[name] is not room for name, room in rooms.items()):
            raise Outside(f"{asked} has changed another table")
        for event in events:
            for posting in ledger.postings(event, before.sheet.game.id):
                balances[posting.account] = balances.get(posting.account, 0) + posting.amount
        if self.balances() != balances or sum(balances.values()) != 0:
            raise Outside(f"{asked}: the books are not what the events make of them")
        self.seen[type(asked.command).__name__] += 1

    def expected(
        self, client: Client, asked: client_messages.Ask, before: Table, events: list[Event]
    ) -> tuple[list[Event], Table]:
        """The rules on their own. What a spin brings is drawn by the house: the rules say what follows from it."""
        made = replace(to_command(client.player, asked.command), at=self.house.application.now())
        if isinstance(made, BringMoney):
            made = BringMoney(made.player, made.amount, made.at, 0)
        match made, events[0]:
            case SpinWheel(player, box), WheelSpun(_, _, segment, boxes, start):
                made = SpinWheel(player, box, segment, made.at, boxes, start)
            case SpinBoard(player, box), BoardSpun(_, _, locks, diamonds):
                made = SpinBoard(player, box, locks, made.at, diamonds)
            case _:
                pass
        outcome = advance(before, made)
        if isinstance(outcome, Refusal):
            raise Outside(f"{asked} was taken, the rules refuse it: {outcome}")
        assert outcome[1] == replay(before, events) or outcome[0] != events
        return outcome

    def next(self, client: Client) -> Frame:
        """Mostly hostile; now and then what a player would do, so that rounds come to their end."""
        if self.rng.random() < SENSIBLE and (tables := [one for one in self.tables if self.holds(client, one)]):
            table = self.rng.choice(tables)
            if doing := sensible(self.rooms[table].table, client.player, self.rng):
                return json.dumps(client.speaker.asking(table, doing))
        return frame(client.speaker)

    def holds(self, client: Client, table: str) -> bool:
        return table in self.rooms and client.player in self.rooms[table].table.purses

    async def run(self, frames: int) -> None:
        for number in range(frames):
            if number % EVERY == EVERY - 1:
                await self.clock()
            client = self.rng.choice(self.clients)
            await self.send(client, self.next(client))
        assert self.house.application.host.authority.find_faults() == []
        assert self.house.hub.backlog.waiting == 0
        assert not self.house.application.pipeline.broken


def read(sent: Frame) -> client_messages.ClientMessage | None:
    """The message of a frame as the vocabulary reads it; None where it is none."""
    if not isinstance(sent, str) or len(sent.encode(errors="replace")) > 4 << 10:
        return None
    try:
        return _reader.validate_json(sent)
    except ValueError:
        return None


def refused(answers: list[dict[str, Any]]) -> bool:
    return any(one["refused"] for one in answers)


def any_table(batch: Batch) -> bool:
    return any(record.stream.startswith("table:") for record in batch.records)


def written(batches: list[Batch], table: str) -> list[Event]:
    """The events of a table that went to the store."""
    records = [record for one in batches for record in one.records if record.stream == f"table:{table}"]
    return [read_table_event(record.kind, record.body) for record in records]


@asynccontextmanager
async def open_fuzzed_house(folder: Path, seed: int) -> AsyncIterator[FuzzedHouse]:
    async with channel_house.opened(folder) as house:
        app = house.application
        app._shoe_supply.serve = lambda table: None  # type: ignore[method-assign]  # noqa: ARG005
        app.tables._shoe_logs.record_table_events = lambda table, events, at: ()  # type: ignore[method-assign]  # noqa: ARG005
        made = FuzzedHouse(house, Random(seed))
        await made.furnish()
        yield made
