"""What the house sends over the socket: one frame, one message; `type` says which.

A table is sent whole once (`table`), then by steps. A step says which version it follows; a client that has another one
joins again with the version it has. `public` and `mine` of a step are changes: `[path, value]` sets what lies at a
path, `[path]` takes it away; an index one past the end of a list appends, the empty path is the whole.

The version counts what everybody could see change. What only one player may know comes to him alone, in a step whose
`after` is its `version`: nobody learns from a number that another has chosen early, insured or moved a chip (H-4).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from ventuno.core.views.private_view import PrivateView, Reason
from ventuno.core.views.public_view import PublicView

Path = tuple[str | int, ...]
Change = tuple[Path, Any] | tuple[Path]


@dataclass(frozen=True, slots=True)
class Welcome:
    """The first frame. `unsafe` is shown on every screen (G-23)."""

    player: str
    name: str
    role: str
    guest: bool
    house: str
    now: int
    unsafe: bool
    session: str
    type: Literal["welcome"] = "welcome"


@dataclass(frozen=True, slots=True)
class TableMessage:
    """A table whole, as this viewer sees it."""

    table: str
    version: int
    now: int
    public: PublicView
    mine: PrivateView
    type: Literal["table"] = "table"


@dataclass(frozen=True, slots=True)
class Step:
    """What changed from version `after` to `version`. `mine` is left out where nothing of one's own changed.

    Who comes back with a version gets what he missed; the last step of it brings his own part whole (empty path).
    """

    table: str
    after: int
    version: int
    now: int
    public: tuple[Change, ...]
    mine: tuple[Change, ...] = ()
    type: Literal["step"] = "step"


@dataclass(frozen=True, slots=True)
class AnswerMessage:
    """The answer to the message with this id, given when it is durable and after what it changed was told.

    `version` is the one this socket has been told last; 0 where it does not watch the table.
    """

    id: str
    table: str
    version: int
    refused: Reason | None = None
    type: Literal["answer"] = "answer"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A chat message; `text` is text and nothing else."""

    table: str
    player: str
    name: str
    text: str
    at: int
    type: Literal["said"] = "said"


@dataclass(frozen=True, slots=True)
class ShoeMessage:
    """The shoe in the making or in use: its commitment, and whose promise or reveal is awaited until when (X-01).

    When promises are closed `promises` is the signed list of them: see yours in it and keep it before you reveal. Once
    the shoe is cut `receipt` is the signed checkpoint that covers the cut: keep it before you bet.
    """

    table: str
    phase: str
    commitment: dict[str, Any]
    players: tuple[str, ...]
    promised: tuple[str, ...]
    revealed: tuple[str, ...]
    deadline: int | None = None
    promises: dict[str, Any] | None = None
    receipt: dict[str, Any] | None = None
    type: Literal["shoe"] = "shoe"


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """The house signs that it took my promise or my reveal, before the answer to it: keep it (docs/fairness.md)."""

    table: str
    taken: dict[str, Any]
    key: str
    signature: str
    type: Literal["acknowledged"] = "acknowledged"


NoticeKind = Literal[
    "taken-over",
    "reality-check",
    "session-over",
    "cool-off",
    "excluded",
    "disabled",
    "muted",
    "unmuted",
    "table-closed",
    "account",
    "closing",
    "refunded",
    "replaced",
    "not-followed",
    "seat-warned",
    "seat-lost",
    "voided",
    "announced",
    "reset-code",
]


@dataclass(frozen=True, slots=True)
class Notice:
    """What a player must know now: another device took over (V-88), a reality check (R-37), a forced stop (R-40).

    What is behind it is in `numbers`: a refusal's `code` with its own, or the `reason` that a person gave.
    """

    kind: NoticeKind
    table: str = ""
    numbers: dict[str, Any] = field(default_factory=dict)
    type: Literal["notice"] = "notice"


@dataclass(frozen=True, slots=True)
class Ping:
    """Answer it at once with its nonce: from that the house knows the lag it credits (X-15)."""

    nonce: str
    now: int
    type: Literal["ping"] = "ping"


@dataclass(frozen=True, slots=True)
class Fault:
    """A frame that could not be taken. `id` is in the log; `about` is the id of the message, where it had one."""

    code: str
    detail: str
    id: str
    about: str = ""
    type: Literal["fault"] = "fault"


ServerMessage = Annotated[
    Welcome | TableMessage | Step | AnswerMessage | ChatMessage | ShoeMessage | Acknowledged | Notice | Ping | Fault,
    Field(discriminator="type"),
]
server_message: TypeAdapter[ServerMessage] = TypeAdapter(ServerMessage)
"""Reads what the house sent: for tests, bots and the published schema."""

CLOSE_REASONS = {
    4000: "the frame is no message of the protocol, too often",
    4001: "a frame is longer than 4 KiB",
    4002: "too many messages",
    4003: "the client reads too slowly",
    4004: "the session is over",
    4005: "play is closed to this account",
    4006: "the house is closing",
    4007: "the house is full",
    4008: "another socket of this session took its place",
    4009: "the bytes are no chunk of video",
    4010: "only the dealer of a table sends its picture",
    4011: "another camera took its place",
    4012: "the table is not shown any more",
}
"""Why a socket is closed; no connection ends without a reason."""
