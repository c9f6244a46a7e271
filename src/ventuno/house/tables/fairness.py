"""What anybody checks by himself: proofs of cards, the cut of a shoe, signed receipts (X-01, G-14)."""

from __future__ import annotations

from typing import NamedTuple

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.shoes import shoe_chain
from ventuno.house.shoes.receipts import Receipt
from ventuno.house.shoes.shoe_chain import ShoeLine
from ventuno.house.shoes.shoe_log import CutCounts, ShoeLogs
from ventuno.house.store.committer import Committer
from ventuno.house.tables.live_proofs import LiveProofs, Proofs
from ventuno.house.tables.shoe_supply import ShoeSupply
from ventuno.house.tables.table_service import TableService

LAST_SHOES = 3
"""Of a closed table those can be without a round: the one in use, its spare, and the one in the making."""


class NoSuchCheckpoint(Refusal):
    """The chain of the table has no two such heights, or they lie too far apart for one proof."""

    table: str
    old: int
    size: int


class CardsNotSealed(Refusal):
    """X-27: a dealer takes the cards from a real shoe; they rest on camera, record and supervisor, on no seal."""

    table: str


class DiscardedShoe(NamedTuple):
    """A shoe of a table that was closed before a round was dealt from it."""

    table: str
    shoe: int
    game: str
    commitment: str
    retired: str


class Fairness:
    def __init__(
        self, commits: Committer, tables: TableService, proofs: LiveProofs, shoe_logs: ShoeLogs, supply: ShoeSupply
    ) -> None:
        self._commits, self._tables, self._proofs, self._shoe_logs = commits, tables, proofs, shoe_logs
        self.get_shoe, self.watch_shoes = supply.get_status, supply.watch
        self.promise, self.reveal = supply.promise, supply.reveal
        self._discarded: dict[str, tuple[DiscardedShoe, ...]] = {}

    def check_access(self, table: str, viewer: PlayerId) -> Refusal | None:
        """Whether somebody may read the shoes of a table: who may see it; of one that was closed everybody, or the one
        who played there alone.
        """
        refusal, log = self._tables.may_see(table, viewer), self._shoe_logs.logs.get(table)
        if refusal is None or not self._tables.is_closed(table) or log is None or log.pending is None:
            return refusal
        return None if not log.pending.cut.solo or viewer in log.pending.cut.players else refusal

    def prove(self, table: str, viewer: PlayerId = "") -> Proofs | Refusal:
        """Each card that lies open now, with salt and path, to who may see it; asked at each view (3.4, G-14)."""
        live = self._tables.get(table, viewer)
        if isinstance(live, Refusal):
            return live
        return CardsNotSealed(table) if live.table.studio else self._proofs.prove_table(live.table)

    async def read_receipt(self, table: str) -> Receipt | None:
        """The newest signed checkpoint of a table: keep it, and no other history can be told."""
        log = self._shoe_logs.logs.get(table)
        receipt = log.receipt if log else None
        await self._commits.flush()
        return receipt

    def count_cuts(self) -> dict[str, CutCounts]:
        """How the cuts of this house went, game by game: shoes without a player's part, reveals that did not come."""
        return shoe_chain.sum_counts(self._shoe_logs.logs)

    async def list_shoes(self, table: str, after: int) -> list[ShoeLine]:
        """Every shoe of a table that was committed to, played or not, in the order of their numbers."""
        await self._commits.flush()
        return await shoe_chain.list_shoes(self._commits.store, table, after)

    async def list_discarded(self) -> list[DiscardedShoe]:
        """The shoes without a round of tables for several that were closed: nothing is added to such a table, so each
        is read once.
        """
        for table, log in list(self._shoe_logs.logs.items()):
            is_shared = log.pending is not None and not log.pending.cut.solo
            if is_shared and table not in self._discarded and self._tables.is_closed(table):
                lines = await self.list_shoes(table, max(log.newest_shoe - LAST_SHOES, 0))
                self._discarded[table] = tuple(
                    DiscardedShoe(table, line.shoe, line.game, line.commitment, line.retired)
                    for line in lines
                    if not line.rounds
                )
        return [shoe for _, shoes in sorted(self._discarded.items()) for shoe in shoes]

    async def prove_consistency(self, table: str, shoe: int, old: int, size: int) -> tuple[bytes, ...] | Refusal:
        """The proof that the checkpoint of `size` records continues the one of `old`, for receipts from `shoe` on."""
        await self._commits.flush()
        proof = await shoe_chain.prove_consistency(self._commits.store, table, shoe, old, size)
        return NoSuchCheckpoint(table, old, size) if proof is None else proof
