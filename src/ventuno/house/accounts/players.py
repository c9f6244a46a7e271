"""Who plays here: the public part of an account, and the part that no export holds (R-38, R-42, R-44).

`player:N` tells names, roles and levels; `private:N` holds what must not leave: the password's hash, the second factor
and the codes of it that were used, the date of birth, the tax code. Of recovery codes only the hash is kept (ASVS 6.3).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, TypeAlias, assert_never

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId

VIP_MOST = 9


class Role(StrEnum):
    PLAYER = "player"
    SUPERVISOR = "supervisor"
    SUPPORT = "support"
    PIT = "pit"
    AUDITOR = "auditor"
    DEALER = "dealer"
    """Who deals real cards at tables that scan them (X-27)."""
    BOT = "bot"
    """A player of the house's own, called one wherever he is seen (X-09)."""


STAFF = frozenset((Role.SUPERVISOR, Role.SUPPORT, Role.PIT, Role.AUDITOR, Role.DEALER))
"""Who has a second factor or does nothing; what each may do is in `rights`."""


@dataclass(frozen=True, slots=True)
class PlayerJoined:
    name: str
    guest: bool


@dataclass(frozen=True, slots=True)
class GuestUpgraded:
    """The guest becomes an account: same number, same money, a name of his own."""

    name: str


@dataclass(frozen=True, slots=True)
class VipSet:
    """D-05, L-05: the level that sets his limits."""

    level: int
    by: str


@dataclass(frozen=True, slots=True)
class RoleGiven:
    role: Role
    by: str


@dataclass(frozen=True, slots=True)
class AccountDisabled:
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class AccountEnabled:
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class PersonErased:
    """Who it was is forgotten; the number stays, in the books of money and rounds (GDPR 17)."""


@dataclass(frozen=True, slots=True)
class BotDeclared:
    """Its owner plays by a program: the account is a bot's from now on, and called one (X-09)."""


PlayerEvent: TypeAlias = (
    PlayerJoined | GuestUpgraded | VipSet | RoleGiven | AccountDisabled | AccountEnabled | BotDeclared | PersonErased
)
FORGOTTEN = "erased"


@dataclass(frozen=True, slots=True)
class PasswordSet:
    hashed: str


@dataclass(frozen=True, slots=True)
class PersonKnown:
    born: str
    tax: str


@dataclass(frozen=True, slots=True)
class SecondFactorSet:
    """A TOTP secret; empty takes it away."""

    secret: str


@dataclass(frozen=True, slots=True)
class MailSet:
    """Where a code for a new password is mailed to; empty takes it away."""

    address: str


SecretEvent: TypeAlias = PasswordSet | PersonKnown | SecondFactorSet | MailSet


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


@dataclass(frozen=True, slots=True)
class ResetCodeGiven:
    """Support created a code for a new password; of the code itself only a slow hash is kept."""

    hashed: str
    expires: int
    by: str


@dataclass(frozen=True, slots=True)
class ResetCodeFailed:
    """A wrong try at the code."""


ResetEvent: TypeAlias = ResetCodeGiven | ResetCodeFailed
FactorEvent: TypeAlias = SecondFactorOffered | CodeUsed | RecoveryCodesGiven | RecoveryCodeUsed


class NotAGuest(Refusal):
    name: str


class NoSuchLevel(Refusal):
    most: int
    asked: int


class NoSuchPlayer(Refusal):
    player: PlayerId


class OwnAccount(Refusal):
    """Nobody locks himself out, nor lets himself in again."""

    player: PlayerId


class Player(NamedTuple):
    """An account's identity between two events."""

    id: PlayerId
    name: str = ""
    guest: bool = False
    role: Role = Role.PLAYER
    vip: int = 0
    disabled: str = ""
    password: str = ""
    second_factor: str = ""
    born: str = ""
    tax: str = ""
    since: int = 0
    declared_bot: bool = False
    mail: str = ""
    closed: int = 0
    """Since when he is disabled."""

    @property
    def effective_role(self) -> Role:
        """The role in force: staff without a second factor is none (ASVS 6.3)."""
        return Role.PLAYER if self.needs_second_factor else self.role

    @property
    def needs_second_factor(self) -> bool:
        """One of the staff who has yet to get his second factor, and can do nothing else."""
        return self.role in STAFF and not self.second_factor

    @property
    def is_erased(self) -> bool:
        return self.guest and self.disabled == FORGOTTEN and self.name == f"#{self.id}"

    @property
    def is_house_bot(self) -> bool:
        return self.role is Role.BOT

    @property
    def is_bot(self) -> bool:
        """Whether a program plays, the house's or its owner's."""
        return self.is_house_bot or self.declared_bot


class SecondFactor(NamedTuple):
    """Beside the secret in force: the one that was offered, the last step used, the recovery codes that are left."""

    offered: str = ""
    last: int = -1
    recovery: tuple[str, ...] = ()


class ResetCode(NamedTuple):
    """The code for a new password that was created last; its hash is empty where there is none."""

    hashed: str = ""
    expires: int = 0
    by: str = ""
    failures: int = 0


def set_vip(player: Player, level: int, by: str) -> list[PlayerEvent] | Refusal:
    if not 0 <= level <= VIP_MOST:
        return NoSuchLevel(VIP_MOST, level)
    return [VipSet(level, by)] if level != player.vip else []


def evolve(player: Player, event: PlayerEvent | SecretEvent, at: int) -> Player:
    match event:
        case PlayerJoined(name, guest):
            return player._replace(name=name, guest=guest, since=at)
        case GuestUpgraded(name):
            return player._replace(name=name, guest=False)
        case VipSet(level):
            return player._replace(vip=level)
        case RoleGiven(role):
            return player._replace(role=role)
        case AccountDisabled(_, reason):
            return player._replace(disabled=reason or "disabled", closed=at)
        case AccountEnabled():
            return player._replace(disabled="", closed=0)
        case BotDeclared():
            return player._replace(declared_bot=True)
        case PersonErased():
            return Player(player.id, f"#{player.id}", guest=True, vip=player.vip, disabled=FORGOTTEN, closed=at)
        case PasswordSet(hashed):
            return player._replace(password=hashed)
        case PersonKnown(born, tax):
            return player._replace(born=born, tax=tax)
        case SecondFactorSet(secret):
            return player._replace(second_factor=secret)
        case MailSet(address):
            return player._replace(mail=address)
        case _:
            assert_never(event)


def evolve_reset(reset: ResetCode, event: ResetEvent) -> ResetCode:
    match event:
        case ResetCodeGiven(hashed, expires, by):
            return ResetCode(hashed, expires, by)
        case ResetCodeFailed():
            return reset._replace(failures=reset.failures + 1)
        case _:
            assert_never(event)


def evolve_factor(factor: SecondFactor, event: FactorEvent) -> SecondFactor:
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
