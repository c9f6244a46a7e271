"""A new password for who forgot his: by a code that support creates and tells him (ASVS 6.4, R-44, H-8).

The code is drawn by the house, shown once and kept as a slow hash. It opens once, for half an hour and a few tries, and
a new one replaces it. Nothing else is opened with it: the second factor is asked for, an exclusion holds, every session
of the account ends. The passwords of staff are not reset here: no supervisor alone gets into the account of another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.accounts import Account, AccountEvent, Accounts
from ventuno.house.accounts.login import AccountClosed, Challenge, Login
from ventuno.house.accounts.login_throttle import make_account_key
from ventuno.house.accounts.passwords import Hasher
from ventuno.house.accounts.player_limits import DAY, MINUTE
from ventuno.house.accounts.players import STAFF, NoSuchPlayer, PasswordSet, ResetCodeFailed, ResetCodeGiven
from ventuno.house.accounts.second_factor import WrongCode
from ventuno.house.accounts.sessions import Entered, Tokens
from ventuno.house.store.audit_log import AuditLog, PasswordReplaced, RightsChanged
from ventuno.house.store.records import Batch

LIFE = 30 * MINUTE
"""Milliseconds for which a code is good."""
TRIES = 5
"""Wrong tries after which it is good no longer."""
SIGNS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""What codes are made of: nothing that is mistaken for something else when it is read out."""
LENGTH = 12
BY_MAIL = "mail"
MAIL_INTERVAL = 5 * MINUTE
"""Milliseconds between two codes that are mailed for one account."""
MOST_MAILS = 5
"""Codes that are mailed for one account in a day, at most."""
_READ_AS = str.maketrans("OIL", "011")


class WrongResetCode(Refusal):
    """One answer for a name that nobody has, and a code that is wrong, too old, used, or was never created."""


class StaffAccount(Refusal):
    """Nobody gets into the account of a supervisor by another one's word alone."""

    player: PlayerId


class NoPassword(Refusal):
    """Guests and the house's own players have none to forget."""

    player: PlayerId


@dataclass(frozen=True, slots=True)
class CreatedCode:
    """Shown once, and only when it is durable."""

    code: str
    expires: int


class MailedCode(NamedTuple):
    """A code to be mailed, once it is durable."""

    address: str
    name: str
    language: str
    code: str


