"""Hiring: how somebody becomes a supervisor, or ceases to be one, while the house is closed (H-8, ASVS 6.3).

It is done on the store itself by who runs the house; no door leads here. A supervisor gets his second factor with the
role: secret, password and recovery codes are told once and kept as everybody's are.
"""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import accounts as books
from ventuno.house.accounts import text_rules, totp, unique_names
from ventuno.house.accounts.accounts import AccountEvent, Accounts
from ventuno.house.accounts.passwords import Hasher
from ventuno.house.accounts.players import PasswordSet, PlayerJoined, Role, RoleGiven, SecondFactorSet
from ventuno.house.accounts.second_factor_commands import Enrolment
from ventuno.house.history import audit as audits
from ventuno.house.history.audit import AccountOpened, Audit, AuditEvent, RightsChanged
from ventuno.house.protection.limit_check import Guard
from ventuno.house.store.records import Batch, Record
from ventuno.house.store.store import Store
from ventuno.house.store.streams import Journal

BY = "operator"
_PASSWORD_SIZE = 15


@dataclass(frozen=True, slots=True)
class Hired:
    """Told once, to who runs the house. The password is empty where the account had one."""

    player: PlayerId
    name: str
    password: str
    secret: str
    address: str
    recovery: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NotHired(Refusal):
    says = "{name} is no account that can be a supervisor"
    name: str


class Hiring:
    """Works on the accounts of a store that nobody else holds."""

    def __init__(
        self, store: Store, hasher: Hasher, draw: Callable[[int], bytes], now: Callable[[], int], house: str
    ) -> None:
        self._store, self._hasher, self._draw, self._now, self._house = store, hasher, draw, now, house
        self._journal = Journal()
        self._audit = Audit(self._journal)
        self.accounts = Accounts(self._journal, Guard(lambda _player: 0))
        self._last = 0

    async def read(self) -> None:
        """The accounts and the end of the audit log, as they were written."""
        streams = [one for one in await self._store.streams() if one.startswith((books.PUBLIC, books.PRIVATE))]
        for stream in streams:
            self.accounts.recover([await self._store.records(stream)])
        log = await self._store.records(audits.STREAM)
        self._journal.resume(log)
        self._last = log[-1].at if log else 0

    async def hire(self, raw: str) -> Hired | Refusal:
        """The account of this name becomes a supervisor's, or a new one is opened; its second factor is made anew."""
        held = self.accounts.named(raw)
        if held and (held.player.guest or held.player.bot):
            return NotHired(raw)
        name = held.player.name if held else text_rules.checked(raw)
        if isinstance(name, Refusal):
            return name
        player = held.player.id if held else self.accounts.next_number()
        rows = () if held else unique_names.claims(player, name, "")
        for row in rows:
            if await self._store.owner(row.kind, row.name) is not None:
                return unique_names.refused(row, name)
        password = "" if held and held.player.password else b32encode(self._draw(_PASSWORD_SIZE)).decode().lower()
        secret = self._draw(totp.SIZE)
        codes, given = Enrolment(self.accounts, self._audit, self._draw, self._now, self._house).recovery()
        events: list[AccountEvent] = [] if held else [PlayerJoined(name, guest=False)]
        events += [PasswordSet(self._hasher.hash(password))] if password else []
        events += [RoleGiven(Role.SUPERVISOR, BY), SecondFactorSet(totp.written(secret)), given]
        noted: list[AuditEvent] = [] if held else [AccountOpened(player, guest=False)]
        noted.append(RightsChanged(player, BY, f"role {Role.SUPERVISOR}, second factor set"))
        await self._store.commit(Batch(records=self._records(player, events, noted), names=rows))
        address = totp.address(secret, name, self._house)
        return Hired(player, name, password, totp.written(secret), address, codes)

    async def dismiss(self, raw: str) -> PlayerId | Refusal:
        """A supervisor is a player again; his account and his second factor stay his."""
        held = self.accounts.named(raw)
        if held is None or held.player.role is not Role.SUPERVISOR:
            return NotHired(raw)
        noted = [RightsChanged(held.player.id, BY, f"role {Role.PLAYER}")]
        records = self._records(held.player.id, [RoleGiven(Role.PLAYER, BY)], noted)
        await self._store.commit(Batch(records=records))
        return held.player.id

    def _records(
        self, player: PlayerId, events: Sequence[AccountEvent], noted: Sequence[AuditEvent]
    ) -> tuple[Record, ...]:
        at = max(self._now(), self._last)
        return (*self.accounts.write(player, at, events), *self._audit.note(at, *noted))
