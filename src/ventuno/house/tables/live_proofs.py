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
from ventuno.house.shoes.commitment import Commitment, SealedShoe, restore_shoe
from ventuno.house.shoes.cut import Entropy
from ventuno.house.shoes.draws import DrawSeed
from ventuno.house.shoes.face_up_cards import Felt, turn_cards
from ventuno.house.shoes.shoe_document import DealtCard
from ventuno.house.shoes.shoe_log import SECRET, PendingShoe, ShoeCommitted, ShoeCut, ShoeEvent, ShoeLogs, read_sealed
from ventuno.house.shoes.shuffle import Stream
from ventuno.house.store.durability import StoreInconsistent
from ventuno.house.store.records import Head, Record, check_tail
from ventuno.house.store.secrets import Secret
from ventuno.house.tables.table_host import TableCommitted

REMEMBERED_SHOES = 3
"""Shoes of a table that are remembered: the one in use, its spare, and the last one, whose final cards are shown."""


class NotCommitted(Refusal):
    """Practice tables play from shoes that nobody committed to; a new table has none yet."""

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

    def to_dict(self) -> dict[str, Any]:
        return {
            "table": self.table,
            "code": self.code,
            "commitment": self.commitment.to_dict(),
            "entropy": self.entropy.to_dict(),
            "dealt": [card.to_dict() for card in self.cards],
        }


class _Shoe(Secret):
    """A committed and cut shoe; what takes time is done when it is first needed."""

    __slots__ = ("_order", "_sealed", "commitment", "entropy", "sheet")

    def __init__(self, commitment: Commitment, entropy: Entropy, sheet: Sheet, sealed: SealedShoe | bytes) -> None:
        self.commitment, self.entropy, self.sheet, self._sealed = commitment, entropy, sheet, sealed
        self._order: tuple[tuple[int, ...], int] | None = None

    def get_order(self) -> tuple[tuple[int, ...], int]:
        if self._order is None:
            self._order = cut.compute_order(self.commitment, self.entropy.parts, self.sheet)
        return self._order

    def get_sealed(self) -> SealedShoe:
        if isinstance(self._sealed, bytes):
            self._sealed = restore_shoe(self._sealed)
        return self._sealed

    def show(self, place: int) -> DealtCard:
        return DealtCard(place, self.get_sealed().show(self.get_order()[0][place]))


class LiveProofs(Secret):
    """The shoes in use and the felts of all tables for money."""

    __slots__ = ("_felts", "_proven", "_shoe_logs", "_shoes")

    def __init__(self, shoe_logs: ShoeLogs) -> None:
        self._shoe_logs = shoe_logs
        self._shoes: dict[str, dict[int, _Shoe]] = {}
        self._felts: dict[str, Felt] = {}
        self._proven: dict[str, tuple[str, tuple[DealtCard, ...]]] = {}

    def make_load_command(self, table: str, sheet: Sheet) -> LoadShoe:
        """The shoe that was cut last, in the order of play, for its table: the same after any restart (R-23)."""
        log = self._shoe_logs.get_log(table)
        match log.pending:
            case PendingShoe(pending_cut, Entropy() as entropy):
                shoe = _Shoe(pending_cut.commitment, entropy, sheet, log.get_shoe(pending_cut.commitment.shoe))
            case _:
                raise LookupError(f"{table}: no shoe has been cut")
        self._remember(table, shoe)
        order, place = shoe.get_order()
        return LoadShoe(shoe.get_sealed().arrange(order), place, 0)

    def make_draw_stream(self, table: str, is_wheel: bool) -> Stream | None:
        """What the next draw of the open round takes its numbers from; None where no seed was sealed with its shoe."""
        log = self._shoe_logs.logs.get(table)
        if log is None or log.opening is None or log.opening.shoe is None:
            return None
        shoe = self._shoes.get(table, {}).get(log.opening.shoe.number)
        if shoe is None or not (seed := shoe.get_sealed().unseal_seed()):
            return None
        place = log.find_draw_place(is_wheel=is_wheel)
        return DrawSeed(seed, shoe.commitment, shoe.entropy.parts).make_stream(place)

    def restore(self, table: str, sealed: Sequence[Record], head: Head, sheets: Mapping[str, Sheet]) -> None:
        """The sealed shoes of a table that are in use or in the making, each in the record of its number: `sealed` are
        those from the first of them on, and end at `head`.
        """
        log, stream = self._shoe_logs.get_log(table), f"{SECRET}{table}"
        if sealed and check_tail(sealed) != head:
            raise StoreInconsistent([f"{stream}: was written up to {head.seq}"])
        shoes = [read_sealed(record.kind, record.body) for record in sealed]
        secrets = {shoe.shoe: bytes.fromhex(shoe.kept) for shoe in shoes}
        for number, secret in secrets.items():
            log.add_sealed(number, secret)
        self.recover(table, log.list_needed_events(), secrets, sheets)
        if missing := [number for number in log.digests if number not in {record.seq for record in sealed}]:
            raise StoreInconsistent([f"{stream}: the shoe {number} is missing" for number in missing])

    def recover(
        self, table: str, events: Iterable[ShoeEvent], sealed: Mapping[int, bytes], sheets: Mapping[str, Sheet]
    ) -> None:
        """The shoes in use again, from what was said of them and what was sealed."""
        commitments: dict[int, Commitment] = {}
        for event in events:
            if isinstance(event, ShoeCommitted) and event.shoe in sealed:
                commitments[event.shoe] = commitment.read(event.body)
            elif isinstance(event, ShoeCut) and event.shoe in commitments:
                commitment_made = commitments[event.shoe]
                self._remember(
                    table,
                    _Shoe(commitment_made, cut.read(event.body), sheets[commitment_made.sheet], sealed[event.shoe]),
                )

    def follow(self, news: TableCommitted) -> None:
        """What became durable at any table and turned cards, or began a round."""
        if news.before and not news.live.practice:
            self.fold(news.before.table, news.events)

    def fold(self, table: Table, events: Iterable[Event]) -> None:
        """The cards that these events turn at a table, from the table before them."""
        felt = self._felts.get(table.id, Felt())
        for event in events:
            felt = turn_cards(felt, event, table)
            table = evolve(table, event)
        self._felts[table.id] = felt

    def prove_table(self, table: Table) -> Proofs | NotCommitted:
        """Every card that is up in the round of a table, or in its last one until the next begins."""
        name = table.id
        felt = self._felts.get(name, Felt())
        number = felt.shoe or (table.shoe.number if table.shoe else 0)
        shoe = self._shoes.get(name, {}).get(number)
        if shoe is None:
            return NotCommitted(name)
        code, cards = self._proven.get(name, ("", ()))
        proven = cards if code == felt.code else ()
        cards = (*proven, *(shoe.show(place) for place in felt.up[len(proven) :]))
        self._proven[name] = felt.code, cards
        listed = tuple(sorted(cards, key=lambda card: card.play))
        return Proofs(name, felt.code, shoe.commitment, shoe.entropy, listed)

    def _remember(self, table: str, shoe: _Shoe) -> None:
        shoes = self._shoes.setdefault(table, {})
        shoes[shoe.commitment.shoe] = shoe
        for number in sorted(shoes)[:-REMEMBERED_SHOES]:
            del shoes[number]
