"""What is asked of the owner of a pit on behalf of a player: a command for a table, or a change of his own limits.

An ask has a key and is repeated with it until it is answered: whoever owns the pit then answers the same (I-4).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TypeAlias, get_args

import msgspec

from ventuno.core.messages.commands import BringMoney, Command
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import player_limits
from ventuno.house.accounts.player_limits import ITALY
from ventuno.house.pits.pit import ChangeLimits
from ventuno.house.pits.placement import PitNumber, find_player_pit, find_table_pit


@dataclass(frozen=True, slots=True)
class SetLimit:
    """R-35: a limit of the player's own, by its name."""

    name: str
    amount: int


@dataclass(frozen=True, slots=True)
class Exclude:
    """R-38: the player excludes himself for so many days."""

    days: int


LimitChange: TypeAlias = SetLimit | Exclude
AskBody: TypeAlias = Command | LimitChange
LIMIT_CHANGES: tuple[type[LimitChange], ...] = get_args(LimitChange)


@dataclass(frozen=True, slots=True)
class Ask:
    """`owner` is the player whose table for one it is. When a command was given, the owner of the pit says."""

    key: str
    player: PlayerId
    body: AskBody
    table: str = ""
    owner: PlayerId = ""

    @property
    def pit(self) -> PitNumber:
        """Where it is decided: money is asked for at home, where it is."""
        if isinstance(self.body, (BringMoney, *LIMIT_CHANGES)):
            return find_player_pit(self.player)
        return find_table_pit(self.table, self.owner)

    def digest(self) -> bytes:
        """Of a change of limits: what must be equal when its key comes again."""
        body = [type(self.body).__name__, self.player, msgspec.to_builtins(self.body)]
        return sha256(msgspec.json.encode(body)).digest()


def make_change(body: LimitChange, at: int) -> ChangeLimits:
    """The change as it is made at a moment."""
    if isinstance(body, SetLimit):
        return lambda limits: player_limits.set_limit(limits, body.name, body.amount, at, ITALY)
    return lambda limits: player_limits.exclude(limits, body.days, at, ITALY)
