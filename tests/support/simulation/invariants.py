"""I-1…I-8 after every step: only what the step has touched is looked at, everything at crashes and at the end."""

from __future__ import annotations

from dataclasses import replace

import msgspec

from tests.support.simulation import rounds, timing
from tests.support.simulation.disk import Broken, Disk
from tests.support.simulation.protection import Protection
from tests.support.simulation.worth import Worth, owned, stakes
from ventuno.core.messages.commands import Act, BringMoney, Command, TimeOut
from ventuno.core.messages.events import (
    BetPlaced,
    BettingEnded,
    CommunityChosen,
    DecisionTaken,
    Event,
    HandDoubled,
    HandSplit,
    InsuranceAnswered,
    MoneyBrought,
    MoneyTaken,
    RoundSettled,
    RoundVoided,
)
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.fold import evolve
from ventuno.core.table.round import Action
from ventuno.core.table.state import Table
from ventuno.house.store.records import Batch, read_table_event
from ventuno.house.tables.authority import Answer, Authority, Decision, LiveTable, Request

_PROTECTS = frozenset(("ProtectionLimit", "PlayExcluded", "CoolingOff"))
_FREE = frozenset((Action.HIT, Action.STAND, Action.DECLINE))
_BEGINS = BettingEnded.__name__
_MONEY = frozenset((MoneyBrought, MoneyTaken, RoundSettled))


class Known(msgspec.Struct, frozen=True):
    """A request that was carried out, and how it was answered."""

    request: Request
    answer: Answer


class Mark(msgspec.Struct, frozen=True):
    """A table at one version, as the fold of its records left it, with the open round as it began."""

    table: Table
    worth: Worth
    opening: rounds.Opening | None


