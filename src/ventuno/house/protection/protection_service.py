"""Protection: the limits, pauses and exclusions that a player puts between himself and the games (R-33…R-40).

Each is in force with the very event, and counts with its answer. Whoever closes play to himself leaves every table with
his money.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import assert_never

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts import player_limits
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.accounts.player_limits import LimitEvent, PlayerLimits, Profile
from ventuno.house.accounts.sessions import Tokens
from ventuno.house.protection.limit_check import LimitCheck
from ventuno.house.store.audit_log import AuditLog, ProtectionChanged
from ventuno.house.store.committer import Committer
from ventuno.house.store.records import Batch

LeaveTables = Callable[[PlayerId, str], Awaitable[None]]
"""Takes a player from every table, and says why."""
DepartureWatcher = Callable[[PlayerId, str], None]
"""Told who may no longer play, and why: live connections close (R-40)."""


class LimitCommands:
    """A player's own commands: each goes to the account's stream and to the audit log in one batch.

    `LimitCheck` knows it before the batch is written, so that the next bet of any session on any table meets it (R-40).
    """

    def __init__(self, accounts: Accounts, audit: AuditLog, profile: Profile) -> None:
        self._accounts, self._audit, self._profile = accounts, audit, profile

    def set_limit(self, player: PlayerId, name: str, amount: Cents | None, at: int) -> Batch | Refusal:
        """Lower at once; higher, or none, after the wait and `confirm` (R-35)."""
        return self._record(
            player, player_limits.set_limit(self._get_limits(player), name, amount, at, self._profile), at
        )

    def confirm(self, player: PlayerId, name: str, at: int) -> Batch | Refusal:
        return self._record(player, player_limits.confirm(self._get_limits(player), name, at), at)

    def cool_off(self, player: PlayerId, until: int, at: int) -> Batch | Refusal:
        return self._record(player, player_limits.cool_off(self._get_limits(player), until, at, self._profile), at)

    def exclude(self, player: PlayerId, days: int, at: int) -> Batch | Refusal:
        """For so many days, or without end (0). Sessions stay: the money may still be withdrawn (R-38)."""
        return self._record(player, player_limits.exclude(self._get_limits(player), days, at, self._profile), at)

    def revoke(self, player: PlayerId, at: int) -> Batch | Refusal:
        return self._record(player, player_limits.revoke(self._get_limits(player), at, self._profile), at)

    def choose_reality(self, player: PlayerId, minutes: int, at: int) -> Batch | Refusal:
        return self._record(player, player_limits.choose_reality(minutes), at)

    def _get_limits(self, player: PlayerId) -> PlayerLimits:
        return self._accounts[player].player_limits

    def _record(self, player: PlayerId, outcome: list[LimitEvent] | Refusal, at: int) -> Batch | Refusal:
        if isinstance(outcome, Refusal):
            return outcome
        records = self._accounts.write(player, at, outcome)
        noted = [ProtectionChanged(player, type(event).__name__, describe_change(event)) for event in outcome]
        return Batch(records=(*records, *self._audit.write(at, *noted)))


class ProtectionService:
    def __init__(
        self,
        commits: Committer,
        accounts: Accounts,
        tokens: Tokens,
        limits: LimitCheck,
        commands: LimitCommands,
        leave_tables: LeaveTables,
    ) -> None:
        self._commits, self._accounts, self._tokens = commits, accounts, tokens
        self._limits, self._commands, self._leave_tables = limits, commands, leave_tables
        self._watchers: list[DepartureWatcher] = []
        self._leaving: set[PlayerId] = set()
        self.find_due, self.get_next_due = limits.find_due, limits.get_next_due

    async def set_limit(self, player: PlayerId, name: str, amount: Cents | None) -> Refusal | None:
        return await self._commits.commit(self._commands.set_limit(player, name, amount, self._commits.now()))

    async def confirm_limit(self, player: PlayerId, name: str) -> Refusal | None:
        return await self._commits.commit(self._commands.confirm(player, name, self._commits.now()))

    async def choose_reality(self, player: PlayerId, minutes: int) -> Refusal | None:
        return await self._commits.commit(self._commands.choose_reality(player, minutes, self._commits.now()))

    async def acknowledge(self, player: PlayerId) -> None:
        """The reality check was read."""
        net = self._limits.sum_result(player, self._accounts[player].sessions.sitting)
        await self._commits.commit(self._tokens.acknowledge(player, net, self._commits.now()))

    async def cool_off(self, player: PlayerId, until: int) -> Refusal | None:
        return await self.close_play(player, self._commands.cool_off(player, until, self._commits.now()), "cool-off")

    async def exclude(self, player: PlayerId, days: int) -> Refusal | None:
        """In force with this call: no stake is taken after it, bets that can go back do, seats are left, and free money
        comes home; what an open round holds follows when it is over (R-38).
        """
        return await self.close_play(player, self._commands.exclude(player, days, self._commits.now()), "excluded")

    async def revoke_exclusion(self, player: PlayerId) -> Refusal | None:
        return await self._commits.commit(self._commands.revoke(player, self._commits.now()))

    async def close_play(self, player: PlayerId, outcome: Batch | Refusal, why: str) -> Refusal | None:
        """Play is closed to a player: he leaves every table, and his money with him."""
        self._leaving.add(player)
        try:
            refusal = await self._commits.commit(outcome)
            if refusal is None:
                await self._leave_tables(player, why)
                for watcher in self._watchers:
                    watcher(player, why)
            return refusal
        finally:
            self._leaving.discard(player)

    def is_leaving(self, player: PlayerId) -> bool:
        """Whether his play has just been closed: what lies at the tables comes back before he is sent away."""
        return player in self._leaving

    def watch_departures(self, watcher: DepartureWatcher) -> None:
        self._watchers.append(watcher)


def describe_change(event: LimitEvent) -> str:
    """The numbers of a change, for the log."""
    match event:
        case player_limits.LimitSet(name, amount):
            return f"{name} {amount}"
        case player_limits.RaiseAsked(name, amount, removed, ready):
            return f"{name} {'none' if removed else amount} from {ready}"
        case player_limits.RaiseConfirmed(name):
            return name
        case player_limits.CoolOffTaken(until):
            return f"until {until}"
        case player_limits.Excluded(_, until):
            return f"until {until}" if until else "without end"
        case player_limits.ExclusionRevoked(effective):
            return f"from {effective}"
        case player_limits.RealityCheckChosen(minutes):
            return f"every {minutes} minutes"
        case _:
            assert_never(event)
