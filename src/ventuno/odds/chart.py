"""The best chart on totals (TD): one choice per total and up-card, found by improving it until no line gains."""

from __future__ import annotations

import numpy as np

from ventuno.odds import kernels
from ventuno.odds.play import Play, Table, held
from ventuno.odds.player import LINES, TWENTY_ONE
from ventuno.odds.splits import Splits
from ventuno.odds.strategy import UP_CARDS, Chart
from ventuno.odds.terms import FREE, MUST_HIT, Floats, Ints

CODES = "SHDdRr"
ROUNDS = 20
UNHELD = 1e-12
"""Weight of hands that best play never holds: enough to fill their lines sensibly, too little to move any other."""


def charted(table: Table, splits: Splits, start: Play) -> tuple[Play, Ints]:
    """The play of the best chart, and its choices by up-card and line. `start` is the play to improve on first."""
    background = UNHELD * held(table, _always_hit(table), _unsplit(table, np.zeros((10, 10))))[0]
    play, choices = start, np.full((10, len(LINES)), -1)
    for _ in range(ROUNDS):
        improved, found = _improved(table, background, play)
        improved = _split(table, splits, improved)
        if (found == choices).all() and (improved.split == play.split).all():
            return improved, found
        play, choices = improved, found
    return play, choices


def chart(play: Play, choices: Ints, insure: bool) -> Chart:
    """In the form that people and the simulator read."""
    lines = {line: number for number, line in enumerate(LINES)}

    def code(kind: str, total: int, up: int) -> str:
        return CODES[choices[up - 1, lines[kind, total]]]

    return Chart(
        hard={(total, up): code("hard", total, up) for total in range(4, 21) for up in UP_CARDS},
        soft={(total, up): code("soft", total, up) for total in range(12, 21) for up in UP_CARDS},
        pair={(card, up): bool(play.split[up - 1, card - 1]) for card in range(1, 11) for up in UP_CARDS},
        insure=insure,
    )


def _improved(table: Table, background: Floats, play: Play) -> tuple[Play, Ints]:
    """One pass: weigh the hands as the present play holds them, choose anew line by line."""
    one, terms = table.hands, table.terms
    reach = background + held(table, play.act, _unsplit(table, play.split))[0]
    start = np.zeros_like(reach)
    for (card, _, _), (alone, _) in table.openings.items():
        start[:, alone] = _pairs(table, card) * play.split[:, card - 1] * (2 - table.mate)
    reach += held(table, play.act, start)[0]
    choices = np.zeros((10, len(LINES)), dtype=np.int64)
    act, val = np.zeros_like(play.act), np.zeros_like(play.val)
    kernels.improve(
        *(one.order, one.bounds, one.follow, one.gone, one.total, one.kind, table.state, table.may, terms.shoe),
        *(table.ends, terms.peek, terms.loss, reach, choices, act, val),
    )
    return Play(play.quality, act, val, play.split), choices


def _split(table: Table, splits: Splits, play: Play) -> Play:
    """Split where that beats the line of the total."""
    pairs = np.stack([play.val[:, row] for row in table.pairs], axis=1)
    return Play(play.quality, play.act, play.val, splits.values(play) > pairs)


def _pairs(table: Table, card: int) -> Floats:
    """How often each up-card meets a pair that may be split."""
    return table.deal[:, table.pairs[card - 1]] * table.terms.same[card - 1]


def _unsplit(table: Table, split: Floats) -> Floats:
    """The first hands that are played as they are: no Blackjack, no pair that is split."""
    start = table.deal.copy()
    start[:, table.natural] = 0.0
    for card in range(1, 11):
        start[:, table.pairs[card - 1]] -= _pairs(table, card) * split[:, card - 1]
    return start


def _always_hit(table: Table) -> Ints:
    act = np.where((table.state == FREE) | (table.state == MUST_HIT), kernels.HIT, kernels.STAND)
    act[table.hands.line == TWENTY_ONE] = kernels.STAND
    return np.broadcast_to(act, table.ends.shape[:2]).copy()
