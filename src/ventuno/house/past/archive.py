"""What a house remembers, to who may know it: account history, rounds, shoes to verify, the export (R-15, H-7, H-8)."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ventuno.core.money import PlayerId
from ventuno.core.refusals import Refusal
from ventuno.house.books import export
from ventuno.house.books.records import RoundRow
from ventuno.house.past import history, statistics
from ventuno.house.past.history import NoSuchRound, Page
from ventuno.house.past.statistics import Statistics
from ventuno.house.past.story import Story, cut_out, story
from ventuno.house.persons.people import People
from ventuno.house.shoes import papers
from ventuno.house.tables.concession import STREAM, admission_of


class Archive(People):
    """All of it is read from the store: it cannot tell of what is not durable, nor of a round that is not over."""

    async def history(self, player: PlayerId, before: tuple[int, str] = history.START, limit: int = 50) -> Page:
        return await history.stored_page(self.house.store, player, before, limit)

    async def statistics(self, player: PlayerId) -> Statistics:
        """Figures of all his rounds (X-17)."""
        page = await history.stored_page(self.house.store, player, limit=history.LAST)
        return statistics.statistics(page.lines)

    async def story(self, viewer: PlayerId, code: str) -> Story | Refusal:
        """A round that is over, to who was in it; a supervisor's look is written down first (H-8)."""
        row = await self._allowed(viewer, code)
        if isinstance(row, Refusal):
            return row
        store = self.house.store
        played = cut_out(row, await store.records(row.stream, upto=row.last), self.staff.fittings.sheets)
        admission = admission_of(await store.records(STREAM), code, viewer)
        own = any(one.player == viewer for one in await store.shares_of(code))
        return story(played, viewer, admission, all_seeing=not own)

    async def document(self, viewer: PlayerId, code: str) -> dict[str, object] | Refusal:
        """The shoe of a round, to be verified without trust; opened once the shoe has retired (G-14, H-7)."""
        row = await self._allowed(viewer, code)
        if isinstance(row, Refusal):
            return row
        found = await papers.of_round(self.house.store, row, self.staff.fittings.sheets)
        return found.plain() if found else NoSuchRound(code)

    async def _allowed(self, viewer: PlayerId, code: str) -> RoundRow | Refusal:
        row = await self.house.store.round(code)
        account = self.staff.accounts.get(viewer)
        if row is None or account is None:
            return NoSuchRound(code)
        shares = await self.house.store.shares_of(code)
        no = history.allowed(self.staff.audit, code, viewer, account.player.role, shares, self.house.now())
        return row if no is None else await self.commit(no) or row

    async def export(self, path: Path, *, whole: bool = False) -> None:
        """The file for a laboratory; a `whole` one holds secrets and never leaves the house (X-14)."""
        held = await export.gathered(self.house.store)
        lines = export.written(held, self.house.now(), whole=whole)
        await asyncio.to_thread(lambda: path.write_bytes(b"".join(lines)))
