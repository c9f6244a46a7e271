"""The Link bonus, exactly: the wheel, and each board as a small Markov chain (L-21…L-29, reading 28).

Every empty cell shows a prize with the same chance and by itself, so the number of locked cells is a Markov chain, the
locked cells are a uniform choice of that many cells, and the prizes in them are drawn apart from all that. A board is
then a polynomial: one factor for each box, in `u` (locked cells), `v` (cells locked from the start) and the prize.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import comb, sqrt
from operator import add
from typing import Any, TypeVar

from ventuno.core.sheet import Board, Bonus, Sheet
from ventuno.odds.prizes import NOTHING, E, Jet, Least, Most, board_of, box_of, prize_chances, whole_weights

L = TypeVar("L", bound=Least)


@dataclass(frozen=True, slots=True)
class BoardReturn:
    """One board: prizes are to one. `chances[n]` is the chance of a prize of n, by FFT, each to within 1e-14.

    All else is exact. `chances` is empty for prizes too large to list (`prizes.LARGEST`).
    """

    locked: tuple[Fraction, ...]
    full: tuple[Fraction, ...]
    mean: Fraction
    square: Fraction
    minimum: tuple[int, Fraction]
    maximum: tuple[int, Fraction]
    diamonds: Mapping[str, Fraction]
    chances: tuple[float, ...]

    @property
    def sd(self) -> float:
        return sqrt(self.square - self.mean**2)

    @property
    def some_full(self) -> Fraction:
        """How often at least one box is full."""
        return 1 - self.full[0]


@dataclass(frozen=True, slots=True)
class LinkReturn:
    """The LINK bet: lost without Blackjack, else the stake comes back on top of a prize."""

    trigger: Fraction
    segments: Mapping[str, Fraction]
    boards: Mapping[str, BoardReturn]
    prize_mean: Fraction
    prize_square: Fraction

    @property
    def rtp(self) -> Fraction:
        return self.trigger * (1 + self.prize_mean)

    @property
    def sd(self) -> float:
        """Of the net result of one LINK bet."""
        back = self.trigger * (1 + 2 * self.prize_mean + self.prize_square)
        return sqrt(back - self.rtp**2)

    @property
    def maximum(self) -> int:
        cash = [int(name[1:]) for name in self.segments if name.startswith("x")]
        return max(*cash, *(board.maximum[0] for board in self.boards.values()))

    def chances(self) -> dict[int, float]:
        """The distribution of the prize of one bonus, all segments together."""
        found: dict[int, float] = {}
        for name, chance in self.segments.items():
            prizes = enumerate(self.boards[name].chances) if name in self.boards else ((int(name[1:]), 1.0),)
            for prize, part in prizes:
                if part > 0:
                    found[prize] = found.get(prize, 0.0) + float(chance) * part
        return dict(sorted(found.items()))


def solve_link(sheet: Sheet) -> LinkReturn:
    """The exact return of the bonus bet of a sheet."""
    bonus = sheet.bonus
    whole = sum(bonus.wheel.values())
    segments = {name: Fraction(weight, whole) for name, weight in bonus.wheel.items()}
    boards = {name: solve_board(bonus, bonus.boards[name]) for name in segments if name in bonus.boards}
    mean = square = Fraction(0)
    for name, chance in segments.items():
        cash = 0 if name in boards else int(name[1:])
        mean += chance * (boards[name].mean if name in boards else cash)
        square += chance * (boards[name].square if name in boards else cash * cash)
    return LinkReturn(blackjack_chance(sheet.shoe.decks), segments, boards, mean, square)


def blackjack_chance(decks: int) -> Fraction:
    """A hand is dealt an ace and a ten from a fresh shoe (L-21)."""
    return Fraction(4 * decks * 16 * decks, comb(52 * decks, 2))


def solve_board(bonus: Bonus, board: Board) -> BoardReturn:
    """Play one board to its end: 0 spins left, or full (L-27, L-28, reading 29)."""
    locked = locked_chances(board.cells, board.start, bonus)
    # Arrangements of m locked cells of which `start` were there from the start; all are equally likely.
    alike = [chance / (comb(board.cells, m) * (comb(m, board.start) or 1)) for m, chance in enumerate(locked)]
    mean = square = Fraction(0)
    for m, (jet, scale) in _exact(bonus, board, Jet.of).items():
        mean += alike[m] * Fraction(jet.first, scale)
        square += alike[m] * Fraction(jet.second, scale)
    full = full_chances(locked, board.cells, bonus.box_cells)
    lowest, highest = _extreme(_exact(bonus, board, Least.of), alike), _extreme(_exact(bonus, board, Most.of), alike)
    chances = prize_chances(bonus, board, [float(chance) for chance in alike], highest[0])
    return BoardReturn(locked, full, mean, square, lowest, highest, _diamonds(bonus, full), chances)


def _exact(bonus: Bonus, board: Board, of: Callable[[Mapping[int, Any]], E]) -> dict[int, tuple[E, int]]:
    """What a board pays by the number of locked cells, in whole numbers, each with what to divide by."""
    weights, scale = whole_weights(bonus)
    boxes = board.cells // bonus.box_cells
    found = board_of(box_of(weights, bonus.box_cells, board.start, of), boxes, board.start)
    return {m: (element, scale(boxes, board.start, m - board.start)) for m, element in found.items()}


def _extreme(found: Mapping[int, tuple[L, int]], alike: list[Fraction]) -> tuple[int, Fraction]:
    """The smallest or largest prize of a board and its chance."""
    possible = {m: pair for m, pair in found.items() if alike[m]}
    whole = reduce(add, (element for element, _ in possible.values()))
    chances = (
        alike[m] * Fraction(one.weight, scale) for m, (one, scale) in possible.items() if one.prize == whole.prize
    )
    return whole.prize, sum(chances, Fraction(0))


def locked_chances(cells: int, start: int, bonus: Bonus) -> tuple[Fraction, ...]:
    """The chance of each final number of locked cells.

    With m cells locked and all spins left, the next prizes come after 0, 1, … empty spins, or never.
    """
    whole = sum(bonus.cell.values())
    empty = bonus.cell.get(NOTHING, 0)
    reached = [Fraction(0)] * (cells + 1)
    ended = [Fraction(0)] * (cells + 1)
    reached[start] = Fraction(1)
    for m in range(start, cells + 1):
        free = cells - m
        if free == 0:
            ended[m] = reached[m]
            break
        none = Fraction(empty**free, whole**free)
        ended[m] = reached[m] * none**bonus.spins
        tries = sum((none**spin for spin in range(bonus.spins)), Fraction(0))
        for new in range(1, free + 1):
            ways = Fraction(comb(free, new) * (whole - empty) ** new * empty ** (free - new), whole**free)
            reached[m + new] += reached[m] * tries * ways
    return tuple(ended)


def full_chances(locked: tuple[Fraction, ...], cells: int, box: int) -> tuple[Fraction, ...]:
    """The chance of each number of full boxes, by inclusion and exclusion over the boxes."""
    boxes = cells // box
    found = []
    for exactly in range(boxes + 1):
        chance = Fraction(0)
        for m, part in enumerate(locked):
            ways = 0
            for more in range(exactly, boxes + 1):
                if m >= more * box:
                    sign = -1 if (more - exactly) % 2 else 1
                    rest = comb(cells - more * box, m - more * box)
                    ways += sign * comb(boxes, more) * comb(more, exactly) * rest
            chance += part * Fraction(ways, comb(cells, m))
        found.append(chance)
    return tuple(found)


def _diamonds(bonus: Bonus, full: tuple[Fraction, ...]) -> dict[str, Fraction]:
    """How often one board pays each of the four prizes at least once (L-28)."""
    share = Fraction(bonus.boxes.get("diamond", 0), sum(bonus.boxes.values()))
    whole = sum(bonus.diamonds.values())
    return {
        name: 1
        - sum((chance * (1 - share * Fraction(weight, whole)) ** k for k, chance in enumerate(full)), Fraction(0))
        for name, weight in bonus.diamonds.items()
    }
