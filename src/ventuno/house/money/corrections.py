"""Corrections of settled rounds: proposed by one supervisor, confirmed by another, signed by the house (R-08, H-8).

A settled round stays as it was paid. A correction is a movement of its own between players and the house, in the stream
`corrections`. Each act is one batch: the record, its postings and the entry in the audit log.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import NamedTuple, TypeAlias, assert_never, get_args

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.ledger import Posting
from ventuno.house.money.cashier import Bank
from ventuno.house.store import canonical_json, signing_key
from ventuno.house.store.audit_log import AuditLog, Corrected, CorrectionAsked
from ventuno.house.store.records import (
    Batch,
    Journal,
    Record,
    RoundRow,
    ShareRow,
    Unreadable,
    make_posting_rows,
    make_reader,
)
from ventuno.house.store.signing_key import SigningKey

STREAM, CRITERION = "corrections", "R-08"
CONTEXT = b"ventuno/correction/1\n"
EXPIRES = 24 * 3_600_000
"""Milliseconds for which a proposal waits for its second person."""
MAX_AMOUNT = 100_000_000_000
"""Cents that one correction moves for one player at most: far above any win, far below what JSON can carry."""


@dataclass(frozen=True, slots=True)
class CorrectionProposed:
    """What each player shall get (or, negative, give back) for a round, and why."""

    number: int
    code: str
    game: str
    by: PlayerId
    amounts: Mapping[PlayerId, Cents]
    reason: str


@dataclass(frozen=True, slots=True)
class CorrectionWithdrawn:
    number: int
    by: PlayerId


@dataclass(frozen=True, slots=True)
class CorrectionMade:
    """Two persons have said the same, and the house has signed it; money moves with this record."""

    number: int
    house: str
    code: str
    game: str
    amounts: Mapping[PlayerId, Cents]
    reason: str
    first: PlayerId
    second: PlayerId
    at: int
    key: str = ""
    signature: str = ""

    @property
    def message(self) -> bytes:
        """What is signed: every field but key and signature, as canonical JSON."""
        content = {field.name: getattr(self, field.name) for field in fields(self)}
        del content["key"], content["signature"]
        return CONTEXT + canonical_json.encode(content | {"amounts": dict(self.amounts)})

    @property
    def is_valid(self) -> bool:
        try:
            key, signed = bytes.fromhex(self.key), bytes.fromhex(self.signature)
        except ValueError:
            return False
        return self.first != self.second and signing_key.is_valid(key, signed, self.message)


CorrectionEvent: TypeAlias = CorrectionProposed | CorrectionWithdrawn | CorrectionMade
_read: Callable[[str, bytes], CorrectionEvent] = make_reader(get_args(CorrectionEvent))


def read(kind: str, body: bytes) -> CorrectionEvent:
    """An event of the stream; a correction whose signature does not hold is none (R-08)."""
    event = _read(kind, body)
    if isinstance(event, CorrectionMade) and not event.is_valid:
        raise Unreadable(f"correction {event.number} of {event.code}: its signature does not hold")
    return event


def sign(correction: CorrectionMade, key: SigningKey) -> CorrectionMade:
    return replace(correction, key=key.public.hex(), signature=key.sign(correction.message).hex())


def make_postings(correction: CorrectionMade) -> tuple[Posting, ...]:
    """Each player's amount against the house of that game: the sum is zero (I-1)."""
    arithmetic = f"correction {correction.number} of {correction.code}"
    return tuple(
        posting
        for player, amount in correction.amounts.items()
        for posting in (
            Posting(f"house:{correction.game}", -amount, CRITERION, arithmetic),
            Posting(f"player:{player}", amount, CRITERION, arithmetic),
        )
    )


class NotInRound(Refusal):
    player: PlayerId
    round: str


class AmountUnfit(Refusal):
    asked: str


class CorrectionWaiting(Refusal):
    """One at a time for a round: confirm or withdraw the one that waits."""

    number: int
    round: str


