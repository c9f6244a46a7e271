"""Why the rules say no: one noun for each reason, with the numbers that explain it (X-19).

A refusal changes nothing. Its `code` is its name, its fields are the numbers; a `reason` is a code as well, unless a
person wrote it. The words are in the catalogues (`ventuno.words`).
"""

from __future__ import annotations

from ventuno.core.rules.frozen_record import FrozenRecord
from ventuno.core.rules.money import Cents, PlayerId


class Refusal(FrozenRecord):
    """Why something is not done."""

    @property
    def code(self) -> str:
        return type(self).__name__


class LimitReached(Refusal):
    """V-47, S-09."""

    bet: str
    maximum: Cents
    asked: Cents


class BelowMinimum(Refusal):
    """V-24, V-36."""

    bet: str
    minimum: Cents
    asked: Cents


class NotAMultiple(Refusal):
    """V-07, reading 2."""

    unit: Cents
    asked: Cents


class FundsMissing(Refusal):
    """V-44, V-58, D-03, L-15. `raised` is how much of what is needed is for the raise of a duel."""

    needed: Cents
    available: Cents
    raised: Cents = 0


class RoundCapReached(Refusal):
    """S-10, reading 19."""

    cap: Cents
    asked: Cents


class SessionCapReached(Refusal):
    """S-10, reading 19."""

    cap: Cents
    asked: Cents


class BetNotOffered(Refusal):
    bet: str


class MainBetMissing(Refusal):
    """V-23, S-08, L-03."""

    bet: str


class NoSuchBox(Refusal):
    box: int
    count: int


class BoxTaken(Refusal):
    box: int


class SeatsFull(Refusal):
    """V-40."""

    most: int


class NotSeated(Refusal):
    box: int


class SoloTable(Refusal):
    """F-01: one player against the dealer."""


class OwnBox(Refusal):
    """V-25."""

    box: int


class BoxEmpty(Refusal):
    box: int


class BehindForbidden(Refusal):
    """V-33."""

    box: int


class BettingClosed(Refusal):
    """V-45, R-10."""


class BetsFinal(Refusal):
    """V-37, S-16."""


class NoBets(Refusal):
    pass


class NothingToRepeat(Refusal):
    """V-49."""


class AlreadyBetting(Refusal):
    """V-49: repeat comes before the first chip."""


class NotYourTurn(Refusal):
    """V-10, V-28."""

    box: int


class ActionNotAllowed(Refusal):
    """V-55. `most` is how many hands a split may give, where that is the reason."""

    action: str
    reason: str
    most: int = 0


class TooEarly(Refusal):
    deadline: int
    at: int


class TooLate(Refusal):
    """R-10: the server's order decides."""

    deadline: int
    at: int


class TablePaused(Refusal):
    """V-76."""

    reason: str


class TableClosing(Refusal):
    """X-10: nothing new begins at a table that closes."""

    reason: str


class WrongPhase(Refusal):
    phase: str


class NothingToVoid(Refusal):
    """R-08: a settled round is not voided."""


class OtherRound(Refusal):
    """R-07: a void means one round, and it is not this one."""

    round: str


class ShoeExhausted(Refusal):
    needed: int
    held: int


class TooManyCopies(Refusal):
    card: str
    decks: int


class ShoeUnfit(Refusal):
    """Not the cards of so many `decks`, or the cut card was `asked` outside its window."""

    reason: str
    decks: int = 0
    least: int = 0
    most: int = 0
    asked: int = 0


class DrawNeeded(Refusal):
    """L-21: the bonus waits for its draw."""

    box: int


class BonusImpossible(Refusal):
    """What was `asked`, what is `allowed`, how many are due, up to which cell: as far as the reason has them."""

    reason: str
    asked: str = ""
    allowed: str = ""
    count: int = 0
    most: int = 0


class AmountNotPositive(Refusal):
    asked: Cents


class UnknownPlayer(Refusal):
    player: PlayerId


class CardAwaited(Refusal):
    """X-27: the decision on this box is taken, and its card is not scanned yet."""

    box: int


class CardNotWanted(Refusal):
    """X-27: no card is due now."""


class CardImpossible(Refusal):
    """X-27: all copies that the decks hold are out."""

    card: str
    decks: int


class CardReadTwice(Refusal):
    """X-27: the same card within a second of the last scan."""

    card: str


class NothingToTakeBack(Refusal):
    """X-27: no scan of this shoe."""


class AlreadyFollowed(Refusal):
    """X-27: something has followed from the last scan."""


class NotYourDesk(Refusal):
    """X-27: somebody else deals here."""

    dealer: PlayerId


class NoDesk(Refusal):
    """X-27: nobody deals here, or cards are not scanned here."""
