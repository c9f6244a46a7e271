"""The duel for the simulator: six cards a round, the plan for what is visible, and three small tables (D-06…D-15)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ventuno.core.rules.cards import VALUES
from ventuno.core.rules.sheet import CATEGORIES, Sheet
from ventuno.odds.exact.dealer import best_total
from ventuno.odds.exact.duel import DuelChoice, Visible, dealer_final, house_choice, net_result
from ventuno.odds.kernels import registry
from ventuno.odds.simulator.random_streams import derive_seeds
from ventuno.odds.simulator.side_bet_tables import find_bet, list_wins
from ventuno.odds.simulator.tally import Faces, Tally

TWO_UP = "two-up"
FOLDED = 0
_NETS = (-2, -1, 0, 1, 2)


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


def lay_out(sheet: Sheet, chart: Mapping[Visible, DuelChoice], *, statistics: bool = True) -> DuelMachine:
    """The tables of a sheet with a plan for everything visible."""
    values = range(1, 11)
    players, dealers = np.zeros((10,) * 4, dtype=np.uint8), np.zeros((10,) * 4, dtype=np.uint8)
    for left in values:
        for right in values:
            for first in values:
                plan = chart[first, min(left, right), max(left, right)].plan
                taken = house_choice(first, left, right, sheet.duel)
                for last in values:
                    at = first - 1, left - 1, right - 1, last - 1
                    dealers[at] = dealer_final(first, taken, last, sheet.duel)
                    if not plan.folds:
                        cards_held = (first, plan.card, last) if plan.hits else (first, plan.card)
                        players[at] = best_total(cards_held)
    results = np.zeros((32, 32), dtype=np.uint8)
    for player in range(32):
        for dealer in range(32):
            net = -1 if player == FOLDED else net_result(player, dealer, sheet.duel)
            results[player, dealer] = _NETS.index(net)
    side = find_bet(sheet, TWO_UP) if statistics else ""
    faces = {"main": Faces(tuple(map(float, _NETS)), tuple(1.0 if net == -1 else 2.0 for net in _NETS))}
    if side:
        faces[side] = Faces(list_wins(sheet, TWO_UP), (1.0,) * (len(CATEGORIES[TWO_UP]) + 1))
    cards = [VALUES[card] - 1 | card >> 2 << 4 for card in range(52)] * sheet.shoe.decks
    tables = (players.reshape(-1), dealers.reshape(-1), results.reshape(-1))
    return DuelMachine(np.array(cards, dtype=np.uint8), len(cards), *tables, faces, side)
