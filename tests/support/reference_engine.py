"""An engine that is not ours: settles a round of the five games from the regulations alone (R-16, G-10, I-8).

It shares no code with `ventuno` and reads no sheet: a test forbids the import. It is slow, plain and knows each game by
name. What goes in is a scenario of the contract, as JSON; cards are its two characters. What comes out is a list of
lines, and who does not believe the house compares them with those that were paid. The one thing it cannot know are the
cash-out offers (F-10): the regulation publishes only their range, so the table is given to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

FULL_BALANCE = 1_000_000
TENS = "TJQK"
RED = "HD"
LOW_TO_HIGH = "A23456789TJQKA"
SEQUENCES = [frozenset(LOW_TO_HIGH[at : at + 3]) for at in range(12)]
STAKE_UNIT = 10
Offers = Mapping[str, Mapping[str, Sequence[int]]]
"""Hundredths of the stake, `hard` and `soft`, by total, for the up-cards from 2 to the ace."""

# What comes back of a stake of one, the stake included.
TO_ONE_PAIRS = {"perfect": 26, "coloured": 13, "mixed": 7}
TO_ONE_THREE = {"suited-trips": 101, "straight-flush": 41, "trips": 31, "straight": 11, "flush": 6}
SISAL_PAIRS = {"perfect": 25, "coloured": 12, "mixed": 5}
SISAL_THREE = {"suited-trips": 100, "straight-flush": 5, "trips": 30, "flush": 5}
GRAND_PRIZES = {"MINI": 20, "MINOR": 100, "MAJOR": 500, "GRAND": 2000}
LINK_MAXIMUM_WIN = 50_000_000
SISAL_ROUND_CAP = 100_000

HOUSE_WAY = """
AT | A9 TT | A8 T9 | 92 83 74 65 | 82 73 64 55 | 72 63 54 | 99 T8 A7 | 98 T7 A6 | A5 | A4 | A3 | A2 | AA | 26 35 44 |
25 34 | 24 33 | 23 | 93 84 75 66 T2 | 94 85 76 T3 | 95 86 77 T4 | 96 87 T5 | 97 88 T6 | 22
"""
"""The dealer's list in Duello, as it is printed: the first row that he can make is the one he makes (D-10)."""


class NotAllowed(Exception):
    """By the regulation the round cannot have gone like this."""


@dataclass
class PlayedHand:
    cards: list[str]
    stake: int
    doubled: int = 0
    after_split: bool = False
    end: str = ""
    """Empty while it plays; then stood, bust, blackjack, charlie, cashed-out, folded."""


@dataclass
class BackBettor:
    player: str
    stake: int
    follows_double: bool
    follows_split: bool
    doubled: int = 0
    split: int = 0
    insurance: int = 0


@dataclass
class PlayedBox:
    number: int
    player: str
    main: int
    sides: dict[str, int]
    behind: list[BackBettor]
    hands: list[PlayedHand] = field(default_factory=list)
    first_cards: list[str] = field(default_factory=list)
    hidden: str = ""
    insurance: int = 0
    even_money: bool = False
    bonus: int | None = None


def count(cards: list[str]) -> tuple[int, bool]:
    """Total, and whether an ace counts eleven in it."""
    total = sum(1 if card[0] == "A" else 10 if card[0] in TENS else int(card[0]) for card in cards)
    has_ace = any(card[0] == "A" for card in cards)
    return (total + 10, True) if has_ace and total <= 11 else (total, False)


def value_of(card: str) -> str:
    return "T" if card[0] in TENS else card[0]


def name_pair(one: str, other: str) -> str:
    if one[0] != other[0]:
        return ""
    if one[1] == other[1]:
        return "perfect"
    return "coloured" if (one[1] in RED) == (other[1] in RED) else "mixed"


def name_three(cards: list[str], pays: dict[str, int]) -> str:
    """The best category that this game pays."""
    ranks, suits = {card[0] for card in cards}, {card[1] for card in cards}
    straight = len(ranks) == 3 and frozenset(ranks) in SEQUENCES
    held = {
        "suited-trips": len(ranks) == 1 and len(suits) == 1,
        "straight-flush": straight and len(suits) == 1,
        "trips": len(ranks) == 1,
        "straight": straight,
        "flush": len(suits) == 1,
    }
    return max((name for name in pays if held[name]), key=lambda name: pays[name], default="")


