"""What anybody checks by himself: proofs of cards, the cut of a shoe, signed receipts (X-01, G-14)."""

from __future__ import annotations

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.shoes.receipts import Receipt
from ventuno.house.shoes.shoe_log import ShoeLogs
from ventuno.house.store.committer import Committer
from ventuno.house.tables.live_proofs import LiveProofs, Proofs
from ventuno.house.tables.shoe_supply import ShoeSupply
from ventuno.house.tables.table_service import TableService


class Fairness:
    def __init__(
        self, commits: Committer, tables: TableService, proofs: LiveProofs, shoe_logs: ShoeLogs, supply: ShoeSupply
    ) -> None:
        self._commits, self._tables, self._proofs, self._shoe_logs = commits, tables, proofs, shoe_logs
        self.get_shoe, self.watch_shoes = supply.get_status, supply.watch
        self.promise, self.reveal = supply.promise, supply.reveal
        self._beacons = supply.beacon_rounds

    def prove(self, table: str, viewer: PlayerId = "") -> Proofs | Refusal:
        """Each card that lies open now, with salt and path, to who may see it; asked at each view (3.4, G-14)."""
        live = self._tables.get(table, viewer)
        return live if isinstance(live, Refusal) else self._proofs.prove_table(live.table)

    def count_beacons(self) -> dict[str, int]:
        """Shoes since the house opened whose beacon came in time, and whose did not."""
        return dict(self._beacons)

    async def read_receipt(self, table: str) -> Receipt | None:
        """The newest signed checkpoint of a table: keep it, and no other history can be told."""
        log = self._shoe_logs.logs.get(table)
        receipt = log.receipt if log else None
        await self._commits.flush()
        return receipt
