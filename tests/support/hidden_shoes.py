"""Two shoes that differ only where cards lie hidden, and the moment at which the difference may be seen.

Places are counted from the first card of the round. What an event turns is said here once more, apart from the house's
own account of it, so that both can be wrong only together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

from ventuno.core.messages.events import (
    BettingEnded,
    BoardSpun,
    DealerChose,
    DealerDrew,
    DuelDealt,
    Event,
    HandDoubled,
    HandHit,
    HandsDealt,
    HandSplit,
    HiddenTurned,
    HoleTurned,
    InsuranceClosed,
    Peeked,
    WheelSpun,
)
from ventuno.core.rules import hand
from ventuno.core.rules.cards import Card, is_ace, is_ten, pack
from ventuno.core.rules.sheet import DUEL, Sheet

Cards = tuple[Card, ...]
Wanted = Callable[[Card], bool]
DEEP = 120
"""Places at the end of a shoe that no single round comes to."""
HIDDEN = ("hole", "rest", "later", "both")
DUEL_HIDDEN = ("own", "first", "second", "all")


class Deal(NamedTuple):
    """Where the cards of a deal to so many boxes lie, from the place at which the shoe stands."""

    up: int
    hole: int
    own: tuple[int, ...]
    rest: int


def dealt(sheet: Sheet, boxes: int, start: int) -> Deal:
    """The dealer's up-card (or first card), his last card face down, the players' own face-down ones, what is left."""
    if sheet.game.family == DUEL:
        own = tuple(range(start + boxes + 3, start + 2 * boxes + 3))
        return Deal(start + boxes, start + 2 * boxes + 3, own, start + 2 * boxes + 4)
    return Deal(start + boxes, start + 2 * boxes + 1, (), start + 2 * boxes + 2)


@dataclass
class Shoes:
    """Makes pairs of shoes; packs are shuffled once and turned after that, for the sake of time."""

    sheet: Sheet
    packs: list[Cards] = field(default_factory=list)

    def __post_init__(self) -> None:
        for seed in range(16):
            cards = list(pack(self.sheet.shoe.decks))
            Random(seed).shuffle(cards)
            self.packs.append(tuple(cards))

    def pair(self, mode: str, boxes: int, start: int, rng: Random) -> tuple[Cards, Cards]:
        """Two orders of the same cards that agree wherever a card is shown before the reveal."""
        held, place = rng.choice(self.packs), rng.randrange(len(self.packs[0]))
        mine = [*held[place:], *held[:place]]
        deal = dealt(self.sheet, boxes, start)
        if self.sheet.game.family != DUEL:
            _bring(mine, deal.up, rng.choice((is_ace, is_ace, is_ten, is_ten, None)), rng)
            _bring(mine, deal.hole, rng.choice((is_ace, is_ten, None)), rng)
            if mode == "draws" or rng.random() < 0.2:
                _bring(mine, start, is_ace, rng)
                _bring(mine, deal.up + 1, is_ten, rng)
        other = list(mine)
        for one in self._changed(mode, deal, rng):
            _change(other, one, rng)
        if mode in ("rest", "both", "later"):
            first = deal.rest + (rng.randrange(1, 4) if mode == "later" else 0)
            turn = rng.randrange(1, len(mine) - first)
            other[first:] = [*other[first + turn :], *other[first : first + turn]]
        return tuple(mine), tuple(other)

    def _changed(self, mode: str, deal: Deal, rng: Random) -> Sequence[int]:
        """The places of the deal that are changed, each for a card from the depth of the shoe."""
        match mode:
            case "hole" | "both" | "second":
                return (deal.hole,)
            case "first":
                return (deal.up,)
            case "own":
                return rng.sample(deal.own, rng.randrange(1, len(deal.own) + 1))
            case "all":
                return (deal.up, deal.hole, *deal.own)
            case _:
                return ()


def _bring(cards: list[Card], place: int, wanted: Wanted | None, rng: Random) -> None:
    """Put a card of the wanted kind there, in exchange for the one that lies there."""
    if wanted is not None and not wanted(cards[place]):
        found = next(at for at in range(rng.randrange(60, 200), len(cards)) if wanted(cards[at]))
        cards[place], cards[found] = cards[found], cards[place]


def _change(cards: list[Card], place: int, rng: Random) -> None:
    """Another card from the depth: mostly of another value."""
    held = cards[place]
    wanted: Wanted = rng.choice((lambda one: one != held, is_ace, is_ten, lambda one: not is_ten(one)))
    depth = range(len(cards) - rng.randrange(DEEP // 2, DEEP), len(cards))
    others = [at for at in depth if cards[at] != held]
    found = next((at for at in others if wanted(cards[at])), others[0])
    cards[place], cards[found] = cards[found], cards[place]


@dataclass
class Watch:
    """Follows the events of one round, and knows the moment at which a hidden difference may be seen.

    `draws` says that the outcomes of spins differ too.
    """

    sheet: Sheet
    mine: Cards
    other: Cards
    place: int
    draws: bool = False
    revealed: bool = False
    _deal: Deal = Deal(0, 0, (), 0)
    _own: dict[int, int] = field(default_factory=dict)
    _down: tuple[int, ...] = ()
    """The places of the dealer's cards that lie face down, in the order in which he turns them."""
    _up: tuple[Card, ...] = ()

    def see(self, events: Iterable[Event]) -> None:
        for event in events:
            turned = self._turned(event)
            if any(self.mine[at] != self.other[at] for at in turned):
                self.revealed = True

    def _turned(self, event: Event) -> Sequence[int]:
        """The places of the cards that this event turns face up."""
        place = self.place
        match event:
            case HandsDealt(hands):
                self._deal = dealt(self.sheet, len(hands), place)
                self.place, self._down = self._deal.rest, (self._deal.hole,)
                return range(place, self._deal.hole)
            case DuelDealt(hands):
                self._deal = deal = dealt(self.sheet, len(hands), place)
                self._own = {box: deal.own[number] for number, (box, _) in enumerate(hands)}
                self.place, self._down = deal.rest, (deal.up, deal.hole)
                return (*range(place, deal.up), deal.up + 1, deal.up + 2)
            case HandHit() | HandDoubled() | DealerDrew():
                self.place += 1
                return (place,)
            case HandSplit():
                self.place += 2
                return place, place + 1
            case HoleTurned() | DealerChose():
                turned, self._down = self._down[:1], self._down[1:]
                return turned
            case HiddenTurned(box):
                return (self._own[box],)
            case Peeked(blackjack):
                self.revealed |= self._may_tell()
                return (self._deal.hole,) if blackjack and is_ace(self.mine[self._deal.up]) else ()
            case WheelSpun() | BoardSpun():
                self.revealed |= self.draws
            case _:
                pass
        return ()

    def _may_tell(self) -> bool:
        """A look under an ace tells whether there is Blackjack, and no more (H-2, V-08)."""
        up, hole = self._deal.up, self._deal.hole
        natural = [hand.is_natural((one[up], one[hole])) for one in (self.mine, self.other)]
        return is_ace(self.mine[up]) and natural[0] != natural[1]


@dataclass
class Choice:
    """Follows what somebody chose for himself: hidden from all others until it is carried out (H-4, H-5)."""

    kind: str
    box: int
    revealed: bool = False

    def see(self, events: Iterable[Event]) -> None:
        for event in events:
            match self.kind, event:
                case "chips", BettingEnded():
                    self.revealed = True
                case "insurance", InsuranceClosed():
                    self.revealed = True
                case "follow", HandDoubled(box=box) | HandSplit(box=box):
                    self.revealed |= box == self.box
                case "early", _:
                    self.revealed |= getattr(event, "box", 0) == self.box and type(event).__name__ in EXECUTED
                case _:
                    pass


EXECUTED = ("DecisionAsked", "DecisionReplaced", "HandHit", "HandStood", "HandDoubled", "HandSplit", "FollowSkipped")
"""Whatever happens at a box when its turn has come."""
