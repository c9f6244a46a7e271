"""One pit as its owner has it: the authority of its tables, the accounts at home in it, transfers and grants.

Like the authority it is synchronous and deterministic, and ahead of the store. Every call gives an outcome: a batch for
one fenced commit, and what may be told once that and all decided before it are durable. Whatever was told may be lost;
`remind` says again what was not answered. The same object runs under the simulation of faults (T-1).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

import msgspec
from msgspec.structs import replace

from ventuno.core.messages.commands import BringMoney, Command, Pause, Resume
from ventuno.core.messages.events import Event, MoneyTaken
from ventuno.core.messages.refusals import AmountNotPositive, FundsMissing, Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.ledger import Posting
from ventuno.house.accounts.accounts import PUBLIC, Accounts
from ventuno.house.accounts.player_limits import LimitEvent, PlayerLimits
from ventuno.house.pits.granting import Granting, RoomPending
from ventuno.house.pits.holdings import Holdings
from ventuno.house.pits.messages import Body, Grant, Message, Report, Transfer, TransferReply
from ventuno.house.pits.pit_shoes import PitShoes, Seals
from ventuno.house.pits.placement import PitNumber, find_player_pit, find_table_pit, name_audit, name_stream
from ventuno.house.pits.transfers import (
    AWAY,
    TransferArrived,
    TransferEnded,
    TransferEvent,
    Transfers,
    TransferSent,
    make_postings,
    name_account,
    read_transfer_event,
)
from ventuno.house.protection.limit_check import LimitCheck, ProtectionLimit
from ventuno.house.shoes.entropy import RandomnessFailed
from ventuno.house.store.audit_log import AuditLog
from ventuno.house.store.records import Batch, Journal, KeyReused, KeyRow, Record, ShareRow, make_posting_rows, merge
from ventuno.house.tables.authority import Answer, Authority, Decision, NoSuchTable, NotYours, Request, refuse
from ventuno.house.tables.pipeline import ChanceStopped

HOUSE, MOVED = "house", "restart"
"""Who pauses the tables of a pit that has a new owner, and the reason: the same as after a restart."""
ChangeLimits = Callable[[PlayerLimits], list[LimitEvent] | Refusal]
_ANSWERS = msgspec.json.Decoder(Answer)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What is to be committed, and what is told then: answers by the keys of their requests, messages to other pits.

    Without a batch it still waits for all that was decided before, and its answers pass the fence as an empty commit: a
    fenced owner would refuse what the new one has done.
    """

    batch: Batch | None = None
    answers: tuple[tuple[str, Answer], ...] = ()
    messages: tuple[Message, ...] = ()
    events: tuple[Event, ...] = ()
    table: str = ""
    """Where these events happened."""


@dataclass(frozen=True, slots=True)
class Books:
    """What the store has of one pit, for its next owner."""

    tables: Sequence[list[Record]]
    accounts: Sequence[list[Record]]
    transfers: list[Record]
    keys: Sequence[KeyRow]
    balances: Mapping[str, Cents]
    shares: Sequence[ShareRow]
    """The rounds of the last month of the players who are at home here, wherever they played."""
    shoes: Sequence[list[Record]] = ()
    """The logs of shoes of its tables, public and secret."""
    audit: Sequence[Record] = ()


