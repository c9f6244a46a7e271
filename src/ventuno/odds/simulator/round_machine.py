"""One box against the dealer, one card at a time: the rules of a sheet as a machine without a shoe.

Between two cards a round waits (`Wait`), asks its player (`Decide`) or is over (`End`). Cards come in an order that
suits the machine: a card nobody looks at yet (the hole card, the second card of the second split hand) is taken when it
first matters. `Wait.step` says which card of the real deal that is.
"""

from __future__ import annotations

from math import lcm
from typing import NamedTuple

from ventuno.core.rules.cards import RANKS, VALUES
from ventuno.core.rules.sheet import Sheet

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


class Round:
    """The rules of a sheet. `whole`: the hole card leaves the shoe even when no result needs it.

    `values` are the points of the card in each column: ten values, or thirteen ranks where a pair is one rank (S-22).
    Money is counted in `unit`s to the stake.
    """

    def __init__(self, sheet: Sheet, whole: bool = False) -> None:
        offer = 100 if sheet.cash_out.offered else 2
        self.sheet, self.whole = sheet, whole
        self.unit = lcm(offer, sheet.blackjack.pays.profit.denominator, 2 * sheet.insurance.pays.profit.denominator)
        ranked = sheet.split.equal == "rank"
        self.values = tuple(VALUES[rank * 4] for rank in range(len(RANKS))) if ranked else tuple(range(1, 11))
        self._peeks = frozenset(ACE if card == "A" else TEN for card in sheet.dealer.peek)
        self._takes = {ACE: sheet.dealer_blackjack_takes.ace, TEN: sheet.dealer_blackjack_takes.ten}

    def column(self, card: int) -> int:
        return card >> 2 if len(self.values) > 10 else VALUES[card] - 1

    def start(self) -> Wait:
        return Wait(FIRST)

    def take_card(self, wait: Wait, column: int) -> Situation:
        """The card has come."""
        spot, hand, value = wait.spot, wait.hand, self.values[column]
        match wait.step:
            case 0:
                return Wait(UP, Spot(split=column))
            case 1:
                return Wait(SECOND, spot._replace(up=value, staked=self.unit))
            case 2:
                return self._deal_second(spot, column)
            case 3 | 7:
                return self._turn_hole(wait, value)
            case 4:
                return self._draw(spot, add_card(hand, value, self._most()), 1)
            case 5:
                return self._draw(spot, add_card(hand, value, self._most()), 2)
            case 6:
                return self._turn(spot, self._two_cards(spot.split, column), 1)
            case 8:
                return self._dealer_draws(spot, add_card(spot.dealer or hand, value, 3))
            case _:
                assert wait.end is not None
                return wait.end

    def list_legal(self, decide: Decide) -> tuple[int, ...]:
        """What the player may do, funds apart."""
        spot, hand = decide.spot, decide.hand
        if decide.insurance:
            return (DECLINE, INSURE)
        actions = [HIT_IT, STAND]
        fresh, whole = hand.size == 2, spot.split < 0
        if fresh and (whole or self.sheet.double.after_split) and hand.total in self.sheet.double.totals:
            actions.append(DOUBLE_IT)
        if fresh and hand.pair >= 0 and spot.hands < self.sheet.split.hands:
            actions.append(SPLIT_IT)
        if fresh and whole and self.sheet.surrender == "late":
            actions.append(SURRENDER)
        if fresh and whole and self.sheet.cash_out.offered:
            actions.append(CASH_OUT)
        return tuple(actions)

    def act(self, decide: Decide, action: int) -> Situation:
        spot, hand = decide.spot, decide.hand
        match ACTIONS[action]:
            case "insure":
                return self._insure(spot, hand)
            case "decline":
                return self._open(spot, hand)
            case "hit":
                return Wait(HIT, self._plain(spot), forget_pair(hand))
            case "stand":
                return self._stand(spot, hand.total, 1)
            case "double":
                spot = self._plain(spot)._replace(staked=spot.staked + self.unit)
                return Wait(DOUBLE, spot, forget_pair(hand))
            case "split":
                staked, waiting = spot.staked + self.unit, spot.waiting + 1
                after = spot._replace(split=hand.pair, hands=spot.hands + 1, waiting=waiting, staked=staked)
                return Wait(SPLIT, after)
            case "surrender":
                return self._stand(spot, SURRENDERED, 1)
            case _:
                offer = self.sheet.cash_out.offer(hand.total, hand.soft, spot.up) * self.unit // 100
                return self._close(spot._replace(won=spot.won + offer - self.unit))

    def _plain(self, spot: Spot) -> Spot:
        """Once the last split hand goes on, which cards were split does not matter any more: fewer states."""
        if spot.split < 0 or spot.waiting:
            return spot
        return Spot(spot.up, spot.dealer, spot.insured, len(self.values) - 2, 2, 0, *spot[6:])

    def _most(self) -> int:
        return self.sheet.charlie or 3

    def _deal_second(self, spot: Spot, column: int) -> Situation:
        """Both cards of the box and the up-card lie (V-04); an ace up brings insurance (V-06)."""
        hand, spot = self._two_cards(spot.split, column), spot._replace(split=-1)
        if spot.up == ACE and self.sheet.insurance.offered:
            return Decide(True, spot, hand)
        return self._open(spot, hand)

    def _insure(self, spot: Spot, hand: Hand) -> Situation:
        if hand.total == 21 and self.sheet.insurance.even_money:
            return self._end(spot, End(self.unit, self.unit, True))
        return self._open(spot._replace(insured=True, staked=spot.staked + self.unit // 2), hand)

    def _open(self, spot: Spot, hand: Hand) -> Situation:
        if spot.up in self._peeks:
            return Wait(PEEK, spot, hand)
        return self._first_turn(spot, hand)

    def _first_turn(self, spot: Spot, hand: Hand) -> Situation:
        if hand.total == 21:
            return self._stand(spot, NATURAL, 1)
        return self._turn(spot, hand, 1)

    def _turn(self, spot: Spot, hand: Hand, stakes: int) -> Situation:
        """What a hand of 21 or less does by itself (V-12, L-14), or the question to its player."""
        if self.sheet.charlie and hand.size >= self.sheet.charlie:
            return self._stand(spot, CHARLIE, stakes)
        one_card = spot.split >= 0 and self.values[spot.split] == ACE and self.sheet.split.aces == "one-card"
        if hand.total == 21 or one_card or stakes == 2:
            return self._stand(spot, hand.total, stakes)
        return Decide(False, spot, hand)

    def _draw(self, spot: Spot, hand: Hand, stakes: int) -> Situation:
        if hand.total <= 21:
            return self._turn(spot, hand, stakes)
        lost = spot.won - stakes * self.unit
        return self._go_on(spot._replace(won=lost, first=self._mark(spot, 2)))

    def _two_cards(self, first: int, second: int) -> Hand:
        return make_hand(self.values[first], self.values[second], first if first == second else -1)

    def _stand(self, spot: Spot, kind: int, stakes: int) -> Situation:
        entry = (kind if kind > LOW else LOW, stakes)
        live = tuple(sorted((*spot.live, entry))) if spot.live else (entry,)
        return self._go_on(Spot(*spot[:6], self._mark(spot, 1), live, spot.won, spot.staked))

    def _mark(self, spot: Spot, how: int) -> int:
        """Whether the hand with the original stake stood (1) or bust (2), where a dealer Blackjack asks."""
        return spot.first or (how if self._takes.get(spot.up) == "original" else 0)

    def _go_on(self, spot: Spot) -> Situation:
        if spot.waiting:
            return Wait(SPLIT, Spot(*spot[:5], spot.waiting - 1, *spot[6:]))
        return self._close(spot)

    def _close(self, spot: Spot) -> Situation:
        """The box is done: the dealer turns the hole card if anything depends on it (reading 32)."""
        if spot.dealer is not None:
            return self._dealer_draws(spot, spot.dealer)
        if depends_on_dealer(spot) or (spot.up in (ACE, TEN) and (spot.live or spot.insured)):
            return Wait(HOLE, Spot(spot.up, None, spot.insured, -1, 1, 0, *spot[6:]))
        return self._end(spot, self._settle(spot, 0))

    def _turn_hole(self, wait: Wait, value: int) -> Situation:
        """The hole card, looked at before play (V-08) or turned after it (V-09)."""
        spot, dealer = wait.spot, make_hand(wait.spot.up, value)
        half = self.unit // 2
        if dealer.total == 21:
            gained = int(half * self.sheet.insurance.pays.profit) if spot.insured else 0
            if wait.step == PEEK:
                lost = 0 if wait.hand.total == 21 else self.unit
                return End(gained - lost, spot.staked, wait.hand.total == 21)
            return End(spot.won + gained - self._take(spot), spot.staked, has_natural(spot))
        spot = spot._replace(dealer=dealer, insured=False, won=spot.won - half if spot.insured else spot.won)
        return self._first_turn(spot, wait.hand) if wait.step == PEEK else self._dealer_draws(spot, dealer)

    def _take(self, spot: Spot) -> int:
        """What a dealer Blackjack takes of the hands that stand, by up-card (V-09, L-12)."""
        stakes = [stakes for kind, stakes in spot.live if kind != NATURAL]
        match self._takes[spot.up]:
            case "all":
                return sum(stakes) * self.unit
            case "original-and-splits":
                return len(stakes) * self.unit
            case _:
                return self.unit if stakes and spot.first != 2 else 0

    def _dealer_draws(self, spot: Spot, dealer: Hand) -> Situation:
        """The dealer's only rule (V-18); he draws only while a result depends on it."""
        stays = dealer.total > 17 or (dealer.total == 17 and not (dealer.soft and self.sheet.dealer.soft_17 == "hit"))
        if stays or not depends_on_dealer(spot):
            return self._settle(spot, dealer.total if dealer.total <= 21 else 0)
        rest = Hand(dealer.total, dealer.soft, 2)
        return Wait(DRAW, Spot(0, rest, False, -1, 1, 0, 0, spot.live, spot.won, spot.staked))

    def _settle(self, spot: Spot, dealer: int) -> End:
        won = spot.won
        for kind, stakes in spot.live:
            if kind == NATURAL:
                won += int(self.unit * self.sheet.blackjack.pays.profit)
            elif kind == SURRENDERED:
                won -= self.unit // 2
            else:
                won += stakes * self.unit * ((kind > dealer) - (kind < dealer))
        return End(won, spot.staked, has_natural(spot))

    def _end(self, spot: Spot, end: End) -> Situation:
        return Wait(TOSS, end=end) if self.whole and spot.dealer is None else end
