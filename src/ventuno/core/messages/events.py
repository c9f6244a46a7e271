"""Everything that can have happened at a table: the closed vocabulary of the log.

Only ShoeLoaded knows the order of the cards; it never leaves the house while the shoe is in use. But for a CardScanned
with a face-down card, which does not leave it either, no other event holds a card that is still face down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from ventuno.core.messages.desk_events import DeskEvent
from ventuno.core.rules.cards import Card
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.round import Action, Line, Origin


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
class SeatKept:
    """V-42: the player is there, though he does not bet; his rounds without a bet count anew."""

    player: PlayerId
    box: int


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


class Follow(NamedTuple):
    """A bettor behind who puts up a further stake with the owner."""

    player: PlayerId
    amount: Cents


@dataclass(frozen=True, slots=True)
class HandsDealt:
    """Two cards to each box and the dealer's up-card; his second card lies face down (V-04)."""

    hands: tuple[tuple[int, tuple[Card, Card]], ...]
    up: Card


@dataclass(frozen=True, slots=True)
class DuelDealt:
    """An up card to each hand and the two community cards; all the rest lies face down (D-06)."""

    hands: tuple[tuple[int, Card], ...]
    community: tuple[Card, Card]


@dataclass(frozen=True, slots=True)
class InsuranceAnswered:
    """Insurance taken (amount above zero), declined, or even money accepted."""

    player: PlayerId
    box: int
    amount: Cents
    even_money: bool
    origin: Origin


@dataclass(frozen=True, slots=True)
class InsuranceClosed:
    """Every answer is in."""


@dataclass(frozen=True, slots=True)
class Peeked:
    """The dealer looked at his hole card; Blackjack ends the round (V-08)."""

    blackjack: bool


@dataclass(frozen=True, slots=True)
class DecisionAsked:
    box: int
    hand: int
    deadline: int | None


@dataclass(frozen=True, slots=True)
class EarlyChosen:
    """Known to the owner alone until it is executed (V-54, H-4)."""

    player: PlayerId
    box: int
    action: Action | None


@dataclass(frozen=True, slots=True)
class DecisionReplaced:
    """Funds were missing: the automatic action takes the place of the one asked (V-59)."""

    player: PlayerId
    box: int
    asked: Action
    done: Action
    missing: Cents


@dataclass(frozen=True, slots=True)
class FollowSkipped:
    """A bettor behind wanted to follow but lacked the funds (V-34)."""

    player: PlayerId
    box: int
    action: Action
    missing: Cents


@dataclass(frozen=True, slots=True)
class HandHit:
    box: int
    hand: int
    card: Card
    origin: Origin


@dataclass(frozen=True, slots=True)
class HandStood:
    box: int
    hand: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class HandDoubled:
    """`paid`: its stakes went into play with the decision, before the card came (X-27)."""

    player: PlayerId
    box: int
    hand: int
    card: Card
    stake: Cents
    follows: tuple[Follow, ...]
    origin: Origin
    paid: bool = False


@dataclass(frozen=True, slots=True)
class HandSplit:
    """`paid`: its stakes went into play with the decision, before the card came (X-27)."""

    player: PlayerId
    box: int
    hand: int
    cards: tuple[Card, Card]
    stake: Cents
    follows: tuple[Follow, ...]
    origin: Origin
    paid: bool = False


@dataclass(frozen=True, slots=True)
class HandCashedOut:
    """The main bet is over for `offer` hundredths of its stake (F-09)."""

    box: int
    hand: int
    offer: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class HandSurrendered:
    box: int
    hand: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class HandFolded:
    box: int
    origin: Origin


@dataclass(frozen=True, slots=True)
class CommunityChosen:
    """The raise is placed beside the chosen community card: 0 left, 1 right (D-07)."""

    player: PlayerId
    box: int
    side: int
    stake: Cents
    origin: Origin


@dataclass(frozen=True, slots=True)
class HiddenTurned:
    """A duel's player turns his own face-down card and adds it (D-08)."""

    box: int
    card: Card
    origin: Origin


@dataclass(frozen=True, slots=True)
class WheelSpun:
    """What the wheel drew, stored with the spin (L-31)."""

    player: PlayerId
    box: int
    segment: str
    boxes: tuple[str, ...]
    start: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class BoardSpun:
    player: PlayerId
    box: int
    locks: Mapping[int, int]
    diamonds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HoleTurned:
    card: Card


@dataclass(frozen=True, slots=True)
class DealerDrew:
    card: Card


@dataclass(frozen=True, slots=True)
class DealerChose:
    """A duel's dealer turns his first card and takes a community card by the house way (D-10)."""

    card: Card
    side: int


@dataclass(frozen=True, slots=True)
class RoundAbandoned:
    """A player without a clock has stayed away for the long delay: the time-out rules close the round (reading 17)."""


@dataclass(frozen=True, slots=True)
class RoundSettled:
    lines: tuple[Line, ...]
    deadline: int | None
    at: int


@dataclass(frozen=True, slots=True)
class RoundVoided:
    """Every stake comes back to who placed it (V-77)."""

    by: str
    reason: str
    refunds: tuple[Follow, ...]
    deadline: int | None
    at: int


@dataclass(frozen=True, slots=True)
class DecisionTaken:
    """A decision that needs a card which is not scanned yet: its stakes are in play, nobody changes it (X-27)."""

    player: PlayerId
    box: int
    hand: int
    action: Action
    stake: Cents
    follows: tuple[Follow, ...]
    origin: Origin


Event: TypeAlias = (
    MoneyBrought
    | MoneyTaken
    | SeatTaken
    | SeatLeaving
    | SeatFreed
    | SeatWarned
    | SeatKept
    | BehindAllowed
    | FollowChosen
    | ShoeLoaded
    | ShoeRetired
    | BettingOpened
    | BetPlaced
    | BetRemoved
    | BetsFinalised
    | BettingEnded
    | HandsDealt
    | DuelDealt
    | InsuranceAnswered
    | InsuranceClosed
    | Peeked
    | DecisionAsked
    | EarlyChosen
    | DecisionReplaced
    | FollowSkipped
    | HandHit
    | HandStood
    | HandDoubled
    | HandSplit
    | HandCashedOut
    | HandSurrendered
    | HandFolded
    | CommunityChosen
    | HiddenTurned
    | WheelSpun
    | BoardSpun
    | HoleTurned
    | DealerDrew
    | DealerChose
    | RoundAbandoned
    | RoundSettled
    | RoundVoided
    | LimitsChanged
    | TablePausedBy
    | TableResumed
    | TableClosingBy
    | TableClosed
    | DecisionTaken
    | DeskEvent
)
BETS = (BetPlaced, BetRemoved, BetsFinalised)
"""Bets that are moved: clock, shoe and round stay as they are."""
