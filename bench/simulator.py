"""Rounds a second of CPU on one core, for every game, beside a plain numba loop over the same rules in the same run.

Prints one line for each figure and exits 1 where a goal is missed. Measures take turns; the best turn of each counts.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numba import njit

from ventuno.core.sheet import Sheet
from ventuno.odds.duel import DuelChoice, Visible, hand_name
from ventuno.odds.simulation import BLOCK, Machine, best_strategy, machine, simulate
from ventuno.odds.strategy import Chart
from ventuno.sheets import GAMES, load

GOALS = {"ventuno": 50.0, "duello": 20.0, "link": 20.0}
"""Million rounds a second of the main bet; Duello and Link with all their side bets."""
SHARE, TWO_CORES, MEGABYTES, START = 0.6, 1.8, 200.0, 2.0
TURNS = 7
BLOCKS = 4
PLAIN = "plain numba loop"
FRESH = f"""
import sys, time
from ventuno.cli.main import main
main(["simulate", {GAMES[0]!r}, "--rounds", "10000000", "--cores", "1"])
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(time.process_time(), peak, file=sys.stderr)
"""
"""A process asks the kernel for its own peak: what its parent hears includes the parent's pages."""
EMPTY = """
import sys, time
import numba, numpy
@numba.njit
def nothing(a): return a[0]
nothing(numpy.ones(1))
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(time.process_time(), peak, file=sys.stderr)
"""
"""The reference for a start: a process that does nothing but bring numba up."""


@dataclass(frozen=True)
class Measured:
    name: str
    figure: float
    goal: float | None = None
    at_most: bool = False
    unit: str = "M rounds/s"

    @property
    def missed(self) -> bool:
        if self.goal is None:
            return False
        return self.figure > self.goal if self.at_most else self.figure < self.goal

    def __str__(self) -> str:
        bound = "at most" if self.at_most else "at least"
        goal = f"  ({bound} {self.goal:g}{': MISSED' if self.missed else ''})" if self.goal is not None else ""
        return f"{self.name:<44}{self.figure:9.2f} {self.unit}{goal}"


def main() -> int:
    found = [*speeds(), two_cores(), *fresh_process()]
    return int(any(one.missed for one in found))


def speeds() -> list[Measured]:
    found = []
    for game in GAMES:
        sheet = load(game)
        strategy = best_strategy(sheet)
        measures = {
            "main": blocks(machine(sheet, strategy, statistics=False)),
            "all bets": blocks(machine(sheet, strategy)),
        }
        measures[PLAIN] = plain(sheet, strategy) if isinstance(strategy, Chart) else plain_duel(sheet, strategy)
        best = turns(measures)
        goal = GOALS.get(game)
        every = goal if goal and game != GAMES[0] else None
        lines = [Measured(f"{game}, main", best["main"], goal), Measured(f"{game}, all bets", best["all bets"], every)]
        lines.append(Measured(f"{game}, {PLAIN}", best[PLAIN]))
        lines.append(Measured(f"{game}, main to {PLAIN}", best["main"] / best[PLAIN], unit="times"))
        share = SHARE if game == GAMES[0] else None
        lines.append(Measured(f"{game}, all bets to main", best["all bets"] / best["main"], share, unit="times"))
        found += lines
        print("\n".join(map(str, lines)))
    return found


def turns(measures: dict[str, Callable[[int], None]]) -> dict[str, float]:
    best = dict.fromkeys(measures, 0.0)
    for measure in measures.values():
        measure(1)
    for _ in range(TURNS):
        for name, measure in measures.items():
            begun = time.process_time()
            measure(BLOCKS)
            best[name] = max(best[name], BLOCKS * BLOCK / (time.process_time() - begun) / 1e6)
    return best


def blocks(ready: Machine) -> Callable[[int], None]:
    def play(count: int) -> None:
        for block in range(count):
            ready.play(21, block, BLOCK)

    return play


def two_cores() -> Measured:
    """How many times one core two cores are: by CPU time for each round, which a busy machine does not spoil, and as
    the wall clock saw it."""
    sheet = load(GAMES[0])
    ready = machine(sheet, best_strategy(sheet), statistics=False)
    wall, processor = {1: 0.0, 2: 0.0}, {1: np.inf, 2: np.inf}
    for _ in range(TURNS):
        for cores in wall:
            begun = time.process_time()
            wall[cores] = max(wall[cores], simulate(sheet, ready, 64 * BLOCK, cores=cores).rounds_per_second)
            processor[cores] = min(processor[cores], time.process_time() - begun)
    line = Measured("two cores to one", 2 * processor[1] / processor[2], TWO_CORES, unit="times")
    print(line, Measured("two cores to one, wall time", wall[2] / wall[1], unit="times"), sep="\n")
    return line


def fresh_process() -> list[Measured]:
    """`ventuno simulate` as a process of its own, kernels cached: time to ten million rounds, and its memory."""
    wall, processor, memory, empty, empty_memory = np.inf, np.inf, np.inf, np.inf, np.inf
    for _ in range(4):
        begun = time.perf_counter()
        spent, peak = apart(FRESH)
        wall = min(wall, time.perf_counter() - begun)
        processor, memory = min(processor, spent), min(memory, peak)
        spent, peak = apart(EMPTY)
        empty, empty_memory = min(empty, spent), min(empty_memory, peak)
    lines = [
        Measured("start to 10 M rounds, all bets, CPU", processor, START, at_most=True, unit="s"),
        Measured("start to 10 M rounds, all bets, wall", wall, unit="s"),
        Measured("start of an empty numba kernel, CPU", empty, unit="s"),
        Measured("memory of the simulation", memory, MEGABYTES, at_most=True, unit="MB"),
        Measured("memory of an empty numba kernel", empty_memory, unit="MB"),
    ]
    print("\n".join(map(str, lines)))
    return lines


def apart(code: str) -> tuple[float, float]:
    """CPU seconds and megabytes at the peak of a process of its own."""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    spent, peak = map(float, done.stderr.split())
    return spent, peak / 1024


def plain(sheet: Sheet, chart: Chart) -> Callable[[int], None]:
    """The reference: a loop over rounds as anybody would write it, compiled by numba, with numba's own generator."""
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
def _total(points, ace):  # type: ignore[no-untyped-def]
    return points + 10 if ace and points <= 11 else points


@njit
def _duel_loop(seed, rounds, pack, plans, ways, qualify, draw_to):  # type: ignore[no-untyped-def]
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
def _draw(pack, dealt):  # type: ignore[no-untyped-def]
    at = np.random.randint(dealt, len(pack))
    pack[dealt], pack[at] = pack[at], pack[dealt]
    return pack[dealt], dealt + 1


@njit
def _hand(pack, dealt, first, second, up, moves, may_double):  # type: ignore[no-untyped-def]
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
def _loop(seed, rounds, pack, moves, pairs, cut, peeks, after_split, one_card, hits_soft):  # type: ignore[no-untyped-def]
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
