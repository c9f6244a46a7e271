"""What players, the house and the supervisor may ask of a table. Each carries its time `at`, in milliseconds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from ventuno.core.rules.cards import Card
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.round import Action


class Spot(NamedTuple):
    """Where a bet lies: a box (0 for the table's own) and the kind of bet."""

    box: int
    bet: str


@dataclass(frozen=True, slots=True)
class BringMoney:
    """Bring money to the table (D-19, L-36)."""

    player: PlayerId
    amount: Cents
    at: int
    vip: int | None = None


@dataclass(frozen=True, slots=True)
class TakeMoney:
    """Take free money away from the table."""

    player: PlayerId
    amount: Cents
    at: int


@dataclass(frozen=True, slots=True)
class TakeSeat:
    player: PlayerId
    box: int
    at: int


@dataclass(frozen=True, slots=True)
class LeaveSeat:
    player: PlayerId
    box: int
    at: int


@dataclass(frozen=True, slots=True)
class KeepSeat:
    """Say that one is still there: the rounds without a bet count anew (V-42)."""

    player: PlayerId
    box: int
    at: int


@dataclass(frozen=True, slots=True)
class AllowBehind:
    """Allow or forbid others to bet behind one's boxes (V-33)."""

    player: PlayerId
    allowed: bool
    at: int


@dataclass(frozen=True, slots=True)
class ChooseFollow:
    """The pre-decisions of a bettor behind a box (V-30…V-32)."""

    player: PlayerId
    box: int
    double: bool
    split: bool
    at: int


@dataclass(frozen=True, slots=True)
class PlaceBet:
    """Add a chip to one or more spots (V-47, V-48). With `exact` nothing is cut down to a maximum."""

    player: PlayerId
    spots: tuple[Spot, ...]
    amount: Cents
    at: int
    exact: bool = False


@dataclass(frozen=True, slots=True)
class RemoveBet:
    """Take so much off a spot; without an amount, all of it (D-02, S-14)."""

    player: PlayerId
    spot: Spot
    at: int
    amount: Cents = 0


@dataclass(frozen=True, slots=True)
class UndoBet:
    player: PlayerId
    at: int


@dataclass(frozen=True, slots=True)
class ClearBets:
    player: PlayerId
    at: int


@dataclass(frozen=True, slots=True)
class RepeatBets:
    """The bets of the previous round again, each `times` as large (V-49; L-16 DOUBLE & DEAL)."""

    player: PlayerId
    at: int
    times: int = 1


@dataclass(frozen=True, slots=True)
class DoubleBets:
    player: PlayerId
    at: int


@dataclass(frozen=True, slots=True)
class DealNow:
    """Make one's bets final; where all have, or at a table for one, the cards are dealt (V-36…V-38, F-04)."""

    player: PlayerId
    at: int


@dataclass(frozen=True, slots=True)
class Act:
    """A decision on a box: the owner's, or a bettor's answer on his own insurance (V-29).

    `lag` is how long it was under way, as far as the house credits it: it counts as made so much earlier (X-15).
    """

    player: PlayerId
    box: int
    action: Action
    at: int
    lag: int = 0


@dataclass(frozen=True, slots=True)
class ActAll:
    """One insurance answer for all own boxes that still wait (S-26, L-07)."""

    player: PlayerId
    action: Action
    at: int
    lag: int = 0


@dataclass(frozen=True, slots=True)
class ActEarly:
    """Choose the first decision before the turn comes; None takes it back (V-54)."""

    player: PlayerId
    box: int
    action: Action | None
    at: int


@dataclass(frozen=True, slots=True)
class SpinWheel:
    """Turn the bonus wheel; the house adds what was drawn (L-22, R-04)."""

    player: PlayerId
    box: int
    segment: str
    at: int
    boxes: tuple[str, ...] = ()
    start: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SpinBoard:
    """Respin the empty cells: `locks` are new prizes by cell, `diamonds` those of full diamond boxes (L-27)."""

    player: PlayerId
    box: int
    locks: Mapping[int, int]
    at: int
    diamonds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TimeOut:
    """The clock speaks for one player: the automatic decision takes the place of his own (V-57, V-60)."""

    box: int
    at: int
    player: PlayerId = ""


@dataclass(frozen=True, slots=True)
class Tick:
    """The deadline of the table has come."""

    at: int


@dataclass(frozen=True, slots=True)
class LoadShoe:
    """Cards for this table: the whole pack shuffled, or `stacked` for practice and scenarios (X-08, X-20)."""

    cards: tuple[Card, ...]
    cut: int
    at: int
    stacked: bool = False


@dataclass(frozen=True, slots=True)
class ChangeLimits:
    """New limits, in force when betting opens next (V-43)."""

    limits: Mapping[str, tuple[Cents, Cents]]
    by: str
    at: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Pause:
    by: str
    reason: str
    at: int


@dataclass(frozen=True, slots=True)
class Resume:
    by: str
    at: int


@dataclass(frozen=True, slots=True)
class Void:
    """Void the open round: every stake comes back (V-77, R-07). `round` says which one is meant, where it is said."""

    by: str
    reason: str
    at: int
    round: str = ""


@dataclass(frozen=True, slots=True)
class CloseTable:
    """No new bets; when the open round is over seats are left, money goes back, and the table is no more (X-10)."""

    by: str
    reason: str
    at: int


@dataclass(frozen=True, slots=True)
class TakeDesk:
    """Become the dealer of a table with scanned cards; another dealer's place is taken over (X-27)."""

    player: PlayerId
    at: int


@dataclass(frozen=True, slots=True)
class LeaveDesk:
    """Leave the dealer's place: without a dealer the table stands still."""

    player: PlayerId
    at: int


@dataclass(frozen=True, slots=True)
class ScanCard:
    """The card that was wanted; the house adds salt and commitment, which a face-down one needs (X-27)."""

    player: PlayerId
    card: Card
    at: int
    salt: str = ""
    commitment: str = ""


@dataclass(frozen=True, slots=True)
class TakeBackScan:
    """Take back the last scan, as long as nothing has followed from it."""

    player: PlayerId
    reason: str
    at: int


@dataclass(frozen=True, slots=True)
class ShowCutCard:
    """The cut card has come out: this round is the last of its shoe (V-81)."""

    player: PlayerId
    at: int


@dataclass(frozen=True, slots=True)
class DeclareShoe:
    """A shuffled shoe lies ready (V-81, V-82)."""

    player: PlayerId
    at: int


@dataclass(frozen=True, slots=True)
class DeclareMisdeal:
    """Cards went wrong: the table stands still, and the supervisor is called (V-76)."""

    player: PlayerId
    reason: str
    at: int


@dataclass(frozen=True, slots=True)
class CallHelp:
    """Call the supervisor; play goes on."""

    player: PlayerId
    reason: str
    at: int


@dataclass(frozen=True, slots=True)
class PauseDesk:
    """The dealer holds the table up for a moment."""

    player: PlayerId
    at: int


@dataclass(frozen=True, slots=True)
class ResumeDesk:
    """The dealer goes on after a pause of his own."""

    player: PlayerId
    at: int


DeskCommand: TypeAlias = (
    TakeDesk
    | LeaveDesk
    | ScanCard
    | TakeBackScan
    | ShowCutCard
    | DeclareShoe
    | DeclareMisdeal
    | CallHelp
    | PauseDesk
    | ResumeDesk
)
"""What a dealer asks of a table with scanned cards."""
Command: TypeAlias = (
    BringMoney
    | TakeMoney
    | TakeSeat
    | KeepSeat
    | LeaveSeat
    | AllowBehind
    | ChooseFollow
    | PlaceBet
    | RemoveBet
    | UndoBet
    | ClearBets
    | RepeatBets
    | DoubleBets
    | DealNow
    | Act
    | ActAll
    | ActEarly
    | SpinWheel
    | SpinBoard
    | TimeOut
    | Tick
    | LoadShoe
    | ChangeLimits
    | Pause
    | Resume
    | Void
    | CloseTable
    | DeskCommand
)
