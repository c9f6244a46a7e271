"""One's own sessions, password and second factor (ASVS 6, ASVS 7.4, R-44)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from ventuno.house.accounts.sessions import NoSuchSession
from ventuno.web.http import security
from ventuno.web.http.errors import RefusalError, unwrap
from ventuno.web.http.identity import Address, AnyIdentity, EntryLimit, House, HouseSettings, SignedIn
from ventuno.web.messages.login import (
    CodeBody,
    EnrolmentBody,
    FactorOffer,
    MailBody,
    PasswordBody,
    RecoveryCodes,
    SessionLine,
    SessionsEnded,
    SessionsResponse,
)

router = APIRouter(prefix="/api", tags=["sessions"])
SessionId = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]


@router.get("/sessions", name="sessions")
async def list_sessions(who: SignedIn, app: House) -> SessionsResponse:
    """Newest first; `current` is the one that asks."""
    await app.flush()
    listed = app.accounts.list_sessions(who.player)
    return SessionsResponse(
        tuple(
            SessionLine(
                session.id,
                session.address,
                session.agent,
                session.opened,
                session.seen,
                session.end,
                session.id == who.session,
            )
            for session in listed
        )
    )


@router.delete("/sessions")
async def end_all_sessions(response: Response, who: SignedIn, app: House, settings: HouseSettings) -> SessionsEnded:
    """Log out on every device, this one too."""
    sessions = app.accounts.list_sessions(who.player)
    for session in sessions:
        unwrap(await app.accounts.log_out(who.player, session.id))
    security.delete_session_cookie(response, settings)
    return SessionsEnded(len(sessions))


@router.delete("/sessions/{session}", status_code=204)
async def end_session(
    session: SessionId, response: Response, who: SignedIn, app: House, settings: HouseSettings
) -> None:
    """End one of one's own sessions."""
    if all(own.id != session for own in app.accounts.list_sessions(who.player)):
        raise RefusalError.by(NoSuchSession(session))
    unwrap(await app.accounts.log_out(who.player, session))
    if session == who.session:
        security.delete_session_cookie(response, settings)


@router.put("/password", name="password", status_code=204, dependencies=[EntryLimit])
async def change_password(body: PasswordBody, who: SignedIn, address: Address, app: House) -> None:
    """The old one is asked for, and a wrong one counts like a failed login; every other session ends."""
    unwrap(await app.accounts.change_password(who.player, body.old, body.new, who.session, address))


@router.put("/mail", name="mail", status_code=204, dependencies=[EntryLimit])
async def set_mail(body: MailBody, who: SignedIn, address: Address, app: House) -> None:
    """Where codes for a new password are mailed to; a wrong password counts like a failed login."""
    unwrap(await app.accounts.set_mail(who.player, body.mail.strip(), body.password, address))


@router.post("/second-factor", name="enrol", dependencies=[EntryLimit])
async def offer_factor(body: EnrolmentBody, who: AnyIdentity, address: Address, app: House) -> FactorOffer:
    """A secret for an authenticator, shown once; it counts when a code of it comes back (ASVS 6.3)."""
    offer = unwrap(await app.accounts.offer_factor(who.player, address, body.code or ""))
    return FactorOffer(offer.secret, offer.address)


@router.post("/second-factor/confirmation", name="confirm_enrolment", dependencies=[EntryLimit])
async def confirm_factor(body: CodeBody, who: AnyIdentity, address: Address, app: House) -> RecoveryCodes:
    """The first code of a new secret: from now on the second factor counts. Recovery codes come with it, once."""
    return RecoveryCodes(unwrap(await app.accounts.confirm_factor(who.player, body.code, address)).recovery)


@router.post("/second-factor/removal", status_code=204, dependencies=[EntryLimit])
async def drop_factor(body: CodeBody, who: AnyIdentity, address: Address, app: House) -> None:
    """A player may do without; a supervisor may not."""
    unwrap(await app.accounts.drop_factor(who.player, body.code, address))
