"""How somebody becomes a supervisor, or ceases to be one, while the house is closed (H-8, ASVS 6.3).

It is done on the store itself by who runs the house; no door leads here. A supervisor gets his second factor with the
role: secret, password and recovery codes are told once and kept as everybody's are.
"""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import registration, second_factor, text_rules
from ventuno.house.accounts.accounts import PRIVATE, PUBLIC, AccountEvent, Accounts
from ventuno.house.accounts.passwords import Hasher
from ventuno.house.accounts.players import STAFF, PasswordSet, PlayerJoined, Role, RoleGiven, SecondFactorSet
from ventuno.house.accounts.second_factor import SecondFactorCommands
from ventuno.house.store import audit_log
from ventuno.house.store.audit_log import AccountOpened, AuditEvent, AuditLog, RightsChanged
from ventuno.house.store.records import Batch, Journal, Record
from ventuno.house.store.store import Store

BY = "operator"
_PASSWORD_SIZE = 15


@dataclass(frozen=True, slots=True)
class AppointedSupervisor:
    """Told once, to who runs the house. The password is empty where the account had one."""

    player: PlayerId
    name: str
    password: str
    secret: str
    address: str
    recovery: tuple[str, ...]


class NotHired(Refusal):
    name: str


class SupervisorCommands:
    """Works on the accounts of a store that nobody else holds."""

    def __init__(
        self, store: Store, hasher: Hasher, draw: Callable[[int], bytes], now: Callable[[], int], house: str
    ) -> None:
        self._store, self._hasher, self._draw, self._now, self._house = store, hasher, draw, now, house
        self._journal = Journal()
        self._audit = AuditLog(self._journal)
        self.accounts = Accounts(self._journal)
        self._last = 0

    async def read(self) -> None:
        """The accounts and the end of the audit log, as they were written."""
        streams = [name for name in await self._store.read_heads() if name.startswith((PUBLIC, PRIVATE))]
        for stream in streams:
            self.accounts.recover([await self._store.read_records(stream)])
        log = await self._store.read_records(audit_log.STREAM)
        self._journal.resume(log)
        self._last = log[-1].at if log else 0

    async def appoint(self, raw: str, role: Role = Role.SUPERVISOR) -> AppointedSupervisor | Refusal:
        """The account of this name becomes one of the staff's, or a new one is opened; its second factor is new."""
        account = self.accounts.find_by_name(raw)
        if account and (account.player.guest or account.player.is_bot):
            return NotHired(raw)
        name = account.player.name if account else text_rules.check_name(raw)
        if isinstance(name, Refusal):
            return name
        player = account.player.id if account else self.accounts.next_number()
        rows = () if account else registration.make_claims(player, name, "")
        for row in rows:
            if await self._store.find_owner(row.kind, row.name) is not None:
                return registration.refuse_claim(row, name)
        password = "" if account and account.player.password else b32encode(self._draw(_PASSWORD_SIZE)).decode().lower()
        secret = self._draw(second_factor.SECRET_SIZE)
        codes, given = SecondFactorCommands(
            self.accounts, self._audit, self._draw, self._now, self._house
        ).make_recovery_codes()
        events: list[AccountEvent] = [] if account else [PlayerJoined(name, guest=False)]
        events += [PasswordSet(self._hasher.hash(password))] if password else []
        events += [RoleGiven(role, BY), SecondFactorSet(second_factor.encode_secret(secret)), given]
        noted: list[AuditEvent] = [] if account else [AccountOpened(player, guest=False)]
        noted.append(RightsChanged(player, BY, f"role {role}, second factor set"))
        await self._store.commit(Batch(records=self._write_records(player, events, noted), names=rows))
        address = second_factor.make_uri(secret, name, self._house)
        return AppointedSupervisor(player, name, password, second_factor.encode_secret(secret), address, codes)

    async def dismiss(self, raw: str) -> PlayerId | Refusal:
        """One of the staff is a player again; his account and his second factor stay his."""
        account = self.accounts.find_by_name(raw)
        if account is None or account.player.role not in STAFF:
            return NotHired(raw)
        noted = [RightsChanged(account.player.id, BY, f"role {Role.PLAYER}")]
        records = self._write_records(account.player.id, [RoleGiven(Role.PLAYER, BY)], noted)
        await self._store.commit(Batch(records=records))
        return account.player.id

    def _write_records(
        self, player: PlayerId, events: Sequence[AccountEvent], noted: Sequence[AuditEvent]
    ) -> tuple[Record, ...]:
        at = max(self._now(), self._last)
        return (*self.accounts.write(player, at, events), *self._audit.write(at, *noted))
