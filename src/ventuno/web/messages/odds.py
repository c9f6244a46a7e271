"""The odds room and the trainer: switches and the return they make, decisions and what they are worth (X-03, X-16)."""

from __future__ import annotations

from typing import Annotated, Literal, cast

from pydantic import Field

from ventuno.web.messages.fields import Body, Message
from ventuno.words import notes

Path = Annotated[str, Field(pattern=r"^[A-Za-z0-9_.+-]{1,80}$")]
Value = Annotated[
    str, Field(pattern=r"^[\x20-\x7e]{1,400}$", description="as `ventuno certify --set` takes it, in one line")
]
MOST = 40
"""Switches changed at once."""


class OddsBody(Body):
    """Changes on a copy of the game's own sheet: `{"split.aces": "free"}`."""

    switches: Annotated[
        dict[Path, Value],
        Field(default_factory=dict, max_length=MOST, json_schema_extra={"additionalProperties": False}),
    ]


class OddsSwitch(Message):
    """One switch that a figure depends on: its own value, and what else it may be.

    `values` are all there are for a flag, a choice and a list of some; `low` and `high` bound a whole number, which has
    `values` too where not every one between is legal; `legal` says it for people. Values are written as they are sent.
    """

    path: str
    kind: Literal["flag", "choice", "whole", "some", "odds", "text"]
    value: str
    values: tuple[str, ...]
    low: int | None
    high: int | None
    legal: str
    criteria: tuple[str, ...]
    readings: tuple[int, ...]


class SwitchesResponse(Message):
    game: str
    name: str
    sheet: str
    base: str
    levers: tuple[OddsSwitch, ...]


class ChangedSwitch(Message):
    path: str
    value: str
    own: str


class BetOdds(Message):
    """Returns in per cent of the stakes; `exact` is the fraction itself where there is one; `delta` is in points.

    `delta` is against the game's own sheet, on `base`. `hits` are the chances of what is paid.
    """

    bet: str
    base: str
    rtp_initial: float
    rtp_total: float
    rtp_td: float | None
    delta: float
    sd: float | None
    maximum: float
    exact: str | None
    hits: dict[str, float]


class Outcome(Message):
    """The chance of one net result of a hand, in initial stakes."""

    net: float
    chance: float


class ChartRow(Message):
    """One answer for each column; `own` are those of the game's own sheet, where they differ."""

    label: str
    cells: tuple[str, ...]
    own: tuple[str, ...]


PanelKind = Literal["hard", "soft", "pair", "duel"]


class ChartPanel(Message):
    """`kind` is hard, soft or pair with the up-cards across; or duel, with the up-card `of` and the community cards."""

    kind: PanelKind
    of: str
    columns: tuple[str, ...]
    rows: tuple[ChartRow, ...]


NoteCode = Literal[
    "method-exact",
    "method-fixed",
    "method-duel",
    "method-counted",
    "method-chain",
    "one-hand",
    "unspread",
    "fixed",
    "pair",
    "pair-unknown",
    "cash-out",
    "weights",
    "max-win",
    "other",
]
"""What a certificate can note; `other` is a sentence of another version of this house."""


class CertificateNote(Message):
    """A note of a certificate: amounts among its numbers are cents, shares per cent. `text` is that of `other`."""

    code: NoteCode
    numbers: dict[str, int | float]
    text: str = ""


def read_note(entry: object) -> CertificateNote:
    """A note as a certificate of this version or of an older one has it."""
    note = notes.read_note(entry)
    if note is None:
        return CertificateNote("other", {}, str(entry))
    return CertificateNote(cast(NoteCode, note.code), dict(note.numbers))


class OddsResponse(Message):
    """Everything that is computed of the changed sheet. `bets[0]` is the main bet; `edge` is in per cent of `base`.

    `strategy_class` is CD, best play by the cards held; the chart is the best one on totals (TD) and returns `rtp_td`.
    `cells` counts the answers of the chart that differ from the game's own.
    """

    game: str
    name: str
    sheet: str
    own: str
    base: str
    changes: tuple[ChangedSwitch, ...]
    bets: tuple[BetOdds, ...]
    edge: float
    stake: float
    outcomes: tuple[Outcome, ...]
    chart: tuple[ChartPanel, ...]
    cells: int
    insure: bool | None
    insure_own: bool | None
    strategy_class: str
    method: CertificateNote
    notes: tuple[CertificateNote, ...]


class ActionValue(Message):
    """What one open decision is worth: the net result to expect, in initial stakes of the hand; None is not valued."""

    action: str
    value: float | None


class HandAdvice(Message):
    """`stake` is what a value of 1 is worth, in cents. `best` is empty where nothing is valued."""

    box: int
    hand: int
    stake: int
    best: str
    worths: tuple[ActionValue, ...]


class AdviceResponse(Message):
    """The open decisions at one's own table for one, or for practice, by the cards that lie open there (X-03)."""

    table: str
    version: int
    code: str
    hands: tuple[HandAdvice, ...]


class ReviewedDecision(Message):
    """A decision of a finished round: `cost` is what `best` was worth more, in initial stakes; 0 where it was best."""

    code: str
    game: str
    seq: int
    box: int
    hand: int
    action: str
    best: str
    cost: float
    stake: int


class PlayReviewResponse(Message):
    """One's decisions of the last rounds against best play (X-17): `cost` is expected, in cents, and no money moved.

    `worst` are the dearest of them, the dearest first.
    """

    rounds: int
    decisions: int
    right: int
    cost: float
    worst: tuple[ReviewedDecision, ...]
