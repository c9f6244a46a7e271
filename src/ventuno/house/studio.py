"""Tables whose cards a dealer scans: who deals where, the shoe that reads by itself, the call for a supervisor (X-27).

The rules of scanning are the core's (`core/table/scanning.py`); who has a desk stands in the table's own log.
"""

from __future__ import annotations

from typing import NamedTuple

from ventuno.core.messages.commands import ScanCard, ShowCutCard
from ventuno.core.messages.desk_events import HelpCalled, MisdealDeclared
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import Card
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.account_service import AccountService
from ventuno.house.accounts.rights import Right
from ventuno.house.integrity.alerts import Alerts, DealerCalled
from ventuno.house.store.committer import Committer
from ventuno.house.tables.authority import Answer
from ventuno.house.tables.table_host import TableCommitted
from ventuno.house.tables.table_service import TableService


class StudioTable(NamedTuple):
    """A table as a dealer chooses it; `dealer` is the number of who has its desk, empty where nobody has."""

    table: str
    game: str
    name: str
    dealer: PlayerId
    phase: str
    paused: str


class StudioService:
    def __init__(self, commits: Committer, accounts: AccountService, tables: TableService, alerts: Alerts) -> None:
        self._commits, self._accounts, self._tables, self._alerts = commits, accounts, tables, alerts
        tables.watch_commits("", self._call_supervisor, (MisdealDeclared, HelpCalled))

    def has_desk(self, player: PlayerId, table: str) -> bool:
        """Whether this player deals at this table now; at a table for money his role must still allow it."""
        live = self._tables.get_all().get(table)
        if not player or live is None or live.table.studio is None or live.table.studio.dealer != player:
            return False
        return live.practice or self._accounts.check_right(player, Right.DEAL) is None

    def list_tables(self, player: PlayerId) -> list[StudioTable] | Refusal:
        """The tables at which a dealer may take the desk, in the order of their names."""
        if refusal := self._accounts.check_right(player, Right.DEAL):
            return refusal
        tables = [live.table for live in self._tables.get_all().values() if not live.practice]
        return sorted(
            StudioTable(
                table.id,
                table.sheet.game.id,
                table.sheet.game.name,
                table.studio.dealer,
                table.phase,
                table.pause.reason if table.pause else "",
            )
            for table in tables
            if table.studio is not None
        )

    async def scan(self, player: PlayerId, table: str, card: Card | None, key: str) -> Answer:
        """A card as a shoe that reads by itself tells it; none is the cut card."""
        command = ShowCutCard(player, 0) if card is None else ScanCard(player, card, 0)
        return await self._tables.ask(player, table, command, key)

    def _call_supervisor(self, news: TableCommitted) -> None:
        if news.live.practice:
            return
        for event in news.events:
            if isinstance(event, MisdealDeclared | HelpCalled):
                is_misdeal = isinstance(event, MisdealDeclared)
                call = DealerCalled(news.table, event.player, is_misdeal, event.reason, event.at)
                self._commits.start_task(self._write_call(call))

    async def _write_call(self, call: DealerCalled) -> None:
        if batch := self._alerts.add_call(call):
            await self._commits.commit(batch)
