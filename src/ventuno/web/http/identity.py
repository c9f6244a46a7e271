"""Who calls: known by the cookie before any route is entered, and by his role where a route asks for one (ASVS 8)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, cast

from fastapi import Depends, Header, Request, Security, WebSocket
from fastapi.security import APIKeyCookie

from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts.players import Role
from ventuno.house.accounts.second_factor import SecondFactorMissing
from ventuno.house.accounts.tokens import Known
from ventuno.house.application import Premises
from ventuno.house.supervision import NotSupervisor
from ventuno.web.http.client_address import household
from ventuno.web.http.errors import Refused, granted, said
from ventuno.web.http.rate_limits import TooManySockets
from ventuno.web.http.request_checks import ForeignOrigin, is_home
from ventuno.web.http.security import COOKIE, token_of
from ventuno.web.messages.fields import Key
from ventuno.web.operations.settings import Settings

session_cookie = APIKeyCookie(
    name=COOKIE, scheme_name="session", description="`__Host-ventuno` where players come by https.", auto_error=False
)
CHEAP, DEAR = 1, 10
"""What a call takes from an account's allowance."""


@dataclass(frozen=True, slots=True)
class NotKnown(Refusal):
    says = "log in, or come in as a guest, first"


async def house(request: Request) -> Premises:
    premises: Premises = request.app.state.premises
    return premises


async def terms(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


async def address(request: Request) -> str:
    found: str = request.scope["ventuno.address"]
    return found


async def perhaps(request: Request) -> Known | None:
    """Who calls, where anybody may; a session that is over is nobody's."""
    token = token_of(request.scope["headers"], request.app.state.settings)
    known = await request.app.state.premises.who(token) if token else None
    return known if isinstance(known, Known) else None


async def present(request: Request, _cookie: Annotated[str | None, Security(session_cookie)]) -> Known:
    """Who calls; nobody comes further without a session. What an account may ask is counted here."""
    token = token_of(request.scope["headers"], request.app.state.settings)
    if not token:
        raise Refused.by(NotKnown())
    found: Known = granted(await request.app.state.premises.who(token))
    allowed(request, found)
    return found


async def known(who: Annotated[Known, Depends(present)]) -> Known:
    """The same, but for supervisors without a second factor: they get one before anything else (ASVS 6.3)."""
    if who.enrol:
        raise Refused.by(SecondFactorMissing())
    return who


def allowed(request: Request, who: Known, cost: int = CHEAP) -> None:
    """Take so much from what this account may ask."""
    state = request.app.state
    if no := state.rates.refuses("account", who.player, state.premises.house.now(), cost):
        raise Refused.by(no)


async def entering(request: Request) -> None:
    """For calls that cost a hash or an account: few from one address (ASVS 6.3)."""
    state = request.app.state
    if no := state.rates.refuses("entry", household(request.scope["ventuno.address"]), state.premises.house.now()):
        raise Refused.by(no)


async def supervising(who: Annotated[Known, Depends(known)]) -> Known:
    """A supervisor with a second factor and nobody else (H-8)."""
    if who.role is not Role.SUPERVISOR:
        raise Refused.by(NotSupervisor(who.player))
    return who


House = Annotated[Premises, Depends(house)]
Terms = Annotated[Settings, Depends(terms)]
Address = Annotated[str, Depends(address)]
Present = Annotated[Known, Depends(present)]
Visitor = Annotated[Known, Depends(known)]
Passerby = Annotated[Known | None, Depends(perhaps)]
Supervisor = Annotated[Known, Depends(supervising)]
Once = Annotated[Key, Header(alias="Idempotency-Key", description="the same key and body again do nothing twice")]
Entering = Depends(entering)


async def handshake(websocket: WebSocket) -> Known | None:
    """Who opens a socket: from a page of ours, with his session and a ticket drawn for it; else it does not open.

    A socket that is let in counts for its address until `rates.disconnect`.
    """
    state = websocket.app.state
    outcome = await _admitted(websocket)
    if isinstance(outcome, Known) and not state.rates.connect(household(websocket.scope["ventuno.address"])):
        outcome = TooManySockets(state.rates.allowances.connections)
    if isinstance(outcome, Known):
        return outcome
    await websocket.send_denial_response(said(Refused.by(outcome)))
    return None


async def _admitted(websocket: WebSocket) -> Known | Refusal:
    state, settings = websocket.app.state, websocket.app.state.settings
    where = household(websocket.scope["ventuno.address"])
    if (no := state.rates.refuses("address", where, state.premises.house.now())) is not None:
        return cast(Refusal, no)
    if not is_home(websocket.scope, settings, needed=True):
        return ForeignOrigin()
    token = token_of(websocket.scope["headers"], settings)
    if not token:
        return NotKnown()
    found: Known | Refusal = await state.premises.who(token)
    if isinstance(found, Refusal):
        return found
    if found.enrol:
        return SecondFactorMissing()
    no = state.tickets.redeem(websocket.query_params.get("ticket", ""), found.session)
    return found if no is None else no
