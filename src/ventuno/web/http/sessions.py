"""One's own sessions, password, second factor and access tokens (ASVS 6, ASVS 7.4, R-44)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from ventuno.house.accounts.sessions import NoSuchSession
from ventuno.web.http import security
from ventuno.web.http.errors import RefusalError, unwrap
from ventuno.web.http.identity import Address, AnyIdentity, EntryLimit, House, HouseSettings, InPerson, SignedIn
from ventuno.web.messages.login import (
    AccessTokenBody,
    AccessTokenGiven,
    AccessTokenLine,
    AccessTokensResponse,
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
TokenId = SessionId


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


@router.put("/password", name="password", status_code=204, dependencies=[EntryLimit, InPerson])
async def change_password(body: PasswordBody, who: SignedIn, address: Address, app: House) -> None:
    """The old one is asked for, and a wrong one counts like a failed login; every other session ends."""
    unwrap(await app.accounts.change_password(who.player, body.old, body.new, who.session, address))


@router.put("/mail", name="mail", status_code=204, dependencies=[EntryLimit, InPerson])
async def set_mail(body: MailBody, who: SignedIn, address: Address, app: House) -> None:
    """Where codes for a new password are mailed to; a wrong password counts like a failed login."""
    unwrap(await app.accounts.set_mail(who.player, body.mail.strip(), body.password, address))


@router.post("/second-factor", name="enrol", dependencies=[EntryLimit, InPerson])
async def offer_factor(body: EnrolmentBody, who: AnyIdentity, address: Address, app: House) -> FactorOffer:
    """A secret for an authenticator, shown once; it counts when a code of it comes back (ASVS 6.3)."""
    offer = unwrap(await app.accounts.offer_factor(who.player, address, body.code or ""))
    return FactorOffer(offer.secret, offer.address)


@router.post("/second-factor/confirmation", name="confirm_enrolment", dependencies=[EntryLimit, InPerson])
async def confirm_factor(body: CodeBody, who: AnyIdentity, address: Address, app: House) -> RecoveryCodes:
    """The first code of a new secret: from now on the second factor counts. Recovery codes come with it, once."""
    return RecoveryCodes(unwrap(await app.accounts.confirm_factor(who.player, body.code, address)).recovery)


@router.post("/second-factor/removal", status_code=204, dependencies=[EntryLimit, InPerson])
async def drop_factor(body: CodeBody, who: AnyIdentity, address: Address, app: House) -> None:
    """A player may do without; a supervisor may not."""
    unwrap(await app.accounts.drop_factor(who.player, body.code, address))


@router.put("/bot", name="declare_bot", status_code=204, dependencies=[InPerson])
async def declare_bot(who: SignedIn, app: House) -> None:
    """The account is a bot's from now on: it is called one at every table, and its programs may have tokens (X-09)."""
    unwrap(await app.accounts.declare_bot(who.player))


@router.get("/tokens", name="tokens")
async def list_tokens(who: SignedIn, app: House) -> AccessTokensResponse:
    """The access tokens that are good, the oldest first; what they are is not kept."""
    await app.flush()
    account = app.accounts[who.player]
    return AccessTokensResponse(
        account.player.declared_bot,
        tuple(
            AccessTokenLine(token.id, token.label, token.given, token.expires)
            for token in app.accounts.list_access_tokens(who.player)
        ),
    )


@router.post("/tokens", dependencies=[EntryLimit, InPerson])
async def give_token(body: AccessTokenBody, who: SignedIn, app: House) -> AccessTokenGiven:
    """A token for a program of a declared bot, shown once: `Authorization: Bearer` lets it in everywhere it plays."""
    given = unwrap(await app.accounts.give_access_token(who.player, body.label, body.days))
    return AccessTokenGiven(given.id, given.token, given.expires)


@router.delete("/tokens/{token}", status_code=204)
async def end_token(token: TokenId, who: SignedIn, app: House) -> None:
    """It opens nothing more, and the session in which it acts is over."""
    unwrap(await app.accounts.end_access_token(who.player, token))
