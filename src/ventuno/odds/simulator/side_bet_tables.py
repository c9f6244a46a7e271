"""Side bets for the simulator: tables from two or three cards to the category that pays, and the Link bonus."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventuno.core.rules.money import Odds
from ventuno.core.rules.sheet import CATEGORIES, Sheet
from ventuno.odds.kernels import registry
from ventuno.odds.simulator.random_streams import derive_seeds
from ventuno.odds.simulator.tally import Faces

Mask = NDArray[np.bool_]


CARDS = 64
"""A card takes six bits; the numbers from 52 up are never dealt."""
THREE = 8
"""A deal's category: that of the pair times this, plus that of the three cards. 0 is a bet lost."""
PAIR_KIND, THREE_KIND, DEALER_KIND = "pair", "three-cards", "dealer-pair"


def tabulate_deals(sheet: Sheet) -> NDArray[np.uint8]:
    """Category by first card, up-card, second card (six bits each)."""
    first, up, second = (axis.astype(np.int8) for axis in np.ogrid[:CARDS, :CARDS, :CARDS])
    table = _best_category(_pairs(first, second), _pays(sheet, PAIR_KIND), PAIR_KIND) * THREE
    table = table + _best_category(_threes(first, up, second), _pays(sheet, THREE_KIND), THREE_KIND)
    return np.ascontiguousarray(np.broadcast_to(table, (CARDS,) * 3)).reshape(-1).astype(np.uint8)


def tabulate_dealer_pairs(sheet: Sheet) -> NDArray[np.uint8]:
    """Category by up-card and hole card."""
    up, hole = (axis.astype(np.int8) for axis in np.ogrid[:CARDS, :CARDS])
    return _best_category(_pairs(up, hole), _pays(sheet, DEALER_KIND), DEALER_KIND).reshape(-1).astype(np.uint8)


def find_bet(sheet: Sheet, kind: str) -> str:
    """The name under which the sheet offers a kind of side bet; empty if it does not."""
    return next((bet for bet, side in sheet.sides.items() if side.kind == kind), "")


def list_wins(sheet: Sheet, kind: str) -> tuple[float, ...]:
    """Net result of a stake of one by category, a lost bet first."""
    pays = _pays(sheet, kind)
    return (-1.0, *(float(pays[name].profit) if name in pays else -1.0 for name in CATEGORIES[kind]))


def _pays(sheet: Sheet, kind: str) -> Mapping[str, Odds]:
    bet = find_bet(sheet, kind)
    return sheet.sides[bet].pays if bet else {}


def _pairs(first: Any, second: Any) -> dict[str, Mask]:
    """V-21: of one rank; a red suit is hearts or diamonds."""
    red = np.array([False, True, True, False])
    same = first // 4 == second // 4
    suited, coloured = first % 4 == second % 4, red[first % 4] == red[second % 4]
    return {"perfect": same & suited, "coloured": same & coloured & ~suited, "mixed": same & ~coloured}


def _threes(first: Any, second: Any, third: Any) -> dict[str, Mask]:
    """V-22: an ace is low or high, K-A-2 is no straight."""
    cards = np.stack(np.broadcast_arrays(first, second, third)) // 4
    flush = (first % 4 == second % 4) & (second % 4 == third % 4)
    trips = (cards[0] == cards[1]) & (cards[1] == cards[2])
    straight = _are_in_a_row(cards) | _are_in_a_row(np.where(cards == 12, -1, cards))
    return {
        "suited-trips": trips & flush,
        "straight-flush": straight & flush,
        "trips": trips,
        "straight": straight,
        "flush": flush,
    }


def _are_in_a_row(ranks: NDArray[np.int8]) -> Mask:
    low, high = ranks.min(axis=0), ranks.max(axis=0)
    row: Mask = (high - low == 2) & (ranks.sum(axis=0, dtype=np.int8) == 3 * (low + 1)) & (ranks[0] != ranks[1])
    straight: Mask = row & (ranks[1] != ranks[2]) & (ranks[0] != ranks[2])
    return straight


def _best_category(masks: dict[str, Mask], pays: Mapping[str, Odds], kind: str) -> NDArray[np.int8]:
    """The number of the category that pays best; what the sheet does not pay counts as the next it does (S-29)."""
    best = np.zeros(next(iter(masks.values())).shape, dtype=np.int8)
    for name in sorted(pays, key=lambda one: pays[one].total):
        best = np.where(masks[name], CATEGORIES[kind].index(name) + 1, best)
    return best


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
