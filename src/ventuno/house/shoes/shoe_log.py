"""Where the cards come from: commitment, cut, rounds and opening of every shoe, chained and signed (X-01)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ventuno.core.messages.events import BettingEnded, Event, RoundSettled, RoundVoided, ShoeRetired
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.scenario.recorder import recorded
from ventuno.core.scenario.runner import Performance, settlement
from ventuno.core.table.fold import evolve
from ventuno.core.table.state import Table
from ventuno.house.shoes import cut, receipts
from ventuno.house.shoes.commitment import Commitment, SealedShoe
from ventuno.house.shoes.cut import CutNotOpen
from ventuno.house.shoes.opening import CLOSED, CUT_CARD, opened
from ventuno.house.shoes.shoe_document import discreet, played, voided
from ventuno.house.shoes.shoe_log_records import (
    PUBLIC,
    SECRET,
    CutPromised,
    CutRevealed,
    PromisesEnded,
    ReceiptSigned,
    RoundChained,
    ShoeCommitted,
    ShoeCut,
    ShoeOpened,
    ShoeSealed,
    Trail,
    TrailEvent,
    accepted,
)
from ventuno.house.shoes.signature import SigningKey
from ventuno.house.store import codec
from ventuno.house.store.records import Batch, Head, Record, append
from ventuno.house.store.store import Snapshot
from ventuno.house.store.streams import Journal

_CHAINED = (ShoeCommitted, ShoeCut, RoundChained, ShoeOpened)
_MARKS = (BettingEnded, RoundSettled, RoundVoided, ShoeRetired)


class Provenance:
    """The trails of all tables but those for practice; each act gives the batch that makes it true."""

    def __init__(self, journal: Journal, key: SigningKey, house: str) -> None:
        self._journal, self._key, self._house = journal, key, house
        self.trails: dict[str, Trail] = {}
        self.secrets: dict[str, Head] = {}

    def recover(self, records: Sequence[Record], snapshot: Snapshot | None = None) -> Trail:
        """Fold one public stream, from its first record or from the one that a snapshot was taken at; ends of the
        secret ones and the sealed shoes of `digests` are brought apart.
        """
        trail = self.trail(records[0].stream.removeprefix(PUBLIC))
        trail.unfold(records, snapshot)
        self._journal.resume(records)
        return trail

    def photograph(self, table: str, *, stays: bool) -> Snapshot:
        """A trail as it is with all that was decided; what it could prove of older records is let go: papers read it
        from the store.
        """
        trail, stream = self.trail(table), f"{PUBLIC}{table}"
        head = self._journal.head(stream)
        trail.chain.rest_on(trail.chain.base)
        return Snapshot(stream, head.seq, trail.frozen(head.hash), trail.newest if stays else None)

    def length(self, table: str) -> int:
        """How many records the public stream of a table has."""
        return self._journal.head(f"{PUBLIC}{table}").seq

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
        held = making.cut if making.cut.reveals else accepted(cut.supply(making.cut, supplied))
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
