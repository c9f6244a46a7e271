"""What must be true of several hosts on one disk, after every commit and of all that was told (T-1).

The second books are written from committed records alone: they know nothing of hosts, grants or messages in flight.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tests.support.pit_simulation.disk import Disk
from tests.support.simulation.disk import Broken
from tests.support.simulation.invariants import raised
from tests.support.simulation.protection import WINDOWS, Promise, read_shield
from ventuno.core.messages.events import Event
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.fold import evolve
from ventuno.core.table.state import Table
from ventuno.house.accounts.player_limits import LimitEvent
from ventuno.house.pits.messages import Grant, Message, Report, Transfer, TransferReply
from ventuno.house.pits.pit import Pit
from ventuno.house.pits.placement import PitNumber, find_player_pit
from ventuno.house.pits.transfers import TransferArrived, TransferEnded, TransferSent, read_transfer_event
from ventuno.house.shoes.shoe_log import PUBLIC, RoundChained, read
from ventuno.house.store.records import START, Batch, Record, ShareRow, hash_record, read_table_event
from ventuno.house.tables.authority import Answer, TableOpened


@dataclass(frozen=True, slots=True)
class Change:
    """A change of a player's limits as it was committed: the number of its record, its time."""

    seq: int
    at: int
    event: LimitEvent


@dataclass
class Moves:
    """Transfers from the record that sends them to the one that ends them."""

    open: dict[str, tuple[PlayerId, Cents]] = field(default_factory=dict)
    """On their way, or refused and not yet back: this money is in `moving`."""
    seen: dict[str, str] = field(default_factory=dict)

    def copy(self) -> Moves:
        return Moves({**self.open}, {**self.seen})


