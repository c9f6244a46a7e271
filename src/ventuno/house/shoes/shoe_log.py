"""Where the cards come from: commitment, cut, rounds and opening of every shoe, chained and signed (X-01)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ventuno.core.messages.events import BettingEnded, Event, RoundSettled, RoundVoided, ShoeRetired
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.scenario.recorder import extract_scenario
from ventuno.core.scenario.runner import PlayedScenario, write_settlement
from ventuno.core.table.fold import evolve
from ventuno.core.table.state import Table
from ventuno.house.shoes import cut, receipts
from ventuno.house.shoes.commitment import Commitment, SealedShoe
from ventuno.house.shoes.cut import CutNotOpen
from ventuno.house.shoes.opening import CLOSED, CUT_CARD, open_shoe
from ventuno.house.shoes.shoe_document import hide_balances, make_played_record, make_void_record
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
    ShoeLog,
    ShoeLogEvent,
    ShoeOpened,
    ShoeSealed,
    require_accepted,
)
from ventuno.house.store import codec
from ventuno.house.store.records import Batch, Head, Record, chain_events
from ventuno.house.store.signing_key import SigningKey
from ventuno.house.store.store import Snapshot
from ventuno.house.store.streams import Journal

_CHAINED = (ShoeCommitted, ShoeCut, RoundChained, ShoeOpened)
_MARKS = (BettingEnded, RoundSettled, RoundVoided, ShoeRetired)


class ShoeLogs:
    """The trails of all tables but those for practice; each act gives the batch that makes it true."""

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
        """A trail as it is with all that was decided; what it could prove of older records is let go: papers read it
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
        entry, stream = codec.encode(ShoeSealed(commitment.shoe, shoe.to_bytes().hex())), f"{SECRET}{commitment.table}"
        secret, self.sealed_heads[stream] = chain_events(self.sealed_heads.get(stream, Head()), stream, at, [entry])
        event = ShoeCommitted(commitment.shoe, players, solo, commitment.to_dict())
        return Batch(records=(*secret, *self._record(commitment.table, at, [event])))

    def promise(self, table: str, player: PlayerId, digest: bytes, at: int) -> Batch | Refusal:
        making = self.get_log(table).pending
        if making is None or making.entropy:
            return CutNotOpen("promise", "no-shoe")
        outcome = cut.promise(making.cut, player, digest)
        event = CutPromised(making.cut.commitment.shoe, player, digest.hex())
        return outcome if isinstance(outcome, Refusal) else Batch(records=self._record(table, at, [event]))

    def end_promises(self, table: str, at: int) -> Batch:
        making = self.get_log(table).pending
        assert making is not None
        return Batch(records=self._record(table, at, [PromisesEnded(making.cut.commitment.shoe)]))

    def reveal(self, table: str, player: PlayerId, entropy: bytes, at: int) -> Batch | Refusal:
        making = self.get_log(table).pending
        if making is None or making.entropy:
            return CutNotOpen("reveal", "no-shoe")
        outcome = cut.reveal(making.cut, player, entropy)
        event = CutRevealed(making.cut.commitment.shoe, player, entropy.hex())
        return outcome if isinstance(outcome, Refusal) else Batch(records=self._record(table, at, [event]))

    def close(self, table: str, sheet: Sheet, supplied: bytes, at: int) -> Batch:
        """End the cut; `supplied` are bytes of the house, taken only where no player sent any, and marked."""
        making = self.get_log(table).pending
        assert making is not None
        pending_cut = making.cut if making.cut.reveals else require_accepted(cut.supply(making.cut, supplied))
        closed = cut.close(pending_cut, sheet)
        if isinstance(closed, Refusal):
            raise LookupError(str(closed))
        event = ShoeCut(making.cut.commitment.shoe, closed.entropy.to_dict())
        return Batch(records=self._record(table, at, [event]))

    def record_table_events(self, table: Table, events: Iterable[Event], at: int) -> tuple[Record, ...]:
        """The records of what a table has done: rounds that ended, shoes that retired."""
        log, listed = self.logs.get(table.id), list(events)
        if log is None:
            return ()
        if not any(isinstance(event, _MARKS) for event in listed):
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
        return self._record(table.id, at, shoe_events) if shoe_events else ()

    def _open_shoe(self, log: ShoeLog, number: int, retired: str) -> ShoeOpened:
        body = open_shoe(log.get_shoe(number), retired).to_dict()
        return ShoeOpened(number, retired, receipts.hash_record(receipts.OPENING, log.digests[number], body).hex())

    def _record(self, table: str, at: int, events: Sequence[ShoeLogEvent]) -> tuple[Record, ...]:
        """Apply and write; whatever is chained is signed in the same batch, so no receipt is ever taken back."""
        log, listed = self.get_log(table), list(events)
        for event in events:
            log.apply(event)
        if any(isinstance(event, _CHAINED) for event in events):
            receipt = ReceiptSigned(log.chain.sign_receipt(self._key, at).to_dict())
            log.apply(receipt)
            listed.append(receipt)
        return self._journal.write(f"{PUBLIC}{table}", at, listed)


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
        lines, scenario = (
            write_settlement(PlayedScenario(tuple(events), after, {}))["bets"],
            extract_scenario(opening, events),
        )
        record = make_played_record(
            code, first, scenario if opening.sheet.game.solo else hide_balances(scenario, lines), lines
        )
    return RoundChained(opening.shoe.number, dict(record.body))
