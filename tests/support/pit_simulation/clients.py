"""Players and their doors: what they ask, where it goes, and that they ask again until they are answered."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from tests.support.pit_simulation.opening import HOMES, LIVE, MISSING, SOLO, find_pit
from tests.support.simulation.players import PLAYERS, Company
from ventuno.core.games import insurance
from ventuno.core.messages.commands import (
    Act,
    BringMoney,
    ClearBets,
    Command,
    DealNow,
    PlaceBet,
    Spot,
    TakeMoney,
    TakeSeat,
)
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.legal import turn
from ventuno.core.table.round import INSURANCE, Action
from ventuno.core.table.state import BETTING, ROUND, Table
from ventuno.house.accounts import player_limits
from ventuno.house.accounts.player_limits import ITALY
from ventuno.house.pits.pit import ChangeLimits
from ventuno.house.pits.placement import PitNumber
from ventuno.house.tables.authority import Answer

if TYPE_CHECKING:
    from tests.support.pit_simulation.world import World

MOST_OPEN = 6
"""Requests of all players that are not answered, at a time."""
MOST_TRIES = 3
_CHIPS = (100, 500, 500, 1_000)
_LIMITS = (500, 1_000, 2_000, 3_000, 6_000)
_NAMES = ("stake:day", "stake:day", "stake:week", "loss:day", "loss:day")


class Ask(NamedTuple):
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
        self.player = self.company.pick((*PLAYERS[:2], *PLAYERS))
        self.table = self.company.pick(LIVE)

    def act(self) -> None:
        """Somebody asks something; while much is unanswered, asks again."""
        if len(self.open) >= MOST_OPEN:
            self.repeat()
            return
        dice = self.random()
        if dice < 0.13:
            self.move_money()
        elif dice < 0.23:
            self.change_limits()
        elif dice < 0.93:
            self.play()
        else:
            command = self.company.says(self.world.checks.tables[self.table], self.world.now)
            if (player := getattr(command, "player", "")) in HOMES:
                self.ask(player, self.table, command)

    def play(self) -> None:
        """One player bets at all tables he can reach, and plays his rounds to their end."""
        if self.random() < 0.2:
            self.table = self.company.pick((*LIVE, SOLO) if self.world.solo == self.player else LIVE)
        table = self.world.checks.tables[self.table]
        command = self.choose(table)
        if command is None:
            self.world.house_acts(find_pit(self.table, self.world.solo))
        else:
            self.ask(self.player, self.table, command)

    def choose(self, table: Table) -> Command | None:
        """What he says at a table; nothing where the house is to act."""
        player, at, dice = self.player, self.world.now, self.random()
        play = table.round
        if table.phase is BETTING and (table.deadline is None or at < table.deadline):
            boxes = [box for box, seat in enumerate(table.seats, start=1) if seat and seat.player == player]
            slip = table.slips.get(player)
            if slip and slip.steps and dice < 0.65:
                return DealNow(player, at)
            if not boxes and not table.sheet.game.solo:
                return TakeSeat(player, 1 + int(dice * len(table.seats)), at)
            return PlaceBet(player, (Spot(boxes[0] if boxes else 1, "main"),), self.company.pick(_CHIPS), at)
        if table.phase is not ROUND or play is None:
            return None
        if play.stage is INSURANCE:
            waiting = [box for who, box in insurance.waiting(play) if who == player]
            return Act(player, waiting[0].number, Action.DECLINE, at) if waiting else None
        now = turn(play)
        if now is None or now[0].player != player:
            return None
        word = Action.STAND if dice < 0.7 else self.company.pick((Action.DOUBLE, Action.SPLIT, Action.HIT))
        return Act(player, now[0].number, word, at)

    def move_money(self) -> None:
        """Money goes to a table or comes from it: some, all, more than there is."""
        player, at = self.company.pick((*PLAYERS, self.player, self.player)), self.world.now
        name = self.company.pick(LIVE)
        purse, dice = self.world.checks.tables[name].purse(player), self.random()
        if dice < 0.4:
            self.ask(player, name, BringMoney(player, self.company.pick((500, 3_000, 10**6)), at))
        elif dice < 0.48:
            self.ask(player, MISSING, BringMoney(player, 700, at))
        elif dice < 0.55:
            self.ask(player, name, ClearBets(player, at))
        else:
            self.ask(player, name, TakeMoney(player, purse if dice < 0.9 and purse else 400, at))

    def change_limits(self) -> None:
        """A player sets, lowers or wants to raise a limit, or excludes himself."""
        player = self.player if self.random() < 0.8 else self.company.pick(PLAYERS)
        name, amount = self.company.pick(_NAMES), self.company.pick(_LIMITS)
        self.number += 1
        key = f"ask:{player} {self.number}"
        change: Callable[[int], ChangeLimits] = partial(make_limit, name, amount)
        if self.random() < 0.12:
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
        sent = ask._replace(epoch=epoch)
        self.asks[ask.key] = sent
        self.open[ask.key] = self.open.get(ask.key, 0) + 1
        self.world.send(sent)

    def hear(self, key: str, answer: Answer) -> None:
        """An answer ends a request; for room that is pending the door asks again, at once only a few times."""
        if answer.refused != "RoomPending":
            self.open.pop(key, None)
        elif 0 < self.open.get(key, 0) <= MOST_TRIES:
            self.send(self.asks[key])

    def repeat(self) -> None:
        """The door repeats what was not answered, or what was: its player did not hear it."""
        keys = [*self.open] if self.random() < 0.8 else [*self.asks]
        for _ in range(2 if keys else 0):
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
