"""Wheel and boards of a bonus: drawn by the sheet's weights, from the seed that was sealed with the shoe (L-23…L-28).

Every draw has a generator of its own, on the seed, the root and what the players sent to the cut. It is named by where
the round began in the shoe, which bonus of the round it is and which spin of that: nothing that the house could choose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ventuno.core.games import link
from ventuno.core.rules.sheet import Bonus
from ventuno.core.scenario.scenario import BonusEntry
from ventuno.core.table.round import BonusBoard
from ventuno.house.shoes.commitment import Commitment
from ventuno.house.shoes.drbg import HmacDrbg
from ventuno.house.shoes.shuffle import Below, Stream
from ventuno.house.store.secrets import Secret

PERSONALIZATION = "ventuno/draws/2"


class DrawPlace(NamedTuple):
    """Which draw it is: the place in the shoe where its round began, the bonus of the round from 0, and the spin of its
    board from 1; 0 is the wheel.
    """

    first: int
    bonus: int
    spin: int = 0


class WheelDraw(NamedTuple):
    """Where the wheel stops; with a board also what its boxes show and its first prizes by cell."""

    segment: str
    boxes: tuple[str, ...] = ()
    start: Mapping[int, int] = {}


class SpinDraw(NamedTuple):
    """The prizes that a spin locks, by cell, and those of full diamond boxes once the board is over."""

    locks: Mapping[int, int]
    diamonds: tuple[str, ...] = ()


class DrawSeed(Secret):
    """All that the draws of one shoe follow from: its sealed seed, its root and what decided its cut."""

    __slots__ = ("_entropy", "_number")

    def __init__(self, seed: bytes, commitment: Commitment, parts: Sequence[bytes]) -> None:
        self._entropy = seed + commitment.root + b"".join(parts)
        self._number = commitment.shoe.to_bytes(16, "big")

    def make_stream(self, place: DrawPlace) -> Stream:
        name = f"{PERSONALIZATION}/{place.first}/{place.bonus}/{place.spin}".encode()
        return Stream(HmacDrbg(self._entropy, self._number, name))


def pick(weights: Mapping[str, int], below: Below) -> str:
    """One name by its weight. Names go by code point: the order of a sheet's lines is not in its hash, and may not
    decide anything.
    """
    place = below(sum(weights.values()))
    for name in sorted(weights):
        if place < weights[name]:
            return name
        place -= weights[name]
    raise AssertionError("a weight was skipped")


def draw_wheel(rules: Bonus, below: Below) -> WheelDraw:
    """The segment; where it opens a board its boxes, then the cells of the first prizes, then these, by cell."""
    segment = pick(rules.wheel, below)
    board = rules.boards.get(segment)
    if board is None:
        return WheelDraw(segment)
    boxes = tuple(pick(rules.boxes, below) for _ in range(board.cells // rules.box_cells))
    cells = _draw_cells(board.cells, board.start, below)
    return WheelDraw(segment, boxes, {cell: int(pick(rules.start, below)) for cell in cells})


def draw_spin(rules: Bonus, board: BonusBoard, below: Below) -> SpinDraw:
    """What each empty cell shows, in their order, then a prize for each full diamond box of a board that is over."""
    shown = {cell: pick(rules.cell, below) for cell, locked in enumerate(board.cells) if not locked}
    locks = {cell: int(prize) for cell, prize in shown.items() if prize != "nothing"}
    due = link.diamonds_due(rules, link.board_after(rules, board, locks))
    return SpinDraw(locks, tuple(pick(rules.diamonds, below) for _ in range(due)))


def _draw_cells(count: int, wanted: int, below: Below) -> list[int]:
    """Distinct cells: the first of a shuffle that goes only so far."""
    cells = list(range(count))
    for place in range(wanted):
        other = place + below(count - place)
        cells[place], cells[other] = cells[other], cells[place]
    return sorted(cells[:wanted])


def draw_bonus(rules: Bonus, seed: DrawSeed, first: int, number: int) -> BonusEntry:
    """A whole bonus of a round, from the wheel to the end of its board."""
    segment, boxes, start = draw_wheel(rules, seed.make_stream(DrawPlace(first, number)).below)
    board, spins = link.spin_wheel(rules, segment, boxes, start).board, list[Mapping[int, int]]()
    diamonds: tuple[str, ...] = ()
    while board and not link.is_over(board):
        stream = seed.make_stream(DrawPlace(first, number, len(spins) + 1))
        locks, diamonds = draw_spin(rules, board, stream.below)
        spins.append(locks)
        board = link.board_after(rules, board, locks)
    return BonusEntry(segment, boxes, start, tuple(spins), diamonds)


def list_differences(rules: Bonus, seed: DrawSeed, first: int, told: Sequence[BonusEntry]) -> Iterator[str]:
    """Where the draws that a round tells are not those that follow from the seed."""
    for number, entry in enumerate(told):
        due = draw_bonus(rules, seed, first, number)
        for name in ("wheel", "boxes", "start", "spins", "diamonds"):
            if getattr(entry, name) != getattr(due, name):
                yield f"bonus[{number}].{name}"
