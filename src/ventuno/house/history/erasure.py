"""Takes persons, and what was kept long enough, out of the books, which stay provable (GDPR 17, GDPR 5).

A record that is taken out keeps its place, its time, its kind and its hash; its body goes. The hash after it covers the
one before, so every chain holds; which places are empty, and why, stands in the log of the house, chained too. Money
and rounds know people by number alone and are never touched: that number is what is left of a person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import msgspec

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts import accounts as streams
from ventuno.house.accounts import registration, text_rules
from ventuno.house.accounts.account_service import AccountService
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.accounts.login import Login
from ventuno.house.accounts.player_limits import DAY
from ventuno.house.accounts.players import (
    AccountDisabled,
    AccountEnabled,
    GuestUpgraded,
    NoSuchPlayer,
    PersonErased,
    PlayerJoined,
    Role,
)
from ventuno.house.accounts.rights import Right
from ventuno.house.accounts.sessions import SessionClosed, SessionOpened, SessionSeen
from ventuno.house.accounts.settings import SettingsChanged
from ventuno.house.money.cashier import CashierService
from ventuno.house.protection.protection_service import ProtectionService
from ventuno.house.store import audit_log
from ventuno.house.store.audit_log import (
    AuditLog,
    ChatMuted,
    LoggedIn,
    LoginFailed,
    RecordsErased,
    RightsChanged,
    SessionEnded,
    SupervisorViewed,
)
from ventuno.house.store.committer import Committer
from ventuno.house.store.records import ERASED, Batch, Record
from ventuno.house.tables.chat import MessageSent, PlayerMuted

CHAT = "chat:"
WAIT = DAY
"""Milliseconds for which the first of two persons waits for the second."""
MOST = 2_000
"""Records taken out in one batch for being old; the rest goes in the next."""
Places = dict[str, tuple[int, ...]]


def _name(*kinds: type[Any]) -> frozenset[str]:
    return frozenset(kind.__name__ for kind in kinds)


OF_ACCOUNT = _name(PlayerJoined, GuestUpgraded, AccountDisabled, AccountEnabled, SettingsChanged)
"""What in `player:N` describes a person; limits, exclusions and money stay, by number."""
OF_HOUSE = _name(LoggedIn, LoginFailed, SessionEnded, RightsChanged, ChatMuted)
OF_CHAT = _name(MessageSent, PlayerMuted)
SIGN_INS = _name(LoggedIn, LoginFailed, SessionEnded)
SESSIONS = _name(SessionOpened, SessionSeen, SessionClosed)


class NotErasable(Refusal):
    """Why a person is not taken out now: there is money, a round, an exclusion that binds, or a role."""

    player: PlayerId
    reason: str


class Retention(NamedTuple):
    """Days for which things are kept; 0 keeps them for good."""

    chat: int = 0
    logins: int = 0
    closed_accounts: int = 0


class AskedErasure(NamedTuple):
    """The word of the first person, for the second to read; after `until` it counts no more."""

    by: PlayerId
    reason: str
    until: int


class Erasure(NamedTuple):
    """`until` is when the first person's word ends; 0 where the second has spoken and the person is gone."""

    player: PlayerId
    until: int


