"""Corrections of settled rounds: proposed by one supervisor, confirmed by another, signed, and never a change of what
was written (R-08, H-8).

A round that is settled stays as it was paid. What must be put right is a movement of its own between the players and
the house, beside the round, in the stream `corrections`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple, TypeAlias, assert_never, get_args

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.ledger import Posting
from ventuno.house.store import canonical_json, codec, signing_key
from ventuno.house.store.signing_key import SigningKey

STREAM, CRITERION = "corrections", "R-08"
CONTEXT = b"ventuno/correction/1\n"
EXPIRES = 24 * 3_600_000
"""Milliseconds for which a proposal waits for its second person."""


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
        """What is signed: everything that is said, in one way of writing it."""
        content = {
            "number": self.number,
            "house": self.house,
            "code": self.code,
            "game": self.game,
            "amounts": dict(self.amounts),
            "reason": self.reason,
            "first": self.first,
            "second": self.second,
            "at": self.at,
        }
        return CONTEXT + canonical_json.encode(content)

    @property
    def is_valid(self) -> bool:
        try:
            key, signed = bytes.fromhex(self.key), bytes.fromhex(self.signature)
        except ValueError:
            return False
        return self.first != self.second and signing_key.is_valid(key, signed, self.message)


CorrectionEvent: TypeAlias = CorrectionProposed | CorrectionWithdrawn | CorrectionMade
_read: Callable[[str, bytes], CorrectionEvent] = codec.make_reader(get_args(CorrectionEvent))


def read(kind: str, body: bytes) -> CorrectionEvent:
    """An event of the stream; a correction whose signature does not hold is none (R-08)."""
    event = _read(kind, body)
    if isinstance(event, CorrectionMade) and not event.is_valid:
        raise codec.Unreadable(f"correction {event.number} of {event.code}: its signature does not hold")
    return event


def sign(correction: CorrectionMade, key: SigningKey) -> CorrectionMade:
    content = (
        correction.number,
        correction.house,
        correction.code,
        correction.game,
        correction.amounts,
        correction.reason,
        correction.first,
        correction.second,
        correction.at,
    )
    return CorrectionMade(*content, key.public.hex(), key.sign(correction.message).hex())


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


@dataclass(frozen=True, slots=True)
class NotInRound(Refusal):
    says = "{player} was not in round {round}"
    player: PlayerId
    round: str


@dataclass(frozen=True, slots=True)
class AmountUnfit(Refusal):
    says = "a correction moves whole cents, more or less than none, for somebody: {reason}"
    reason: str


@dataclass(frozen=True, slots=True)
class CorrectionWaiting(Refusal):
    """One at a time for a round: confirm or withdraw the one that waits."""

    says = "correction {number} of round {round} waits already"
    number: int
    round: str


@dataclass(frozen=True, slots=True)
class NoSuchCorrection(Refusal):
    """Never proposed, withdrawn, made already, or expired."""

    says = "no correction {number} is waiting"
    number: int


@dataclass(frozen=True, slots=True)
class SamePerson(Refusal):
    says = "{player} proposed it: another person confirms"
    player: PlayerId


@dataclass(frozen=True, slots=True)
class OwnMoney(Refusal):
    says = "{player} cannot correct a round of his own"
    player: PlayerId


@dataclass(frozen=True, slots=True)
class Overdrawn(Refusal):
    """I-2: nobody is left below zero."""

    says = "{player} has {held} cents of free money, {needed} would be taken"
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
    """The fold of the stream: what waits, what was made, and the last number given."""

    waiting: Mapping[int, Proposal] = MappingProxyType({})
    made: tuple[CorrectionMade, ...] = ()
    last: int = 0


def evolve(state: CorrectionState, event: CorrectionEvent, at: int) -> CorrectionState:
    match event:
        case CorrectionProposed(number):
            return state._replace(waiting={**state.waiting, number: Proposal(event, at)}, last=number)
        case CorrectionWithdrawn(number):
            return state._replace(waiting=_without(state, number))
        case CorrectionMade(number):
            return state._replace(waiting=_without(state, number), made=(*state.made, event))
        case _:
            assert_never(event)


def _without(state: CorrectionState, number: int) -> Mapping[int, Proposal]:
    return {waiting: proposal for waiting, proposal in state.waiting.items() if waiting != number}
