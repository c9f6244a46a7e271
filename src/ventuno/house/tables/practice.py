"""Practice tables: credit that is no money and comes back, and cards of one's own choice (X-08).

A practice table is opened as one for good and bears it in its name. It posts nothing, counts in no limit and in no
history, and its money never meets the wallet. To reset the credit is to begin again, at a fresh table; so that nobody
fills the house with them, the oldest one makes way for one too many.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from ventuno.core.messages.commands import CloseTable, Void
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import Card, pack
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_checks import cards_for_a_round
from ventuno.core.table.state import Phase
from ventuno.core.table.supervision import find_voidable
from ventuno.house.tables.authority import LiveTable, Request
from ventuno.house.tables.table_host import TableHost

PREFIX = "practice-"
CREDIT: Cents = 1_000_000
MAX_TABLES = 16
"""Practice tables that one account has open at a time."""
REPLACED = "a newer practice table took its place"
ISSUER = "practice"
"""Who gives the ids of a practice table: nobody but the house."""
GIVEN_UP = "closed by its player"


class TooManyPractice(Refusal):
    """X-08: none of them may be closed for him, as a round is open at each."""

    most: int


class PracticeCredit(Refusal):
    """X-08: a practice table has its own credit and takes no money."""

    table: str


def next_name(player: PlayerId, tables: Iterable[str]) -> str:
    """One more than the highest number that this player had; `tables` are all that there are and ever were."""
    return f"{PREFIX}{player}-{1 + max(map(_number, _find_tables(player, tables)), default=0)}"


async def close_oldest(host: TableHost, player: PlayerId) -> TooManyPractice | None:
    """Close the oldest practice tables of a player at which no round is open, until one more may be opened."""
    while len(names := _find_tables(player, host.authority.tables)) >= MAX_TABLES:
        tables = {name: host.authority.tables[name].table for name in names}
        idle = [name for name, table in tables.items() if table.phase is not Phase.ROUND and table.closing is None]
        if not idle:
            return TooManyPractice(MAX_TABLES)
        oldest = min(idle, key=_number)
        await host.ask(Request(oldest, CloseTable("house", REPLACED, 0), f"{oldest} makes way"))
    return None


async def close(host: TableHost, table: str) -> None:
    """Close a practice table now: what lies there is taken back first, so that no hand keeps it open."""
    open_round = find_voidable(host.authority.tables[table].table)
    if open_round:
        await host.ask(Request(table, Void("house", GIVEN_UP, 0, open_round), f"{table} {open_round} given up"))
    await host.ask(Request(table, CloseTable("house", GIVEN_UP, 0), f"{table} given up"))


def list_open(player: PlayerId, tables: Mapping[str, LiveTable]) -> list[LiveTable]:
    """The practice tables of a player that stay open, the newest first."""
    names = sorted(_find_tables(player, tables), key=_number, reverse=True)
    return [tables[name] for name in names if tables[name].table.closing is None]


def list_rest(sheet: Sheet, chosen: tuple[Card, ...]) -> tuple[Card, ...]:
    """The cards of the sheet's decks without those that were chosen from them."""
    return tuple((Counter(pack(sheet.shoe.decks)) - Counter(chosen)).elements())


def place_cut(sheet: Sheet, chosen: int, drawn: int) -> int:
    """Where the cut card of a practice shoe lies: behind the chosen cards, and never so deep that a round runs out."""
    return min(max(chosen, drawn), sheet.shoe.decks * 52 - cards_for_a_round(sheet)) if chosen else drawn


def _find_tables(player: PlayerId, tables: Iterable[str]) -> list[str]:
    return [table for table in tables if is_practice(table) and find_owner(table) == player]


def _number(table: str) -> int:
    return int(table.rpartition("-")[2])


def compute_credit(sheet: Sheet) -> Cents:
    """As much as may be brought to a table of this game, and never more than `CREDIT`."""
    return min(CREDIT, sheet.stakes.session_cap or CREDIT)


def find_owner(table: str) -> PlayerId:
    """Whose practice table it is, wherever at it he sits: its name says it."""
    return table.removeprefix(PREFIX).rsplit("-", 1)[0]


def is_practice(table: str) -> bool:
    return table.startswith(PREFIX)
