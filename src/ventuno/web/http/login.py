"""Coming in: as a guest, with a new account, with one's own; and going out (R-42…R-44, ASVS 6, ASVS 7)."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from ventuno.house.accounts.players import Form
from ventuno.house.accounts.tokens import Entered
from ventuno.house.application import Premises
from ventuno.web.http import security
from ventuno.web.http.errors import granted
from ventuno.web.http.identity import Address, Entering, House, Passerby, Present, Terms, Visitor
from ventuno.web.messages.login import EnteredTold, Login, Registration, TicketTold
from ventuno.web.operations.settings import Settings
from ventuno.web.sockets.tickets import LIFE

router = APIRouter(prefix="/api", tags=["entry"])


def agent(request: Request) -> str:
    return request.headers.get("user-agent", "")


async def entered(
    premises: Premises, settings: Settings, response: Response, found: Entered, before: Passerby
) -> EnteredTold:
    """The token goes to the browser; the session that it had before is over (ASVS 7.2)."""
    if before is not None and before.session != found.session:
        await premises.logout(before.player, before.session)
    security.keep(response, settings, found.token)
    held = premises.staff.accounts[found.player].player
    return EnteredTold(found.player, held.name, held.role, held.guest, found.session, found.last_login)


@router.post("/guest", dependencies=[Entering])
async def guest(
    request: Request, response: Response, premises: House, settings: Terms, address: Address, before: Passerby
) -> EnteredTold:
    """In one click: a number, a name after it, a session."""
    found = granted(await premises.guest(address, agent(request)))
    return await entered(premises, settings, response, found, before)


@router.post("/register", dependencies=[Entering], responses={401: {}})
async def register(
    body: Registration,
    request: Request,
    response: Response,
    premises: House,
    settings: Terms,
    address: Address,
    before: Passerby,
) -> EnteredTold:
    """A new account, and in with it."""
    granted(await premises.register(Form(body.name, body.born, body.tax), body.password))
    found = granted(await premises.login(body.name, body.password, address, agent(request)))
    return await entered(premises, settings, response, found, before)


@router.post("/guest/upgrade", dependencies=[Entering])
async def upgrade(
    body: Registration,
    request: Request,
    response: Response,
    who: Visitor,
    premises: House,
    settings: Terms,
    address: Address,
) -> EnteredTold:
    """A guest becomes an account: same number, money and history, and a new session."""
    granted(await premises.register(Form(body.name, body.born, body.tax), body.password, who.player))
    found = granted(await premises.login(body.name, body.password, address, agent(request)))
    return await entered(premises, settings, response, found, who)


@router.post("/login", dependencies=[Entering], responses={401: {}})
async def login(
    body: Login,
    request: Request,
    response: Response,
    premises: House,
    settings: Terms,
    address: Address,
    before: Passerby,
) -> EnteredTold:
    """One answer for a wrong name and a wrong password; after a few failures each further one waits longer."""
    found = granted(await premises.login(body.name, body.password, address, agent(request), body.code or ""))
    return await entered(premises, settings, response, found, before)


@router.post("/logout", status_code=204)
async def logout(response: Response, who: Present, premises: House, settings: Terms) -> None:
    security.forget(response, settings)
    granted(await premises.logout(who.player, who.session))


@router.post("/ticket")
async def ticket(request: Request, who: Visitor) -> TicketTold:
    """Opens the socket once: `GET /socket?ticket=…` with the same session, from a page of the house."""
    return TicketTold(request.app.state.tickets.issue(who.session), LIFE // 1000)
