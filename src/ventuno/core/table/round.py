"""What is on the felt during a round: boxes, hands, bets behind, the dealer's cards."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Final, NamedTuple, TypeVar

from ventuno.core.rules import hand
from ventuno.core.rules.cards import Card
from ventuno.core.rules.money import Cents, PlayerId

Record = TypeVar("Record", bound=type[tuple[Any, ...]])


def with_fast_replace(record: Record) -> Record:
    """A named tuple whose `_replace` touches only the fields that change; the usual one asks for each, and a round
    replaces twenty records. Types and names stay those of the class.
    """
    places: dict[str, int] = {name: place for place, name in enumerate(record.__annotations__)}
    make = tuple.__new__

    def replace(self: tuple[Any, ...], /, **changes: object) -> tuple[Any, ...]:
        values = [*self]
        for name in changes:
            values[places[name]] = changes[name]
        return make(record, tuple(values))

    type.__setattr__(record, "_replace", replace)
    return record


class Action(StrEnum):
    """Every decision a player can take, in any game."""

    HIT = "hit"
    STAND = "stand"
    DOUBLE = "double"
    SPLIT = "split"
    SURRENDER = "surrender"
    CASH_OUT = "cash-out"
    INSURE = "insure"
    DECLINE = "decline"
    EVEN_MONEY = "even-money"
    FOLD = "fold"
    LEFT = "left"
    RIGHT = "right"


class Origin(StrEnum):
    """Who took a decision (R-14)."""

    PLAYER = "player"
    EARLY = "early"
    TIMEOUT = "timeout"
    SUBSTITUTION = "substitution"
    RULE = "rule"


class Stage(StrEnum):
    DEAL = "deal"
    INSURANCE = "insurance"
    PEEK = "peek"
    PLAY = "play"
    DEALER = "dealer"
    DONE = "done"


class Status(StrEnum):
    CHOOSING = "choosing"
    PLAYING = "playing"
    STOOD = "stood"
    BUST = "bust"
    BLACKJACK = "blackjack"
    CHARLIE = "charlie"
    CASHED_OUT = "cashed-out"
    SURRENDERED = "surrendered"
    FOLDED = "folded"


OPEN = frozenset((Status.PLAYING, Status.CHOOSING))


# What every step of a round asks for has a name of its own: Python 3.11 finds it ten times faster than a member.
PLAYER: Final = Origin.PLAYER
HIT: Final = Action.HIT
STAND: Final = Action.STAND
DEAL: Final = Stage.DEAL
INSURANCE: Final = Stage.INSURANCE
PLAY: Final = Stage.PLAY
DEALER: Final = Stage.DEALER
DONE: Final = Stage.DONE
PLAYING: Final = Status.PLAYING
CHOOSING: Final = Status.CHOOSING
STOOD: Final = Status.STOOD


class CardPlace(NamedTuple):
    """Where a card goes: `box`, `dealer`, `community`, `burn`, or `shoe` where a shuffled one is due; box, hand and the
    card of that hand from 1, 0 where there is none.
    """

    place: str
    box: int = 0
    hand: int = 0
    card: int = 0
    face: str = "up"


class Pending(NamedTuple):
    """A decision that was taken and waits for its card (X-27); `follows` are further stakes by their bettors."""

    player: PlayerId
    box: int
    hand: int
    action: Action
    stake: Cents
    follows: tuple[tuple[PlayerId, Cents], ...]
    origin: Origin


@with_fast_replace
class Hand(NamedTuple):
    """One hand of a box. `added` is the stake of a double (or of a duel's raise); `offer` a cash-out in hundredths."""

    cards: tuple[Card, ...]
    stake: Cents
    status: Status
    added: Cents = 0
    split: bool = False
    offer: int = 0
    timeouts: int = 0

    @property
    def total(self) -> int:
        return hand.total(self.cards)


class Behind(NamedTuple):
    """A bet behind: stake and followed double on each hand of the box, own insurance, own pre-decisions (V-34)."""

    player: PlayerId
    stakes: tuple[tuple[Cents, Cents], ...]
    follow_double: bool = False
    follow_split: bool = False
    insurance: Cents | None = None

    @property
    def total_stake(self) -> Cents:
        return sum(stake + added for stake, added in self.stakes) + (self.insurance or 0)


class BonusBoard(NamedTuple):
    """A Link or Mega Link board: what each box below shows, the locked prize of each cell, the spins left (L-24)."""

    boxes: tuple[str, ...]
    cells: tuple[int, ...]
    spins: int


class BonusGame(NamedTuple):
    """The bonus of one box: the segment the wheel stopped on, the board if it opened one, the prize once known."""

    segment: str = ""
    board: BonusBoard | None = None
    diamonds: tuple[str, ...] = ()
    prize: int | None = None


@with_fast_replace
class Box(NamedTuple):
    """One box in play. `insurance` is None until answered, 0 when declined; `dealt` keeps
    the first cards for the side bets; `hidden` is a duel's face-down card.
    """

    number: int
    player: PlayerId
    main: Cents
    sides: tuple[tuple[str, Cents], ...]
    hands: tuple[Hand, ...] = ()
    behind: tuple[Behind, ...] = ()
    dealt: tuple[Card, ...] = ()
    insurance: Cents | None = None
    even_money: bool = False
    early: Action | None = None
    hidden: Card | None = None
    bonus: BonusGame | None = None

    @property
    def is_natural(self) -> bool:
        return self.hands[0].status is Status.BLACKJACK

    @property
    def total_stake(self) -> Cents:
        """The owner's stakes on this box, side bets and insurance included."""
        hands = sum([player_hand.stake + player_hand.added for player_hand in self.hands]) if self.hands else self.main
        return hands + sum([stake for _, stake in self.sides]) + (self.insurance or 0)


class Line(NamedTuple):
    """One bet of a settled round, as it is paid and explained (X-05). Box and hand are 0 where there is none."""

    player: PlayerId
    bet: str
    stake: Cents
    returned: Cents
    criterion: str
    arithmetic: str
    box: int = 0
    hand: int = 0


@with_fast_replace
class Round(NamedTuple):
    """A round in play or just settled. `dealer` lies face up, `hidden` face down."""

    code: str
    started: int
    stage: Stage
    boxes: tuple[Box, ...]
    table_bets: tuple[tuple[PlayerId, str, Cents], ...] = ()
    dealer: tuple[Card, ...] = ()
    hidden: tuple[Card, ...] = ()
    community: tuple[Card, ...] = ()
    lines: tuple[Line, ...] = ()
    abandoned: bool = False
    pending: Pending | None = None

    @property
    def has_dealer_hand(self) -> bool:
        """Whether the dealer's cards count: those of a duel in which no hand stands are only turned (reading 32)."""
        if not self.community:
            return True
        return any(hand.status is STOOD for box in self.boxes for hand in box.hands)

    def box(self, number: int) -> Box | None:
        for box in self.boxes:
            if box.number == number:
                return box
        return None

    def get_box(self, number: int) -> Box:
        box = self.box(number)
        if box is None:
            raise LookupError(f"no box {number} in round {self.code}")
        return box

    def total_stake_of(self, player: PlayerId) -> Cents:
        """All stakes of a player in this round: the TOTAL BET of V-52, and what S-10 bounds."""
        amount = sum([stake for owner, _, stake in self.table_bets if owner == player]) if self.table_bets else 0
        for box in self.boxes:
            if box.player == player:
                amount += box.total_stake
            for bettor in box.behind:
                if bettor.player == player:
                    amount += bettor.total_stake
        if (pending := self.pending) is not None:
            amount += sum(
                [stake for who, stake in ((pending.player, pending.stake), *pending.follows) if who == player]
            )
        return amount

    def with_box(self, changed: Box) -> tuple[Box, ...]:
        if len(self.boxes) == 1:
            return (changed,)
        return tuple([changed if box.number == changed.number else box for box in self.boxes])
