"""Where the cards of a table come from: commitment, cut, rounds and opening of every shoe, chained and signed (X-01).

`shoes:TABLE` is for everybody and holds nothing that is not shown yet. `sealed:TABLE` holds the sealed shoes, each in
the record of its own number; it never leaves the house.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, assert_never, get_args

from ventuno.core.enactment import Performance, settlement
from ventuno.core.events import BettingEnded, Event, RoundSettled, RoundVoided, ShoeRetired
from ventuno.core.money import PlayerId
from ventuno.core.record import recorded
from ventuno.core.refusals import Refusal
from ventuno.core.sheet import Sheet
from ventuno.core.state import Table
from ventuno.core.table import evolve
from ventuno.house.books import codec
from ventuno.house.books.journal import Journal
from ventuno.house.books.records import Batch, Head, Record, append
from ventuno.house.shoes import commitment, cut, receipts
from ventuno.house.shoes.commitment import FIRST, Commitment, SealedShoe, restored
from ventuno.house.shoes.cut import Cut, CutNotOpen, Entropy
from ventuno.house.shoes.dossier import discreet, played, voided
from ventuno.house.shoes.opening import CLOSED, CUT_CARD, opened
from ventuno.house.shoes.receipts import Chain, Receipt
from ventuno.house.shoes.sealed import Sealed
from ventuno.house.shoes.signature import SigningKey

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


TrailEvent: TypeAlias = (
    ShoeCommitted | CutPromised | PromisesEnded | CutRevealed | ShoeCut | RoundChained | ShoeOpened | ReceiptSigned
)
read: Callable[[str, bytes], TrailEvent] = codec.reader(get_args(TrailEvent))
read_sealed: Callable[[str, bytes], ShoeSealed] = codec.reader([ShoeSealed])
_CHAINED = (ShoeCommitted, ShoeCut, RoundChained, ShoeOpened)
_MARKS = (BettingEnded, RoundSettled, RoundVoided, ShoeRetired)


class Making(NamedTuple):
    """A shoe that is committed and not loaded yet; `entropy` once its cut is closed."""

    cut: Cut
    entropy: Entropy | None = None


class Trail(Sealed):
    """One table's stream folded: its chain, the shoe in the making, the sealed shoes in use, the round being played."""

    __slots__ = ("_sealed", "chain", "digests", "log", "making", "opening", "previous", "receipt")

    def __init__(self, house: str, table: str) -> None:
        self.chain = Chain(house, table)
        self.previous = FIRST
        self.making: Making | None = None
        self.receipt: Receipt | None = None
        self.digests: dict[int, bytes] = {}
        self.opening: Table | None = None
        self.log: list[Event] = []
        self._sealed: dict[int, SealedShoe | bytes] = {}

    def keep(self, number: int, shoe: SealedShoe | bytes) -> None:
        self._sealed[number] = shoe

    def shoe(self, number: int) -> SealedShoe:
        held = self._sealed[number]
        return restored(held) if isinstance(held, bytes) else held

    def apply(self, event: TrailEvent) -> None:
        match event:
            case ShoeCommitted(shoe, players, solo, body):
                made = commitment.read(body)
                self.digests[shoe] = self.previous = made.digest
                self.making = Making(_accepted(cut.publish(Cut(made, players, solo))))
                self.chain.append(receipts.record(receipts.COMMITMENT, made.digest, body))
            case CutPromised(_, player, promise):
                self._cut(lambda held: cut.promise(held, player, bytes.fromhex(promise)))
            case PromisesEnded():
                self._cut(cut.end_promises)
            case CutRevealed(_, player, reveal):
                self._cut(lambda held: cut.reveal(held, player, bytes.fromhex(reveal)))
            case ShoeCut(shoe, body):
                if self.making:
                    self.making = self.making._replace(entropy=cut.read(body))
                self.chain.append(receipts.record(receipts.ENTROPY, self.digests[shoe], body))
            case RoundChained(shoe, body):
                self.chain.append(receipts.record(receipts.ROUND, self.digests[shoe], body))
            case ShoeOpened(shoe, _, hashed):
                self.chain.append(bytes.fromhex(hashed))
                self.digests.pop(shoe)
                self._sealed.pop(shoe, None)
            case ReceiptSigned(receipt):
                self.receipt = receipts.read(receipt)
            case _:
                assert_never(event)

    def _cut(self, how: Callable[[Cut], Cut | Refusal]) -> None:
        if self.making is None:
            raise LookupError("no shoe is being cut")
        self.making = self.making._replace(cut=_accepted(how(self.making.cut)))


def _accepted(outcome: Cut | Refusal) -> Cut:
    if isinstance(outcome, Refusal):
        raise codec.Unreadable(f"the cut refuses what was written: {outcome.detail}")
    return outcome


