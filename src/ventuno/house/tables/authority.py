"""The one authority: decides every request in order, in memory, and says what must be durable before it is shown.

What may be asked of the house and how it answers, and a table at run time, are here with it.

It is synchronous and deterministic: time, entropy and the outcome of commits come from outside. The same object runs
under the server and under the simulation of faults (T-1).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Protocol

import msgspec

from ventuno.core.messages.commands import (
    ActEarly,
    BringMoney,
    ChangeLimits,
    ChooseFollow,
    CloseTable,
    Command,
    LoadShoe,
    Pause,
    Resume,
    ScanCard,
    SpinBoard,
    SpinWheel,
    Tick,
    TimeOut,
    Void,
)
from ventuno.core.messages.events import (
    BetPlaced,
    BettingEnded,
    DecisionTaken,
    Event,
    HandDoubled,
    HandSplit,
    RoundSettled,
    RoundVoided,
)
from ventuno.core.messages.refusals import FundsMissing, Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table import ledger
from ventuno.core.table.fold import advance, evolve, open_table
from ventuno.core.table.round import Action, Origin
from ventuno.core.table.state import Phase, Table
from ventuno.house.money.wallet import Wallet
from ventuno.house.store.records import (
    Batch,
    Head,
    KeyReused,
    KeyRow,
    PostingRow,
    Record,
    RoundRow,
    ShareRow,
    chain_events,
    check_chain,
    decode_body,
    encode_event,
    read_table_event,
)

_HOUSE_COMMANDS: frozenset[type] = frozenset((Tick, TimeOut, LoadShoe, ChangeLimits, Pause, Resume, Void, CloseTable))
_DRAWN = (SpinWheel, SpinBoard, ScanCard)
_BEGINS = BettingEnded.__name__
ROUND_ENDS = (RoundSettled, RoundVoided)


@dataclass(frozen=True, slots=True)
class TableOpened:
    """The first record of a table's stream: its sheet by hash, its owner where it is a table for one."""

    table: str
    sheet: str
    owner: PlayerId
    practice: bool


class LiveTable(msgspec.Struct, frozen=True):
    """A running table between two commands. `first` is where the open round began in the stream."""

    stream: str
    table: Table
    head: Head
    practice: bool = False
    first: int = 0

    @property
    def version(self) -> int:
        return self.head.seq


class NotYours(Refusal):
    """A player speaks for himself alone; some things only the house says."""

    player: PlayerId


class NoSuchTable(Refusal):
    table: str


class Request(msgspec.Struct, frozen=True):
    """A command for a table, who sends it, and the key that makes repeating it harmless.

    `trusted` is set by the house's own code where it fills in what a player may not say of himself, and by nobody else.
    """

    table: str
    command: Command
    key: str
    player: PlayerId = ""
    trusted: bool = False

    def digest(self) -> bytes:
        """What must be equal when a key comes again; the time of arrival is not part of it, nor what it is credited."""
        command = self.command
        fields = msgspec.to_builtins(command)
        del fields["at"]
        fields.pop("lag", None)
        body = {"table": self.table, "kind": type(command).__name__, "player": self.player, "command": fields}
        return sha256(msgspec.json.encode(body)).digest()


class Answer(msgspec.Struct, frozen=True):
    """What the sender is told: the version of the table his command made, or why not, as a code with numbers."""

    table: str
    version: int
    refused: str = ""
    numbers: Mapping[str, object] = {}


class Decision(msgspec.Struct, frozen=True):
    """An answer that may be given once its batch is durable; events are shown then, and not before."""

    answer: Answer
    batch: Batch | None = None
    events: tuple[Event, ...] = ()


def refuse(table: str, version: int, refusal: Refusal) -> Decision:
    return Decision(Answer(table, version, refusal.code, msgspec.to_builtins(refusal)))


_ANSWERS = msgspec.json.Decoder(Answer)


class NameUsed(ValueError):
    """A table of this name is open, or was: a name is given once (X-10). Open another under a new name."""


