"""What anybody can check by himself: documents of shoes, receipts of tables, the house's key (X-01, G-14)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request

from ventuno.core.messages.refusals import Refusal
from ventuno.house.application import Premises
from ventuno.house.integrity.void_review import VoidRates
from ventuno.house.protection.player_limits import MINUTE
from ventuno.house.shoes.shoe_document import FORMAT
from ventuno.house.store.records import Batch
from ventuno.web.http.errors import Refused, granted
from ventuno.web.http.history import Code
from ventuno.web.http.identity import DEAR, House, Visitor, allowed
from ventuno.web.messages.fields import TableName
from ventuno.web.messages.history import CheckpointTold, FairnessTold, OutcomesTold, ReceiptTold, VoidsTold

router = APIRouter(prefix="/api", tags=["fairness"])
Table = Annotated[TableName, Path(description="the name of a table")]


@dataclass(frozen=True, slots=True)
class NoReceipt(Refusal):
    says = "nothing of table {table} was signed yet"
    table: str


class Figures:
    """The void figures of a house, read anew once a minute: they are summed over all its rounds, and anybody asks."""

    def __init__(self, premises: Premises) -> None:
        self._premises = premises
        self._held: dict[str, VoidsTold] = {}
        self._until = 0
        self._reading = asyncio.Lock()

    async def read(self) -> dict[str, VoidsTold]:
        async with self._reading:
            if (now := self._premises.house.now()) >= self._until:
                self._held = {game: _rates(one) for game, one in (await self._premises.voids()).items()}
                self._until = now + MINUTE
        return self._held


@router.get("/fairness")
async def fairness(request: Request, premises: House) -> FairnessTold:
    """The house's key, and how voided rounds stood when they were voided; for everybody (section 3)."""
    return FairnessTold(
        house=premises.staff.fittings.name,
        key=premises.key.hex(),
        signature="Ed25519",
        document=FORMAT,
        voids=await request.app.state.figures.read(),
        now=premises.house.now(),
    )


def _rates(one: VoidRates) -> VoidsTold:
    return VoidsTold(OutcomesTold(*one.settled), OutcomesTold(*one.voided), one.chance, one.is_biased)


@router.get("/verify/{code}")
async def dossier(code: Code, request: Request, who: Visitor, premises: House) -> dict[str, Any]:
    """The document of the shoe that a round was dealt from: `ventuno verify FILE` reads it as it is (docs/fairness.md).

    Cards that were not shown are in it once the shoe has retired, and not before (H-7).
    """
    allowed(request, who, DEAR)
    return granted(await premises.document(who.player, code))


@router.get("/tables/{table}/receipt")
async def receipt(table: Table, who: Visitor, premises: House) -> ReceiptTold:
    """The newest signed checkpoint of a table: keep it, and no other history can be told."""
    granted(premises.see(table, who.player))
    found = await premises.receipt(table)
    if found is None:
        raise Refused.by(NoReceipt(table))
    plain = found.plain()
    return ReceiptTold(CheckpointTold(**plain["checkpoint"]), plain["key"], plain["signature"])


@router.get("/tables/{table}/proofs")
async def proofs(table: Table, request: Request, who: Visitor, premises: House) -> dict[str, Any]:
    """Each card that lies open in the round of a table, with its salt and its path to the commitment (X-01).

    What lies face down or is not dealt has no proof here: it comes with the card, and not before (H-1).
    """
    allowed(request, who, DEAR)
    found = granted(premises.proofs(table, who.player))
    await premises.commit(Batch())
    return found.plain()
