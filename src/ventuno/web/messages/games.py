"""The lobby and the games: what can be played, by which rules, with which returns (V-35, V-83, V-95, R-29)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from ventuno.core.rules.sheet import Looks, Published
from ventuno.core.views.private_view import Limit
from ventuno.web.messages.fields import Body, Message
from ventuno.web.messages.odds import CertificateNote

GameName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
CardText = Annotated[str, Field(pattern=r"^[2-9TJQKA][SHDC]$")]


class PracticeBody(Body):
    """`cards` are the first of the shoe, in their order; the others of its decks follow, shuffled (X-08).

    `scanned`: one deals to oneself and scans the cards, to learn it; one has the desk of that table (X-27).
    """

    game: GameName
    cards: Annotated[list[CardText], Field(default_factory=list, max_length=416)]
    scanned: bool = False


class TableResponse(Message):
    """Join it over the socket by this name."""

    table: str


class PracticeLine(Message):
    """A practice table of one's own: credit left, chips in play, rounds played, the code of a round that is open."""

    table: str
    game: str
    name: str
    credit: int
    staked: int
    rounds: int
    open_round: str
    phase: str


class PracticeResponse(Message):
    """The newest first; `most` may be open at a time."""

    tables: tuple[PracticeLine, ...]
    most: int


class LobbyLine(Message):
    """A table at a glance: which boxes are taken, and by how many people; who holds several seats counts once.

    Streaks are lengths without names; limits are those of one's own VIP level. `language` is the dealer's, empty where
    he speaks that of the listener. `video`: where the picture of the table comes from, empty where the dealer is drawn.
    `cards` are sealed or scanned; `dealer` is the name of who scans them, empty where nobody does (X-27).
    """

    table: str
    game: str
    name: str
    sheet: str
    language: str
    video: str
    seats: int
    free: int
    taken: tuple[int, ...]
    people: int
    limits: dict[str, Limit]
    betting_seconds: int
    decision_seconds: int
    streaks: tuple[int, ...]
    phase: str
    deadline: int | None
    paused: bool
    rounds: int
    multi_table: bool
    cards: str
    dealer: str


class GameLine(Message):
    game: str
    name: str
    sheet: str
    solo: bool
    certified: bool
    least: int
    most: int
    looks: Looks


class LobbyResponse(Message):
    """`unsafe` is shown on every screen (G-23); `entered` says whether whoever looks has a session."""

    house: str
    now: int
    unsafe: bool
    entered: bool
    mails: bool
    games: tuple[GameLine, ...]
    tables: tuple[LobbyLine, ...]


class GamesResponse(Message):
    games: tuple[GameLine, ...]


class RuleSwitch(Message):
    """One rule of the sheet: its address, its value, what else it could be, and where it is written.

    `criteria` and `readings` are read from the remark beside the line; texts for people are made from the address.
    """

    path: str
    value: Any
    legal: str
    criteria: tuple[str, ...]
    readings: tuple[int, ...]


class PayLine(Message):
    """`pays` is as the sheet prints it, `3/2`, `25:1` or `x25`; `returned` is what comes back for `stake`, in cents."""

    category: str
    pays: str
    stake: int
    returned: int


class PayTable(Message):
    bet: str
    kind: str
    criterion: str
    lines: tuple[PayLine, ...]


class Chance(Message):
    """One entry of a wheel, a board or a box: so many of all the weights."""

    name: str
    weight: int
    prize: int | None


class Draw(Message):
    name: str
    weights: int
    entries: tuple[Chance, ...]


class CertifiedReturn(Message):
    """A figure of the certificate, in per cent on the base named; `published` is what it is compared with."""

    bet: str
    base: str
    rtp: float
    rtp_initial: float
    rtp_total: float
    sd: float | None
    published: str | None
    matches: bool | None


class CertifiedReturns(Message):
    strategy_class: str
    bets: tuple[CertifiedReturn, ...]
    notes: tuple[CertificateNote, ...]


class GameResponse(Message):
    """All that a help page needs, from the sheet in force. `cites` names the criterion of each rule of payment.

    `published` are returns as printed by the regulation, in per cent; a bet that is not named lies `between` two ends.
    """

    game: str
    name: str
    family: str
    solo: bool
    looks: Looks
    sheet: str
    shown_as: str
    unit: int
    chips: tuple[int, ...]
    vip: tuple[int, ...]
    limits: dict[str, Limit]
    switches: tuple[RuleSwitch, ...]
    cites: dict[str, str]
    pay_tables: tuple[PayTable, ...]
    draws: tuple[Draw, ...]
    cash_out: dict[str, dict[str, tuple[int, ...]]]
    published: Published
    certified: CertifiedReturns | None
