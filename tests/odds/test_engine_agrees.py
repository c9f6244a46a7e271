"""Engine and solver check each other: a small shoe is played out completely through the real table (to 1e-12).

Every order of the cards that can matter is dealt, the chart decides, the table settles; the mean is the solver's figure.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from ventuno.core.cards import Card, rank
from ventuno.core.commands import Act, DealNow, LoadShoe, PlaceBet, Spot
from ventuno.core.hand import is_soft
from ventuno.core.legal import price, turn
from ventuno.core.refusals import Refusal, ShoeExhausted
from ventuno.core.round import Action, Round, Stage
from ventuno.core.sheet import Sheet
from ventuno.core.state import Phase, Table
from ventuno.core.table import advance, open_table
from ventuno.odds.solver import chart_return, solve
from ventuno.odds.strategy import Chart
from ventuno.sheets import load

STAKE = 1_000
SHOE = (1, 1, 0, 2, 1, 0, 2, 2, 3, 0, 0, 0, 2)
"""Counts of 2…9, T, J, Q, K, A: fourteen cards of which no round can use all."""

LETTERS = {"H": Action.HIT, "S": Action.STAND, "D": Action.DOUBLE, "d": Action.DOUBLE, "R": Action.SURRENDER}
INSTEAD = {"D": Action.HIT, "d": Action.STAND, "R": Action.HIT, "r": Action.STAND}


def decided(table: Table, play: Round, chart: Chart) -> Action:
    """What the chart says to the hand being asked."""
    now = turn(play)
    assert now is not None
    box, index = now
    hand = box.hands[index]
    up = value(play.dealer[0])
    first, second = hand.cards[:2]
    if value(first) == value(second) and len(hand.cards) == 2 and chart.pair.get((value(first), up), False):
        if isinstance(price(table, box, index, Action.SPLIT), int):
            return Action.SPLIT
    letter = (chart.soft if is_soft(hand.cards) else chart.hard)[hand.total, up]
    wanted = LETTERS.get(letter, Action.SURRENDER)
    return wanted if isinstance(price(table, box, index, wanted), int) else INSTEAD[letter]


def value(card: Card) -> int:
    return 1 if rank(card) == 12 else min(rank(card) + 2, 10)


def played(sheet: Sheet, chart: Chart, cards: tuple[Card, ...]) -> tuple[int, int] | None:
    """Net result and stakes of one round on these cards; None when it needs more of them."""
    table = open_table("T", sheet, "p", {"p": 100 * STAKE})
    commands = [LoadShoe(cards, 0, 0, stacked=True), PlaceBet("p", (Spot(1, "main"),), STAKE, 0), DealNow("p", 0)]
    for command in commands:
        outcome = advance(table, command)
        if isinstance(outcome, ShoeExhausted):
            return None
        assert not isinstance(outcome, Refusal), outcome
        table = outcome[1]
    while table.phase is Phase.ROUND and table.round:
        answer = Action.DECLINE if table.round.stage is Stage.INSURANCE else decided(table, table.round, chart)
        outcome = advance(table, Act("p", 1, answer, 1))
        if isinstance(outcome, ShoeExhausted):
            return None
        assert not isinstance(outcome, Refusal), outcome
        table = outcome[1]
    assert table.round is not None
    return table.purse("p") - 100 * STAKE, sum(line.stake for line in table.round.lines)


def rounds(sheet: Sheet, chart: Chart) -> Iterator[tuple[Fraction, int, int]]:
    """Every round of the shoe with its chance: a card is added wherever the table asks for one more."""
    waiting: list[tuple[tuple[Card, ...], tuple[int, ...], Fraction]] = [((), SHOE, Fraction(1))]
    while waiting:
        cards, left, chance = waiting.pop()
        done = played(sheet, chart, cards) if len(cards) >= 4 else None
        if done is not None:
            yield chance, *done
            continue
        for place, count in enumerate(left):
            if count:
                rest = (*left[:place], count - 1, *left[place + 1 :])
                card = place * 4 + (SHOE[place] - count) % 4
                waiting.append(((*cards, card), rest, chance * Fraction(count, sum(left))))


@pytest.mark.parametrize(
    ("game", "changes"),
    [
        ("first-person", {}),
        ("sisal", {}),
        ("link", {}),
        ("link", {"dealer.soft_17": "hit", "dealer.peek": "[A, ten]", "charlie": "4", "surrender": "late"}),
    ],
    ids=["peek on ace", "no peek, free aces, rank", "no peek, double after split", "H17, peek, Charlie, surrender"],
)
def test_every_round_of_a_small_shoe_agrees_with_the_solver(game: str, changes: dict[str, str]) -> None:
    sheet = load(game, changes)
    chart = solve(sheet, SHOE).chart
    every = list(rounds(sheet, chart))
    assert sum(chance for chance, _, _ in every) == 1
    net = sum(chance * result for chance, result, _ in every) / STAKE
    stakes = sum(chance * staked for chance, _, staked in every) / STAKE
    figure = chart_return(sheet, chart, SHOE)
    assert float(net) == pytest.approx(figure.ev, abs=1e-12)
    assert float(stakes) == pytest.approx(figure.stake, abs=1e-12)


def test_a_wrong_rule_would_be_seen() -> None:
    """The planted fault: the same shoe under another dealer's rule has another mean."""
    sheet, other = load("link"), load("link", {"dealer.soft_17": "hit"})
    chart = solve(sheet, SHOE).chart
    assert abs(chart_return(sheet, chart, SHOE).ev - chart_return(other, chart, SHOE).ev) > 1e-6
