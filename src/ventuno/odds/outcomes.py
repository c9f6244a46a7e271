"""The distribution of the net result of a round: every result with its exact chance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import sqrt
from typing import TypeAlias

import numpy as np

from ventuno.odds import kernels
from ventuno.odds.dealer import BUST, NATURAL
from ventuno.odds.joint import CLASSES, split_ends
from ventuno.odds.play import Play, Table, held
from ventuno.odds.terms import CHARLIE, Bools, Floats, Ints

Part: TypeAlias = tuple[Fraction, float, bool]
"""A result, its chance, and whether it comes with a dealer Blackjack."""

ONE, HALF = Fraction(1), Fraction(1, 2)
_CHARLIE, _DOUBLED = 6, 7


def outcomes(table: Table, play: Play, insured: Bools, even_money: bool) -> Mapping[Fraction, float]:
    """Net result per initial stake. `insured` says which first hands take insurance against an ace."""
    found: defaultdict[Fraction, float] = defaultdict(float)
    for insurance in (False, True):
        shift = _insurance(table) if insurance else (Fraction(0), Fraction(0))
        for up in range(10) if not insurance else (0,):
            here = insured if up == 0 else np.zeros_like(insured)
            deal = np.where(here == insurance, table.deal[up], 0.0)
            for result, chance, natural in _parts(table, play, up, deal, even_money):
                found[result + shift[natural]] += chance
    return {result: found[result] for result in sorted(found) if found[result] != 0.0}


def mean(distribution: Mapping[Fraction, float]) -> float:
    return sum(float(result) * chance for result, chance in distribution.items())


def deviation(distribution: Mapping[Fraction, float]) -> float:
    """The standard deviation."""
    square = sum(float(result) ** 2 * chance for result, chance in distribution.items())
    return sqrt(square - mean(distribution) ** 2)


def _insurance(table: Table) -> tuple[Fraction, Fraction]:
    return -HALF, HALF * (table.terms.insurance or 0)


def _parts(table: Table, play: Play, up: int, deal: Floats, even_money: bool) -> Iterator[Part]:
    terms, row = table.terms, table.natural
    pays = ONE if even_money and up == 0 else terms.pays
    meets = float(table.ends[up, row, NATURAL])
    yield pays, float(deal[row]) * (1.0 - meets), False
    yield ONE if even_money and up == 0 else Fraction(0), float(deal[row]) * meets, True
    start = np.zeros_like(table.deal)
    start[up] = deal
    start[up, row] = 0.0
    for card, pair in enumerate(table.pairs, 1):
        if play.split[up, card - 1] and deal[pair] > 0.0:
            chance = float(deal[pair] * terms.same[card - 1])
            start[up, pair] -= chance
            for result, part, natural in _split(table, play, card, up):
                yield result, chance * part, natural
    yield from _unsplit(table, play, up, start)


def _unsplit(table: Table, play: Play, up: int, start: Floats) -> Iterator[Part]:
    mass, twice, bust = held(table, play.act, start)
    single, doubled = table.terms.loss[up, 0]
    stands = np.where(play.act[up] == kernels.STAND, mass[up], 0.0)
    for stake, masses, loss in ((1, stands, single), (2, twice[up], doubled)):
        for kind, ends in enumerate(_by_class(table, up, masses)):
            yield from _settled(table, up, kind, stake, ends, Fraction(loss))
    for stake, (without, with_natural) in ((1, bust[up, :2]), (2, bust[up, 2:])):
        yield Fraction(-stake), float(without), False
        yield -ONE if table.terms.peek[up] else Fraction(-stake), float(with_natural), True
    given_up = np.where(play.act[up] == kernels.SURRENDER, mass[up], 0.0)
    meets = float(given_up @ table.ends[up, :, NATURAL])
    yield -HALF, float(given_up.sum()) - meets, False
    yield -ONE if table.terms.peek[up] else -Fraction(single), meets, True


def _by_class(table: Table, up: int, masses: Floats) -> Floats:
    """Sum the dealer's ends over hands of one class: up to 16, 17…21, Charlie."""
    rows = np.flatnonzero(masses)
    kinds = np.where(table.state[rows] == CHARLIE, _CHARLIE, np.maximum(table.hands.total[rows] - 16, 0))
    out = np.zeros((7, 7))
    np.add.at(out, kinds, masses[rows, None] * table.ends[up, rows])
    return out


def _settled(table: Table, up: int, kind: int, stake: int, ends: Floats, loss: Fraction) -> Iterator[Part]:
    for end in range(NATURAL):
        yield Fraction(stake * won(kind, end)), float(ends[end]), False
    yield -ONE if table.terms.peek[up] else -loss, float(ends[NATURAL]), True


def won(kind: int, end: int) -> int:
    """Whether a standing hand wins (1), ties (0) or loses (-1) against the dealer's end."""
    if kind == _CHARLIE or end == BUST:
        return 1
    return (kind > end + 1) - (kind < end + 1)


def _split(table: Table, play: Play, card: int, up: int) -> Iterator[Part]:
    both, loss = split_ends(table, play, card, up), table.terms.loss[up]
    results = _results(loss[0])[:, None, :] + _results(loss[1])[None, :, :]
    if table.terms.peek[up]:
        results[:, :, NATURAL] = -1
    for natural, part in ((False, slice(0, NATURAL)), (True, slice(NATURAL, None))):
        chances = np.bincount(results[:, :, part].ravel() + 4, both[:, :, part].ravel(), minlength=9)
        for result, chance in enumerate(chances, -4):
            yield Fraction(result), float(chance), natural


def _results(loss: Floats) -> Ints:
    """The result of one split hand by class and dealer's end; the last two classes have bust, doubled and single."""
    out = np.empty((CLASSES + 1, NATURAL + 1), dtype=np.int64)
    for kind in range(CLASSES - 1):
        stake = 2 if kind >= _DOUBLED else 1
        out[kind, :NATURAL] = [stake * won(kind % _DOUBLED, end) for end in range(NATURAL)]
        out[kind, NATURAL] = -loss[stake - 1]
    out[CLASSES - 1], out[CLASSES] = -2, -1
    return out
