"""What supervisors look up: players by name, one of them on a page, turnover, the export (X-10, H-8, R-17).

Nothing is changed here. Each look at what is not one's own is written down before it is shown.
"""

from __future__ import annotations

from typing import IO, NamedTuple

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.account_service import AccountService
from ventuno.house.accounts.accounts import Account
from ventuno.house.accounts.player_limits import DAY
from ventuno.house.accounts.players import STAFF, NoSuchPlayer, Role
from ventuno.house.accounts.rights import Right
from ventuno.house.accounts.sessions import Session
from ventuno.house.history import account_history, turnover
from ventuno.house.history.account_history import NoSuchRound, Page
from ventuno.house.history.history_service import HistoryService
from ventuno.house.history.person_export import PersonData, collect_person
from ventuno.house.history.turnover import TurnoverLine
from ventuno.house.integrity.alerts import AlertEntry
from ventuno.house.integrity.integrity_service import IntegrityService
from ventuno.house.money.cashier import Balances, CashierService
from ventuno.house.store.committer import Committer
from ventuno.house.store.records import RoundRow
from ventuno.house.supervision import Supervision
from ventuno.house.tables.chat import Chat, Muted

MOST_FOUND = 20
"""Players that one search gives."""
MOST_MARKS = 50


class PlayerFile(NamedTuple):
    """One player on one page."""

    account: Account
    balances: Balances
    sessions: tuple[Session, ...]
    rounds: Page
    marks: tuple[AlertEntry, ...]
    muted: Muted | None


class Console:
    def __init__(
        self,
        commits: Committer,
        accounts: AccountService,
        cashier: CashierService,
        history: HistoryService,
        integrity: IntegrityService,
        supervision: Supervision,
        chat: Chat,
    ) -> None:
        self._commits, self._accounts, self._cashier, self._history = commits, accounts, cashier, history
        self._integrity, self._supervision, self._chat = integrity, supervision, chat

    async def find_players(self, by: PlayerId, text: str) -> list[Account] | Refusal:
        """Who has this text in his name, or this number; the first few."""
        if refusal := self._accounts.check_right(by, Right.SEE_PLAYERS):
            return refusal
        await self._supervision.record_viewing(by, "players", text)
        return self._accounts.search(text, MOST_FOUND)

    async def read_player(
        self, by: PlayerId, player: PlayerId, before: tuple[int, str] = account_history.START, limit: int = 20
    ) -> PlayerFile | Refusal:
        """Money, limits, sessions, rounds and marks of one player."""
        if refusal := self._accounts.check_right(by, Right.SEE_PLAYERS):
            return refusal
        if player not in self._accounts:
            return NoSuchPlayer(player)
        await self._supervision.record_viewing(by, "player", player)
        rounds = await self._history.list_rounds(player, before, limit)
        balances = await self._cashier.read_balances(player)
        return PlayerFile(
            account=self._accounts[player],
            balances=balances,
            sessions=tuple(self._accounts.list_sessions(player)),
            rounds=rounds,
            marks=tuple(self._integrity.list_alerts_of(player, MOST_MARKS)),
            muted=self._chat.find_mute(player, self._commits.now()),
        )

    async def export_person(self, by: PlayerId, player: PlayerId) -> PersonData | Refusal:
        """What the house keeps of one person, to be handed to him (GDPR 15 and 20)."""
        if refusal := self._accounts.check_right(by, Right.HELP_PLAYERS):
            return refusal
        if player not in self._accounts:
            return NoSuchPlayer(player)
        await self._supervision.record_viewing(by, "person", player)
        await self._commits.flush()
        return await collect_person(self._commits.store, player)

    async def list_staff(self, by: PlayerId) -> list[Account] | Refusal:
        """Everybody with a role, supervisors first."""
        if refusal := self._accounts.check_right(by, Right.SEE_RECORDS):
            return refusal
        await self._supervision.record_viewing(by, "staff")
        everybody = (self._accounts[player] for player in self._accounts)
        staff = [account for account in everybody if account.player.role in STAFF]
        return sorted(staff, key=lambda account: (account.player.role is not Role.SUPERVISOR, account.player.name))

    async def find_round(self, by: PlayerId, code: str) -> RoundRow | Refusal:
        """A round that is over, to be looked for in a recording."""
        if refusal := self._accounts.check_right(by, Right.SEE_RECORDS):
            return refusal
        await self._supervision.record_viewing(by, "recording", code)
        return await self._commits.store.find_round(code) or NoSuchRound(code)

    async def read_turnover(self, by: PlayerId, first: int, last: int) -> list[TurnoverLine] | Refusal:
        """Of the days from one moment to another, a quarter at most: of a longer time its last days."""
        if refusal := self._accounts.check_right(by, Right.SEE_RECORDS):
            return refusal
        await self._supervision.record_viewing(by, "turnover")
        last_day = min(last, self._commits.now()) // DAY
        return await self._history.read_turnover(max(first // DAY, last_day - turnover.MOST_DAYS + 1), last_day)

    async def export(self, by: PlayerId, days: tuple[int, int] | None = None) -> IO[bytes] | Refusal:
        """The file for a regulator, of all time or from one day of GMT to another; that it was taken stands in it."""
        if refusal := self._accounts.check_right(by, Right.SEE_RECORDS):
            return refusal
        await self._supervision.record_viewing(by, "export")
        return await self._history.run_export(days and (days[0] // DAY * DAY, (days[1] // DAY + 1) * DAY - 1))
