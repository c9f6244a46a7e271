"""What a board pays, as a polynomial over its boxes.

One box is a polynomial in `u` (its locked cells) and `v` (those locked from the start); the coefficients say what the
prizes of such a box are worth, in any algebra that can add alternatives and multiply independent parts: moments, the
extremes with their weights, or the whole distribution at the roots of unity.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import comb
from typing import Any, Protocol, Self, TypeVar

from ventuno.core.sheet import Board, Bonus

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
Box = dict[tuple[int, int], E]


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
    def of(cls, prizes: Mapping[int, int]) -> Self:
        prize = cls(0, 0).better(*prizes)
        return cls(prize, prizes[prize])

    @staticmethod
    def better(*prizes: int) -> int:
        return min(prizes)

    def __add__(self, other: Self) -> Self:
        if self.prize == other.prize:
            return type(self)(self.prize, self.weight + other.weight)
        return self if self.better(self.prize, other.prize) == self.prize else other

    def __mul__(self, other: Self) -> Self:
        return type(self)(self.prize + other.prize, self.weight * other.weight)


class Most(Least):
    """The largest prize and the weight with which it comes."""

    __slots__ = ()

    @staticmethod
    def better(*prizes: int) -> int:
        return max(prizes)


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights of a bonus over one common denominator per box and per cell; floats are chances."""

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
        _merged((bonus.prizes[name], weight * diamond) for name, weight in bonus.diamonds.items()),
    )
    cells, starts = sum(cell.values()), sum(start.values())
    return rows, lambda boxes, first, later: (kinds * prizes) ** boxes * starts**first * cells**later


def _merged(pairs: Any) -> dict[int, int]:
    """Weights by prize: two names may carry one prize; a weight of nothing is left out."""
    found: dict[int, int] = {}
    for prize, weight in pairs:
        if weight:
            found[prize] = found.get(prize, 0) + weight
    return found


def chance_weights(bonus: Bonus) -> Weights:
    """The same as chances."""
    rows, _ = whole_weights(bonus)
    starts, cells = sum(rows.start.values()), sum(rows.cell.values())
    return Weights(
        {prize: weight / starts for prize, weight in rows.start.items()},
        {prize: weight / cells for prize, weight in rows.cell.items()},
        1.0,
        {factor: weight / rows.open_box for factor, weight in rows.multipliers.items()},
        {prize: weight / rows.open_box for prize, weight in rows.diamonds.items()},
    )


def box_of(weights: Weights, size: int, most_start: int, of: Callable[[Mapping[int, Any]], E]) -> Box[E]:
    """One box with c locked cells, s of them from the start: open boxes pay as shown, full ones more (L-28)."""
    open_box = of({0: weights.open_box})
    diamonds = of(weights.diamonds) if weights.diamonds else None
    found: Box[E] = {}
    for c in range(size + 1):
        for s in range(min(c, most_start) + 1):
            ways = of({0: comb(size, c) * comb(c, s)})
            if c < size:
                found[c, s] = ways * open_box * _shown(weights, s, c - s, 1, of)
                continue
            parts = [
                of({0: weight}) * _shown(weights, s, c - s, factor, of)
                for factor, weight in weights.multipliers.items()
            ]
            parts += [diamonds * _shown(weights, s, c - s, 1, of)] if diamonds is not None else []
            total = parts[0]
            for part in parts[1:]:
                total = total + part
            found[c, s] = ways * total
    return found


def _shown(weights: Weights, first: int, later: int, factor: int, of: Callable[[Mapping[int, Any]], E]) -> E:
    """The prizes of so many cells, each times the factor of its box."""
    product = of({0: 1})
    for cells, prizes in ((first, weights.start), (later, weights.cell)):
        one = of({prize * factor: weight for prize, weight in prizes.items()})
        for _ in range(cells):
            product = product * one
    return product


def product(one: Box[E], other: Box[E], most_start: int, *, least_start: int = 0) -> Box[E]:
    """Two groups of boxes side by side; more start cells than there are cannot matter."""
    found: Box[E] = {}
    for (c, s), a in one.items():
        for (d, t), b in other.items():
            if least_start <= s + t <= most_start:
                key = c + d, s + t
                found[key] = found[key] + a * b if key in found else a * b
    return found


def board_of(box: Box[E], boxes: int, start: int) -> dict[int, E]:
    """All boxes of a board together, by the number of locked cells, exactly `start` of them from the start."""
    halves: list[Box[E]] = []
    power, left = box, boxes
    while left:
        if left % 2:
            halves.append(power)
        left //= 2
        power = product(power, power, start) if left else power
    whole = halves.pop()
    while halves:
        whole = product(whole, halves.pop(), start, least_start=0 if halves else start)
    return {c: element for (c, s), element in whole.items() if s == start}


def prize_chances(bonus: Bonus, board: Board, alike: list[float], most: int) -> tuple[float, ...]:
    """The chance of every prize of a board, by one fast Fourier transform over the prize (error below 1e-14).

    `alike[m]` is the chance of one single arrangement of m locked cells. A board whose largest prize passes LARGEST
    has no such list: mean, deviation and extremes are exact all the same.
    """
    import numpy as np

    if most > LARGEST:
        return ()
    size = 1 << most.bit_length()
    circle = np.exp(-2j * np.pi * np.arange(size) / size)
    weights, boxes = chance_weights(bonus), board.cells // bonus.box_cells
    whole = np.zeros(size // 2 + 1, dtype=np.complex128)
    for first in range(0, len(whole), BLOCK):
        roots = np.arange(first, min(first + BLOCK, len(whole)))

        def spectrum(prizes: Mapping[int, float], roots: Any = roots) -> Any:
            if set(prizes) == {0}:
                return prizes[0]
            return sum(weight * circle[roots * prize % size] for prize, weight in prizes.items())

        box: Box[Any] = box_of(weights, bonus.box_cells, board.start, spectrum)
        for m, element in board_of(box, boxes, board.start).items():
            whole[roots] += alike[m] * element
    return tuple(np.clip(np.fft.irfft(whole, size)[: most + 1], 0.0, None).tolist())
