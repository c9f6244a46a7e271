"""Who calls: identified by cookie or access token before any route, by the role where a route asks for it (ASVS 8)."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated

from fastapi import Depends, Header, Request, Security, WebSocket
from fastapi.security import APIKeyCookie, HTTPAuthorizationCredentials, HTTPBearer
from starlette.requests import HTTPConnection

from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts.access_tokens import PersonNeeded
from ventuno.house.accounts.account_service import NotSupervisor
from ventuno.house.accounts.players import STAFF
from ventuno.house.accounts.second_factor import SecondFactorMissing
from ventuno.house.accounts.sessions import Identity
from ventuno.house.application import Application
from ventuno.web.http.client_address import address_group
from ventuno.web.http.errors import RefusalError, error_response, unwrap
from ventuno.web.http.rate_limits import TooManySockets
from ventuno.web.http.request_checks import ForeignOrigin, is_own_origin
from ventuno.web.http.security import COOKIE, read_bearer, read_token
from ventuno.web.messages.fields import Key
from ventuno.web.operations.settings import Settings

session_cookie = APIKeyCookie(
    name=COOKIE, scheme_name="session", description="`__Host-ventuno` where players come by https.", auto_error=False
)
access_token = HTTPBearer(
    scheme_name="token", description="An access token of a declared bot, from `POST /api/tokens`.", auto_error=False
)
CHEAP, DEAR = 1, 10
"""What a call takes from an account's allowance."""


class NotKnown(Refusal):
    pass


async def house(request: Request) -> Application:
    app: Application = request.app.state.application
    return app


async def get_settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


async def address(request: Request) -> str:
    client: str = request.scope["ventuno.address"]
    return client


async def read_identity(connection: HTTPConnection) -> Identity:
    """Whose session this is; nobody comes further without one."""
    if bearer := read_bearer(connection.scope["headers"]):
        accounts, agent = connection.app.state.application.accounts, connection.headers.get("user-agent", "")
        program: Identity = unwrap(await accounts.identify_program(bearer, connection.scope["ventuno.address"], agent))
        return program
    token = read_token(connection.scope["headers"], connection.app.state.settings)
    if not token:
        raise RefusalError.by(NotKnown())
    identity: Identity = unwrap(await connection.app.state.application.accounts.identify(token))
    return identity


async def identify_optional(request: Request) -> Identity | None:
    """Who calls, where anybody may; a session that is over is nobody's."""
    with suppress(RefusalError):
        return await read_identity(request)
    return None


async def identify_any(
    request: Request,
    _cookie: Annotated[str | None, Security(session_cookie)],
    _bearer: Annotated[HTTPAuthorizationCredentials | None, Security(access_token)],
) -> Identity:
    """Who calls; what an account may ask is counted here."""
    identity = await read_identity(request)
    charge_account(request, identity)
    return identity


async def identify(who: Annotated[Identity, Depends(identify_any)]) -> Identity:
    """The same, but for supervisors without a second factor: they get one before anything else (ASVS 6.3)."""
    if who.enrol:
        raise RefusalError.by(SecondFactorMissing())
    return who


async def identify_person(who: Annotated[Identity, Depends(identify_any)]) -> Identity:
    """Somebody who has logged in himself: no access token opens what makes an account his."""
    if who.access:
        raise RefusalError.by(PersonNeeded())
    return who


def charge(connection: HTTPConnection, what: str, key: str, cost: int = CHEAP) -> None:
    """Take so much from the token bucket of this key."""
    if refusal := connection.app.state.rates.check(what, key, cost):
        raise RefusalError.by(refusal)


def charge_account(request: Request, who: Identity, cost: int = CHEAP) -> None:
    charge(request, "account", who.player, cost)


async def limit_entries(request: Request) -> None:
    """For calls that cost a hash or an account: few from one address (ASVS 6.3)."""
    charge(request, "entry", address_group(request.scope["ventuno.address"]))


async def identify_supervisor(who: Annotated[Identity, Depends(identify)]) -> Identity:
    """One of the staff, with a second factor, and nobody else; what he may do is the house's to say (H-8)."""
    if who.role not in STAFF:
        raise RefusalError.by(NotSupervisor(who.player))
    return who


House = Annotated[Application, Depends(house)]
HouseSettings = Annotated[Settings, Depends(get_settings)]
Address = Annotated[str, Depends(address)]
AnyIdentity = Annotated[Identity, Depends(identify_any)]
SignedIn = Annotated[Identity, Depends(identify)]
InPerson = Depends(identify_person)
OptionalIdentity = Annotated[Identity | None, Depends(identify_optional)]
Supervisor = Annotated[Identity, Depends(identify_supervisor)]
IdempotencyKey = Annotated[
    Key, Header(alias="Idempotency-Key", description="the same key and body again do nothing twice")
]
EntryLimit = Depends(limit_entries)


async def accept_handshake(websocket: WebSocket) -> Identity | None:
    """Who opens a socket: from a page of ours, with his session and a ticket drawn for it; else it does not open.

    A program with an access token comes from no page.

    A socket that is let in counts for its address until `rates.disconnect`.
    """
    state, group = websocket.app.state, address_group(websocket.scope["ventuno.address"])
    try:
        charge(websocket, "address", group)
        if not is_own_origin(websocket.scope, state.settings, needed=not read_bearer(websocket.scope["headers"])):
            raise RefusalError.by(ForeignOrigin())
        identity = await identify(await read_identity(websocket))
        unwrap(state.tickets.redeem(websocket.query_params.get("ticket", ""), identity.session))
        if not state.rates.connect(group):
            raise RefusalError.by(TooManySockets(state.rates.allowances.connections))
    except RefusalError as error:
        await websocket.send_denial_response(error_response(error))
        return None
    return identity
