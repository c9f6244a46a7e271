"""The distribution of the net result of a round: every result with its exact chance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import sqrt

import numpy as np

from ventuno.odds.exact.chart import unsplit
from ventuno.odds.exact.dealer import BUST, NATURAL
from ventuno.odds.exact.hand_tree import ACE, Play, Table, held
from ventuno.odds.exact.rules import Bools, Floats, Ints
from ventuno.odds.exact.split_pairs import CLASSES, split_ends
from ventuno.odds.kernels.loops.codes import CHARLIE, STAND, SURRENDER

HALVES, ZERO = 17, 8
"""Results -4…4 in half stakes, counted from the left."""
_CHARLIE, _DOUBLED = 6, 7


def outcomes(table: Table, play: Play, insured: Bools, even_money: bool) -> Mapping[Fraction, float]:
    """Chance of each net result per initial stake together with the table's up-card.

    `insured` says which first hands take insurance against an ace.
    """
    found: defaultdict[Fraction, float] = defaultdict(float)
    here = insured if table.up == ACE else np.zeros_like(insured)
    for insurance in (False, True):
        dealt = here == insurance
        if not dealt[table.deal > 0.0].any():
            continue
        lost, paid = (Fraction(-1, 2), (table.terms.insurance or 0) / Fraction(2)) if insurance else (0, 0)
        for natural, chances in enumerate(_halves(table, play, dealt)):
            for half in np.flatnonzero(chances):
                found[Fraction(int(half) - ZERO, 2) + (paid if natural else lost)] += float(chances[half])
        if dealt[table.natural]:
            chance, meets = float(table.deal[table.natural]), float(table.ends[table.natural, NATURAL])
            even = even_money and table.up == ACE
            found[(Fraction(1) if even else table.terms.pays) + lost] += chance * (1.0 - meets)
            found[Fraction(int(even)) + paid] += chance * meets
    return found


def merged(parts: Iterable[Mapping[Fraction, float]]) -> Mapping[Fraction, float]:
    """One distribution from those of all up-cards."""
    found: defaultdict[Fraction, float] = defaultdict(float)
    for part in parts:
        for result, chance in part.items():
            found[result] += chance
    return {result: found[result] for result in sorted(found) if found[result] > 0.0}


def mean(distribution: Mapping[Fraction, float]) -> float:
    return sum(float(result) * chance for result, chance in distribution.items())


def deviation(distribution: Mapping[Fraction, float]) -> float:
    """The standard deviation."""
    square = sum(float(result) ** 2 * chance for result, chance in distribution.items())
    return sqrt(square - mean(distribution) ** 2)


def won(kind: int, end: int) -> int:
    """Whether a standing hand wins (1), ties (0) or loses (-1): classes 0 up to 16, 1…5 for 17…21, 6 Charlie."""
    if kind == _CHARLIE or end == BUST:
        return 1
    return (kind > end + 1) - (kind < end + 1)


def results(loss: Floats) -> Ints:
    """The result of a hand by class and dealer's end; the last two classes have bust, doubled and single."""
    out = np.empty((CLASSES + 1, NATURAL + 1), dtype=np.int64)
    for kind in range(CLASSES - 1):
        stake = 2 if kind >= _DOUBLED else 1
        out[kind, :NATURAL] = [stake * won(kind % _DOUBLED, end) for end in range(NATURAL)]
        out[kind, NATURAL] = -loss[stake - 1]
    out[CLASSES - 1], out[CLASSES] = -2, -1
    return out


def _halves(table: Table, play: Play, dealt: Bools) -> Floats:
    """Chances by result in half stakes, without and with a dealer Blackjack, of all hands but Blackjacks."""
    chances = _unsplit(table, play, np.where(dealt, unsplit(table, play.split), 0.0))
    single, added = results(table.loss[0]), results(table.loss[1])
    for card in range(1, 11):
        part = table.splittable[card - 1]
        if play.split[card - 1] and dealt[table.pairs[card - 1]] and part > 0.0:
            chances += part * _count(single[:, None] + added[None, :], split_ends(table, play, card))
    if table.peek:
        found = chances[1].sum()
        chances[1] = 0.0
        chances[1, ZERO - 2] = found
    return chances


def _unsplit(table: Table, play: Play, start: Floats) -> Floats:
    mass, twice, bust = held(table, play.act, start)
    ends = np.zeros((CLASSES + 1, NATURAL + 1))
    for masses, first in ((np.where(play.act == STAND, mass, 0.0), 0), (twice, _DOUBLED)):
        kinds = np.where(table.state == CHARLIE, _CHARLIE, np.maximum(table.hands.total - 16, 0))
        for kind in range(_DOUBLED):
            rows = np.flatnonzero((masses > 0.0) & (kinds == kind))
            ends[kind + first] = (masses[rows, None] * table.ends[rows]).sum(axis=0)
    ends[CLASSES, [BUST, NATURAL]] = bust[:2]
    ends[CLASSES - 1, [BUST, NATURAL]] = bust[2:]
    chances = _count(results(table.loss[0]), ends)
    rows = np.flatnonzero(play.act == SURRENDER)
    meets = float((mass[rows] * table.ends[rows, NATURAL]).sum())
    chances[0, ZERO - 1] += mass[rows].sum() - meets
    chances[1, ZERO - 2 * int(table.loss[0, 0])] += meets
    return chances


def _count(found: Ints, ends: Floats) -> Floats:
    out = np.zeros((2, HALVES))
    for natural, part in enumerate((slice(0, NATURAL), slice(NATURAL, None))):
        out[natural] = np.bincount(2 * found[..., part].ravel() + ZERO, ends[..., part].ravel(), minlength=HALVES)
    return out
