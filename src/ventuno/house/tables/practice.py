"""Practice tables: credit that is no money and comes back, and cards of one's own choice (X-08).

A practice table is opened as one for good and bears it in its name. It posts nothing, counts in no limit and in no
history, and its money never meets the wallet. To reset the credit is to begin again, at a fresh table.
"""

from __future__ import annotations

from collections.abc import Iterable

from ventuno.core.money import Cents, PlayerId
from ventuno.core.sheet import Sheet

PREFIX = "practice-"
CREDIT: Cents = 1_000_000


def next_name(player: PlayerId, tables: Iterable[str]) -> str:
    """One more for each beginning of this player."""
    return f"{PREFIX}{player}-{1 + sum(one.startswith(f'{PREFIX}{player}-') for one in tables)}"


def credit(sheet: Sheet) -> Cents:
    """As much as may be brought to a table of this game, and never more than `CREDIT`."""
    return min(CREDIT, sheet.stakes.session_cap or CREDIT)


def keeper(table: str) -> PlayerId:
    """Whose practice table it is, wherever at it he sits: its name says it."""
    return table.removeprefix(PREFIX).rsplit("-", 1)[0]


def is_practice(table: str) -> bool:
    return table.startswith(PREFIX)