class Provenance:
    """The trails of all tables but those for practice; each act gives the batch that makes it true."""

    def __init__(self, journal: Journal, key: SigningKey, house: str) -> None:
        self._journal, self._key, self._house = journal, key, house
        self.trails: dict[str, Trail] = {}
        self.secrets: dict[str, Head] = {}

    def recover(self, records: Sequence[Record]) -> None:
        """Fold one public stream; ends of the secret ones and the sealed shoes of `digests` are brought apart."""
        self._journal.resume(records)
        trail = self.trail(records[0].stream.removeprefix(PUBLIC))
        for record in records:
            trail.apply(read(record.kind, record.body))

    def trail(self, table: str) -> Trail:
        if table not in self.trails:
            self.trails[table] = Trail(self._house, table)
        return self.trails[table]

    def commit(self, made: Commitment, shoe: SealedShoe, players: tuple[PlayerId, ...], solo: bool, at: int) -> Batch:
        """The sealed shoe and its commitment, in one batch: nothing is promised that is not kept."""
        self.trail(made.table).keep(made.shoe, shoe)
        entry, stream = codec.encode(ShoeSealed(made.shoe, shoe.kept().hex())), f"{SECRET}{made.table}"
        secret, self.secrets[stream] = append(self.secrets.get(stream, Head()), stream, at, [entry])
        event = ShoeCommitted(made.shoe, players, solo, made.plain())
        return Batch(records=(*secret, *self._written(made.table, at, [event])))

    def promise(self, table: str, player: PlayerId, digest: bytes, at: int) -> Batch | Refusal:
        making = self.trail(table).making
        if making is None or making.entropy:
            return CutNotOpen("promise", "no shoe is being cut")
        outcome = cut.promise(making.cut, player, digest)
        event = CutPromised(making.cut.commitment.shoe, player, digest.hex())
        return outcome if isinstance(outcome, Refusal) else Batch(records=self._written(table, at, [event]))

    def end_promises(self, table: str, at: int) -> Batch:
        making = self.trail(table).making
        assert making is not None
        return Batch(records=self._written(table, at, [PromisesEnded(making.cut.commitment.shoe)]))

    def reveal(self, table: str, player: PlayerId, entropy: bytes, at: int) -> Batch | Refusal:
        making = self.trail(table).making
        if making is None or making.entropy:
            return CutNotOpen("reveal", "no shoe is being cut")
        outcome = cut.reveal(making.cut, player, entropy)
        event = CutRevealed(making.cut.commitment.shoe, player, entropy.hex())
        return outcome if isinstance(outcome, Refusal) else Batch(records=self._written(table, at, [event]))

    def close(self, table: str, sheet: Sheet, supplied: bytes, at: int) -> Batch:
        """End the cut; `supplied` are bytes of the house, taken only where no player sent any, and marked."""
        making = self.trail(table).making
        assert making is not None
        held = making.cut if making.cut.reveals else _accepted(cut.supply(making.cut, supplied))
        closed = cut.close(held, sheet)
        if isinstance(closed, Refusal):
            raise LookupError(closed.detail)
        event = ShoeCut(making.cut.commitment.shoe, closed.entropy.plain())
        return Batch(records=self._written(table, at, [event]))

    def follow(self, table: Table, events: Iterable[Event], at: int) -> tuple[Record, ...]:
        """The records of what a table has done: rounds that ended, shoes that retired."""
        trail, listed = self.trails.get(table.id), list(events)
        if trail is None:
            return ()
        if not any(isinstance(event, _MARKS) for event in listed):
            if trail.opening:
                trail.log += listed
            return ()
        made: list[TrailEvent] = []
        for event in listed:
            if isinstance(event, BettingEnded):
                trail.opening, trail.log = table, []
            before, table = table, evolve(table, event)
            trail.log.append(event)
            if isinstance(event, RoundSettled | RoundVoided) and trail.opening:
                made.append(_chained(trail.opening, trail.log, before, table))
                trail.opening, trail.log = None, []
            elif isinstance(event, ShoeRetired) and event.number in trail.digests:
                retired = CUT_CARD if before.shoe and before.shoe.is_out else CLOSED
                made.append(self._opened(trail, event.number, retired))
        return self._written(table.id, at, made) if made else ()

    def _opened(self, trail: Trail, number: int, retired: str) -> ShoeOpened:
        body = opened(trail.shoe(number), retired).plain()
        return ShoeOpened(number, retired, receipts.record(receipts.OPENING, trail.digests[number], body).hex())

    def _written(self, table: str, at: int, events: Sequence[TrailEvent]) -> tuple[Record, ...]:
        """Apply and write; whatever is chained is signed in the same batch, so no receipt is ever taken back."""
        trail, listed = self.trail(table), list(events)
        for event in events:
            trail.apply(event)
        if any(isinstance(event, _CHAINED) for event in events):
            signed = ReceiptSigned(trail.chain.receipt(self._key, at).plain())
            trail.apply(signed)
            listed.append(signed)
        return self._journal.write(f"{PUBLIC}{table}", at, listed)


def _chained(opening: Table, log: list[Event], before: Table, after: Table) -> RoundChained:
    """The record of a round that has just ended with the last event of its log."""
    if opening.shoe is None or before.shoe is None or before.round is None:
        raise LookupError(f"{opening.id}: a round without a shoe")
    code, first, last = before.round.code, opening.shoe.position, log[-1]
    if isinstance(last, RoundVoided):
        back = [{"player": who, "bet": "void", "stake": amount, "returned": amount} for who, amount in last.refunds]
        made = voided(code, first, before.shoe.cards[first : before.shoe.position], back, last.by, last.reason)
    else:
        lines, scenario = settlement(Performance(tuple(log), after, {}))["bets"], recorded(opening, log)
        made = played(code, first, scenario if opening.sheet.game.solo else discreet(scenario, lines), lines)
    return RoundChained(opening.shoe.number, dict(made.body))
