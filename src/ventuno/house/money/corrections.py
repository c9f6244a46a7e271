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
from ventuno.house.money import correction_records
from ventuno.house.money.cashier import Bank
from ventuno.house.money.correction_records import (
    STREAM,
    AmountUnfit,
    CorrectionEvent,
    CorrectionMade,
    CorrectionProposed,
    CorrectionState,
    CorrectionWaiting,
    CorrectionWithdrawn,
    NoSuchCorrection,
    NotInRound,
    Overdrawn,
    OwnMoney,
    Proposal,
    SamePerson,
)
from ventuno.house.store.audit_log import AuditLog, Corrected, CorrectionAsked
from ventuno.house.store.records import Batch, PostingRow, Record, RoundRow, ShareRow
from ventuno.house.store.signing_key import SigningKey
from ventuno.house.store.streams import Journal

MAX_AMOUNT = 100_000_000_000
"""Cents that one correction moves for one player at most: far above any win, far below what JSON can carry."""


class CorrectionLine(NamedTuple):
    """A correction as it stands beside a round."""

    number: int
    at: int
    player: PlayerId
    amount: Cents
    reason: str


@dataclass(frozen=True, slots=True)
class ProposedCorrection:
    number: int
    expires: int
    batch: Batch


class Corrections:
    """`bank` is the authority, asked for its wallet each time: bets are paid from the same one."""

    def __init__(self, journal: Journal, audit: AuditLog, bank: Bank, key: SigningKey, house: str) -> None:
        self._journal, self._audit, self._bank, self._key, self._house = journal, audit, bank, key, house
        self.state = CorrectionState()

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
    ) -> ProposedCorrection | Refusal:
        """One supervisor says what is due. Nothing moves yet."""
        if not amounts or any(type(entry) is not int or not 0 < abs(entry) <= MAX_AMOUNT for entry in amounts.values()):
            return AmountUnfit(f"{', '.join(map(str, amounts.values())) or 'nothing'} was asked")
        present = {entry.player for entry in shares if entry.code == row.code}
        if strangers := [player for player in amounts if player not in present]:
            return NotInRound(strangers[0], row.code)
        if by in amounts:
            return OwnMoney(by)
        if waiting := next((entry for entry in self.list_waiting(at) if entry.event.code == row.code), None):
            return CorrectionWaiting(waiting.event.number, row.code)
        event = CorrectionProposed(self.state.last + 1, row.code, row.game, by, dict(sorted(amounts.items())), reason)
        noted = self._audit.write(at, CorrectionAsked(row.code, by, event.number, "proposed", reason))
        return ProposedCorrection(
            event.number, at + correction_records.EXPIRES, Batch(records=(*self._record(at, event), *noted))
        )

    def withdraw(self, by: PlayerId, number: int, reason: str, at: int) -> Batch | Refusal:
        """Any supervisor takes a proposal off the desk."""
        proposal = self._find_waiting(number, at)
        if proposal is None:
            return NoSuchCorrection(number)
        noted = self._audit.write(at, CorrectionAsked(proposal.event.code, by, number, "withdrawn", reason))
        return Batch(records=(*self._record(at, CorrectionWithdrawn(number, by)), *noted))

    def confirm(self, by: PlayerId, number: int, at: int) -> Batch | Refusal:
        """Another supervisor says the same: it is signed, and the money moves."""
        proposal = self._find_waiting(number, at)
        if proposal is None:
            return NoSuchCorrection(number)
        asked = proposal.event
        if by == asked.by:
            return SamePerson(by)
        if by in asked.amounts:
            return OwnMoney(by)
        for player, amount in asked.amounts.items():
            if (free := self._bank.wallet.balance(f"player:{player}")) + amount < 0:
                return Overdrawn(player, -amount, free)
        content = (number, self._house, asked.code, asked.game, asked.amounts, asked.reason)
        correction_made = correction_records.sign(CorrectionMade(*content, first=asked.by, second=by, at=at), self._key)
        moved = correction_records.make_postings(correction_made)
        self._bank.wallet.post(moved)
        records = self._record(at, correction_made)
        rows = tuple(PostingRow(records[0].stream, records[0].seq, *_fields(posting)) for posting in moved)
        noted = self._audit.write(at, Corrected(asked.code, asked.by, by, asked.reason))
        return Batch(records=(*records, *noted), postings=rows)

    def list_waiting(self, at: int) -> list[Proposal]:
        """What waits for a second person now, oldest first."""
        return [proposal for proposal in self.state.waiting.values() if not proposal.is_expired(at)]

    def list_for_round(self, code: str, player: PlayerId = "") -> tuple[CorrectionLine, ...]:
        """The corrections of a round, of one player or of all, oldest first."""
        return tuple(
            CorrectionLine(correction_made.number, correction_made.at, who, amount, correction_made.reason)
            for correction_made in self.state.made
            if correction_made.code == code
            for who, amount in correction_made.amounts.items()
            if player in ("", who)
        )

    def _find_waiting(self, number: int, at: int) -> Proposal | None:
        proposal = self.state.waiting.get(number)
        return None if proposal is None or proposal.is_expired(at) else proposal

    def _record(self, at: int, event: CorrectionEvent) -> tuple[Record, ...]:
        self.state = correction_records.evolve(self.state, event, at)
        return self._journal.write(STREAM, at, [event])


def _fields(posting: Posting) -> tuple[str, Cents, str, str]:
    return posting.account, posting.amount, posting.criterion, posting.arithmetic
