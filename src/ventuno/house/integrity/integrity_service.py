"""What a supervisor is told of players, and what follows for them (R-39, R-46, H-5, H-8).

The list is the supervisor's alone, and each look at it is written down first.
"""

from __future__ import annotations

from collections.abc import Iterable

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.account_service import AccountService
from ventuno.house.accounts.player_limits import DAY
from ventuno.house.integrity.alerts import AlertEntry, Alerts, LinkUnfit
from ventuno.house.integrity.monitoring import Monitoring
from ventuno.house.store.audit_log import AuditLog, SupervisorViewed
from ventuno.house.store.committer import Committer
from ventuno.house.store.records import Batch

QUIET = 30 * DAY
"""How long nobody is advertised to after a marker of harm."""


class IntegrityService:
    def __init__(
        self, commits: Committer, accounts: AccountService, audit: AuditLog, alerts: Alerts, shared_games: Iterable[str]
    ) -> None:
        self._commits, self._accounts, self._audit, self._alerts = commits, accounts, audit, alerts
        self._monitoring = Monitoring(commits, alerts, shared_games, self._is_person)

    def start_due_check(self, at: int) -> None:
        """Begin to look at who has played, where it is time."""
        if self._monitoring.is_due(at):
            self._commits.start_task(self._monitoring.run(at))

    async def check_players(self, at: int) -> None:
        """Look at who has played now."""
        await self._monitoring.run(at)

    async def list_alerts(self, by: PlayerId, before: int | None = None, limit: int = 50) -> list[AlertEntry] | Refusal:
        """The list, newest first."""
        if refusal := self._accounts.check_supervisor(by):
            return refusal
        entries = self._alerts.list_entries(before, limit)
        records = self._audit.write(self._commits.now(), SupervisorViewed(by, "concerns", ""))
        await self._commits.commit(Batch(records=records))
        return entries

    async def link(self, by: PlayerId, first: PlayerId, second: PlayerId, reason: str) -> Refusal | None:
        """From now on these two do not bet behind each other, whatever address they come from."""
        if refusal := self._accounts.check_supervisor(by, reason) or self._check_accounts(first, second):
            return refusal
        return await self._commits.commit(self._alerts.link(first, second, by, reason, self._commits.now()))

    async def unlink(self, by: PlayerId, first: PlayerId, second: PlayerId, reason: str) -> Refusal | None:
        if refusal := self._accounts.check_supervisor(by, reason) or self._check_accounts(first, second):
            return refusal
        return await self._commits.commit(self._alerts.unlink(first, second, by, reason, self._commits.now()))

    def may_advertise_to(self, player: PlayerId) -> bool:
        """Whether marketing may reach a player: none of who is excluded, pauses, is closed or was marked (R-39)."""
        account, now = self._accounts[player], self._commits.now()
        closed = account.player_limits.check_play(now) is not None or bool(account.player.disabled)
        return not closed and not self._alerts.has_marker(player, now - QUIET)

    def _is_person(self, player: PlayerId) -> bool:
        account = self._accounts.get(player)
        return account is not None and not account.player.is_bot

    def _check_accounts(self, *players: PlayerId) -> LinkUnfit | None:
        unknown = [player for player in players if player not in self._accounts]
        return LinkUnfit(players[0], players[-1], "no-account", unknown[0]) if unknown else None
