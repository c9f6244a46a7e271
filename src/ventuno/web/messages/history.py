"""What was: history, rounds, replays, statistics; and the signed receipts of tables (V-66…V-70, X-02, X-17)."""

from __future__ import annotations

from typing import Annotated

from ventuno.core.views.private_view import PrivateView
from ventuno.core.views.public_view import Person, PublicView, Settled
from ventuno.house.history.account_history import HistoryLine, HistoryTotals
from ventuno.house.history.round_detail import HandLine
from ventuno.house.history.round_steps import Step
from ventuno.house.history.statistics import Figures, Streaks
from ventuno.house.history.void_review import Outcomes
from ventuno.house.money.corrections import CorrectionLine
from ventuno.house.shoes.scans import ScanLine
from ventuno.house.shoes.shoe_chain import ShoeLine
from ventuno.house.shoes.shoe_log import CutCounts
from ventuno.house.tables.fairness import DiscardedShoe
from ventuno.web.messages.fields import AsObject, Message

PlayFigures = Annotated[Figures, AsObject("PlayFigures", Figures, net=int)]
OutcomeCounts = Annotated[Outcomes, AsObject("OutcomeCounts", Outcomes)]


class HistoryPlace(Message):
    """Where a page ended: send both back for the next one."""

    ended: int
    code: str


class HistoryResponse(Message):
    """Latest finished first; `before` asks for the next page."""

    lines: tuple[Annotated[HistoryLine, AsObject("HistoryLine", HistoryLine)], ...]
    totals: Annotated[HistoryTotals, AsObject("HistoryTotals", HistoryTotals)]
    before: HistoryPlace | None


class RoundResponse(Message):
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
    steps: tuple[Annotated[Step, AsObject("RoundStep", Step)], ...]
    dealer: str
    hands: tuple[Annotated[HandLine, AsObject("RoundHand", HandLine)], ...]
    bets: tuple[Settled, ...]
    before: int
    after: int
    line: str
    agrees: bool | None
    scans: tuple[Annotated[ScanLine, AsObject("RoundScan", ScanLine)], ...]
    corrections: tuple[Annotated[CorrectionLine, AsObject("CorrectionBeside", CorrectionLine)], ...]


class Frame(Message):
    """The table after one record of the round, as it was seen then (X-02)."""

    seq: int
    at: int
    public: PublicView
    mine: PrivateView


class ReplayResponse(Message):
    code: str
    frames: tuple[Frame, ...]


class StatisticsResponse(Message):
    total: PlayFigures
    by_game: dict[str, PlayFigures]
    streaks: Annotated[Streaks, AsObject("StreakFigures", Streaks)]
    voided: int


class CheckpointLine(Message):
    house: str
    table: str
    height: int
    head: str
    root: str
    at: int


class ReceiptResponse(Message):
    """The signed state of a table's chain: whoever keeps it can show that no other history was told."""

    checkpoint: CheckpointLine
    key: str
    signature: str


class VoidFigures(Message):
    """Rounds played to their end, and those that were voided, by how they stood then; `chance` is how likely so many
    voids against the house are where nobody looks, and `biased` says that it is too small to believe.
    """

    settled: OutcomeCounts
    voided: OutcomeCounts
    chance: float
    biased: bool


class ShoesResponse(Message):
    """Shoes of a table in the order of their numbers, 25 at most: `after` the last one asks for the next page."""

    table: str
    shoes: tuple[Annotated[ShoeLine, AsObject("ShoeLine", ShoeLine)], ...]


class ConsistencyResponse(Message):
    """That the chain of `size` records begins with the one of `old` (RFC 9162, 2.1.4), lowest hash first."""

    table: str
    old: int
    size: int
    proof: tuple[str, ...]


class FairnessResponse(Message):
    """The key with which every receipt is signed, the format of the documents, how often rounds are voided, how often a
    player's part of a cut did not come, and the shoes that no round was dealt from.
    """

    house: str
    key: str
    signature: str
    document: str
    voids: dict[str, VoidFigures]
    cuts: dict[str, Annotated[CutCounts, AsObject("CutCounts", CutCounts)]]
    discarded: tuple[Annotated[DiscardedShoe, AsObject("DiscardedShoe", DiscardedShoe)], ...]
    now: int
