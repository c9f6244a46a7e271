"""The shoe log of each table: commitment, cut, rounds and opening of every shoe, chained and signed (X-01).

`shoes:TABLE` is for everybody and holds nothing that is not shown yet. `sealed:TABLE` holds the sealed shoes, each in
the record of its own number; it never leaves the house.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, assert_never, get_args

import msgspec

from ventuno.core.messages.events import (
    BettingEnded,
    BoardSpun,
    Event,
    RoundSettled,
    RoundVoided,
    ShoeRetired,
    TableClosed,
    WheelSpun,
)
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.scenario.recorder import extract_scenario
from ventuno.core.scenario.runner import list_lines, write_bets
from ventuno.core.table.fold import evolve
from ventuno.core.table.state import Table
from ventuno.house.shoes import commitment, cut, receipts
from ventuno.house.shoes.acknowledgements import Acknowledgement, Taken
from ventuno.house.shoes.commitment import CLOSED, CUT_CARD, FIRST, Commitment, SealedShoe, open_shoe, restore_shoe
from ventuno.house.shoes.cut import Cut, CutNotOpen, Entropy, Origin, Phase
from ventuno.house.shoes.draws import DrawPlace
from ventuno.house.shoes.promise_lists import Promise, PromiseList, SignedPromises
from ventuno.house.shoes.receipts import Base, Chain, Receipt
from ventuno.house.shoes.shoe_document import hide_balances, make_played_record, make_void_record
from ventuno.house.shoes.signed_documents import sign
from ventuno.house.store.records import (
    Batch,
    Head,
    Journal,
    Record,
    Snapshot,
    Unreadable,
    chain_events,
    check_tail,
    decode_body,
    encode_event,
    make_reader,
)
from ventuno.house.store.secrets import Secret
from ventuno.house.store.signing_key import SigningKey

PUBLIC, SECRET = "shoes:", "sealed:"


@dataclass(frozen=True, slots=True)
class ShoeSealed:
    """The secret of a shoe, as `SealedShoe.to_bytes` gives it."""

    shoe: int
    kept: str


@dataclass(frozen=True, slots=True)
class ShoeCommitted:
    """Published before any of these players can have sent entropy."""

    shoe: int
    players: tuple[PlayerId, ...]
    solo: bool
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class CutPromised:
    shoe: int
    player: PlayerId
    promise: str
    key: str = ""
    signature: str = ""


@dataclass(frozen=True, slots=True)
class PromisesEnded:
    shoe: int


@dataclass(frozen=True, slots=True)
class CutRevealed:
    shoe: int
    player: PlayerId
    reveal: str


@dataclass(frozen=True, slots=True)
class ShoeCut:
    shoe: int
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class RoundChained:
    shoe: int
    body: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ShoeOpened:
    """Cards and salts follow from the sealed shoe; here is the hash of the record that opens them."""

    shoe: int
    retired: str
    hashed: str


@dataclass(frozen=True, slots=True)
class ReceiptSigned:
    receipt: dict[str, Any]


ShoeEvent: TypeAlias = ShoeCommitted | CutPromised | PromisesEnded | CutRevealed | ShoeCut
"""What is said of a shoe until it is on the table."""
ShoeLogEvent: TypeAlias = ShoeEvent | RoundChained | ShoeOpened | ReceiptSigned
read: Callable[[str, bytes], ShoeLogEvent] = make_reader(get_args(ShoeLogEvent))
read_sealed: Callable[[str, bytes], ShoeSealed] = make_reader([ShoeSealed])
_CHAINED = (ShoeCommitted, ShoeCut, RoundChained, ShoeOpened)
_ROUND_ENDS = (BettingEnded, RoundSettled, RoundVoided, ShoeRetired, TableClosed)


class PendingShoe(NamedTuple):
    """A shoe that is committed and not loaded yet; `entropy` once its cut is closed."""

    cut: Cut
    entropy: Entropy | None = None


class CutCounts(NamedTuple):
    """How the cuts of a table went: shoes, and the parts that players were asked for."""

    committed: int = 0
    cut: int = 0
    by_house: int = 0
    """Shoes in whose order nobody but the house had a part."""
    opened: int = 0
    asked: int = 0
    signed: int = 0
    withheld: int = 0
    """Promised, and not revealed."""
    absent: int = 0
    beacons_named: int = 0
    beacons_signed: int = 0
    """Shoes that named a round of a public beacon, and those that were cut by it: the others show it as missing."""

    def add(self, other: CutCounts) -> CutCounts:
        return CutCounts(*map(sum, zip(self, other, strict=True)))

    def after(self, event: ShoeLogEvent) -> CutCounts:
        match event:
            case ShoeCommitted(_, _, _, body):
                return self.add(CutCounts(committed=1, beacons_named=int("beacon" in body)))
            case ShoeOpened():
                return self._replace(opened=self.opened + 1)
            case ShoeCut(_, body):
                entropy = cut.read(body)
                parts = [part for part in entropy.contributions if part.origin in (Origin.PLAYER, Origin.MISSING)]
                missing = [part for part in parts if part.origin is Origin.MISSING]
                withheld = sum(bool(part.promise) for part in missing)
                return self.add(
                    CutCounts(
                        cut=1,
                        by_house=int(not entropy.is_verifiable),
                        asked=len(parts),
                        signed=sum(bool(part.key) for part in parts if part.reveal),
                        withheld=withheld,
                        absent=len(missing) - withheld,
                        beacons_signed=int(bool(entropy.beacon)),
                    )
                )
            case _:
                return self


class StoredShoeLog(NamedTuple):
    """A log in a snapshot: public, as its stream is. `hash` is that of the record it was taken at."""

    hash: str
    base: Base
    previous: bytes
    open: list[int]
    receipt: dict[str, Any] | None
    events: list[tuple[str, msgspec.Raw]]
    counts: CutCounts | None = None
    """None in a snapshot of before they were counted."""


class ShoeLog(Secret):
    """One table's stream folded: its chain, the shoe in the making, the sealed shoes in use, the round being played."""

    __slots__ = ("_needed", "_sealed", "chain", "counts", "digests", "log", "opening", "pending", "previous", "receipt")

    def __init__(self, house: str, table: str) -> None:
        self.chain = Chain(house, table)
        self.previous = FIRST
        self.counts: CutCounts | None = CutCounts()
        self.pending: PendingShoe | None = None
        self.receipt: Receipt | None = None
        self.digests: dict[int, bytes] = {}
        self.opening: Table | None = None
        self.log: list[Event] = []
        self._sealed: dict[int, SealedShoe | bytes] = {}
        self._needed: dict[int, list[ShoeEvent]] = {}

    @property
    def newest_shoe(self) -> int:
        """The number of the last shoe that was committed to."""
        return self.pending.cut.commitment.shoe if self.pending else 0

    def list_needed_events(self) -> list[ShoeEvent]:
        """What was said of the newest shoe and of those that are not opened yet."""
        return [event for events in self._needed.values() for event in events]

    def encode_snapshot(self, hashed: bytes) -> bytes:
        """The fold up to the record of this hash, without the sealed shoes and the open round."""
        events = [(kind, msgspec.Raw(body)) for kind, body in map(encode_event, self.list_needed_events())]
        receipt = self.receipt.to_dict() if self.receipt else None
        opened = [*self.digests]
        stored = StoredShoeLog(hashed.hex(), self.chain.base, self.previous, opened, receipt, events, self.counts)
        return msgspec.json.encode(stored[:-1] if self.counts is None else stored)

    def restore(self, stored: StoredShoeLog) -> None:
        for kind, body in stored.events:
            self._fold(read(kind, body))
        self.digests = {shoe: digest for shoe, digest in self.digests.items() if shoe in stored.open}
        self.previous, self.receipt = stored.previous, receipts.read(stored.receipt) if stored.receipt else None
        self.counts = stored.counts
        self.chain.reset(stored.base)

    def replay(self, records: Sequence[Record], snapshot: Snapshot | None = None) -> None:
        """All that these records say; where a snapshot was taken at the first of them, on top of that."""
        if snapshot:
            stored = decode_body(snapshot.body, StoredShoeLog)
            check_tail(records, snapshot, stored.hash)
            self.restore(stored)
        for record in records[1:] if snapshot else records:
            self.apply(read(record.kind, record.body))

    def add_sealed(self, number: int, shoe: SealedShoe | bytes) -> None:
        self._sealed[number] = shoe

    def get_shoe(self, number: int) -> SealedShoe:
        sealed = self._sealed[number]
        return restore_shoe(sealed) if isinstance(sealed, bytes) else sealed

    def find_draw_place(self, *, is_wheel: bool) -> DrawPlace:
        """Which draw of the open round comes next, from where it began and what was drawn in it."""
        if self.opening is None or self.opening.shoe is None:
            raise LookupError("no round is being played")
        bonus, spin = -1, 0
        for event in self.log:
            if isinstance(event, WheelSpun):
                bonus, spin = bonus + 1, 0
            elif isinstance(event, BoardSpun):
                spin += 1
        return DrawPlace(self.opening.shoe.position, *((bonus + 1, 0) if is_wheel else (bonus, spin + 1)))

    def apply(self, event: ShoeLogEvent) -> None:
        if hashed := self._fold(event):
            self.chain.append(hashed)

    def _fold(self, event: ShoeLogEvent) -> bytes | None:
        """What an event changes beside the chain; gives its hash where it is chained."""
        if self.counts is not None:
            self.counts = self.counts.after(event)
        if not isinstance(event, RoundChained | ShoeOpened | ReceiptSigned):
            self._needed.setdefault(event.shoe, []).append(event)
        match event:
            case ShoeCommitted(shoe, players, solo, body):
                commitment_made = commitment.read(body)
                self.digests[shoe] = self.previous = commitment_made.digest
                self.pending = PendingShoe(require_accepted(cut.publish(Cut(commitment_made, players, solo))))
                self._needed = {number: events for number, events in self._needed.items() if number in self.digests}
                return receipts.hash_record(receipts.COMMITMENT, commitment_made.digest, body)
            case CutPromised() | PromisesEnded() | CutRevealed():
                if self.pending is None:
                    raise LookupError("no-shoe")
                self.pending = self.pending._replace(cut=require_accepted(_evolve_cut(self.pending.cut, event)))
            case ShoeCut(shoe, body):
                if self.pending:
                    self.pending = self.pending._replace(entropy=cut.read(body))
                return receipts.hash_record(receipts.ENTROPY, self.digests[shoe], body)
            case RoundChained(shoe, body):
                return receipts.hash_record(receipts.ROUND, self.digests[shoe], body)
            case ShoeOpened(shoe, _, hashed):
                self.digests.pop(shoe)
                self._sealed.pop(shoe, None)
                return bytes.fromhex(hashed)
            case ReceiptSigned(receipt):
                self.receipt = receipts.read(receipt)
            case _:
                assert_never(event)
        return None


