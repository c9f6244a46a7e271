"""The real table, driven without a scenario: bets placed once, then any cards and decisions from that state."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ventuno.core.messages.commands import Act, Command, DealNow, LoadShoe, PlaceBet, Spot, TakeSeat, Tick
from ventuno.core.messages.refusals import Refusal, ShoeExhausted
from ventuno.core.rules.cards import Card
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.round import Action, Round, Stage
from ventuno.core.table.state import Phase, Table

STAKE = 1_000
PURSE = 100 * STAKE
MAIN: Mapping[Spot, int] = {Spot(1, "main"): STAKE}
NEVER = 1_000


class Ready(NamedTuple):
    """A table with its bets down, and the command that deals."""

    table: Table
    deal: Command

    def with_cards(self, cards: tuple[Card, ...]) -> Table:
        return with_cards(self.table, cards)


def ready(sheet: Sheet, bets: Mapping[Spot, int] = MAIN) -> Ready:
    """One player on box 1, at a table for one or at a live one."""
    table = open_table("T", sheet, "p" if sheet.game.solo else None, {"p": PURSE})
    commands: list[Command] = [LoadShoe((), 0, 0, stacked=True)]
    if not sheet.game.solo:
        commands.append(TakeSeat("p", 1, 0))
    for command in (*commands, *(PlaceBet("p", (spot,), stake, 0) for spot, stake in bets.items())):
        table = after(table, command)
    return Ready(table, DealNow("p", 0) if sheet.game.solo else Tick(table.deadline or 0))


def with_cards(table: Table, cards: tuple[Card, ...]) -> Table:
    """The same table on another shoe; its cut card never comes."""
    assert table.shoe is not None
    return table._replace(shoe=table.shoe._replace(cards=cards, cut=NEVER))


def after(table: Table, command: Command) -> Table:
    found = tried(table, command)
    assert found is not None, "the shoe is too short"
    return found


def tried(table: Table, command: Command) -> Table | None:
    """The table after a command; None when the shoe has too few cards for it."""
    outcome = advance(table, command)
    if isinstance(outcome, ShoeExhausted):
        return None
    assert not isinstance(outcome, Refusal), (command, outcome)
    return outcome[1]


def act(table: Table, action: Action) -> Act:
    """A decision of the player, in good time."""
    return Act("p", 1, action, table.opened + 1 if table.deadline is None else table.deadline - 1)


def asks(table: Table) -> bool:
    return table.phase is Phase.ROUND


def insures(table: Table) -> bool:
    return table.round is not None and table.round.stage is Stage.INSURANCE


def settled(table: Table) -> Round:
    assert table.phase is not Phase.ROUND
    assert table.round is not None
    return table.round


def used(table: Table) -> int:
    assert table.shoe is not None
    return table.shoe.position


def net_and_staked(play: Round, bets: Iterable[str] | None = None) -> tuple[int, int]:
    """Net result and stakes of a settled round, over all lines or over those of some bets."""
    lines = [line for line in play.lines if bets is None or line.bet in bets]
    staked = sum(line.stake for line in lines)
    return sum(line.returned for line in lines) - staked, staked
