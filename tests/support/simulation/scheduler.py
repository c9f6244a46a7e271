"""What happens next in a world, and what goes wrong with it: the order of everything comes from one seed."""

from __future__ import annotations

from dataclasses import replace

from tests.support.simulation.invariants import speaker
from tests.support.simulation.opening import shoe
from tests.support.simulation.players import PLAYERS, STRANGER, Company
from tests.support.simulation.world import World
from ventuno.core.messages.commands import (
    BringMoney,
    ChangeLimits,
    CloseTable,
    Command,
    LoadShoe,
    Pause,
    PlaceBet,
    Resume,
    Tick,
    TimeOut,
    UndoBet,
    Void,
)
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import pack
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.state import BETTING, RESULTS, ROUND, Phase, Table
from ventuno.house.accounts import player_limits
from ventuno.house.accounts.player_limits import DAY, ITALY, MINUTE
from ventuno.house.tables.authority import Request

LOST, DOUBLED, LATE, FORGED = 0.05, 0.15, 0.06, 0.03
_PAUSES = (0, 20, 90, 400, 900)
_CLOCK_STEPS = (-2_000, -3_600_000, 5_000, 60_000, 8 * DAY)
_LIMITS = (0, 500, 1_500, 3_000, 10_000, 100_000)
_FASTER = frozenset((RESULTS, Phase.SHUFFLING))


