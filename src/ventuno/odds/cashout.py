"""Cash out (F-09, F-10, F-13): the return of who always takes it, and the reconstruction of its table (reading 18)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from ventuno.core.sheet import Sheet
from ventuno.odds.dealer import NATURAL
from ventuno.odds.play import Table, table
from ventuno.odds.solver import first_values
from ventuno.odds.strategy import UP_CARDS
from ventuno.odds.terms import Floats, NotSolvable, terms

Rows = Mapping[str, tuple[int, ...]]
STEP = 10_000
"""Margins are sought in steps of a ten-thousandth of the stake."""


@dataclass(frozen=True, slots=True)
class Offers:
    """A table of offers in hundredths of the stake, for the up-cards 2…9, ten, ace."""

    margin: float
    hard: Rows
    soft: Rows
    rtp: float

    @property
    def least(self) -> int:
        return min(min(row) for row in (*self.hard.values(), *self.soft.values()))

    @property
    def most(self) -> int:
        return max(max(row) for row in (*self.hard.values(), *self.soft.values()))


@dataclass(frozen=True, slots=True)
class _First:
    """A first hand that is offered a price: its line, its chance with the up-card, and whether it plays on."""

    soft: bool
    total: int
    up: int
    pair: bool
    chance: float
    value: float


def always_cash_out(sheet: Sheet) -> float:
    """Return in per cent of a player who takes the first offer, from the rows of the sheet.

    Blackjacks get no offer and play on; an ace that is peeked at first ends the round where it finds Blackjack.
    """
    if not sheet.cash_out.offered:
        raise NotSolvable(f"{sheet.game.id} offers no cash out")
    return _return(sheet, sheet.cash_out.hard, sheet.cash_out.soft, list(_tables(sheet)))


def reconstruct(sheet: Sheet, wanted: float) -> Offers:
    """The table of reading 18: mean values less the flat margin for which the return comes nearest to `wanted`."""
    tables = list(_tables(sheet))
    means = _means([first for one in tables for first in _firsts(one, first_values(one))])

    def offers(step: int) -> Offers:
        margin = step / STEP
        hard, soft = (_rows(means, is_soft, margin) for is_soft in (False, True))
        return Offers(margin, hard, soft, _return(sheet, hard, soft, tables))

    low, high = 0, STEP // 2
    while high - low > 1:
        middle = (low + high) // 2
        if offers(middle).rtp >= wanted:
            low = middle
        else:
            high = middle
    return min((offers(step) for step in (low, high)), key=lambda one: (abs(one.rtp - wanted), one.margin))


def gains(sheet: Sheet) -> Mapping[tuple[bool, int, int], float]:
    """Where an offer is worth more than playing on: by soft, total and up-card, the most that it gains (F-13)."""
    found: dict[tuple[bool, int, int], float] = {}
    for one in _tables(sheet):
        for first in _firsts(one, first_values(one)):
            rows = sheet.cash_out.soft if first.soft else sheet.cash_out.hard
            gain = rows[str(first.total)][UP_CARDS.index(first.up)] / 100 - first.value
            if gain > 0.0:
                key = first.soft, first.total, first.up
                found[key] = max(gain, found.get(key, 0.0))
    return found


def _tables(sheet: Sheet) -> Iterator[Table]:
    rules = terms(sheet)
    return (table(rules, up) for up in UP_CARDS)


def _firsts(one: Table, values: Floats | None) -> Iterator[_First]:
    """First hands that are no Blackjack; their chance is that of being offered a price, their value what comes back."""
    for row in np.flatnonzero(one.deal > 0.0):
        if row == one.natural:
            continue
        plays = 1.0 - float(one.ends[row, NATURAL]) if one.peek else 1.0
        yield _First(
            soft=bool(one.hands.cards[row, 0]),
            total=int(one.hands.total[row]),
            up=one.up,
            pair=bool(one.hands.cards[row].max() == 2),
            chance=float(one.deal[row]) * plays,
            value=1.0 + float(values[row]) / plays if values is not None else 0.0,
        )


def _means(firsts: list[_First]) -> Mapping[tuple[bool, int, int], float]:
    """The mean value of each line; pairs count only where there is nothing else: hard 4, soft 12, hard 20."""
    found: dict[tuple[bool, int, int], list[_First]] = {}
    for first in firsts:
        found.setdefault((first.soft, first.total, first.up), []).append(first)
    means = {}
    for key, every in found.items():
        some = [first for first in every if not first.pair] or every
        means[key] = sum(first.chance * first.value for first in some) / sum(first.chance for first in some)
    return means


def _rows(means: Mapping[tuple[bool, int, int], float], soft: bool, margin: float) -> Rows:
    totals = range(12, 21) if soft else range(4, 21)
    return {str(total): tuple(round(100 * (means[soft, total, up] - margin)) for up in UP_CARDS) for total in totals}


def _return(sheet: Sheet, hard: Rows, soft: Rows, tables: list[Table]) -> float:
    result = 0.0
    for one in tables:
        row = one.natural
        pays = float(sheet.blackjack.pays.profit) * (1.0 - float(one.ends[row, NATURAL]))
        result += float(one.deal[row]) * (1.0 + pays)
        column = UP_CARDS.index(one.up)
        for first in _firsts(one, None):
            result += first.chance * (soft if first.soft else hard)[str(first.total)][column] / 100
    return 100.0 * result
