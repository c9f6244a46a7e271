"""What a house remembers, to who may know it: account history, rounds, shoes to verify, the export (R-15, H-7, H-8)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.people import People
from ventuno.house.history import account_history, export, shoe_documents, statistics
from ventuno.house.history.account_history import HistoryLine, NoSuchRound, Page
from ventuno.house.history.round_detail import RecordedRound, RoundDetail, describe_round, read_round
from ventuno.house.history.statistics import Statistics
from ventuno.house.store.records import Batch, RoundRow
from ventuno.house.store.store import NO_FILTER, HistoryFilter
from ventuno.house.tables.concession_log import find_admission

MOST = 1000
"""Lines of a page at most."""


class Archive(People):
    """All of it is read from the store: it cannot tell of what is not durable, nor of a round that is not over."""

    async def history(
        self,
        player: PlayerId,
        before: tuple[int, str] = account_history.START,
        limit: int = 50,
        chosen: HistoryFilter = NO_FILTER,
    ) -> Page:
        """His rounds for money, newest first, of one game or all, of a time or all times (V-69, R-15)."""
        page = await account_history.read_page(self.host.store, player, before, min(max(limit, 1), MOST), chosen)
        lines = tuple(self._corrected(line, player) for line in page.lines)
        if lines != page.lines:
            await self.commit(Batch())  # a correction is told when it is durable
        return page._replace(lines=lines)

    def _corrected(self, line: HistoryLine, player: PlayerId) -> HistoryLine:
        made = self.services.redress.list_for_round(line.code, player)
        return line._replace(corrected=sum(one.amount for one in made)) if made else line

    async def statistics(self, player: PlayerId) -> Statistics:
        """Figures of all his rounds (X-17)."""
        page = await account_history.read_page(self.host.store, player, limit=NO_FILTER.last)
        return statistics.compute_statistics(page.lines)

    async def story(self, viewer: PlayerId, code: str) -> RoundDetail | Refusal:
        """A round that is over, to who was in it; a supervisor's look is written down first (H-8)."""
        played = await self.played(viewer, code)
        if isinstance(played, Refusal):
            return played
        store = self.host.store
        admission = await find_admission(store, played.row, viewer)
        own = any(one.player == viewer for one in await store.list_round_shares(code))
        told = describe_round(played, viewer, admission, all_seeing=not own)
        made = self.services.redress.list_for_round(code, viewer if own else "")
        if made:
            await self.commit(Batch())
        return replace(told, corrections=made)

    async def played(self, viewer: PlayerId, code: str) -> RecordedRound | Refusal:
        """The same round with its records, to be replayed as this viewer saw it (X-02)."""
        row = await self._allowed(viewer, code)
        if isinstance(row, Refusal):
            return row
        return await read_round(self.host.store, row, self.services.config.sheets)

    async def document(self, viewer: PlayerId, code: str) -> dict[str, object] | Refusal:
        """The shoe of a round, to be verified without trust; opened once the shoe has retired (G-14, H-7)."""
        row = await self._allowed(viewer, code)
        if isinstance(row, Refusal):
            return row
        found = await shoe_documents.read_document_of_round(self.host.store, row, self.services.config.sheets)
        return found.to_dict() if found else NoSuchRound(code)

    async def _allowed(self, viewer: PlayerId, code: str) -> RoundRow | Refusal:
        row = await self.host.store.find_round(code)
        account = self.services.accounts.get(viewer)
        if row is None or account is None:
            return NoSuchRound(code)
        shares = await self.host.store.list_round_shares(code)
        no = account_history.check_access(
            self.services.audit, code, viewer, account.player.effective_role, shares, self.host.now()
        )
        return row if no is None else await self.commit(no) or row

    async def export(self, path: Path, *, whole: bool = False) -> None:
        """The file for a laboratory; a `whole` one holds secrets and never leaves the house (X-14)."""
        held = await export.collect(self.host.store)
        lines = export.encode_export(held, self.host.now(), whole=whole)
        await asyncio.to_thread(lambda: path.write_bytes(b"".join(lines)))
