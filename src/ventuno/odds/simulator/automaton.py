"""A sheet compiled to a finite automaton that eats one card per step: with a chart, or with its questions left open.

`Automaton`: row = what the round waits for, column = the card; an entry holds the next row in its low bits and, where
the round is over, the number of its outcome in the high ones. The kernel reads this table.
`OpenAutomaton`, for players that learn: a code is a place, below `FIRST_QUESTION` a row that eats a card, from there a
question, from `FIRST_OUTCOME` the end.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ventuno.core.rules.sheet import Sheet
from ventuno.odds.exact.chart import Chart
from ventuno.odds.simulator.round_machine import (
    ACTIONS,
    CASH_OUT,
    DECLINE,
    DOUBLE_IT,
    HIT_IT,
    INSURE,
    SPLIT_IT,
    STAND,
    SURRENDER,
    Decide,
    End,
    Round,
    Situation,
    Wait,
)

OUTCOME_SHIFT = 24
"""Bits below: offset of the next row. Bits above: 0 while the round goes on, else the outcome, counted from 128."""
OUTCOME = 127
FIRST_QUESTION, FIRST_OUTCOME = 1 << 24, 1 << 25
INSURANCE, PLAY, SETTLED, OVER = range(4)
FEATURES = ("phase", "total", "soft", "pair", "up", "split", "waiting", "fresh")
SIZES = (4, 22, 2, 11, 11, 2, 4, 2)
"""How many values each feature has. `pair` is the value of two equal cards, `fresh` says that a hand has two cards."""


class TooManyStates(ValueError):
    """The sheet needs more states than the table can number; it can be solved, not simulated."""


@dataclass(frozen=True, slots=True)
class Automaton:
    """`entries[state * width + column]`; outcome k won `won[k]` units of `unit` to the stake and staked `staked[k]`."""

    entries: NDArray[np.uint32]
    width: int
    unit: int
    won: tuple[int, ...]
    staked: tuple[int, ...]
    natural: tuple[bool, ...]
    waits: tuple[Wait, ...]
    decisions: Mapping[tuple[int, int], tuple[str, ...]]
    """What the chart decided on the way, by state and column."""
    columns: tuple[int, ...]
    """The column of each of the 52 cards."""


def choose(chart: Chart, rules: Round, decide: Decide, cash_out: bool = False) -> int:
    """The chart's action where it is legal, else the one it names instead; or every offer (F-13)."""
    legal, hand, up = rules.list_legal(decide), decide.hand, decide.spot.up
    if decide.insurance:
        return INSURE if chart.insure else DECLINE
    if cash_out and CASH_OUT in legal:
        return CASH_OUT
    if SPLIT_IT in legal and chart.pair[rules.values[hand.pair], up]:
        return SPLIT_IT
    word = (chart.soft if hand.soft else chart.hard)[hand.total, up]
    if word in "Dd" and DOUBLE_IT in legal:
        return DOUBLE_IT
    if word in "Rr" and SURRENDER in legal:
        return SURRENDER
    return HIT_IT if word in "HDR" else STAND


def compile_automaton(sheet: Sheet, chart: Chart, *, whole: bool | None = None, cash_out: bool = False) -> Automaton:
    """The automaton of one box. `whole` (default: under a cut card) makes every round take its hole card."""
    rules = Round(sheet, sheet.shoe.reshuffle == "cut-card" if whole is None else whole)
    numbers: dict[Wait, int] = {rules.start(): 0}
    waits, outcomes = [rules.start()], dict[End, int]()
    decisions: dict[tuple[int, int], tuple[str, ...]] = {}
    entries: list[int] = []
    width = len(rules.values)
    for state, wait in enumerate(waits):
        for column in range(width):
            after, words = _follow_chart(rules, chart, rules.take_card(wait, column), cash_out)
            if words:
                decisions[state, column] = words
            if isinstance(after, End):
                entries.append(outcomes.setdefault(after, len(outcomes) + 128) << OUTCOME_SHIFT)
                continue
            if after not in numbers:
                numbers[after] = len(waits)
                waits.append(after)
            entries.append(numbers[after] * width)
    if len(waits) * width >= 1 << OUTCOME_SHIFT or len(outcomes) > OUTCOME + 1:
        raise TooManyStates(f"{sheet.game.id}: {len(waits)} states and {len(outcomes)} outcomes do not fit the table")
    return Automaton(
        entries=np.array(entries, dtype=np.uint32),
        width=width,
        unit=rules.unit,
        won=tuple(end.won for end in outcomes),
        staked=tuple(end.staked for end in outcomes),
        natural=tuple(end.natural for end in outcomes),
        waits=tuple(waits),
        decisions=decisions,
        columns=tuple(map(rules.column, range(52))),
    )


