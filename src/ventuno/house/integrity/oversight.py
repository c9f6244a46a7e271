"""What a supervisor is told of players, and what follows for them (R-39, R-46, H-5, H-8).

The list is the supervisor's alone, and each look at it is written down first.
"""

from __future__ import annotations

from abc import abstractmethod

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.player_limits import DAY
from ventuno.house.history.archive import Archive
from ventuno.house.integrity.alerts import AlertEntry, LinkUnfit
from ventuno.house.integrity.monitoring import Monitoring
from ventuno.house.integrity.void_review import VoidRates
from ventuno.house.services import Services
from ventuno.house.store.audit_log import SupervisorViewed
from ventuno.house.store.records import Batch

QUIET = 30 * DAY
"""How long nobody is courted after a marker of harm."""


class Oversight(Archive):
    def __init__(self, staff: Services) -> None:
        super().__init__(staff)
        shared = [game for game, sheet in staff.config.games.items() if not sheet.game.solo]
        self.vigil = Monitoring(staff.host, staff.concerns, shared, self._is_person, staff.host.now())
        self.host.start_task(staff.voids.judge_missed(staff.config.sheets))

    @abstractmethod
    def _unfit(self, by: PlayerId, reason: str = "-") -> Refusal | None:
        """Why this is no supervisor who may do this."""

    def look(self, at: int) -> None:
        """Begin a look at who has played, where one is due."""
        if self.vigil.is_due(at):
            self.host.start_task(self.vigil.run(at))

    async def concerns(self, by: PlayerId, before: int | None = None, limit: int = 50) -> list[AlertEntry] | Refusal:
        """The list, newest first."""
        if no := self._unfit(by):
            return no
        found = self.services.concerns.list_entries(before, limit)
        await self.commit(
            Batch(records=self.services.audit.write(self.host.now(), SupervisorViewed(by, "concerns", "")))
        )
        return found

    async def link(self, by: PlayerId, first: PlayerId, second: PlayerId, reason: str) -> Refusal | None:
        """From now on these two do not bet behind each other, whatever address they come from."""
        if no := self._unfit(by, reason) or self._unknown(first, second):
            return no
        return await self.commit(self.services.concerns.link(first, second, by, reason, self.host.now()))

    async def unlink(self, by: PlayerId, first: PlayerId, second: PlayerId, reason: str) -> Refusal | None:
        if no := self._unfit(by, reason) or self._unknown(first, second):
            return no
        return await self.commit(self.services.concerns.unlink(first, second, by, reason, self.host.now()))

    async def voids(self) -> dict[str, VoidRates]:
        """For everybody, by game: rounds played and rounds voided, by what they gave or would have given the house."""
        found: dict[str, VoidRates] = {
            game: VoidRates(voided=held) for game, held in self.services.voids.judged.items()
        }
        for (game, sign), count in (await self.host.store.count_outcomes()).items():
            held = found.get(game, VoidRates())
            found[game] = held._replace(settled=held.settled.add(sign, count))
        return found

    def may_court(self, player: PlayerId) -> bool:
        """Whether marketing may reach a player: none of who is excluded, pauses, is closed or was marked (R-39)."""
        account, now = self.services.accounts[player], self.host.now()
        closed = account.player_limits.check_play(now) is not None or bool(account.player.disabled)
        return not closed and not self.services.concerns.has_marker(player, now - QUIET)

    def _is_person(self, player: PlayerId) -> bool:
        account = self.services.accounts.get(player)
        return account is not None and not account.player.is_bot

    def _unknown(self, *players: PlayerId) -> LinkUnfit | None:
        unknown = [one for one in players if one not in self.services.accounts]
        return LinkUnfit(players[0], players[-1], "no-account", unknown[0]) if unknown else None
