"""What everybody owns at a table, counted bet by bet from its state."""

from __future__ import annotations

from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.state import ROUND, Table

Worth = dict[PlayerId, tuple[Cents, Cents]]
"""Purse and open stakes of each player."""


def stakes(table: Table) -> Worth:
    """Purse and open stakes of everybody, counted bet by bet."""
    held, play = dict.fromkeys(table.purses, 0), table.round
    if table.phase is ROUND and play:
        for player, _, stake in play.table_bets:
            held[player] += stake
        if play.pending:
            held[play.pending.player] += play.pending.stake
            for player, stake in play.pending.follows:
                held[player] += stake
        for box in play.boxes:
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


def owned(worth: Worth) -> dict[PlayerId, Cents]:
    """Purse and open stakes of each player together."""
    return {player: purse + staked for player, (purse, staked) in worth.items()}
