"""What supervisors read and put right: the log, signals, rounds by their time, corrections by two, the manifest.

Each look at what is not one's own is written down before it is shown (H-8, R-17).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated

import msgspec
from fastapi import APIRouter, Path, Query, Request

from ventuno.core.rules.money import PlayerId
from ventuno.house.application import Application
from ventuno.house.history.program_check import ProgramCheck
from ventuno.web.http.errors import unwrap
from ventuno.web.http.identity import DEAR, House, Supervisor, charge_account
from ventuno.web.http.supervision import Player, find_names
from ventuno.web.messages.fields import Moment
from ventuno.web.messages.login import SessionsEnded
from ventuno.web.messages.supervision import (
    CorrectionBody,
    CorrectionLine,
    CorrectionsResponse,
    LinkBody,
    LogLine,
    LogResponse,
    ManifestResponse,
    ProposalResponse,
    ReasonBody,
    ResetCodeResponse,
    RoundLine,
    RoundsResponse,
)

router = APIRouter(prefix="/api/supervisor", tags=["supervisor"])
Before = Annotated[int | None, Query(ge=0, le=2**53, description="`before` of the last page")]
Lines = Annotated[int, Query(ge=1, le=200)]
ACCOUNTS = "player", "by", "first", "second"
"""The fields of a line that name an account by its number."""
Number = Annotated[int, Path(ge=1, le=10**9)]


@router.get("/audit")
async def audit(who: Supervisor, app: House, before: Before = None, limit: Lines = 50) -> LogResponse:
    """The log of significant events, newest first; this look at it is its newest entry (R-17)."""
    page = unwrap(await app.supervision.read_audit_page(who.player, before, limit))
    return log_response(app, [(entry.seq, entry.at, entry.event) for entry in page])


@router.get("/signals")
async def signals(who: Supervisor, app: House, before: Before = None, limit: Lines = 50) -> LogResponse:
    """Markers of harm, signals of collusion, linked accounts, newest first (R-39, R-46)."""
    page = unwrap(await app.integrity.list_alerts(who.player, before, limit))
    return log_response(app, page)


def log_response(app: Application, entries: Iterable[tuple[int, int, object]]) -> LogResponse:
    lines = log_lines(entries)
    return LogResponse(
        lines, lines[-1].seq if lines and lines[-1].seq > 1 else None, find_names(app, list_named(lines))
    )


def log_lines(entries: Iterable[tuple[int, int, object]]) -> tuple[LogLine, ...]:
    return tuple(LogLine(number, at, type(event).__name__, msgspec.to_builtins(event)) for number, at, event in entries)


def list_named(lines: Iterable[LogLine]) -> Iterator[PlayerId]:
    """The accounts that lines of a log name by their number."""
    for line in lines:
        yield from (str(line.fields[key]) for key in ACCOUNTS if key in line.fields)
        if line.fields.get("what") == "player":
            yield str(line.fields["subject"])


@router.post("/links", status_code=204)
async def link(body: LinkBody, who: Supervisor, app: House) -> None:
    """From now on these two do not bet behind each other (H-5)."""
    unwrap(await app.integrity.link(who.player, body.first, body.second, body.reason))


@router.post("/links/removal", status_code=204)
async def unlink(body: LinkBody, who: Supervisor, app: House) -> None:
    """These two may bet behind each other again."""
    unwrap(await app.integrity.unlink(who.player, body.first, body.second, body.reason))


@router.post("/players/{player}/logout")
async def end_sessions(player: Player, body: ReasonBody, who: Supervisor, app: House) -> SessionsEnded:
    """End every session of an account; its sockets close within a second (ASVS 7.4)."""
    return SessionsEnded(unwrap(await app.accounts.end_sessions(who.player, player, body.reason)))


@router.post("/players/{player}/closing", status_code=204)
async def close_account(player: Player, body: ReasonBody, who: Supervisor, app: House) -> None:
    """Nobody comes in by this account until it is opened; its sockets close at once, its money stays its own."""
    unwrap(await app.supervision.close_account(who.player, player, body.reason))


@router.post("/players/{player}/opening", status_code=204)
async def open_account(player: Player, body: ReasonBody, who: Supervisor, app: House) -> None:
    """An account that was closed lets its owner in again."""
    unwrap(await app.supervision.open_account(who.player, player, body.reason))


@router.post("/players/{player}/reset-code")
async def create_reset_code(
    player: Player, body: ReasonBody, request: Request, who: Supervisor, app: House
) -> ResetCodeResponse:
    """A code by which a player who forgot his password chooses a new one; shown once, and the one before ends."""
    charge_account(request, who, DEAR)
    created = unwrap(await app.accounts.create_reset_code(who.player, player, body.reason))
    return ResetCodeResponse(created.code, created.expires)


@router.get("/rounds")
async def rounds_at(
    who: Supervisor,
    app: House,
    day: Annotated[Moment, Query(description="any moment of the day that is meant, GMT")],
    time: Annotated[str, Query(pattern=r"^([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]$")],
) -> RoundsResponse:
    """The rounds that show this GMT start time (V-66): what a player reads out to support."""
    rounds = unwrap(await app.supervision.find_rounds_at(who.player, day, time))
    return RoundsResponse(tuple(RoundLine(row.code, row.game, row.started, row.ended, row.voided) for row in rounds))


@router.get("/corrections")
async def corrections(who: Supervisor, app: House) -> CorrectionsResponse:
    """What waits for a second person, with all that he judges by: round, players, amounts, reason, who proposes."""
    waiting = unwrap(await app.supervision.list_corrections(who.player))
    return CorrectionsResponse(
        tuple(
            CorrectionLine(
                correction.event.number,
                correction.event.code,
                correction.event.game,
                correction.event.by,
                dict(correction.event.amounts),
                correction.event.reason,
                correction.at,
            )
            for correction in waiting
        ),
        find_names(app, (who for entry in waiting for who in (entry.event.by, *entry.event.amounts))),
    )


@router.post("/corrections", responses={404: {}})
async def propose(body: CorrectionBody, who: Supervisor, app: House) -> ProposalResponse:
    """The first of two persons says what is due for a round that is over; no money has moved (R-08)."""
    proposal = unwrap(await app.supervision.propose_correction(who.player, body.code, body.amounts, body.reason))
    return ProposalResponse(proposal.number, proposal.expires)


@router.post("/corrections/{number}/confirmation", status_code=204)
async def confirm_correction(number: Number, who: Supervisor, app: House) -> None:
    """The second person says the same: it is signed, and the money moves with it."""
    unwrap(await app.supervision.confirm_correction(who.player, number))


@router.post("/corrections/{number}/withdrawal", status_code=204)
async def withdraw_correction(number: Number, body: ReasonBody, who: Supervisor, app: House) -> None:
    """Take back a correction that waits for its second person."""
    unwrap(await app.supervision.withdraw_correction(who.player, number, body.reason))


@router.get("/manifest")
async def manifest(who: Supervisor, app: House) -> ManifestResponse:
    """What the last inspection of the program and its rules found (R-19)."""
    return describe_manifest(unwrap(await app.supervision.check_program(who.player)))


@router.post("/manifest/inspection")
async def inspect(who: Supervisor, app: House) -> ManifestResponse:
    """Compare the files with their manifest now."""
    return describe_manifest(unwrap(await app.supervision.check_program(who.player, now=True)))


def describe_manifest(verdict: ProgramCheck) -> ManifestResponse:
    return ManifestResponse(verdict.at, verdict.version, verdict.digest, verdict.is_sound, verdict.differences)
