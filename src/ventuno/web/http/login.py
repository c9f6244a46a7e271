"""Coming in: as a guest, with a new account, with one's own; and going out (R-42…R-44, ASVS 6, ASVS 7)."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts.player_limits import PlayExcluded
from ventuno.house.accounts.registration import Form
from ventuno.house.accounts.sessions import Entered
from ventuno.web.http import security
from ventuno.web.http.errors import RefusalError, unwrap
from ventuno.web.http.identity import Address, AnyIdentity, EntryLimit, House, HouseSettings, OptionalIdentity, SignedIn
from ventuno.web.messages.login import Login, LoginResponse, MailedReset, PasswordReset, Registration, TicketResponse
from ventuno.web.sockets.tickets import LIFE

router = APIRouter(prefix="/api", tags=["entry"])


class NoMail(Refusal):
    """This house sends none: support helps."""


class Entrance:
    """Who stands at the door: where he comes from, and whose session he had."""

    def __init__(
        self,
        request: Request,
        response: Response,
        app: House,
        settings: HouseSettings,
        address: Address,
        before: OptionalIdentity,
    ) -> None:
        self.app, self.address, self.agent = app, address, request.headers.get("user-agent", "")
        self._response, self._settings, self._before = response, settings, before
        self.language = request.headers.get("accept-language", "")[:2].lower()
        self._headers = request.scope["headers"]

    def check_exclusion(self) -> None:
        """Whoever excluded himself here opens no other account and is no guest, in this browser or session (R-38)."""
        before = self.app.accounts[self._before.player].player_limits if self._before else None
        refusal = before.check_play(self.app.now()) if before else None
        remembered = security.find_exclusion(self._headers, self._settings, self.app.now())
        if isinstance(refusal, PlayExcluded) or remembered:
            unwrap(refusal if isinstance(refusal, PlayExcluded) else remembered)

    async def log_in(self, name: str, password: str, code: str = "") -> LoginResponse:
        return await self.open_session(await self.app.accounts.log_in(name, password, self.address, self.agent, code))

    async def open_session(self, entered: Entered | Refusal) -> LoginResponse:
        """Send the token to the browser and end the session that it had before the login (ASVS 7.2)."""
        entry, accounts, before = unwrap(entered), self.app.accounts, self._before
        if before is not None and before.session != entry.session:
            await accounts.log_out(before.player, before.session)
        security.set_session_cookie(self._response, self._settings, entry.token)
        account, now = accounts[entry.player], self.app.now()
        player, refusal = account.player, account.player_limits.check_play(now)
        if isinstance(refusal, PlayExcluded):
            security.mark_excluded(self._response, self._settings, refusal, now)
        elif account.player_limits.excluded:
            security.forget_exclusion(self._response, self._settings)
        return LoginResponse(entry.player, player.name, player.role, player.guest, entry.session, entry.last_login)


Door = Annotated[Entrance, Depends()]


@router.post("/guest", name="guest", dependencies=[EntryLimit])
async def enter_as_guest(door: Door) -> LoginResponse:
    """In one click: a number, a name after it, a session."""
    door.check_exclusion()
    return await door.open_session(await door.app.accounts.enter_guest(door.address, door.agent, door.language))


@router.post("/register", dependencies=[EntryLimit], responses={401: {}})
async def register(body: Registration, door: Door) -> LoginResponse:
    """A new account, and in with it."""
    door.check_exclusion()
    unwrap(await door.app.accounts.register(Form(body.name, body.born, body.tax), body.password))
    return await door.log_in(body.name, body.password)


@router.post("/guest/upgrade", name="upgrade", dependencies=[EntryLimit])
async def upgrade_guest(body: Registration, who: SignedIn, door: Door) -> LoginResponse:
    """A guest becomes an account: same number, money and history, and a new session."""
    unwrap(await door.app.accounts.register(Form(body.name, body.born, body.tax), body.password, who.player))
    return await door.log_in(body.name, body.password)


@router.post("/login", name="login", dependencies=[EntryLimit], responses={401: {}})
async def log_in(body: Login, door: Door) -> LoginResponse:
    """One answer for a wrong name and a wrong password; after a few failures each further one waits longer."""
    return await door.log_in(body.name, body.password, body.code or "")


@router.post("/password/reset", name="reset_password", dependencies=[EntryLimit], responses={401: {}})
async def reset_password(body: PasswordReset, door: Door) -> LoginResponse:
    """A new password by the code of support, and in with it; every other session ends, the second factor is asked for.

    One answer for a wrong name and a code that does not open.
    """
    accounts, given = door.app.accounts, (body.name, body.reset_code, body.password)
    return await door.open_session(await accounts.reset_password(*given, door.address, door.agent, body.code or ""))


@router.post("/password/mail", name="mail_reset_code", status_code=204, dependencies=[EntryLimit], responses={404: {}})
async def mail_reset_code(body: MailedReset, request: Request, settings: HouseSettings) -> None:
    """A code for a new password by mail, to who has given an address; one answer for every name."""
    if settings.mail is None:
        raise RefusalError.by(NoMail())
    request.app.state.mailer.start_reset(settings.mail, body.name)


@router.post("/logout", name="logout", status_code=204)
async def log_out(response: Response, who: AnyIdentity, app: House, settings: HouseSettings) -> None:
    """End this session."""
    security.delete_session_cookie(response, settings)
    unwrap(await app.accounts.log_out(who.player, who.session))


@router.post("/ticket", name="ticket")
async def issue_ticket(request: Request, who: SignedIn) -> TicketResponse:
    """Opens the socket once: `GET /socket?ticket=…` with the same session, from a page of the house."""
    return TicketResponse(request.app.state.tickets.issue(who.session), LIFE // 1000)
