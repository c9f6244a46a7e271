"""What supervisors ask and are told: every act has a reason, and no hidden card is in any of it (X-10, H-8)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, JsonValue

from ventuno.core.views.public_view import PublicView
from ventuno.web.messages.fields import LARGEST, Amount, BetName, Body, Message, Sentence

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


class TableActionResponse(Message):
    """Done and durable: the table, and the version it made."""

    table: str
    version: int


class VoidPreparation(Message):
    """Say it again within the time, for this very round: nothing is changed yet."""

    confirm: str
    round: str
    expires: int


class ConsoleLine(Message):
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


class ConsoleResponse(Message):
    """`faults` are what the living books show wrong: empty in a sound house (G-2)."""

    tables: tuple[ConsoleLine, ...]
    faults: tuple[str, ...]
    now: int


class TableViewResponse(Message):
    """A table as a spectator sees it (H-8)."""

    table: str
    now: int
    public: PublicView


class LogLine(Message):
    seq: int
    at: int
    kind: str
    fields: dict[str, Any]


class LogResponse(Message):
    """Newest first; `before` asks for the next page."""

    lines: tuple[LogLine, ...]
    before: int | None


class ProposalResponse(Message):
    number: int
    expires: int


class CorrectionLine(Message):
    number: int
    code: str
    game: str
    by: str
    amounts: dict[str, int]
    reason: str
    at: int


class CorrectionsResponse(Message):
    """What waits for a second person."""

    waiting: tuple[CorrectionLine, ...]


class ManifestResponse(Message):
    """What the last inspection of the program found; no round begins where it is not sound (R-19)."""

    at: int
    version: str
    digest: str
    sound: bool
    differences: tuple[str, ...]


class RoundLine(Message):
    code: str
    game: str
    started: int
    ended: int
    voided: bool


class RoundsResponse(Message):
    rounds: tuple[RoundLine, ...]
