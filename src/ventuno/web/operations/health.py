"""For whoever runs the house: is it alive, may players be sent to it, how is it doing.

`/healthz` answers while the process does. `/readyz` says whether the house takes bets, with every reason why not.
`/metrics` is for this machine, or for who knows the token.
"""

from __future__ import annotations

import asyncio
from hmac import compare_digest

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from prometheus_client import CONTENT_TYPE_LATEST

from ventuno.house.application import Application
from ventuno.house.store.store import StoreFailed
from ventuno.house.tables.housekeeping import BY, RESTART
from ventuno.web.doors.host import Doors
from ventuno.web.http.errors import NothingHere, error_response
from ventuno.web.operations.settings import Settings, is_loopback

PATIENCE = 1.5
"""Seconds that the store has to answer: what it does not is told within two."""
_FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip")

router = APIRouter(include_in_schema=False)


@router.get("/healthz", name="alive")
async def report_alive() -> Response:
    return PlainTextResponse("alive\n")


@router.get("/readyz", name="ready")
async def report_ready(request: Request) -> Response:
    """200 with nothing to say, or 503 with the reasons."""
    app: Application | None = getattr(request.app.state, "application", None)
    reasons_against = ["the house is not open"] if app is None else await find_reasons(app)
    doors: Doors | None = getattr(request.app.state, "doors", None)
    if doors and (missing := doors.count_missing()) > 0:
        reasons_against.append(f"{missing} of {doors.expected} doors are not there")
    return JSONResponse({"ready": not reasons_against, "reasons": reasons_against}, 503 if reasons_against else 200)


async def find_reasons(app: Application) -> list[str]:
    """Why no player should be sent here now; nothing in it that is anybody's own."""
    reasons = [] if await _writes(app) else ["the store does not write"]
    if app.disk_full:
        reasons.append("the disk is full: open rounds end, none begins")
    if app.halted:
        reasons.append(f"the program is not the one that was accepted: {app.halted}")
    if app.maintenance.faults:
        reasons.append(f"the books are wrong in {len(app.maintenance.faults)} places")
    pauses = [live.table.pause for live in app.tables.get_all().values()]
    waiting = sum(pause is not None and (pause.by, pause.reason) == (BY, RESTART) for pause in pauses)
    if waiting:
        reasons.append(f"{waiting} tables have not been resumed")
    return reasons


async def _writes(app: Application) -> bool:
    """Whether the store answers and is ours: an empty batch goes its whole way to the database and back."""
    try:
        await asyncio.wait_for(app.flush(), PATIENCE)
    except (StoreFailed, TimeoutError):
        return False
    return True


@router.get("/metrics", name="metrics")
async def report_metrics(request: Request) -> Response:
    """Prometheus text; 404 to whoever may not have it, as if there were none."""
    if not may_measure(request, request.app.state.settings):
        return error_response(NothingHere())
    return Response(request.app.state.meters.text(), headers={"Content-Type": CONTENT_TYPE_LATEST})


def may_measure(request: Request, settings: Settings) -> bool:
    """By token from anywhere; without one from this machine, and not through a proxy that stands on it."""
    token = settings.metrics_token.get_secret_value()
    authorization = request.headers.get("authorization", "")
    if token and compare_digest(authorization.encode(), f"Bearer {token}".encode()):
        return True
    forwarded = any(name in request.headers for name in _FORWARDED)
    return not forwarded and request.client is not None and is_loopback(request.client.host)
