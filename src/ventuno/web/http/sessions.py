"""One's own sessions, password and second factor (ASVS 6, ASVS 7.4, R-44)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response

from ventuno.house.accounts.sessions import NoSuchSession
from ventuno.house.store.records import Batch
from ventuno.web.http import security
from ventuno.web.http.errors import Refused, granted
from ventuno.web.http.identity import Address, Entering, House, Present, Terms, Visitor
from ventuno.web.messages.login import (
    Ended,
    Enrolling,
    FactorOffered,
    FactorSet,
    NewPassword,
    OwnCode,
    SessionLine,
    SessionsTold,
)

router = APIRouter(prefix="/api", tags=["sessions"])
SessionId = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]


@router.get("/sessions")
async def sessions(who: Visitor, premises: House) -> SessionsTold:
    """Newest first; `current` is the one that asks."""
    await premises.commit(Batch())
    found = premises.sessions(who.player)
    return SessionsTold(
        tuple(
            SessionLine(one.id, one.address, one.agent, one.opened, one.seen, one.end, one.id == who.session)
            for one in found
        )
    )


@router.delete("/sessions")
async def leave_everywhere(response: Response, who: Visitor, premises: House, settings: Terms) -> Ended:
    """Log out on every device, this one too."""
    found = premises.sessions(who.player)
    for one in found:
        granted(await premises.logout(who.player, one.id))
    security.forget(response, settings)
    return Ended(len(found))


@router.delete("/sessions/{session}", status_code=204)
async def leave(session: SessionId, response: Response, who: Visitor, premises: House, settings: Terms) -> None:
    """End one of one's own sessions."""
    if all(one.id != session for one in premises.sessions(who.player)):
        raise Refused.by(NoSuchSession(session))
    granted(await premises.logout(who.player, session))
    if session == who.session:
        security.forget(response, settings)


@router.put("/password", status_code=204, dependencies=[Entering])
async def password(body: NewPassword, who: Visitor, address: Address, premises: House) -> None:
    """The old one is asked for, and a wrong one counts like a failed login; every other session ends."""
    granted(await premises.change_password(who.player, body.old, body.new, who.session, address))


@router.post("/second-factor", dependencies=[Entering])
async def enrol(body: Enrolling, who: Present, address: Address, premises: House) -> FactorOffered:
    """A secret for an authenticator, shown once; it counts when a code of it comes back (ASVS 6.3)."""
    offer = granted(await premises.enrol(who.player, address, body.code or ""))
    return FactorOffered(offer.secret, offer.address)


@router.post("/second-factor/confirmation", dependencies=[Entering])
async def confirm_enrolment(body: OwnCode, who: Present, address: Address, premises: House) -> FactorSet:
    return FactorSet(granted(await premises.confirm_enrolment(who.player, body.code, address)).recovery)


@router.post("/second-factor/removal", status_code=204, dependencies=[Entering])
async def drop_factor(body: OwnCode, who: Present, address: Address, premises: House) -> None:
    """A player may do without; a supervisor may not."""
    granted(await premises.drop_factor(who.player, body.code, address))
