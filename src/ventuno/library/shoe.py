"""A shoe: cards in the order in which they leave it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from ventuno.core.rules import cards
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.shoes import cut_window
from ventuno.house.shoes.shuffle import shuffle
from ventuno.library.sheets import read_sheet


@dataclass(frozen=True, slots=True)
class Shoe:
    """Cards as two characters, rank and suit; how many have left; after how many the cut card comes, 0 for never.

    A shoe never changes: `deal` gives the cards and the shoe after them.

    >>> shoe = Shoe.read("9S 7D TC TH")
    >>> dealt, rest = shoe.deal(2)
    >>> dealt, rest.remaining, str(rest)
    (('9S', '7D'), 2, 'TC TH')
    >>> Shoe.shuffled("duello", seed=21).remaining, Shoe.shuffled(2, seed=21).count("A")
    (312, 8)
    """

    cards: tuple[str, ...]
    position: int = 0
    cut: int = 0

    @classmethod
    def read(cls, line: str) -> Shoe:
        """Stacked: these cards and no others. Raises `ventuno.core.rules.cards.NotACard`."""
        return cls(tuple(map(cards.text, cards.cards(line))))

    @classmethod
    def shuffled(cls, game: int | str | Path | Sheet, seed: int | Random | None = None) -> Shoe:
        """The whole pack of a game, with its cut card; or so many decks without one.

        The house's own shuffle (Fisher-Yates without bias) on Python's generator: the same seed gives the same order,
        and nothing is proven by it. How the house seals its shoes is in docs/fairness.md.
        """
        chance = seed if isinstance(seed, Random) else Random(seed)
        sheet = None if isinstance(game, int) else read_sheet(game)
        decks = sheet.shoe.decks if sheet is not None else game
        if not isinstance(decks, int) or decks < 1:
            raise ValueError(f"a shoe has one deck or more, not {decks}")
        order = shuffle(cards.pack(decks), chance.randrange)
        return cls(tuple(map(cards.text, order)), 0, chance.randint(*cut_window(sheet)) if sheet is not None else 0)

    @property
    def remaining(self) -> int:
        return len(self.cards) - self.position

    @property
    def is_out(self) -> bool:
        """The cut card has come out: this shoe serves no further round (V-81)."""
        return bool(self.cut) and self.position >= self.cut

    def deal(self, count: int = 1) -> tuple[tuple[str, ...], Shoe]:
        """The next cards, and the shoe without them."""
        if not 0 <= count <= self.remaining:
            raise ValueError(f"{count} cards from a shoe of {self.remaining}")
        end = self.position + count
        return self.cards[self.position : end], replace(self, position=end)

    def count(self, rank: str) -> int:
        """How many cards of a rank are left."""
        return Counter(card[0] for card in self)[rank]

    def __iter__(self) -> Iterator[str]:
        """The cards that are left."""
        return iter(self.cards[self.position :])

    def __str__(self) -> str:
        return " ".join(self)