class PasswordResets:
    """Hashing is done beside the tables, as for logins: `challenge` says what to verify, `admit` decides then."""

    def __init__(
        self,
        accounts: Accounts,
        audit: AuditLog,
        tokens: Tokens,
        login: Login,
        hasher: Hasher,
        draw: Callable[[int], bytes],
    ) -> None:
        self._accounts, self._audit, self._tokens, self._login = accounts, audit, tokens, login
        self._hasher, self._draw = hasher, draw
        self._under_way: Counter[PlayerId] = Counter()
        self._mailed: dict[PlayerId, list[int]] = {}

    def draw_code(self) -> str:
        signs = "".join(SIGNS[byte % len(SIGNS)] for byte in self._draw(LENGTH))
        return "-".join(signs[place : place + 4] for place in range(0, LENGTH, 4))

    def check_account(self, player: PlayerId) -> Refusal | None:
        """Why no code is created for this account."""
        account = self._accounts.get(player)
        if account is None:
            return NoSuchPlayer(player)
        if account.player.role in STAFF:
            return StaffAccount(player)
        if account.player.disabled:
            return AccountClosed(account.player.disabled)
        return None if account.player.password else NoPassword(player)

    def give(self, player: PlayerId, hashed: str, by: PlayerId, reason: str, at: int) -> Batch | Refusal:
        """The code counts from now on, and the one before it no more; who created it for whom stands in the log.

        It has tries of its own: who was just told it does not wait for the guesses of others at the one before.
        """
        if refusal := self.check_account(player):
            return refusal
        self._login.throttle.clear_account(_make_key(self._accounts[player].player.name))
        records = self._accounts.write(player, at, [ResetCodeGiven(hashed, at + LIFE, by)])
        noted = self._audit.write(at, RightsChanged(player, by, f"password code created: {reason}"))
        return Batch(records=(*records, *noted))

    def find_mailable(self, name: str, at: int) -> Account | None:
        """The account that a code is mailed for: one that has an address, none for staff, none too soon after another.

        A code that support has told somebody is not replaced by who only knows his name.
        """
        account = self._accounts.find_by_name(name)
        if account is None or not account.player.mail or self.check_account(account.player.id):
            return None
        if self._has_code(account, at) and account.reset.by != BY_MAIL:
            return None
        recent = [moment for moment in self._mailed.get(account.player.id, []) if moment > at - DAY]
        if len(recent) >= MOST_MAILS or (recent and at - recent[-1] < MAIL_INTERVAL):
            return None
        self._mailed[account.player.id] = [*recent, at]
        return account

    def get_expiry(self, player: PlayerId, at: int) -> int:
        """Until when there is a code that opens; 0 where there is none."""
        account = self._accounts[player]
        return account.reset.expires if self._has_code(account, at) else 0

    def challenge(self, name: str, address: str, at: int) -> Challenge | Refusal:
        """What to verify the code against; a name without one costs the same work as any other.

        Tries that are under way count as tries: many at once are not more than one after the other.
        """
        key, account = _make_key(name), self._accounts.find_by_name(name)
        if refusal := self._login.throttle.refuses(key, address, at):
            return refusal
        if account is None or not self._has_code(account, at, self._under_way[account.player.id]):
            return Challenge("", key, address, self._hasher.decoy)
        self._under_way[account.player.id] += 1
        return Challenge(account.player.id, key, address, account.reset.hashed)

    def end_try(self, asked: Challenge) -> None:
        self._under_way[asked.player] -= 1
        self._under_way += Counter()  # drops what is at nothing

    def admit(
        self, asked: Challenge, name: str, hashed: str, agent: str, at: int, code: str = ""
    ) -> Entered | tuple[Refusal, Batch]:
        """The new password is in force and he is in, by a new session; `hashed` is empty where the code was wrong."""
        account = self._accounts.get(asked.player)
        if not hashed or account is None or account.reset.hashed != asked.stored or not self._has_code(account, at):
            return WrongResetCode(), self._record_failure(asked, at, "reset code")
        if account.player.disabled:
            return AccountClosed(account.player.disabled), self._record_failure(asked, at, "disabled")
        used = self._login.enrolment.check_code(account, code)
        if isinstance(used, WrongCode):
            return used, self._record_failure(asked, at, "code")
        if isinstance(used, Refusal):
            return used, Batch()
        throttle, login_key = self._login.throttle, make_account_key(name)
        for key in (asked.account, login_key):
            throttle.clear_account(key, asked.address)
        throttle.remember(login_key, asked.address)
        events: list[AccountEvent] = [PasswordSet(hashed), *([used] if used else [])]
        by = RightsChanged(asked.player, account.reset.by, "password reset by code")
        records = self._accounts.write(asked.player, at, events)
        ended = self._tokens.close_all(asked.player, at, "password reset")
        noted = self._audit.write(at, PasswordReplaced(asked.player), by)
        return self._login.enter(asked.player, asked.address, agent, at, (*records, *ended.records, *noted))

    def _has_code(self, account: Account, at: int, under_way: int = 0) -> bool:
        """Whether there is a code that may still be tried; of who became staff since, none is."""
        reset = account.reset
        is_staff = account.player.role in STAFF
        return bool(reset.hashed) and at < reset.expires and reset.failures + under_way < TRIES and not is_staff

    def _record_failure(self, asked: Challenge, at: int, reason: str) -> Batch:
        self._login.throttle.record_failure(asked.account, asked.address, at)
        account = self._accounts.get(asked.player)
        is_current = account is not None and account.reset.hashed == asked.stored
        counted = self._accounts.write(asked.player, at, [ResetCodeFailed()]) if is_current else ()
        return Batch(records=(*counted, *self._login.record_failure(asked, at, reason).records))


def _make_key(name: str) -> str:
    """What tries at the code of an account are counted under, apart from its logins."""
    return f"reset {make_account_key(name)}"


def normalize_code(text: str) -> str:
    """A code as it is compared: blanks, hyphens and case make no difference, nor signs that look alike.

    >>> normalize_code(" k7qm 4xpd-2hno ")
    'K7QM4XPD2HN0'
    """
    return "".join(sign for sign in text.upper() if sign.isalnum()).translate(_READ_AS)
