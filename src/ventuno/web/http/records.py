"""What supervisors read and put right: the log, signals, rounds by their time, corrections by two, the manifest.

Each look at what is not one's own is written down before it is shown (H-8, R-17).
"""

from __future__ import annotations

from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Query

from ventuno.house.accounts.players import NoSuchPlayer
from ventuno.house.application import Premises
from ventuno.house.history import account_history, audit_pages
from ventuno.house.history.audit import STREAM, RightsChanged, SupervisorViewed
from ventuno.house.history.program_check import Verdict
from ventuno.house.store.records import Batch
from ventuno.web.http.errors import Refused, granted
from ventuno.web.http.identity import House, Supervisor
from ventuno.web.http.supervision import Player
from ventuno.web.messages.login import Ended
from ventuno.web.messages.request_body import Moment
from ventuno.web.messages.supervision import (
    CorrectionBody,
    CorrectionsTold,
    CorrectionTold,
    FoundRound,
    FoundTold,
    LinkBody,
    LogLine,
    LogTold,
    ManifestTold,
    ProposedTold,
    ReasonBody,
)

router = APIRouter(prefix="/api/supervisor", tags=["supervisor"])
Before = Annotated[int | None, Query(ge=0, le=2**53, description="`before` of the last page")]
Lines = Annotated[int, Query(ge=1, le=200)]
Number = Annotated[int, Path(ge=1, le=10**9)]


async def _looked(premises: Premises, who: str, what: str, subject: str = "") -> None:
    noted = premises.staff.audit.note(premises.house.now(), SupervisorViewed(who, what, subject))
    await premises.commit(Batch(records=noted))


@router.get("/audit")
async def audit(who: Supervisor, premises: House, before: Before = None, limit: Lines = 50) -> LogTold:
    """The log of significant events, newest first; this look at it is its newest entry (R-17)."""
    await _looked(premises, who.player, "audit")
    head = premises.house.heads.get(STREAM)
    found = await audit_pages.page(premises.house.store, head.seq if head else 0, before, limit)
    lines = tuple(LogLine(one.seq, one.at, type(one.event).__name__, msgspec.to_builtins(one.event)) for one in found)
    return LogTold(lines, lines[-1].seq if lines and lines[-1].seq > 1 else None)


@router.get("/signals")
async def signals(who: Supervisor, premises: House, before: Before = None, limit: Lines = 50) -> LogTold:
    """Markers of harm, signals of collusion, linked accounts, newest first (R-39, R-46)."""
    found = granted(await premises.concerns(who.player, before, limit))
    lines = tuple(
        LogLine(one.number, one.at, type(one.concern).__name__, msgspec.to_builtins(one.concern)) for one in found
    )
    return LogTold(lines, lines[-1].seq if lines and lines[-1].seq > 1 else None)


@router.post("/links", status_code=204)
async def link(body: LinkBody, who: Supervisor, premises: House) -> None:
    """From now on these two do not bet behind each other (H-5)."""
    granted(await premises.link(who.player, body.first, body.second, body.reason))


@router.post("/links/removal", status_code=204)
async def unlink(body: LinkBody, who: Supervisor, premises: House) -> None:
    granted(await premises.unlink(who.player, body.first, body.second, body.reason))


@router.post("/players/{player}/logout")
async def end_sessions(player: Player, body: ReasonBody, who: Supervisor, premises: House) -> Ended:
    """End every session of an account; its sockets close within a second (ASVS 7.4)."""
    if player not in premises.staff.accounts:
        raise Refused.by(NoSuchPlayer(player))
    now, held = premises.house.now(), len(premises.sessions(player))
    ended = premises.staff.tokens.close_all(player, now, "ended by a supervisor")
    noted = premises.staff.audit.note(now, RightsChanged(player, who.player, f"sessions ended: {body.reason}"))
    granted(await premises.commit(Batch(records=(*ended.records, *noted))))
    return Ended(held)


@router.post("/players/{player}/closing", status_code=204)
async def close_account(player: Player, body: ReasonBody, who: Supervisor, premises: House) -> None:
    """Nobody comes in by this account until it is opened; its sockets close at once, its money stays its own."""
    granted(await premises.close_account(who.player, player, body.reason))


@router.post("/players/{player}/opening", status_code=204)
async def open_account(player: Player, body: ReasonBody, who: Supervisor, premises: House) -> None:
    """An account that was closed lets its owner in again."""
    granted(await premises.open_account(who.player, player, body.reason))


@router.get("/rounds")
async def rounds_at(
    who: Supervisor,
    premises: House,
    day: Annotated[Moment, Query(description="any moment of the day that is meant, GMT")],
    time: Annotated[str, Query(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$")],
) -> FoundTold:
    """The rounds that show this GMT start time (V-66): what a player reads out to support."""
    await _looked(premises, who.player, "rounds at", time)
    first = day // account_history.DAY * account_history.DAY
    rows = await premises.house.store.rounds_started(first, first + account_history.DAY - 1)
    found = granted(account_history.at_time(rows, time, day))
    return FoundTold(tuple(FoundRound(one.code, one.game, one.started, one.ended, one.voided) for one in found))


@router.get("/corrections")
async def corrections(who: Supervisor, premises: House) -> CorrectionsTold:
    found = granted(await premises.waiting_corrections(who.player))
    return CorrectionsTold(
        tuple(
            CorrectionTold(
                one.event.number,
                one.event.code,
                one.event.game,
                one.event.by,
                dict(one.event.amounts),
                one.event.reason,
                one.at,
            )
            for one in found
        )
    )


@router.post("/corrections", responses={404: {}})
async def propose(body: CorrectionBody, who: Supervisor, premises: House) -> ProposedTold:
    """The first of two persons says what is due for a round that is over; no money has moved (R-08)."""
    found = granted(await premises.propose_correction(who.player, body.code, body.amounts, body.reason))
    return ProposedTold(found.number, found.expires)


@router.post("/corrections/{number}/confirmation", status_code=204)
async def confirm_correction(number: Number, who: Supervisor, premises: House) -> None:
    """The second person says the same: it is signed, and the money moves with it."""
    granted(await premises.confirm_correction(who.player, number))


@router.post("/corrections/{number}/withdrawal", status_code=204)
async def withdraw_correction(number: Number, body: ReasonBody, who: Supervisor, premises: House) -> None:
    granted(await premises.withdraw_correction(who.player, number, body.reason))


@router.get("/manifest")
async def manifest(who: Supervisor, premises: House) -> ManifestTold:
    """What the last inspection of the program and its rules found (R-19)."""
    return _verdict(granted(await premises.verification(who.player)))


@router.post("/manifest/inspection")
async def inspect(who: Supervisor, premises: House) -> ManifestTold:
    """Compare the files with their manifest now."""
    return _verdict(granted(await premises.verification(who.player, now=True)))


def _verdict(found: Verdict) -> ManifestTold:
    return ManifestTold(found.at, found.version, found.digest, found.sound, found.differences)
