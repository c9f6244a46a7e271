"""A round counted card by card, apart from everything the solver does: for small shoes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache, cached_property

from ventuno.core.rules.sheet import Sheet

Shoe = tuple[int, ...]
Hand = tuple[int, ...]

ALL_TAKES = {"all": ((1, 2), (1, 2)), "original-and-splits": ((1, 1), (1, 1)), "original": ((1, 1), (0, 0))}
"""What a dealer Blackjack takes: of the original hand and of an added one, single and doubled."""


class Count:
    """A round counted card by card with fractions; the hole card is dealt and conditioned on, as at a real table."""

    def __init__(self, sheet: Sheet, ranks: tuple[int, ...]) -> None:
        self.sheet = sheet
        self.shoe: Shoe = (ranks[12], *ranks[:8], sum(ranks[8:12]))
        self.ranks = ranks
        self.value = cache(self._value)
        self.dealer = cache(self._dealer)
        self.facing = cache(self._facing)

    @staticmethod
    def total(hand: Hand) -> int:
        return sum(hand) + 10 if 1 in hand and sum(hand) <= 11 else sum(hand)

    @staticmethod
    def without(shoe: Shoe, *cards: int) -> Shoe:
        left = list(shoe)
        for card in cards:
            left[card - 1] -= 1
        return tuple(left)

    def peeks(self, up: int) -> bool:
        return (up == 1 and "A" in self.sheet.dealer.peek) or (up == 10 and "ten" in self.sheet.dealer.peek)

    def holes(self, shoe: Shoe, up: int) -> dict[int, Fraction]:
        """Chances of the hole card among the unseen ones, given what a peek has told."""
        possible = {card: copies for card, copies in enumerate(shoe, 1) if copies}
        if self.peeks(up):
            possible.pop(11 - up, None)
        return {card: Fraction(copies, sum(possible.values())) for card, copies in possible.items()}

    def draws(self, shoe: Shoe, up: int) -> Iterator[tuple[int, Fraction]]:
        for card in range(1, 11):
            chance = sum(
                (
                    part * Fraction(shoe[card - 1] - (card == hole), sum(shoe) - 1)
                    for hole, part in self.holes(shoe, up).items()
                ),
                Fraction(0),
            )
            if chance:
                yield card, chance

    def _dealer(self, hand: Hand, shoe: Shoe) -> dict[int, Fraction]:
        """Chances of the dealer's totals; 22 is a bust, 0 a Blackjack."""
        total = self.total(hand)
        if len(hand) == 2 and total == 21:
            return {0: Fraction(1)}
        soft = total > sum(hand)
        if total > 17 or (total == 17 and not (soft and self.sheet.dealer.soft_17 == "hit")):
            return {min(total, 22): Fraction(1)}
        found: dict[int, Fraction] = defaultdict(Fraction)
        for card, copies in enumerate(shoe, 1):
            if copies:
                for end, chance in self.dealer((*hand, card), self.without(shoe, card)).items():
                    found[end] += chance * Fraction(copies, sum(shoe))
        return found

    def _facing(self, up: int, shoe: Shoe) -> dict[int, Fraction]:
        found: dict[int, Fraction] = defaultdict(Fraction)
        for hole, part in self.holes(shoe, up).items():
            for end, chance in self.dealer((up, hole), self.without(shoe, hole)).items():
                found[end] += chance * part
        return found

    def result(self, hand: Hand, stake: int, added: int, up: int, end: int) -> int:
        if self.total(hand) > 21:
            return -stake
        if end == 0:
            takes = self.sheet.dealer_blackjack_takes
            return -ALL_TAKES[takes.ace if up == 1 else takes.ten][added][stake - 1]
        total = self.total(hand)
        if end == 22 or (self.sheet.charlie and len(hand) >= self.sheet.charlie):
            return stake
        return stake * ((total > end) - (total < end))

    def stood(self, hand: Hand, stake: int, added: int, up: int, shoe: Shoe) -> Fraction:
        ends = self.facing(up, shoe)
        return sum((chance * self.result(hand, stake, added, up, end) for end, chance in ends.items()), Fraction(0))

    def actions(self, hand: Hand, split: int) -> str:
        rules, total = self.sheet, self.total(hand)
        if len(hand) == 1:
            return "H"
        if (
            (rules.charlie and len(hand) >= rules.charlie)
            or total == 21
            or (split == 1 and rules.split.aces == "one-card")
        ):
            return "S"
        low, high = {"any-two": (0, 20), "9-11": (9, 11), "10-11": (10, 11)}[rules.double.on]
        doubles = len(hand) == 2 and low <= total <= high and (not split or rules.double.after_split)
        surrenders = len(hand) == 2 and not split and rules.surrender == "late"
        return "SH" + "D" * doubles + "R" * surrenders

    def _value(self, hand: Hand, split: int, added: int, up: int, shoe: Shoe) -> tuple[Fraction, str]:
        """The best value of a hand in play, and the action."""
        found: dict[str, Fraction] = {}
        for act in self.actions(hand, split):
            if act == "S":
                found[act] = self.stood(hand, 1, added, up, shoe)
            elif act == "R":
                natural = self.facing(up, shoe).get(0, Fraction(0))
                found[act] = -(1 - natural) / 2 + natural * self.result(hand, 1, added, up, 0)
            else:
                found[act] = sum(
                    (
                        chance * self.carded(hand, card, act, split, added, up, shoe)
                        for card, chance in self.draws(shoe, up)
                    ),
                    Fraction(0),
                )
        best = max(found, key=found.__getitem__)
        return found[best], best

    def carded(self, hand: Hand, card: int, act: str, split: int, added: int, up: int, shoe: Shoe) -> Fraction:
        more, left = tuple(sorted((*hand, card))), self.without(shoe, card)
        if self.total(more) > 21:
            return Fraction(-1 if act == "H" else -2)
        if act == "H":
            return self.value(more, split, added, up, left)[0]
        return self.stood(more, 2, added, up, left)

    def ended(
        self, hand: Hand, split: int, added: int, up: int, fresh: Shoe, shoe: Shoe
    ) -> Iterator[tuple[Hand, int, Fraction, Shoe]]:
        """Play one hand by its own best strategy (looking at `fresh`, blind to the cards of other hands)."""
        act = self.value(hand, split, added, up, fresh)[1]
        if act in "SR":
            yield hand, 1 if act == "S" else 0, Fraction(1), shoe
            return
        for card, chance in self.draws(shoe, up):
            more, left = tuple(sorted((*hand, card))), self.without(shoe, card)
            if act == "D" or self.total(more) > 21:
                yield more, 2 if act == "D" else 1, chance, left
            else:
                for last, stake, part, rest in self.ended(more, split, added, up, self.without(fresh, card), left):
                    yield last, stake, chance * part, rest

    def splits(
        self, card: int, up: int, shoe: Shoe, most: int
    ) -> Iterator[tuple[list[tuple[Hand, int]], Fraction, Shoe]]:
        """All ways in which the hands of a split end: the hands with their stakes, the chance, the shoe."""

        def completed(hands: list[Hand], at: int, left: Shoe) -> Iterator[tuple[list[Hand], Fraction, Shoe]]:
            if at == len(hands):
                yield hands, Fraction(1), left
                return
            for drawn, chance in self.draws(left, up):
                rest, ends = self.without(left, drawn), [*hands[:at], (card, drawn), *hands[at + 1 :]]
                if drawn == card and len(hands) < most:
                    nexts = completed([*hands[:at], (card,), (card,), *hands[at + 1 :]], at, rest)
                else:
                    nexts = completed(ends, at + 1, rest)
                for found, part, last in nexts:
                    yield found, chance * part, last

        def played(hands: list[Hand], at: int, left: Shoe) -> Iterator[tuple[list[tuple[Hand, int]], Fraction, Shoe]]:
            if at == len(hands):
                yield [], Fraction(1), left
                return
            hand = tuple(sorted(hands[at]))
            added = int(at > 0)
            fresh = self.without(shoe, *(one for one in [hands[at][1]]))
            for last, stake, chance, rest in self.ended(hand, card, added, up, fresh, left):
                for others, part, end in played(hands, at + 1, rest):
                    yield [(last, stake), *others], chance * part, end

        for hands, chance, left in completed([(card,), (card,)], 0, shoe):
            for ends, part, rest in played(hands, 0, left):
                yield ends, chance * part, rest

    def first(self, a: int, b: int, up: int) -> Iterator[tuple[Fraction, Fraction]]:
        """The distribution of one first hand against an up-card, the dealer without Blackjack where he peeks."""
        shoe, hand = self.without(self.shoe, a, b, up), (min(a, b), max(a, b))
        if hand == (1, 10):
            for end, chance in self.facing(up, shoe).items():
                yield Fraction(0) if end == 0 else self.sheet.blackjack.pays.profit, chance
            return
        value, act = self.value(hand, 0, 0, up, shoe)
        if a == b and act != "" and self.split_value(a, up, shoe) > value and self.actions(hand, 0) != "S":
            tens = self.ranks[8]
            same = Fraction(tens - 1, 4 * tens - 1) if a == 10 and self.sheet.split.equal == "rank" else Fraction(1)
            for hands, chance, left in self.splits(a, up, shoe, 2):
                for end, part in self.facing(up, left).items():
                    results = (self.result(one, stake, int(at > 0), up, end) for at, (one, stake) in enumerate(hands))
                    yield Fraction(sum(results)), same * chance * part
        else:
            same = Fraction(0)
        for last, stake, chance, left in self.ended(hand, 0, 0, up, shoe, shoe):
            for end, part in self.facing(up, left).items():
                result = Fraction(self.result(last, max(stake, 1), 0, up, end))
                if stake == 0 and end != 0:
                    result = Fraction(-1, 2)
                yield result, (1 - same) * chance * part

    def split_value(self, card: int, up: int, shoe: Shoe) -> Fraction:
        return sum((self.value((card,), card, added, up, shoe)[0] for added in (0, 1)), Fraction(0))

    @cached_property
    def outcomes(self) -> Mapping[Fraction, Fraction]:
        found: dict[Fraction, Fraction] = defaultdict(Fraction)
        cards = sum(self.shoe)
        for a in range(1, 11):
            for b in range(a, 11):
                for up in range(1, 11):
                    left, chance = self.shoe, Fraction(2 if a != b else 1)
                    for card in (a, b, up):
                        chance *= Fraction(left[card - 1], sum(left))
                        left = self.without(left, card)
                    if not chance:
                        continue
                    plays = Fraction(1)
                    if self.peeks(up):
                        natural = Fraction(left[10 - up], cards - 3)
                        plays = 1 - natural
                        found[Fraction(0 if {a, b} == {1, 10} else -1)] += chance * natural
                    for result, part in self.first(a, b, up):
                        found[result] += chance * plays * part
        return {result: part for result, part in found.items() if part}
