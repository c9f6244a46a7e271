"""What was: history, rounds, replays, statistics; and the signed receipts of tables (V-66…V-70, X-02, X-17)."""

from __future__ import annotations

from dataclasses import dataclass

from ventuno.core.views.private_view import PrivateView
from ventuno.core.views.public_view import Person, PublicView, Settled


@dataclass(frozen=True, slots=True)
class HistoryLine:
    """`corrected` is what was put right beside the round afterwards (R-08)."""

    code: str
    game: str
    ended: int
    staked: int
    returned: int
    net: int
    voided: bool
    corrected: int


@dataclass(frozen=True, slots=True)
class HistoryTotals:
    """Of all rounds that fit the question, not only those of this page; voided ones are apart."""

    rounds: int
    staked: int
    returned: int
    net: int
    voided: int


@dataclass(frozen=True, slots=True)
class HistoryPlace:
    """Where a page ended: send both back for the next one."""

    ended: int
    code: str


@dataclass(frozen=True, slots=True)
class HistoryResponse:
    """Latest finished first; `before` asks for the next page."""

    lines: tuple[HistoryLine, ...]
    totals: HistoryTotals
    before: HistoryPlace | None


@dataclass(frozen=True, slots=True)
class RoundStep:
    """One thing that happened. Box and hand are 0 and texts empty where there is none."""

    seq: int
    at: int
    what: str
    box: int
    hand: int
    player: str
    cards: str
    origin: str
    amount: int
    detail: str


@dataclass(frozen=True, slots=True)
class RoundHand:
    box: int
    hand: int
    player: str
    cards: str
    outcome: str


@dataclass(frozen=True, slots=True)
class CorrectionBeside:
    """A movement by two supervisors after the round was settled (R-08)."""

    number: int
    at: int
    player: str
    amount: int
    reason: str


@dataclass(frozen=True, slots=True)
class RoundResponse:
    """A finished round in full (V-70). Balances are one's own; `agrees`: enacted again it pays the same (R-16)."""

    code: str
    table: str
    game: str
    sheet: str
    session: str
    participation: str
    started: int
    ended: int
    voided: bool
    capped: bool
    people: dict[str, Person]
    steps: tuple[RoundStep, ...]
    dealer: str
    hands: tuple[RoundHand, ...]
    bets: tuple[Settled, ...]
    before: int
    after: int
    line: str
    agrees: bool | None
    corrections: tuple[CorrectionBeside, ...]


@dataclass(frozen=True, slots=True)
class Frame:
    """The table after one record of the round, as it was seen then (X-02)."""

    seq: int
    at: int
    public: PublicView
    mine: PrivateView


@dataclass(frozen=True, slots=True)
class ReplayResponse:
    code: str
    frames: tuple[Frame, ...]


@dataclass(frozen=True, slots=True)
class PlayFigures:
    """A round is won or lost by its net result."""

    rounds: int
    staked: int
    returned: int
    net: int
    won: int
    lost: int
    even: int
    best: int
    worst: int


@dataclass(frozen=True, slots=True)
class StreakFigures:
    """Rounds won (positive) or lost (negative) in a row."""

    now: int
    longest_won: int
    longest_lost: int


@dataclass(frozen=True, slots=True)
class StatisticsResponse:
    total: PlayFigures
    by_game: dict[str, PlayFigures]
    streaks: StreakFigures
    voided: int


@dataclass(frozen=True, slots=True)
class CheckpointLine:
    house: str
    table: str
    height: int
    head: str
    root: str
    at: int


@dataclass(frozen=True, slots=True)
class ReceiptResponse:
    """The signed state of a table's chain: whoever keeps it can show that no other history was told."""

    checkpoint: CheckpointLine
    key: str
    signature: str


@dataclass(frozen=True, slots=True)
class OutcomeCounts:
    """Rounds by what they gave the house, or would have given it."""

    winning: int
    losing: int
    even: int


@dataclass(frozen=True, slots=True)
class VoidFigures:
    """Rounds played to their end, and those that were voided, by how they stood then; `chance` is how likely so many
    voids against the house are where nobody looks, and `biased` says that it is too small to believe.
    """

    settled: OutcomeCounts
    voided: OutcomeCounts
    chance: float
    biased: bool


@dataclass(frozen=True, slots=True)
class FairnessResponse:
    """The key with which every receipt is signed, the format of the documents, and how often rounds are voided."""

    house: str
    key: str
    signature: str
    document: str
    voids: dict[str, VoidFigures]
    now: int