class Pit:
    """The owner of a pit. `epochs` are those of all pits, read when this one was taken."""

    def __init__(
        self,
        number: PitNumber,
        epochs: Mapping[PitNumber, int],
        seals: Seals,
        sheets: Mapping[str, Sheet],
    ) -> None:
        self.number, self.epoch, self._epochs = number, epochs[number], dict(epochs)
        self._journal, self._sheets = Journal(), sheets
        self.shoes = PitShoes(self._journal, seals)
        self.audit = AuditLog(self._journal, name_audit(number))
        self.authority = Authority(self, self.shoes.draws, sheets)
        self.broken = ""
        """Why nothing that was decided here may be written; empty in a sound pit."""
        self.limits = LimitCheck(self._count_in_play)
        self.accounts = Accounts(self._journal, self.limits)
        self.transfers = Transfers()
        self.granting = Granting(self.epoch, self.limits, self._get_in_play)
        self.holdings = Holdings(self._get_in_play)
        self._recalls: dict[PlayerId, None] = {}
        self._changes: dict[str, tuple[PlayerId, Answer]] = {}
        """Changes of limits that are answered when every table plays by them."""

    def is_home(self, player: PlayerId) -> bool:
        return find_player_pit(player) == self.number

    def recover(self, books: Books) -> None:
        """Fold what the store has; pits that hold something of a player are to be asked before more is granted."""
        self.accounts.recover(books.accounts)
        for records in books.accounts:
            if records[0].stream.startswith(PUBLIC):
                self.granting.set_version(records[0].stream.removeprefix(PUBLIC), records[-1].seq)
        self._journal.resume(books.transfers)
        for record in books.transfers:
            self.transfers.apply(read_transfer_event(record.kind, record.body))
        self._journal.resume(books.audit)
        self.authority.recover(books.tables, books.keys, books.balances)
        own = {records[0].stream: records for records in books.tables}
        self.shoes.recover(books.shoes, self.authority.tables, own, self._sheets)
        for share in books.shares:
            self.granting.count_share(share)
        for player, pits in self.transfers.visited.items():
            for pit in pits:
                self.granting.add_holder(player, pit, self._epochs[pit], is_new=False)

    def pause_tables(self, last: int) -> list[Outcome]:
        """Stop every running clock at the last record: nobody loses time while the pit had no owner (R-06)."""
        running = [name for name, live in self.authority.tables.items() if live.table.deadline is not None]
        return [self.command(name, Pause(HOUSE, MOVED, last), "pause") for name in running]

    def resume_tables(self, at: int) -> list[Outcome]:
        pauses = [(name, live.table.pause) for name, live in self.authority.tables.items()]
        paused = [name for name, pause in pauses if pause and (pause.by, pause.reason) == (HOUSE, MOVED)]
        return [self.command(name, Resume(HOUSE, at), "resume") for name in paused]

    def command(self, table: str, command: Command, why: str) -> Outcome:
        """The house's own commands are named after the version they follow."""
        version = self.authority.tables[table].version
        return self.ask(Request(table, command, f"{HOUSE}:{why}:{table}:{version}"))

    def ask(self, request: Request) -> Outcome:
        """Decide one request at a table. Money that goes to a table elsewhere is asked here, where it is."""
        command = request.command
        if isinstance(command, BringMoney) and request.key not in self.authority.keys:
            if not self.is_home(request.player):
                return _answer(request, refuse(request.table, 0, NotYours(request.player)))
            if request.table not in self.authority.tables:
                return self._bring(request, command)
        return self._finish(request.key, self._handle(request), command.at)

    def change_limits(self, player: PlayerId, key: str, digest: bytes, change: ChangeLimits, at: int) -> Outcome:
        """A change is in force here at once; it is answered when every table away plays by it too (R-35, R-38)."""
        if row := self.authority.keys.get(key):
            if row.digest != digest:
                return Outcome(answers=((key, refuse("", 0, KeyReused(key)).answer),))
            self._changes[key] = player, _ANSWERS.decode(row.answer)
            return self._tell_limits(player, at)
        events = change(self.limits.get_player_limits(player))
        if isinstance(events, Refusal):
            return Outcome(answers=((key, refuse("", 0, events).answer),))
        records = self.accounts.write(player, at, events)
        answer = Answer("", records[-1].seq)
        row = self.authority.keys[key] = KeyRow(key, digest, msgspec.json.encode(answer))
        self.granting.set_version(player, answer.version)
        self._changes[key] = player, answer
        told = self._tell_limits(player, at)
        return Outcome(Batch(records=records, keys=(row,)), told.answers, told.messages)

    def receive(self, message: Message, at: int) -> Outcome:
        """A message from another pit. Nobody reads what was sent to another owner, nor listens to one of before."""
        if message.receiver_epoch != self.epoch or message.sender_epoch < self._epochs.get(message.sender, 0):
            return Outcome()
        noted = self.note_epoch(message.sender, message.sender_epoch)
        outcome = self._read(message.sender, message.sender_epoch, message.body, at)
        return dataclasses.replace(outcome, answers=noted.answers + outcome.answers)

    def note_epoch(self, pit: PitNumber, epoch: int) -> Outcome:
        """A pit has a newer owner, as a message or the store says."""
        if epoch <= self._epochs.get(pit, 0):
            return Outcome()
        self._epochs[pit] = epoch
        self.granting.note_epoch(pit, epoch)
        return Outcome(answers=self._find_obeyed())

    def remind(self, at: int) -> Outcome:
        """All that waits for somebody else, once more."""
        messages = [self._address(sent.receiver, sent.transfer) for sent in self.transfers.open.values()]
        messages += [self._address(pit, self.granting.recall(player, pit, at)) for player, pit in self._list_lagging()]
        messages += [self._report(player) for player in self.holdings.find_waiting()]
        return Outcome(answers=self._find_obeyed(), messages=tuple(messages))

    def refuses(self, player: PlayerId, added: Cents, at: int, raises: bool) -> Refusal | None:
        """The guard of the authority: at home the limits themselves, away from home what was granted (R-36)."""
        if not self.is_home(player):
            return self.holdings.refuses(player, added, at, raises=raises)
        if not self.granting.needs_room(player):
            return self.limits.refuses(player, added, at, raises)
        if self.granting.sum_rooms(player) is None:
            self._recalls[player] = None
            return RoomPending()
        refusal = self.limits.refuses(player, added, at, raises)
        if is_short(refusal, self._sum_unused(player)):
            self._recalls[player] = None
            return RoomPending()
        return refusal

    def add_round(self, player: PlayerId, staked: Cents, returned: Cents, at: int) -> None:
        """Rounds are counted with their codes, in `_finish`: the same round may be read from the store as well."""

    def _handle(self, request: Request) -> Decision:
        """Decide at a table of this pit, with what its shoe log says of it, in one batch (X-01)."""
        before = self.authority.tables.get(request.table)
        try:
            decision = self.authority.handle(request)
        except RandomnessFailed as fault:
            return refuse(request.table, before.version if before else 0, ChanceStopped(str(fault)))
        if before is None:
            return decision
        try:
            return self.shoes.record(before, decision, request.command.at)
        except Exception as fault:  # decided, and what follows cannot be written: the pit has to be folded again
            self.broken = f"{type(request.command).__name__} at {request.table}: {type(fault).__name__}: {fault}"
            return decision

    def _finish(self, key: str, decision: Decision, at: int, *more: Batch) -> Outcome:
        """A decision of the authority with what follows from it: money that leaves, rounds for other homes, room."""
        messages: list[Message] = []
        batch = decision.batch
        if batch:
            taken = [event for event in decision.events if isinstance(event, MoneyTaken)]
            away = [event for event in taken if not self.is_home(event.player)]
            sent = [self._send_back(decision.answer.table, event, at) for event in away]
            messages += [message for _, message in sent]
            messages += self._count_shares(batch)
            batch = self._name_accounts(batch)
            if sent or more:
                batch = merge(batch, *(records for records, _ in sent), *more)
        messages += self._ask_for_room(at)
        answers = ((key, decision.answer),) if key else ()
        return Outcome(batch, answers, tuple(messages), decision.events, decision.answer.table)

    def _name_accounts(self, batch: Batch) -> Batch:
        if not batch.postings:
            return batch
        named = [row._replace(account=name_account(row.account, self.number)) for row in batch.postings]
        return replace(batch, postings=tuple(named))

    def _count_shares(self, batch: Batch) -> list[Message]:
        voided = {row.code for row in batch.rounds if row.voided or row.practice}
        reports = []
        for share in batch.shares:
            if share.code in voided:
                continue
            if self.is_home(share.player):
                self.granting.count_share(share)
            else:
                self.holdings.add_share(share)
                reports.append(self._report(share.player))
        return reports

    def _ask_for_room(self, at: int) -> list[Message]:
        """What the guard could not decide here: more is asked from homes, room elsewhere is recalled."""
        messages = [self._report(player) for player in self.holdings.find_wanting()]
        for player in self._recalls:
            for pit in self.granting.find_unused(player, self.number, at):
                messages.append(self._address(pit, self.granting.recall(player, pit, at)))
        self._recalls.clear()
        return messages

    def _bring(self, request: Request, command: BringMoney) -> Outcome:
        """Money leaves for a table elsewhere; the request is answered when that table has taken or refused it."""
        player, at = request.player, command.at
        if waiting := self.transfers.asks.get(request.key):
            if waiting.digest != request.digest():
                return _answer(request, refuse(request.table, 0, KeyReused(request.key)))
            return Outcome(messages=(self._address(waiting.receiver, waiting.transfer),))
        free = self.authority.wallet.balance(f"player:{player}")
        refusal: Refusal | None = self.limits.get_player_limits(player).check_play(at)
        if command.player != player or (command.vip is not None and not request.trusted):
            refusal = NotYours(player)
        elif command.amount <= 0:
            refusal = AmountNotPositive(command.amount)
        elif free < command.amount:
            refusal = FundsMissing(command.amount, free)
        elif (pit := find_table_pit(request.table)) == self.number:
            refusal = NoSuchTable(request.table)
        if refusal:
            return _answer(request, refuse(request.table, 0, refusal))
        is_new = not self.transfers.count_sent(player, pit)
        self.granting.add_holder(player, pit, self._epochs.get(pit, 0), is_new=is_new)
        grant = self.granting.grant(player, pit, at)
        key = self.transfers.name_next(self.number)
        transfer = Transfer(key, player, request.table, command.amount, command.vip, grant=grant.number)
        batch = self._write(at, TransferSent(transfer, pit, request.key, request.digest()), player, command.amount)
        return Outcome(batch, messages=(self._address(pit, transfer), self._address(pit, grant)))

    def _send_back(self, table: str, event: MoneyTaken, at: int) -> tuple[Batch, Message]:
        """Money that was taken from a table goes home. What the authority has posted is on its way with it."""
        player, home = event.player, find_player_pit(event.player)
        wallet = self.authority.wallet
        wallet.post((Posting(f"player:{player}", -event.amount), Posting(AWAY, event.amount)))
        left = not wallet.balance(f"player:{player}:table") and not wallet.balance(f"player:{player}:in-play")
        key = self.transfers.name_next(self.number)
        place = left, self.transfers.count_arrived(player)
        transfer = Transfer(key, player, table, event.amount, None, *place)
        return self._write(at, TransferSent(transfer, home)), self._address(home, transfer)

    def _read(self, sender: PitNumber, epoch: int, body: Body, at: int) -> Outcome:
        match body:
            case Transfer():
                return self._take_home(sender, body, at) if self.is_home(body.player) else self._seat(sender, body, at)
            case TransferReply():
                return self._end(body, at)
            case Grant():
                if not self.holdings.take_grant(body):
                    return Outcome()
                return Outcome(messages=(self._report(body.player),))
            case Report():
                self.granting.take_report(sender, epoch, body)
                return self._answer_report(sender, body, at)
            case _:
                assert_never(body)

    def _take_home(self, sender: PitNumber, transfer: Transfer, at: int) -> Outcome:
        """Money comes home. It is never refused."""
        key, player = transfer.key, transfer.player
        reply = self._address(sender, TransferReply(key, player, 0, "", {}, left=False, processed=0))
        if key in self.authority.keys:
            return Outcome(messages=(reply,))
        gone = transfer.left and self.transfers.is_gone(player, sender, transfer.processed)
        batch = self._write(at, TransferArrived(key, player, sender, True, gone), player, -transfer.amount)
        row = self.authority.keys[key] = KeyRow(key, b"", b"")
        if gone:
            self.granting.drop_holder(player, sender)
        return Outcome(merge(batch, Batch(keys=(row,))), self._find_obeyed(), (reply,))

    def _seat(self, sender: PitNumber, transfer: Transfer, at: int) -> Outcome:
        """Money comes to a table, under the transfer's key; a refusal is written under that key too."""
        key, player, amount = transfer.key, transfer.player, transfer.amount
        wallet = self.authority.wallet
        if row := self.authority.keys.get(key):
            return Outcome(messages=(self._reply(sender, transfer, _ANSWERS.decode(row.answer)),))
        self.holdings.void_grants(player, transfer.grant)
        request = Request(transfer.table, BringMoney(player, amount, at, transfer.vip), key, player, trusted=True)
        wallet.post(make_postings(player, -amount))
        decision = self._handle(request)
        if not decision.answer.refused:
            arrived = self._write(at, TransferArrived(key, player, sender, True))
            outcome = self._finish("", decision, at, arrived)
        else:
            wallet.post(make_postings(player, amount))
            row = self.authority.keys[key] = KeyRow(key, request.digest(), msgspec.json.encode(decision.answer))
            refused = self._write(at, TransferArrived(key, player, sender, False))
            outcome = Outcome(merge(refused, Batch(keys=(row,))))
        reply = self._reply(sender, transfer, decision.answer)
        return dataclasses.replace(outcome, messages=(reply, *outcome.messages))

    def _reply(self, sender: PitNumber, transfer: Transfer, answer: Answer) -> Message:
        player, wallet = transfer.player, self.authority.wallet
        left = not wallet.balance(f"player:{player}:table") and not wallet.balance(f"player:{player}:in-play")
        place = left, self.transfers.count_arrived(player)
        return self._address(
            sender, TransferReply(transfer.key, player, answer.version, answer.refused, answer.numbers, *place)
        )

    def _end(self, reply: TransferReply, at: int) -> Outcome:
        """A transfer is answered: what was refused comes back, and who asked for it hears of it."""
        sent = self.transfers.open.get(reply.key)
        if sent is None:
            return Outcome()
        player, pit, amount = reply.player, sent.receiver, sent.transfer.amount
        gone = self.is_home(player) and reply.left and self.transfers.is_gone(player, pit, reply.processed)
        ended = TransferEnded(reply.key, not reply.refused, gone)
        batch = self._write(at, ended, player, -amount if reply.refused else 0)
        if gone:
            self.granting.drop_holder(player, pit)
        if not sent.ask:
            return Outcome(batch, self._find_obeyed())
        answer = Answer(sent.transfer.table, reply.version, reply.refused, reply.numbers)
        row = self.authority.keys[sent.ask] = KeyRow(sent.ask, sent.digest, msgspec.json.encode(answer))
        return Outcome(merge(batch, Batch(keys=(row,))), ((sent.ask, answer), *self._find_obeyed()))

    def _write(self, at: int, event: TransferEvent, player: PlayerId = "", amount: Cents = 0) -> Batch:
        """A record of this pit's stream, with so much money that leaves home by it."""
        self.transfers.apply(event)
        records = self._journal.write(name_stream(self.number), at, [event])
        if not amount:
            return Batch(records=records)
        postings = make_postings(player, amount)
        self.authority.wallet.post(postings)
        named = [row._replace(account=name_account(row.account, self.number, player)) for row in postings]
        return Batch(records, make_posting_rows(records[0], named))

    def _answer_report(self, sender: PitNumber, report: Report, at: int) -> Outcome:
        """A fresh grant for who played a round or wants more; where too little is left, room elsewhere is recalled."""
        player, messages = report.player, list[Message]()
        if sender in self.granting.get_holders(player) and (report.wanted or report.shares):
            grant = self.granting.grant(player, sender, at, report.wanted)
            messages.append(self._address(sender, grant))
            missing = grant.room is not None and grant.room < report.open_stakes + report.wanted
            if report.wanted and missing and not grant.last:
                unused = self.granting.find_unused(player, sender, at)
                messages += [self._address(pit, self.granting.recall(player, pit, at)) for pit in unused]
        return Outcome(answers=self._find_obeyed(), messages=tuple(messages))

    def _tell_limits(self, player: PlayerId, at: int) -> Outcome:
        """Every pit that does not play by his newest limits gets a grant that leaves nothing: it asks again."""
        lagging = self.granting.find_lagging(player)
        messages = [self._address(pit, self.granting.recall(player, pit, at)) for pit in lagging]
        return Outcome(answers=self._find_obeyed(), messages=tuple(messages))

    def _find_obeyed(self) -> tuple[tuple[str, Answer], ...]:
        """Changes of limits that every table plays by now."""
        if not self._changes:
            return ()
        ready = [
            (key, answer)
            for key, (player, answer) in self._changes.items()
            if self.granting.is_obeyed(player, answer.version)
        ]
        for key, _ in ready:
            del self._changes[key]
        return tuple(ready)

    def _list_lagging(self) -> list[tuple[PlayerId, PitNumber]]:
        return list(self.granting.list_unknown())

    def _report(self, player: PlayerId) -> Message:
        return self._address(find_player_pit(player), self.holdings.report(player))

    def _address(self, pit: PitNumber, body: Body) -> Message:
        return Message(self.number, self.epoch, pit, self._epochs.get(pit, 0), body)

    def _get_in_play(self, player: PlayerId) -> Cents:
        return self.authority.wallet.balance(f"player:{player}:in-play")

    def _sum_unused(self, player: PlayerId) -> Cents:
        return self.granting.sum_unused(player) or 0

    def _count_in_play(self, player: PlayerId) -> Cents:
        """For the limits at home: his stakes here, and what was granted to other pits as if it were staked."""
        return self._get_in_play(player) + (self.granting.sum_rooms(player) or 0)


def is_short(refusal: Refusal | None, unused: Cents) -> bool:
    """Whether a stake was refused for room that lies unused elsewhere; the time of a session is no room."""
    return isinstance(refusal, ProtectionLimit) and 0 < refusal.asked <= refusal.limit + unused - refusal.used


def _answer(request: Request, decision: Decision) -> Outcome:
    return Outcome(answers=((request.key, decision.answer),))
