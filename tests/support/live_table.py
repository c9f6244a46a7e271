"""A live table in memory with two players, driven by commands."""

from __future__ import annotations

from ventuno.core.messages.commands import Command, LoadShoe, PlaceBet, Spot, TakeSeat
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import cards
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.state import Table
from ventuno.sheets import load


def apply_commands(table: Table, *commands: Command) -> Table:
    for command in commands:
        outcome = advance(table, command)
        assert not isinstance(outcome, Refusal), outcome
        table = outcome[1]
    return table


def open_live_table(shoe: str) -> Table:
    """A live table with ada at box 1 and bea at box 2, and this shoe."""
    table = open_table("T1", load("ventuno"), purses={"ada": 100_000, "bea": 100_000, "eve": 100_000})
    return apply_commands(
        table, LoadShoe(cards(shoe), 0, 0, stacked=True), TakeSeat("ada", 1, 0), TakeSeat("bea", 2, 0)
    )


def bet_on_box(player: str, box: int, amount: int = 1_000, kind: str = "main") -> PlaceBet:
    return PlaceBet(player, (Spot(box, kind),), amount, 0)