class Guard(Protocol):
    """Protects players: asked inside the decision, before anything is written (R-36)."""

    def refuses(self, player: PlayerId, added: Cents, at: int, raises: bool, /) -> Refusal | None: ...

    def add_round(self, player: PlayerId, staked: Cents, returned: Cents, at: int, /) -> None: ...


class Chance(Protocol):
    """The house's draws: bonus outcomes for a spin that a player asks, the salt of a scanned card."""

    def fill(self, live: LiveTable, command: SpinWheel | SpinBoard | ScanCard) -> Command: ...


class Authority:
    """Tables, wallet and keys as they will be when all that was decided is committed."""

    def __init__(self, guard: Guard, chance: Chance, sheets: Mapping[str, Sheet]) -> None:
        self.tables: dict[str, LiveTable] = {}
        self.closed_names: set[str] = set()
        """The names of tables that are no more; they are not given again."""
        self.wallet = Wallet()
        self.keys: dict[str, KeyRow] = {}
        """The keys that were used lately; of older ones the store knows."""
        self._guard, self._chance = guard, chance
        self._sheets = dict(sheets)

    def open(self, name: str, sheet: Sheet, at: int, owner: PlayerId = "", *, practice: bool = False) -> Batch:
        """Open a table; its sheet is the one named in its first record for as long as it lives."""
        if name in self.tables or name in self.closed_names:
            raise NameUsed(f"there is, or was, a table {name}")
        live, records = open_stream(name, sheet, owner, at, practice=practice)
        self.tables[name] = live
        self._sheets[sheet.hash] = sheet
        return Batch(records=records)

    def handle(self, request: Request) -> Decision:
        """Decide one request. Nothing is remembered of what is refused."""
        if row := self.keys.get(request.key):
            return self._repeat(request, row)
        live = self.tables.get(request.table)
        if live is None:
            return refuse(request.table, 0, NoSuchTable(request.table))
        command = self._check_sender(live, request)
        if isinstance(command, Refusal):
            return refuse(request.table, live.version, command)
        outcome = self._advance(live, command)
        if isinstance(outcome, Refusal):
            return refuse(request.table, live.version, outcome)
        events, table = outcome
        moved, records = append_events(live, table, events, command.at)
        answer = Answer(request.table, moved.version)
        key = KeyRow(request.key, request.digest(), msgspec.json.encode(answer))
        batch = self._make_batch(live, moved, records, events, key)
        self.wallet.post(batch.postings)
        self.tables[request.table], self.keys[request.key] = moved, key
        if batch.shares and not live.practice:
            voided = {row.code for row in batch.rounds if row.voided}
            for share in batch.shares:
                if share.code not in voided:  # what was given back whole was never at stake
                    self._guard.add_round(share.player, share.staked, share.returned, share.ended)
        return Decision(answer, batch, tuple(events))

    def retire(self, name: str) -> None:
        """A table has closed, and that is durable: it is no more, and its name is not given again."""
        if self.tables.pop(name, None):
            self.closed_names.add(name)

    def forget(self, key: str) -> None:
        """This key is durable and old: from now on the store is asked for it, before it comes here (I-4)."""
        self.keys.pop(key, None)

    def _repeat(self, request: Request, row: KeyRow) -> Decision:
        """The same answer to the same request; another one under the same key is refused (I-4)."""
        if row.digest != request.digest():
            return refuse(request.table, 0, KeyReused(request.key.removeprefix(f"ask:{request.player} ")))
        return Decision(_ANSWERS.decode(row.answer))

    def _check_sender(self, live: LiveTable, request: Request) -> Command | Refusal:
        """The command as it may be carried out: players speak for themselves, the house draws for them."""
        command = request.command
        if type(command) in _HOUSE_COMMANDS:
            return NotYours(request.player) if request.player else command
        if command.player != request.player:  # type: ignore[union-attr]
            return NotYours(request.player)
        if isinstance(command, _DRAWN):
            return self._chance.fill(live, command)
        return self._check_money(live, request, command) if isinstance(command, BringMoney) else command

    def _check_money(self, live: LiveTable, request: Request, command: BringMoney) -> Command | Refusal:
        """Money that the player has; a VIP level is the house's to say (D-05, L-05)."""
        if command.vip is not None and not request.trusted:
            return NotYours(request.player)
        free = command.amount if live.practice else self.wallet.balance(f"player:{command.player}")
        return FundsMissing(command.amount, free) if free < command.amount else command

    def _advance(self, live: LiveTable, command: Command) -> tuple[list[Event], Table] | Refusal:
        """What follows from a command. Limits see every stake before it is written (R-33…R-38).

        A stake that is asked now is refused. One that would follow by itself, chosen early or behind another's box, is
        withdrawn, and the rest goes on: nobody's limit stops the clock or the decision of somebody else (R-36).
        """
        table, first = live.table, list[Event]()
        while True:
            outcome = advance(table, command)
            if isinstance(outcome, Refusal) or live.practice:
                return outcome
            limited = self._check_limits(outcome[0], command.at)
            if limited is None:
                return ([*first, *outcome[0]], outcome[1]) if first else outcome
            refusal, player = limited
            instead = find_withdrawal(table, outcome[0], player, command.at)
            changed = advance(table, instead) if instead else refusal
            if isinstance(changed, Refusal):
                return refusal
            first += changed[0]
            table = changed[1]

    def _check_limits(self, events: list[Event], at: int) -> tuple[Refusal, PlayerId] | None:
        """The first player whose limits forbid what these events would add to his stakes."""
        added: dict[PlayerId, Cents] = {}
        bets = False
        for event in events:
            bets = bets or isinstance(event, BetPlaced)
            for player, amount in ledger.stakes(event):
                added[player] = added.get(player, 0) + amount
        for player, amount in added.items():
            if amount > 0 and (refusal := self._guard.refuses(player, amount, at, not bets)):
                return refusal, player
        return None

    def _make_batch(
        self, before: LiveTable, after: LiveTable, records: tuple[Record, ...], events: list[Event], key: KeyRow
    ) -> Batch:
        postings: list[PostingRow] = []
        rows: list[RoundRow] = []
        shares: list[ShareRow] = []
        game = after.table.sheet.game.id
        for record, event in zip(records, events, strict=True):
            if type(event) not in ledger.MOVES:
                continue
            for posting in () if after.practice else ledger.postings(event, game):
                postings.append(PostingRow(record.stream, record.seq, *posting))
            if isinstance(event, ROUND_ENDS) and (ended := make_round_rows(after, before.table, record, event)):
                rows.append(ended[0])
                shares += ended[1]
        return Batch(records, tuple(postings), (key,), tuple(rows), tuple(shares))

    def recover(self, streams: Iterable[list[Record]], keys: Iterable[KeyRow], balances: Mapping[str, Cents]) -> None:
        """Come back from what was committed: chains checked, tables folded, balances as the postings leave them."""
        for records in streams:
            live = recover_table(records, self._sheets)
            self.tables[live.table.id] = live
        self.keys = {key.key: key for key in keys}
        self.wallet = Wallet(balances)

    def is_in_round(self, player: PlayerId) -> bool:
        """Whether a round for money is dealt in which this player has a stake: chips not yet dealt are none (R-37)."""
        for live in self.tables.values():
            play = live.table.round if live.table.phase is Phase.ROUND else None
            if play and not live.practice and player in live.table.purses and play.total_stake_of(player):
                return True
        return False

    def due(self, at: int) -> list[str]:
        """Tables whose deadline has come."""
        return [
            name
            for name, live in self.tables.items()
            if live.table.deadline is not None and at >= live.table.deadline and live.table.pause is None
        ]

    def find_faults(self) -> list[str]:
        """Invariants over the whole house: the sum is zero, nobody is overdrawn, purses and stakes agree (I-1…I-3)."""
        return [*self.wallet.find_faults(), *self.find_mismatches()]

    def find_mismatches(self, part: int = 0, parts: int = 1) -> list[str]:
        """Where purses and stakes do not agree with the wallet; of one part of the players, or of all."""
        purses: dict[PlayerId, Cents] = {}
        play: dict[PlayerId, Cents] = {}
        for live in self.tables.values():
            if not live.practice:
                for player, amount in live.table.purses.items():
                    if parts == 1 or hash(player) % parts == part:
                        purses[player] = purses.get(player, 0) + amount
                        play[player] = play.get(player, 0) + live.table.total_stake_of(player)
        faults: list[str] = []
        for player in purses:
            for account, amount in (
                (f"player:{player}:table", purses[player]),
                (f"player:{player}:in-play", play[player]),
            ):
                if self.wallet.balance(account) != amount:
                    faults.append(f"{account} holds {self.wallet.balance(account)}, the tables say {amount}")
        return faults


