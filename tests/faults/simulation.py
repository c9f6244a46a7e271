"""A house in a bottle: one seed is one world with its players, its faults and its clock (T-1).

Commands are lost, doubled, delayed, forged, replayed; the process dies between two commits; the clock steps; limits
change in mid-round. After every step the invariants I-1…I-8 are checked. A seed gives the same trace, byte for byte:

    python tests/faults/simulation.py SEED
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field, replace
from hashlib import sha256

from ventuno.core import enactment, insurance, record
from ventuno.core.cards import Card, pack
from ventuno.core.commands import (
    Act,
    ActAll,
    ActEarly,
    AllowBehind,
    BringMoney,
    ChooseFollow,
    ClearBets,
    Command,
    DealNow,
    DoubleBets,
    LeaveSeat,
    LoadShoe,
    Pause,
    PlaceBet,
    RepeatBets,
    Resume,
    SpinBoard,
    SpinWheel,
    Spot,
    TakeMoney,
    TakeSeat,
    Tick,
    UndoBet,
    Void,
)
from ventuno.core.events import BettingEnded, Event, RoundSettled
from ventuno.core.ledger import Posting
from ventuno.core.legal import turn
from ventuno.core.money import Cents, PlayerId
from ventuno.core.refusals import Refusal
from ventuno.core.round import Action, Stage
from ventuno.core.shoes import cut_window
from ventuno.core.state import Phase, Table
from ventuno.house import codec
from ventuno.house.authority import Authority
from ventuno.house.draws import Draws
from ventuno.house.records import Batch, KeyRow, Record, check
from ventuno.house.requests import Answer, Decided, Request
from ventuno.house.room import recovered
from ventuno.house.wallet import Wallet
from ventuno.sheets import GAMES, load

STEPS = 60
PLAYERS = ("ada", "bea", "cleo")
START_MONEY = 100_000
SHEETS = {game: load(game) for game in GAMES}


def shuffled(decks: int, seed: int) -> tuple[Card, ...]:
    cards = list(pack(decks))
    random.Random(seed).shuffle(cards)
    return tuple(cards)


PACKS = {decks: [shuffled(decks, seed) for seed in range(32)] for decks in (6, 8)}
"""Shuffling takes longer than playing: a world takes one of these and turns it to where it likes."""


class Broken(AssertionError):
    """An invariant does not hold in this world."""


@dataclass(frozen=True, slots=True)
class OverLimit(Refusal):
    says = "{player} may stake {left} more"
    player: PlayerId
    left: Cents


@dataclass
class Limits:
    """A guard with a stake limit for each player that the world changes at will."""

    left: dict[PlayerId, Cents] = field(default_factory=dict)

    def refuses(self, player: PlayerId, added: Cents, _at: int) -> Refusal | None:
        held = self.left.get(player)
        return OverLimit(player, held) if held is not None and added > held else None

    def note(self, _player: PlayerId, _staked: Cents, _returned: Cents, _at: int) -> None:
        return


@dataclass
class Disk:
    """What survives: committed batches, in order."""

    streams: dict[str, list[Record]] = field(default_factory=dict)
    postings: list[Posting] = field(default_factory=list)
    keys: list[KeyRow] = field(default_factory=list)
    settled: dict[str, int] = field(default_factory=dict)

    def commit(self, batch: Batch) -> None:
        for one in batch.records:
            self.streams.setdefault(one.stream, []).append(one)
        self.postings += [Posting(row.account, row.amount) for row in batch.postings]
        self.keys += batch.keys
        for row in batch.rounds:
            self.settled[row.code] = self.settled.get(row.code, 0) + 1

    def balances(self) -> dict[str, Cents]:
        sums: dict[str, Cents] = {}
        for posting in self.postings:
            sums[posting.account] = sums.get(posting.account, 0) + posting.amount
        return sums


class World:
    """One seed: a house, its players, and everything that goes wrong between them."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.now = 1_790_000_000_000
        self.disk, self.limits = Disk(), Limits()
        self.pending: list[tuple[Request | None, Decided]] = []
        self.delayed: list[Request] = []
        self.sent: list[Request] = []
        self.acknowledged: dict[str, Answer] = {}
        self.trace: list[str] = []
        self.counter = 0
        self.openings: dict[str, tuple[Table, list[Event]]] = {}
        self.house = self._new_house()
        self.tables = self._open()

    def _new_house(self) -> Authority:
        draws = Draws(self.chance.randrange)
        return Authority(self.limits, draws, {sheet.hash: sheet for sheet in SHEETS.values()})

    def _open(self) -> list[str]:
        """Money for the players, one live table, two of the other games."""
        first = [Posting("cashier", -START_MONEY * len(PLAYERS))]
        first += [Posting(f"player:{player}", START_MONEY) for player in PLAYERS]
        self.house.wallet.post(first)
        self.disk.postings += first
        games = ["ventuno", self.chance.choice(GAMES[1:])]
        names = []
        for number, game in enumerate(games):
            name = f"T{number}"
            sheet = SHEETS[game]
            owner = self.chance.choice(PLAYERS) if sheet.game.solo else ""
            self.disk.commit(self.house.open(name, sheet, self.now, owner))
            names.append(name)
        for name in names:
            self._shoe(name)
            table = self.house.rooms[name].table
            owners = [table.owner(1) or ""] if table.sheet.game.solo else list(PLAYERS)
            for player in owners:
                self.send(name, BringMoney(player, 20_000, self.now), player)
                if not table.sheet.game.solo:
                    self.send(name, TakeSeat(player, PLAYERS.index(player) + 1, self.now), player)
        self.flush()
        return names

    def key(self) -> str:
        self.counter += 1
        return f"k{self.counter}"

    def send(self, name: str, command: Command, player: PlayerId) -> None:
        self.deliver(Request(name, command, self.key(), player))

    def deliver(self, request: Request) -> None:
        """One request reaches the house; what it decides waits for its commit."""
        before = self.house.rooms[request.table].table
        decided = self.house.handle(request)
        self.pending.append((request, decided))
        self.follow(request.table, before, decided)
        answer = decided.answer
        self.trace.append(
            f"{self.now} {request.key} {type(request.command).__name__} {answer.version} {answer.refused}"
        )
        self.sent.append(request)

    def flush(self, count: int | None = None) -> None:
        """The disk takes some of what waits, in order; only then are answers given."""
        count = len(self.pending) if count is None else count
        for request, decided in self.pending[:count]:
            if decided.batch:
                self.disk.commit(decided.batch)
            if request and not decided.answer.refused:
                earlier = self.acknowledged.setdefault(request.key, decided.answer)
                if earlier != decided.answer:
                    raise Broken(f"I-4: {request.key} was answered twice differently")
        del self.pending[:count]

    def crash(self) -> None:
        """The process dies: what was not committed is gone, what was acknowledged is not (I-7)."""
        self.pending.clear()
        self.house = self._new_house()
        self.house.recover(list(self.disk.streams.values()), self.disk.keys, self.disk.balances())
        self.trace.append(f"{self.now} crash {sorted(room.version for room in self.house.rooms.values())}")
        open_rounds = [name for name, room in self.house.rooms.items() if room.table.phase is Phase.ROUND]
        self.openings = {name: self.reopened(name) for name in open_rounds}
        kept = {key.key for key in self.disk.keys}
        for key in self.acknowledged:
            if key not in kept:
                raise Broken(f"I-7: {key} was acknowledged and is gone")

    def run(self, steps: int = STEPS) -> bytes:
        """Live through all steps and give the digest of the trace."""
        for _ in range(steps):
            self.step()
            self.check()
        self.flush()
        self.crash()
        self.check()
        self.check_fold()
        return sha256("\n".join(self.trace).encode()).digest()

    def step(self) -> None:
        dice = self.chance.random()
        self.now += self.chance.choice((0, 50, 400, 900))
        if dice < 0.02:
            self.crash()
        elif dice < 0.10:
            self.flush(self.chance.randint(0, len(self.pending)))
        elif dice < 0.13 and self.delayed:
            self.deliver(self.delayed.pop(self.chance.randrange(len(self.delayed))))
        elif dice < 0.16 and self.sent:
            self.deliver(self.chance.choice(self.sent))
        elif dice < 0.18:
            self.limits.left[self.chance.choice(PLAYERS)] = self.chance.choice((0, 500, 10**9))
        elif dice < 0.20:
            self.supervise()
        elif dice < 0.22:
            self.now += self.chance.choice((-2_000, 5_000, 60_000))
        elif dice < 0.34:
            self.tick()
        else:
            self.play()

    def tick(self) -> None:
        """The next deadline comes, and shoes are brought where they are missing."""
        name = self.chance.choice(self.tables)
        table = self.house.rooms[name].table
        if table.shoe is None:
            self._shoe(name)
        elif table.deadline is not None:
            self.now = max(self.now, table.deadline)
            self.send(name, Tick(self.now), "")

    def _shoe(self, name: str) -> None:
        sheet = self.house.rooms[name].table.sheet
        cards, turned = self.chance.choice(PACKS[sheet.shoe.decks]), self.chance.randrange(sheet.shoe.decks * 52)
        least, most = cut_window(sheet)
        self.send(name, LoadShoe(cards[turned:] + cards[:turned], self.chance.randint(least, most), self.now), "")

    def supervise(self) -> None:
        name = self.chance.choice(self.tables)
        if self.house.rooms[name].table.pause:
            self.send(name, Resume("supervisor", self.now), "")
        elif self.chance.random() < 0.5:
            self.send(name, Pause("supervisor", "test", self.now), "")
        else:
            self.void(name)

    def void(self, name: str) -> None:
        """Voiding gives every stake of the round back: nobody has more or less than before it."""
        table = self.house.rooms[name].table
        worth = {player: table.purse(player) + table.staked(player) for player in table.purses}
        self.send(name, Void("supervisor", "test", self.now), "")
        after = self.house.rooms[name].table
        if any(after.purse(player) + after.staked(player) != held for player, held in worth.items()):
            raise Broken(f"R-07: void of {name} changed what players own")

    def play(self) -> None:
        """A player says something sensible, or not; on its way it may be lost, doubled, delayed or forged."""
        name = self.chance.choice(self.tables)
        table = self.house.rooms[name].table
        if table.shoe is None:
            self._shoe(name)
            return
        command = self.sensible(table)
        if command is None:
            return
        player = getattr(command, "player", "")
        request = Request(name, command, self.key(), player)
        dice = self.chance.random()
        if dice < 0.05:
            self.trace.append(f"{self.now} {request.key} lost")
        elif dice < 0.10:
            self.delayed.append(request)
        elif dice < 0.13:
            self.forge(name, request)
        elif dice < 0.28:
            self.deliver(request)
            self.deliver(request)
        else:
            self.deliver(request)

    def forge(self, name: str, request: Request) -> None:
        """Somebody speaks for another player: nothing may change."""
        before = self.house.rooms[name]
        thief = self.chance.choice([one for one in (*PLAYERS, "mallory") if one != request.player])
        self.deliver(replace(request, player=thief))
        if self.house.rooms[name] is not before:
            raise Broken(f"R-44: {thief} moved {request.player}'s money")

    def sensible(self, table: Table) -> Command | None:
        chance, at = self.chance, self.now
        solo = table.sheet.game.solo
        player = table.owner(1) or "" if solo else chance.choice(PLAYERS)
        play = table.round if table.phase is Phase.ROUND else None
        if play is None:
            return self.bet(table, player)
        if play.stage is Stage.INSURANCE:
            waiting = list(insurance.waiting(play))
            if not waiting:
                return None
            who, box = chance.choice(waiting)
            word = chance.choice((Action.INSURE, Action.DECLINE, Action.EVEN_MONEY))
            return ActAll(who, word, at) if chance.random() < 0.2 else Act(who, box.number, word, at)
        now = turn(play)
        if now is None:
            return None
        box, index = now
        if index < 0:
            spun = box.bonus is not None and box.bonus.segment
            return SpinBoard(box.player, box.number, {}, at) if spun else SpinWheel(box.player, box.number, "", at)
        if chance.random() < 0.15 and not solo:
            other = chance.choice(play.boxes)
            return chance.choice(
                (
                    ActEarly(other.player, other.number, chance.choice((Action.HIT, Action.DOUBLE, None)), at),
                    LeaveSeat(other.player, other.number, at),
                    ChooseFollow(player, other.number, True, True, at),
                )
            )
        return Act(
            box.player, box.number, chance.choice(list(Action)[:7] if chance.random() < 0.8 else list(Action)), at
        )

    def bet(self, table: Table, player: PlayerId) -> Command:
        chance, at = self.chance, self.now
        seats = range(1, len(table.seats) + 1)
        if chance.random() < 0.55:
            bets = list(table.limits)
            bet = "main" if chance.random() < 0.6 else chance.choice(bets)
            own = [box for box in seats if table.owner(box) == player]
            box = 0 if bet == "dealer-pair" else chance.choice(own or list(seats))
            amount = chance.choice((100, 500, 1_000, 2_510, 60_000, 5, -100))
            return PlaceBet(player, (Spot(box, bet),), amount, at, exact=chance.random() < 0.5)
        return chance.choice(
            (
                DealNow(player, at),
                DealNow(player, at),
                DealNow(player, at),
                RepeatBets(player, at),
                DoubleBets(player, at),
                UndoBet(player, at),
                ClearBets(player, at),
                BringMoney(player, chance.choice((1_000, 50_000, 10**9)), at),
                TakeMoney(player, chance.choice((500, 10**9)), at),
                TakeSeat(player, chance.choice(list(seats)), at),
                AllowBehind(player, chance.random() < 0.5, at),
                PlaceBet(player, (Spot(chance.choice(list(seats)), "behind"),), 700, at),
            )
        )

    def check(self) -> None:
        """I-1, I-2, I-3 on what is decided; I-5 on what is committed."""
        if faults := self.house.faults():
            raise Broken("; ".join(faults))
        if any(count > 1 for count in self.disk.settled.values()):
            raise Broken("I-8: a round was settled twice")

    def follow(self, name: str, before: Table, decided: Decided) -> None:
        """I-8: what a settled round pays is what its record pays when it is enacted alone."""
        if any(isinstance(event, BettingEnded) for event in decided.events):
            self.openings[name] = before, []
        if name not in self.openings:
            return
        opening, events = self.openings[name]
        events += decided.events
        paid = next((event for event in decided.events if isinstance(event, RoundSettled)), None)
        if paid is None:
            return
        del self.openings[name]
        scenario = record.recorded(opening, events)
        again = enactment.enact(opening.sheet, scenario).table.round
        if again is None or sorted(again.lines) != sorted(paid.lines):
            raise Broken(f"I-8: {name} paid {paid.lines}, its record pays {again and again.lines}")

    def reopened(self, name: str) -> tuple[Table, list[Event]]:
        """After a crash: the table as the open round found it, and the round so far, from the disk."""
        room = self.house.rooms[name]
        records = self.disk.streams[room.stream]
        start = max(room.first - 1, 1)
        sheets = {sheet.hash: sheet for sheet in SHEETS.values()}
        events = [codec.table_event(one.kind, one.body) for one in records[start:]]
        return recovered(records[:start], sheets).table, events

    def check_fold(self) -> None:
        """I-5 and I-6: balances and tables are the fold of what was written; chains are whole."""
        if Wallet(self.disk.balances()).balances() != self.house.wallet.balances():
            raise Broken("I-5: balances are not the sum of their postings")
        for records in self.disk.streams.values():
            check(records)
            room = self.house.rooms[records[0].stream.removeprefix("table:")]
            if codec.thaw(codec.freeze(room.table), room.table.sheet) != room.table:
                raise Broken("R-06: a snapshot does not bring its table back")


def run(seed: int) -> bytes:
    return World(seed).run()


def main() -> int:
    seed = int(sys.argv[1])
    world = World(seed)
    try:
        world.run()
    except Broken as fault:
        print("\n".join(world.trace))
        print(f"seed {seed}: {fault}")
        return 1
    print("\n".join(world.trace))
    return 0


if __name__ == "__main__":
    sys.exit(main())