class ErasureService:
    def __init__(
        self,
        commits: Committer,
        accounts: Accounts,
        service: AccountService,
        login: Login,
        audit: AuditLog,
        cashier: CashierService,
        protection: ProtectionService,
        is_in_round: Callable[[PlayerId], bool],
    ) -> None:
        self._commits, self._accounts, self._service, self._login = commits, accounts, service, login
        self._audit, self._cashier, self._protection, self._is_in_round = audit, cashier, protection, is_in_round
        self._asked: dict[PlayerId, AskedErasure] = {}
        self.retention = Retention()
        self._swept, self._is_sweeping = -DAY, False

    async def ask(self, by: PlayerId, player: PlayerId, reason: str) -> Erasure | Refusal:
        """The first of two persons asks for it, the second does it: neither alone (R-08)."""
        service, now = self._service, self._commits.now()
        if refusal := service.check_right(by, Right.HELP_PLAYERS, reason) or await self.find_hindrance(player):
            return refusal
        asked = self.find_asked(player)
        if asked is None or asked.by == by:
            self._asked[player] = AskedErasure(by, reason, now + WAIT)
            note = RightsChanged(player, by, f"erasure asked for: {reason}")
            await self._commits.commit(Batch(records=self._audit.write(now, note)))
            return Erasure(player, now + WAIT)
        del self._asked[player]
        refusal = await self.erase(player, f"{asked.by} {by}")
        return refusal or Erasure(player, 0)

    def find_asked(self, player: PlayerId) -> AskedErasure | None:
        """What waits for a second person."""
        asked = self._asked.get(player)
        return asked if asked and self._commits.now() < asked.until else None

    async def find_hindrance(self, player: PlayerId) -> Refusal | None:
        """Why this person stays: what is owed, what runs, what the law wants kept."""
        account = self._accounts.get(player)
        if account is None:
            return NoSuchPlayer(player)
        if account.player.role is not Role.PLAYER:
            return NotErasable(player, "erase-role")
        if account.player.is_erased:
            return NotErasable(player, "erase-done")
        if account.player_limits.find_exclusion(self._commits.now()):
            return NotErasable(player, "erase-excluded")
        if self._is_in_round(player):
            return NotErasable(player, "erase-round")
        money = await self._cashier.read_balances(player)
        return NotErasable(player, "erase-money") if money.free or money.at_tables or money.in_play else None

    async def erase(self, player: PlayerId, by: str) -> Refusal | None:
        """The account closes, then all that tells who it was goes; the name is free again."""
        now, before = self._commits.now(), self._accounts[player].player
        await self._protection.close_play(player, self._login.disable(player, by, "erased", now), "disabled")
        if refusal := await self.find_hindrance(player):
            return refusal
        places = await self._find_person(player, before.name)
        now = self._commits.now()
        records = self._accounts.write(player, now, [PersonErased()])
        claims = () if before.guest else registration.make_claims(player, before.name, before.tax)
        await self._commits.commit(self._make_batch(f"person {player}", by, places, records, claims, now))
        if rest := await self._find_person(player, before.name):  # what came in while it was being read
            await self._commits.commit(self._make_batch(f"person {player}", by, rest, (), (), self._commits.now()))
        return None

    def start_due_retention(self, now: int) -> None:
        """Once a day, beside the tables; a long list goes in parts, one at each call."""
        if any(self.retention) and now - self._swept >= DAY and not self._is_sweeping:
            self._is_sweeping = True
            self._commits.start_task(self.apply_retention(now))

    async def apply_retention(self, now: int) -> None:
        """What was kept long enough goes."""
        try:
            await self._sweep(now)
        finally:
            self._is_sweeping = False

    async def _sweep(self, now: int) -> None:
        chat, logins, closed = (now - days * DAY if days else -1 for days in self.retention)
        places = await self._find_old(chat, logins)
        if places:
            batch = self._make_batch("retention", "house", places, (), (), now)
            await self._commits.commit(batch)
        if sum(map(len, places.values())) < MOST:
            self._swept = now
        for player in list(self._accounts) if closed >= 0 else ():
            account = self._accounts[player].player
            if account.disabled and 0 < account.closed <= closed and not await self.find_hindrance(player):
                await self.erase(player, "retention")

    def _make_batch(
        self,
        why: str,
        by: str,
        places: Places,
        records: tuple[Record, ...],
        claims: tuple[Any, ...],
        at: int,
    ) -> Batch:
        noted = self._audit.write(at, RecordsErased(why, by, places))
        erased = tuple((stream, seq) for stream, seqs in places.items() for seq in seqs)
        return Batch(records=(*records, *noted), erased=erased, freed=claims)

    async def _find_person(self, player: PlayerId, name: str) -> Places:
        """Every place in the books that tells who this number is."""
        folded = text_rules.fold_name(text_rules.normalize(name))

        def is_search(fields: Mapping[str, Any]) -> bool:
            typed = text_rules.fold_name(text_rules.normalize(str(fields.get("subject", ""))))
            return fields.get("what") == "players" and bool(typed) and typed in folded

        def is_personal(record: Record) -> bool:
            if record.stream.startswith(streams.PRIVATE):
                return True
            if record.stream.startswith(streams.PUBLIC):
                return record.kind in OF_ACCOUNT
            fields = msgspec.json.decode(record.body)
            if record.kind == SupervisorViewed.__name__:
                return is_search(fields)
            return record.kind in OF_CHAT | OF_HOUSE and fields.get("player") == player

        listed = [f"{streams.PRIVATE}{player}", f"{streams.PUBLIC}{player}", audit_log.STREAM]
        return await self._find([*listed, *await self._commits.store.read_heads(CHAT)], is_personal)

    async def _find_old(self, chat: int, logins: int) -> Places:
        """Talk and sign-ins from before these moments; of a session that is open nothing goes."""

        def is_old(record: Record) -> bool:
            if record.stream.startswith(CHAT):
                return record.at < chat and record.kind == MessageSent.__name__
            if record.at >= logins:
                return False
            if record.stream == audit_log.STREAM:
                return record.kind in SIGN_INS
            open_now = self._accounts[record.stream.partition(":")[2]].sessions.by_id
            return record.kind in SESSIONS and msgspec.json.decode(record.body).get("id") not in open_now

        listed = [*(await self._commits.store.read_heads(CHAT) if chat >= 0 else ())]
        if logins >= 0:
            listed += [audit_log.STREAM, *await self._commits.store.read_heads(streams.PRIVATE)]
        return await self._find(listed, is_old, MOST)

    async def _find(self, listed: list[str], chosen: Callable[[Record], bool], most: int = 10**9) -> Places:
        await self._commits.flush()
        places: Places = {}
        for stream in listed:
            async for page in self._commits.store.iterate_records(stream):
                seqs = tuple(record.seq for record in page if record.body != ERASED and chosen(record))
                if seqs:
                    places[stream] = (*places.get(stream, ()), *seqs[:most])
                most -= len(seqs[:most])
            if most <= 0:
                break
        return places