def _follow_chart(rules: Round, chart: Chart, now: Situation, cash_out: bool) -> tuple[Wait | End, tuple[str, ...]]:
    words: tuple[str, ...] = ()
    while isinstance(now, Decide):
        action = choose(chart, rules, now, cash_out)
        words += (ACTIONS[action],)
        now = rules.act(now, action)
    return now, words


@dataclass(frozen=True)
class OpenAutomaton:
    """`follow[row, column]` and `answers[question, action]` are codes; an illegal action counts as stand or decline."""

    follow: NDArray[np.int32]
    answers: NDArray[np.int32]
    features: NDArray[np.int8]
    legal: NDArray[np.int8]
    won: NDArray[np.float64]
    units: tuple[int, ...]
    """What each outcome won, in whole units; `unit` of them are a stake."""
    unit: int
    steps: tuple[int, ...]
    """Which card of the real deal each row waits for."""
    pack: NDArray[np.uint8]
    """The column of each card of the shoe."""


@lru_cache(maxsize=16)
def compile_open(sheet: Sheet) -> OpenAutomaton:
    """The open automaton of a sheet of the blackjack family, one box."""
    rules = Round(sheet)
    start: Situation = rules.start()
    codes: dict[Situation, int] = {start: 0}
    waits, questions, ends = [rules.start()], list[Decide](), list[End]()

    def code(now: Situation) -> int:
        if now not in codes:
            if isinstance(now, Wait):
                codes[now] = len(waits)
                waits.append(now)
            elif isinstance(now, Decide):
                codes[now] = FIRST_QUESTION + len(questions)
                questions.append(now)
            else:
                codes[now] = FIRST_OUTCOME + len(ends)
                ends.append(now)
        return codes[now]

    follow, answers, features, legal = list[list[int]](), list[list[int]](), list[list[int]](), list[list[int]]()
    while len(follow) < len(waits) or len(answers) < len(questions):
        if len(follow) < len(waits):
            wait = waits[len(follow)]
            follow.append([code(rules.take_card(wait, column)) for column in range(len(rules.values))])
            continue
        question = questions[len(answers)]
        may = rules.list_legal(question)
        instead = DECLINE if question.insurance else STAND
        taken = {action: code(rules.act(question, action)) for action in may}
        answers.append([taken.get(action, taken[instead]) for action in range(len(ACTIONS))])
        features.append(_features(rules, question))
        legal.append([int(action in may) for action in range(len(ACTIONS))])
    # Two rows more: the round that the deal has settled, and the round that is over.
    features += [[SETTLED, *[0] * 7], [OVER, *[0] * 7]]
    legal += [[int(action == STAND) for action in range(len(ACTIONS))]] * 2
    return OpenAutomaton(
        follow=np.array(follow, dtype=np.int32),
        answers=np.array(answers, dtype=np.int32),
        features=np.array(features, dtype=np.int8),
        legal=np.array(legal, dtype=np.int8),
        won=np.array([end.won for end in ends]) / rules.unit,
        units=tuple(end.won for end in ends),
        unit=rules.unit,
        steps=tuple(wait.step for wait in waits),
        pack=np.array([rules.column(card) for card in range(52)] * sheet.shoe.decks, dtype=np.uint8),
    )


def _features(rules: Round, question: Decide) -> list[int]:
    spot, hand = question.spot, question.hand
    pair = rules.values[hand.pair] if hand.pair >= 0 else 0
    phase = INSURANCE if question.insurance else PLAY
    split = int(spot.split >= 0)
    return [phase, hand.total, int(hand.soft), pair, spot.up, split, spot.waiting, int(hand.size == 2)]
