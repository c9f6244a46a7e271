"""Players and their doors: what they ask, where it goes, and that they ask again until they are answered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from dataclasses import replace as changed
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING

from tests.support.pit_simulation.opening import HOMES, LIVE, MISSING, SOLO, find_pit
from tests.support.simulation.players import PLAYERS, Company
from ventuno.core.messages.commands import BringMoney, ClearBets, Command, TakeMoney
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.state import Table
from ventuno.house.accounts import player_limits
from ventuno.house.accounts.player_limits import ITALY
from ventuno.house.pits.pit import ChangeLimits
from ventuno.house.pits.placement import PitNumber
from ventuno.house.tables.authority import Answer

if TYPE_CHECKING:
    from tests.support.pit_simulation.world import World

MOST_OPEN = 4
"""Requests of all players that are not answered, at a time."""
_LIMITS = (500, 1_000, 2_000, 3_000, 6_000)
_NAMES = ("stake:day", "stake:day", "stake:week", "loss:day", "loss:day")


@dataclass(frozen=True, slots=True)
class Ask:
    """A request on its way to a pit, as the owner of an epoch."""

    key: str
    player: PlayerId
    pit: PitNumber
    epoch: int
    table: str = ""
    command: Command | None = None
    change: Callable[[int], ChangeLimits] | None = None
    digest: bytes = b""


class Clients:
    """All players of one world."""

    def __init__(self, world: World) -> None:
        self.world, self.random = world, world.random
        self.company = Company(world.random)
        self.asks: dict[str, Ask] = {}
        self.open: dict[str, int] = {}
        """Requests without an answer, with how often they were sent."""
        self.number = 0
        self.table = LIVE[0]

    def act(self) -> None:
        """Somebody asks something; while much is unanswered, asks again."""
        if len(self.open) >= MOST_OPEN:
            self.repeat()
            return
        dice = self.random()
        if dice < 0.16:
            self.move_money()
        elif dice < 0.3:
            self.change_limits()
        else:
            if self.random() < 0.25:
                self.table = self.company.pick((*LIVE, SOLO))
            table = self.world.checks.tables[self.table]
            command = self.company.says(table, self.world.now)
            player = getattr(command, "player", "")
            if player in HOMES:
                self.ask(player, self.table, command)

    def move_money(self) -> None:
        """Money goes to a table or comes from it: some, all, more than there is."""
        player, at = self.company.pick(PLAYERS), self.world.now
        name = self.company.pick(LIVE)
        table: Table = self.world.checks.tables[name]
        purse, dice = table.purse(player), self.random()
        if dice < 0.45:
            self.ask(player, name, BringMoney(player, self.company.pick((500, 3_000, 10**6)), at))
        elif dice < 0.55:
            self.ask(player, MISSING, BringMoney(player, 700, at))
        elif dice < 0.65:
            self.ask(player, name, ClearBets(player, at))
        else:
            self.ask(player, name, TakeMoney(player, purse if dice < 0.9 and purse else 400, at))

    def change_limits(self) -> None:
        """A player lowers or sets a limit, or excludes himself."""
        player, dice = self.company.pick((*PLAYERS, *PLAYERS[:1] * 2)), self.random()
        name, amount = self.company.pick(_NAMES), self.company.pick(_LIMITS)
        self.number += 1
        key = f"ask:{player} {self.number}"
        if dice < 0.85:
            change: Callable[[int], ChangeLimits] = partial(make_limit, name, amount)
        else:
            change = make_exclusion
        digest = sha256(f"{key} {name} {amount}".encode()).digest()
        self.send(Ask(key, player, HOMES[player], 0, change=change, digest=digest))

    def ask(self, player: PlayerId, table: str, command: Command) -> None:
        self.number += 1
        away = isinstance(command, BringMoney)
        pit = HOMES[player] if away else find_pit(table, self.world.solo)
        self.send(Ask(f"ask:{player} {self.number}", player, pit, 0, table, command))

    def send(self, ask: Ask) -> None:
        """The door reads who owns the pit now, mostly; a door that has not heard yet speaks to the owner of before."""
        epoch = self.world.disk.leases[ask.pit].epoch
        if not self.world.is_calm and self.random() < 0.1:
            epoch -= 1
        sent = changed(ask, epoch=epoch)
        self.asks[ask.key] = sent
        self.open[ask.key] = self.open.get(ask.key, 0) + 1
        self.world.send(sent)

    def hear(self, key: str, answer: Answer) -> None:
        """An answer ends a request; room that is pending is asked for again by the door."""
        if answer.refused != "RoomPending":
            self.open.pop(key, None)

    def repeat(self) -> None:
        """The door repeats what was not answered, or what was: its player did not hear it."""
        keys = [*self.open] if self.random() < 0.8 else [*self.asks]
        if keys:
            self.resend(self.company.pick(keys))

    def repeat_all(self) -> None:
        for key in [*self.open]:
            self.resend(key)

    def resend(self, key: str) -> None:
        is_open = key in self.open
        self.send(self.asks[key])
        if not is_open:
            del self.open[key]


def make_limit(name: str, amount: int, at: int) -> ChangeLimits:
    return lambda limits: player_limits.set_limit(limits, name, amount, at, ITALY)


def make_exclusion(at: int) -> ChangeLimits:
    return lambda limits: player_limits.exclude(limits, 30, at, ITALY)
