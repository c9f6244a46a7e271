"""Scripted evenings at the house: players, shoes and money for tests, and tapes of real batches to commit."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.support.automatic_player import spin_bonus
from ventuno.core.games import insurance
from ventuno.core.messages.commands import (
    Act,
    AllowBehind,
    BringMoney,
    Command,
    DealNow,
    LoadShoe,
    Pause,
    PlaceBet,
    RepeatBets,
    Resume,
    Spot,
    TakeMoney,
    TakeSeat,
    Tick,
    UndoBet,
    Void,
)
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import pack
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.ledger import Posting
from ventuno.core.table.legal import turn
from ventuno.core.table.round import Action, Round, Stage
from ventuno.core.table.shoes import cut_window
from ventuno.core.table.state import Phase, Table
from ventuno.house.store.clock import Clock
from ventuno.house.store.durability import open_store
from ventuno.house.store.records import Batch, Head, KeyRow, PostingRow, Record, chain_events
from ventuno.house.store.store import Store
from ventuno.house.tables.authority import Authority, LiveTable, Request
from ventuno.house.tables.bonus_draws import BonusDraws
from ventuno.house.tables.table_host import TableHost
from ventuno.sheets import GAMES, load

PLAYERS = ("ada", "bea", "cleo")
SHEETS = {game: load(game) for game in GAMES}
SHEETS_BY_HASH = {sheet.hash: sheet for sheet in SHEETS.values()}


class Free:
    """A guard that protects nobody."""

    def refuses(self, _player: PlayerId, _added: Cents, _at: int, _raises: bool, /) -> Refusal | None:
        return None

    def add_round(self, _player: PlayerId, _staked: Cents, _returned: Cents, _at: int, /) -> None:
        return


class Script:
    """Players with a seed: they say what is sensible at a table now, and sometimes what is not."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def says(self, table: Table, at: int) -> Command | None:
        solo = table.sheet.game.solo
        player = table.owner(1) or "" if solo else self.chance.choice(PLAYERS)
        play = table.round if table.phase is Phase.ROUND else None
        if play is None:
            return self._bets(table, player, at)
        if play.stage is Stage.INSURANCE:
            return self._insures(play, at)
        now = turn(play)
        if now is None:
            return None
        box, index = now
        if index < 0:
            return spin_bonus(box, at)
        return Act(box.player, box.number, self.chance.choice(list(Action)), at)

    def _insures(self, play: Round, at: int) -> Command | None:
        waiting = list(insurance.waiting(play))
        if not waiting:
            return None
        player, box = self.chance.choice(waiting)
        return Act(player, box.number, self.chance.choice((Action.INSURE, Action.DECLINE)), at)

    def _bets(self, table: Table, player: PlayerId, at: int) -> Command:
        chance = self.chance
        own = [box for box in range(1, len(table.seats) + 1) if table.owner(box) == player]
        bet = "main" if chance.random() < 0.7 else chance.choice(list(table.limits))
        box = 0 if bet == "dealer-pair" else chance.choice(own or [1])
        return chance.choice(
            (
                PlaceBet(player, (Spot(box, bet),), chance.choice((100, 500, 1_000)), at),
                PlaceBet(player, (Spot(box, "main"),), chance.choice((100, 500, 1_000)), at),
                DealNow(player, at),
                DealNow(player, at),
                RepeatBets(player, at),
                UndoBet(player, at),
                BringMoney(player, 1_000, at),
                TakeMoney(player, 500, at),
                AllowBehind(player, chance.random() < 0.5, at),
            )
        )


@dataclass
class Tape:
    """A scripted evening: every batch in order, and the house as they leave it."""

    house: Authority
    batches: list[Batch] = field(default_factory=list)

    def records(self) -> dict[str, list[Record]]:
        """The records of every table."""
        streams: dict[str, list[Record]] = {}
        for record in [one for batch in self.batches for one in batch.records if one.stream != "house"]:
            streams.setdefault(record.stream, []).append(record)
        return streams

    def keys(self) -> list[KeyRow]:
        return [key for batch in self.batches for key in batch.keys]


