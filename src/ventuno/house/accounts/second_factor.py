"""The second factor of an account: TOTP as RFC 6238 has it, on SHA-1, six digits, thirty seconds (ASVS 6.3).

The secret is shown once and counts when a code of it comes back. A code opens once. Wrong codes are slowed down with
wrong passwords. SHA-1 because the apps that show the codes know no other; HMAC does not need a hash without collisions.
"""

from __future__ import annotations

import hmac
from base64 import b32decode, b32encode
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from urllib.parse import quote

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.accounts import Account, AccountEvent, Accounts
from ventuno.house.accounts.login_throttle import Throttle, make_account_key
from ventuno.house.accounts.players import (
    STAFF,
    CodeUsed,
    RecoveryCodesGiven,
    RecoveryCodeUsed,
    SecondFactorOffered,
    SecondFactorSet,
)
from ventuno.house.store.audit_log import AuditLog, RightsChanged
from ventuno.house.store.records import Batch

SECRET_SIZE = 20
"""Bytes of a secret: as long as the hash, as RFC 4226 recommends."""
STEP = 30_000
"""Milliseconds for which a code is shown."""
WINDOW = 1
"""Steps before and after the present one whose code is taken: clocks differ, and people type slowly."""
DIGITS = 6
RECOVERY = 10
"""Codes for a lost telephone."""
_RECOVERY_SIZE = 10


class SecondFactorNeeded(Refusal):
    """Told only to who knows the password."""


class WrongCode(Refusal):
    """One answer for a code that is wrong, too old, or used."""


class SecondFactorMissing(Refusal):
    """Supervisors have a second factor; until then they can do nothing but enrol."""


class SecondFactorKept(Refusal):
    pass


class NothingOffered(Refusal):
    pass


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
        secret = self._draw(SECRET_SIZE)
        events.append(SecondFactorOffered(encode_secret(secret)))
        batch = Batch(records=self._accounts.write(player, at, events))
        return Offer(encode_secret(secret), make_uri(secret, account.player.name, self._issuer), batch)

    def confirm(self, player: PlayerId, code: str, address: str, at: int) -> Enrolled | Refusal:
        """The offered secret counts from now on: a code of it has come back."""
        player_account = self._accounts[player]
        if not player_account.factor.offered:
            return NothingOffered()
        account = make_account_key(player_account.player.name)
        if refusal := self.throttle.refuses(account, address, at):
            return refusal
        step = find_step(decode_secret(player_account.factor.offered), _normalize_code(code), self._wall(), -1)
        if step is None:
            self.throttle.record_failure(account, address, at)
            return WrongCode()
        codes, given = self.make_recovery_codes()
        events: list[AccountEvent] = [SecondFactorSet(player_account.factor.offered), given, CodeUsed(step)]
        noted = self._audit.write(at, RightsChanged(player, player, "second factor set"))
        return Enrolled(codes, Batch(records=(*self._accounts.write(player, at, events), *noted)))

    def drop(self, player: PlayerId, code: str, address: str, at: int) -> Batch | Refusal:
        """A player may do without; the staff may not."""
        account = self._accounts[player]
        if account.player.role in STAFF:
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
        step = find_step(
            decode_secret(account.player.second_factor), _normalize_code(code), self._wall(), account.factor.last
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


def _normalize_code(code: str) -> str:
    """A code as it is compared: people write it in two groups. Only ASCII digits can match."""
    plain = "".join(code.split())
    return plain if plain.isascii() else ""


def hash_recovery_code(text: str) -> str:
    """What is kept of a recovery code; blanks, hyphens and case make no difference when it is typed."""
    plain = "".join(character for character in text.upper() if character.isalnum())
    return sha256(f"ventuno/recovery/1 {plain}".encode(errors="replace")).hexdigest()


def compute_code(secret: bytes, step: int, digits: int = DIGITS, algorithm: str = "sha1") -> str:
    """The code of a step: four bytes of the HMAC, from the place its last nibble names.

    >>> compute_code(b"12345678901234567890", 59_000 // STEP, 8)
    '94287082'
    """
    digest = hmac.digest(secret, step.to_bytes(8, "big"), algorithm)
    place = digest[-1] & 15
    number = int.from_bytes(digest[place : place + 4], "big") & 0x7FFF_FFFF
    return f"{number % 10**digits:0{digits}d}"


def find_step(secret: bytes, given: str, at: int, last: int) -> int | None:
    """The step whose code this is: one of the window, and later than the last that was used. All are compared."""
    now = at // STEP
    window = range(max(now - WINDOW, 0, last + 1), now + WINDOW + 1)
    steps = [step for step in window if hmac.compare_digest(compute_code(secret, step), given)]
    return steps[0] if steps else None


def encode_secret(secret: bytes) -> str:
    """The secret as people type it."""
    return b32encode(secret).decode().rstrip("=")


def decode_secret(text: str) -> bytes:
    """The secret of a text as `encode_secret` gives it."""
    return b32decode(text + "=" * (-len(text) % 8))


def make_uri(secret: bytes, account: str, issuer: str) -> str:
    """What an app reads from a square code.

    >>> make_uri(b"12345678901234567890", "Ada", "ventuno")
    'otpauth://totp/ventuno:Ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ventuno'
    """
    return f"otpauth://totp/{quote(issuer)}:{quote(account)}?secret={encode_secret(secret)}&issuer={quote(issuer)}"
