"""Coming in: as a guest, with a new account, with one's own; and going out (R-42…R-44, ASVS 6, ASVS 7)."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from ventuno.house.accounts.registration import Form
from ventuno.house.accounts.sessions import Entered
from ventuno.house.application import Application
from ventuno.web.http import security
from ventuno.web.http.errors import unwrap
from ventuno.web.http.identity import Address, AnyIdentity, EntryLimit, House, HouseSettings, OptionalIdentity, SignedIn
from ventuno.web.messages.login import Login, LoginResponse, Registration, TicketResponse
from ventuno.web.operations.settings import Settings
from ventuno.web.sockets.tickets import LIFE

router = APIRouter(prefix="/api", tags=["entry"])


def user_agent(request: Request) -> str:
    return request.headers.get("user-agent", "")


async def open_session(
    app: Application, settings: Settings, response: Response, entry: Entered, before: OptionalIdentity
) -> LoginResponse:
    """Send the token to the browser and end the session that it had before the login (ASVS 7.2)."""
    if before is not None and before.session != entry.session:
        await app.accounts.log_out(before.player, before.session)
    security.set_session_cookie(response, settings, entry.token)
    player = app.accounts[entry.player].player
    return LoginResponse(entry.player, player.name, player.role, player.guest, entry.session, entry.last_login)


@router.post("/guest", dependencies=[EntryLimit])
async def guest(
    request: Request,
    response: Response,
    app: House,
    settings: HouseSettings,
    address: Address,
    before: OptionalIdentity,
) -> LoginResponse:
    """In one click: a number, a name after it, a session."""
    entry = unwrap(await app.accounts.enter_guest(address, user_agent(request)))
    return await open_session(app, settings, response, entry, before)


@router.post("/register", dependencies=[EntryLimit], responses={401: {}})
async def register(
    body: Registration,
    request: Request,
    response: Response,
    app: House,
    settings: HouseSettings,
    address: Address,
    before: OptionalIdentity,
) -> LoginResponse:
    """A new account, and in with it."""
    unwrap(await app.accounts.register(Form(body.name, body.born, body.tax), body.password))
    entry = unwrap(await app.accounts.log_in(body.name, body.password, address, user_agent(request)))
    return await open_session(app, settings, response, entry, before)


@router.post("/guest/upgrade", dependencies=[EntryLimit])
async def upgrade(
    body: Registration,
    request: Request,
    response: Response,
    who: SignedIn,
    app: House,
    settings: HouseSettings,
    address: Address,
) -> LoginResponse:
    """A guest becomes an account: same number, money and history, and a new session."""
    unwrap(await app.accounts.register(Form(body.name, body.born, body.tax), body.password, who.player))
    entry = unwrap(await app.accounts.log_in(body.name, body.password, address, user_agent(request)))
    return await open_session(app, settings, response, entry, who)


@router.post("/login", dependencies=[EntryLimit], responses={401: {}})
async def login(
    body: Login,
    request: Request,
    response: Response,
    app: House,
    settings: HouseSettings,
    address: Address,
    before: OptionalIdentity,
) -> LoginResponse:
    """One answer for a wrong name and a wrong password; after a few failures each further one waits longer."""
    entry = unwrap(await app.accounts.log_in(body.name, body.password, address, user_agent(request), body.code or ""))
    return await open_session(app, settings, response, entry, before)


@router.post("/logout", status_code=204)
async def logout(response: Response, who: AnyIdentity, app: House, settings: HouseSettings) -> None:
    security.delete_session_cookie(response, settings)
    unwrap(await app.accounts.log_out(who.player, who.session))


@router.post("/ticket")
async def ticket(request: Request, who: SignedIn) -> TicketResponse:
    """Opens the socket once: `GET /socket?ticket=…` with the same session, from a page of the house."""
    return TicketResponse(request.app.state.tickets.issue(who.session), LIFE // 1000)
