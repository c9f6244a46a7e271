"""What a supervisor is told of players, and what follows for them (R-39, R-46, H-5, H-8).

The list is the supervisor's alone, and each look at it is written down first.
"""

from __future__ import annotations

from abc import abstractmethod

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.history.archive import Archive
from ventuno.house.history.audit import SupervisorViewed
from ventuno.house.integrity.alerts import Entry, LinkUnfit
from ventuno.house.integrity.monitoring import Vigil
from ventuno.house.integrity.void_review import VoidRates
from ventuno.house.protection.player_limits import DAY
from ventuno.house.services import Staff
from ventuno.house.store.records import Batch

QUIET = 30 * DAY
"""How long nobody is courted after a marker of harm."""


class Oversight(Archive):
    def __init__(self, staff: Staff) -> None:
        super().__init__(staff)
        shared = [game for game, sheet in staff.fittings.games.items() if not sheet.game.solo]
        self.vigil = Vigil(staff.house, staff.concerns, shared, self._is_person, staff.house.now())
        self.house.begin(staff.voids.make_up(staff.fittings.sheets))

    @abstractmethod
    def _unfit(self, by: PlayerId, reason: str = "-") -> Refusal | None:
        """Why this is no supervisor who may do this."""

    def look(self, at: int) -> None:
        """Begin a look at who has played, where one is due."""
        if self.vigil.is_due(at):
            self.house.begin(self.vigil.look(at))

    async def concerns(self, by: PlayerId, before: int | None = None, limit: int = 50) -> list[Entry] | Refusal:
        """The list, newest first."""
        if no := self._unfit(by):
            return no
        found = self.staff.concerns.listed(before, limit)
        await self.commit(Batch(records=self.staff.audit.note(self.house.now(), SupervisorViewed(by, "concerns", ""))))
        return found

    async def link(self, by: PlayerId, first: PlayerId, second: PlayerId, reason: str) -> Refusal | None:
        """From now on these two do not bet behind each other, whatever address they come from."""
        if no := self._unfit(by, reason) or self._unknown(first, second):
            return no
        return await self.commit(self.staff.concerns.link(first, second, by, reason, self.house.now()))

    async def unlink(self, by: PlayerId, first: PlayerId, second: PlayerId, reason: str) -> Refusal | None:
        if no := self._unfit(by, reason) or self._unknown(first, second):
            return no
        return await self.commit(self.staff.concerns.unlink(first, second, by, reason, self.house.now()))

    async def voids(self) -> dict[str, VoidRates]:
        """For everybody, by game: rounds played and rounds voided, by what they gave or would have given the house."""
        found: dict[str, VoidRates] = {game: VoidRates(voided=held) for game, held in self.staff.voids.judged.items()}
        for (game, sign), count in (await self.house.store.outcomes()).items():
            held = found.get(game, VoidRates())
            found[game] = held._replace(settled=held.settled.plus(sign, count))
        return found

    def may_court(self, player: PlayerId) -> bool:
        """Whether marketing may reach a player: none of who is excluded, pauses, is closed or was marked (R-39)."""
        account, now = self.staff.accounts[player], self.house.now()
        closed = account.shield.closed(now) is not None or bool(account.player.disabled)
        return not closed and not self.staff.concerns.marked(player, now - QUIET)

    def _is_person(self, player: PlayerId) -> bool:
        account = self.staff.accounts.get(player)
        return account is not None and not account.player.bot

    def _unknown(self, *players: PlayerId) -> LinkUnfit | None:
        unknown = [one for one in players if one not in self.staff.accounts]
        return LinkUnfit(players[0], players[-1], f"there is no account {unknown[0]}") if unknown else None
