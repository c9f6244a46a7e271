"""What anybody can check by himself: documents of shoes, receipts of tables, the house's key (X-01, G-14)."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request

from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts.player_limits import MINUTE
from ventuno.house.application import Application
from ventuno.house.history.void_review import VoidRates
from ventuno.house.shoes.shoe_document import FORMAT
from ventuno.web.http.errors import RefusalError, unwrap
from ventuno.web.http.history import Code
from ventuno.web.http.identity import DEAR, House, SignedIn, charge_account
from ventuno.web.messages.fields import LARGEST, TableName
from ventuno.web.messages.history import (
    CheckpointLine,
    ConsistencyResponse,
    FairnessResponse,
    ReceiptResponse,
    ShoesResponse,
    VoidFigures,
)

router = APIRouter(prefix="/api", tags=["fairness"])
Table = Annotated[TableName, Path(description="the name of a table")]
Height = Annotated[int, Query(ge=1, le=LARGEST, description="records of a chain")]
ShoeNumber = Annotated[int, Query(ge=0, le=LARGEST, description="the number of a shoe")]


class NoReceipt(Refusal):
    table: str


class VoidFiguresCache:
    """The void figures of a house, read anew once a minute: they are summed over all its rounds, and anybody asks."""

    def __init__(self, app: Application) -> None:
        self._app = app
        self._figures: dict[str, VoidFigures] = {}
        self._until = 0
        self._reading = asyncio.Lock()

    async def read(self) -> dict[str, VoidFigures]:
        async with self._reading:
            if (now := self._app.now()) >= self._until:
                self._figures = {
                    game: void_figures(rates) for game, rates in (await self._app.history.compute_void_rates()).items()
                }
                self._until = now + MINUTE
        return self._figures


@router.get("/fairness", name="fairness")
async def read_fairness(request: Request, app: House) -> FairnessResponse:
    """The house's key, how voided rounds stood when they were voided, how cuts went; for everybody (section 3)."""
    return FairnessResponse(
        house=app.config.name,
        key=app.key.hex(),
        signature="Ed25519",
        document=FORMAT,
        voids=await request.app.state.figures.read(),
        cuts=app.fairness.count_cuts(),
        discarded=tuple(await app.fairness.list_discarded()),
        now=app.now(),
    )


def void_figures(rates: VoidRates) -> VoidFigures:
    return VoidFigures(rates.settled, rates.voided, rates.chance, rates.is_biased)


@router.get("/verify/{code}", name="shoe_document")
async def read_document(code: Code, request: Request, who: SignedIn, app: House) -> dict[str, Any]:
    """The document of the shoe that a round was dealt from: `ventuno verify FILE` reads it as it is (docs/fairness.md).

    Cards that were not shown are in it once the shoe has retired, and not before (H-7).
    """
    charge_account(request, who, DEAR)
    return unwrap(await app.history.read_document(who.player, code))


@router.get("/tables/{table}/receipt", name="receipt")
async def read_receipt(table: Table, who: SignedIn, app: House) -> ReceiptResponse:
    """The newest signed checkpoint of a table: keep it, and no other history can be told."""
    unwrap(app.fairness.check_access(table, who.player))
    signed = await app.fairness.read_receipt(table)
    if signed is None:
        raise RefusalError.by(NoReceipt(table))
    plain = signed.to_dict()
    return ReceiptResponse(CheckpointLine(**plain["checkpoint"]), plain["key"], plain["signature"])


@router.get("/tables/{table}/shoes", name="shoes")
async def list_shoes(table: Table, request: Request, who: SignedIn, app: House, after: ShoeNumber = 0) -> ShoesResponse:
    """Every shoe that was committed to at a table, those without a round among them: numbered and chained (X-01)."""
    unwrap(app.fairness.check_access(table, who.player))
    charge_account(request, who, DEAR)
    return ShoesResponse(table, tuple(await app.fairness.list_shoes(table, after)))


@router.get("/tables/{table}/shoes/{shoe}", name="shoe_by_number")
async def read_shoe(
    table: Table,
    shoe: Annotated[int, Path(ge=1, le=LARGEST, description="the number of a shoe")],
    request: Request,
    who: SignedIn,
    app: House,
) -> dict[str, Any]:
    """The document of a shoe by its number, also of one that no round was dealt from, for `ventuno verify FILE`."""
    unwrap(app.fairness.check_access(table, who.player))
    charge_account(request, who, DEAR)
    return unwrap(await app.history.read_shoe(who.player, table, shoe))


@router.get("/tables/{table}/consistency", name="consistency")
async def read_consistency(
    table: Table, request: Request, who: SignedIn, app: House, old: Height, size: Height, shoe: ShoeNumber = 1
) -> ConsistencyResponse:
    """The proof that a later checkpoint of a table continues an earlier one; `shoe` is one not after the earlier."""
    unwrap(app.fairness.check_access(table, who.player))
    charge_account(request, who, DEAR)
    proof = unwrap(await app.fairness.prove_consistency(table, shoe, old, size))
    return ConsistencyResponse(table, old, size, tuple(digest.hex() for digest in proof))


@router.get("/tables/{table}/proofs", name="proofs")
async def read_proofs(table: Table, request: Request, who: SignedIn, app: House) -> dict[str, Any]:
    """Each card that lies open in the round of a table, with its salt and its path to the commitment (X-01).

    What lies face down or is not dealt has no proof here: it comes with the card, and not before (H-1).
    """
    charge_account(request, who, DEAR)
    cards = unwrap(app.fairness.prove(table, who.player))
    await app.flush()
    return cards.to_dict()
