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
from ventuno.house.shoes.commitment import FIRST, SealedShoe, restored
from ventuno.house.shoes.cut import Cut, Entropy
from ventuno.house.shoes.receipts import Base, Chain, Receipt
from ventuno.house.shoes.secrets import Sealed
from ventuno.house.store import codec
from ventuno.house.store.records import Record
from ventuno.house.store.store import Snapshot
from ventuno.house.store.streams import tail_of

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
TrailEvent: TypeAlias = ShoeEvent | RoundChained | ShoeOpened | ReceiptSigned
read: Callable[[str, bytes], TrailEvent] = codec.reader(get_args(TrailEvent))
read_sealed: Callable[[str, bytes], ShoeSealed] = codec.reader([ShoeSealed])


class Making(NamedTuple):
    """A shoe that is committed and not loaded yet; `entropy` once its cut is closed."""

    cut: Cut
    entropy: Entropy | None = None


class Kept(NamedTuple):
    """A trail in a snapshot: public, as its stream is. `hash` is that of the record it was taken at."""

    hash: str
    base: Base
    previous: bytes
    open: list[int]
    receipt: dict[str, Any] | None
    events: list[tuple[str, msgspec.Raw]]


class Trail(Sealed):
    """One table's stream folded: its chain, the shoe in the making, the sealed shoes in use, the round being played."""

    __slots__ = ("_needed", "_sealed", "chain", "digests", "log", "making", "opening", "previous", "receipt")

    def __init__(self, house: str, table: str) -> None:
        self.chain = Chain(house, table)
        self.previous = FIRST
        self.making: Making | None = None
        self.receipt: Receipt | None = None
        self.digests: dict[int, bytes] = {}
        self.opening: Table | None = None
        self.log: list[Event] = []
        self._sealed: dict[int, SealedShoe | bytes] = {}
        self._needed: dict[int, list[ShoeEvent]] = {}

    @property
    def newest(self) -> int:
        """The number of the last shoe that was committed to."""
        return self.making.cut.commitment.shoe if self.making else 0

    @property
    def needed(self) -> list[ShoeEvent]:
        """What was said of the newest shoe and of those that are not opened yet."""
        return [event for events in self._needed.values() for event in events]

    def frozen(self, hashed: bytes) -> bytes:
        """The fold up to the record of this hash, without the sealed shoes and the open round."""
        events = [(kind, msgspec.Raw(body)) for kind, body in map(codec.encode, self.needed)]
        receipt = self.receipt.plain() if self.receipt else None
        return msgspec.json.encode(Kept(hashed.hex(), self.chain.base, self.previous, [*self.digests], receipt, events))

    def thaw(self, kept: Kept) -> None:
        for kind, body in kept.events:
            self._folded(read(kind, body))
        self.digests = {shoe: digest for shoe, digest in self.digests.items() if shoe in kept.open}
        self.previous, self.receipt = kept.previous, receipts.read(kept.receipt) if kept.receipt else None
        self.chain.rest_on(kept.base)

    def unfold(self, records: Sequence[Record], snapshot: Snapshot | None = None) -> None:
        """All that these records say; where a snapshot was taken at the first of them, on top of that."""
        if snapshot:
            kept = codec.typed(snapshot.body, Kept)
            tail_of(records, snapshot, kept.hash)
            self.thaw(kept)
        for record in records[1:] if snapshot else records:
            self.apply(read(record.kind, record.body))

    def keep(self, number: int, shoe: SealedShoe | bytes) -> None:
        self._sealed[number] = shoe

    def shoe(self, number: int) -> SealedShoe:
        held = self._sealed[number]
        return restored(held) if isinstance(held, bytes) else held

    def apply(self, event: TrailEvent) -> None:
        if hashed := self._folded(event):
            self.chain.append(hashed)

    def _folded(self, event: TrailEvent) -> bytes | None:
        """What an event changes beside the chain; gives its hash where it is chained."""
        if not isinstance(event, RoundChained | ShoeOpened | ReceiptSigned):
            self._needed.setdefault(event.shoe, []).append(event)
        match event:
            case ShoeCommitted(shoe, players, solo, body):
                made = commitment.read(body)
                self.digests[shoe] = self.previous = made.digest
                self.making = Making(accepted(cut.publish(Cut(made, players, solo))))
                self._needed = {number: said for number, said in self._needed.items() if number in self.digests}
                return receipts.record(receipts.COMMITMENT, made.digest, body)
            case CutPromised(_, player, promise):
                self._cut(lambda held: cut.promise(held, player, bytes.fromhex(promise)))
            case PromisesEnded():
                self._cut(cut.end_promises)
            case CutRevealed(_, player, reveal):
                self._cut(lambda held: cut.reveal(held, player, bytes.fromhex(reveal)))
            case ShoeCut(shoe, body):
                if self.making:
                    self.making = self.making._replace(entropy=cut.read(body))
                return receipts.record(receipts.ENTROPY, self.digests[shoe], body)
            case RoundChained(shoe, body):
                return receipts.record(receipts.ROUND, self.digests[shoe], body)
            case ShoeOpened(shoe, _, hashed):
                self.digests.pop(shoe)
                self._sealed.pop(shoe, None)
                return bytes.fromhex(hashed)
            case ReceiptSigned(receipt):
                self.receipt = receipts.read(receipt)
            case _:
                assert_never(event)
        return None

    def _cut(self, how: Callable[[Cut], Cut | Refusal]) -> None:
        if self.making is None:
            raise LookupError("no shoe is being cut")
        self.making = self.making._replace(cut=accepted(how(self.making.cut)))


def accepted(outcome: Cut | Refusal) -> Cut:
    if isinstance(outcome, Refusal):
        raise codec.Unreadable(f"the cut refuses what was written: {outcome.detail}")
    return outcome
