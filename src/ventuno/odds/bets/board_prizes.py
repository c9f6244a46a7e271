"""What a board pays, by the number of its full boxes.

An open box pays its cells as they are, so the locked cells of all open boxes are alike: only their number counts, and
the ways in which they fill no box are a whole number. A full box is a polynomial in its cells locked from the start.
The coefficients say what prizes are worth, in any algebra that can add alternatives and multiply independent parts:
moments, the extremes with their weights, or the whole distribution at the roots of unity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm
from typing import Any, Protocol, Self, TypeVar

import numpy as np

from ventuno.core.rules.sheet import Board, Bonus

NOTHING = "nothing"
DIAMOND = "diamond"
LARGEST = 1 << 17
"""The largest prize up to which a distribution is listed."""
BLOCK = 1024
"""Roots of unity at a time: a board then fits into the cache."""


class Element(Protocol):
    def __add__(self, other: Self, /) -> Self: ...
    def __mul__(self, other: Self, /) -> Self: ...


E = TypeVar("E", bound=Element)
Of = Callable[[Mapping[int, Any]], E]


@dataclass(frozen=True, slots=True)
class Jet:
    """Weight, weighted sum and weighted square of prizes."""

    weight: int
    first: int
    second: int

    @classmethod
    def of(cls, prizes: Mapping[int, int]) -> Jet:
        items = prizes.items()
        return cls(
            sum(prizes.values()),
            sum(prize * weight for prize, weight in items),
            sum(prize * prize * weight for prize, weight in items),
        )

    def __add__(self, other: Jet) -> Jet:
        return Jet(self.weight + other.weight, self.first + other.first, self.second + other.second)

    def __mul__(self, other: Jet) -> Jet:
        return Jet(
            self.weight * other.weight,
            self.weight * other.first + self.first * other.weight,
            self.weight * other.second + 2 * self.first * other.first + self.second * other.weight,
        )


@dataclass(frozen=True, slots=True)
class Least:
    """The smallest prize and the weight with which it comes."""

    prize: int
    weight: int

    @classmethod
    def of(cls, prizes: Mapping[int, int]) -> Least:
        return cls(min(prizes), prizes[min(prizes)])

    @classmethod
    def of_negative(cls, prizes: Mapping[int, int]) -> Least:
        """For the largest prize: the smallest of their negatives."""
        return cls(-max(prizes), prizes[max(prizes)])

    def __add__(self, other: Least) -> Least:
        if self.prize == other.prize:
            return Least(self.prize, self.weight + other.weight)
        return self if self.prize < other.prize else other

    def __mul__(self, other: Least) -> Least:
        return Least(self.prize + other.prize, self.weight * other.weight)


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a bonus over one common denominator per box and per cell; fractions are chances."""

    start: Mapping[int, Any]
    cell: Mapping[int, Any]
    open_box: Any
    multipliers: Mapping[int, Any]
    diamonds: Mapping[int, Any]


def cash(weights: Mapping[str, int]) -> dict[int, int]:
    return {int(name): weight for name, weight in weights.items() if name != NOTHING}


def whole_weights(bonus: Bonus) -> tuple[Weights, Callable[[int, int, int], int]]:
    """Whole numbers, and what to divide by: of boxes, start cells and later cells."""
    start, cell = cash(bonus.start), cash(bonus.cell)
    kinds, prizes = sum(bonus.boxes.values()), sum(bonus.diamonds.values())
    diamond = bonus.boxes.get(DIAMOND, 0)
    rows = Weights(
        start,
        cell,
        kinds * prizes,
        {int(name[1:]): weight * prizes for name, weight in bonus.boxes.items() if name != DIAMOND},
        _merge((bonus.prizes[name], weight * diamond) for name, weight in bonus.diamonds.items()),
    )
    cells, starts = sum(cell.values()), sum(start.values())
    return rows, lambda boxes, first, later: (kinds * prizes) ** boxes * starts**first * cells**later


def _merge(pairs: Any) -> dict[int, int]:
    """Weights by prize: two names may carry one prize; a weight of nothing is left out."""
    weights: dict[int, int] = {}
    for prize, weight in pairs:
        if weight:
            weights[prize] = weights.get(prize, 0) + weight
    return weights


def chance_weights(bonus: Bonus) -> Weights:
    """The same as chances."""
    rows, _ = whole_weights(bonus)
    starts, cells = sum(rows.start.values()), sum(rows.cell.values())
    return Weights(
        {prize: Fraction(weight, starts) for prize, weight in rows.start.items()},
        {prize: Fraction(weight, cells) for prize, weight in rows.cell.items()},
        Fraction(1),
        {factor: Fraction(weight, rows.open_box) for factor, weight in rows.multipliers.items()},
        {prize: Fraction(weight, rows.open_box) for prize, weight in rows.diamonds.items()},
    )


