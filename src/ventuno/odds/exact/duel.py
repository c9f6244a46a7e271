"""The duel by full enumeration of best play (D-06…D-18).

Visible are the player's up-card and the two community cards; unknown the hidden card and the dealer's two. Cards count
by value, drawn without replacement, so every weight is a whole number and every figure an exact fraction. Nothing is
learned between choosing a card and asking for the hidden one: a plan (fold, or a card with hit or stand) is one choice.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import prod, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ventuno.core.rules.cards import count_values
from ventuno.core.rules.sheet import DuelRules, Sheet
from ventuno.odds.exact.dealer import best_total

VALUES = range(1, 11)

Counts: TypeAlias = NDArray[np.int64]
Visible: TypeAlias = tuple[int, int, int]
"""Values of the player's up-card and of the two community cards, the lower first; 1 is the ace."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do with what is visible: fold, or take the card of this value (0 folds) and hit or stand."""

    card: int
    hits: bool

    @property
    def folds(self) -> bool:
        return self.card == 0


FOLD = Plan(0, False)


@dataclass(frozen=True, slots=True)
class DuelChoice:
    """The best plan for one visible state, and the value of every plan in antes."""

    plan: Plan
    values: Mapping[Plan, Fraction]


@dataclass(frozen=True, slots=True)
class DuelSolution:
    """Best play of one hand, in units of the ante; both bases are fractions of the stakes that come back."""

    value: Fraction
    stake: Fraction
    outcomes: Mapping[int, Fraction]
    chart: Mapping[Visible, DuelChoice]

    @property
    def rtp_initial(self) -> Fraction:
        return 1 + self.value

    @property
    def rtp_total(self) -> Fraction:
        return 1 + self.value / self.stake

    @property
    def sd(self) -> float:
        """Standard deviation of the net result, in antes."""
        return sqrt(sum(chance * net * net for net, chance in self.outcomes.items()) - self.value**2)


def hand_name(first: int, second: int) -> str:
    """A two-card hand as the house way lists it: soft only from 12 to 16 (D-10)."""
    total = best_total((first, second))
    soft = 1 in (first, second) and 12 <= total <= 16
    return f"soft {total}" if soft else str(total)


def house_choice(dealer: int, left: int, right: int, rules: DuelRules) -> int:
    """The community card the dealer takes: the hand that comes first in the house way (D-10, D-11).

    >>> house_choice(8, 2, 10, DuelRules())
    2
    """
    rank = rules.house_way.index
    return left if rank(hand_name(dealer, left)) <= rank(hand_name(dealer, right)) else right


def dealer_final(first: int, taken: int, second: int, rules: DuelRules) -> int:
    """The dealer's final total: his second card comes on `draw_to` or less, soft or hard (D-12)."""
    total = best_total((first, taken))
    return total if total > rules.draw_to else best_total((first, taken, second))


def net_result(player: int, dealer: int, rules: DuelRules) -> int:
    """Net in antes of a hand that went on (D-08, D-13, D-14): a bust loses first, then the dealer must qualify."""
    if player > 21:
        return -2
    if dealer < rules.qualify:
        return 1
    if dealer > 21 or player > dealer:
        return 2
    return 0 if player == dealer else -2


def solve_duel(sheet: Sheet) -> DuelSolution:
    """Best play of one hand from a fresh shoe."""
    decks = sheet.shoe.decks
    copies = count_values(decks)
    deals = prod(range(52 * decks - 5, 52 * decks + 1))
    outcomes = dict.fromkeys((-2, -1, 0, 1, 2), 0)
    chart: dict[Visible, DuelChoice] = {}
    for left in VALUES:
        for right in VALUES[left - 1 :]:
            finals = tabulate_finals(left, right, sheet.duel)
            for up in VALUES:
                visible = (up, left, right)
                nets = _count_plans(visible, copies, finals, sheet.duel)
                weight = sum(nets[FOLD].values())
                values = {plan: _mean(net, weight) for plan, net in nets.items()}
                plan = max(values, key=lambda candidate: values[candidate])
                chart[visible] = DuelChoice(plan, values)
                for net, count in nets[plan].items():
                    outcomes[net] += count * (1 if left == right else 2)
    chances = {net: Fraction(count, deals) for net, count in outcomes.items()}
    value = sum((net * chance for net, chance in chances.items()), Fraction(0))
    return DuelSolution(value, 2 - chances[-1], chances, chart)


def value_plans(sheet: Sheet, visible: Visible, seen: Iterable[int] = ()) -> dict[Plan, Fraction]:
    """The value of every plan in antes, with other cards known to be gone: hands beside this one (X-03)."""
    copies = count_values(sheet.shoe.decks)
    for value in seen:
        copies[value] -= 1
    nets = _count_plans(visible, copies, tabulate_finals(visible[1], visible[2], sheet.duel), sheet.duel)
    weight = sum(nets[FOLD].values())
    return {plan: _mean(net, weight) for plan, net in nets.items()}


def _mean(net: Mapping[int, int], weight: int) -> Fraction:
    return Fraction(sum(result * count for result, count in net.items()), weight)


def tabulate_finals(left: int, right: int, rules: DuelRules) -> Counts:
    """The dealer's final total by his first and second card, for one pair of community cards."""
    rows = []
    for first in VALUES:
        taken = house_choice(first, left, right, rules)
        rows.append([dealer_final(first, taken, second, rules) for second in VALUES])
    return np.array(rows, dtype=np.int64)


@cache
def tabulate_results(rules: DuelRules) -> Counts:
    """`net_result` as a table by player's and dealer's total."""
    return np.array(
        [[net_result(player, dealer, rules) for dealer in range(32)] for player in range(32)], dtype=np.int64
    )


def _count_plans(
    visible: Visible, copies: Mapping[int, int], finals: Counts, rules: DuelRules
) -> dict[Plan, dict[int, int]]:
    """For each plan, the number of ordered deals of all six cards that end in each net result."""
    left = dict(copies)
    ways = 1
    for value in visible:
        ways *= max(left[value], 0)
        left[value] -= 1
    shoe = np.array([max(left[value], 0) for value in VALUES], dtype=np.int64)
    equal = np.eye(10, dtype=np.int64)
    # Ordered triples hidden, first, second: a value that is drawn again has one or two copies fewer.
    second = shoe[None, None, :] - equal[:, None, :] - equal[None, :, :]
    triples = ways * shoe[:, None, None] * (shoe[None, :] - equal)[:, :, None] * second
    by_final = np.zeros((10, 32), dtype=np.int64)
    for hidden in range(10):
        np.add.at(by_final[hidden], finals, triples[hidden])
    up, *community = visible
    nets = {FOLD: {-1: int(triples.sum())}}
    for card in dict.fromkeys(community):
        total = best_total((up, card))
        nets[Plan(card, False)] = _tally(by_final, [total] * 10, rules)
        if total < 21:
            totals = [best_total((up, card, hidden)) for hidden in VALUES]
            nets[Plan(card, True)] = _tally(by_final, totals, rules)
    return nets


def _tally(by_final: Counts, totals: list[int], rules: DuelRules) -> dict[int, int]:
    results = tabulate_results(rules)[totals]
    return {net: int(by_final[results == net].sum()) for net in (-2, 0, 1, 2)}
