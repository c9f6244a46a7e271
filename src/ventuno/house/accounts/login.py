"""The reception: who comes in, as a guest in one click or with an account, and who may stay (R-42…R-44, ASVS 6).

Hashing is slow and is done beside the tables: `challenge` says what to verify, `admit` decides once that is known.
Whether a name exists shows neither in the answer nor in the work done for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import passwords, players, text_rules, unique_names
from ventuno.house.accounts.accounts import Account, AccountEvent, Accounts
from ventuno.house.accounts.login_throttle import counted
from ventuno.house.accounts.passwords import Hasher
from ventuno.house.accounts.players import (
    AccountDisabled,
    AccountEnabled,
    Form,
    GuestUpgraded,
    HouseRules,
    NotAGuest,
    PasswordSet,
    PlayerJoined,
    Role,
    RoleGiven,
    SecondFactorSet,
)
from ventuno.house.accounts.second_factor import WrongCode
from ventuno.house.accounts.second_factor_commands import Enrolment
from ventuno.house.accounts.tax_code import TaxIdTaken
from ventuno.house.accounts.tokens import Entered, Tokens
from ventuno.house.history.audit import AccountOpened, Audit, LoggedIn, LoginFailed, PasswordReplaced, RightsChanged
from ventuno.house.store.records import Batch, NameRow, Record


@dataclass(frozen=True, slots=True)
class WrongCredentials(Refusal):
    """One answer for a wrong name and a wrong password."""

    says = "name or password are wrong"


@dataclass(frozen=True, slots=True)
class AccountClosed(Refusal):
    """Told only to who knows the password."""

    says = "this account is closed: {reason}"
    reason: str


@dataclass(frozen=True, slots=True)
class NoGuests(Refusal):
    says = "this house takes no guests"


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


class Reception:
    def __init__(
        self,
        accounts: Accounts,
        audit: Audit,
        tokens: Tokens,
        hasher: Hasher,
        rules: HouseRules,
        enrolment: Enrolment,
    ) -> None:
        self._accounts, self._audit, self._tokens = accounts, audit, tokens
        self._hasher, self._rules = hasher, rules
        self.enrolment, self.throttle = enrolment, enrolment.throttle

    def guest(self, address: str, agent: str, at: int) -> Entered | Refusal:
        """One click: a number, a name after it, a session."""
        if not self._rules.guests:
            return NoGuests()
        player = self._accounts.next_number()
        joined = self._accounts.write(player, at, [PlayerJoined(f"{text_rules.GUEST}-{player}", guest=True)])
        noted = self._audit.note(at, AccountOpened(player, guest=True))
        return self._enter(player, address, agent, at, (*joined, *noted))

    def bot(self, name: str, address: str, at: int) -> Entered | Refusal:
        """A player of the house's own comes in: no password opens his account, and his name says what he is (X-09)."""
        called = f"{name} {text_rules.BOT}"
        held = self._accounts.named(called)
        if held and held.player.disabled:
            return AccountClosed(held.player.disabled)
        player = held.player.id if held else self._accounts.next_number()
        first: list[AccountEvent] = [] if held else [PlayerJoined(called, guest=False), RoleGiven(Role.BOT, "house")]
        joined = self._accounts.write(player, at, first)
        noted = () if held else self._audit.note(at, AccountOpened(player, guest=False))
        return self._enter(player, address, "bot", at, (*joined, *noted))

    def register(self, form: Form, password: str, at: int) -> Joined | Refusal:
        """`refused_form` and hashing in one; the server hashes apart and calls `join`."""
        return self.refused_form(form, password, at) or self.join(form, self._hasher.hash(password), at)

    def refused_form(self, form: Form, password: str, at: int, player: PlayerId = "") -> Refusal | None:
        """Why this form opens no account: before any hashing, and again when it is done (R-42)."""
        filled = players.filled(form, at, self._rules)
        if isinstance(filled, Refusal):
            return filled
        return self._taken(filled[0], filled[1].tax, player) or passwords.refused(password, filled[0])

    def claims(self, form: Form, at: int, guest: PlayerId = "") -> tuple[NameRow, ...] | Refusal:
        """What a form claims, under the guest's number or a new one: to be reserved before anybody joins by it."""
        filled = players.filled(form, at, self._rules)
        if isinstance(filled, Refusal):
            return filled
        return unique_names.claims(guest or self._accounts.next_number(), filled[0], filled[1].tax)

    def join(self, form: Form, hashed: str, at: int, number: PlayerId = "") -> Joined | Refusal:
        return self._joined(form, hashed, at, "", number)

    def upgrade(self, player: PlayerId, form: Form, hashed: str, at: int) -> Joined | Refusal:
        """A guest keeps his number, his money and his history."""
        held = self._accounts[player].player
        return self._joined(form, hashed, at, player) if held.guest else NotAGuest(held.name)

    def _joined(self, form: Form, hashed: str, at: int, guest: PlayerId, number: PlayerId = "") -> Joined | Refusal:
        filled = players.filled(form, at, self._rules)
        if isinstance(filled, Refusal):
            return filled
        name, person = filled
        if no := self._taken(name, person.tax, guest):
            return no
        player = guest or number or self._accounts.next_number()
        first = GuestUpgraded(name) if guest else PlayerJoined(name, guest=False)
        records = self._accounts.write(player, at, [first, PasswordSet(hashed), person])
        records = (*records, *self._audit.note(at, AccountOpened(player, guest=False)))
        return Joined(player, Batch(records=records, names=unique_names.claims(player, name, person.tax)))

    def _taken(self, name: str, tax: str, player: PlayerId) -> Refusal | None:
        held = self._accounts.named(name)
        if held is not None and held.player.id != player:
            return text_rules.NameTaken(name)
        return TaxIdTaken() if tax and self._accounts.taxed(tax) not in (None, player) else None

    def challenge(self, name: str, address: str, at: int) -> Challenge | Refusal:
        """What to verify the password against; too many failures are turned away before any work (ASVS 6.3)."""
        account = counted(name)
        if no := self.throttle.refuses(account, address, at):
            return no
        held = self._accounts.named(name)
        if held is None or not held.player.password:
            return Challenge("", account, address, self._hasher.decoy)
        return Challenge(held.player.id, account, address, held.player.password)

    def admit(
        self, asked: Challenge, agent: str, at: int, *, opened: bool, code: str = ""
    ) -> Entered | tuple[Refusal, Batch]:
        """Decide, once it is known whether the password opens what was stored. A failure is written down too.

        Only who has shown both factors clears the count of failures: a known password buys no guesses at codes.
        """
        held = self._known(asked)
        if not opened or held is None:
            self.throttle.failed(asked.account, asked.address, at)
            return WrongCredentials(), self._failure(asked, at, "password")
        if held.player.disabled:
            return AccountClosed(held.player.disabled), self._failure(asked, at, "disabled")
        used = self.enrolment.opens(held, code)
        if isinstance(used, WrongCode):
            self.throttle.failed(asked.account, asked.address, at)
            return used, self._failure(asked, at, "code")
        if isinstance(used, Refusal):
            return used, Batch()
        self.throttle.passed(asked.account)
        before = self._accounts.write(asked.player, at, [used]) if used else ()
        return self._enter(asked.player, asked.address, agent, at, before)

    def login(
        self, name: str, password: str, address: str, agent: str, at: int, code: str = ""
    ) -> Entered | tuple[Refusal, Batch]:
        """All of it in one call, for a house without a pool of hashers."""
        asked = self.challenge(name, address, at)
        if isinstance(asked, Refusal):
            return asked, Batch()
        return self.admit(asked, agent, at, opened=self._hasher.verify(asked.stored, password), code=code)

    def _known(self, asked: Challenge) -> Account | None:
        """The account of a challenge, if its password is still the one that was verified."""
        held = self._accounts.get(asked.player)
        return held if held and held.player.password == asked.stored else None

    def _failure(self, asked: Challenge, at: int, reason: str) -> Batch:
        return Batch(records=self._audit.note(at, LoginFailed(asked.player, asked.account, asked.address, reason)))

    def _enter(self, player: PlayerId, address: str, agent: str, at: int, before: tuple[Record, ...]) -> Entered:
        token, session, records = self._tokens.open(player, address, agent, at)
        noted = self._audit.note(at, LoggedIn(player, session, address))
        last = self._accounts[player].sessions.last_login
        return Entered(player, token, session, last, Batch(records=(*before, *records, *noted)))

    def refused_old(self, asked: Challenge, at: int, *, opened: bool) -> tuple[Refusal, Batch] | None:
        """Why the old password does not count: a wrong one is a failed login, whoever has the session (ASVS 6.3)."""
        if opened and self._known(asked):
            return None
        self.throttle.failed(asked.account, asked.address, at)
        return WrongCredentials(), self._failure(asked, at, "old password")

    def change_password(self, player: PlayerId, hashed: str, keep: str, at: int) -> Batch:
        """The old password was verified by the caller. Every other session ends."""
        records = self._accounts.write(player, at, [PasswordSet(hashed)])
        ended = self._tokens.close_all(player, at, "password changed", keep=keep)
        return Batch(records=(*records, *ended.records, *self._audit.note(at, PasswordReplaced(player))))

    def set_vip(self, player: PlayerId, level: int, by: PlayerId, at: int) -> Batch | Refusal:
        events = players.set_vip(self._accounts[player].player, level, by)
        if isinstance(events, Refusal):
            return events
        records = self._accounts.write(player, at, events)
        return Batch(records=(*records, *self._audit.note(at, RightsChanged(player, by, f"vip {level}"))))

    def give_role(self, player: PlayerId, role: Role, by: PlayerId, at: int, second_factor: str = "") -> Batch:
        """A supervisor gets his second factor with the role."""
        events: list[AccountEvent] = [RoleGiven(role, by)]
        events += [SecondFactorSet(second_factor)] if second_factor else []
        records = self._accounts.write(player, at, events)
        return Batch(records=(*records, *self._audit.note(at, RightsChanged(player, by, f"role {role}"))))

    def disable(self, player: PlayerId, by: PlayerId, reason: str, at: int) -> Batch:
        """The account is closed and all its sessions end; its money stays his (`enable` opens it again)."""
        records = self._accounts.write(player, at, [AccountDisabled(by, reason)])
        ended = self._tokens.close_all(player, at, "account closed")
        noted = self._audit.note(at, RightsChanged(player, by, f"disabled: {reason}"))
        return Batch(records=(*records, *ended.records, *noted))

    def enable(self, player: PlayerId, by: PlayerId, reason: str, at: int) -> Batch:
        records = self._accounts.write(player, at, [AccountEnabled(by, reason)])
        return Batch(records=(*records, *self._audit.note(at, RightsChanged(player, by, f"enabled: {reason}"))))
