"""Why the rules say no: one noun for each reason, with the numbers that explain it (X-19).

A refusal changes nothing. Its `code` is its name, its fields are the numbers; a `reason` is a code as well, unless a
person wrote it. The words are in the catalogues (`ventuno.words`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ventuno.core.rules.money import Cents, PlayerId


@dataclass(frozen=True, slots=True)
class Refusal:
    @property
    def code(self) -> str:
        return type(self).__name__


@dataclass(frozen=True, slots=True)
class LimitReached(Refusal):
    """V-47, S-09."""

    bet: str
    maximum: Cents
    asked: Cents


@dataclass(frozen=True, slots=True)
class BelowMinimum(Refusal):
    """V-24, V-36."""

    bet: str
    minimum: Cents
    asked: Cents


@dataclass(frozen=True, slots=True)
class NotAMultiple(Refusal):
    """V-07, reading 2."""

    unit: Cents
    asked: Cents


@dataclass(frozen=True, slots=True)
class FundsMissing(Refusal):
    """V-44, V-58, D-03, L-15. `raised` is how much of what is needed is for the raise of a duel."""

    needed: Cents
    available: Cents
    raised: Cents = 0


@dataclass(frozen=True, slots=True)
class RoundCapReached(Refusal):
    """S-10, reading 19."""

    cap: Cents
    asked: Cents


@dataclass(frozen=True, slots=True)
class SessionCapReached(Refusal):
    """S-10, reading 19."""

    cap: Cents
    asked: Cents


@dataclass(frozen=True, slots=True)
class BetNotOffered(Refusal):
    bet: str


@dataclass(frozen=True, slots=True)
class MainBetMissing(Refusal):
    """V-23, S-08, L-03."""

    bet: str


@dataclass(frozen=True, slots=True)
class NoSuchBox(Refusal):
    box: int
    count: int


@dataclass(frozen=True, slots=True)
class BoxTaken(Refusal):
    box: int


@dataclass(frozen=True, slots=True)
class SeatsFull(Refusal):
    """V-40."""

    most: int


@dataclass(frozen=True, slots=True)
class NotSeated(Refusal):
    box: int


@dataclass(frozen=True, slots=True)
class SoloTable(Refusal):
    """F-01: one player against the dealer."""


@dataclass(frozen=True, slots=True)
class OwnBox(Refusal):
    """V-25."""

    box: int


@dataclass(frozen=True, slots=True)
class BoxEmpty(Refusal):
    box: int


@dataclass(frozen=True, slots=True)
class BehindForbidden(Refusal):
    """V-33."""

    box: int


@dataclass(frozen=True, slots=True)
class BettingClosed(Refusal):
    """V-45, R-10."""


@dataclass(frozen=True, slots=True)
class BetsFinal(Refusal):
    """V-37, S-16."""


@dataclass(frozen=True, slots=True)
class NoBets(Refusal):
    pass


@dataclass(frozen=True, slots=True)
class NothingToRepeat(Refusal):
    """V-49."""


@dataclass(frozen=True, slots=True)
class AlreadyBetting(Refusal):
    """V-49: repeat comes before the first chip."""


@dataclass(frozen=True, slots=True)
class NotYourTurn(Refusal):
    """V-10, V-28."""

    box: int


@dataclass(frozen=True, slots=True)
class ActionNotAllowed(Refusal):
    """V-55. `most` is how many hands a split may give, where that is the reason."""

    action: str
    reason: str
    most: int = 0


@dataclass(frozen=True, slots=True)
class TooEarly(Refusal):
    deadline: int
    at: int


@dataclass(frozen=True, slots=True)
class TooLate(Refusal):
    """R-10: the server's order decides."""

    deadline: int
    at: int


@dataclass(frozen=True, slots=True)
class TablePaused(Refusal):
    """V-76."""

    reason: str


@dataclass(frozen=True, slots=True)
class TableClosing(Refusal):
    """X-10: nothing new begins at a table that closes."""

    reason: str


@dataclass(frozen=True, slots=True)
class WrongPhase(Refusal):
    phase: str


@dataclass(frozen=True, slots=True)
class NothingToVoid(Refusal):
    """R-08: a settled round is not voided."""


@dataclass(frozen=True, slots=True)
class OtherRound(Refusal):
    """R-07: a void means one round, and it is not this one."""

    round: str


@dataclass(frozen=True, slots=True)
class ShoeExhausted(Refusal):
    needed: int
    held: int


@dataclass(frozen=True, slots=True)
class TooManyCopies(Refusal):
    card: str
    decks: int


@dataclass(frozen=True, slots=True)
class ShoeUnfit(Refusal):
    """Not the cards of so many `decks`, or the cut card was `asked` outside its window."""

    reason: str
    decks: int = 0
    least: int = 0
    most: int = 0
    asked: int = 0


@dataclass(frozen=True, slots=True)
class DrawNeeded(Refusal):
    """L-21: the bonus waits for its draw."""

    box: int


@dataclass(frozen=True, slots=True)
class BonusImpossible(Refusal):
    """What was `asked`, what is `allowed`, how many are due, up to which cell: as far as the reason has them."""

    reason: str
    asked: str = ""
    allowed: str = ""
    count: int = 0
    most: int = 0


@dataclass(frozen=True, slots=True)
class AmountNotPositive(Refusal):
    asked: Cents


@dataclass(frozen=True, slots=True)
class UnknownPlayer(Refusal):
    player: PlayerId
