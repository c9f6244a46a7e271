"""How a world of several hosts begins: three pits, two live tables, a table for one, money at each of them.

Opening takes longer than playing, so worlds share a few beginnings; each is made by the pits themselves.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import lru_cache
from itertools import count
from typing import NamedTuple

from tests.support.pit_simulation.checks import Checks
from tests.support.pit_simulation.disk import Disk, PitRows
from tests.support.pit_simulation.sealed_shoes import bring_shoe, make_seals
from tests.support.simulation.disk import Broken
from tests.support.simulation.opening import BY_HASH, SHEETS, START
from tests.support.simulation.players import PLAYERS
from ventuno.core.messages.commands import BringMoney, Command, TakeSeat
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.ledger import Posting
from ventuno.house.pits.leases import Lease
from ventuno.house.pits.messages import Message
from ventuno.house.pits.pit import Outcome, Pit
from ventuno.house.pits.placement import PitNumber, find_player_pit, find_table_pit
from ventuno.house.tables.authority import LiveTable, Request

VARIANTS = 24
SEALED = 6
"""The shoes of one beginning in so many are sealed: signing takes longer than playing."""
START_MONEY = 60_000
BROUGHT = 12_000
SOLO_GAMES = ("first-person", "sisal")
HOMES = {player: find_player_pit(player) for player in PLAYERS}
PITS = tuple(dict.fromkeys(HOMES.values()))
AT_HOME = {pit: tuple(player for player in PLAYERS if HOMES[player] == pit) for pit in PITS}
"""Players by the pit they are at home in."""


def find_names(pit: PitNumber) -> Iterator[str]:
    """Names of live tables that are placed in a pit."""
    return (name for number in count() if find_table_pit(name := f"T{number}") == pit)


LIVE = tuple(next(find_names(pit)) for pit in PITS[1:])
"""The live tables: at one of them a player is at home, at the other one another."""
SOLO = "S0"
MISSING = next(name for name in find_names(PITS[-1]) if name not in LIVE)
"""A table that is not there, in a pit that is."""


class Opening(NamedTuple):
    """A world before its first step."""

    disk: Disk
    checks: Checks
    rooms: dict[PitNumber, dict[str, LiveTable]]
    solo: PlayerId


def find_pit(table: str, solo: PlayerId) -> PitNumber:
    return find_table_pit(table, solo if table == SOLO else "")


class Opener:
    """Pits without hosts and faults: what one of them decides is durable, and delivered, at once."""

    def __init__(self, variant: int) -> None:
        self.chance = random.Random(variant).random
        self.is_sealed = variant % SEALED == 0
        self.disk = Disk({pit: Lease(pit, 1) for pit in PITS}, {pit: PitRows() for pit in PITS})
        self.checks = Checks(self.disk)
        seals = make_seals(random.Random(variant).randbytes)
        self.pits = {pit: Pit(pit, self.disk.read_epochs(), seals, BY_HASH) for pit in PITS}
        for pit in PITS:
            self.checks.took(pit, 1)

    def apply(self, pit: PitNumber, outcome: Outcome) -> None:
        if outcome.batch:
            self.disk.commit(pit, 1, outcome.batch)
            self.checks.committed(pit, 1, outcome.batch)
        for key, answer in outcome.answers:
            if answer.refused:
                raise Broken(f"the world does not open: {key} {answer}")
            self.checks.answered(key, answer, "", is_change=False)
        for message in outcome.messages:
            self.deliver(message)

    def deliver(self, message: Message) -> None:
        self.apply(message.receiver, self.pits[message.receiver].receive(message, START))

    def say(self, pit: PitNumber, table: str, command: Command, player: PlayerId = "") -> None:
        key = f"open:{pit}:{len(self.disk.keys)}:{player}"
        self.apply(pit, self.pits[pit].ask(Request(table, command, key, player)))

    def open(self, table: str, game: str, owner: PlayerId) -> None:
        pit, sheet = find_pit(table, owner), SHEETS[game]
        batch = self.pits[pit].authority.open(table, sheet, START, owner)
        self.checks.tables[table] = self.pits[pit].authority.tables[table].table
        self.apply(pit, Outcome(batch))
        for _ in range(sheet.shoe.sets):
            for outcome in bring_shoe(self.pits[pit], table, self.chance, START, is_sealed=self.is_sealed):
                self.apply(pit, outcome)
        for player in [owner] if owner else PLAYERS:
            self.say(HOMES[player], table, BringMoney(player, BROUGHT, START), player)
        for place, player in enumerate(() if owner else PLAYERS[:2]):
            self.say(pit, table, TakeSeat(player, place * 2 + 1, START), player)


@lru_cache(maxsize=VARIANTS)
def make_opening(variant: int) -> Opening:
    """One of the beginnings."""
    opener = Opener(variant)
    for player in PLAYERS:
        home = HOMES[player]
        first = [Posting(f"player:{player}", START_MONEY), Posting("cashier", -START_MONEY)]
        opener.pits[home].authority.wallet.post(first)
        for account, amount in (first[0][:2], (f"cashier#{home}", -START_MONEY)):
            opener.disk.balances[account] = opener.disk.balances.get(account, 0) + amount
    solo = PLAYERS[variant % 2]
    for table in LIVE:
        opener.open(table, "ventuno", "")
    opener.open(SOLO, SOLO_GAMES[variant // 2 % 2], solo)
    rooms = {pit: {**owner.authority.tables} for pit, owner in opener.pits.items()}
    return Opening(opener.disk, opener.checks, rooms, solo)
