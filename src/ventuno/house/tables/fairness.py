"""What anybody checks by himself: proofs of cards, the cut of a shoe, signed receipts (X-01, G-14)."""

from __future__ import annotations

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


class NoSuchCheckpoint(Refusal):
    """The chain of the table has no two such heights, or they lie too far apart for one proof."""

    table: str
    old: int
    size: int


class Fairness:
    def __init__(
        self, commits: Committer, tables: TableService, proofs: LiveProofs, shoe_logs: ShoeLogs, supply: ShoeSupply
    ) -> None:
        self._commits, self._tables, self._proofs, self._shoe_logs = commits, tables, proofs, shoe_logs
        self.get_shoe, self.watch_shoes = supply.get_status, supply.watch
        self.promise, self.reveal = supply.promise, supply.reveal

    def prove(self, table: str, viewer: PlayerId = "") -> Proofs | Refusal:
        """Each card that lies open now, with salt and path, to who may see it; asked at each view (3.4, G-14)."""
        live = self._tables.get(table, viewer)
        return live if isinstance(live, Refusal) else self._proofs.prove_table(live.table)

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

    async def prove_consistency(self, table: str, shoe: int, old: int, size: int) -> tuple[bytes, ...] | Refusal:
        """The proof that the checkpoint of `size` records continues the one of `old`, for receipts from `shoe` on."""
        await self._commits.flush()
        proof = await shoe_chain.prove_consistency(self._commits.store, table, shoe, old, size)
        return NoSuchCheckpoint(table, old, size) if proof is None else proof
