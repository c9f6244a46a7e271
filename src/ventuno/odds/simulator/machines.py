"""Machines: a sheet and a strategy as arrays that a kernel plays.

The rows of an automaton go by how often they are visited; packs are bytes. Side bets are tables from two or three cards
to the category that pays; the Link bonus is played out spin by spin (L-22…L-29); a duel takes six cards a round, the
plan for what is visible, and three small tables (D-06…D-15). Each block of rounds starts its random numbers where
`derive_seeds` says (`loops.xoshiro` goes on from there).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ventuno.core.rules.cards import VALUES
from ventuno.core.rules.money import Odds
from ventuno.core.rules.sheet import CATEGORIES, Sheet
from ventuno.core.rules.sheet_checks import cards_for_a_round
from ventuno.odds.exact.chart import Chart
from ventuno.odds.exact.dealer import best_total
from ventuno.odds.exact.duel import DuelChoice, Visible, tabulate_finals, tabulate_results
from ventuno.odds.kernels import registry
from ventuno.odds.kernels.loops.codes import CHUNK, LANES, OUTCOMES, PACK
from ventuno.odds.simulator.automaton import OUTCOME, OUTCOME_SHIFT, Automaton, TooManyStates, compile_automaton
from ventuno.odds.simulator.round_machine import SECOND, STEPS_OF_THE_HOLE
from ventuno.odds.simulator.tally import Faces, Tally

_MASK = 2**64 - 1
Mask = NDArray[np.bool_]
CARDS = 64
"""A card takes six bits; the numbers from 52 up are never dealt."""
THREE = 8
"""A deal's category: that of the pair times this, plus that of the three cards. 0 is a bet lost."""
PAIR_KIND, THREE_KIND, DEALER_KIND = "pair", "three-cards", "dealer-pair"
BONUS_STREAM = 1 << 62
"""Bonus blocks draw from streams of their own, numbered from here."""
Weighted = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Running sums of the weights, and what each stands for."""
ALWAYS, OFFER_STREAM = "always-cash-out", 1 << 61
_NOT_LOOKED_AT = 3 << 22
_NOTED = 1 << 22
TWO_UP = "two-up"
FOLDED = 0
_NETS = (-2, -1, 0, 1, 2)


def derive_seeds(seed: int, block: int) -> NDArray[np.uint64]:
    """Four words for one block of work: splitmix64, started from the seed and the number of the block."""
    state, words = _mix(seed & _MASK) ^ _mix(_mix(block & _MASK) + (seed >> 64)), []
    for _ in range(4):
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        words.append(_mix(state))
    return np.array(words, dtype=np.uint64)


def _mix(word: int) -> int:
    word = (word + 0x9E3779B97F4A7C15) & _MASK
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & _MASK
    word = (word ^ word >> 27) * 0x94D049BB133111EB & _MASK
    return word ^ word >> 31


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
    for name in sorted(pays, key=lambda name: pays[name].total):
        best = np.where(masks[name], CATEGORIES[kind].index(name) + 1, best)
    return best


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
    segments = {(int(name[1:]) if name[0] == "x" else -1 - names.index(name)): n for name, n in bonus.wheel.items()}
    return Wheel(
        bet=bet,
        segments=_accumulate(segments),
        boards=np.array([(board.cells, board.start) for board in bonus.boards.values()], dtype=np.int64).reshape(-1, 2),
        start=_accumulate({int(name): n for name, n in bonus.start.items()}),
        cell=_accumulate({0 if name == "nothing" else int(name): n for name, n in bonus.cell.items()}),
        boxes=_accumulate({0 if name == "diamond" else int(name[1:]): n for name, n in bonus.boxes.items()}),
        diamonds=_accumulate({bonus.prizes[name]: n for name, n in bonus.diamonds.items()}),
        spins=bonus.spins,
        box_cells=bonus.box_cells,
    )


def _accumulate(weights: Mapping[int, int]) -> Weighted:
    likeliest = sorted(weights, key=lambda item: -weights[item])
    sums = np.cumsum([weights[item] for item in likeliest])
    return sums.astype(np.int64), np.array(likeliest, dtype=np.int64)


@dataclass(frozen=True)
class BlackjackMachine:
    """Everything a block needs; plain arrays, so that it travels to other processes."""

    entries: NDArray[np.uint32]
    pack: NDArray[np.uint8]
    size: int
    cuts: int
    depths: int
    faces: dict[str, Faces]
    natural: NDArray[np.bool_]
    deals: NDArray[np.uint8] | None = None
    pairs: NDArray[np.uint8] = field(default_factory=lambda: np.empty(0, dtype=np.uint8))
    sides: tuple[tuple[str, str], ...] = ()
    wheel: Wheel | None = None
    offers: BlackjackMachine | None = None
    """The player who always takes the cash-out offer, where there is one."""

    def play(self, seed: int, block: int, rounds: int) -> Tally:
        """One block: its own random stream, its own shoes."""
        random = derive_seeds(seed, block)
        lanes = np.zeros((LANES, 4), dtype=np.uint64)
        lanes[:, 2] = self.cuts + derive_seeds(seed, ~block) % max(self.depths, 1)
        counts = np.zeros(LANES * OUTCOMES, dtype=np.int64)
        quotas = np.array([(rounds + lane) // LANES for lane in range(LANES)])
        shoe = (np.uint64(self.size), np.uint64(self.cuts), np.uint64(self.depths))
        pack = np.tile(self.pack, LANES)
        if self.deals is None:
            registry.play(self.entries, pack, counts, lanes, random, *shoe, quotas, np.zeros(0, dtype=np.uint64))
            return Tally({"main": self._count_outcomes(counts)})
        seen = np.zeros((2, 64), dtype=np.int64)
        tables = (np.empty(LANES * CHUNK, dtype=np.uint64), self.deals, self.pairs, seen)
        registry.play_noting(self.entries, pack, counts, lanes, random, *shoe, quotas, *tables)
        counts_by_bet = {"main": self._count_outcomes(counts)} | self._count_sides(seen)
        if self.wheel is not None:
            triggers = int(counts_by_bet["main"][self.natural].sum())
            counts_by_bet |= self.wheel.play(seed, block, rounds, triggers)
        if self.offers is not None:
            counts_by_bet[ALWAYS] = self.offers.play(seed, OFFER_STREAM + block, rounds).counts["main"]
        return Tally(counts_by_bet)

    def _count_outcomes(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        totals: NDArray[np.int64] = counts.reshape(-1, 2, OUTCOME + 1)[:, 1, : self.natural.size].sum(axis=0)
        return totals

    def _count_sides(self, seen: NDArray[np.int64]) -> dict[str, NDArray[np.int64]]:
        deal = seen[0].reshape(-1, THREE)
        by_kind = {
            PAIR_KIND: deal.sum(axis=1)[:4],
            THREE_KIND: deal.sum(axis=0)[:6],
            DEALER_KIND: seen[1][:4],
        }
        return {bet: by_kind[kind] for bet, kind in self.sides}


def find_cut(sheet: Sheet) -> tuple[int, int]:
    """Least and most cards dealt when the cut card comes; brought forward where a round would not fit behind it."""
    low, high = _cut_window(sheet)
    alone = replace(sheet, seats=replace(sheet.seats, count=1, per_player=1))
    high = min(high, 52 * sheet.shoe.decks - cards_for_a_round(alone))
    return max(min(low, high), 0), high


def describe_cut(sheet: Sheet) -> str:
    """What is said where the cut card had to be brought forward; empty where it lies as the sheet has it."""
    if sheet.shoe.reshuffle != "cut-card" or find_cut(sheet) == _cut_window(sheet):
        return ""
    low, high = find_cut(sheet)
    pack = 52 * sheet.shoe.decks
    return f"shoe.cut: brought forward to {low}-{high} of {pack} cards, so that the longest round fits behind it"


def _cut_window(sheet: Sheet) -> tuple[int, int]:
    size = 52 * sheet.shoe.decks
    low, high = (size * percent // 100 - sheet.shoe.burn for percent in sheet.shoe.cut)
    return max(low, 0), high


def build_blackjack_machine(
    sheet: Sheet, chart: Chart, *, statistics: bool = True, cash_out: bool = False
) -> BlackjackMachine:
    """Compile for the kernel; `statistics` adds the side bets of the sheet."""
    kinds = [(bet, side.kind) for bet, side in sheet.sides.items() if side.kind != "bonus"] if statistics else []
    paired = any(kind == DEALER_KIND for _, kind in kinds)
    cut_card = sheet.shoe.reshuffle == "cut-card"
    automaton = _order_by_visits(compile_automaton(sheet, chart, whole=cut_card or paired, cash_out=cash_out))
    unit, size = automaton.unit, 52 * sheet.shoe.decks
    faces = {"main": Faces(tuple(w / unit for w in automaton.won), tuple(s / unit for s in automaton.staked))}
    low, high = find_cut(sheet)
    cards = np.arange(52, dtype=np.uint8) if statistics else np.array(automaton.columns, dtype=np.uint8)
    pack = np.zeros(PACK, dtype=np.uint8)
    pack[:size] = np.tile(cards, sheet.shoe.decks)
    laid = BlackjackMachine(
        entries=automaton.entries,
        pack=pack,
        size=size,
        cuts=low,
        depths=high - low + 1 if cut_card else 0,
        faces=faces,
        natural=np.array(automaton.natural, dtype=np.bool_),
    )
    if not statistics:
        return laid
    laid = _add_side_bets(laid, sheet, automaton, kinds, paired)
    if not sheet.cash_out.offered:
        return laid
    offers = build_blackjack_machine(sheet, chart, statistics=False, cash_out=True)
    return replace(laid, offers=offers, faces=laid.faces | {ALWAYS: offers.faces["main"]})


def _add_side_bets(
    laid: BlackjackMachine, sheet: Sheet, automaton: Automaton, kinds: list[tuple[str, str]], paired: bool
) -> BlackjackMachine:
    """With whole cards: thirteen columns, and bits that tell the kernel which cards side bets look at."""
    rows = automaton.entries.reshape(-1, automaton.width)[:, [automaton.columns[rank * 4] for rank in range(13)]]
    ends, follow = rows >> OUTCOME_SHIFT << OUTCOME_SHIFT, (rows & (1 << OUTCOME_SHIFT) - 1) // automaton.width * 13
    if int(follow.max()) >= _NOTED:
        raise TooManyStates(f"{sheet.game.id}: too many states for side bets; simulate the main bet alone")
    steps = np.array([wait.step for wait in automaton.waits])[:, None]
    looked_at = (steps <= SECOND) | (paired & np.isin(steps, STEPS_OF_THE_HOLE))
    marks = np.where(looked_at, 0, _NOT_LOOKED_AT)
    wins = {bet: list_wins(sheet, kind) for bet, kind in kinds}
    faces = laid.faces | {bet: Faces(won, (1.0,) * len(won)) for bet, won in wins.items()}
    wheel = build_wheel(sheet)
    return replace(
        laid,
        entries=(ends | follow | marks).astype(np.uint32).reshape(-1),
        faces=faces | ({wheel.bet: wheel.faces} if wheel else {}),
        deals=tabulate_deals(sheet),
        pairs=tabulate_dealer_pairs(sheet) if paired else np.empty(0, dtype=np.uint8),
        sides=tuple(kinds),
        wheel=wheel,
    )


def _order_by_visits(automaton: Automaton) -> Automaton:
    """The same automaton, its rows by expected visits: the busy ones share the nearest cache."""
    count, width = len(automaton.waits), automaton.width
    rows = automaton.entries.reshape(count, width)
    follow, goes_on = (rows & (1 << OUTCOME_SHIFT) - 1) // width, rows >> OUTCOME_SHIFT == 0
    chances = np.bincount(np.array(automaton.columns), minlength=width) / 52
    now: NDArray[np.float64] = np.zeros(count)
    now[0] = 1.0
    visits = now.copy()
    for _ in range(12):
        arriving = (now[:, None] * chances)[goes_on]
        now = np.bincount(follow[goes_on], weights=arriving, minlength=count).astype(np.float64)
        visits += now
    visits[0] = 2.0
    order = np.argsort(-visits, kind="stable")
    places = np.empty(count, dtype=np.uint32)
    places[order] = np.arange(count)
    moved = np.where(goes_on, places[follow] * np.uint32(width), rows)[order]
    waits = tuple(automaton.waits[state] for state in order)
    return replace(automaton, entries=moved.astype(np.uint32).reshape(-1), waits=waits, decisions={})


@dataclass(frozen=True)
class DuelMachine:
    """`players[up, left, right, hidden]` and `dealers[first, left, right, second]` are final totals, by value."""

    pack: NDArray[np.uint8]
    size: int
    players: NDArray[np.uint8]
    dealers: NDArray[np.uint8]
    results: NDArray[np.uint8]
    faces: dict[str, Faces]
    side: str

    def play(self, seed: int, block: int, rounds: int) -> Tally:
        """One block: every round from the whole pack (D-01)."""
        counts, sides = np.zeros(len(_NETS), dtype=np.int64), np.zeros(3, dtype=np.int64)
        tables = (self.players, self.dealers, self.results)
        registry.duel(derive_seeds(seed, block), self.pack.copy(), np.uint64(self.size), rounds, *tables, counts, sides)
        return Tally({"main": counts} | ({self.side: sides} if self.side else {}))


def build_duel_machine(sheet: Sheet, chart: Mapping[Visible, DuelChoice], *, statistics: bool = True) -> DuelMachine:
    """The tables of a sheet with a plan for everything visible."""
    players, dealers = np.zeros((10,) * 4, dtype=np.uint8), np.zeros((10,) * 4, dtype=np.uint8)
    for left, right in product(range(1, 11), repeat=2):
        dealers[:, left - 1, right - 1] = tabulate_finals(left, right, sheet.duel)
        for up in range(1, 11):
            plan = chart[up, min(left, right), max(left, right)].plan
            if not plan.folds:
                totals = [best_total((up, plan.card, *([hidden] if plan.hits else []))) for hidden in range(1, 11)]
                players[up - 1, left - 1, right - 1] = totals
    results = (tabulate_results(sheet.duel) - _NETS[0]).astype(np.uint8)
    results[FOLDED] = _NETS.index(-1)
    side = find_bet(sheet, TWO_UP) if statistics else ""
    faces = {"main": Faces(tuple(map(float, _NETS)), tuple(1.0 if net == -1 else 2.0 for net in _NETS))}
    if side:
        faces[side] = Faces(list_wins(sheet, TWO_UP), (1.0,) * (len(CATEGORIES[TWO_UP]) + 1))
    cards = [VALUES[card] - 1 | card >> 2 << 4 for card in range(52)] * sheet.shoe.decks
    tables = (players.reshape(-1), dealers.reshape(-1), results.reshape(-1))
    return DuelMachine(np.array(cards, dtype=np.uint8), len(cards), *tables, faces, side)
