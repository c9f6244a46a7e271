"""Practice tables: credit that is no money and comes back, and cards of one's own choice (X-08).

A practice table is opened as one for good and bears it in its name. It posts nothing, counts in no limit and in no
history, and its money never meets the wallet.
"""

from __future__ import annotations

from dataclasses import dataclass

from ventuno.core.cards import Card
from ventuno.core.commands import BringMoney, LoadShoe, TakeSeat
from ventuno.core.money import Cents, PlayerId
from ventuno.core.refusals import Refusal
from ventuno.core.sheet import Sheet
from ventuno.house.books.journal import merged
from ventuno.house.books.records import Batch
from ventuno.house.tables.authority import Authority
from ventuno.house.tables.requests import Decided, Request, refused

PREFIX = "practice-"
CREDIT: Cents = 1_000_000


@dataclass(frozen=True, slots=True)
class NotPractice(Refusal):
    """Cards are chosen at practice tables alone."""

    says = "{table} is no practice table"
    table: str


@dataclass(frozen=True, slots=True)
class Opened:
    table: str
    batch: Batch


def keeper(table: str) -> PlayerId:
    """Whose practice table it is, wherever at it he sits: its name says it."""
    return table.removeprefix(PREFIX).rsplit("-", 1)[0]


def is_practice(stream: str) -> bool:
    return stream.startswith(f"table:{PREFIX}")


class PracticeRoom:
    """Opens practice tables, one for each beginning: to reset the credit is to begin again."""

    def __init__(self, authority: Authority) -> None:
        self._authority = authority

    def open(self, player: PlayerId, sheet: Sheet, cards: tuple[Card, ...], cut: int, at: int) -> Opened:
        """A fresh table with full credit and these cards; `cards` may be a whole shuffled pack or a few chosen ones."""
        number = 1 + sum(name.startswith(f"{PREFIX}{player}-") for name in self._authority.rooms)
        name = f"{PREFIX}{player}-{number}"
        batch = self._authority.open(name, sheet, at, player if sheet.game.solo else "", practice=True)
        credit = min(CREDIT, sheet.stakes.session_cap or CREDIT)
        begun = [self._say(name, BringMoney(player, credit, at), player)]
        if not sheet.game.solo:
            begun.append(self._say(name, TakeSeat(player, 1, at), player))
        begun.append(self._say(name, LoadShoe(cards, cut, at, stacked=cut == 0), ""))
        return Opened(name, merged(batch, *(one.batch for one in begun)))

    def choose(self, table: str, cards: tuple[Card, ...], at: int) -> Decided:
        """The cards of the next shoe, in their order; nowhere but in practice."""
        room = self._authority.rooms.get(table)
        if room is None or not room.practice:
            return refused(table, room.version if room else 0, NotPractice(table))
        return self._say(table, LoadShoe(cards, 0, at, stacked=True), "")

    def _say(self, table: str, command: BringMoney | TakeSeat | LoadShoe, player: PlayerId) -> Decided:
        key = f"practice:{table}:{self._authority.rooms[table].version}"
        return self._authority.handle(Request(table, command, key, player))
