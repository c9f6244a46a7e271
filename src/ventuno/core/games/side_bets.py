"""Side bets: which category the cards make, and what the sheet pays for it (V-21, V-22, S-27…S-29, D-15)."""

from __future__ import annotations

from ventuno.core.rules.cards import ACE, Card, is_red, rank, suit
from ventuno.core.rules.money import Odds
from ventuno.core.rules.sheet import SideBet

_ACE_LOW = (0, 1, ACE)


def categories(kind: str, cards: tuple[Card, ...]) -> frozenset[str]:
    """Everything that the cards are, whether a sheet pays for it or not."""
    if kind in ("pair", "dealer-pair"):
        return _pair(cards)
    return _three_cards(cards) if kind == "three-cards" else _two_up(cards)


def find_win(side: SideBet, cards: tuple[Card, ...]) -> tuple[str, Odds] | None:
    """The best category that the sheet pays for, if any: best only, never two at once."""
    paid = [(name, side.pays[name]) for name in categories(side.kind, cards) if name in side.pays]
    if len(paid) < 2:
        return paid[0] if paid else None
    return max(paid, key=lambda entry: entry[1].total)


def _pair(cards: tuple[Card, ...]) -> frozenset[str]:
    first, second = cards
    if rank(first) != rank(second):
        return frozenset()
    if suit(first) == suit(second):
        return frozenset(("perfect",))
    return frozenset(("coloured",)) if is_red(first) == is_red(second) else frozenset(("mixed",))


def _three_cards(cards: tuple[Card, ...]) -> frozenset[str]:
    ranks = tuple(sorted(map(rank, cards)))
    flush = len(set(map(suit, cards))) == 1
    trips = ranks[0] == ranks[2]
    straight = ranks == _ACE_LOW or (ranks[0] + 1 == ranks[1] == ranks[2] - 1)
    checks = {
        "flush": flush,
        "straight": straight,
        "trips": trips,
        "straight-flush": flush and straight,
        "suited-trips": flush and trips,
    }
    return frozenset([name for name, true in checks.items() if true])


def _two_up(cards: tuple[Card, ...]) -> frozenset[str]:
    kinds = len(set(map(rank, cards)))
    return frozenset(("trips",)) if kinds == 1 else frozenset(("pair",)) if kinds == 2 else frozenset()
