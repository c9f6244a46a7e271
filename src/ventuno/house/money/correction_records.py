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
from ventuno.house.shoes import signature
from ventuno.house.shoes.signature import SigningKey
from ventuno.house.store import canonical_json, codec

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
        said = {
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
        return CONTEXT + canonical_json.encode(said)

    @property
    def holds(self) -> bool:
        try:
            key, signed = bytes.fromhex(self.key), bytes.fromhex(self.signature)
        except ValueError:
            return False
        return self.first != self.second and signature.holds(key, signed, self.message)


CorrectionEvent: TypeAlias = CorrectionProposed | CorrectionWithdrawn | CorrectionMade
_read: Callable[[str, bytes], CorrectionEvent] = codec.reader(get_args(CorrectionEvent))


def read(kind: str, body: bytes) -> CorrectionEvent:
    """An event of the stream; a correction whose signature does not hold is none (R-08)."""
    event = _read(kind, body)
    if isinstance(event, CorrectionMade) and not event.holds:
        raise codec.Unreadable(f"correction {event.number} of {event.code}: its signature does not hold")
    return event


def signed(made: CorrectionMade, key: SigningKey) -> CorrectionMade:
    said = (made.number, made.house, made.code, made.game, made.amounts, made.reason, made.first, made.second, made.at)
    return CorrectionMade(*said, key.public.hex(), key.sign(made.message).hex())


def postings(made: CorrectionMade) -> tuple[Posting, ...]:
    """Each player's amount against the house of that game: the sum is zero (I-1)."""
    told = f"correction {made.number} of {made.code}"
    return tuple(
        posting
        for player, amount in made.amounts.items()
        for posting in (
            Posting(f"house:{made.game}", -amount, CRITERION, told),
            Posting(f"player:{player}", amount, CRITERION, told),
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

    def expired(self, at: int) -> bool:
        return at >= self.at + EXPIRES


class State(NamedTuple):
    """The fold of the stream: what waits, what was made, and the last number given."""

    waiting: Mapping[int, Proposal] = MappingProxyType({})
    made: tuple[CorrectionMade, ...] = ()
    last: int = 0


def evolve(state: State, event: CorrectionEvent, at: int) -> State:
    match event:
        case CorrectionProposed(number):
            return state._replace(waiting={**state.waiting, number: Proposal(event, at)}, last=number)
        case CorrectionWithdrawn(number):
            return state._replace(waiting=_without(state, number))
        case CorrectionMade(number):
            return state._replace(waiting=_without(state, number), made=(*state.made, event))
        case _:
            assert_never(event)


def _without(state: State, number: int) -> Mapping[int, Proposal]:
    return {held: one for held, one in state.waiting.items() if held != number}
