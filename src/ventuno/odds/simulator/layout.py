"""The automaton as the kernel wants it: rows by how often they are visited, packs as bytes, side bets as tables."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_checks import cards_for_a_round
from ventuno.odds.exact.chart import Chart
from ventuno.odds.kernels import registry
from ventuno.odds.kernels.loops.codes import CHUNK, LANES, OUTCOMES, PACK
from ventuno.odds.simulator import side_bet_tables
from ventuno.odds.simulator.automaton import OUTCOME, OUTCOME_SHIFT, Automaton, TooManyStates, compile_automaton
from ventuno.odds.simulator.random_streams import derive_seeds
from ventuno.odds.simulator.round_machine import SECOND, STEPS_OF_THE_HOLE
from ventuno.odds.simulator.tally import Faces, Tally

ALWAYS, OFFER_STREAM = "always-cash-out", 1 << 61
_NOT_LOOKED_AT = 3 << 22
_NOTED = 1 << 22


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
    wheel: side_bet_tables.Wheel | None = None
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
        deal = seen[0].reshape(-1, side_bet_tables.THREE)
        by_kind = {
            side_bet_tables.PAIR_KIND: deal.sum(axis=1)[:4],
            side_bet_tables.THREE_KIND: deal.sum(axis=0)[:6],
            side_bet_tables.DEALER_KIND: seen[1][:4],
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


def lay_out(sheet: Sheet, chart: Chart, *, statistics: bool = True, cash_out: bool = False) -> BlackjackMachine:
    """Compile for the kernel; `statistics` adds the side bets of the sheet."""
    kinds = [(bet, side.kind) for bet, side in sheet.sides.items() if side.kind != "bonus"] if statistics else []
    paired = any(kind == side_bet_tables.DEALER_KIND for _, kind in kinds)
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
    offers = lay_out(sheet, chart, statistics=False, cash_out=True)
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
    wins = {bet: side_bet_tables.list_wins(sheet, kind) for bet, kind in kinds}
    faces = laid.faces | {bet: Faces(won, (1.0,) * len(won)) for bet, won in wins.items()}
    wheel = side_bet_tables.build_wheel(sheet)
    return replace(
        laid,
        entries=(ends | follow | marks).astype(np.uint32).reshape(-1),
        faces=faces | ({wheel.bet: wheel.faces} if wheel else {}),
        deals=side_bet_tables.tabulate_deals(sheet),
        pairs=side_bet_tables.tabulate_dealer_pairs(sheet) if paired else np.empty(0, dtype=np.uint8),
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
