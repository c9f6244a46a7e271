"""Redress: the desk at which two supervisors put a settled round right (R-08).

Every act is one batch: the record, its postings, and the line in the audit log, or none of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.ledger import Posting
from ventuno.house.history.audit import Audit, Corrected, CorrectionAsked
from ventuno.house.money import correction_records
from ventuno.house.money.cashier import Bank
from ventuno.house.money.correction_records import (
    STREAM,
    AmountUnfit,
    CorrectionEvent,
    CorrectionMade,
    CorrectionProposed,
    CorrectionWaiting,
    CorrectionWithdrawn,
    NoSuchCorrection,
    NotInRound,
    Overdrawn,
    OwnMoney,
    Proposal,
    SamePerson,
    State,
)
from ventuno.house.shoes.signature import SigningKey
from ventuno.house.store.records import Batch, PostingRow, Record, RoundRow, ShareRow
from ventuno.house.store.streams import Journal

MOST = 100_000_000_000
"""Cents that one correction moves for one player at most: far above any win, far below what JSON can carry."""


class CorrectionLine(NamedTuple):
    """A correction as it stands beside a round."""

    number: int
    at: int
    player: PlayerId
    amount: Cents
    reason: str


@dataclass(frozen=True, slots=True)
class Proposed:
    number: int
    expires: int
    batch: Batch


class Redress:
    """`bank` is the authority, asked for its wallet each time: bets are paid from the same one."""

    def __init__(self, journal: Journal, audit: Audit, bank: Bank, key: SigningKey, house: str) -> None:
        self._journal, self._audit, self._bank, self._key, self._house = journal, audit, bank, key, house
        self.state = State()

    def recover(self, records: Sequence[Record]) -> None:
        """Come back from what was committed; Unreadable where a signature does not hold."""
        self._journal.resume(records)
        for record in records:
            self.state = correction_records.evolve(
                self.state, correction_records.read(record.kind, record.body), record.at
            )

    def propose(
        self,
        by: PlayerId,
        row: RoundRow,
        shares: Iterable[ShareRow],
        amounts: Mapping[PlayerId, Cents],
        reason: str,
        at: int,
    ) -> Proposed | Refusal:
        """One supervisor says what is due. Nothing moves yet."""
        if not amounts or any(type(one) is not int or not 0 < abs(one) <= MOST for one in amounts.values()):
            return AmountUnfit(f"{', '.join(map(str, amounts.values())) or 'nothing'} was asked")
        present = {one.player for one in shares if one.code == row.code}
        if strangers := [player for player in amounts if player not in present]:
            return NotInRound(strangers[0], row.code)
        if by in amounts:
            return OwnMoney(by)
        if waits := next((one for one in self.waiting(at) if one.event.code == row.code), None):
            return CorrectionWaiting(waits.event.number, row.code)
        event = CorrectionProposed(self.state.last + 1, row.code, row.game, by, dict(sorted(amounts.items())), reason)
        noted = self._audit.note(at, CorrectionAsked(row.code, by, event.number, "proposed", reason))
        return Proposed(
            event.number, at + correction_records.EXPIRES, Batch(records=(*self._written(at, event), *noted))
        )

    def withdraw(self, by: PlayerId, number: int, reason: str, at: int) -> Batch | Refusal:
        """Any supervisor takes a proposal off the desk."""
        held = self._held(number, at)
        if held is None:
            return NoSuchCorrection(number)
        noted = self._audit.note(at, CorrectionAsked(held.event.code, by, number, "withdrawn", reason))
        return Batch(records=(*self._written(at, CorrectionWithdrawn(number, by)), *noted))

    def confirm(self, by: PlayerId, number: int, at: int) -> Batch | Refusal:
        """Another supervisor says the same: it is signed, and the money moves."""
        held = self._held(number, at)
        if held is None:
            return NoSuchCorrection(number)
        asked = held.event
        if by == asked.by:
            return SamePerson(by)
        if by in asked.amounts:
            return OwnMoney(by)
        for player, amount in asked.amounts.items():
            if (free := self._bank.wallet.balance(f"player:{player}")) + amount < 0:
                return Overdrawn(player, -amount, free)
        said = (number, self._house, asked.code, asked.game, asked.amounts, asked.reason)
        made = correction_records.signed(CorrectionMade(*said, first=asked.by, second=by, at=at), self._key)
        moved = correction_records.postings(made)
        self._bank.wallet.post(moved)
        records = self._written(at, made)
        rows = tuple(PostingRow(records[0].stream, records[0].seq, *_fields(one)) for one in moved)
        noted = self._audit.note(at, Corrected(asked.code, asked.by, by, asked.reason))
        return Batch(records=(*records, *noted), postings=rows)

    def waiting(self, at: int) -> list[Proposal]:
        """What waits for a second person now, oldest first."""
        return [one for one in self.state.waiting.values() if not one.expired(at)]

    def beside(self, code: str, player: PlayerId = "") -> tuple[CorrectionLine, ...]:
        """The corrections of a round, of one player or of all, oldest first."""
        return tuple(
            CorrectionLine(made.number, made.at, who, amount, made.reason)
            for made in self.state.made
            if made.code == code
            for who, amount in made.amounts.items()
            if player in ("", who)
        )

    def _held(self, number: int, at: int) -> Proposal | None:
        held = self.state.waiting.get(number)
        return None if held is None or held.expired(at) else held

    def _written(self, at: int, event: CorrectionEvent) -> tuple[Record, ...]:
        self.state = correction_records.evolve(self.state, event, at)
        return self._journal.write(STREAM, at, [event])


def _fields(posting: Posting) -> tuple[str, Cents, str, str]:
    return posting.account, posting.amount, posting.criterion, posting.arithmetic
