"""Accounts as the doors see them: who comes in, under which session, with which password and factor (R-42…R-44).

Each call decides in memory, in order with all others, and answers when what it changed is durable.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import password_reset, passwords, registration, text_rules
from ventuno.house.accounts.access_tokens import AccessToken, AccessTokenCommands, GivenToken
from ventuno.house.accounts.accounts import Account, Accounts
from ventuno.house.accounts.login import Joined, Login
from ventuno.house.accounts.password_reset import CreatedCode, MailedCode, NoPassword, PasswordResets
from ventuno.house.accounts.passwords import Hasher
from ventuno.house.accounts.players import STAFF, MailSet, NoSuchPlayer, Role
from ventuno.house.accounts.registration import Form
from ventuno.house.accounts.rights import Right, RightMissing, has_right
from ventuno.house.accounts.second_factor import Enrolled, Offer, SecondFactorCommands, SecondFactorMissing
from ventuno.house.accounts.sessions import Entered, Identity, Session, SessionOver, Tokens
from ventuno.house.store.audit_log import AuditLog, RightsChanged
from ventuno.house.store.committer import Committer
from ventuno.house.store.records import Batch, merge

OPERATOR = "operator"
Outcome = TypeVar("Outcome", Entered, Joined, Offer, Enrolled, GivenToken)
Result = TypeVar("Result")


class NotSupervisor(Refusal):
    """H-8: what only the staff does, and with a reason."""

    player: PlayerId


class MailUnfit(Refusal):
    """This is no address for mail."""


class ReasonMissing(Refusal):
    pass


class AccountService:
    """Hashing is slow: it is done in threads beside the tables."""

    def __init__(
        self,
        commits: Committer,
        accounts: Accounts,
        audit: AuditLog,
        tokens: Tokens,
        access: AccessTokenCommands,
        login: Login,
        factors: SecondFactorCommands,
        resets: PasswordResets,
        hasher: Hasher,
    ) -> None:
        self._commits, self._accounts, self._audit = commits, accounts, audit
        self._tokens, self._access, self._login = tokens, access, login
        self._factors, self._resets = factors, resets
        self._hasher, self._threads = hasher, ThreadPoolExecutor(2, "ventuno-hasher")
        self.get, self.find_by_name, self.search = accounts.get, accounts.find_by_name, accounts.search

    def close(self) -> None:
        self._threads.shutdown()

    def __getitem__(self, player: PlayerId) -> Account:
        return self._accounts[player]

    def __iter__(self) -> Iterator[PlayerId]:
        return iter(self._accounts)

    def __contains__(self, player: PlayerId) -> bool:
        return player in self._accounts

    async def enter_guest(self, address: str, agent: str, language: str = "it") -> Entered | Refusal:
        if refusal := self._commits.check_room():
            return refusal
        return await self._commit(self._login.enter_guest(address, agent, self._commits.now(), language))

    async def enter_bot(self, name: str, address: str) -> Entered | Refusal:
        """A session for a player of the house's own; he plays through the doors as everybody does (X-09)."""
        return await self._commit(self._login.enter_bot(name, address, self._commits.now()))

    async def register(self, form: Form, password: str, guest: PlayerId = "") -> PlayerId | Refusal:
        """A new account, or a guest's own; hashing is done beside the tables, names are claimed in the store (R-42)."""
        login, now = self._login, self._commits.now
        if refusal := self._commits.check_room() or login.check_form(form, password, now(), guest):
            return refusal
        hashed = await self._in_thread(self._hasher.hash, password)
        rows = login.make_claims(form, now(), guest)
        if isinstance(rows, Refusal):
            return rows
        if taken := await self._commits.reserve(rows):
            return registration.refuse_claim(taken, form.name)
        joined = login.upgrade(guest, form, hashed, now()) if guest else login.join(form, hashed, now(), rows[0].owner)
        if isinstance(joined, Refusal):
            self._commits.release(rows)
        await self._commit(joined)
        return joined.player if isinstance(joined, Joined) else joined

    async def log_in(self, name: str, password: str, address: str, agent: str, code: str = "") -> Entered | Refusal:
        """Log in; SecondFactorNeeded or WrongCode where the second factor is not shown (ASVS 6.3)."""
        challenge = self._login.challenge(name, address, self._commits.now(), code)
        if isinstance(challenge, Refusal):
            return challenge
        opened = await self._in_thread(self._hasher.verify, challenge.stored, password)
        outcome = self._login.admit(challenge, agent, self._commits.now(), opened=opened, code=code)
        if isinstance(outcome, Entered):
            return await self._commit(outcome)
        refusal, batch = outcome
        await self._commits.commit(batch)
        return refusal

    async def log_out(self, player: PlayerId, session: str) -> Refusal | None:
        return await self._commits.commit(self._tokens.close(player, session, self._commits.now()))

    async def change_password(self, player: PlayerId, old: str, new: str, session: str, address: str) -> Refusal | None:
        """The old one is asked for, and counted like a login where it is wrong; every other session ends."""
        login, name = self._login, self._accounts[player].player.name
        challenge = login.challenge(name, address, self._commits.now())
        if isinstance(challenge, Refusal):
            return challenge
        opened = await self._in_thread(self._hasher.verify, challenge.stored, old)
        if wrong := login.check_old_password(challenge, self._commits.now(), opened=opened):
            await self._commits.commit(wrong[1])
            return wrong[0]
        if refusal := passwords.check_password(new, name):
            return refusal
        hashed = await self._in_thread(self._hasher.hash, new)
        return await self._commits.commit(login.change_password(player, hashed, session, self._commits.now()))

    async def create_reset_code(self, by: PlayerId, player: PlayerId, reason: str) -> CreatedCode | Refusal:
        """Support creates a code by which a player chooses a new password; it is shown once (ASVS 6.4)."""
        resets = self._resets
        if refusal := self.check_right(by, Right.HELP_PLAYERS, reason) or resets.check_account(player):
            return refusal
        code = resets.draw_code()
        hashed = await self._in_thread(self._hasher.hash, password_reset.normalize_code(code))
        given = resets.give(player, hashed, by, reason, self._commits.now())
        if refusal := await self._commits.commit(given):
            return refusal
        return CreatedCode(code, self._accounts[player].reset.expires)

    async def create_mailed_code(self, name: str) -> MailedCode | None:
        """A code for a new password to be mailed to who has given an address; none where there is nobody (ASVS 6.4)."""
        account = self._resets.find_mailable(name, self._commits.now())
        if account is None:
            return None
        code, player = self._resets.draw_code(), account.player
        hashed = await self._in_thread(self._hasher.hash, password_reset.normalize_code(code))
        given = self._resets.give(player.id, hashed, password_reset.BY_MAIL, "asked for by mail", self._commits.now())
        if await self._commits.commit(given):
            return None
        return MailedCode(player.mail, player.name, account.settings.general.language, code)

    async def set_mail(self, player: PlayerId, mail: str, password: str, address: str) -> Refusal | None:
        """Where codes for a new password are mailed to; the password is asked for, as for a new one."""
        if mail and not text_rules.MAIL.fullmatch(mail):
            return MailUnfit()
        account = self._accounts[player].player
        if not account.password:
            return NoPassword(player)
        challenge = self._login.challenge(account.name, address, self._commits.now())
        if isinstance(challenge, Refusal):
            return challenge
        opened = await self._in_thread(self._hasher.verify, challenge.stored, password)
        if wrong := self._login.check_old_password(challenge, self._commits.now(), opened=opened):
            await self._commits.commit(wrong[1])
            return wrong[0]
        now = self._commits.now()
        noted = self._audit.write(now, RightsChanged(player, player, "mail address " + ("set" if mail else "removed")))
        return await self._commits.commit(Batch(records=(*self._accounts.write(player, now, [MailSet(mail)]), *noted)))

    def get_reset_expiry(self, player: PlayerId) -> int:
        """Until when a code for a new password is open; 0 where none is."""
        return self._resets.get_expiry(player, self._commits.now())

    async def reset_password(
        self, name: str, reset_code: str, password: str, address: str, agent: str, code: str = ""
    ) -> Entered | Refusal:
        """In with a new password, by the code of support and the second factor where there is one (ASVS 6.4)."""
        if refusal := passwords.check_password(password, text_rules.normalize(name)):
            return refusal
        challenge = self._resets.challenge(name, address, self._commits.now())
        if isinstance(challenge, Refusal):
            return challenge
        try:
            given = password_reset.normalize_code(reset_code)
            opened = await self._in_thread(self._hasher.verify, challenge.stored, given)
            hashed = await self._in_thread(self._hasher.hash, password) if opened else ""
            outcome = self._resets.admit(challenge, name, hashed, agent, self._commits.now(), code)
        finally:
            self._resets.end_try(challenge)
        if isinstance(outcome, Entered):
            return await self._commit(outcome)
        refusal, batch = outcome
        await self._commits.commit(batch)
        return refusal

    async def offer_factor(self, player: PlayerId, address: str, code: str = "") -> Offer | Refusal:
        """A secret for an app, shown once; who has a second factor gives a code of it."""
        return await self._commit(self._factors.offer(player, code, address, self._commits.now()))

    async def confirm_factor(self, player: PlayerId, code: str, address: str) -> Enrolled | Refusal:
        """The second factor is in force; the recovery codes are shown once."""
        return await self._commit(self._factors.confirm(player, code, address, self._commits.now()))

    async def drop_factor(self, player: PlayerId, code: str, address: str) -> Refusal | None:
        return await self._commits.commit(self._factors.drop(player, code, address, self._commits.now()))

    async def identify(self, token: str) -> Identity | SessionOver:
        """Whom a token speaks for."""
        identity = self._tokens.identify(token, self._commits.now())
        if isinstance(identity, Identity) and identity.batch:
            await self._commits.commit(identity.batch)
        return identity

    async def identify_program(self, token: str, address: str, agent: str) -> Identity | Refusal:
        """Whom an access token speaks for; the session in which it acts is durable before anything is done in it."""
        identity = self._access.identify(token, address, agent, self._commits.now())
        if isinstance(identity, Identity) and identity.batch:
            await self._commits.commit(identity.batch)
        return identity

    async def declare_bot(self, player: PlayerId) -> Refusal | None:
        return await self._commits.commit(self._access.declare(player, self._commits.now()))

    async def give_access_token(self, player: PlayerId, label: str, days: int) -> GivenToken | Refusal:
        """A token for a program of his, shown once."""
        return await self._commit(self._access.give(player, label, days, self._commits.now()))

    async def end_access_token(self, player: PlayerId, id: str) -> Refusal | None:
        return await self._commits.commit(self._access.end(player, id, self._commits.now()))

    def list_access_tokens(self, player: PlayerId) -> list[AccessToken]:
        return self._accounts[player].access.list_live(self._commits.now())

    async def note_activity(self, player: PlayerId, session: str) -> SessionOver | None:
        """He does something over a socket that his session opened, unless it is over."""
        outcome = self._tokens.note_activity(player, session, self._commits.now())
        if isinstance(outcome, Batch):
            await self._commits.commit(outcome)
            return None
        return outcome

    def list_sessions(self, player: PlayerId) -> list[Session]:
        return self._tokens.list_sessions(player, self._commits.now())

    def get_session_end(self, player: PlayerId, session: str) -> str:
        """Why a session is over by now; empty while it is not."""
        return self._tokens.get_end_reason(player, session, self._commits.now())

    def get_session_expiry(self, player: PlayerId, session: str) -> int:
        return self._tokens.get_expiry(player, session)

    async def end_sessions(self, by: PlayerId, player: PlayerId, reason: str) -> int | Refusal:
        """A supervisor ends every session and token of an account; how many sessions there were (ASVS 7.4)."""
        if refusal := self.check_right(by, Right.HELP_PLAYERS, reason):
            return refusal
        if refusal := self.check_subject(by, player):
            return refusal
        now, count = self._commits.now(), len(self.list_sessions(player))
        ended = merge(
            self._tokens.close_all(player, now, "ended by a supervisor"),
            self._access.end_all(player, now, "ended by a supervisor"),
        )
        noted = self._audit.write(now, RightsChanged(player, by, f"sessions ended: {reason}"))
        await self._commits.commit(Batch(records=(*ended.records, *noted)))
        return count

    async def change_settings(self, player: PlayerId, changes: Mapping[str, Mapping[str, object]]) -> Refusal | None:
        return await self._commits.commit(self._accounts.change_settings(player, changes, self._commits.now()))

    async def appoint(self, player: PlayerId, role: Role, second_factor: str = "", by: str = OPERATOR) -> None:
        """Give a role. There is no door to this: it is called by who runs the house, from the command line."""
        await self._commits.commit(self._login.give_role(player, role, by, self._commits.now(), second_factor))

    def check_right(self, by: PlayerId, right: Right, reason: str = "-") -> Refusal | None:
        """Why this is nobody of the staff who may do something, or why his reason is none (H-8)."""
        account = self._accounts.get(by)
        if account is None or account.player.role not in STAFF or account.player.disabled:
            return NotSupervisor(by)
        if account.player.needs_second_factor:
            return SecondFactorMissing()
        if not has_right(account.player.role, right):
            return RightMissing(account.player.role, right)
        return None if reason.strip() else ReasonMissing()

    def check_subject(self, by: PlayerId, player: PlayerId) -> Refusal | None:
        """Why nothing is done to this account: there is none, or it is staff's and only a supervisor's to touch."""
        if player not in self._accounts:
            return NoSuchPlayer(player)
        is_staff = self._accounts[player].player.role in STAFF
        return self.check_right(by, Right.APPOINT) if is_staff else None

    async def _commit(self, outcome: Outcome | Refusal) -> Outcome | Refusal:
        await self._commits.commit(outcome if isinstance(outcome, Refusal) else outcome.batch)
        return outcome

    async def _in_thread(self, work: Callable[..., Result], *given: str) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *given)
