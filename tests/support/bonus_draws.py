"""The draws of the bonus kernel made again in plain Python, in the form that the table asks for (L-22…L-28)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ventuno.core.rules.sheet import Bonus
from ventuno.odds.simulator.machines import BONUS_STREAM, Weighted, Wheel, derive_seeds

_MASK = 2**64 - 1


class Drawn(NamedTuple):
    """One bonus: the wheel, the board's boxes and first prizes, what each spin locks, the prizes of full diamonds."""

    segment: str
    prize: int
    boxes: tuple[str, ...] = ()
    start: Mapping[int, int] = {}
    spins: tuple[Mapping[int, int], ...] = ()
    diamonds: tuple[str, ...] = ()


def bonus_words(seed: int, block: int) -> NDArray[np.uint64]:
    return derive_seeds(seed, BONUS_STREAM + block)


def random_words(state: NDArray[np.uint64]) -> Iterator[int]:
    """xoshiro256++, as published."""
    a, b, c, d = state.tolist()
    while True:
        x = (a + d) & _MASK
        yield ((x << 23 | x >> 41) + a) & _MASK
        t = b << 17 & _MASK
        c, d = c ^ a, d ^ b
        b, a = b ^ c, a ^ d
        c, d = c ^ t, (d << 45 | d >> 19) & _MASK


def below(word: int, bound: int) -> int:
    return word * bound >> 64


def one(weighted: Weighted, word: int) -> int:
    sums, meant = weighted
    drawn = below(word, int(sums[-1]))
    return int(meant[int(np.searchsorted(sums, drawn, side="right"))])


def drawn(rules: Bonus, wheel: Wheel, state: NDArray[np.uint64]) -> Drawn:
    """The bonus that the kernel plays from this state of its generator."""
    words = random_words(state)
    found = one(wheel.segments, next(words))
    if found >= 0:
        return Drawn(f"x{found}", found)
    segment = list(rules.boards)[-1 - found]
    board = rules.boards[segment]
    empty, start = list(range(board.cells)), dict[int, int]()
    for _ in range(board.start):
        word = next(words)
        value = one(wheel.start, word * len(empty) & _MASK)
        start[taken(empty, below(word, len(empty)))] = value
    held, spins, left = dict(start), list[dict[int, int]](), rules.spins
    while left and empty:
        locks = spin(wheel, empty, words)
        left = rules.spins if locks else left - 1
        held |= locks
        spins.append(locks)
    names, prizes, total = list[str](), list[str](), 0
    by_prize = {prize: name for name, prize in rules.prizes.items()}
    for first in range(0, board.cells, rules.box_cells):
        shown = [held.get(cell, 0) for cell in range(first, first + rules.box_cells)]
        factor = one(wheel.boxes, next(words))
        names.append(f"x{factor}" if factor else "diamond")
        if all(shown) and not factor:
            prize = one(wheel.diamonds, next(words))
            prizes.append(by_prize[prize])
            total += prize
        total += sum(shown) * (factor if all(shown) and factor else 1)
    return Drawn(segment, total, tuple(names), start, tuple(spins), tuple(prizes))


def taken(empty: list[int], place: int) -> int:
    """A cell leaves the list of empty ones; the last of them takes its place."""
    cell, last = empty[place], empty.pop()
    if place < len(empty):
        empty[place] = last
    return cell


def spin(wheel: Wheel, empty: list[int], words: Iterator[int]) -> dict[int, int]:
    """What one spin of all empty cells locks."""
    locks, place = dict[int, int](), 0
    while place < len(empty):
        shown = one(wheel.cell, next(words))
        if shown:
            locks[taken(empty, place)] = shown
        else:
            place += 1
    return locks