def _evolve_cut(pending_cut: Cut, event: CutPromised | PromisesEnded | CutRevealed) -> Cut | Refusal:
    match event:
        case CutPromised(_, player, promise, key, signature):
            return cut.promise(pending_cut, player, *map(bytes.fromhex, (promise, key, signature)))
        case PromisesEnded():
            return cut.end_promises(pending_cut)
        case CutRevealed(_, player, reveal):
            return cut.reveal(pending_cut, player, bytes.fromhex(reveal))


def require_accepted(outcome: Cut | Refusal) -> Cut:
    if isinstance(outcome, Refusal):
        raise Unreadable(f"the cut refuses what was written: {outcome}")
    return outcome


class ShoeLogs:
    """The shoe logs of all tables but those for practice; each act gives the batch that makes it true."""

    def __init__(self, journal: Journal, key: SigningKey, house: str) -> None:
        self._journal, self._key, self._house = journal, key, house
        self.logs: dict[str, ShoeLog] = {}
        self.sealed_heads: dict[str, Head] = {}

    def recover(self, records: Sequence[Record], snapshot: Snapshot | None = None) -> ShoeLog:
        """Fold one public stream, from its first record or from the one that a snapshot was taken at; ends of the
        secret ones and the sealed shoes of `digests` are brought apart.
        """
        log = self.get_log(records[0].stream.removeprefix(PUBLIC))
        log.replay(records, snapshot)
        self._journal.resume(records)
        return log

    def take_snapshot(self, table: str, *, stays: bool) -> Snapshot:
        """A log as it is with all that was decided; what it could prove of older records is let go: documents read it
        from the store.
        """
        log, stream = self.get_log(table), f"{PUBLIC}{table}"
        head = self._journal.head(stream)
        log.chain.reset(log.chain.base)
        return Snapshot(stream, head.seq, log.encode_snapshot(head.hash), log.newest_shoe if stays else None)

    def count_records(self, table: str) -> int:
        """How many records the public stream of a table has."""
        return self._journal.head(f"{PUBLIC}{table}").seq

    def get_log(self, table: str) -> ShoeLog:
        if table not in self.logs:
            self.logs[table] = ShoeLog(self._house, table)
        return self.logs[table]

    def commit(
        self, commitment: Commitment, shoe: SealedShoe, players: tuple[PlayerId, ...], solo: bool, at: int
    ) -> Batch:
        """The sealed shoe and its commitment, in one batch: nothing is promised that is not kept."""
        self.get_log(commitment.table).add_sealed(commitment.shoe, shoe)
        entry, stream = encode_event(ShoeSealed(commitment.shoe, shoe.to_bytes().hex())), f"{SECRET}{commitment.table}"
        secret, self.sealed_heads[stream] = chain_events(self.sealed_heads.get(stream, Head()), stream, at, [entry])
        event = ShoeCommitted(commitment.shoe, players, solo, commitment.to_dict())
        return Batch(records=(*secret, *self._record(commitment.table, at, [event])))

    def promise(
        self, table: str, player: PlayerId, digest: bytes, at: int, key: bytes = b"", signature: bytes = b""
    ) -> Batch | Refusal:
        shoe = self.get_log(table).newest_shoe
        return self._record_cut(table, CutPromised(shoe, player, digest.hex(), key.hex(), signature.hex()), at)

    def reveal(self, table: str, player: PlayerId, entropy: bytes, at: int) -> Batch | Refusal:
        return self._record_cut(table, CutRevealed(self.get_log(table).newest_shoe, player, entropy.hex()), at)

    def acknowledge(self, table: str, player: PlayerId, kind: str, promise: bytes, at: int) -> Acknowledgement:
        """What the house signs for a promise or a reveal that it took."""
        log = self.get_log(table)
        taken = Taken(self._house, table, log.newest_shoe, log.digests[log.newest_shoe], player, kind, promise, at)
        return sign(Acknowledgement, self._key, taken)

    def sign_promises(self, table: str) -> SignedPromises | None:
        """All promises of the newest shoe in the order in which they came, once no other is taken; None without any."""
        log = self.get_log(table)
        if log.pending is None or log.pending.cut.phase is not Phase.REVEALS or not log.pending.cut.promises:
            return None
        promises = tuple(Promise(*entry) for entry in log.pending.cut.promises.items())
        shoe = log.newest_shoe
        return sign(SignedPromises, self._key, PromiseList(self._house, table, shoe, log.digests[shoe], promises))

    def _record_cut(self, table: str, event: CutPromised | CutRevealed, at: int) -> Batch | Refusal:
        """What a player sends to the cut, or why it is not taken."""
        pending = self.get_log(table).pending
        if pending is None or pending.entropy:
            return CutNotOpen("promise" if isinstance(event, CutPromised) else "reveal", "no-shoe")
        outcome = _evolve_cut(pending.cut, event)
        return outcome if isinstance(outcome, Refusal) else Batch(records=self._record(table, at, [event]))

    def end_promises(self, table: str, at: int) -> Batch:
        pending = self.get_log(table).pending
        assert pending is not None
        return Batch(records=self._record(table, at, [PromisesEnded(pending.cut.commitment.shoe)]))

    def close(self, table: str, sheet: Sheet, supplied: bytes, at: int, beacon: bytes = b"") -> Batch:
        """End the cut; `supplied` are bytes of the house, taken only where nobody else sent any, and marked."""
        pending = self.get_log(table).pending
        assert pending is not None
        is_cut = bool(beacon or pending.cut.reveals)
        pending_cut = pending.cut if is_cut else require_accepted(cut.supply(pending.cut, supplied))
        event = _close_cut(pending.cut.commitment.shoe, pending_cut, sheet, beacon)
        return Batch(records=self._record(table, at, [event]))

    def record_table_events(self, table: Table, events: Iterable[Event], at: int) -> tuple[Record, ...]:
        """The records of what a table has done: rounds that ended, shoes that retired or were discarded."""
        log, listed = self.logs.get(table.id), list(events)
        if log is None:
            return ()
        if not any(isinstance(event, _ROUND_ENDS) for event in listed):
            if log.opening:
                log.log += listed
            return ()
        shoe_events: list[ShoeLogEvent] = []
        for event in listed:
            if isinstance(event, BettingEnded):
                log.opening, log.log = table, []
            before, table = table, evolve(table, event)
            log.log.append(event)
            if isinstance(event, RoundSettled | RoundVoided) and log.opening:
                shoe_events.append(_chain_round(log.opening, log.log, before, table))
                log.opening, log.log = None, []
            elif isinstance(event, ShoeRetired) and event.number in log.digests:
                retired = CUT_CARD if before.shoe and before.shoe.is_out else CLOSED
                shoe_events.append(self._open_shoe(log, event.number, retired))
            elif isinstance(event, TableClosed) and log.newest_shoe > table.shoes:
                shoe_events += self._discard_shoe(log, table.sheet)
        return self._record(table.id, at, shoe_events) if shoe_events else ()

    def _discard_shoe(self, log: ShoeLog, sheet: Sheet) -> list[ShoeLogEvent]:
        """A shoe that was committed to and never came to its table: cut by what had come and opened, not hidden."""
        pending, shoe = log.pending, log.newest_shoe
        assert pending is not None
        events: list[ShoeLogEvent] = []
        if pending.entropy is None:
            pending_cut = pending.cut
            if pending_cut.phase is Phase.PROMISES:
                events.append(PromisesEnded(shoe))
                pending_cut = require_accepted(cut.end_promises(pending_cut))
            events.append(_close_cut(shoe, pending_cut, sheet))
        return [*events, self._open_shoe(log, shoe, CLOSED)]

    def _open_shoe(self, log: ShoeLog, number: int, retired: str) -> ShoeOpened:
        body = open_shoe(log.get_shoe(number), retired).to_dict()
        return ShoeOpened(number, retired, receipts.hash_record(receipts.OPENING, log.digests[number], body).hex())

    def _record(self, table: str, at: int, events: Sequence[ShoeLogEvent]) -> tuple[Record, ...]:
        """Apply and write; whatever is chained is signed in the same batch, so no receipt is ever taken back."""
        log, listed = self.get_log(table), list(events)
        for event in events:
            log.apply(event)
        if any(isinstance(event, _CHAINED) for event in events):
            log.receipt = log.chain.sign_receipt(self._key, at)
            listed.append(ReceiptSigned(log.receipt.to_dict()))
        return self._journal.write(f"{PUBLIC}{table}", at, listed)


def _close_cut(shoe: int, pending_cut: Cut, sheet: Sheet, beacon: bytes = b"") -> ShoeCut:
    closed = cut.close(pending_cut, sheet, beacon)
    if isinstance(closed, Refusal):
        raise LookupError(str(closed))
    return ShoeCut(shoe, closed.entropy.to_dict())


def _chain_round(opening: Table, events: list[Event], before: Table, after: Table) -> RoundChained:
    """The record of a round that has just ended with the last event of its log."""
    if opening.shoe is None or before.shoe is None or before.round is None:
        raise LookupError(f"{opening.id}: a round without a shoe")
    code, first, last = before.round.code, opening.shoe.position, events[-1]
    if isinstance(last, RoundVoided):
        back = [{"player": who, "bet": "void", "stake": amount, "returned": amount} for who, amount in last.refunds]
        record = make_void_record(
            code, first, before.shoe.cards[first : before.shoe.position], back, last.by, last.reason
        )
    else:
        lines, scenario = write_bets(list_lines(after, events), after), extract_scenario(opening, events)
        record = make_played_record(
            code, first, scenario if opening.sheet.game.solo else hide_balances(scenario, lines), lines
        )
    return RoundChained(opening.shoe.number, dict(record.body))
