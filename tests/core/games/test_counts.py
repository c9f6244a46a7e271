"""Exhaustive counts on tiny shoes, like perft: every ordering of a few cards, every sequence of legal decisions.

The table plays them all; a second player of the rules, written here from the criteria on card names and plain lists,
plays them too. Per ordering both must end in the same multiset of results, `None` where the shoe ends too early.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations_with_replacement, permutations
from math import comb, factorial, prod

import pytest

from ventuno import sheets
from ventuno.core.games import side_bets
from ventuno.core.messages.commands import Act, DealNow, LoadShoe, PlaceBet, Spot, TakeSeat, Tick
from ventuno.core.messages.refusals import Refusal, ShoeExhausted
from ventuno.core.rules import cards
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table import legal
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.round import Action
from ventuno.core.table.state import Phase, Table

STAKE = 100
Net = int | None


@dataclass(frozen=True)
class Rules:
    """The little that these rounds need of a game, stated here once more and by hand."""

    game: str
    switches: dict[str, str] = field(default_factory=dict)
    peek: str = ""
    double_after_split: bool = False
    split_by_rank: bool = False
    split_hands: int = 2
    aces_one_card: bool = True
    double_returns_on_ten: bool = False
    even_money: bool = False
    cash_out: bool = False
    surrender: bool = False
    hits_soft_17: bool = False
    charlie: int = 0


V = Rules("ventuno", peek="A")
F = Rules("first-person", peek="A", cash_out=True)
S = Rules("sisal", split_by_rank=True, aces_one_card=False)
L = Rules("link", double_after_split=True, double_returns_on_ten=True, even_money=True, charlie=10)
SIXTH = Rules(
    "ventuno",
    {
        "dealer.peek": '["A", "ten"]',
        "dealer.soft_17": "hit",
        "surrender": "late",
        "charlie": "4",
        "split.hands": "3",
        "double.after_split": "true",
        "insurance.offered": "false",
        "seats.count": "1",
        "seats.per_player": "1",
    },
    peek="AT",
    double_after_split=True,
    split_hands=3,
    surrender=True,
    hits_soft_17=True,
    charlie=4,
)


# The table.


def orderings(line: str) -> list[tuple[str, ...]]:
    """The orderings that differ by a card."""
    return sorted(set(permutations(line.split())))


def settled_nets(sheet: Sheet, order: tuple[str, ...]) -> Iterator[Net]:
    """What the real table makes of one ordering: the net of every way through it."""
    shoe = tuple(map(cards.card, order))
    table = open_table("T", sheet, "p", {"p": 10**6})
    table = done(advance(table, LoadShoe(shoe, 0, 0, stacked=True)))
    if not sheet.game.solo:
        table = done(advance(table, TakeSeat("p", 1, 0)))
    table = done(advance(table, PlaceBet("p", (Spot(1, "main"),), STAKE, 0)))
    start = advance(table, DealNow("p", 0) if sheet.game.solo else Tick(table.deadline or 0))
    yield from after(start)


def done(answer: object) -> Table:
    assert isinstance(answer, tuple)
    table = answer[1]
    assert isinstance(table, Table)
    return table


def after(answer: object) -> Iterator[Net]:
    if isinstance(answer, Refusal):
        assert isinstance(answer, ShoeExhausted), answer
        yield None
        return
    table = done(answer)
    if table.phase is not Phase.ROUND:
        yield table.purse("p") - 10**6
        return
    at = (table.deadline or 1) - 1
    for action in Action:
        if isinstance(legal.may_act(table, "p", 1, action, at), int):
            yield from after(advance(table, Act("p", 1, action, at)))


# The second player of the same rules.


def points(hand: tuple[str, ...]) -> int:
    total = sum({"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10}.get(card[0]) or int(card[0]) for card in hand)
    return total + 10 if total < 12 and any(card[0] == "A" for card in hand) else total


def hard_points(card: str) -> int:
    return 10 if card[0] in "TJQK" else 11 if card[0] == "A" else int(card[0])


@dataclass(frozen=True)
class Held:
    cards: tuple[str, ...]
    added: int = 0
    state: str = "play"
    split: bool = False
    back: int = 0


class Brute:
    """One box by the criteria alone."""

    def __init__(self, rules: Rules, order: tuple[str, ...], offers: dict[tuple[bool, int, int], int]) -> None:
        self.rules, self.order, self.offers = rules, order, offers
        self.up, self.hole = order[1], order[3]
        self.natural = points((self.up, self.hole)) == 21

    def nets(self) -> Iterator[Net]:
        first = (self.order[0], self.order[2])
        mine = points(first) == 21
        asks = [0]
        if self.up[0] == "A" and "insurance.offered" not in self.rules.switches:
            asks = [0, -1] if mine and self.rules.even_money else [0, STAKE // 2]
        for insured in asks:
            bought = max(insured, 0)
            side = 2 * bought if self.natural else -bought
            if insured < 0:
                yield STAKE
            elif self.looks() and self.natural:
                yield side + (0 if mine else -STAKE)
            elif mine:
                yield 0 + side if self.natural else STAKE * 3 // 2 + side
            else:
                for net in self.play((Held(first),), 4):
                    yield None if net is None else net + side

    def looks(self) -> bool:
        return ("A" in self.rules.peek and self.up[0] == "A") or ("T" in self.rules.peek and self.up[0] in "TJQK")

    def play(self, hands: tuple[Held, ...], place: int) -> Iterator[Net]:
        index = next((i for i, hand in enumerate(hands) if hand.state == "play"), None)
        if index is None:
            yield self.settle(hands, place)
            return
        hand = hands[index]
        if points(hand.cards) == 21:
            yield from self.play(self.put(hands, index, Held(hand.cards, 0, "stood", hand.split)), place)
            return
        yield from self.play(self.put(hands, index, Held(hand.cards, 0, "stood", hand.split)), place)
        yield from self.draw(hands, index, place, double=False)
        if len(hand.cards) == 2:
            yield from self.first_actions(hands, index, place)

    def first_actions(self, hands: tuple[Held, ...], index: int, place: int) -> Iterator[Net]:
        hand = hands[index]
        if not hand.split or self.rules.double_after_split:
            yield from self.draw(hands, index, place, double=True)
        if self.is_pair(hand.cards) and len(hands) < self.rules.split_hands:
            yield from self.divide(hands, index, place)
        if hand.split:
            return
        if self.rules.cash_out:
            soft = points(hand.cards) != sum(1 if card[0] == "A" else hard_points(card) for card in hand.cards)
            offer = self.offers[soft, points(hand.cards), hard_points(self.up)]
            yield from self.play(self.put(hands, index, Held(hand.cards, 0, "gone", back=STAKE * offer // 100)), place)
        if self.rules.surrender:
            yield from self.play(self.put(hands, index, Held(hand.cards, 0, "gone", back=STAKE // 2)), place)

    def is_pair(self, two: tuple[str, ...]) -> bool:
        if self.rules.split_by_rank:
            return two[0][0] == two[1][0]
        return hard_points(two[0]) == hard_points(two[1])

    @staticmethod
    def put(hands: tuple[Held, ...], index: int, *new: Held) -> tuple[Held, ...]:
        return (*hands[:index], *new, *hands[index + 1 :])

    def draw(self, hands: tuple[Held, ...], index: int, place: int, *, double: bool) -> Iterator[Net]:
        if place >= len(self.order):
            yield None
            return
        hand = hands[index]
        held = (*hand.cards, self.order[place])
        state = "stood" if double else "play"
        if points(held) > 21:
            state = "bust"
        elif self.rules.charlie and len(held) >= self.rules.charlie:
            state = "charlie"
        changed = Held(held, STAKE if double else 0, state, hand.split)
        yield from self.play(self.put(hands, index, changed), place + 1)

    def divide(self, hands: tuple[Held, ...], index: int, place: int) -> Iterator[Net]:
        if place + 2 > len(self.order):
            yield None
            return
        one, two = hands[index].cards
        state = "stood" if one[0] == "A" and self.rules.aces_one_card else "play"
        pair = (
            Held((one, self.order[place]), 0, state, True),
            Held((two, self.order[place + 1]), 0, state, True),
        )
        yield from self.play(self.put(hands, index, *pair), place + 2)

    def settle(self, hands: tuple[Held, ...], place: int) -> Net:
        dealer: tuple[str, ...] = (self.up, self.hole)
        while any(hand.state == "stood" for hand in hands) and self.draws(dealer):
            if place >= len(self.order):
                return None
            dealer, place = (*dealer, self.order[place]), place + 1
        return sum(self.result(hand, dealer) for hand in hands)

    def draws(self, dealer: tuple[str, ...]) -> bool:
        total = points(dealer)
        aces_low = sum(1 if card[0] == "A" else hard_points(card) for card in dealer)
        return total < 17 or (total == 17 and self.rules.hits_soft_17 and aces_low == 7)

    def result(self, hand: Held, dealer: tuple[str, ...]) -> int:
        whole = STAKE + hand.added
        if hand.state == "bust":
            return -whole
        if hand.state == "gone" and (self.rules.cash_out or not self.natural):
            return hand.back - STAKE
        if self.natural:
            ten_up = self.up[0] in "TJQK"
            return -STAKE if self.rules.double_returns_on_ten and ten_up else -whole
        if hand.state == "charlie" or points(dealer) > 21 or points(hand.cards) > points(dealer):
            return whole
        return 0 if points(hand.cards) == points(dealer) else -whole


def offers_of(sheet: Sheet) -> dict[tuple[bool, int, int], int]:
    """The cash-out table of a sheet by softness, total and up-card: data, not rules."""
    return {
        (soft, int(total), up): row[up - 2]
        for soft, rows in ((False, sheet.cash_out.hard), (True, sheet.cash_out.soft))
        for total, row in rows.items()
        for up in range(2, 12)
    }


SMALL = {
    "splits": (V, "8S 8S 8S TS AS AS 3S", 420),
    "aces": (V, "8S 8S TS 3S AS AS 7S", 1260),
    "cash": (F, "6S 5S AS TS 9S 2S", 720),
    "ranks": (S, "TS KS AS AS AS 6S 5S", 840),
    "tens": (S, "TS KS AS 6S 5S 9S", 720),
    "charlies": (SIXTH, "2S 2S 2S AS 6S TS TS", 420),
    "resplit": (SIXTH, "3S 3S 3S 3S AS TS 8S 6S", 1680),
    "even": (L, "AS TS AS 8S TS 8S 9S", 630),
    "doubles": (L, "5S 5S 5S TS AS 6S 7S", 840),
}


@pytest.mark.parametrize("name", SMALL)
def test_every_way_through_a_tiny_shoe(name: str) -> None:
    """V-04…V-19, F-09, S-21…S-25, L-07…L-12: as many ends, with the same results, ordering by ordering."""
    rules, line, expected = SMALL[name]
    sheet = sheets.load(rules.game, rules.switches)
    offers = offers_of(sheet)
    orders = orderings(line)
    copies = Counter(line.split()).values()
    assert len(orders) == factorial(len(line.split())) // prod(map(factorial, copies)) == expected
    ends: Counter[str] = Counter()
    for order in orders:
        mine = Counter(settled_nets(sheet, order))
        theirs = Counter(Brute(rules, order, offers).nets())
        assert mine == theirs, (order, mine - theirs, theirs - mine)
        ends["all"] += mine.total()
        ends["short"] += mine[None]
        ends["net"] += sum(net * times for net, times in mine.items() if net is not None)
    assert (ends["all"], ends["short"], ends["net"]) == PERFT[name]


PERFT = {
    "splits": (2362, 294, -96400),
    "aces": (6320, 380, -230800),
    "cash": (3848, 890, -186024),
    "ranks": (4684, 792, -211600),
    "tens": (2628, 0, -128800),
    "charlies": (2440, 810, -63400),
    "resplit": (14274, 5168, -436200),
    "even": (3294, 362, -155650),
    "doubles": (5120, 1122, -207700),
}
"""Ends, ends for want of cards, and the sum of all nets, per tiny shoe."""


@pytest.mark.parametrize("wrong", [{"peek": "AT"}, {"aces_one_card": False}, {"hits_soft_17": True}, {"charlie": 4}])
def test_a_wrong_rule_changes_the_counts(wrong: dict[str, object]) -> None:
    """The comparison can fail: a second player with one rule changed disagrees somewhere."""
    changed = Rules(**{**V.__dict__, **wrong})
    sheet = sheets.load("ventuno")
    line = "AS AS 6S TS 2S 2S 2S"
    assert any(
        Counter(settled_nets(sheet, order)) != Counter(Brute(changed, order, {}).nets())
        for order in reversed(orderings(line))
    )


# The duel.

WAY = (
    *("21", "20", "19", "11", "10", "9", "18", "17", "s16", "s15", "s14", "s13", "s12"),
    *("8", "7", "6", "5", "12", "13", "14", "15", "16", "4"),
)


def duel_nets(order: tuple[str, ...]) -> Iterator[int]:
    """One hand by D-06…D-14: fold, or a community card and then hit or stand."""
    up, first, left, right, hidden, second = order
    yield -STAKE
    for chosen in (left, right):
        mine = points((up, chosen))
        for total in (mine,) if mine == 21 else (mine, points((up, chosen, hidden))):
            yield -2 * STAKE if total > 21 else against(total, dealers(first, left, right, second))


def dealers(first: str, left: str, right: str, second: str) -> int:
    row_left, row_right = way(first, left), way(first, right)
    taken = left if row_left <= row_right else right
    total = points((first, taken))
    return points((first, taken, second)) if total <= 16 else total


def way(one: str, two: str) -> int:
    total = points((one, two))
    soft = "A" in (one[0], two[0]) and total < 17
    return WAY.index(f"s{total}" if soft else str(total))


def against(mine: int, dealer: int) -> int:
    if dealer < 13:
        return STAKE
    if dealer > 21 or mine > dealer:
        return 2 * STAKE
    return 0 if mine == dealer else -2 * STAKE


@pytest.mark.parametrize(("line", "expected"), [("AS 2S 5S 9S TS KS", 720), ("AS AS 6S 7S 4S 8S", 360)])
def test_every_duel_of_six_cards(line: str, expected: int) -> None:
    """D-06…D-14; one fold and, per side, two ends but where two cards make 21."""
    sheet = sheets.load("duello")
    orders = orderings(line)
    assert len(orders) == expected
    ends = 0
    for order in orders:
        mine = Counter(settled_nets(sheet, order))
        assert mine == Counter(duel_nets(order)), order
        twenty_ones = sum(points((order[0], side)) == 21 for side in order[2:4])
        assert mine.total() == 5 - twenty_ones
        ends += mine.total()
    assert ends == 5 * expected - sum(points((o[0], side)) == 21 for o in orders for side in o[2:4])


def test_the_house_way_has_a_row_for_every_pair_of_values() -> None:
    """D-10: 55 pairs of values, 23 rows, each row met."""
    ranks = "23456789TA"
    rows = [way(f"{one}S", f"{two}H") for one, two in combinations_with_replacement(ranks, 2)]
    assert len(rows) == 55
    assert set(rows) == set(range(len(WAY))) == set(range(23))
    assert list(sheets.load("duello").duel.house_way) == [row.replace("s", "soft ") for row in WAY]


# Side bets, by combinatorics.


def ways(hand: tuple[int, ...], decks: int) -> int:
    """In how many ways these cards, in any order, come out of so many decks."""
    return prod(comb(decks, times) for times in Counter(hand).values())


def returns(game: str, bet: str, size: int) -> tuple[Counter[str], float]:
    """How often each category wins over all hands of the sheet's decks, and the return in per cent."""
    sheet = sheets.load(game)
    side, decks = sheet.sides[bet], sheet.shoe.decks
    found: Counter[str] = Counter()
    back = total = 0
    for hand in combinations_with_replacement(range(52), size):
        weight = ways(hand, decks)
        total += weight
        if won := side_bets.find_win(side, hand):
            found[won[0]] += weight
            back += weight * won[1].pay(STAKE)
    assert total == comb(52 * decks, size)
    return found, 100 * back / (STAKE * total)


