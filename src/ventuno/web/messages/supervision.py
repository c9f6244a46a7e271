"""What supervisors ask and are told: every act has a reason, and no hidden card is in any of it (X-10, H-8)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, JsonValue

from ventuno.core.views.public_view import PublicView
from ventuno.house.accounts.players import Role
from ventuno.house.accounts.rights import Right
from ventuno.house.history.account_history import HistoryLine
from ventuno.house.history.turnover import TurnoverLine
from ventuno.house.tables.chat import MAX_LENGTH
from ventuno.web.messages.account import ExclusionLine, LimitLine
from ventuno.web.messages.fields import LARGEST, Amount, AsObject, BetName, Body, Message, Sentence, check_text
from ventuno.web.messages.games import GameName
from ventuno.web.messages.history import HistoryResponse

PlayerNumber = Annotated[str, Field(pattern=r"^[0-9]{1,12}$", description="the number of an account")]
RoundCode = Annotated[str, Field(pattern=r"^[a-zA-Z0-9 _.:-]{1,120}$")]
Due = Annotated[int, Field(ge=-LARGEST, le=LARGEST, description="integer cents; negative is taken back")]

Names = Annotated[dict[str, str], Field(description="the name of each account that is named by its number")]

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


class OpeningBody(Body):
    """A table for several players, for money; a name that was used once is not used again.

    `cards` says where they come from, other than the sheet of the game does (X-27).
    """

    table: Annotated[str, Field(pattern=r"^[a-zA-Z0-9](?:[ _.:-]?[a-zA-Z0-9]){1,39}$")]
    game: GameName
    reason: Sentence
    cards: Literal["", "sealed", "scanned"] = ""


class StaffBody(Body):
    """A role below a supervisor's: those are given and taken by who runs the house, while it is closed."""

    player: PlayerNumber
    role: Literal[Role.SUPPORT, Role.PIT, Role.AUDITOR, Role.DEALER]
    reason: Sentence


class AnnouncementBody(Body):
    """Plain text: whoever shows it escapes it."""

    text: Annotated[str, Field(min_length=1, max_length=MAX_LENGTH), AfterValidator(check_text)]


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
    """A table as the console lists it. `staked` is what lies on the felt for everybody to see (H-4).

    `boxes` says who sits at each, empty where nobody does.
    """

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
    boxes: tuple[str, ...]


class ConsoleResponse(Message):
    """`faults` are what the living books show wrong: empty in a sound house (G-2). `rights` are those of who asks."""

    tables: tuple[ConsoleLine, ...]
    faults: tuple[str, ...]
    now: int
    names: Names
    rights: tuple[Right, ...]


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
    names: Names


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
    names: Names


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


class FoundPlayer(Message):
    """An account as a search gives it; `disabled` is why it was closed, empty where it is open."""

    player: str
    name: str
    guest: bool
    role: Role
    since: int
    disabled: str


class PlayersResponse(Message):
    """The first few, those whose name begins with what was asked before the others."""

    players: tuple[FoundPlayer, ...]


class StaffLine(Message):
    """`rights` are what the role includes; `enrolled`: whether he has his second factor, without which he has none."""

    player: str
    name: str
    role: Role
    rights: tuple[Right, ...]
    enrolled: bool
    disabled: str
    last_login: int


class StaffResponse(Message):
    staff: tuple[StaffLine, ...]


class OpenSession(Message):
    opened: int
    seen: int
    address: str
    agent: str


class PlayerTable(Message):
    """Where he has brought money."""

    table: str
    name: str
    purse: int
    staked: int
    practice: bool


class AskedErasureLine(Message):
    """Who asked for a person to be erased, why, and until when another of the staff may confirm it."""

    by: str
    reason: str
    until: int


class PlayerResponse(Message):
    """One player on one page. `marks` are what the list of signals says of him; `rounds` come in pages.

    `reset_until`: until when a code for a new password is open, 0 where none is.
    `advertising`: whether marketing may reach him (R-39).
    `erasure`: what was asked for by one person and waits for another.
    """

    player: str
    name: str
    guest: bool
    role: Role
    vip: int
    since: int
    last_login: int
    disabled: str
    free: int
    at_tables: int
    in_play: int
    net: int
    minutes: int
    tables: tuple[PlayerTable, ...]
    limits: tuple[LimitLine, ...]
    reality_minutes: int
    cooling: int
    excluded: ExclusionLine | None
    muted: int
    reset_until: int
    advertising: bool
    erasure: AskedErasureLine | None
    sessions: tuple[OpenSession, ...]
    marks: tuple[LogLine, ...]
    rounds: HistoryResponse
    names: Names
    now: int


class PersonRecordLine(Message):
    stream: str
    seq: int
    at: int
    kind: str
    fields: dict[str, Any]


class PersonResponse(Message):
    """All that is kept of a person, oldest first, without secrets: for that person."""

    player: str
    name: str
    at: int
    records: tuple[PersonRecordLine, ...]
    rounds: tuple[Annotated[HistoryLine, AsObject("HistoryLine", HistoryLine)], ...]
    balances: dict[str, int]


class ErasureResponse(Message):
    """`erased`, or waiting for a second person `until` a moment."""

    player: str
    erased: bool
    until: int


class ResetCodeResponse(Message):
    """For the player alone, shown this once: by it and his name he chooses a new password before it expires."""

    code: str
    expires: int


class TurnoverResponse(Message):
    """By day since 1970 (GMT) and game, in cents; practice and voided rounds do not count."""

    lines: tuple[Annotated[TurnoverLine, AsObject("TurnoverLine", TurnoverLine, result=int)], ...]
    first: int
    last: int
