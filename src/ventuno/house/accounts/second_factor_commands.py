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
from ventuno.house.accounts.login_throttle import Throttle, counted
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
    recovery_hash,
)
from ventuno.house.history.audit import Audit, RightsChanged
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


class Enrolment:
    """`wall` is the time that people's telephones show: not the house's own, which never goes back."""

    def __init__(
        self, accounts: Accounts, audit: Audit, draw: Callable[[int], bytes], wall: Callable[[], int], issuer: str
    ) -> None:
        self._accounts, self._audit, self.throttle = accounts, audit, Throttle()
        self._draw, self._wall, self._issuer = draw, wall, issuer

    def offer(self, player: PlayerId, code: str, address: str, at: int) -> Offer | Refusal:
        """A new secret. Who has one already shows that he has it: a stolen session alone changes nothing."""
        held = self._accounts[player]
        events: list[AccountEvent] = []
        if held.player.second_factor:
            taken = self._taken(held, code, address, at)
            if isinstance(taken, Refusal):
                return taken
            events.append(taken)
        secret = self._draw(totp.SIZE)
        events.append(SecondFactorOffered(totp.written(secret)))
        batch = Batch(records=self._accounts.write(player, at, events))
        return Offer(totp.written(secret), totp.address(secret, held.player.name, self._issuer), batch)

    def confirm(self, player: PlayerId, code: str, address: str, at: int) -> Enrolled | Refusal:
        """The offered secret counts from now on: a code of it has come back."""
        held = self._accounts[player]
        if not held.factor.offered:
            return NothingOffered()
        account = counted(held.player.name)
        if no := self.throttle.refuses(account, address, at):
            return no
        step = totp.matched(totp.read(held.factor.offered), _digits(code), self._wall(), -1)
        if step is None:
            self.throttle.failed(account, address, at)
            return WrongCode()
        codes, given = self.recovery()
        events: list[AccountEvent] = [SecondFactorSet(held.factor.offered), given, CodeUsed(step)]
        noted = self._audit.note(at, RightsChanged(player, player, "second factor set"))
        return Enrolled(codes, Batch(records=(*self._accounts.write(player, at, events), *noted)))

    def drop(self, player: PlayerId, code: str, address: str, at: int) -> Batch | Refusal:
        """A player may do without; a supervisor may not."""
        held = self._accounts[player]
        if held.player.role is Role.SUPERVISOR:
            return SecondFactorKept()
        if not held.player.second_factor:
            return NothingOffered()
        taken = self._taken(held, code, address, at)
        if isinstance(taken, Refusal):
            return taken
        events: list[AccountEvent] = [taken, SecondFactorSet(""), RecoveryCodesGiven(())]
        noted = self._audit.note(at, RightsChanged(player, player, "second factor dropped"))
        return Batch(records=(*self._accounts.write(player, at, events), *noted))

    def opens(self, held: Account, code: str) -> CodeUsed | RecoveryCodeUsed | Refusal | None:
        """What a code uses up; None where the account has no second factor. Who asks counts the failures."""
        if not held.player.second_factor:
            return None
        if not code.strip():
            return SecondFactorNeeded()
        step = totp.matched(totp.read(held.player.second_factor), _digits(code), self._wall(), held.factor.last)
        if step is not None:
            return CodeUsed(step)
        hashed = recovery_hash(code)
        return RecoveryCodeUsed(hashed) if hashed in held.factor.recovery else WrongCode()

    def recovery(self) -> tuple[tuple[str, ...], RecoveryCodesGiven]:
        """Fresh recovery codes, as they are shown and as they are kept."""
        drawn = [b32encode(self._draw(_RECOVERY_SIZE)).decode() for _ in range(RECOVERY)]
        codes = tuple("-".join(one[place : place + 4] for place in range(0, len(one), 4)) for one in drawn)
        return codes, RecoveryCodesGiven(tuple(recovery_hash(one) for one in codes))

    def _taken(self, held: Account, code: str, address: str, at: int) -> CodeUsed | RecoveryCodeUsed | Refusal:
        account = counted(held.player.name)
        if no := self.throttle.refuses(account, address, at):
            return no
        taken = self.opens(held, code) or WrongCode()
        if isinstance(taken, WrongCode):
            self.throttle.failed(account, address, at)
        return taken


def _digits(code: str) -> str:
    """A code as it is compared: people write it in two groups. Only ASCII digits can match."""
    plain = "".join(code.split())
    return plain if plain.isascii() else ""
