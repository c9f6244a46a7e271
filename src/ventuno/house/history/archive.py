"""What a house remembers, to who may know it: account history, rounds, shoes to verify, the export (R-15, H-7, H-8)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.people import People
from ventuno.house.history import account_history, export, statistics
from ventuno.house.history.account_history import HistoryLine, NoSuchRound, Page
from ventuno.house.history.round_detail import Played, Story, story, taken_from
from ventuno.house.history.statistics import Statistics
from ventuno.house.shoes import shoe_documents
from ventuno.house.store.records import Batch, RoundRow
from ventuno.house.store.round_queries import ALL, Chosen
from ventuno.house.tables.concession_log import admission_in

MOST = 1000
"""Lines of a page at most."""


class Archive(People):
    """All of it is read from the store: it cannot tell of what is not durable, nor of a round that is not over."""

    async def history(
        self, player: PlayerId, before: tuple[int, str] = account_history.START, limit: int = 50, chosen: Chosen = ALL
    ) -> Page:
        """His rounds for money, newest first, of one game or all, of a time or all times (V-69, R-15)."""
        page = await account_history.page(self.house.store, player, before, min(max(limit, 1), MOST), chosen)
        lines = tuple(self._corrected(line, player) for line in page.lines)
        if lines != page.lines:
            await self.commit(Batch())  # a correction is told when it is durable
        return page._replace(lines=lines)

    def _corrected(self, line: HistoryLine, player: PlayerId) -> HistoryLine:
        made = self.staff.redress.beside(line.code, player)
        return line._replace(corrected=sum(one.amount for one in made)) if made else line

    async def statistics(self, player: PlayerId) -> Statistics:
        """Figures of all his rounds (X-17)."""
        page = await account_history.page(self.house.store, player, limit=ALL.last)
        return statistics.statistics(page.lines)

    async def story(self, viewer: PlayerId, code: str) -> Story | Refusal:
        """A round that is over, to who was in it; a supervisor's look is written down first (H-8)."""
        played = await self.played(viewer, code)
        if isinstance(played, Refusal):
            return played
        store = self.house.store
        admission = await admission_in(store, played.row, viewer)
        own = any(one.player == viewer for one in await store.shares_of(code))
        told = story(played, viewer, admission, all_seeing=not own)
        made = self.staff.redress.beside(code, viewer if own else "")
        if made:
            await self.commit(Batch())
        return replace(told, corrections=made)

    async def played(self, viewer: PlayerId, code: str) -> Played | Refusal:
        """The same round with its records, to be replayed as this viewer saw it (X-02)."""
        row = await self._allowed(viewer, code)
        if isinstance(row, Refusal):
            return row
        return await taken_from(self.house.store, row, self.staff.fittings.sheets)

    async def document(self, viewer: PlayerId, code: str) -> dict[str, object] | Refusal:
        """The shoe of a round, to be verified without trust; opened once the shoe has retired (G-14, H-7)."""
        row = await self._allowed(viewer, code)
        if isinstance(row, Refusal):
            return row
        found = await shoe_documents.of_round(self.house.store, row, self.staff.fittings.sheets)
        return found.plain() if found else NoSuchRound(code)

    async def _allowed(self, viewer: PlayerId, code: str) -> RoundRow | Refusal:
        row = await self.house.store.round(code)
        account = self.staff.accounts.get(viewer)
        if row is None or account is None:
            return NoSuchRound(code)
        shares = await self.house.store.shares_of(code)
        no = account_history.allowed(self.staff.audit, code, viewer, account.player.acts, shares, self.house.now())
        return row if no is None else await self.commit(no) or row

    async def export(self, path: Path, *, whole: bool = False) -> None:
        """The file for a laboratory; a `whole` one holds secrets and never leaves the house (X-14)."""
        held = await export.gathered(self.house.store)
        lines = export.written(held, self.house.now(), whole=whole)
        await asyncio.to_thread(lambda: path.write_bytes(b"".join(lines)))
