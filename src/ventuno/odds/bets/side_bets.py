"""Side bets by counting: every category of a sheet as an exact fraction of all deals (V-20, S-34, D-18, L-20).

All bets here look at two or three cards of a fresh shoe. The deals fall into shapes (`Shape`) that no category cuts
in two; a shape is paid by the best of the categories it satisfies that the sheet pays at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb, sqrt

from ventuno.core.rules.cards import RANKS, SUITS, VALUES, count_values
from ventuno.core.rules.money import Odds
from ventuno.core.rules.sheet import CATEGORIES, Sheet, SideBet
from ventuno.odds.exact.chart import UP_CARDS, Chart, pair_action

SEQUENCES: tuple[str, ...] = tuple(("A" + RANKS)[start : start + 3] for start in range(len(RANKS) - 1))
"""The straights of three cards: the ace is low or high and never in the middle (V-22)."""


@dataclass(frozen=True, slots=True)
class Shape:
    """Deals that satisfy the same categories, best first, and how many there are."""

    satisfies: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class Hit:
    """One paid category: how often it comes, and what it pays."""

    category: str
    pays: Odds
    probability: Fraction


@dataclass(frozen=True, slots=True)
class SideReturn:
    """The exact return of a side bet; `rtp` is a fraction of the stake, nothing is ever added to it later."""

    rtp: Fraction
    hits: tuple[Hit, ...]

    @property
    def variance(self) -> Fraction:
        squares = sum((hit.probability * hit.pays.total**2 for hit in self.hits), Fraction(0))
        return squares - self.rtp**2

    @property
    def sd(self) -> float:
        return sqrt(self.variance)

    @property
    def maximum(self) -> Fraction:
        """The largest win, to one."""
        return max(hit.pays.profit for hit in self.hits)


def side_return(sheet: Sheet, bet: str) -> SideReturn:
    """The return of one side bet of a sheet, certified alone, as if kept."""
    return count_side_bet(sheet.sides[bet], sheet.shoe.decks)


def count_side_bet(side: SideBet, decks: int, sequences: tuple[str, ...] = SEQUENCES) -> SideReturn:
    """The return of a side bet dealt from so many decks."""
    all_shapes = list_shapes(side.kind, decks, sequences)
    deals = comb(len(RANKS) * len(SUITS) * decks, 2 if side.kind in ("pair", "dealer-pair") else 3)
    counts = dict.fromkeys((name for name in CATEGORIES[side.kind] if name in side.pays), 0)
    for shape in all_shapes:
        if category := best_category(shape.satisfies, side.pays):
            counts[category] += shape.count
    hits = tuple(Hit(name, side.pays[name], Fraction(count, deals)) for name, count in counts.items())
    return SideReturn(sum((hit.probability * hit.pays.total for hit in hits), Fraction(0)), hits)


def best_category(satisfied: tuple[str, ...], pays: Mapping[str, Odds]) -> str:
    """The category that is paid: the dearest that the deal satisfies, none where the sheet pays none of them."""
    return max((name for name in satisfied if name in pays), key=lambda name: pays[name].total, default="")


def list_shapes(kind: str, decks: int, sequences: tuple[str, ...] = SEQUENCES) -> tuple[Shape, ...]:
    """All deals that satisfy some category of this kind of bet."""
    match kind:
        case "pair" | "dealer-pair":
            return _pairs(decks)
        case "three-cards":
            return _three_cards(decks, sequences)
        case "two-up":
            return _two_up(decks)
        case _:
            raise ValueError(f"{kind} is not decided by counting cards")


def _pairs(decks: int) -> tuple[Shape, ...]:
    ranks, suits = len(RANKS), len(SUITS)
    return (
        Shape(("perfect",), ranks * suits * comb(decks, 2)),
        Shape(("coloured",), ranks * 2 * decks**2),
        Shape(("mixed",), ranks * 4 * decks**2),
    )


def _three_cards(decks: int, sequences: tuple[str, ...]) -> tuple[Shape, ...]:
    ranks, suits = len(RANKS), len(SUITS)
    suited_trips = ranks * suits * comb(decks, 3)
    suited_sequence = len(sequences) * suits * decks**3
    return (
        Shape(("suited-trips", "trips", "flush"), suited_trips),
        Shape(("straight-flush", "straight", "flush"), suited_sequence),
        Shape(("trips",), ranks * comb(suits * decks, 3) - suited_trips),
        Shape(("straight",), len(sequences) * (suits * decks) ** 3 - suited_sequence),
        Shape(("flush",), suits * comb(ranks * decks, 3) - suited_trips - suited_sequence),
    )


def _two_up(decks: int) -> tuple[Shape, ...]:
    ranks, copies = len(RANKS), len(SUITS) * decks
    return (
        Shape(("pair",), ranks * comb(copies, 2) * (ranks - 1) * copies),
        Shape(("trips",), ranks * comb(copies, 3)),
    )


def count_kept_by_standing(sheet: Sheet, bet: str, chart: Chart) -> SideReturn:
    """A pair bet that asking a card forfeits, for someone who plays the main bet by the chart (S-27, reading 22).

    The other reading, `side_return`, is that of a player who stands on every pair.
    """
    side, decks = sheet.sides[bet], sheet.shoe.decks
    copies, cards = count_values(decks), 52 * decks
    counts = {shape.satisfies[0]: Fraction(shape.count, len(RANKS)) for shape in _pairs(decks)}
    stood = Fraction(0)
    for value in VALUES[:: len(SUITS)]:
        for up in UP_CARDS:
            if pair_action(chart, value, up) == "S":
                stood += Fraction(copies[up] - (2 if up == value else 0), cards - 2)
    deals = comb(cards, 2)
    hits = tuple(Hit(name, pays, stood * counts[name] / deals) for name, pays in side.pays.items())
    return SideReturn(sum((hit.probability * hit.pays.total for hit in hits), Fraction(0)), hits)
