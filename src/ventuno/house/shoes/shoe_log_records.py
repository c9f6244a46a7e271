"""The trail of one table's cards: what is said of its shoes and rounds, and the fold of it (X-01).

`shoes:TABLE` is for everybody and holds nothing that is not shown yet. `sealed:TABLE` holds the sealed shoes, each in
the record of its own number; it never leaves the house.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, assert_never, get_args

import msgspec

from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.state import Table
from ventuno.house.shoes import commitment, cut, receipts
from ventuno.house.shoes.commitment import FIRST, SealedShoe, restore_shoe
from ventuno.house.shoes.cut import Cut, Entropy
from ventuno.house.shoes.receipts import Base, Chain, Receipt
from ventuno.house.store import codec
from ventuno.house.store.records import Record
from ventuno.house.store.secrets import Secret
from ventuno.house.store.store import Snapshot
from ventuno.house.store.streams import check_tail

PUBLIC, SECRET = "shoes:", "sealed:"


@dataclass(frozen=True, slots=True)
class ShoeSealed:
    """The secret of a shoe, as `SealedShoe.kept` gives it."""

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
read: Callable[[str, bytes], ShoeLogEvent] = codec.make_reader(get_args(ShoeLogEvent))
read_sealed: Callable[[str, bytes], ShoeSealed] = codec.make_reader([ShoeSealed])


class PendingShoe(NamedTuple):
    """A shoe that is committed and not loaded yet; `entropy` once its cut is closed."""

    cut: Cut
    entropy: Entropy | None = None


class StoredShoeLog(NamedTuple):
    """A trail in a snapshot: public, as its stream is. `hash` is that of the record it was taken at."""

    hash: str
    base: Base
    previous: bytes
    open: list[int]
    receipt: dict[str, Any] | None
    events: list[tuple[str, msgspec.Raw]]


class ShoeLog(Secret):
    """One table's stream folded: its chain, the shoe in the making, the sealed shoes in use, the round being played."""

    __slots__ = ("_needed", "_sealed", "chain", "digests", "log", "opening", "pending", "previous", "receipt")

    def __init__(self, house: str, table: str) -> None:
        self.chain = Chain(house, table)
        self.previous = FIRST
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

    @property
    def list_needed_events(self) -> list[ShoeEvent]:
        """What was said of the newest shoe and of those that are not opened yet."""
        return [event for events in self._needed.values() for event in events]

    def encode_snapshot(self, hashed: bytes) -> bytes:
        """The fold up to the record of this hash, without the sealed shoes and the open round."""
        events = [(kind, msgspec.Raw(body)) for kind, body in map(codec.encode, self.list_needed_events)]
        receipt = self.receipt.to_dict() if self.receipt else None
        return msgspec.json.encode(
            StoredShoeLog(hashed.hex(), self.chain.base, self.previous, [*self.digests], receipt, events)
        )

    def restore(self, stored: StoredShoeLog) -> None:
        for kind, body in stored.events:
            self._fold(read(kind, body))
        self.digests = {shoe: digest for shoe, digest in self.digests.items() if shoe in stored.open}
        self.previous, self.receipt = stored.previous, receipts.read(stored.receipt) if stored.receipt else None
        self.chain.reset(stored.base)

    def replay(self, records: Sequence[Record], snapshot: Snapshot | None = None) -> None:
        """All that these records say; where a snapshot was taken at the first of them, on top of that."""
        if snapshot:
            stored = codec.decode(snapshot.body, StoredShoeLog)
            check_tail(records, snapshot, stored.hash)
            self.restore(stored)
        for record in records[1:] if snapshot else records:
            self.apply(read(record.kind, record.body))

    def add_sealed(self, number: int, shoe: SealedShoe | bytes) -> None:
        self._sealed[number] = shoe

    def get_shoe(self, number: int) -> SealedShoe:
        sealed = self._sealed[number]
        return restore_shoe(sealed) if isinstance(sealed, bytes) else sealed

    def apply(self, event: ShoeLogEvent) -> None:
        if hashed := self._fold(event):
            self.chain.append(hashed)

    def _fold(self, event: ShoeLogEvent) -> bytes | None:
        """What an event changes beside the chain; gives its hash where it is chained."""
        if not isinstance(event, RoundChained | ShoeOpened | ReceiptSigned):
            self._needed.setdefault(event.shoe, []).append(event)
        match event:
            case ShoeCommitted(shoe, players, solo, body):
                commitment_made = commitment.read(body)
                self.digests[shoe] = self.previous = commitment_made.digest
                self.pending = PendingShoe(require_accepted(cut.publish(Cut(commitment_made, players, solo))))
                self._needed = {number: events for number, events in self._needed.items() if number in self.digests}
                return receipts.hash_record(receipts.COMMITMENT, commitment_made.digest, body)
            case CutPromised(_, player, promise):
                self._update_cut(lambda pending_cut: cut.promise(pending_cut, player, bytes.fromhex(promise)))
            case PromisesEnded():
                self._update_cut(cut.end_promises)
            case CutRevealed(_, player, reveal):
                self._update_cut(lambda pending_cut: cut.reveal(pending_cut, player, bytes.fromhex(reveal)))
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

    def _update_cut(self, how: Callable[[Cut], Cut | Refusal]) -> None:
        if self.pending is None:
            raise LookupError("no shoe is being cut")
        self.pending = self.pending._replace(cut=require_accepted(how(self.pending.cut)))


def require_accepted(outcome: Cut | Refusal) -> Cut:
    if isinstance(outcome, Refusal):
        raise codec.Unreadable(f"the cut refuses what was written: {outcome}")
    return outcome