class Checks:
    """A second set of books: written from batches alone, compared with the house after every step."""

    def __init__(self) -> None:
        self.books: dict[str, Cents] = {}
        self.marks: dict[str, dict[int, Mark]] = {}
        self.now: dict[str, Mark] = {}
        self.known: dict[str, Known] = {}
        self.settled: set[str] = set()
        self.open_stakes: dict[PlayerId, Cents] = {}
        self.protection = Protection()
        self.practice: frozenset[str] = frozenset()

    def copy(self) -> Checks:
        """The same books, to be written on. Protection begins anew: nobody has limits when a world begins."""
        made = Checks()
        made.books, made.known = {**self.books}, {**self.known}
        made.marks = {name: {**marks} for name, marks in self.marks.items()}
        made.now, made.practice = {**self.now}, self.practice
        return made

    def opened(self, room: LiveTable) -> None:
        mark = Mark(room.table, {}, None)
        self.now[room.table.id], self.marks[room.table.id] = mark, {room.version: mark}
        if room.practice:
            self.practice |= {room.table.id}

    def funded(self, player: PlayerId, amount: Cents) -> None:
        self.books["cashier"] = self.books.get("cashier", 0) - amount
        self.books[f"player:{player}"] = amount

    def decided(self, house: Authority, request: Request, before: LiveTable | None, decided: Decision) -> None:
        """After one request: it changed what its batch says, and nothing else."""
        after = house.tables.get(request.table)
        if decided.batch is None or before is None or after is None:
            if after is not before:
                raise Broken(f"{request.key}: {request.table} changed without a batch")
            self._unchanged(request, before, decided)
        else:
            self._accepted(request, decided)
            self._written(house, request.command, before, after, decided.batch, decided.events)
        if house.wallet._balances != self.books:  # the very accounts, without the copy that `balances` makes
            raise Broken(f"I-5: {house.wallet.balances()} is not the sum of the postings {self.books}")

    def _unchanged(self, request: Request, before: LiveTable | None, decided: Decision) -> None:
        """Refused, or said before: same key and body get the same answer, same key and other body an error (I-4)."""
        known, answer = self.known.get(request.key), decided.answer
        if known is None:
            if not answer.refused:
                raise Broken(f"I-4: {request.key} is answered as if it had been carried out")
            if before and not request.player:
                timing.refused(before.table, request.command, answer.refused)
            elif answer.refused in _PROTECTS:
                self._protected_alone(request, answer.refused)
        elif is_same(known.request, request):
            if answer != known.answer:
                raise Broken(f"I-4: {request.key} was answered {known.answer}, now {answer}")
        elif answer.refused != "KeyReused":
            raise Broken(f"I-4: {request.key} came with another body and was answered {answer}")

    def _protected_alone(self, request: Request, code: str) -> None:
        """R-36: a player's limits stop his own stakes, and no word that costs him nothing."""
        command = request.command
        if request.player not in self.protection.promises or (isinstance(command, Act) and command.action in _FREE):
            raise Broken(f"R-36: {command} was refused for {code}")

    def _accepted(self, request: Request, decided: Decision) -> None:
        if request.key in self.known:
            raise Broken(f"I-4: {request.key} was carried out twice")
        if request.player != speaker(request.command):
            raise Broken(f"R-44: {request.player!r} spoke for another: {request.command}")
        if isinstance(request.command, BringMoney) and request.command.vip is not None and not request.trusted:
            raise Broken(f"D-05: {request.player} gave himself a level: {request.command}")
        if decided.answer.refused or not decided.events:
            raise Broken(f"{request.key}: a batch without events, or for a refusal")
        self.known[request.key] = Known(request, decided.answer)

    def _written(
        self,
        house: Authority,
        command: Command,
        before: LiveTable,
        after: LiveTable,
        batch: Batch,
        events: tuple[Event, ...],
    ) -> None:
        name = before.table.id
        mark = self.now[name]
        timing.accepted(mark.table, after.table, command, events)
        if not before.practice and self.protection.promises:
            self._protected(events, command.at)
        kinds = set(map(type, events))
        table, begun = self._folded(before, after, batch)
        opening = rounds.opened(mark.opening, begun, events)
        worth = stakes(table)
        moves = worth != mark.worth
        if moves or not kinds.isdisjoint(_MONEY):
            self._kept(mark, worth, table, events)
        if RoundSettled in kinds and opening:
            rounds.settled(opening, table, self.settled)
            opening = None
        elif RoundVoided in kinds:
            rounds.voided(mark.table, batch)
            opening = None
        self.now[name] = self.marks[name][after.version] = Mark(table, worth, opening)
        if moves or batch.postings:
            self._posted(house, before, batch, mark.worth, worth)
        if RoundSettled in kinds and not before.practice:
            self.protection.flows += batch.shares

    def _protected(self, events: tuple[Event, ...], at: int) -> None:
        added: dict[PlayerId, Cents] = {}
        for event in events:
            for player, amount in raised(event):
                added[player] = added.get(player, 0) + amount
        for player, amount in added.items():
            self.protection.check(player, amount, self.open_stakes.get(player, 0), at)

    def _folded(self, before: LiveTable, after: LiveTable, batch: Batch) -> tuple[Table, Table | None]:
        """I-6: what was written, read back and folded on the table before, which was one fold already, is what runs.

        The table is given twice where a round began: at the end, and as betting ended.
        """
        table, seq, begun = before.table, before.version, None
        for record in batch.records:
            seq += 1
            if record.seq != seq or record.stream != before.stream:
                raise Broken(f"I-6: {record.stream} {record.seq} was written where {before.stream} {seq} is next")
            table = evolve(table, read_table_event(record.kind, record.body))
            begun = table if record.kind == _BEGINS else begun
        if seq != after.version or table != after.table:
            raise Broken(f"I-6: {table.id} at {after.version} is not the fold of its records")
        return table, begun

    def _kept(self, mark: Mark, worth: Worth, table: Table, events: tuple[Event, ...]) -> None:
        """Nobody is richer or poorer but by money brought and taken, and by what a settled round pays (R-07)."""
        due = owned(mark.worth)
        for event in events:
            match event:
                case MoneyBrought(player, amount):
                    due[player] = due.get(player, 0) + amount
                case MoneyTaken(player, amount):
                    due[player] -= amount
                case RoundSettled(lines):
                    for line in lines:
                        due[line.player] += line.returned - line.stake
                case _:
                    pass
        if due != owned(worth):
            raise Broken(f"R-07: at {table.id} players own {worth}, they should {due}")
        if [1 for purse, staked in worth.values() if purse < 0 or staked < 0]:
            raise Broken(f"I-2: at {table.id} players own {worth}")

    def _posted(self, house: Authority, room: LiveTable, batch: Batch, before: Worth, after: Worth) -> None:
        """I-1, I-2, I-3: postings sum to zero, overdraw nobody, and agree with the table."""
        if room.practice:
            if batch.postings:
                raise Broken(f"X-08: the practice table {room.table.id} moves money: {batch.postings}")
            return
        books, sums = self.books, 0
        for row in batch.postings:
            books[row.account] = books.get(row.account, 0) + row.amount
            sums += row.amount
        if sums or sum(books.values()):
            raise Broken(f"I-1: {batch.postings} sum to {sums}, all accounts to {sum(books.values())}")
        for row in batch.postings:
            if books[row.account] < 0 and row.account.startswith("player:"):
                raise Broken(f"I-2: {row.account} holds {books[row.account]}")
        posted = {row.account for row in batch.postings}
        for player, (purse, staked) in after.items():
            old, accounts = before.get(player, (0, 0)), (f"player:{player}:table", f"player:{player}:in-play")
            if old != (purse, staked):
                self.open_stakes[player] = self.open_stakes.get(player, 0) + staked - old[1]
            elif posted.isdisjoint(accounts):
                continue
            self._agree(house, player, accounts)

    def _agree(self, house: Authority, player: PlayerId, accounts: tuple[str, str]) -> None:
        """I-3: purse and open stakes at all tables are what the accounts hold.

        Who owns at this table what he owned, and on whose accounts nothing was posted, agrees as he did before.
        """
        purse = staked = 0
        for name, mark in self.now.items():
            if player in mark.worth and name not in self.practice:
                held = mark.worth[player]
                purse, staked = purse + held[0], staked + held[1]
        if house.wallet.balance(accounts[0]) != purse:
            raise Broken(f"I-3: {player} has {purse} at tables")
        if house.wallet.balance(accounts[1]) != staked:
            raise Broken(f"I-3: {player} has {staked} in play")

    def whole(self, house: Authority, disk: Disk, acknowledged: dict[str, Answer]) -> None:
        """Everything at once: I-1…I-3 over the whole house, I-5 on what is committed, I-7 for all that was said."""
        if faults := house.find_faults():
            raise Broken("; ".join(faults))
        sums = disk.balances()
        if sum(sums.values()) or house.wallet.balances() != {account: sum_ for account, sum_ in sums.items() if sum_}:
            raise Broken("I-5: balances are not the sum of their postings")
        versions = {name: room.version for name, room in house.tables.items()}
        for key, answer in acknowledged.items():
            if key not in disk.names or answer.version > versions[answer.table]:
                raise Broken(f"I-7: {key} was acknowledged and is gone")

    def recovered(self, house: Authority, disk: Disk, acknowledged: dict[str, Answer]) -> None:
        """After a crash all is looked at, every table is as it was at that version, and the books go on from there."""
        self.books = disk.balances()
        for name, marks in self.marks.items():
            room = house.tables.get(name)
            if room is None or room.version not in marks or room.table != marks[room.version].table:
                raise Broken(f"I-6: {name} does not come back as it was")
            self.now[name] = marks[room.version]
            self.marks[name] = {version: mark for version, mark in marks.items() if version <= room.version}
        self.whole(house, disk, acknowledged)
        self.known = {key: known for key, known in self.known.items() if key in disk.names}
        self.settled = {code for code, row in disk.rounds.items() if not row.voided}
        self.open_stakes = {}
        for name, mark in self.now.items():
            if name not in self.practice:
                for player, (_, staked) in mark.worth.items():
                    self.open_stakes[player] = self.open_stakes.get(player, 0) + staked
        self.protection.reread(disk, self.practice)


def speaker(command: Command) -> PlayerId:
    """Who must have said this; what the house and the supervisor say comes from nobody."""
    return "" if isinstance(command, TimeOut) else getattr(command, "player", "")


def is_same(one: Request, other: Request) -> bool:
    """Same sender, table and command; when it was said does not count."""
    if one is other:
        return True
    if (one.table, one.player) != (other.table, other.player) or type(one.command) is not type(other.command):
        return False
    return replace(one.command, at=other.command.at) == other.command


def raised(event: Event) -> tuple[tuple[PlayerId, Cents], ...]:
    """The stakes that an event adds."""
    match event:
        case BetPlaced(player, wagers):
            return ((player, sum([wager.amount for wager in wagers])),)
        case InsuranceAnswered(player=player, amount=amount) if amount:
            return ((player, amount),)
        case HandDoubled(player=player, stake=stake, follows=follows, paid=False):
            return ((player, stake), *follows)
        case HandSplit(player=player, stake=stake, follows=follows, paid=False):
            return ((player, stake), *follows)
        case DecisionTaken(player=player, stake=stake, follows=follows) if stake:
            return ((player, stake), *follows)
        case CommunityChosen(player=player, stake=stake):
            return ((player, stake),)
        case _:
            return ()