class Scheduler:
    """Chooses every step of a world."""

    def __init__(self, world: World) -> None:
        self.world, self.random = world, world.random
        self.company = Company(world.random)
        self.pick = self.company.pick
        self.delayed: list[Request] = []
        self.sent: list[Request] = []
        self.number = 0
        self.careful = PLAYERS[0]
        self.places = (world.tables[0], *world.tables)
        self.table = self.pick(self.places)

    def step(self) -> None:
        world, dice = self.world, self.random()
        world.pass_time(_PAUSES[int(self.random() * 5)])
        if dice >= 0.48:
            self.act()
        elif dice < 0.02:
            world.crash()
        elif dice < 0.14:
            world.flush(int(self.random() * (len(world.pending) + 1)))
        elif dice < 0.2:
            self.late()
        elif dice < 0.32:
            self.again()
        elif dice < 0.345:
            self.protect()
        elif dice < 0.365:
            self.supervise()
        elif dice < 0.4:
            self.house_forged()
        else:
            world.pass_time(self.pick(_CLOCK_STEPS))
        if len(world.pending) > 10:
            world.flush(8)

    def act(self) -> None:
        """The house does what is due at a table, or somebody speaks there."""
        world = self.world
        table = world.house.tables[self.table].table
        bonus = table.round and table.sheet.bonus.wheel
        if self.random() < 0.2 and not bonus:
            self.table = self.pick(self.places)
            table = world.house.tables[self.table].table
        if not self.house_acts(self.table, table):
            self.send(self.table, self.company.says(table, world.now))
            for _ in range(2 if bonus else 0):
                self.send(self.table, self.company.says(world.house.tables[self.table].table, world.now))

    def house_acts(self, name: str, table: Table) -> bool:
        """Shoes are brought, clocks strike, pauses end; true where the house had something to do."""
        world, dice = self.world, self.random()
        if table.pause:
            if dice < 0.6:
                world.say(name, Resume("supervisor", world.now), "resume")
            return dice < 0.6
        if table.studio is not None:
            command = self.company.deals(table, table.studio, world.now)
            if command is not None:
                self.send(name, command)
                return True
        elif table.shoe is None or (table.spare is None and table.sheet.shoe.sets > 1 and dice < 0.05):
            world.say(name, self.shoe(table), "shoe")
            return True
        if table.deadline is None:
            return False
        if world.now < table.deadline and dice >= self.haste(table):
            return False
        world.clock = world.now = max(world.now, table.deadline)
        dice = self.random()
        if dice < 0.1:
            return False
        early = dice < 0.13 and world.now == table.deadline
        return not world.say(name, Tick(world.now - early), "tick").answer.refused

    def haste(self, table: Table) -> float:
        """How often nothing more happens at a table until its clock strikes."""
        if table.phase in _FASTER:
            return 0.9
        if table.sheet.game.solo:
            return 0.02
        if table.phase is BETTING:
            return 0.4 if len(table.slips) > 1 else 0.08
        return 0.08

    def shoe(self, table: Table) -> LoadShoe:
        """The next shoe; now and then not the right one."""
        dice, made = self.random(), shoe(table.sheet, self.random, self.world.now)
        if dice > 0.08:
            return made
        if dice > 0.06:
            return replace(made, cut=10**6) if dice > 0.07 else replace(made, cards=made.cards[1:])
        cards = pack(1)[: int(self.random() * 20)] if dice > 0.02 else (48,) * 40
        return LoadShoe(cards, 0, self.world.now, stacked=True)

    def send(self, name: str, command: Command) -> None:
        """A player's command on its way: it may be lost, doubled, late, forged."""
        player = speaker(command)
        self.number += 1
        dice = self.random()
        trusted = isinstance(command, BringMoney) and command.vip is not None and dice < 0.9
        request = Request(name, command, f"ask:{player} {self.number}", player, trusted)
        if dice < LOST:
            self.world.trace.append(f"{self.world.now} {request.key} lost")
        elif dice < LOST + LATE:
            self.delayed.append(request)
        elif dice < LOST + LATE + FORGED:
            self.forge(request)
        else:
            self.world.deliver(request)
            self.sent.append(request)
            if dice < LOST + LATE + FORGED + DOUBLED:
                self.world.deliver(request)

    def forge(self, request: Request) -> None:
        """Somebody speaks for another; under his own key, or with the very words that were overheard."""
        thief = self.pick([one for one in (*PLAYERS, STRANGER) if one != request.player])
        key = f"ask:{thief} {self.number}" if self.random() < 0.7 else request.key
        self.world.deliver(Request(request.table, request.command, key, thief))

    def house_forged(self) -> None:
        """A player says what only the house says, or asks for a table that is not there."""
        at = self.world.now
        said: tuple[Command, ...] = (Tick(at + DAY), TimeOut(1, at), Void("x", "x", at), UndoBet(STRANGER, at))
        command = self.pick(said)
        name = "T9" if isinstance(command, UndoBet) else self.table
        self.number += 1
        self.world.deliver(Request(name, command, f"ask:{STRANGER} {self.number}", STRANGER))

    def late(self) -> None:
        """What was delayed arrives now, in any order: the house's time counts, not the sender's (R-10)."""
        if self.delayed:
            request = self.delayed.pop(int(self.random() * len(self.delayed)))
            self.resend(request)
            self.sent.append(request)

    def again(self) -> None:
        """Something said before is said once more, or its key is used for something else."""
        if self.sent:
            request = self.pick(self.sent[-12:])
            if self.random() < 0.25:
                bet = PlaceBet(request.player, (), 100 + self.number, self.world.now)
                request = Request(request.table, bet, request.key, request.player, request.trusted)
            self.resend(request)

    def resend(self, request: Request) -> None:
        command = replace(request.command, at=self.world.now)
        self.world.deliver(Request(request.table, command, request.key, request.player, request.trusted))

    def supervise(self) -> None:
        world, name = self.world, self.table
        at, dice = world.now, self.random()
        if dice < 0.3:
            world.say(name, Pause("supervisor", "a card fell", at), "pause")
        elif dice < 0.7:
            meant = "another" if dice > 0.68 else ""
            world.say(name, Void("supervisor", "misdeal", at, meant), "void")
        elif dice < 0.75:
            world.say(name, TimeOut(1, at, self.pick(("", *PLAYERS))), "timeout")
        elif dice < 0.78:
            world.say(name, Resume("supervisor", at), "resume")
        elif dice < 0.8:
            world.say(name, CloseTable("supervisor", "late", at), "close")
        else:
            limits = self.pick(({"main": (200, 30_000)}, {"gold": (1, 2)}, {"main": (105, 200)}, {"main": (300, 200)}))
            world.say(name, ChangeLimits(limits, "supervisor", at), "limits")

    def exposed(self) -> list[PlayerId]:
        """Who has more to stake in the open round of the live table: by an early word, or behind another's box."""
        table = self.world.house.tables[self.world.tables[0]].table
        boxes = table.round.boxes if table.round and table.phase is ROUND else ()
        return [box.player for box in boxes if box.early] or [one.player for box in boxes for one in box.behind]

    def protect(self) -> None:
        """A player lowers or lifts a limit, pauses, excludes himself, wants back: in the middle of anything."""
        world, at = self.world, self.world.now
        exposed = self.exposed()
        player = self.careful = self.pick(exposed or (self.careful, self.careful, *PLAYERS))
        held, dice = world.guard.get_player_limits(player), self.random()
        name = self.pick([*held.limits, "stake:day", "stake:week", "loss:day", "session:minutes", "gold:day"])
        staked = world.house.wallet.balance(f"player:{player}:in-play")
        if exposed:
            outcome = player_limits.set_limit(held, self.pick(("stake:day", "loss:day")), staked, at, ITALY)
        elif held.asked and dice < 0.5:
            outcome = player_limits.confirm(held, self.pick([*held.asked]), at)
        elif held.excluded and dice < 0.4:
            outcome = (
                player_limits.revoke(held, at, ITALY) if dice < 0.2 else player_limits.exclude(held, 30, at, ITALY)
            )
        elif dice < 0.5:
            amount = staked if staked and dice < 0.35 else self.pick((None, *_LIMITS))
            outcome = player_limits.set_limit(held, name, amount, at, ITALY)
        elif dice < 0.55:
            outcome = player_limits.confirm(held, name, at)
        elif dice < 0.7:
            outcome = player_limits.cool_off(held, at + self.pick((0, 1, 30)) * DAY + MINUTE, at)
        elif dice < 0.8:
            outcome = player_limits.exclude(held, self.pick((0, 0, 30, 7)), at, ITALY)
        elif dice < 0.86:
            outcome = player_limits.revoke(held, at, ITALY)
        elif dice < 0.92:
            outcome = player_limits.choose_reality(self.pick((1, 60, 10**6)))
        else:
            world.guard.set_session_start(player, at)
            return
        if isinstance(outcome, Refusal):
            world.trace.append(f"{at} {player} {outcome.code}")
        else:
            world.protect(player, outcome)
            world.trace.append(f"{at} {player} {outcome}")
