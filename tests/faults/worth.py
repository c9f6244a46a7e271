"""What everybody owns at a table, counted bet by bet from its state."""

from __future__ import annotations

from ventuno.core.money import Cents, PlayerId
from ventuno.core.state import Phase, Table

Worth = dict[PlayerId, tuple[Cents, Cents]]
"""Purse and open stakes of each player."""


def stakes(table: Table) -> Worth:
    """Purse and open stakes of everybody, counted bet by bet."""
    held = dict.fromkeys(table.purses, 0)
    if table.phase is Phase.ROUND and table.round:
        for player, _, stake in table.round.table_bets:
            held[player] += stake
        for box in table.round.boxes:
            amount = box.insurance or 0
            for _, stake in box.sides:
                amount += stake
            for one in box.hands:
                amount += one.stake + one.added
            held[box.player] += amount if box.hands else amount + box.main
            for bettor in box.behind:
                held[bettor.player] += bettor.insurance or 0
                for stake, added in bettor.stakes:
                    held[bettor.player] += stake + added
    else:
        for player, slip in table.slips.items():
            for step in slip.steps:
                for wager in step:
                    held[player] += wager.amount
    return {player: (purse, held[player]) for player, purse in table.purses.items()}
