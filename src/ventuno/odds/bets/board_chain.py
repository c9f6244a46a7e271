"""How many cells of a Link board are locked in the end, and how many boxes full (L-26…L-28, reading 29).

Chances that belong together are whole numbers over one denominator: it has thousands of digits, and a fraction of its
own for every step would be reduced every time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import comb, gcd, lcm

from ventuno.core.rules.sheet import Board, Bonus
from ventuno.odds.bets.board_prizes import NOTHING, Shape


@dataclass(frozen=True, slots=True)
class Shares:
    """The chance of each number n is `parts[n]` of `whole`."""

    parts: tuple[int, ...]
    whole: int

    def list_chances(self) -> tuple[Fraction, ...]:
        return tuple(Fraction(part, self.whole) for part in self.parts)

    def mean(self, values: Iterable[tuple[int, int, int]]) -> Fraction:
        """The chances of some numbers, each times its value: number, numerator, denominator."""
        triples = list(values)
        common = lcm(*(below for _, _, below in triples))
        total = sum(self.parts[n] * (above * (common // below)) for n, above, below in triples)
        return Fraction(total, self.whole * common)


def compute_locked_shares(board: Board, bonus: Bonus) -> Shares:
    """The chance of each final number of locked cells.

    With m cells locked and all spins left, the next prizes come after 0, 1, … empty spins, or never. A state is left
    with the denominator of one that had all spins of its empty cells; so each one's is the next one's divided by that.
    """
    whole, empty = sum(bonus.cell.values()), bonus.cell.get(NOTHING, 0)
    shared = gcd(whole, empty)
    whole, empty = whole // shared, empty // shared
    cells, spins = board.cells, bonus.spins
    leaving: list[int] = []
    ended: list[int] = []
    for m in range(board.start, cells):
        free = cells - m
        reached = 1 if m == board.start else _count_ways_to(leaving, board, m, whole, empty, spins)
        none, all_ways = empty**free, whole**free
        ended.append(reached * none**spins)
        leaving.append(reached * sum(none**spin * all_ways ** (spins - 1 - spin) for spin in range(spins)))
    last = 1 if board.start == cells else _count_ways_to(leaving, board, cells, whole, empty, spins)
    parts, below = [last], 1
    for free, part in enumerate(reversed(ended), start=1):
        parts.append(part * below)
        below *= whole ** (free * spins)
    return Shares((0,) * board.start + tuple(reversed(parts)), below)


def _count_ways_to(leaving: list[int], board: Board, m: int, whole: int, empty: int, spins: int) -> int:
    """How often m cells are locked together with all spins left, from every smaller number."""
    total, some = 0, whole - empty
    for before, part in enumerate(leaving, start=board.start):
        free, new = board.cells - before, m - before
        ways = comb(free, new) * some**new * empty ** (free - new)
        total = total * whole ** (free * spins) + part * ways
    return total


def compute_full_shares(locked: Shares, shape: Shape) -> Shares:
    """The chance of each number of full boxes: locked cells are a uniform choice of that many cells."""
    cells = shape.boxes * shape.size
    alike = [comb(cells, m) for m in range(cells + 1)]
    common = lcm(*alike)
    each = [part * (common // ways) for part, ways in zip(locked.parts, alike, strict=True)]
    parts = (
        sum(many * each[k * shape.size + j] for j, many in enumerate(line)) for k, line in enumerate(shape.count_ways())
    )
    return Shares(tuple(parts), locked.whole * common)
