"""The Link bonus for the simulator: wheel and boards played out spin by spin (L-22…L-29)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ventuno.core.rules.sheet import Sheet
from ventuno.odds.kernels import registry
from ventuno.odds.simulator.random_streams import derive_seeds
from ventuno.odds.simulator.side_bet_tables import find_bet
from ventuno.odds.simulator.tally import Faces

BONUS_STREAM = 1 << 62
"""Bonus blocks draw from streams of their own, numbered from here."""

Weighted = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Running sums of the weights, and what each stands for."""


@dataclass(frozen=True)
class Wheel:
    """`segments` stand for a cash prize, or for board k as -1 - k; `boxes` for a factor, or 0 for a diamond."""

    bet: str
    segments: Weighted
    boards: NDArray[np.int64]
    start: Weighted
    cell: Weighted
    boxes: Weighted
    diamonds: Weighted
    spins: int
    box_cells: int

    @property
    def maximum(self) -> int:
        """No board pays more (the kernel counts by prize)."""
        cells, best = int(self.boards[:, 0].max(initial=0)), int(self.cell[1].max())
        full = cells * best * max(int(self.boxes[1].max()), 1) + cells // self.box_cells * int(self.diamonds[1].max())
        return max(full, int(self.segments[1].max()))

    @property
    def faces(self) -> Faces:
        """Lost, then a prize of 0, 1, 2… to one."""
        prizes = tuple(float(prize) for prize in range(-1, self.maximum + 1))
        return Faces(prizes, (1.0,) * len(prizes))

    def play(self, seed: int, block: int, rounds: int, triggers: int) -> dict[str, NDArray[np.int64]]:
        """The bonus bets of a block in which so many rounds brought a Blackjack (L-21)."""
        counts = np.zeros(self.maximum + 2, dtype=np.int64)
        counts[0] = rounds - triggers
        weights = (*self.segments, *self.start, *self.cell, *self.boxes, *self.diamonds)
        cells, empty = np.zeros((2, max(int(self.boards[:, 0].max(initial=0)), 1)), dtype=np.int64)
        bonus = triggers, self.boards, self.spins, self.box_cells
        registry.spin(derive_seeds(seed, BONUS_STREAM + block), *bonus, cells, empty, counts, *weights)
        return {self.bet: counts}


def build_wheel(sheet: Sheet) -> Wheel | None:
    """The wheel of a sheet that has a bonus bet."""
    bonus, bet = sheet.bonus, find_bet(sheet, "bonus")
    if not bet:
        return None
    names = list(bonus.boards)
    segments = {(int(one[1:]) if one[0] == "x" else -1 - names.index(one)): n for one, n in bonus.wheel.items()}
    return Wheel(
        bet=bet,
        segments=_accumulate(segments),
        boards=np.array([(one.cells, one.start) for one in bonus.boards.values()], dtype=np.int64).reshape(-1, 2),
        start=_accumulate({int(one): n for one, n in bonus.start.items()}),
        cell=_accumulate({0 if one == "nothing" else int(one): n for one, n in bonus.cell.items()}),
        boxes=_accumulate({0 if one == "diamond" else int(one[1:]): n for one, n in bonus.boxes.items()}),
        diamonds=_accumulate({bonus.prizes[one]: n for one, n in bonus.diamonds.items()}),
        spins=bonus.spins,
        box_cells=bonus.box_cells,
    )


def _accumulate(weights: Mapping[int, int]) -> Weighted:
    likeliest = sorted(weights, key=lambda item: -weights[item])
    sums = np.cumsum([weights[item] for item in likeliest])
    return sums.astype(np.int64), np.array(likeliest, dtype=np.int64)
