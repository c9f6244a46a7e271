"""For dealers: the tables they may deal at, and cards that a shoe reads by itself (X-27)."""

from __future__ import annotations

from fastapi import APIRouter

from ventuno.core.rules.cards import card
from ventuno.web.http.errors import unwrap, unwrap_answer
from ventuno.web.http.identity import House, SignedIn
from ventuno.web.http.lobby import Table
from ventuno.web.messages.studio import ScanBody, StudioResponse

router = APIRouter(prefix="/api/studio", tags=["studio"])
CUT = "CUT"


@router.get("", name="studio")
async def list_tables(who: SignedIn, app: House) -> StudioResponse:
    """The tables with scanned cards, for dealers and supervisors."""
    return StudioResponse(tuple(unwrap(app.studio.list_tables(who.player))))


@router.post("/{table}/scan", status_code=204)
async def scan(table: Table, body: ScanBody, who: SignedIn, app: House) -> None:
    """The card that is wanted, from who has the desk: with his session, or with an access token of his account."""
    scanned = None if body.card == CUT else card(body.card)
    unwrap_answer(await app.studio.scan(who.player, table, scanned, body.key))
