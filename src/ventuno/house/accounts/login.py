"""Login and registration: who comes in, as a guest in one click or with an account, and who may stay (R-42…R-44).

Hashing is slow and is done beside the tables: `challenge` says what to verify, `admit` decides once that is known.
Whether a name exists shows neither in the answer nor in the work done for it (ASVS 6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import passwords, players, registration, text_rules
from ventuno.house.accounts.accounts import Account, AccountEvent, Accounts
from ventuno.house.accounts.login_throttle import make_account_key
from ventuno.house.accounts.passwords import Hasher
from ventuno.house.accounts.players import (
    AccountDisabled,
    AccountEnabled,
    GuestUpgraded,
    NotAGuest,
    PasswordSet,
    PlayerJoined,
    Role,
    RoleGiven,
    SecondFactorSet,
)
from ventuno.house.accounts.registration import Form, HouseRules, TaxIdTaken
from ventuno.house.accounts.second_factor import SecondFactorCommands, WrongCode
from ventuno.house.accounts.sessions import Entered, Tokens
from ventuno.house.store.audit_log import (
    AccountOpened,
    AuditLog,
    LoggedIn,
    LoginFailed,
    PasswordReplaced,
    RightsChanged,
)
from ventuno.house.store.records import Batch, NameRow, Record, merge


class WrongCredentials(Refusal):
    """One answer for a wrong name and a wrong password."""


class AccountClosed(Refusal):
    """Told only to who knows the password."""

    reason: str


class NoGuests(Refusal):
    pass


@dataclass(frozen=True, slots=True)
class Challenge:
    """What the given password must open. `player` is empty for a name that nobody has; `stored` is then a decoy."""

    player: PlayerId
    account: str
    address: str
    stored: str


@dataclass(frozen=True, slots=True)
class Joined:
    """A new account, or a guest who has become one; its batch is to be committed before it is told."""

    player: PlayerId
    batch: Batch


class Login:
    def __init__(
        self,
        accounts: Accounts,
        audit: AuditLog,
        tokens: Tokens,
        hasher: Hasher,
        rules: HouseRules,
        enrolment: SecondFactorCommands,
    ) -> None:
        self._accounts, self._audit, self._tokens = accounts, audit, tokens
        self._hasher, self._rules = hasher, rules
        self.enrolment, self.throttle = enrolment, enrolment.throttle

    def enter_guest(self, address: str, agent: str, at: int, language: str = "it") -> Entered | Refusal:
        """One click: a number, a name after it, a session."""
        if not self._rules.guests:
            return NoGuests()
        player = self._accounts.next_number()
        name = f"{text_rules.GUESTS.get(language, text_rules.GUESTS['it'])}-{player}"
        joined = self._accounts.write(player, at, [PlayerJoined(name, guest=True)])
        noted = self._audit.write(at, AccountOpened(player, guest=True))
        return self.enter(player, address, agent, at, (*joined, *noted))

    def enter_bot(self, name: str, address: str, at: int) -> Entered | Refusal:
        """A player of the house's own comes in: no password opens his account, and his name says what he is (X-09)."""
        called = f"{name} {text_rules.BOT}"
        account = self._accounts.find_by_name(called)
        if account and account.player.disabled:
            return AccountClosed(account.player.disabled)
        player = account.player.id if account else self._accounts.next_number()
        first: list[AccountEvent] = [] if account else [PlayerJoined(called, guest=False), RoleGiven(Role.BOT, "house")]
        joined = self._accounts.write(player, at, first)
        noted = () if account else self._audit.write(at, AccountOpened(player, guest=False))
        return self.enter(player, address, "bot", at, (*joined, *noted))

    def check_form(self, form: Form, password: str, at: int, player: PlayerId = "") -> Refusal | None:
        """Why this form opens no account: before any hashing, and again when it is done (R-42)."""
        filled = registration.check_form(form, at, self._rules)
        if isinstance(filled, Refusal):
            return filled
        return self._check_taken(filled[0], filled[1].tax, player) or passwords.check_password(password, filled[0])

    def make_claims(self, form: Form, at: int, guest: PlayerId = "") -> tuple[NameRow, ...] | Refusal:
        """What a form claims, under the guest's number or a new one: to be reserved before anybody joins by it."""
        filled = registration.check_form(form, at, self._rules)
        if isinstance(filled, Refusal):
            return filled
        return registration.make_claims(guest or self._accounts.next_number(), filled[0], filled[1].tax)

    def join(self, form: Form, hashed: str, at: int, number: PlayerId = "") -> Joined | Refusal:
        return self._join(form, hashed, at, "", number)

    def upgrade(self, player: PlayerId, form: Form, hashed: str, at: int) -> Joined | Refusal:
        """A guest keeps his number, his money and his history."""
        guest = self._accounts[player].player
        return self._join(form, hashed, at, player) if guest.guest else NotAGuest(guest.name)

    def _join(self, form: Form, hashed: str, at: int, guest: PlayerId, number: PlayerId = "") -> Joined | Refusal:
        filled = registration.check_form(form, at, self._rules)
        if isinstance(filled, Refusal):
            return filled
        name, person = filled
        if refusal := self._check_taken(name, person.tax, guest):
            return refusal
        player = guest or number or self._accounts.next_number()
        first = GuestUpgraded(name) if guest else PlayerJoined(name, guest=False)
        records = self._accounts.write(player, at, [first, PasswordSet(hashed), person])
        records = (*records, *self._audit.write(at, AccountOpened(player, guest=False)))
        return Joined(player, Batch(records=records, names=registration.make_claims(player, name, person.tax)))

    def _check_taken(self, name: str, tax: str, player: PlayerId) -> Refusal | None:
        holder = self._accounts.find_by_name(name)
        if holder is not None and holder.player.id != player:
            return text_rules.NameTaken(name)
        return TaxIdTaken() if tax and self._accounts.find_by_tax_code(tax) not in (None, player) else None

    def challenge(self, name: str, address: str, at: int, code: str = "") -> Challenge | Refusal:
        """What to verify the password against; too many failures are turned away before any work (ASVS 6.3).

        Whoever comes from where the account was open before, or shows its second factor, does not wait for the guesses
        of others.
        """
        account, player_account = make_account_key(name), self._accounts.find_by_name(name)
        if player_account and any(session.address == address for session in player_account.sessions.by_id.values()):
            self.throttle.remember(account, address)
        refusal = self.throttle.refuses(account, address, at)
        if refusal and not (player_account and self._shows_factor(player_account, address, at, code)):
            return refusal
        if player_account is None or not player_account.player.password:
            return Challenge("", account, address, self._hasher.decoy)
        return Challenge(player_account.player.id, account, address, player_account.player.password)

    def _shows_factor(self, account: Account, address: str, at: int, code: str) -> bool:
        """Whether a code of the second factor is shown; a wrong one counts against the address, which then waits."""
        if not code or not account.player.second_factor or self.throttle.refuses("", address, at):
            return False
        if isinstance(self.enrolment.check_code(account, code), Refusal):
            self.throttle.record_failure("", address, at)
            return False
        return True

    def admit(
        self, asked: Challenge, agent: str, at: int, *, opened: bool, code: str = ""
    ) -> Entered | tuple[Refusal, Batch]:
        """Decide, once it is known whether the password opens what was stored. A failure is written down too.

        Only who has shown both factors clears the count of failures: a known password buys no guesses at codes.
        """
        account = self._find_account(asked)
        if not opened or account is None:
            self.throttle.record_failure(asked.account, asked.address, at)
            return WrongCredentials(), self.record_failure(asked, at, "password")
        if account.player.disabled:
            return AccountClosed(account.player.disabled), self.record_failure(asked, at, "disabled")
        used = self.enrolment.check_code(account, code)
        if isinstance(used, WrongCode):
            self.throttle.record_failure(asked.account, asked.address, at)
            return used, self.record_failure(asked, at, "code")
        if isinstance(used, Refusal):
            return used, Batch()
        self.throttle.clear_account(asked.account, asked.address)
        self.throttle.remember(asked.account, asked.address)
        before = self._accounts.write(asked.player, at, [used]) if used else ()
        return self.enter(asked.player, asked.address, agent, at, before)

    def _find_account(self, asked: Challenge) -> Account | None:
        """The account of a challenge, if its password is still the one that was verified."""
        account = self._accounts.get(asked.player)
        return account if account and account.player.password == asked.stored else None

    def record_failure(self, asked: Challenge, at: int, reason: str) -> Batch:
        return Batch(records=self._audit.write(at, LoginFailed(asked.player, asked.account, asked.address, reason)))

    def enter(self, player: PlayerId, address: str, agent: str, at: int, before: tuple[Record, ...]) -> Entered:
        token, session, records = self._tokens.open(player, address, agent, at)
        noted = self._audit.write(at, LoggedIn(player, session, address))
        last = self._accounts[player].sessions.last_login
        return Entered(player, token, session, last, Batch(records=(*before, *records, *noted)))

    def check_old_password(self, asked: Challenge, at: int, *, opened: bool) -> tuple[Refusal, Batch] | None:
        """Why the old password does not count: a wrong one is a failed login, whoever has the session (ASVS 6.3)."""
        if opened and self._find_account(asked):
            return None
        self.throttle.record_failure(asked.account, asked.address, at)
        return WrongCredentials(), self.record_failure(asked, at, "old password")

    def change_password(self, player: PlayerId, hashed: str, keep: str, at: int) -> Batch:
        """The old password was verified by the caller. Every other session ends."""
        records = self._accounts.write(player, at, [PasswordSet(hashed)])
        ended = self._tokens.close_all(player, at, "password changed", keep=keep)
        return Batch(records=(*records, *ended.records, *self._audit.write(at, PasswordReplaced(player))))

    def set_vip(self, player: PlayerId, level: int, by: PlayerId, at: int) -> Batch | Refusal:
        events = players.set_vip(self._accounts[player].player, level, by)
        return events if isinstance(events, Refusal) else self._change_rights(player, events, by, f"vip {level}", at)

    def give_role(
        self, player: PlayerId, role: Role, by: PlayerId, at: int, second_factor: str = "", reason: str = ""
    ) -> Batch:
        """Who runs the house gives a second factor with the role; others get theirs when they next log in."""
        events: list[AccountEvent] = [RoleGiven(role, by)]
        events += [SecondFactorSet(second_factor)] if second_factor else []
        return self._change_rights(player, events, by, f"role {role}: {reason}" if reason else f"role {role}", at)

    def disable(self, player: PlayerId, by: PlayerId, reason: str, at: int) -> Batch:
        """The account is closed and all its sessions end; its money stays his (`enable` opens it again)."""
        closed = self._change_rights(player, [AccountDisabled(by, reason)], by, f"disabled: {reason}", at)
        return merge(closed, self._tokens.close_all(player, at, "account closed"))

    def enable(self, player: PlayerId, by: PlayerId, reason: str, at: int) -> Batch:
        return self._change_rights(player, [AccountEnabled(by, reason)], by, f"enabled: {reason}", at)

    def _change_rights(
        self, player: PlayerId, events: Sequence[AccountEvent], by: PlayerId, what: str, at: int
    ) -> Batch:
        records = self._accounts.write(player, at, events)
        return Batch(records=(*records, *self._audit.write(at, RightsChanged(player, by, what))))