class NoSuchCorrection(Refusal):
    """Never proposed, withdrawn, made already, or expired."""

    number: int


class SamePerson(Refusal):
    player: PlayerId


class OwnMoney(Refusal):
    player: PlayerId


class Overdrawn(Refusal):
    """I-2: nobody is left below zero."""

    player: PlayerId
    needed: Cents
    held: Cents


class Proposal(NamedTuple):
    """A proposal that waits, and since when."""

    event: CorrectionProposed
    at: int

    def is_expired(self, at: int) -> bool:
        return at >= self.at + EXPIRES


class CorrectionState(NamedTuple):
    """The fold of the stream: what waits, the corrections that were made, and the last number given."""

    waiting: Mapping[int, Proposal] = MappingProxyType({})
    corrections: tuple[CorrectionMade, ...] = ()
    last: int = 0


def evolve(state: CorrectionState, event: CorrectionEvent, at: int) -> CorrectionState:
    match event:
        case CorrectionProposed(number):
            return state._replace(waiting={**state.waiting, number: Proposal(event, at)}, last=number)
        case CorrectionWithdrawn(number):
            return state._replace(waiting=_drop_waiting(state, number))
        case CorrectionMade(number):
            return state._replace(waiting=_drop_waiting(state, number), corrections=(*state.corrections, event))
        case _:
            assert_never(event)


def _drop_waiting(state: CorrectionState, number: int) -> Mapping[int, Proposal]:
    return {waiting: proposal for waiting, proposal in state.waiting.items() if waiting != number}


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
            self.state = evolve(self.state, read(record.kind, record.body), record.at)

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
            return AmountUnfit(", ".join(map(str, amounts.values())) or "0")
        present = {entry.player for entry in shares if entry.code == row.code}
        if strangers := [player for player in amounts if player not in present]:
            return NotInRound(strangers[0], row.code)
        if by in amounts:
            return OwnMoney(by)
        if waiting := next((entry for entry in self.list_waiting(at) if entry.event.code == row.code), None):
            return CorrectionWaiting(waiting.event.number, row.code)
        event = CorrectionProposed(self.state.last + 1, row.code, row.game, by, dict(sorted(amounts.items())), reason)
        noted = self._audit.write(at, CorrectionAsked(row.code, by, event.number, "proposed", reason))
        return ProposedCorrection(event.number, at + EXPIRES, Batch(records=(*self._record(at, event), *noted)))

    def withdraw(self, by: PlayerId, number: int, reason: str, at: int) -> Batch | Refusal:
        """Any supervisor withdraws a proposal that waits."""
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
        correction = sign(CorrectionMade(*content, first=asked.by, second=by, at=at), self._key)
        moved = make_postings(correction)
        self._bank.wallet.post(moved)
        records = self._record(at, correction)
        rows = make_posting_rows(records[0], moved)
        noted = self._audit.write(at, Corrected(asked.code, asked.by, by, asked.reason))
        return Batch(records=(*records, *noted), postings=rows)

    def list_waiting(self, at: int) -> list[Proposal]:
        """What waits for a second person now, oldest first."""
        return [proposal for proposal in self.state.waiting.values() if not proposal.is_expired(at)]

    def list_for_round(self, code: str, player: PlayerId = "") -> tuple[CorrectionLine, ...]:
        """The corrections of a round, of one player or of all, oldest first."""
        return tuple(
            CorrectionLine(correction.number, correction.at, who, amount, correction.reason)
            for correction in self.state.corrections
            if correction.code == code
            for who, amount in correction.amounts.items()
            if player in ("", who)
        )

    def _find_waiting(self, number: int, at: int) -> Proposal | None:
        proposal = self.state.waiting.get(number)
        return None if proposal is None or proposal.is_expired(at) else proposal

    def _record(self, at: int, event: CorrectionEvent) -> tuple[Record, ...]:
        self.state = evolve(self.state, event, at)
        return self._journal.write(STREAM, at, [event])