def test_pairs_by_combinatorics() -> None:
    """V-21, S-27, L-18: 13 ranks; same suit, same colour, other colour."""
    for game, decks, rtp in (
        ("ventuno", 8, 95.90),
        ("first-person", 8, 95.90),
        ("sisal", 8, 84.58),
        ("link", 6, 93.89),
    ):
        found, percent = returns(game, "perfect-pairs", 2)
        assert found == {
            "perfect": 52 * comb(decks, 2),
            "coloured": 26 * decks**2,
            "mixed": 52 * decks**2,
        }
        assert round(percent, 2) == rtp


def test_three_cards_by_combinatorics() -> None:
    """V-22, L-19: twelve sequences, the ace low or high; S-29: no straights, a straight flush is a flush."""
    for game, decks, rtp in (("ventuno", 8, 96.30), ("first-person", 8, 96.30), ("link", 6, 95.38)):
        found, percent = returns(game, "21+3", 3)
        assert found == three_cards(decks)
        assert round(percent, 2) == rtp
    found, percent = returns("sisal", "21+3", 3)
    whole = three_cards(8)
    assert found == {
        "suited-trips": whole["suited-trips"],
        "trips": whole["trips"],
        "flush": whole["flush"] + whole["straight-flush"],
    }
    assert round(percent, 2) == 48.40


def three_cards(decks: int) -> dict[str, int]:
    suited = 52 * comb(decks, 3)
    straight_flush = 12 * 4 * decks**3
    return {
        "suited-trips": suited,
        "straight-flush": straight_flush,
        "trips": 13 * comb(4 * decks, 3) - suited,
        "straight": 12 * (4 * decks) ** 3 - straight_flush,
        "flush": 4 * comb(13 * decks, 3) - suited - straight_flush,
    }


def test_two_up_by_combinatorics() -> None:
    """D-15: pair and three of a rank among three cards of six decks; 93.47 %."""
    found, percent = returns("duello", "2-up", 3)
    trips = 13 * comb(24, 3)
    assert found == {"trips": trips, "pair": 13 * comb(24, 2) * 12 * 24}
    assert round(percent, 2) == 93.47
