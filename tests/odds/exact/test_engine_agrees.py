"""Engine and solver check each other: a small shoe is played out completely through the real table (to 1e-12).

Every order of cards that can matter is dealt, the chart decides, the table settles; the mean is the solver's figure.
The table is a fold, so nothing is ever played twice: where a card is missing, the state before it branches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import perm

import pytest

from tests.support.driven_table import STAKE, act, asks, insures, net_and_staked, ready, settled, tried, with_cards
from ventuno.core.messages.commands import Command
from ventuno.core.rules.cards import VALUES, Card
from ventuno.core.rules.hand import is_soft
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.legal import price, turn
from ventuno.core.table.round import Action
from ventuno.core.table.state import Table
from ventuno.odds.exact.chart import Chart
from ventuno.odds.exact.returns import Figure
from ventuno.odds.exact.solver import chart_return, solve
from ventuno.sheets import load

Ranks = tuple[int, ...]
"""Counts of 2…9, T, J, Q, K, A; no round uses them all."""

LETTERS = {"H": Action.HIT, "S": Action.STAND, "D": Action.DOUBLE, "d": Action.DOUBLE}
INSTEAD = {"D": Action.HIT, "d": Action.STAND, "R": Action.HIT, "r": Action.STAND}
NEEDS = {Action.HIT: 1, Action.DOUBLE: 1, Action.SPLIT: 2}


def decided(table: Table, chart: Chart) -> Action:
    """What the chart says to the hand being asked."""
    play = table.round
    assert play is not None
    if insures(table):
        natural = table.sheet.insurance.even_money and play.boxes[0].is_natural
        return (Action.EVEN_MONEY if natural else Action.INSURE) if chart.insure else Action.DECLINE
    now = turn(play)
    assert now is not None
    box, index = now
    hand = box.hands[index]
    up, (first, second) = VALUES[play.dealer[0]], (VALUES[card] for card in hand.cards[:2])
    splits = len(hand.cards) == 2 and first == second and chart.pair[first, up]
    if splits and isinstance(price(table, box, index, Action.SPLIT), int):
        return Action.SPLIT
    letter = (chart.soft if is_soft(hand.cards) else chart.hard)[hand.total, up]
    wanted = LETTERS.get(letter, Action.SURRENDER)
    return wanted if isinstance(price(table, box, index, wanted), int) else INSTEAD[letter]


def rounds(sheet: Sheet, chart: Chart, shoe: Ranks, seen: Counter[Action]) -> Iterator[tuple[int, int, int, int]]:
    """Every round of the shoe: its cards, in how many ways it comes, its net result and its stakes.

    `seen` counts the decisions.
    """
    begun = ready(sheet)
    waiting: list[tuple[Table, Command, tuple[Card, ...], Ranks, int, int]]
    waiting = [(begun.table, begun.deal, (), shoe, 1, 4)]
    while waiting:
        table, command, cards, left, ways, needs = waiting.pop()
        done = tried(with_cards(table, cards), command) if len(cards) >= needs else None
        if done is None:
            for place, count in enumerate(left):
                if count:
                    rest = (*left[:place], count - 1, *left[place + 1 :])
                    waiting.append((table, command, (*cards, place * 4), rest, ways * count, needs))
        elif asks(done):
            action = decided(done, chart)
            seen[action] += 1
            waiting.append((done, act(done, action), cards, left, ways, len(cards) + NEEDS.get(action, 0)))
        else:
            yield len(cards), ways, *net_and_staked(settled(done))


def played(sheet: Sheet, chart: Chart, shoe: Ranks) -> tuple[Figure, Counter[Action], int]:
    """The mean of all rounds in stakes, what was decided on the way, and how many rounds there are."""
    seen: Counter[Action] = Counter()
    count, chances, nets, stakes = 0, Counter[int](), Counter[int](), Counter[int]()
    for cards, ways, net, staked in rounds(sheet, chart, shoe, seen):
        count += 1
        chances[cards] += ways
        nets[cards] += ways * net
        stakes[cards] += ways * staked
    whole, net_mean, staked_mean = (
        sum((Fraction(sums[cards], perm(sum(shoe), cards)) for cards in sums), Fraction(0))
        for sums in (chances, nets, stakes)
    )
    assert whole == 1
    return Figure(float(net_mean / STAKE), float(staked_mean / STAKE)), seen, count


def agree(one: Figure, other: Figure) -> bool:
    return abs(one.ev - other.ev) < 1e-12 and abs(one.stake - other.stake) < 1e-12


FEW_TENS = (0, 0, 0, 2, 1, 0, 3, 2, 2, 0, 0, 0, 2)
MANY_TENS = (0, 0, 0, 0, 2, 2, 3, 0, 4, 0, 0, 0, 2)
UNEQUAL_TENS = (0, 0, 0, 2, 1, 0, 3, 0, 3, 2, 0, 0, 2)
LOW_CARDS = (2, 0, 0, 2, 0, 0, 2, 0, 5, 0, 0, 0, 2)
MANY_EIGHTS = (0, 0, 0, 0, 1, 0, 5, 0, 6, 0, 0, 0, 2)
NO_PEEK = (0, 0, 0, 2, 0, 3, 2, 2, 3, 0, 0, 0, 2)
STRICT = {"dealer.soft_17": "hit", "dealer.peek": "[A, ten]", "double.after_split": "true"}
USUAL = {Action.HIT, Action.STAND, Action.DOUBLE, Action.SPLIT}
CASES = {
    "peek on ace, one card on aces": ("ventuno", {}, FEW_TENS, USUAL | {Action.DECLINE}),
    "insurance taken": ("first-person", {}, MANY_TENS, USUAL | {Action.INSURE}),
    "no peek, free aces, by rank": ("sisal", {}, UNEQUAL_TENS, USUAL | {Action.INSURE}),
    "no peek, double after split, even money": ("link", {}, MANY_TENS, USUAL | {Action.EVEN_MONEY}),
    "H17, both peeks, Charlie, surrender": (
        "ventuno",
        STRICT | {"charlie": "4", "surrender": "late"},
        LOW_CARDS,
        USUAL | {Action.SURRENDER},
    ),
    "no peek, a Blackjack takes the original stake": (
        "link",
        {"dealer_blackjack_takes.ten": "original", "surrender": "late"},
        NO_PEEK,
        USUAL | {Action.SURRENDER, Action.DECLINE},
    ),
    "four hands": ("link", {"split.hands": "4", "dealer.peek": "[ten]"}, MANY_EIGHTS, USUAL),
}


@pytest.mark.parametrize("case", CASES)
def test_every_round_of_a_small_shoe_agrees_with_the_solver(case: str) -> None:
    game, changes, shoe, decisions = CASES[case]
    sheet = load(game, changes)
    chart = solve(sheet, shoe).chart
    figure, seen, count = played(sheet, chart, shoe)
    assert agree(figure, chart_return(sheet, chart, shoe)), figure
    assert decisions <= set(seen)
    assert count > 5_000


def test_insurance_declined_where_best_play_takes_it() -> None:
    sheet = load("first-person")
    chart = replace(solve(sheet, MANY_TENS).chart, insure=False)
    figure, seen, _ = played(sheet, chart, MANY_TENS)
    assert agree(figure, chart_return(sheet, chart, MANY_TENS))
    assert Action.DECLINE in seen


@pytest.mark.parametrize("fault", [{"dealer.soft_17": "hit"}, {"blackjack.pays": "6/5"}, {"charlie": "3"}])
def test_planted_fault_is_caught(fault: dict[str, str]) -> None:
    """A table that plays by another rule than the solver has another mean."""
    sheet = load("link")
    chart = solve(sheet, MANY_TENS).chart
    figure, _, _ = played(load("link", fault), chart, MANY_TENS)
    assert not agree(figure, chart_return(sheet, chart, MANY_TENS))
