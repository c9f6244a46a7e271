"""The best chart on totals (TD): what a person can learn and the simulator plays.

It has one choice per total and up-card, found by policy iteration: improved until no line gains.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from ventuno.odds.exact.hand_tree import LINES, HandTree, Play, count_hands, evaluate_play
from ventuno.odds.exact.rules import Bools, Floats, Ints
from ventuno.odds.exact.splits import Splits
from ventuno.odds.kernels import registry
from ventuno.odds.kernels.loops.codes import DOUBLE, FREE, HIT, MUST_HIT, STAND, SURRENDER

UP_CARDS = (2, 3, 4, 5, 6, 7, 8, 9, 10, 1)
"""Up-cards by value, in the order in which charts print them; 1 is the ace."""
CODES = "SHDdRr"
ROUNDS = 20
UNHELD = 1e-12
"""Weight of hands that best play never holds: enough to fill their lines sensibly, too little to move any other."""


@dataclass(frozen=True, slots=True)
class Chart:
    """Actions by total and up-card value.

    `hard` (4…20) and `soft` (12…20, an ace counting 11) hold one of: `H` hit, `S` stand, `D` double else hit,
    `d` double else stand, `R` surrender else hit, `r` surrender else stand. The alternatives after "else" are what is
    played with three or more cards and wherever doubling is not allowed. `pair` (card value 1…10) says whether two
    equal cards are split; where it says no, the total's line is played. `insure` says whether insurance is taken.
    """

    hard: Mapping[tuple[int, int], str]
    soft: Mapping[tuple[int, int], str]
    pair: Mapping[tuple[int, int], bool]
    insure: bool


def pair_action(chart: Chart, value: int, up: int) -> str:
    """What two equal cards do: split, or what their total says."""
    if chart.pair[value, up]:
        return "P"
    return chart.soft[12, up] if value == 1 else chart.hard[2 * value, up]


def optimize_chart(tree: HandTree, splits: Splits, start: Play) -> tuple[Play, Ints]:
    """The play of the best chart, and its choice for each line. `start` is the play to improve on first."""
    background = UNHELD * count_hands(tree, _always_hit(tree), find_unsplit_chances(tree, np.zeros(10)))[0]
    play, choices = start, np.full(len(LINES), -1)
    for _ in range(ROUNDS):
        improved, improved_choices = _improve(tree, background, play)
        improved = decide_splits(tree, splits, improved)
        if (improved_choices == choices).all() and (improved.split == play.split).all():
            return improved, improved_choices
        play, choices = improved, improved_choices
    return play, choices


def decide_splits(tree: HandTree, splits: Splits, play: Play) -> Play:
    """Split where that beats playing the pair as it is."""
    allowed = tree.state[tree.hands.pairs] == FREE
    worth = splits.value_splits(play)
    return replace(play, split=(worth > play.val[tree.hands.pairs]) & allowed, worth=worth)


def find_unsplit_chances(tree: HandTree, split: Floats | Bools) -> Floats:
    """The chances of the first hands that are played as they are: no Blackjack, no pair that is split."""
    start = tree.deal.copy()
    start[tree.hands.natural] = 0.0
    start[tree.hands.pairs] -= tree.splittable * split
    return start


def build_chart(choices_by_up: Mapping[int, tuple[Ints, Bools]], insure: bool) -> Chart:
    """From the choices of lines and of pairs for each up-card, in the form that people and the simulator read."""
    lines = {line: number for number, line in enumerate(LINES)}

    def code(kind: str, total: int, up: int) -> str:
        return CODES[choices_by_up[up][0][lines[kind, total]]]

    return Chart(
        hard={(total, up): code("hard", total, up) for total in range(4, 21) for up in UP_CARDS},
        soft={(total, up): code("soft", total, up) for total in range(12, 21) for up in UP_CARDS},
        pair={(card, up): bool(choices_by_up[up][1][card - 1]) for card in range(1, 11) for up in UP_CARDS},
        insure=insure,
    )


def play_chart(tree: HandTree, splits: Splits, given: Chart) -> Play:
    """The play that follows a given chart against the tree's up-card."""
    codes = [
        {"hard": given.hard, "soft": given.soft}[kind][total, tree.up] if kind in ("hard", "soft") else "S"
        for kind, total in LINES
    ]
    choice = np.array([CODES.index(code) for code in codes])[tree.hands.line]
    act = np.where(np.isin(choice, (1, 2, 4)), HIT, STAND)
    act[np.isin(choice, (2, 3)) & tree.may[:, 0]] = DOUBLE
    act[(choice >= 4) & tree.may[:, 1]] = SURRENDER
    act[tree.state != FREE] = STAND
    act[tree.state == MUST_HIT] = HIT
    split = np.array([given.pair[card, tree.up] for card in range(1, 11)])
    play = decide_splits(tree, splits, evaluate_play(tree, act, tree.loss))
    return replace(play, split=split & (tree.state[tree.hands.pairs] == FREE))


def _improve(tree: HandTree, background: Floats, play: Play) -> tuple[Play, Ints]:
    """One pass: weigh the hands as the present play holds them, choose anew line by line."""
    start = find_unsplit_chances(tree, play.split)
    for (card, _, _), (alone, _) in tree.hands.openings.items():
        start[alone] = (tree.splittable * play.split)[card - 1] * (2 - tree.mate)
    reach = background + count_hands(tree, play.act, start)[0]
    choices, act, val = np.zeros(len(LINES), np.int64), np.zeros_like(play.act), np.zeros_like(play.val)
    room = np.empty((1 + len(tree.hands.order), len(CODES)))
    registry.improve(*tree.kernel_arguments, tree.loss, tree.hands.bounds, reach, room, choices, act, val)
    return replace(play, act=act, val=val), choices


def _always_hit(tree: HandTree) -> Ints:
    return np.where((tree.state == FREE) | (tree.state == MUST_HIT), HIT, STAND)