class ReferenceRound:
    """One round, from the first bet to the last line."""

    def __init__(self, document: dict[str, Any], offers: Offers, *, limits: bool) -> None:
        self.game, self.offers, self.limits = document["game"], offers, limits
        self.shoe: list[str] = document["shoe"].split()
        self.decisions, self.draws = list(document.get("decisions", [])), list(document.get("bonus", []))
        self.purses: dict[str, int] = dict(document.get("players", {}))
        self.staked: dict[str, int] = {}
        self.dealer: list[str] = []
        self.hole = ""
        self.community: list[str] = []
        self.lines: list[dict[str, Any]] = []
        self.table = dict(document.get("table", {}))
        self.first_player = document["boxes"][0]["player"]
        self.boxes = self.take_bets(document["boxes"])

    # Money

    def pay_in(self, player: str, amount: int) -> None:
        if not self.can_pay(player, amount):
            raise NotAllowed(f"{player} cannot stake {amount} more")
        self.purses[player] = self.purse(player) - amount
        self.staked[player] = self.staked.get(player, 0) + amount

    def can_pay(self, player: str, amount: int) -> bool:
        within_cap = self.game != "sisal" or self.staked.get(player, 0) + amount <= SISAL_ROUND_CAP
        return amount <= self.purse(player) and within_cap

    def purse(self, player: str) -> int:
        return self.purses.setdefault(player, FULL_BALANCE)

    def check_stake(self, stake: int, most: int) -> None:
        if stake % STAKE_UNIT or (self.limits and not 100 <= stake <= most):
            raise NotAllowed(f"a stake of {stake}")

    def take_bets(self, entries: list[dict[str, Any]]) -> list[PlayedBox]:
        boxes = []
        for entry in entries:
            box = PlayedBox(entry["box"], entry["player"], entry.get("main", 0), dict(entry.get("sides", {})), [])
            for bettor in entry.get("behind", []):
                doubles, splits = bettor.get("follow_double", False), bettor.get("follow_split", False)
                box.behind.append(BackBettor(bettor["player"], bettor["stake"], doubles, splits))
            for player, stake, most in [
                *([(box.player, box.main, 50_000)] if box.main else []),
                *[(box.player, stake, 10_000) for stake in box.sides.values()],
                *[(bettor.player, bettor.stake, 50_000) for bettor in box.behind],
            ]:
                self.check_stake(stake, most)
                self.pay_in(player, stake)
            boxes.append(box)
        for stake in self.table.values():
            self.check_stake(stake, 10_000)
            self.pay_in(self.first_player, stake)
        for box in boxes:
            if not box.main:
                for bettor in box.behind:  # the owner sits out: they have their money before the first card (V-27)
                    self.purses[bettor.player] += bettor.stake
                    self.add_line(bettor.player, "behind", bettor.stake, bettor.stake, box=box.number)
        if self.game == "duello" and sum(box.main for box in boxes) > self.purse(self.first_player):
            raise NotAllowed("the second stakes are not covered (D-03)")
        return sorted((box for box in boxes if box.main), key=lambda box: box.number)

    def add_line(self, player: str, bet: str, stake: int, returned: int, *, box: int = 0, hand: int = 0) -> None:
        place = ({"box": box} if box else {}) | ({"hand": hand} if hand else {})
        self.lines.append({"player": player, **place, "bet": bet, "stake": stake, "returned": returned})

    # Cards and decisions

    def draw(self) -> str:
        if not self.shoe:
            raise NotAllowed("the shoe is at its end")
        return self.shoe.pop(0)

    def ask(self, box: PlayedBox, player: str, answers: set[str]) -> str:
        """The next decision of the record, which must be this player's on this box."""
        if not self.decisions:
            raise NotAllowed(f"box {box.number} was to decide")
        decision = self.decisions.pop(0)
        if decision["box"] != box.number or decision.get("player", box.player) != player:
            raise NotAllowed(f"box {box.number} was to decide, not {decision}")
        if decision["do"] not in answers | {"timeout"}:
            raise NotAllowed(f"{decision['do']} on box {box.number}: {sorted(answers)}")
        return str(decision["do"])

    def play(self) -> None:
        if self.boxes:
            if self.game == "duello":
                self.play_duello()
            else:
                self.play_blackjack()
        if self.decisions or self.draws:
            raise NotAllowed("more was decided or drawn than asked")

    # Blackjack: Ventuno, First Person, Sisal, Link

    def play_blackjack(self) -> None:
        for box in self.boxes:
            box.first_cards.append(self.draw())
        self.dealer.append(self.draw())
        for box in self.boxes:
            box.first_cards.append(self.draw())
            natural = count(box.first_cards)[0] == 21
            box.hands = [PlayedHand(list(box.first_cards), box.main, end="blackjack" if natural else "")]
        self.hole = self.draw()
        ace = self.dealer[0][0] == "A"
        if ace:
            self.ask_insurance()
        peeks = ace and self.game in ("ventuno", "first-person")  # Sisal and Link never look (S-24, L-09)
        if not (peeks and count([*self.dealer, self.hole])[0] == 21):
            for box in self.boxes:
                self.play_box(box)
        self.dealer.append(self.hole)
        if any(hand.end == "stood" for box in self.boxes for hand in box.hands):
            while count(self.dealer)[0] < 17:
                self.dealer.append(self.draw())
        self.settle_blackjack()

    def ask_insurance(self) -> None:
        for box in self.boxes:
            even_money = self.game == "link" and box.hands[0].end == "blackjack"
            answer = self.ask(box, box.player, {"decline", "even-money" if even_money else "insure"})
            box.even_money = answer == "even-money"
            if answer == "insure":
                box.insurance = box.main // 2
                self.pay_in(box.player, box.insurance)
            for bettor in box.behind:
                if self.ask(box, bettor.player, {"decline", "insure"}) == "insure":
                    bettor.insurance = bettor.stake // 2
                    self.pay_in(bettor.player, bettor.insurance)

    def play_box(self, box: PlayedBox) -> None:
        if box.hands[0].end == "blackjack":
            if "link" in box.sides:
                if not self.draws:
                    raise NotAllowed("a bonus was due")
                box.bonus = compute_bonus(self.draws.pop(0))
            return
        at = 0
        while at < len(box.hands):  # a split makes the second hand, which is played after the first
            if not box.hands[at].end:
                self.play_hand(box, box.hands[at])
            at += 1

    def play_hand(self, box: PlayedBox, hand: PlayedHand) -> None:
        while not hand.end and len(hand.cards) >= 2:
            total = count(hand.cards)[0]
            if total == 21:
                hand.end = "stood"
                return
            word = self.ask(box, box.player, self.list_answers(hand))
            if word == "timeout":
                word = "hit" if total <= 11 else "stand"
            if word in ("double", "split") and not self.can_pay(box.player, box.main):
                if self.game != "ventuno":
                    raise NotAllowed(f"no funds for {word}")
                word = "hit" if word == "double" or total <= 11 else "stand"  # V-59
            if word == "split":
                self.split(box, hand)
                hand = box.hands[0]
            else:
                self.carry_out(box, hand, word)

    def list_answers(self, hand: PlayedHand) -> set[str]:
        answers = {"hit", "stand"}
        if len(hand.cards) == 2:
            one, other = hand.cards
            if not hand.after_split or self.game == "link":
                answers.add("double")
            if not hand.after_split and self.game == "first-person":
                answers.add("cash-out")
            alike = one[0] == other[0] if self.game == "sisal" else value_of(one) == value_of(other)
            if alike and not hand.after_split:
                answers.add("split")
        return answers

    def carry_out(self, box: PlayedBox, hand: PlayedHand, word: str) -> None:
        if word in ("stand", "cash-out"):
            hand.end = "stood" if word == "stand" else "cashed-out"
            return
        if word == "double":
            self.pay_in(box.player, box.main)
            hand.doubled = box.main
            for bettor in box.behind:
                if bettor.follows_double and self.can_pay(bettor.player, bettor.stake):
                    self.pay_in(bettor.player, bettor.stake)
                    bettor.doubled = bettor.stake
        hand.cards.append(self.draw())
        if count(hand.cards)[0] > 21:
            hand.end = "bust"
        elif self.game == "link" and len(hand.cards) == 10:
            hand.end = "charlie"
        elif word == "double":
            hand.end = "stood"

    def split(self, box: PlayedBox, hand: PlayedHand) -> None:
        self.pay_in(box.player, box.main)
        for bettor in box.behind:
            if bettor.follows_split and self.can_pay(bettor.player, bettor.stake):
                self.pay_in(bettor.player, bettor.stake)
                bettor.split = bettor.stake
        one, other = hand.cards
        finished = "stood" if one[0] == "A" and self.game != "sisal" else ""  # S-23: there aces play on
        box.hands = [
            PlayedHand([one, self.draw()], box.main, after_split=True, end=finished),
            PlayedHand([other, self.draw()], box.main, after_split=True, end=finished),
        ]

    def settle_blackjack(self) -> None:
        for box in self.boxes:
            for place, hand in enumerate(box.hands):
                self.settle_hand(box, hand, place)
            insured = 3 if self.dealer_has_blackjack() else 0
            if box.insurance:
                self.add_line(box.player, "insurance", box.insurance, insured * box.insurance, box=box.number)
            for bet, stake in box.sides.items():
                self.add_line(box.player, bet, stake, self.pay_side(box, bet, stake), box=box.number)
            for bettor in box.behind:
                if bettor.insurance:
                    back = insured * bettor.insurance
                    self.add_line(bettor.player, "behind-insurance", bettor.insurance, back, box=box.number)
        for bet, stake in self.table.items():
            pays = SISAL_PAIRS if self.game == "sisal" else TO_ONE_PAIRS
            won = name_pair(self.dealer[0], self.dealer[1])
            self.add_line(self.first_player, bet, stake, stake * pays[won] if won else 0)
        if self.game == "link":
            won = sum(line["returned"] - line["stake"] for line in self.lines)
            if won > LINK_MAXIMUM_WIN:
                self.add_line(self.first_player, "max-win", 0, LINK_MAXIMUM_WIN - won)

    def dealer_has_blackjack(self) -> bool:
        return len(self.dealer) == 2 and count(self.dealer)[0] == 21

    def settle_hand(self, box: PlayedBox, hand: PlayedHand, place: int) -> None:
        """Stake and double of the owner, then of each bettor behind, who is paid as the owner is (V-26)."""
        stakes = [(box.player, "split" if place else "main", hand.stake, False)]
        stakes.append((box.player, "double", hand.doubled, True))
        for bettor in box.behind:
            ridden = bettor.split if place else bettor.stake
            stakes.append((bettor.player, "behind-split" if place else "behind", ridden, False))
            stakes.append((bettor.player, "behind-double", bettor.doubled, True))
        for player, bet, stake, added in stakes:
            if stake:
                back = self.pay_hand(box, hand, stake, added=added)
                self.add_line(player, bet, stake, back, box=box.number, hand=place + 1)

    def pay_hand(self, box: PlayedBox, hand: PlayedHand, stake: int, *, added: bool) -> int:
        total, dealer = count(hand.cards)[0], count(self.dealer)[0]
        if hand.end == "bust":
            return 0
        if hand.end == "cashed-out":
            return stake * self.find_offer(hand) // 100
        if box.even_money:
            return 2 * stake
        if self.dealer_has_blackjack():
            if hand.end == "blackjack":
                return stake
            # Link under a ten: the double comes back, everything else is lost (L-12).
            return stake if added and self.game == "link" and self.dealer[0][0] != "A" else 0
        if hand.end == "blackjack":
            return stake * 5 // 2
        if hand.end == "charlie" or dealer > 21 or total > dealer:
            return 2 * stake
        return stake if total == dealer else 0

    def find_offer(self, hand: PlayedHand) -> int:
        total, soft = count(hand.cards)
        row = self.offers["soft" if soft else "hard"][str(total)]
        return row["23456789TA".index(value_of(self.dealer[0]))]

    def pay_side(self, box: PlayedBox, bet: str, stake: int) -> int:
        sisal, cards = self.game == "sisal", box.first_cards
        if bet == "link":
            return 0 if box.bonus is None else stake * (1 + box.bonus)
        if bet == "perfect-pairs":
            if sisal and (len(box.hands) > 1 or len(box.hands[0].cards) > 2):
                return 0  # S-27: only a seat that stands on its two cards keeps the bet
            won = name_pair(cards[0], cards[1])
            return stake * (SISAL_PAIRS if sisal else TO_ONE_PAIRS)[won] if won else 0
        pays = SISAL_THREE if sisal else TO_ONE_THREE
        best = name_three([*cards, self.dealer[0]], pays)
        return stake * pays[best] if best else 0

    # 21 Duello

    def play_duello(self) -> None:
        for box in self.boxes:
            box.hands = [PlayedHand([self.draw()], box.main)]
        first = self.draw()
        self.community = [self.draw(), self.draw()]
        for box in self.boxes:
            box.hidden = self.draw()
        second = self.draw()
        for box in self.boxes:
            self.play_duello_hand(box, box.hands[0])
        if any(box.hands[0].end == "stood" for box in self.boxes):
            rows = [row_of_house_way(first, card) for card in self.community]
            self.dealer = [first, self.community[1 if rows[1] < rows[0] else 0]]
            if count(self.dealer)[0] <= 16:
                self.dealer.append(second)
        for box in self.boxes:
            self.settle_duello(box, box.hands[0])

    def play_duello_hand(self, box: PlayedBox, hand: PlayedHand) -> None:
        choices = {"fold", "left", "right"} if self.can_pay(box.player, box.main) else {"fold"}
        word = self.ask(box, box.player, choices)
        if word in ("fold", "timeout"):
            hand.end = "folded"
            return
        self.pay_in(box.player, box.main)
        hand.doubled = box.main
        hand.cards.append(self.community[0 if word == "left" else 1])
        if count(hand.cards)[0] < 21 and self.ask(box, box.player, {"hit", "stand"}) == "hit":
            hand.cards.append(box.hidden)
        hand.end = "bust" if count(hand.cards)[0] > 21 else "stood"

    def settle_duello(self, box: PlayedBox, hand: PlayedHand) -> None:
        ante = addition = 0
        if hand.end == "stood":
            mine, dealer = count(hand.cards)[0], count(self.dealer)[0]
            if dealer < 13:
                ante, addition = 2, 1
            elif dealer > 21 or mine > dealer:
                ante = addition = 2
            elif mine == dealer:
                ante = addition = 1
        self.add_line(box.player, "ante", box.main, ante * box.main, box=box.number, hand=1)
        if hand.doubled:
            self.add_line(box.player, "raise", box.main, addition * box.main, box=box.number, hand=1)
        for bet, stake in box.sides.items():
            different = len({card[0] for card in (hand.cards[0], *self.community)})
            back = {1: 21, 2: 4, 3: 0}[different] * stake
            self.add_line(box.player, bet, stake, back, box=box.number)


