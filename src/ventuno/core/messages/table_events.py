"""What has happened around a round: money, seats, shoes, betting, the supervisor.

Only ShoeLoaded knows the order of the cards; it never leaves the house while the shoe is in use.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ventuno.core.rules.cards import Card
from ventuno.core.rules.money import Cents, PlayerId


class Wager(NamedTuple):
    """So much on a spot."""

    box: int
    bet: str
    amount: Cents


@dataclass(frozen=True, slots=True)
class MoneyBrought:
    player: PlayerId
    amount: Cents
    vip: int | None = None


@dataclass(frozen=True, slots=True)
class MoneyTaken:
    player: PlayerId
    amount: Cents


@dataclass(frozen=True, slots=True)
class SeatTaken:
    player: PlayerId
    box: int


@dataclass(frozen=True, slots=True)
class SeatLeaving:
    """The player leaves; the box stays in play until the round ends (V-41)."""

    player: PlayerId
    box: int


@dataclass(frozen=True, slots=True)
class SeatFreed:
    player: PlayerId
    box: int
    reason: str


@dataclass(frozen=True, slots=True)
class SeatWarned:
    """V-42: rounds without a bet so far."""

    player: PlayerId
    box: int
    rounds: int


@dataclass(frozen=True, slots=True)
class BehindAllowed:
    player: PlayerId
    allowed: bool


@dataclass(frozen=True, slots=True)
class FollowChosen:
    player: PlayerId
    box: int
    double: bool
    split: bool


@dataclass(frozen=True, slots=True)
class ShoeLoaded:
    """The one event that knows the order of the cards; it never leaves the house while the shoe is in use."""

    cards: tuple[Card, ...]
    start: int
    cut: int
    number: int


@dataclass(frozen=True, slots=True)
class ShoeRetired:
    number: int


@dataclass(frozen=True, slots=True)
class BettingOpened:
    """`missed`: betting has ended without a bet, which counts as a round for everybody who sits there (V-42)."""

    deadline: int | None
    at: int
    missed: bool = False


@dataclass(frozen=True, slots=True)
class BetPlaced:
    """One act of betting, on one or more spots; undo takes it back as one (V-51)."""

    player: PlayerId
    wagers: tuple[Wager, ...]


@dataclass(frozen=True, slots=True)
class BetRemoved:
    player: PlayerId
    wagers: tuple[Wager, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class BetsFinalised:
    player: PlayerId


@dataclass(frozen=True, slots=True)
class BettingEnded:
    """No more bets: the round begins under this code (V-66)."""

    code: str
    at: int


@dataclass(frozen=True, slots=True)
class LimitsChanged:
    limits: Mapping[str, tuple[Cents, Cents]]
    by: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class TablePausedBy:
    """`at` is unknown in logs of earlier versions, here and in `TableResumed`."""

    by: str
    reason: str
    remaining: int | None
    at: int | None = None


@dataclass(frozen=True, slots=True)
class TableResumed:
    by: str
    deadline: int | None
    at: int | None = None


@dataclass(frozen=True, slots=True)
class TableClosingBy:
    """The table closes when its open round is over."""

    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class TableClosed:
    """Nothing is at the table any more, and nothing comes to it."""
