"""A plain numba loop over the same rules beside the simulator, in the same run: rounds a second of CPU on one core.

The reference for `simulator`: a loop over rounds as anybody would write it, with numba's own generator. No goals.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping

import numpy as np
from numba import njit

from ventuno.core.rules.sheet import Sheet
from ventuno.odds.exact.chart import Chart
from ventuno.odds.exact.duel import DuelChoice, Visible, hand_name
from ventuno.odds.simulator.simulation import BLOCK, Machine, best_strategy, machine
from ventuno.sheets import GAMES, load

TURNS = 5
BLOCKS = 2


def main() -> int:
    for game in GAMES:
        sheet = load(game)
        strategy = best_strategy(sheet)
        theirs = plain(sheet, strategy) if isinstance(strategy, Chart) else plain_duel(sheet, strategy)
        ours, loop = best(blocks(machine(sheet, strategy, statistics=False)), theirs)
        print(f"{game:<14}{ours:7.1f} M rounds/s, plain loop {loop:5.1f} M: {ours / loop:.1f} times")
    return 0


def best(*measures: Callable[[int], None]) -> list[float]:
    """Million rounds a second; measures take turns, the best turn of each counts."""
    found = [0.0] * len(measures)
    for measure in measures:
        measure(1)
    for _ in range(TURNS):
        for number, measure in enumerate(measures):
            begun = time.process_time()
            measure(BLOCKS)
            found[number] = max(found[number], BLOCKS * BLOCK / (time.process_time() - begun) / 1e6)
    return found


def blocks(ready: Machine) -> Callable[[int], None]:
    def play(count: int) -> None:
        for block in range(count):
            ready.play(21, block, BLOCK)

    return play


def plain(sheet: Sheet, chart: Chart) -> Callable[[int], None]:
    """One box of the blackjack family."""
    moves = np.zeros((2, 22, 11), dtype=np.int8)
    for soft, totals in enumerate((chart.hard, chart.soft)):
        for (total, up), word in totals.items():
            moves[soft, total, up] = "HSDd".find(word) if word in "HSDd" else word == "r"
    moves[:, 21] = 1
    pairs = np.array([[value > 0 and up > 0 and chart.pair[value, up] for up in range(11)] for value in range(11)])
    values = np.array([*range(1, 11), 10, 10, 10] * 4 * sheet.shoe.decks, dtype=np.int64)
    cut = len(values) * 58 // 100 if sheet.shoe.reshuffle == "cut-card" else 0
    peeks = np.array([False, "A" in sheet.dealer.peek, *[False] * 8, "ten" in sheet.dealer.peek])
    rules = (cut, peeks, sheet.double.after_split, sheet.split.aces == "one-card", sheet.dealer.soft_17 == "hit")
    _loop(1, 10, values.copy(), moves, pairs, *rules)

    def play(count: int) -> None:
        _loop(count, count * BLOCK, values.copy(), moves, pairs, *rules)

    return play


def plain_duel(sheet: Sheet, chart: Mapping[Visible, DuelChoice]) -> Callable[[int], None]:
    """The same for the duel: cards, plan, house way, comparison, one after the other."""
    plans = np.zeros((11, 11, 11, 2), dtype=np.int64)
    for (up, low, high), choice in chart.items():
        plans[up, low, high] = plans[up, high, low] = choice.plan.card, choice.plan.hits
    rank = sheet.duel.house_way.index
    ways = np.array([[rank(hand_name(one, two)) if one and two else 0 for two in range(11)] for one in range(11)])
    values = np.array([*range(1, 11), 10, 10, 10] * 4 * sheet.shoe.decks, dtype=np.int64)

    def play(count: int) -> None:
        _duel_loop(count, count * BLOCK, values.copy(), plans, ways, sheet.duel.qualify, sheet.duel.draw_to)

    return play


@njit
def _total(points, ace):
    return points + 10 if ace and points <= 11 else points


@njit
def _duel_loop(seed, rounds, pack, plans, ways, qualify, draw_to):
    np.random.seed(seed)
    won, squares, staked = 0.0, 0.0, 0.0
    for _ in range(rounds):
        dealt = 0
        up, dealt = _draw(pack, dealt)
        first, dealt = _draw(pack, dealt)
        left, dealt = _draw(pack, dealt)
        right, dealt = _draw(pack, dealt)
        taken, hits = plans[up, left, right]
        if taken == 0:
            won, squares, staked = won - 1, squares + 1, staked + 1
            continue
        hidden, dealt = _draw(pack, dealt)
        second, dealt = _draw(pack, dealt)
        player = _total(up + taken, up == 1 or taken == 1)
        if hits:
            player = _total(up + taken + hidden, up == 1 or taken == 1 or hidden == 1)
        card = left if ways[first, left] <= ways[first, right] else right
        dealer = _total(first + card, first == 1 or card == 1)
        if dealer <= draw_to:
            dealer = _total(first + card + second, first == 1 or card == 1 or second == 1)
        if player > 21:
            result = -2.0
        elif dealer < qualify:
            result = 1.0
        elif dealer > 21 or player > dealer:
            result = 2.0
        else:
            result = 0.0 if player == dealer else -2.0
        won, squares, staked = won + result, squares + result * result, staked + 2
    return won, squares, staked


@njit
def _draw(pack, dealt):
    at = np.random.randint(dealt, len(pack))
    pack[dealt], pack[at] = pack[at], pack[dealt]
    return pack[dealt], dealt + 1


@njit
def _hand(pack, dealt, first, second, up, moves, may_double):
    """Play one hand: its total, the stakes on it, and how far the pack is dealt."""
    points, ace, fresh = first + second, first == 1 or second == 1, True
    while True:
        soft = ace and points <= 11
        total = points + 10 if soft else points
        if total >= 21:
            return total, 1, dealt
        move = moves[1 if soft else 0, total, up]
        if move == 1 or (move == 3 and not (fresh and may_double)):
            return total, 1, dealt
        card, dealt = _draw(pack, dealt)
        points, ace = points + card, ace or card == 1
        if move >= 2 and fresh and may_double:
            return points + 10 if ace and points <= 11 else points, 2, dealt
        fresh = False


@njit
def _loop(seed, rounds, pack, moves, pairs, cut, peeks, after_split, one_card, hits_soft):
    np.random.seed(seed)
    dealt, won, squares = 0, 0.0, 0.0
    for _ in range(rounds):
        if dealt >= cut:
            dealt = 0
        first, dealt = _draw(pack, dealt)
        up, dealt = _draw(pack, dealt)
        second, dealt = _draw(pack, dealt)
        hole, dealt = _draw(pack, dealt)
        natural = first + second == 11 and (first == 1 or second == 1)
        beaten = up + hole == 11 and (up == 1 or hole == 1)
        if natural or (beaten and peeks[up]):
            result = 0.0 if natural and beaten else 1.5 if natural else -1.0
            won, squares = won + result, squares + result * result
            continue
        totals, stakes, hands = (0, 0), (0, 0), 1
        if first == second and pairs[first, up]:
            hands = 2
            one, dealt = _draw(pack, dealt)
            two, dealt = _draw(pack, dealt)
            if first == 1 and one_card:
                totals, stakes = (11 + one if one > 1 else 12, 11 + two if two > 1 else 12), (1, 1)
            else:
                t1, s1, dealt = _hand(pack, dealt, first, one, up, moves, after_split)
                t2, s2, dealt = _hand(pack, dealt, first, two, up, moves, after_split)
                totals, stakes = (t1, t2), (s1, s2)
        else:
            t1, s1, dealt = _hand(pack, dealt, first, second, up, moves, True)
            totals, stakes = (t1, 0), (s1, 0)
        result, open_hands = 0.0, 0
        for k in range(hands):
            if totals[k] > 21:
                result -= stakes[k]
            else:
                open_hands += 1
        if open_hands:
            points, ace = up + hole, up == 1 or hole == 1
            while True:
                soft = ace and points <= 11
                total = points + 10 if soft else points
                if total > 17 or (total == 17 and not (soft and hits_soft)):
                    break
                card, dealt = _draw(pack, dealt)
                points, ace = points + card, ace or card == 1
            for k in range(hands):
                if totals[k] <= 21:
                    if beaten or (total <= 21 and total > totals[k]):
                        result -= stakes[k]
                    elif total > 21 or total < totals[k]:
                        result += stakes[k]
        won, squares = won + result, squares + result * result
    return won, squares


if __name__ == "__main__":
    sys.exit(main())
