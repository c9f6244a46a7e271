"""How long the house takes to answer while a hole card lies face down: with Blackjack under it, and without (H-2).

The time is the processor's, of the thread that reads the frame, decides, shows and writes; the other cards of a round
are drawn in the same way for both, and which of the two it is is drawn for each round anew.
"""

from __future__ import annotations

import math
import statistics
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from tests.support.hidden_shoes import Cards, Shoes, dealt
from tests.support.paired_houses import OWNER, PairedHouse, Start
from ventuno.core.rules.cards import is_ace, is_ten

LIMIT = 4.5
"""What |t| stays below (G-16); beyond it by chance once in 150,000 comparisons."""
CROPPED = 0.9
"""The share of the times that is compared: the longest are the machine's own, whoever is measured."""
GAME = "first-person"
BET = 500


@dataclass
class Times:
    """Nanoseconds by what was asked; of each both kinds: without Blackjack, and with."""

    of: dict[str, tuple[list[int], list[int]]] = field(default_factory=lambda: defaultdict(lambda: ([], [])))

    def add(self, what: str, blackjack: bool, spent: int) -> None:
        self.of[what][blackjack].append(spent)

    def scores(self) -> dict[str, float]:
        return {what: welch(*cropped(*both)) for what, both in self.of.items()}


def cropped(one: Sequence[int], other: Sequence[int]) -> tuple[list[int], list[int]]:
    """Both kinds below one bound, that of all of them together."""
    bound = sorted([*one, *other])[int(CROPPED * (len(one) + len(other))) - 1]
    return [value for value in one if value <= bound], [value for value in other if value <= bound]


def welch(one: Sequence[int], other: Sequence[int]) -> float:
    """Welch's t of two samples."""
    spread = statistics.variance(one) / len(one) + statistics.variance(other) / len(other)
    return (statistics.fmean(one) - statistics.fmean(other)) / math.sqrt(spread)


@dataclass
class Peeking:
    """A table for one, a bet on it, and rounds that are begun again and again."""

    twin: PairedHouse
    start: Start
    shoes: Shoes
    times: Times = field(default_factory=Times)

    @classmethod
    async def begin(cls, twin: PairedHouse) -> Peeking:
        await twin.ask(OWNER, do="bet", spots=[{"box": 1, "bet": "main"}], amount=BET)
        return cls(twin, twin.save(), Shoes(twin.sheet))

    def cards(self, up_is_ace: bool, blackjack: bool, rng: Random) -> Cards:
        """A round in which the player is asked: he has 12 to 16; the dealer has Blackjack, or any other hole card."""
        pack, deal = list(rng.choice(self.shoes.packs)), dealt(self.twin.sheet, 1, 0)
        place = rng.randrange(len(pack))
        pack = [*pack[place:], *pack[:place]]
        _swap(pack, 0, lambda one: is_ten(one), rng)
        _swap(pack, deal.up, is_ace if up_is_ace else is_ten, rng)
        _swap(pack, deal.up + 1, lambda one: 0 <= one >> 2 <= 4, rng)
        completes = is_ten if up_is_ace else is_ace
        _swap(pack, deal.hole, completes if blackjack else lambda one: not completes(one), rng)
        return tuple(pack)

    async def round(self, rng: Random) -> None:
        """The deal and, where the dealer shows a ten, a card; under an ace the question of insurance ends it."""
        up_is_ace, blackjack = rng.random() < 0.4, rng.random() < 0.5
        await self.twin.restore(self.start, self.cards(up_is_ace, blackjack, rng), 0)
        await self.timed("deal, ace up" if up_is_ace else "deal, ten up", blackjack, do="deal")
        if not up_is_ace:
            await self.timed("card, ten up", blackjack, do="decide", box=1, action="hit")

    async def timed(self, what: str, blackjack: bool, **command: object) -> None:
        told = len(self.twin.told)
        began = time.thread_time_ns()
        await self.twin.ask(OWNER, **command)
        spent = time.thread_time_ns() - began
        assert b'"refused":null' in self.twin.told[-1].what, (what, self.twin.told[told:])
        self.times.add(what, blackjack, spent)


def _swap(cards: list[int], place: int, wanted: object, rng: Random) -> None:
    """A card of the wanted kind there, from the depth, whatever lay there: so both kinds of rounds cost the same."""
    assert callable(wanted)
    found = next(at for at in range(rng.randrange(60, 150), len(cards)) if wanted(cards[at]))
    cards[place], cards[found] = cards[found], cards[place]