class Evening:
    """Plays two tables of two games by a seed, straight on the authority."""

    def __init__(self, seed: int) -> None:
        self.script, self.now, self.count = Script(seed), 1_790_000_000_000, 0
        self.tape = Tape(authority(seed))
        self.names = ["T0", "T1"]
        batch = funds(dict.fromkeys(PLAYERS, 100_000), self.now)
        self.tape.house.wallet.post([Posting(row.account, row.amount) for row in batch.postings])
        self.tape.batches.append(batch)
        for name, game in zip(self.names, ("ventuno", GAMES[1 + seed % 4]), strict=True):
            sheet = SHEETS[game]
            owner = self.script.chance.choice(PLAYERS) if sheet.game.solo else ""
            self.tape.batches.append(self.tape.house.open(name, sheet, self.now, owner))
            for number, player in enumerate([owner] if owner else PLAYERS, 1):
                self.say(name, BringMoney(player, 20_000, self.now))
                self.say(name, TakeSeat(player, number, self.now))

    def say(self, name: str, command: Command) -> None:
        self.count += 1
        decided = self.tape.house.handle(Request(name, command, f"k{self.count}", getattr(command, "player", "")))
        if decided.batch:
            self.tape.batches.append(decided.batch)

    def step(self) -> None:
        chance = self.script.chance
        name = chance.choice(self.names)
        table = self.tape.house.tables[name].table
        self.now += chance.choice((0, 50, 400, 900))
        if table.shoe is None:
            self.say(name, new_shoe(table, chance, self.now))
        elif table.pause:
            self.say(name, Resume("eva", self.now))
        elif chance.random() < 0.03:
            self.say(name, chance.choice((Pause("eva", "test", self.now), Void("eva", "test", self.now))))
        elif table.deadline is not None and chance.random() < 0.2:
            self.now = max(self.now, table.deadline)
            self.say(name, Tick(self.now))
        elif command := self.script.says(table, self.now):
            self.say(name, command)


def tape(seed: int, steps: int = 100) -> Tape:
    """What one evening commits: real play of two games with pauses, voids and refusals."""
    evening = Evening(seed)
    for _ in range(steps):
        evening.step()
    return evening.tape


def new_shoe(table: Table, chance: random.Random, at: int = 0) -> LoadShoe:
    cards = list(pack(table.sheet.shoe.decks))
    chance.shuffle(cards)
    least, most = cut_window(table.sheet)
    return LoadShoe(tuple(cards), chance.randint(least, most), at)


def funds(amounts: dict[str, int], at: int, head: Head | None = None) -> Batch:
    """Money from the cashier, as one record of the house."""
    records, _ = chain_events(head or Head(), "house", at, [("Funded", b"{}")])
    seq = records[0].seq
    rows = [PostingRow("house", seq, f"player:{player}", amount, "", "") for player, amount in amounts.items()]
    return Batch(records, (PostingRow("house", seq, "cashier", -sum(amounts.values()), "", ""), *rows))


async def fund(house: TableHost, amounts: dict[str, int]) -> None:
    """Bring money into a house that is open."""
    batch = funds(amounts, house.commits.now(), house.commits._heads.get("house"))
    house.authority.wallet.post([Posting(row.account, row.amount) for row in batch.postings])
    await house.commits.write(batch)


class Shoes:
    """A shoemaker with a seed."""

    def __init__(self, seed: int = 1) -> None:
        self._chance = random.Random(seed)

    async def __call__(self, room: LiveTable) -> LoadShoe:
        return new_shoe(room.table, self._chance)


def authority(seed: int = 1) -> Authority:
    return Authority(Free(), BonusDraws(random.Random(seed).randrange), SHEETS_BY_HASH)


async def open_house(url: str, clock: Clock, seed: int = 1, *, apart: bool = False, **options: Any) -> TableHost:
    store = await open_store(url, writer_process=apart)
    return await TableHost.open(store, authority(seed), SHEETS_BY_HASH, clock, Shoes(seed), **options)


async def fill(store: Store, batches: Sequence[Batch]) -> None:
    """Commit a whole tape."""
    for batch in batches[:-1]:
        store.submit(batch, lambda _: None)
    await store.commit(batches[-1])
