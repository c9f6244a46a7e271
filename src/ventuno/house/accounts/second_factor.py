"""The second factor of an account: a secret shared with an app, the codes that were used, codes for a lost telephone.

All of it stands in `private:N` alone. A code opens once; of recovery codes only the hash is kept (ASVS 6.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple, TypeAlias, assert_never

from ventuno.core.messages.refusals import Refusal


@dataclass(frozen=True, slots=True)
class SecondFactorOffered:
    """A secret was shown, once; it counts when a code of it comes back."""

    secret: str


@dataclass(frozen=True, slots=True)
class CodeUsed:
    """The code of this step has opened: neither it nor an earlier one opens again."""

    step: int


@dataclass(frozen=True, slots=True)
class RecoveryCodesGiven:
    hashed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RecoveryCodeUsed:
    hashed: str


FactorEvent: TypeAlias = SecondFactorOffered | CodeUsed | RecoveryCodesGiven | RecoveryCodeUsed


@dataclass(frozen=True, slots=True)
class SecondFactorNeeded(Refusal):
    """Told only to who knows the password."""


@dataclass(frozen=True, slots=True)
class WrongCode(Refusal):
    """One answer for a code that is wrong, too old, or used."""


@dataclass(frozen=True, slots=True)
class SecondFactorMissing(Refusal):
    """Supervisors have a second factor; until then they can do nothing but enrol."""


@dataclass(frozen=True, slots=True)
class SecondFactorKept(Refusal):
    pass


@dataclass(frozen=True, slots=True)
class NothingOffered(Refusal):
    pass


class SecondFactor(NamedTuple):
    """Beside the secret in force: the one that was offered, the last step used, the recovery codes that are left."""

    offered: str = ""
    last: int = -1
    recovery: tuple[str, ...] = ()


def evolve(factor: SecondFactor, event: FactorEvent) -> SecondFactor:
    match event:
        case SecondFactorOffered(secret):
            return factor._replace(offered=secret)
        case CodeUsed(step):
            return factor._replace(offered="", last=step)
        case RecoveryCodesGiven(hashed):
            return factor._replace(offered="", recovery=hashed)
        case RecoveryCodeUsed(hashed):
            return factor._replace(recovery=tuple(code for code in factor.recovery if code != hashed))
        case _:
            assert_never(event)


def hash_recovery_code(text: str) -> str:
    """What is kept of a recovery code; blanks, hyphens and case make no difference when it is typed."""
    plain = "".join(character for character in text.upper() if character.isalnum())
    return sha256(f"ventuno/recovery/1 {plain}".encode(errors="replace")).hexdigest()