def find_withdrawal(table: Table, events: Iterable[Event], player: PlayerId, at: int) -> Command | None:
    """The command that takes back a raise of this player which these events make without his asking it now."""
    for event in events:
        if not isinstance(event, HandDoubled | HandSplit | DecisionTaken):
            continue
        if event.player == player and event.origin is Origin.EARLY:
            return ActEarly(player, event.box, None, at)
        box = table.round.box(event.box) if table.round else None
        for behind in box.behind if box else ():
            if behind.player == player and player in dict(event.follows):
                is_held = isinstance(event, DecisionTaken) and event.action is Action.DOUBLE
                doubled = is_held or isinstance(event, HandDoubled)
                double, split = behind.follow_double and not doubled, behind.follow_split and doubled
                return ChooseFollow(player, event.box, double, split, at)
    return None


def open_stream(
    name: str, sheet: Sheet, owner: PlayerId, at: int, *, practice: bool
) -> tuple[LiveTable, tuple[Record, ...]]:
    """A new room and the record that opens its stream."""
    stream = f"table:{name}"
    entry = encode_event(TableOpened(name, sheet.hash, owner, practice))
    records, head = chain_events(Head(), stream, at, [entry])
    return LiveTable(stream, open_table(name, sheet, owner or None), head, practice), records