def row_of_house_way(one: str, other: str) -> int:
    pair = sorted((value_of(one), value_of(other)))
    for number, row in enumerate(HOUSE_WAY.split("|")):
        if pair in [sorted(cards) for cards in row.split()]:
            return number
    raise NotAllowed(f"{one} and {other} are in no row")


def compute_bonus(draw: dict[str, Any]) -> int:
    """What the wheel or the board pays to one (L-23 to L-29)."""
    wheel = draw["wheel"]
    if wheel not in ("link", "mega-link"):
        if wheel not in ("x5", "x10", "x15", "x25", "x50"):
            raise NotAllowed(f"{wheel} is not on the wheel")
        return int(wheel[1:])
    boxes = 3 if wheel == "link" else 6
    cells, left = {int(cell): prize for cell, prize in draw["start"].items()}, 3
    if len(cells) != boxes or len(draw["boxes"]) != boxes:
        raise NotAllowed("the board does not begin like this")
    for locks in draw["spins"]:
        if left == 0 or len(cells) == 6 * boxes or any(int(cell) in cells for cell in locks):
            raise NotAllowed("that spin was not there")
        left = 3 if locks else left - 1
        cells |= {int(cell): prize for cell, prize in locks.items()}
    if left and len(cells) < 6 * boxes:
        raise NotAllowed("the board had not ended")
    won, diamonds = 0, list(draw.get("diamonds", []))
    for number, name in enumerate(draw["boxes"]):
        prizes = [cells[cell] for cell in range(6 * number, 6 * number + 6) if cell in cells]
        full = len(prizes) == 6
        won += sum(prizes) * (int(name[1:]) if full and name != "diamond" else 1)
        if full and name == "diamond":
            won += GRAND_PRIZES[diamonds.pop(0)]
    if diamonds:
        raise NotAllowed("more diamonds than full boxes")
    return won


def settle(document: dict[str, Any], offers: Offers, *, limits: bool = True) -> list[dict[str, Any]]:
    """The lines of a round, in no special order; `limits=False` for a table whose limits were others (V-43)."""
    played = ReferenceRound(document, offers, limits=limits)
    played.play()
    return played.lines
