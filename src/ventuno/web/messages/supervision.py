"""What supervisors ask and are told: every act has a reason, and no hidden card is in any of it (X-10, H-8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field, JsonValue

from ventuno.core.views.public_view import PublicView
from ventuno.web.messages.fields import LARGEST, Amount, BetName, Body, Sentence

PlayerNumber = Annotated[str, Field(pattern=r"^[0-9]{1,12}$", description="the number of an account")]
RoundCode = Annotated[str, Field(pattern=r"^[a-zA-Z0-9 _.:-]{1,120}$")]
Due = Annotated[int, Field(ge=-LARGEST, le=LARGEST, description="integer cents; negative is taken back")]

CLOSED: dict[str, JsonValue] = {"additionalProperties": False}
"""Of a mapping: no key but those of the pattern."""


class ReasonBody(Body):
    reason: Sentence


class VoidBody(Body):
    """`confirm` and the same reason as when it was prepared."""

    reason: Sentence
    confirm: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]


class MuteBody(Body):
    player: PlayerNumber
    reason: Sentence
    minutes: Annotated[int, Field(ge=1, le=43_200)]


class Span(Body):
    least: Amount
    most: Amount


class LimitsBody(Body):
    """In force when betting opens next, never under bets that lie there (V-43)."""

    limits: Annotated[dict[BetName, Span], Field(min_length=1, max_length=20, json_schema_extra=CLOSED)]
    reason: Sentence


class CorrectionBody(Body):
    """What each player shall get, or give back, for a round that is over (R-08)."""

    code: RoundCode
    amounts: Annotated[dict[PlayerNumber, Due], Field(min_length=1, max_length=50, json_schema_extra=CLOSED)]
    reason: Sentence


class LinkBody(Body):
    first: PlayerNumber
    second: PlayerNumber
    reason: Sentence


@dataclass(frozen=True, slots=True)
class TableActionResponse:
    """Done and durable: the table, and the version it made."""

    table: str
    version: int


@dataclass(frozen=True, slots=True)
class VoidPreparation:
    """Say it again within the time, for this very round: nothing is changed yet."""

    confirm: str
    round: str
    expires: int


@dataclass(frozen=True, slots=True)
class ConsoleLine:
    """A table as the console lists it. `staked` is what lies on the felt for everybody to see (H-4)."""

    table: str
    game: str
    name: str
    phase: str
    code: str
    deadline: int | None
    paused: str
    paused_by: str
    closing: str
    practice: bool
    seats: int
    seated: int
    players: int
    staked: int
    rounds: int


@dataclass(frozen=True, slots=True)
class ConsoleResponse:
    """`faults` are what the living books show wrong: empty in a sound house (G-2)."""

    tables: tuple[ConsoleLine, ...]
    faults: tuple[str, ...]
    now: int


@dataclass(frozen=True, slots=True)
class TableViewResponse:
    """A table as a spectator sees it (H-8)."""

    table: str
    now: int
    public: PublicView


@dataclass(frozen=True, slots=True)
class LogLine:
    seq: int
    at: int
    kind: str
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True)
class LogResponse:
    """Newest first; `before` asks for the next page."""

    lines: tuple[LogLine, ...]
    before: int | None


@dataclass(frozen=True, slots=True)
class ProposalResponse:
    number: int
    expires: int


@dataclass(frozen=True, slots=True)
class CorrectionLine:
    number: int
    code: str
    game: str
    by: str
    amounts: dict[str, int]
    reason: str
    at: int


@dataclass(frozen=True, slots=True)
class CorrectionsResponse:
    """What waits for a second person."""

    waiting: tuple[CorrectionLine, ...]


@dataclass(frozen=True, slots=True)
class ManifestResponse:
    """What the last inspection of the program found; no round begins where it is not sound (R-19)."""

    at: int
    version: str
    digest: str
    sound: bool
    differences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RoundLine:
    code: str
    game: str
    started: int
    ended: int
    voided: bool


@dataclass(frozen=True, slots=True)
class RoundsResponse:
    rounds: tuple[RoundLine, ...]