@dataclass(frozen=True, slots=True)
class Shape:
    """So many boxes of `size` cells each; `start` of all cells are locked from the start."""

    size: int
    boxes: int
    start: int

    @classmethod
    def of(cls, bonus: Bonus, board: Board) -> Shape:
        return cls(bonus.box_cells, board.cells // bonus.box_cells, board.start)

    def count_ways(self) -> list[list[int]]:
        """By the number of full boxes: in how many ways so many more cells lie in the others and fill none of them."""
        some = [comb(self.size, cells) for cells in range(self.size)]
        counts = [[1]]
        for _ in range(self.boxes):
            counts.append(_multiply(counts[-1], some))
        return [[comb(self.boxes, k) * ways for ways in counts[self.boxes - k]] for k in range(self.boxes + 1)]


def _multiply(left: list[Any], right: list[Any], most: int | None = None) -> list[Any]:
    """The product of two polynomials up to the power `most`."""
    degree = len(left) + len(right) - 2 if most is None else min(len(left) + len(right) - 2, most)
    product: list[Any] = [None] * (degree + 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right[: max(degree + 1 - i, 0)]):
            product[i + j] = a * b if product[i + j] is None else product[i + j] + a * b
    return product


def _powers(base: E, most: int, of: Of[E]) -> list[E]:
    powers = [of({0: 1})]
    for _ in range(most):
        powers.append(powers[-1] * base)
    return powers


def pay_full_boxes(weights: Weights, shape: Shape, of: Of[E]) -> list[list[E]]:
    """What 0, 1, 2… full boxes pay, each by their cells locked from the start: more than they show (L-28)."""
    size, most = shape.size, min(shape.size, shape.start)
    kinds = [(factor, of({0: weight})) for factor, weight in weights.multipliers.items()]
    if weights.diamonds:
        kinds.append((1, of(weights.diamonds)))
    box: list[E] = []
    for factor, kind in kinds:
        first = _powers(of({prize * factor: weight for prize, weight in weights.start.items()}), most, of)
        later = _powers(of({prize * factor: weight for prize, weight in weights.cell.items()}), size, of)
        shown = [of({0: comb(size, s)}) * kind * first[s] * later[size - s] for s in range(most + 1)]
        box = [a + b for a, b in zip(box, shown, strict=True)] if box else shown
    products = [[of({0: 1})]]
    for _ in range(shape.boxes):
        products.append(_multiply(products[-1], box, shape.start))
    return products


def pay_board(weights: Weights, shape: Shape, of: Of[E]) -> dict[int, E]:
    """A whole board by the number of locked cells, exactly `start` of them from the start."""
    ways, full, start = shape.count_ways(), pay_full_boxes(weights, shape, of), shape.start
    most = shape.boxes * (shape.size - 1)
    first = _powers(of(weights.start), min(start, most), of)
    later = _powers(of(weights.cell), most, of)
    pays_by_locked: dict[int, E] = {}
    for k, line in enumerate(ways):
        pays = full[k]
        around = weights.open_box ** (shape.boxes - k)
        for j, many in enumerate(line):
            total: E | None = None
            for t in range(max(start - len(pays) + 1, 0), min(j, start) + 1):
                part = of({0: comb(j, t)}) * first[t] * later[j - t] * pays[start - t]
                total = part if total is None else total + part
            if total is not None:
                m, total = k * shape.size + j, of({0: many * around}) * total
                pays_by_locked[m] = pays_by_locked[m] + total if m in pays_by_locked else total
    return pays_by_locked


def find_prize_chances(bonus: Bonus, board: Board, alike: list[float], most: int) -> tuple[float, ...]:
    """The chance of every prize of a board, by one fast Fourier transform over the prize (error below 1e-14).

    `alike[m]` is the chance of one single arrangement of m locked cells. A board whose largest prize passes LARGEST
    has no such list: mean, deviation and extremes are exact all the same.
    """
    if most > LARGEST:
        return ()
    size = 1 << most.bit_length()
    circle = np.exp(-2j * np.pi * np.arange(size) / size)
    weights, shape = chance_weights(bonus), Shape.of(bonus, board)
    tables = [_weigh_open_cells(shape, alike, k) for k in range(shape.boxes + 1)]
    whole = np.zeros(size // 2 + 1, dtype=np.complex128)
    for begin in range(0, len(whole), BLOCK):
        roots = np.arange(begin, min(begin + BLOCK, len(whole)))

        def spectrum(prizes: Mapping[int, Fraction], roots: Any = roots) -> Any:
            if set(prizes) == {0}:
                return float(prizes[0])
            common = lcm(*(weight.denominator for weight in prizes.values()))
            # Whole weights, divided once: all chances together are one exactly, whatever power is taken of them.
            return (
                sum(float(weight * common) * circle[roots * prize % size] for prize, weight in prizes.items()) / common
            )

        full = pay_full_boxes(weights, shape, spectrum)
        first = _powers(spectrum(weights.start), shape.start, spectrum)
        later = np.ones((max(table.shape[1] for table in tables), len(roots)), dtype=np.complex128)
        later[1:] = spectrum(weights.cell)
        powers = np.cumprod(later, axis=0).view(np.float64)
        for pays, table in zip(full, tables, strict=True):
            # einsum and not a product of matrices, for which a library would start threads that cost more than they do
            lines = np.einsum("tj,jx->tx", table, powers[: table.shape[1]]).view(np.complex128)
            for t, line in enumerate(lines, start=shape.start - len(pays) + 1):
                whole[roots] += line * first[t] * pays[shape.start - t]
    return tuple(np.clip(np.fft.irfft(whole, size)[: most + 1], 0.0, None).tolist())


def _weigh_open_cells(shape: Shape, alike: list[float], k: int) -> Any:
    """The chances of the cells of open boxes beside k full ones, by how many later cells are among them.

    There is a row for each number of start cells among them, from the least that the full boxes leave over.
    """
    line = shape.count_ways()[k]
    least = shape.start - min(k * min(shape.size, shape.start), shape.start)
    rows = range(least, min(len(line) - 1, shape.start) + 1)
    table = np.zeros((len(rows), max(len(line) - least, 1)))
    for row, t in zip(table, rows, strict=True):
        for j in range(t, len(line)):
            row[j - t] = alike[k * shape.size + j] * (line[j] * comb(j, t))
    return table
