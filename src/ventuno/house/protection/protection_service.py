"""Protection as the doors see it: what a player puts between himself and the games (R-33…R-40).

Each call counts with its answer. Whoever closes play to himself leaves every table with his money.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.accounts.tokens import Tokens
from ventuno.house.protection.limit_check import LimitCheck
from ventuno.house.protection.limit_commands import LimitCommands
from ventuno.house.store.committer import Committer
from ventuno.house.store.records import Batch

LeaveTables = Callable[[PlayerId, str], Awaitable[None]]
"""Takes a player from every table, and says why."""
DepartureWatcher = Callable[[PlayerId, str], None]
"""Told who may no longer play, and why: live connections close (R-40)."""


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