class Checks:
    """The second books of one world."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        self.tables: dict[str, Table] = {}
        self.epochs: dict[PitNumber, int] = {}
        self.moves = Moves()
        self.changes: dict[PlayerId, list[Change]] = {}
        self.promised: dict[PlayerId, int] = {}
        """The last change of each player that was acknowledged."""
        self.acknowledged: dict[str, Answer] = {}
        self.stakes = self.limited = 0
        """Stakes that were committed, and those of players who had been promised something."""
        self.chained = 0
        """Rounds from sealed shoes."""
        self._open_stakes: dict[PlayerId, Cents] = {}

    def begin(self, disk: Disk) -> Checks:
        """The same books, to be written on beside a copy of their disk."""
        made = Checks(disk)
        made.tables, made.epochs, made.moves = {**self.tables}, {**self.epochs}, self.moves.copy()
        made.acknowledged, made._open_stakes = {**self.acknowledged}, {**self._open_stakes}
        return made

    def took(self, pit: PitNumber, epoch: int) -> None:
        """One epoch at a time: every owner has a greater one than all before."""
        if epoch <= self.epochs.get(pit, 0):
            raise Broken(f"T-1: pit {pit} has epoch {epoch} after {self.epochs[pit]}")
        self.epochs[pit] = epoch

    def committed(self, pit: PitNumber, epoch: int, batch: Batch) -> None:
        """After a commit; the disk has it already."""
        if epoch != self.epochs[pit]:
            raise Broken(f"T-1: epoch {epoch} of pit {pit} wrote after {self.epochs[pit]} began")
        added: dict[PlayerId, Cents] = {}
        moved: list[PlayerId] = []
        for record in batch.records:
            self._check_chain(pit, record)
            kind, _, name = record.stream.partition(":")
            if kind == "table":
                event = self._fold(name, record)
                for player, amount in raised(event) if event else ():
                    added[player] = added.get(player, 0) + amount
            elif kind == "player":
                change = Change(record.seq, record.at, read_shield(record.kind, record.body))
                self.changes.setdefault(name, []).append(change)
            elif kind == "pit":
                moved.append(self._move(record))
        for player, amount in added.items():
            if amount > 0:
                self._check_stake(player, amount, batch)
        if batch.postings:
            self._check_money(batch)
        if batch.rounds:
            self._check_chained(pit, batch)
        for player in moved:
            self._check_moving(player)

    def _check_chain(self, pit: PitNumber, record: Record) -> None:
        """One order for each stream: every record is chained to the one before it."""
        records = self.disk.pits[pit].streams[record.stream]
        previous = records[record.seq - 2].hash if record.seq > 1 else START
        if hash_record(previous, *record[:5]) != record.hash:
            raise Broken(f"G-11: {record.stream} {record.seq} is not chained to the record before it")

    def _check_chained(self, pit: PitNumber, batch: Batch) -> None:
        """X-01: a round from a sealed shoe is chained and signed in the commit that ends it, whoever began it."""
        ended = {
            row.code for row in batch.rounds if row.stream.replace("table:", PUBLIC) in self.disk.pits[pit].streams
        }
        listed = [read(record.kind, record.body) for record in batch.records if record.stream.startswith(PUBLIC)]
        if ended != {event.body["code"] for event in listed if isinstance(event, RoundChained)}:
            raise Broken(f"X-01: {ended} end, and the log of their shoes has {listed}")
        self.chained += len(ended)

    def _fold(self, name: str, record: Record) -> Event | None:
        if record.kind == TableOpened.__name__:
            return None
        event: Event = read_table_event(record.kind, record.body)
        self.tables[name] = evolve(self.tables[name], event)
        return event

    def _move(self, record: Record) -> PlayerId:
        """Every transfer is sent once, paid once or given back once, ended once; gives whose it is."""
        moves = self.moves
        match read_transfer_event(record.kind, record.body):
            case TransferSent(transfer):
                if transfer.key in moves.seen:
                    raise Broken(f"T-1: {transfer.key} is sent twice")
                moves.open[transfer.key], moves.seen[transfer.key] = (transfer.player, transfer.amount), "sent"
                return transfer.player
            case TransferArrived(key, player, _, accepted):
                if moves.seen.get(key) != "sent":
                    raise Broken(f"T-1: {key} arrives, and is {moves.seen.get(key)}")
                moves.seen[key] = "paid" if accepted else "refused"
                if accepted:
                    del moves.open[key]
                return player
            case TransferEnded(key, accepted):
                if moves.seen.get(key) != ("paid" if accepted else "refused"):
                    raise Broken(f"T-1: {key} ends as {accepted}, and is {moves.seen.get(key)}")
                moves.seen[key] = "ended"
                return moves.open.pop(key)[0] if not accepted else ""

    def _check_money(self, batch: Batch) -> None:
        """I-1, I-2: nothing is made or lost, nobody is overdrawn."""
        if sum([row.amount for row in batch.postings]):
            raise Broken(f"I-1: {batch.postings} do not sum to zero")
        balances = self.disk.balances
        for row in batch.postings:
            account = row.account
            if balances[account] < 0 and account.startswith("player:"):
                raise Broken(f"I-2: {account} holds {balances[account]}")
            if ":in-play#" in account:
                player = account.split(":")[1]
                self._open_stakes[player] = self._open_stakes.get(player, 0) + row.amount

    def _check_moving(self, player: PlayerId) -> None:
        """What is on its way is what transfers say."""
        due = sum([amount for owner, amount in self.moves.open.values() if owner == player])
        moving = self.disk.balances.get(f"player:{player}:moving", 0)
        if moving != due:
            raise Broken(f"T-1: {moving} of {player} are moving, open transfers say {due}")

    def _check_stake(self, player: PlayerId, added: Cents, batch: Batch) -> None:
        """R-36, R-38: a stake breaks no promise that was acknowledged before it was committed, across all tables.

        A change that is written and not acknowledged yet may act or not: one of the promises on the way must hold. A
        round that ends with this very stake was open before it.
        """
        self.stakes += 1
        self.limited += player in self.promised
        ended = {share.code for share in batch.shares}
        rounds = [share for share in self.disk.read_rounds(player) if share.code not in ended]
        open_stakes = self._open_stakes.get(player, 0) + added
        if faults := self._find_broken(player, open_stakes, rounds, batch.records[-1].at):
            raise Broken(f"R-36: {player} staked {added} more: {faults}")

    def _find_broken(self, player: PlayerId, open_stakes: Cents, rounds: list[ShareRow], at: int) -> list[str]:
        changes = self.changes.get(player)
        if not changes:
            return []
        promise, faults = Promise(), list[str]()
        acknowledged = self.promised.get(player, 0)
        if not acknowledged:
            return []
        for change in changes:
            promise.take(change.event, change.at)
            if change.seq >= acknowledged:
                fault = find_fault(promise, open_stakes, rounds, at)
                if not fault:
                    return []
                faults.append(fault)
        return faults

    def check_grants(self, player: PlayerId, pits: list[Pit], at: int) -> None:
        """Granted room and stakes together are within the limits, also if all that he has there were staked now."""
        purse = f"player:{player}:table"
        unused = sum([min(pit.holdings.get_unused(player), pit.authority.wallet.balance(purse)) for pit in pits])
        if not unused:
            return
        rounds = self.disk.read_rounds(player)
        stored = {share.code for share in rounds}
        staked = 0
        for pit in pits:
            staked += pit.authority.wallet.balance(f"player:{player}:in-play")
            if find_player_pit(player) != pit.number:
                staked += sum([share.staked for share in pit.holdings.get_shares(player) if share.code not in stored])
        if faults := self._find_broken(player, staked + unused, rounds, at):
            raise Broken(f"T-1: {player} has {unused} granted beside {staked}: {faults}")

    def answered(self, key: str, answer: Answer, player: PlayerId, *, is_change: bool) -> None:
        """I-7, I-4: what is acknowledged is on the disk, and is answered the same way each time."""
        if answer.refused and key not in self.disk.keys:
            return
        if key not in self.disk.keys:
            raise Broken(f"I-7: {key} is acknowledged and not on the disk")
        earlier = self.acknowledged.setdefault(key, answer)
        if earlier != answer and answer.refused != "KeyReused":
            raise Broken(f"I-4: {key} is answered {answer}, before {earlier}")
        if is_change and not answer.refused:
            self.promised[player] = max(self.promised.get(player, 0), answer.version)

    def told(self, message: Message) -> None:
        """Everything told is committed."""
        match message.body:
            case Transfer(key=key):
                if key not in self.moves.seen:
                    raise Broken(f"T-1: {key} is told and not on the disk")
            case TransferReply(key=key):
                if self.moves.seen.get(key, "sent") == "sent":
                    raise Broken(f"T-1: the answer to {key} is told and not on the disk")
            case Grant(player=player, version=version):
                if version > len(self.changes.get(player, ())):
                    raise Broken(f"T-1: {player} is granted by version {version}, which is not on the disk")
            case Report(shares=shares):
                if missing := [share.code for share in shares if share.code not in self.disk.rounds]:
                    raise Broken(f"T-1: {missing} are reported and not on the disk")

    def recovered(self, pit: Pit) -> None:
        """A new owner has folded the disk: it is what the records say, one by one."""
        self.agrees(pit)
        for stream in self.disk.pits[pit.number].streams:
            kind, _, name = stream.partition(":")
            if kind == "table" and name not in pit.authority.tables:
                raise Broken(f"I-6: {name} is not there after a take-over")

    def agrees(self, pit: Pit) -> None:
        """An owner with nothing to commit stands where the disk stands."""
        for name, live in pit.authority.tables.items():
            if live.table != self.tables[name]:
                raise Broken(f"I-6: {name} is not the fold of its records")
        if faults := pit.authority.find_faults():
            raise Broken("; ".join(faults))
        sent = {key: self.moves.seen[key] for key in pit.transfers.open}
        if "ended" in sent.values():
            raise Broken(f"T-1: ended transfers are open: {sent}")

    def whole(self) -> None:
        """Everything at once."""
        balances = self.disk.balances
        if sum(balances.values()):
            raise Broken(f"I-1: all accounts sum to {sum(balances.values())}")
        moving = sum([amount for account, amount in balances.items() if account.endswith(":moving")])
        if moving != sum([amount for _, amount in self.moves.open.values()]):
            raise Broken(f"T-1: {moving} are moving")
        for key in self.acknowledged:
            if key not in self.disk.keys:
                raise Broken(f"I-7: {key} was acknowledged and is gone")


def find_fault(promise: Promise, open_stakes: Cents, rounds: list[ShareRow], at: int) -> str:
    """Why a promise does not allow so much to be open at this moment."""
    if promise.is_closed(at):
        return "excluded"
    for name, limit in promise.limits.items():
        kind, period = name.split(":")
        since = at - WINDOWS[period]
        used = sum([row.staked - (row.returned if kind == "loss" else 0) for row in rounds if row.ended > since])
        if max(used, 0) + open_stakes > limit:
            return f"{name} {limit}, {used} used, {open_stakes} open"
    return ""
