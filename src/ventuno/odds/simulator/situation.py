"""Where a round of one box can stand between two cards: it waits for a card, asks its player, or is over."""

from __future__ import annotations

from typing import NamedTuple

FIRST, UP, SECOND, PEEK, HIT, DOUBLE, SPLIT, HOLE, DRAW, TOSS = range(10)
STEPS_OF_THE_HOLE = (PEEK, HOLE, TOSS)
ACTIONS = ("hit", "stand", "double", "split", "surrender", "cash-out", "insure", "decline")
HIT_IT, STAND, DOUBLE_IT, SPLIT_IT, SURRENDER, CASH_OUT, INSURE, DECLINE = range(len(ACTIONS))
ACE, TEN = 1, 10
LOW, CHARLIE, NATURAL, SURRENDERED = 16, 22, 23, 24


class Hand(NamedTuple):
    """What of a hand still matters: its total, its size as far as the sheet asks, its cards if they are equal."""

    total: int
    soft: bool
    size: int
    pair: int = -1


class Spot(NamedTuple):
    """Everything beside the hand in play. `live` are hands that stand, as (total or kind, stakes on it)."""

    up: int = 0
    dealer: Hand | None = None
    insured: bool = False
    split: int = -1
    hands: int = 1
    waiting: int = 0
    first: int = 0
    live: tuple[tuple[int, int], ...] = ()
    won: int = 0
    staked: int = 0


class Wait(NamedTuple):
    step: int
    spot: Spot = Spot()
    hand: Hand = Hand(0, False, 0)
    end: End | None = None


class Decide(NamedTuple):
    insurance: bool
    spot: Spot
    hand: Hand


class End(NamedTuple):
    """Result and stakes in units of the machine; `natural` is what triggers a bonus (L-21)."""

    won: int
    staked: int
    natural: bool


Situation = Wait | Decide | End


def depends_on_dealer(spot: Spot) -> bool:
    """Whether some hand's result depends on the dealer's total: the lowest kind comes first."""
    return bool(spot.live) and spot.live[0][0] < CHARLIE


def forget_pair(hand: Hand) -> Hand:
    return Hand(hand.total, hand.soft, hand.size) if hand.pair >= 0 else hand


def has_natural(spot: Spot) -> bool:
    return bool(spot.live) and spot.live[0][0] == NATURAL


def make_hand(first: int, second: int, pair: int = -1) -> Hand:
    points = first + second
    soft = ACE in (first, second)
    return Hand(points + 10 if soft else points, soft, 2, pair)


def add_card(hand: Hand, value: int, most: int) -> Hand:
    """One card more; the size is counted as far as the sheet asks."""
    points = hand.total - 10 * hand.soft + value
    soft = (hand.soft or value == ACE) and points <= 11
    return Hand(points + 10 * soft, soft, min(hand.size + 1, most))
