"""Enrolment: how an account gets its second factor, and how a code of it is taken (ASVS 6.3, RFC 6238).

The secret is shown once and counts when a code of it comes back. Wrong codes are slowed down with wrong passwords.
"""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Callable
from dataclasses import dataclass

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import totp
from ventuno.house.accounts.accounts import Account, AccountEvent, Accounts
from ventuno.house.accounts.login_throttle import Throttle, make_account_key
from ventuno.house.accounts.players import Role, SecondFactorSet
from ventuno.house.accounts.second_factor import (
    CodeUsed,
    NothingOffered,
    RecoveryCodesGiven,
    RecoveryCodeUsed,
    SecondFactorKept,
    SecondFactorNeeded,
    SecondFactorOffered,
    WrongCode,
    hash_recovery_code,
)
from ventuno.house.store.audit_log import AuditLog, RightsChanged
from ventuno.house.store.records import Batch

RECOVERY = 10
"""Codes for a lost telephone."""
_RECOVERY_SIZE = 10


@dataclass(frozen=True, slots=True)
class Offer:
    """Shown once, and only when its batch is durable: the secret to type, and the address an app reads."""

    secret: str
    address: str
    batch: Batch


@dataclass(frozen=True, slots=True)
class Enrolled:
    """The second factor is in force; its recovery codes are shown this once."""

    recovery: tuple[str, ...]
    batch: Batch


class SecondFactorCommands:
    """`wall` is the time that people's telephones show: not the house's own, which never goes back."""

    def __init__(
        self, accounts: Accounts, audit: AuditLog, draw: Callable[[int], bytes], wall: Callable[[], int], issuer: str
    ) -> None:
        self._accounts, self._audit, self.throttle = accounts, audit, Throttle()
        self._draw, self._wall, self._issuer = draw, wall, issuer

    def offer(self, player: PlayerId, code: str, address: str, at: int) -> Offer | Refusal:
        """A new secret. Who has one already shows that he has it: a stolen session alone changes nothing."""
        account = self._accounts[player]
        events: list[AccountEvent] = []
        if account.player.second_factor:
            taken = self._take_code(account, code, address, at)
            if isinstance(taken, Refusal):
                return taken
            events.append(taken)
        secret = self._draw(totp.SIZE)
        events.append(SecondFactorOffered(totp.encode_secret(secret)))
        batch = Batch(records=self._accounts.write(player, at, events))
        return Offer(totp.encode_secret(secret), totp.make_uri(secret, account.player.name, self._issuer), batch)

    def confirm(self, player: PlayerId, code: str, address: str, at: int) -> Enrolled | Refusal:
        """The offered secret counts from now on: a code of it has come back."""
        player_account = self._accounts[player]
        if not player_account.factor.offered:
            return NothingOffered()
        account = make_account_key(player_account.player.name)
        if refusal := self.throttle.refuses(account, address, at):
            return refusal
        step = totp.find_step(totp.decode_secret(player_account.factor.offered), _digits(code), self._wall(), -1)
        if step is None:
            self.throttle.record_failure(account, address, at)
            return WrongCode()
        codes, given = self.make_recovery_codes()
        events: list[AccountEvent] = [SecondFactorSet(player_account.factor.offered), given, CodeUsed(step)]
        noted = self._audit.write(at, RightsChanged(player, player, "second factor set"))
        return Enrolled(codes, Batch(records=(*self._accounts.write(player, at, events), *noted)))

    def drop(self, player: PlayerId, code: str, address: str, at: int) -> Batch | Refusal:
        """A player may do without; a supervisor may not."""
        account = self._accounts[player]
        if account.player.role is Role.SUPERVISOR:
            return SecondFactorKept()
        if not account.player.second_factor:
            return NothingOffered()
        taken = self._take_code(account, code, address, at)
        if isinstance(taken, Refusal):
            return taken
        events: list[AccountEvent] = [taken, SecondFactorSet(""), RecoveryCodesGiven(())]
        noted = self._audit.write(at, RightsChanged(player, player, "second factor dropped"))
        return Batch(records=(*self._accounts.write(player, at, events), *noted))

    def check_code(self, account: Account, code: str) -> CodeUsed | RecoveryCodeUsed | Refusal | None:
        """What a code uses up; None where the account has no second factor. Who asks counts the failures."""
        if not account.player.second_factor:
            return None
        if not code.strip():
            return SecondFactorNeeded()
        step = totp.find_step(
            totp.decode_secret(account.player.second_factor), _digits(code), self._wall(), account.factor.last
        )
        if step is not None:
            return CodeUsed(step)
        hashed = hash_recovery_code(code)
        return RecoveryCodeUsed(hashed) if hashed in account.factor.recovery else WrongCode()

    def make_recovery_codes(self) -> tuple[tuple[str, ...], RecoveryCodesGiven]:
        """Fresh recovery codes, as they are shown and as they are kept."""
        drawn = [b32encode(self._draw(_RECOVERY_SIZE)).decode() for _ in range(RECOVERY)]
        codes = tuple("-".join(code[place : place + 4] for place in range(0, len(code), 4)) for code in drawn)
        return codes, RecoveryCodesGiven(tuple(hash_recovery_code(code) for code in codes))

    def _take_code(
        self, player_account: Account, code: str, address: str, at: int
    ) -> CodeUsed | RecoveryCodeUsed | Refusal:
        account = make_account_key(player_account.player.name)
        if refusal := self.throttle.refuses(account, address, at):
            return refusal
        taken = self.check_code(player_account, code) or WrongCode()
        if isinstance(taken, WrongCode):
            self.throttle.record_failure(account, address, at)
        return taken


def _digits(code: str) -> str:
    """A code as it is compared: people write it in two groups. Only ASCII digits can match."""
    plain = "".join(code.split())
    return plain if plain.isascii() else ""
