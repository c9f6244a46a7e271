"""A table as it travels: the public part, equal for everybody, and one's own part beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Person:
    """Whoever is seen at a table. A bot is called one everywhere."""

    player: str
    name: str
    bot: bool


@dataclass(frozen=True, slots=True)
class Seat:
    box: int
    player: str
    streak: int
    hottest: bool
    takes_behind: bool
    leaving: bool


@dataclass(frozen=True, slots=True)
class Hand:
    cards: tuple[str, ...]
    total: str
    stake: int
    added: int
    status: str
    outcome: str


@dataclass(frozen=True, slots=True)
class Side:
    bet: str
    stake: int
    won: str | None
    returned: int | None


@dataclass(frozen=True, slots=True)
class BehindStake:
    """A bet behind: base and added stake per hand. Insurance is null until its answers are shown."""

    player: str
    stakes: tuple[tuple[int, int], ...]
    insurance: int | None


@dataclass(frozen=True, slots=True)
class Bonus:
    """The bonus of Link: the segment of the wheel, and a board with 18 cells where it is one."""

    segment: str
    boxes: tuple[str, ...]
    cells: tuple[int, ...]
    spins: int
    diamonds: tuple[str, ...]
    prize: int | None


@dataclass(frozen=True, slots=True)
class Box:
    box: int
    player: str
    hands: tuple[Hand, ...]
    face_down: int
    sides: tuple[Side, ...]
    behind: tuple[BehindStake, ...]
    insurance: int | None
    even_money: bool
    bonus: Bonus | None


@dataclass(frozen=True, slots=True)
class Dealer:
    cards: tuple[str, ...]
    face_down: int
    total: str
    community: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """Whose decision it is; hand 0 is a bonus."""

    box: int
    hand: int


@dataclass(frozen=True, slots=True)
class Chips:
    """A bet on the felt before the deal."""

    player: str
    box: int
    bet: str
    amount: int


@dataclass(frozen=True, slots=True)
class Settled:
    """A line of the settlement with its criterion and its arithmetic (X-05). Box and hand are 0 where there is none."""

    player: str
    bet: str
    stake: int
    returned: int
    criterion: str
    arithmetic: str
    box: int
    hand: int


@dataclass(frozen=True, slots=True)
class PublicView:
    """What everybody sees. `bets` are those that are final; `deadline` is in the house's clock."""

    table: str
    game: str
    name: str
    sheet: str
    practice: bool
    closing: bool
    phase: str
    stage: str
    code: str
    deadline: int | None
    paused: str | None
    shoe: int
    cards_left: int
    people: Mapping[str, Person]
    seats: tuple[Seat, ...]
    dealer: Dealer
    boxes: tuple[Box, ...]
    turn: Turn | None
    bets: tuple[Chips, ...]
    lines: tuple[Settled, ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """Why not (X-19): the name of the refusal, and the numbers that explain it. Words are in catalogues."""

    code: str
    numbers: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Option:
    """Something one could do: its price in cents where it is open, every reason where it is closed."""

    price: int | None
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class DecisionOption(Option):
    box: int
    action: str


@dataclass(frozen=True, slots=True)
class SpotOption(Option):
    """`price` is how much the spot still takes, up to its maximum."""

    box: int
    bet: str


@dataclass(frozen=True, slots=True)
class Options:
    decisions: tuple[DecisionOption, ...]
    early: tuple[DecisionOption, ...]
    betting: Mapping[str, Option]
    spots: tuple[SpotOption, ...]


@dataclass(frozen=True, slots=True)
class OwnBox:
    """What is one's own at one's own box: the early decision, the answer on insurance, the cash-out offer."""

    box: int
    early: str | None
    insurance: int | None
    even_money: bool
    offer: int | None


@dataclass(frozen=True, slots=True)
class OwnBehind:
    box: int
    insurance: int | None
    follow_double: bool
    follow_split: bool


@dataclass(frozen=True, slots=True)
class ChipChoice:
    value: int
    enabled: bool


@dataclass(frozen=True, slots=True)
class Limit:
    least: int
    most: int


@dataclass(frozen=True, slots=True)
class PrivateView:
    """What only this player sees: his purse here, his bets and choices, all he may do, and why not the rest."""

    player: str
    balance: int
    staked: int
    chips: tuple[ChipChoice, ...]
    bets: tuple[Chips, ...]
    boxes: tuple[OwnBox, ...]
    behind: tuple[OwnBehind, ...]
    limits: Mapping[str, Limit]
    options: Options
    session: str
    participation: str
