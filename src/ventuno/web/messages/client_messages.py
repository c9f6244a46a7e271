"""What a client may send over the socket: one frame, one message; `type` says which."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal

from pydantic import ConfigDict, Field, TypeAdapter

from ventuno.core.table.round import Action
from ventuno.web.messages.fields import (
    STRICT,
    Amount,
    AmountOrAll,
    BetName,
    BoxNumber,
    Entropy,
    Hex32,
    Key,
    MessageId,
    TableName,
    Version,
)


@dataclass(frozen=True, slots=True)
class Strict:
    __pydantic_config__: ClassVar[ConfigDict] = STRICT


# What is asked of a table: `do` says which.


@dataclass(frozen=True, slots=True)
class Sit(Strict):
    """Take a seat; money must have been brought first."""

    box: BoxNumber
    do: Literal["sit"] = "sit"


@dataclass(frozen=True, slots=True)
class StandUp(Strict):
    """Leave a seat; with a hand in play it is left when the round ends."""

    box: BoxNumber
    do: Literal["stand-up"] = "stand-up"


@dataclass(frozen=True, slots=True)
class Bring(Strict):
    """Bring money from the account to the table, by a participation (V-75, R-30)."""

    amount: Amount
    do: Literal["bring"] = "bring"


@dataclass(frozen=True, slots=True)
class Take(Strict):
    """Take money that lies free at the table back to the account."""

    amount: Amount
    do: Literal["take"] = "take"


@dataclass(frozen=True, slots=True)
class AllowBehind(Strict):
    """Allow or forbid bets behind one's own boxes (V-33)."""

    allowed: bool
    do: Literal["allow-behind"] = "allow-behind"


@dataclass(frozen=True, slots=True)
class Follow(Strict):
    """Pre-decisions of a bettor behind a box (V-30…V-32)."""

    box: BoxNumber
    double: bool
    split: bool
    do: Literal["follow"] = "follow"


@dataclass(frozen=True, slots=True)
class Place(Strict):
    """A spot for a bet: `main`, `behind`, `perfect-pairs`, `21+3`, `dealer-pair` (box 0), `2-up`, `link`."""

    box: BoxNumber
    bet: BetName


@dataclass(frozen=True, slots=True)
class Bet(Strict):
    """A chip on one or more spots. With `exact` it is not cut down to the maximum of a spot (V-47, V-48)."""

    spots: Annotated[tuple[Place, ...], Field(min_length=1, max_length=40)]
    amount: Amount
    exact: bool = False
    do: Literal["bet"] = "bet"


@dataclass(frozen=True, slots=True)
class Remove(Strict):
    """Take so much off a spot; 0 takes all of it (D-02, S-14)."""

    spot: Place
    amount: AmountOrAll = 0
    do: Literal["remove"] = "remove"


@dataclass(frozen=True, slots=True)
class Undo(Strict):
    do: Literal["undo"] = "undo"


@dataclass(frozen=True, slots=True)
class Clear(Strict):
    do: Literal["clear"] = "clear"


@dataclass(frozen=True, slots=True)
class Repeat(Strict):
    """The bets of the previous round again, each `times` as large (V-49)."""

    times: Annotated[int, Field(ge=1, le=2)] = 1
    do: Literal["repeat"] = "repeat"


@dataclass(frozen=True, slots=True)
class Double(Strict):
    """Every bet on the felt twice as large."""

    do: Literal["double"] = "double"


@dataclass(frozen=True, slots=True)
class Deal(Strict):
    """My bets are final; where all are, the cards are dealt (V-36…V-38)."""

    do: Literal["deal"] = "deal"


@dataclass(frozen=True, slots=True)
class Decide(Strict):
    """A decision on a box, or a bettor's answer on his own insurance behind it."""

    box: BoxNumber
    action: Action
    do: Literal["decide"] = "decide"


@dataclass(frozen=True, slots=True)
class DecideAll(Strict):
    """One insurance answer for all own boxes that still wait (S-26, L-07)."""

    action: Action
    do: Literal["decide-all"] = "decide-all"


@dataclass(frozen=True, slots=True)
class DecideEarly(Strict):
    """Choose the first decision before the turn comes; null takes it back (V-54)."""

    box: BoxNumber
    action: Action | None
    do: Literal["decide-early"] = "decide-early"


@dataclass(frozen=True, slots=True)
class SpinWheel(Strict):
    """SPIN: the outcome is drawn and stored now, whatever is shown afterwards (R-04)."""

    box: BoxNumber
    do: Literal["spin-wheel"] = "spin-wheel"


@dataclass(frozen=True, slots=True)
class SpinBoard(Strict):
    box: BoxNumber
    do: Literal["spin-board"] = "spin-board"


TableCommand = Annotated[
    Sit
    | StandUp
    | Bring
    | Take
    | AllowBehind
    | Follow
    | Bet
    | Remove
    | Undo
    | Clear
    | Repeat
    | Double
    | Deal
    | Decide
    | DecideAll
    | DecideEarly
    | SpinWheel
    | SpinBoard,
    Field(discriminator="do"),
]


# The messages themselves.


@dataclass(frozen=True, slots=True)
class Join(Strict):
    """Watch a table. With the last version one has the missing steps come, or else a fresh view."""

    id: MessageId
    table: TableName
    version: Version | None = None
    type: Literal["join"] = "join"


@dataclass(frozen=True, slots=True)
class Part(Strict):
    """Stop watching a table. Seats, bets and money stay where they are."""

    id: MessageId
    table: TableName
    type: Literal["part"] = "part"


@dataclass(frozen=True, slots=True)
class Ask(Strict):
    """Ask something of a table; `key` makes asking again harmless."""

    id: MessageId
    table: TableName
    key: Key
    command: TableCommand
    type: Literal["ask"] = "ask"


@dataclass(frozen=True, slots=True)
class Say(Strict):
    """A message in the chat of a table (V-62)."""

    id: MessageId
    table: TableName
    text: Annotated[str, Field(min_length=1, max_length=400)]
    type: Literal["say"] = "say"


@dataclass(frozen=True, slots=True)
class Promise(Strict):
    """SHA-256 of the bytes with which I shall cut the shoe that is being made (X-01)."""

    id: MessageId
    table: TableName
    digest: Hex32
    type: Literal["promise"] = "promise"


@dataclass(frozen=True, slots=True)
class Reveal(Strict):
    """The bytes themselves; at a table for one without a promise."""

    id: MessageId
    table: TableName
    entropy: Entropy
    type: Literal["reveal"] = "reveal"


@dataclass(frozen=True, slots=True)
class Pong(Strict):
    """The answer to a ping: how the house measures the lag it credits (X-15)."""

    nonce: MessageId
    type: Literal["pong"] = "pong"


ClientMessage = Annotated[Join | Part | Ask | Say | Promise | Reveal | Pong, Field(discriminator="type")]
client_message: TypeAdapter[ClientMessage] = TypeAdapter(ClientMessage)
"""Reads a frame: `asked.validate_json(bytes)`."""
