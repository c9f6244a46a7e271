"""The Link bonus: the polynomials against a board played through the rules, card by cell (L-21…L-29)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import comb, fsum, prod
from time import process_time
from typing import Any

import pytest

from tests.support import slow_boards
from ventuno.core.games.link import board_after, is_over, prize
from ventuno.core.rules.sheet import Board, Bonus
from ventuno.core.table.round import BonusBoard
from ventuno.odds.bets.board_prizes import Shape, pay_board, whole_weights
from ventuno.odds.bets.link import (
    BoardReturn,
    blackjack_chance,
    compute_full_shares,
    compute_locked_shares,
    solve_board,
    solve_link,
)
from ventuno.sheets import load

TINY = Bonus(
    spins=2,
    box_cells=2,
    wheel={"x5": 1, "small": 1},
    start={"1": 3, "7": 1},
    cell={"nothing": 5, "1": 2, "2": 1, "7": 1},
    boxes={"x2": 2, "x5": 1, "diamond": 1},
    diamonds={"MINI": 3, "GRAND": 1},
    prizes={"MINI": 20, "GRAND": 100},
    boards={"small": Board(cells=4, start=1)},
)
SMALL = TINY.boards["small"]


def played(bonus: Bonus = TINY, board: Board = SMALL) -> dict[int, Fraction]:
    """The prize distribution of a small board, each cell and box of the table's own rules followed."""
    final = ends(bonus, board)
    found: dict[int, Fraction] = {}
    for held, chance in final.items():
        for names in product(bonus.boxes, repeat=board.cells // bonus.box_cells):
            weight = prod(bonus.boxes[name] for name in names) * chance / sum(bonus.boxes.values()) ** len(names)
            place = BonusBoard(names, held, 0)
            due = sum(
                name == "diamond" and all(held[k * bonus.box_cells : (k + 1) * bonus.box_cells])
                for k, name in enumerate(names)
            )
            for won in product(bonus.diamonds, repeat=due):
                part = Fraction(prod(bonus.diamonds[name] for name in won), sum(bonus.diamonds.values()) ** due)
                total = prize(bonus, place, won)
                found[total] = found.get(total, Fraction(0)) + weight * part
    return found


def ends(bonus: Bonus, board: Board) -> dict[tuple[int, ...], Fraction]:
    """Where a board can end, every spin of every empty cell enumerated."""
    starts = {int(name): Fraction(weight, sum(bonus.start.values())) for name, weight in bonus.start.items()}
    shows = {name: Fraction(weight, sum(bonus.cell.values())) for name, weight in bonus.cell.items()}
    now: dict[tuple[tuple[int, ...], int], Fraction] = {}
    for places in combinations(range(board.cells), board.start):
        for prizes in product(starts, repeat=board.start):
            shown = dict(zip(places, prizes, strict=True))
            first = tuple(shown.get(cell, 0) for cell in range(board.cells))
            chance = prod((starts[value] for value in prizes), start=Fraction(1, comb(board.cells, board.start)))
            now[first, bonus.spins] = now.get((first, bonus.spins), Fraction(0)) + chance
    found: dict[tuple[int, ...], Fraction] = {}
    while now:
        after: dict[tuple[tuple[int, ...], int], Fraction] = {}
        for (held, spins), chance in now.items():
            place = BonusBoard((), held, spins)
            if is_over(place):
                found[held] = found.get(held, Fraction(0)) + chance
                continue
            empty = [cell for cell, value in enumerate(held) if not value]
            for names in product(shows, repeat=len(empty)):
                locks = {cell: int(name) for cell, name in zip(empty, names, strict=True) if name != "nothing"}
                spun = board_after(bonus, place, locks)
                part = chance * prod((shows[name] for name in names), start=Fraction(1))
                key = spun.cells, spun.spins
                after[key] = after.get(key, Fraction(0)) + part
        now = after
    return found


@cache
def tiny() -> BoardReturn:
    return solve_board(TINY, SMALL)


def test_moments_equal_a_played_board() -> None:
    chances = played()
    assert sum(chances.values()) == 1
    assert tiny().mean == sum(prize * chance for prize, chance in chances.items())
    assert tiny().square == sum(prize * prize * chance for prize, chance in chances.items())


def test_extremes_equal_a_played_board() -> None:
    chances = played()
    assert tiny().minimum == (min(chances), chances[min(chances)])
    assert tiny().maximum == (max(chances), chances[max(chances)])


def test_distribution_equals_a_played_board() -> None:
    chances = played()
    assert len(tiny().chances) == max(chances) + 1
    for prize_, chance in enumerate(tiny().chances):
        assert chance == pytest.approx(float(chances.get(prize_, 0)), abs=1e-14)


def test_locked_and_full_equal_a_played_board() -> None:
    final = ends(TINY, SMALL)
    for m, chance in enumerate(tiny().locked):
        assert chance == sum(part for held, part in final.items() if sum(map(bool, held)) == m)
    for k, chance in enumerate(tiny().full):
        assert chance == sum(part for held, part in final.items() if all(held[:2]) + all(held[2:]) == k)


def test_diamonds_equal_a_played_board() -> None:
    """A diamond box pays GRAND with one chance in four, and one box in four is a diamond."""
    assert tiny().diamonds["GRAND"] == 1 - sum(chance * Fraction(15, 16) ** k for k, chance in enumerate(tiny().full))


def test_start_that_fills_a_box() -> None:
    """Start prizes may fill a box by themselves: the smallest prize must not count those boards."""
    board = Board(cells=4, start=2)
    found, chances = solve_board(TINY, board), played(TINY, board)
    assert found.mean == sum(prize * chance for prize, chance in chances.items())
    assert found.minimum == (min(chances), chances[min(chances)])


def test_planted_fault_is_caught() -> None:
    """A box multiplier that acted on five of six cells would change the mean."""
    locked = compute_locked_shares(SMALL, TINY)
    assert sum(compute_full_shares(locked, Shape(2, 2, 1)).list_chances()) == 1
    assert compute_full_shares(locked, Shape(1, 4, 1)).list_chances() != tiny().full
    assert solve_board(replace(TINY, box_cells=1), SMALL).mean != tiny().mean


def test_one_more_spin_locks_more() -> None:
    more = replace(TINY, spins=3)
    assert solve_board(more, SMALL).locked[1] < tiny().locked[1]


OTHER: dict[str, tuple[dict[str, Any], dict[str, int]]] = {
    "as it is": ({}, {}),
    "cells of their own": ({"box_cells": 1}, {}),
    "boxes of nine": ({"box_cells": 9}, {}),
    "many cells": ({"box_cells": 6}, {"cells": 30}),
    "one from the start": ({}, {"start": 1}),
    "a box full from the start": ({}, {"start": 7}),
    "full from the start": ({"box_cells": 3}, {"start": 18}),
    "one spin": ({"spins": 1}, {}),
    "nine spins": ({"spins": 9}, {"cells": 12}),
    "another denominator": ({"cell": {"nothing": 1499, "1": 40, "7": 3}}, {"cells": 12}),
    "never empty": ({"cell": {"1": 40, "7": 3}}, {}),
    "no diamond": ({"boxes": {"x2": 8, "x3": 5}}, {}),
    "diamonds alone": ({"boxes": {"diamond": 5}}, {}),
}


@pytest.mark.parametrize("name", OTHER)
def test_a_board_equals_one_computed_box_by_box(name: str) -> None:
    """X-16: what makes an answer quick leaves every figure as it is, to the last digit of the fraction."""
    changes, places = OTHER[name]
    link = load("link").bonus
    bonus, board = replace(link, **changes), replace(link.boards["link"], **places)
    found = solve_board(bonus, board)
    assert found.locked == slow_boards.locked_chances(bonus, board)
    assert found.full == slow_boards.full_chances(found.locked, board.cells, bonus.box_cells)
    assert (found.mean, found.square) == slow_boards.board_moments(bonus, board)
    assert sum(found.chances) == pytest.approx(1, abs=1e-13)
    assert sum(n * chance for n, chance in enumerate(found.chances)) == pytest.approx(float(found.mean))
    for end, chance in (found.minimum, found.maximum):
        assert found.chances[end] == pytest.approx(float(chance), abs=1e-14)
    assert not any(chance > 1e-14 for chance in found.chances[: found.minimum[0]])
    assert len(found.chances) == found.maximum[0] + 1


class Few(tuple[int, ...]):
    """The weights of the prizes below a bound, exactly: those above are dropped."""

    BOUND = 26

    @classmethod
    def of(cls, prizes: Mapping[int, int]) -> Few:
        return cls(prizes.get(prize, 0) for prize in range(cls.BOUND))

    def __add__(self, other: Few) -> Few:  # type: ignore[override]
        return Few(a + b for a, b in zip(self, other, strict=True))

    def __mul__(self, other: Few) -> Few:  # type: ignore[override]
        return Few(sum(self[i] * other[n - i] for i in range(n + 1)) for n in range(self.BOUND))


@pytest.mark.parametrize("name", ["link", "mega-link"])
def test_listed_chances_are_the_exact_ones(name: str) -> None:
    """Both of a prize and of all up to it: a certificate gives twelve decimals, and the last one is right."""
    bonus = load("link").bonus
    board, listed = bonus.boards[name], solve_board(bonus, bonus.boards[name]).chances
    weights, scale = whole_weights(bonus)
    locked, shape = compute_locked_shares(board, bonus), Shape.of(bonus, board)
    found = {
        m: (few, scale(shape.boxes, board.start, m - board.start) * comb(board.cells, m) * comb(m, board.start))
        for m, few in pay_board(weights, shape, Few.of).items()
    }
    below = Fraction(0)
    for n in range(Few.BOUND):
        chance = locked.mean((m, few[n], under) for m, (few, under) in found.items())
        below += chance
        assert listed[n] == pytest.approx(float(chance), abs=1e-16)
        assert fsum(listed[n + 1 :]) == pytest.approx(float(1 - below), abs=1e-14)
    assert 0 < below < 1


@pytest.mark.parametrize(("size", "cells"), [(1, 36), (6, 60)])
def test_x16_the_largest_boards_are_computed_at_once(size: int, cells: int) -> None:
    """The odds room answers within a second; box by box the largest of these took two, and other figures come too."""
    bonus = replace(load("link").bonus, box_cells=size)
    start = process_time()
    solve_board(bonus, Board(cells=cells, start=6))
    assert process_time() - start < 0.6


def test_l20_link_bet() -> None:
    found = solve_link(load("link"))
    assert 95 <= 100 * found.rtp <= Fraction("95.5")
    assert found.trigger == blackjack_chance(6) == Fraction(2 * 24 * 96, 312 * 311)
    assert found.maximum == 13800
    chances = found.list_chances()
    assert sum(chances.values()) == pytest.approx(1, abs=1e-13)
    assert sum(prize * chance for prize, chance in chances.items()) == pytest.approx(float(found.prize_mean), rel=1e-11)


@pytest.mark.parametrize(("name", "least", "most"), [("link", 3, 6900), ("mega-link", 6, 13800)])
def test_l29_both_ends(name: str, least: int, most: int) -> None:
    board = solve_link(load("link")).boards[name]
    assert (board.minimum[0], board.maximum[0]) == (least, most)
    assert board.minimum[1] == pytest.approx(board.chances[least], abs=1e-14)
    assert 0 < board.maximum[1] < 1e-30
    assert sum(board.locked) == sum(board.full) == 1
    assert sum(n * n * chance for n, chance in enumerate(board.chances)) == pytest.approx(float(board.square), rel=1e-9)


def test_weights_say_their_hit_rates() -> None:
    """L-23: the remarks beside the weights are those of the weights."""
    sheet = load("link")
    whole = sum(sheet.bonus.wheel.values())
    trigger = float(blackjack_chance(sheet.shoe.decks))
    for name, weight in sheet.bonus.wheel.items():
        note = sheet.notes[f"bonus.wheel.{name}"]
        assert f"{100 * weight / whole:g} % of spins, one LINK bet in {whole / weight / trigger:,.0f}" in note
    boards = solve_link(sheet).boards
    for name in sheet.bonus.diamonds:
        rates = [
            f"one {title} board in {float(1 / boards[board].diamonds[name]):,.0f}"
            for title, board in (("LINK", "link"), ("MEGA LINK", "mega-link"))
        ]
        assert ", ".join(rates) in sheet.notes[f"bonus.diamonds.{name}"]