def append_events(
    live: LiveTable, table: Table, events: Iterable[Event], at: int
) -> tuple[LiveTable, tuple[Record, ...]]:
    """The room after events, and their records."""
    records, head = chain_events(live.head, live.stream, at, [*map(encode_event, events)])
    begins = [record.seq for record in records if record.kind == _BEGINS]
    return LiveTable(live.stream, table, head, live.practice, begins[-1] if begins else live.first), records


def recover_table(records: list[Record], sheets: dict[str, Sheet]) -> LiveTable:
    """The room as its records leave it: chain checked, sheet by hash, every event folded (R-06, T-11)."""
    head = check_chain(records)
    first = decode_body(records[0].body, TableOpened)
    table = open_table(first.table, sheets[first.sheet], first.owner or None)
    begun = 0
    for record in records[1:]:
        event = read_table_event(record.kind, record.body)
        begun = record.seq if isinstance(event, BettingEnded) else begun
        table = evolve(table, event)
    return LiveTable(records[0].stream, table, head, first.practice, begun)


def make_round_rows(
    live: LiveTable, before: Table, record: Record, event: RoundSettled | RoundVoided
) -> tuple[RoundRow, tuple[ShareRow, ...]] | None:
    """The rows of a round that this event ends: where it lies, and what each player had in it."""
    play = live.table.round if isinstance(event, RoundSettled) else before.round
    if play is None:
        return None
    if isinstance(event, RoundVoided) and before.phase is not Phase.ROUND:
        return None
    voided = isinstance(event, RoundVoided)
    sheet = live.table.sheet
    place = live.stream, live.first, record.seq, play.started, event.at
    row = RoundRow(play.code, *place, sheet.game.id, sheet.hash, voided, live.practice)
    returned = dict(ledger.returns(event))
    staked = {player: play.total_stake_of(player) for player in before.purses}
    shares = tuple(
        ShareRow(play.code, player, event.at, amount, returned.get(player, 0))
        for player, amount in staked.items()
        if amount
    )
    return row, shares
