"""A sheet without a strategy: the automaton with its questions left open, for players that learn.

A code is a place: below `FIRST_QUESTION` a row that eats a card, from there a question, from `FIRST_OUTCOME` the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from ventuno.core.rules.sheet import Sheet
from ventuno.odds.simulator.round_machine import Round
from ventuno.odds.simulator.situation import ACTIONS, DECLINE, STAND, Decide, End, Situation, Wait

FIRST_QUESTION, FIRST_OUTCOME = 1 << 24, 1 << 25
INSURANCE, PLAY, SETTLED, OVER = range(4)
FEATURES = ("phase", "total", "soft", "pair", "up", "split", "waiting", "fresh")
SIZES = (4, 22, 2, 11, 11, 2, 4, 2)
"""How many values each feature has. `pair` is the value of two equal cards, `fresh` says that a hand has two cards."""


@dataclass(frozen=True)
class OpenAutomaton:
    """`follow[row, column]` and `answers[question, action]` are codes; an illegal action counts as stand or decline."""

    follow: NDArray[np.int32]
    answers: NDArray[np.int32]
    features: NDArray[np.int8]
    legal: NDArray[np.int8]
    won: NDArray[np.float64]
    pack: NDArray[np.uint8]
    """The column of each card of the shoe."""


@lru_cache(maxsize=16)
def _compile_once(_hash: str, sheet: _Keyed) -> OpenAutomaton:
    return _compile(sheet.sheet)


@dataclass(frozen=True)
class _Keyed:
    """A sheet as a key: two sheets with one hash are the same."""

    sheet: Sheet

    def __hash__(self) -> int:
        return hash(self.sheet.hash)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Keyed) and other.sheet.hash == self.sheet.hash


def compile_open(sheet: Sheet) -> OpenAutomaton:
    """The open automaton of a sheet of the blackjack family, one box."""
    return _compile_once(sheet.hash, _Keyed(sheet))


def _compile(sheet: Sheet) -> OpenAutomaton:
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
        pack=np.array([rules.column(card) for card in range(52)] * sheet.shoe.decks, dtype=np.uint8),
    )


def _features(rules: Round, question: Decide) -> list[int]:
    spot, hand = question.spot, question.hand
    pair = rules.values[hand.pair] if hand.pair >= 0 else 0
    phase = INSURANCE if question.insurance else PLAY
    split = int(spot.split >= 0)
    return [phase, hand.total, int(hand.soft), pair, spot.up, split, spot.waiting, int(hand.size == 2)]
