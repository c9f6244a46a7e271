"""The Link bonus, exactly: the wheel, and each board as a small Markov chain (L-21…L-29, reading 28, reading 29).

Every empty cell shows a prize with the same chance and by itself, so the number of locked cells is a Markov chain, the
locked cells are a uniform choice of that many cells, and the prizes in them are drawn apart from all that.
`board_prizes` says what so many locked cells pay.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from math import comb, gcd, lcm, sqrt
from operator import add

from ventuno.core.rules.sheet import Board, Bonus, Sheet
from ventuno.odds.bets.board_prizes import (
    NOTHING,
    E,
    Jet,
    Least,
    Of,
    Shape,
    find_prize_chances,
    pay_board,
    whole_weights,
)


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


@dataclass(frozen=True, slots=True)
class BoardReturn:
    """One board: prizes are to one. `chances[n]` is the chance of a prize of n, by FFT, each to within 1e-14.

    All else is exact. `chances` is empty for prizes too large to list (`board_prizes.LARGEST`).
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

    def list_chances(self) -> dict[int, float]:
        """The distribution of the prize of one bonus, all segments together."""
        distribution: dict[int, float] = {}
        for name, share in self.segments.items():
            chance = float(share)
            prizes = enumerate(self.boards[name].chances) if name in self.boards else ((int(name[1:]), 1.0),)
            for prize, part in prizes:
                if part > 0:
                    distribution[prize] = distribution.get(prize, 0.0) + chance * part
        return dict(sorted(distribution.items()))


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
    locked = compute_locked_shares(board, bonus)
    full = compute_full_shares(locked, Shape.of(bonus, board))
    moments = _pay_arrangements(bonus, board, Jet.of)
    mean = locked.mean((m, jet.first, below) for m, (jet, below) in moments.items())
    square = locked.mean((m, jet.second, below) for m, (jet, below) in moments.items())
    lowest = _find_least(_pay_arrangements(bonus, board, Least.of), locked)
    negative, chance = _find_least(_pay_arrangements(bonus, board, Least.of_negative), locked)
    highest = -negative, chance
    chances = find_prize_chances(
        bonus,
        board,
        [part / locked.whole / _count_arrangements(board, m) for m, part in enumerate(locked.parts)],
        highest[0],
    )
    diamonds = _diamonds(bonus, full)
    return BoardReturn(locked.list_chances(), full.list_chances(), mean, square, lowest, highest, diamonds, chances)


def _count_arrangements(board: Board, m: int) -> int:
    """Arrangements of m locked cells of which `start` were there from the start; all are equally likely."""
    return comb(board.cells, m) * (comb(m, board.start) or 1)


def _pay_arrangements(bonus: Bonus, board: Board, of: Of[E]) -> dict[int, tuple[E, int]]:
    """What one arrangement pays by the number of locked cells, in whole numbers, each with what to divide by."""
    weights, scale = whole_weights(bonus)
    shape = Shape.of(bonus, board)
    return {
        m: (element, scale(shape.boxes, board.start, m - board.start) * _count_arrangements(board, m))
        for m, element in pay_board(weights, shape, of).items()
    }


def _find_least(prizes: Mapping[int, tuple[Least, int]], locked: Shares) -> tuple[int, Fraction]:
    """The smallest prize of a board and its chance."""
    possible = {m: pair for m, pair in prizes.items() if locked.parts[m]}
    whole = reduce(add, (element for element, _ in possible.values()))
    reached = ((m, least.weight, below) for m, (least, below) in possible.items() if least.prize == whole.prize)
    return whole.prize, locked.mean(reached)


def _diamonds(bonus: Bonus, full: Shares) -> dict[str, Fraction]:
    """How often one board pays each of the four prizes at least once (L-28)."""
    share = Fraction(bonus.boxes.get("diamond", 0), sum(bonus.boxes.values()))
    whole = sum(bonus.diamonds.values())
    chances_by_name: dict[str, Fraction] = {}
    for name, weight in bonus.diamonds.items():
        missed = 1 - share * Fraction(weight, whole)
        chances_by_name[name] = 1 - full.mean(
            (k, missed.numerator**k, missed.denominator**k) for k in range(len(full.parts))
        )
    return chances_by_name
