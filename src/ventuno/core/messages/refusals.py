"""Why the rules say no: one noun for each reason, with the numbers that explain it (X-19).

A refusal changes nothing. Its `code` is its name; its `detail` is one sentence for people.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import ClassVar

from ventuno.core.rules.money import Cents, PlayerId


@dataclass(frozen=True, slots=True)
class Refusal:
    says: ClassVar[str] = "refused"

    @property
    def code(self) -> str:
        return type(self).__name__

    @property
    def detail(self) -> str:
        return " ".join(self.says.format(**asdict(self)).split())


@dataclass(frozen=True, slots=True)
class LimitReached(Refusal):
    """V-47, S-09."""

    says = "{bet}: at most {maximum} cents, {asked} asked"
    bet: str
    maximum: Cents
    asked: Cents


@dataclass(frozen=True, slots=True)
class BelowMinimum(Refusal):
    """V-24, V-36."""

    says = "{bet}: at least {minimum} cents, {asked} asked"
    bet: str
    minimum: Cents
    asked: Cents


@dataclass(frozen=True, slots=True)
class NotAMultiple(Refusal):
    """V-07, reading 2."""

    says = "stakes are multiples of {unit} cents, {asked} is not"
    unit: Cents
    asked: Cents


@dataclass(frozen=True, slots=True)
class FundsMissing(Refusal):
    """V-44, V-58, D-03, L-15."""

    says = "{needed} cents are needed, {available} are there"
    needed: Cents
    available: Cents


@dataclass(frozen=True, slots=True)
class RoundCapReached(Refusal):
    """S-10, reading 19."""

    says = "all stakes of a round may sum to {cap} cents, this would make {asked}"
    cap: Cents
    asked: Cents


@dataclass(frozen=True, slots=True)
class SessionCapReached(Refusal):
    """S-10, reading 19."""

    says = "at most {cap} cents may be brought to a session, this would make {asked}"
    cap: Cents
    asked: Cents


@dataclass(frozen=True, slots=True)
class BetNotOffered(Refusal):
    says = "{bet} is not offered here"
    bet: str


@dataclass(frozen=True, slots=True)
class MainBetMissing(Refusal):
    """V-23, S-08, L-03."""

    says = "{bet} needs a main bet first"
    bet: str


@dataclass(frozen=True, slots=True)
class NoSuchBox(Refusal):
    says = "there is no box {box}; boxes are 1 to {count}"
    box: int
    count: int


@dataclass(frozen=True, slots=True)
class BoxTaken(Refusal):
    says = "box {box} is taken"
    box: int


@dataclass(frozen=True, slots=True)
class SeatsFull(Refusal):
    """V-40."""

    says = "a player may hold {most} seats here"
    most: int


@dataclass(frozen=True, slots=True)
class NotSeated(Refusal):
    says = "box {box} is not yours"
    box: int


@dataclass(frozen=True, slots=True)
class SoloTable(Refusal):
    """F-01: one player against the dealer."""

    says = "this table is for one player"


@dataclass(frozen=True, slots=True)
class OwnBox(Refusal):
    """V-25."""

    says = "nobody bets behind his own box {box}"
    box: int


@dataclass(frozen=True, slots=True)
class BoxEmpty(Refusal):
    says = "nobody sits at box {box}"
    box: int


@dataclass(frozen=True, slots=True)
class BehindForbidden(Refusal):
    """V-33."""

    says = "the player at box {box} takes no bets behind"
    box: int


@dataclass(frozen=True, slots=True)
class BettingClosed(Refusal):
    """V-45, R-10."""

    says = "no more bets"


@dataclass(frozen=True, slots=True)
class BetsFinal(Refusal):
    """V-37, S-16."""

    says = "these bets are final"


@dataclass(frozen=True, slots=True)
class NoBets(Refusal):
    says = "there is no bet"


@dataclass(frozen=True, slots=True)
class NothingToRepeat(Refusal):
    """V-49."""

    says = "there is no earlier bet to repeat"


@dataclass(frozen=True, slots=True)
class AlreadyBetting(Refusal):
    """V-49: repeat comes before the first chip."""

    says = "repeat comes before the first chip of the round"


@dataclass(frozen=True, slots=True)
class NotYourTurn(Refusal):
    """V-10, V-28."""

    says = "box {box} is not being asked"
    box: int


@dataclass(frozen=True, slots=True)
class ActionNotAllowed(Refusal):
    """V-55."""

    says = "{action}: {reason}"
    action: str
    reason: str


@dataclass(frozen=True, slots=True)
class TooEarly(Refusal):
    says = "not before {deadline}, it is {at}"
    deadline: int
    at: int


@dataclass(frozen=True, slots=True)
class TooLate(Refusal):
    """R-10: the server's order decides."""

    says = "the time was up at {deadline}, it is {at}"
    deadline: int
    at: int


@dataclass(frozen=True, slots=True)
class TablePaused(Refusal):
    """V-76."""

    says = "the table is paused: {reason}"
    reason: str


@dataclass(frozen=True, slots=True)
class TableClosing(Refusal):
    """X-10: nothing new begins at a table that closes."""

    says = "the table closes: {reason}"
    reason: str


@dataclass(frozen=True, slots=True)
class WrongPhase(Refusal):
    says = "not while the table is {phase}"
    phase: str


@dataclass(frozen=True, slots=True)
class NothingToVoid(Refusal):
    """R-08: a settled round is not voided."""

    says = "there is no open round"


@dataclass(frozen=True, slots=True)
class OtherRound(Refusal):
    """R-07: a void means one round, and it is not this one."""

    says = "{round} is not what is open now"
    round: str


@dataclass(frozen=True, slots=True)
class ShoeExhausted(Refusal):
    says = "the shoe ends too early: card {needed} of {held} is asked"
    needed: int
    held: int


@dataclass(frozen=True, slots=True)
class TooManyCopies(Refusal):
    says = "more than {decks} copies of {card} in {decks} decks"
    card: str
    decks: int


@dataclass(frozen=True, slots=True)
class ShoeUnfit(Refusal):
    says = "{reason}"
    reason: str


@dataclass(frozen=True, slots=True)
class DrawNeeded(Refusal):
    """L-21: the bonus waits for its draw."""

    says = "box {box} waits for its bonus"
    box: int


@dataclass(frozen=True, slots=True)
class BonusImpossible(Refusal):
    says = "{reason}"
    reason: str


@dataclass(frozen=True, slots=True)
class AmountNotPositive(Refusal):
    says = "an amount is a positive whole number of cents, {asked} is not"
    asked: Cents


@dataclass(frozen=True, slots=True)
class UnknownPlayer(Refusal):
    says = "{player} has brought no money to this table"
    player: PlayerId
