"""A Link board the long way, for comparison: in fractions, spin by spin and box by box."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import comb
from typing import NamedTuple

from ventuno.core.rules.sheet import Board, Bonus
from ventuno.odds.bets.board_prizes import DIAMOND, NOTHING

Box = dict[tuple[int, int], "Moments"]


class Moments(NamedTuple):
    """Chance, mean and mean square so far."""

    chance: Fraction
    first: Fraction
    second: Fraction

    def times(self, other: Moments) -> Moments:
        return Moments(
            self.chance * other.chance,
            self.chance * other.first + self.first * other.chance,
            self.chance * other.second + 2 * self.first * other.first + self.second * other.chance,
        )

    def plus(self, other: Moments) -> Moments:
        return Moments(*(a + b for a, b in zip(self, other, strict=True)))


def drawn(weights: Mapping[int, int], factor: int = 1) -> Moments:
    whole = sum(weights.values())
    powers = (sum(weight * (factor * prize) ** power for prize, weight in weights.items()) for power in range(3))
    return Moments(*(Fraction(power, whole) for power in powers))


def chance(value: Fraction | int) -> Moments:
    return Moments(Fraction(value), Fraction(0), Fraction(0))


def one_box(bonus: Bonus) -> Box:
    """By locked cells and start cells among them."""
    size, kinds = bonus.box_cells, sum(bonus.boxes.values())
    start = {int(name): weight for name, weight in bonus.start.items()}
    cell = {int(name): weight for name, weight in bonus.cell.items() if name != NOTHING}
    diamonds = dict[int, int]()
    for name, weight in bonus.diamonds.items():
        diamonds[bonus.prizes[name]] = diamonds.get(bonus.prizes[name], 0) + weight

    def shown(first: int, later: int, factor: int) -> Moments:
        found = chance(1)
        for _ in range(first):
            found = found.times(drawn(start, factor))
        for _ in range(later):
            found = found.times(drawn(cell, factor))
        return found

    box: Box = {}
    for c in range(size + 1):
        for s in range(c + 1):
            ways = chance(comb(size, c) * comb(c, s))
            if c < size:
                box[c, s] = ways.times(shown(s, c - s, 1))
                continue
            total = chance(0)
            for name, weight in bonus.boxes.items():
                pays = drawn(diamonds) if name == DIAMOND else chance(1)
                factor = 1 if name == DIAMOND else int(name[1:])
                total = total.plus(chance(Fraction(weight, kinds)).times(pays).times(shown(s, c - s, factor)))
            box[c, s] = ways.times(total)
    return box


def board_moments(bonus: Bonus, board: Board) -> tuple[Fraction, Fraction]:
    """Mean and mean square of the prize of one board."""
    box, whole = one_box(bonus), {(0, 0): chance(1)}
    for _ in range(board.cells // bonus.box_cells):
        more: Box = {}
        for (c, s), a in whole.items():
            for (d, t), b in box.items():
                if s + t <= board.start:
                    key = c + d, s + t
                    more[key] = more.get(key, chance(0)).plus(a.times(b))
        whole = more
    locked = locked_chances(bonus, board)
    ends = [(m, one) for (m, s), one in whole.items() if s == board.start]
    alike = [locked[m] / (comb(board.cells, m) * comb(m, board.start)) for m, _ in ends]
    return (
        sum((part * one.first for part, (_, one) in zip(alike, ends, strict=True)), Fraction(0)),
        sum((part * one.second for part, (_, one) in zip(alike, ends, strict=True)), Fraction(0)),
    )


def locked_chances(bonus: Bonus, board: Board) -> tuple[Fraction, ...]:
    """Spin by spin: a state is the number of locked cells and the spins left."""
    show = 1 - Fraction(bonus.cell.get(NOTHING, 0), sum(bonus.cell.values()))
    states = {(board.start, bonus.spins): Fraction(1)}
    ended = [Fraction(0)] * (board.cells + 1)
    while states:
        m, spins = min(states, key=lambda one: (one[0], -one[1]))
        part = states.pop((m, spins))
        free = board.cells - m
        if not spins or not free:
            ended[m] += part
            continue
        for new in range(free + 1):
            chance = comb(free, new) * show**new * (1 - show) ** (free - new)
            key = m + new, bonus.spins if new else spins - 1
            states[key] = states.get(key, Fraction(0)) + part * chance
    return tuple(ended)


def full_chances(locked: tuple[Fraction, ...], cells: int, box: int) -> tuple[Fraction, ...]:
    """The chance of each number of full boxes, by inclusion and exclusion over the boxes."""
    boxes = cells // box
    found = []
    for exactly in range(boxes + 1):
        chance = Fraction(0)
        for m, part in enumerate(locked):
            ways = sum(
                (-1) ** (more - exactly)
                * comb(boxes, more)
                * comb(more, exactly)
                * comb(cells - more * box, m - more * box)
                for more in range(exactly, boxes + 1)
                if m >= more * box
            )
            chance += part * Fraction(ways, comb(cells, m))
        found.append(chance)
    return tuple(found)
