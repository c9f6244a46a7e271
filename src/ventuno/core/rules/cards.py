"""Cards, and the shoe they leave.

A card is a small int, `rank * 4 + suit`, written with two characters: `AS`, `TD`, `7H` (V-02).
Suits go spades, hearts, diamonds, clubs, so the colour of a card is `suit in (1, 2)`.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple, TypeAlias

Card: TypeAlias = int

RANKS = "23456789TJQKA"
SUITS = "SHDC"
ACE = 12
NAMES: tuple[str, ...] = tuple(rank + suit for rank in RANKS for suit in SUITS)
VALUES: tuple[int, ...] = tuple(
    1 if rank == ACE else min(rank + 2, 10) for rank in range(len(RANKS)) for _ in range(len(SUITS))
)
"""Points of each card, an ace counting 1; `hand.total` lifts one ace to 11 where that is better."""

_NUMBERS = {name: number for number, name in enumerate(NAMES)}


class NotACard(ValueError):
    """The text names no card: two characters are needed, a rank of 23456789TJQKA and a suit of SHDC."""


def card(text: str) -> Card:
    """Read one card.

    >>> text(card("TD"))
    'TD'
    """
    try:
        return _NUMBERS[text]
    except KeyError:
        raise NotACard(f"{text!r} is no card: a rank of {RANKS} and a suit of {SUITS}, as in 'TD'") from None


def cards(line: str) -> tuple[Card, ...]:
    """Read cards separated by blanks."""
    return tuple(card(word) for word in line.split())


def text(card: Card) -> str:
    return NAMES[card]


def line(many: tuple[Card, ...]) -> str:
    return " ".join([NAMES[card] for card in many])


def rank(card: Card) -> int:
    return card >> 2


def suit(card: Card) -> int:
    return card & 3


def is_red(card: Card) -> bool:
    return 1 <= card & 3 <= 2


def is_ace(card: Card) -> bool:
    return card >> 2 == ACE


def is_ten(card: Card) -> bool:
    return VALUES[card] == 10


def pack(decks: int) -> tuple[Card, ...]:
    """All cards of so many decks, in order (V-02, S-01, D-01)."""
    return tuple(range(len(NAMES))) * decks


def count_values(decks: int) -> dict[int, int]:
    """Copies of each value, 1 (the ace) to 10, in so many decks."""
    return {value: decks * (16 if value == 10 else 4) for value in range(1, 11)}


def find_surplus(cards: tuple[Card, ...], decks: int) -> Card | None:
    """A card of which more copies are held than the decks contain, if there is one."""
    return next((card for card, count in Counter(cards).items() if count > decks), None)


class Shoe(NamedTuple):
    """Cards in the order in which they leave, how many have left, and where the cut card lies.

    `cut` counts cards dealt, never cards remaining: the round in which that many have left is the last (V-81).
    """

    cards: tuple[Card, ...]
    position: int
    cut: int
    number: int

    @property
    def remaining(self) -> int:
        return len(self.cards) - self.position

    @property
    def is_out(self) -> bool:
        """The cut card has come out: this shoe serves no further round."""
        return self.position >= self.cut

    def next(self, count: int) -> tuple[Card, ...]:
        return self.cards[self.position : self.position + count]

    def after(self, count: int) -> Shoe:
        return Shoe(self.cards, self.position + count, self.cut, self.number)
