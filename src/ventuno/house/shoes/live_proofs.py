"""Proofs of a round that is being played: each card that lies open, with its salt and its path to the commitment.

Section 3.4 of the fairness rules: a card goes out with its proof when it is turned and not before. Fed by what became
durable at a table, so nothing is proven that is not shown; of what lies face down or undealt no place is ever asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ventuno.core.messages.commands import LoadShoe
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.fold import evolve
from ventuno.core.table.state import Table
from ventuno.house.shoes import commitment, cut
from ventuno.house.shoes.commitment import Commitment, SealedShoe, restored
from ventuno.house.shoes.cut import Entropy
from ventuno.house.shoes.face_up_cards import MARKS, Felt, turned
from ventuno.house.shoes.secrets import Sealed
from ventuno.house.shoes.shoe_document import DealtCard
from ventuno.house.shoes.shoe_log import Provenance
from ventuno.house.shoes.shoe_log_records import Making, ShoeCommitted, ShoeCut, ShoeEvent
from ventuno.house.tables.live_table import Room
from ventuno.house.tables.table_host import News

KEPT = 3
"""Shoes of a table that are remembered: the one in use, its spare, and the last one, whose final cards are shown."""


@dataclass(frozen=True, slots=True)
class NotCommitted(Refusal):
    """Practice tables play from shoes that nobody committed to; a new table has none yet."""

    says = "no shoe of {table} was committed to"
    table: str


@dataclass(frozen=True, slots=True)
class Proofs:
    """What anybody checks by himself: the commitment that was out before the bets, the cut, each card that is up, in
    the order of play. A card that was sent once is the same ever after: who sends them along sends the new ones.
    """

    table: str
    code: str
    commitment: Commitment
    entropy: Entropy
    cards: tuple[DealtCard, ...]

    def plain(self) -> dict[str, Any]:
        return {
            "table": self.table,
            "code": self.code,
            "commitment": self.commitment.plain(),
            "entropy": self.entropy.plain(),
            "dealt": [one.plain() for one in self.cards],
        }


class _Shoe(Sealed):
    """A committed and cut shoe; what takes time is done when it is first needed."""

    __slots__ = ("_kept", "_order", "commitment", "entropy", "sheet")

    def __init__(self, made: Commitment, entropy: Entropy, sheet: Sheet, kept: SealedShoe | bytes) -> None:
        self.commitment, self.entropy, self.sheet, self._kept = made, entropy, sheet, kept
        self._order: tuple[tuple[int, ...], int] | None = None

    def arrangement(self) -> tuple[tuple[int, ...], int]:
        if self._order is None:
            self._order = cut.arrangement(
                self.commitment, [one.reveal for one in self.entropy.contributions], self.sheet
            )
        return self._order

    def sealed(self) -> SealedShoe:
        if isinstance(self._kept, bytes):
            self._kept = restored(self._kept)
        return self._kept

    def show(self, place: int) -> DealtCard:
        return DealtCard(place, self.sealed().show(self.arrangement()[0][place]))


class LiveProofs(Sealed):
    """The shoes in use and the felts of all tables for money."""

    __slots__ = ("_felts", "_proven", "_provenance", "_shoes", "_tables")

    def __init__(self, provenance: Provenance) -> None:
        self._provenance = provenance
        self._shoes: dict[str, dict[int, _Shoe]] = {}
        self._tables: dict[str, Table] = {}
        self._felts: dict[str, Felt] = {}
        self._proven: dict[str, tuple[str, tuple[DealtCard, ...]]] = {}

    def arranged(self, table: str, sheet: Sheet) -> LoadShoe:
        """The shoe that was cut last, in the order of play, for its table: the same after any restart (R-23)."""
        trail = self._provenance.trail(table)
        match trail.making:
            case Making(held, Entropy() as entropy):
                shoe = _Shoe(held.commitment, entropy, sheet, trail.shoe(held.commitment.shoe))
            case _:
                raise LookupError(f"{table}: no shoe has been cut")
        self._remember(table, shoe)
        order, place = shoe.arrangement()
        return LoadShoe(shoe.sealed().arranged(order), place, 0)

    def recover(
        self, table: str, said: Iterable[ShoeEvent], kept: Mapping[int, bytes], sheets: Mapping[str, Sheet]
    ) -> None:
        """The shoes in use again, from what was said of them and what was sealed."""
        made: dict[int, Commitment] = {}
        for event in said:
            if isinstance(event, ShoeCommitted) and event.shoe in kept:
                made[event.shoe] = commitment.read(event.body)
            elif isinstance(event, ShoeCut) and event.shoe in made:
                held = made[event.shoe]
                self._remember(table, _Shoe(held, cut.read(event.body), sheets[held.sheet], kept[event.shoe]))

    def begin(self, room: Room, opening: Table | None, log: Sequence[Event]) -> None:
        """A table as it was found; its open round is gone through from its beginning."""
        if opening:
            self._fold(opening, log)
        self._tables[room.table.id] = room.table

    def follow(self, news: News) -> None:
        """What became durable at any table; most of it turns no card."""
        if news.room.practice:
            return
        if any(isinstance(event, MARKS) for event in news.events):
            self._fold(self._tables[news.table], news.events)
        self._tables[news.table] = news.room.table

    def _fold(self, table: Table, events: Iterable[Event]) -> None:
        felt = self._felts.get(table.id, Felt())
        for event in events:
            felt = turned(felt, event, table)
            table = evolve(table, event)
        self._felts[table.id] = felt

    def shown(self, name: str) -> Proofs | NotCommitted:
        """Every card that is up in the round of a table, or in its last one until the next begins."""
        felt, table = self._felts.get(name, Felt()), self._tables.get(name)
        number = felt.shoe or (table.shoe.number if table and table.shoe else 0)
        shoe = self._shoes.get(name, {}).get(number)
        if shoe is None:
            return NotCommitted(name)
        code, cards = self._proven.get(name, ("", ()))
        known = cards if code == felt.code else ()
        cards = (*known, *(shoe.show(place) for place in felt.up[len(known) :]))
        self._proven[name] = felt.code, cards
        listed = tuple(sorted(cards, key=lambda one: one.play))
        return Proofs(name, felt.code, shoe.commitment, shoe.entropy, listed)

    def _remember(self, table: str, shoe: _Shoe) -> None:
        held = self._shoes.setdefault(table, {})
        held[shoe.commitment.shoe] = shoe
        for number in sorted(held)[:-KEPT]:
            del held[number]
