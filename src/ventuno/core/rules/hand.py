"""What a hand is worth (V-02, V-03, V-05)."""

from __future__ import annotations

from ventuno.core.rules.cards import VALUES, Card

_VALUE = VALUES.__getitem__
_ACES = frozenset((48, 49, 50, 51))


def total(cards: tuple[Card, ...]) -> int:
    """The best total: one ace counts 11 while that does not pass 21."""
    points = sum(map(_VALUE, cards))
    if points <= 11 and not _ACES.isdisjoint(cards):
        return points + 10
    return points


def is_soft(cards: tuple[Card, ...]) -> bool:
    """An ace counts 11."""
    return sum(map(_VALUE, cards)) <= 11 and not _ACES.isdisjoint(cards)


def is_natural(cards: tuple[Card, ...]) -> bool:
    """Twenty-one with two cards; whether that is Blackjack depends on how the hand came about (V-03, V-17)."""
    return len(cards) == 2 and total(cards) == 21


def format_total(cards: tuple[Card, ...], *, resolved: bool = False) -> str:
    """The total beside the cards: `7/17` while soft and undecided, one number otherwise (V-05, reading 1)."""
    best = total(cards)
    if best < 21 and not resolved and is_soft(cards):
        return f"{best - 10}/{best}"
    return str(best)


def dealer_draws(cards: tuple[Card, ...], *, hits_soft_17: bool) -> bool:
    """The dealer's only rule: draw on 16 or less, stand on 17 or more; soft 17 as the sheet says (V-18)."""
    best = total(cards)
    return best < 17 or (best == 17 and hits_soft_17 and is_soft(cards))
