"""What a house remembers, to who may know it: account history, rounds, shoes to verify, the export (R-15, H-7, H-8).

All of it is read from the store: it cannot tell of what is not durable, nor of a round that is not over.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import IO

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.history import account_history, export, shoe_documents, statistics
from ventuno.house.history.account_history import HistoryLine, NoSuchRound, Page
from ventuno.house.history.export import Exporter
from ventuno.house.history.round_detail import RecordedRound, RoundDetail, describe_round, read_round
from ventuno.house.history.statistics import Statistics
from ventuno.house.history.turnover import Turnover, TurnoverLine
from ventuno.house.history.void_review import VoidReview
from ventuno.house.money.corrections import Corrections
from ventuno.house.store.audit_log import AuditLog
from ventuno.house.store.committer import Committer
from ventuno.house.store.records import Record, RoundRow
from ventuno.house.store.store import NO_FILTER, HistoryFilter
from ventuno.house.tables.concession import find_admission

MAX_LINES = 1000
"""Lines of a page at most."""


class NoSuchShoe(Refusal):
    """No shoe of this number was committed to at the table, or it is not cut yet."""

    table: str
    shoe: int


class ShoePlayed(Refusal):
    """Others' rounds were dealt from this shoe: its document is for who played them."""

    table: str
    shoe: int


class HistoryService:
    def __init__(
        self,
        commits: Committer,
        accounts: Accounts,
        audit: AuditLog,
        corrections: Corrections,
        voids: VoidReview,
        sheets: Mapping[str, Sheet],
        exporter: Exporter,
    ) -> None:
        self._commits, self._accounts, self._audit = commits, accounts, audit
        self._exporter, self._turnover = exporter, Turnover(commits.store)
        self._corrections, self._voids, self._sheets = corrections, voids, sheets
        self.compute_void_rates = voids.compute_rates

    async def list_rounds(
        self,
        player: PlayerId,
        before: tuple[int, str] = account_history.START,
        limit: int = 50,
        selection: HistoryFilter = NO_FILTER,
    ) -> Page:
        """His rounds for money, newest first, of one game or all, of a time or all times (V-69, R-15)."""
        size = min(max(limit, 1), MAX_LINES)
        page = await account_history.read_page(self._commits.store, player, before, size, selection)
        lines = tuple(self._add_corrections(line, player) for line in page.lines)
        if lines != page.lines:
            await self._commits.flush()  # a correction is told when it is durable
        return page._replace(lines=lines)

    def _add_corrections(self, line: HistoryLine, player: PlayerId) -> HistoryLine:
        corrections = self._corrections.list_for_round(line.code, player)
        return line._replace(corrected=sum(entry.amount for entry in corrections)) if corrections else line

    async def compute_statistics(self, player: PlayerId) -> Statistics:
        """Figures of all his rounds (X-17)."""
        page = await account_history.read_page(self._commits.store, player, limit=NO_FILTER.last)
        return statistics.compute_statistics(page.lines)

    async def describe_round(self, viewer: PlayerId, code: str) -> RoundDetail | Refusal:
        """A round that is over, to who was in it; a supervisor's look is written down first (H-8)."""
        recorded = await self.read_round(viewer, code)
        if isinstance(recorded, Refusal):
            return recorded
        store = self._commits.store
        admission = await find_admission(store, recorded.row, viewer)
        is_own = any(share.player == viewer for share in await store.list_round_shares(code))
        detail = describe_round(recorded, viewer, admission, all_seeing=not is_own)
        corrections = self._corrections.list_for_round(code, viewer if is_own else "")
        if corrections:
            await self._commits.flush()
        return replace(detail, corrections=corrections)

    async def read_round(self, viewer: PlayerId, code: str) -> RecordedRound | Refusal:
        """The same round with its records, to be replayed as this viewer saw it (X-02)."""
        row = await self._find_allowed(viewer, code)
        return row if isinstance(row, Refusal) else await read_round(self._commits.store, row, self._sheets)

    async def read_document(self, viewer: PlayerId, code: str) -> dict[str, object] | Refusal:
        """The shoe of a round, to be verified without trust; opened once the shoe has retired (G-14, H-7)."""
        row = await self._find_allowed(viewer, code)
        if isinstance(row, Refusal):
            return row
        document = await shoe_documents.read_document_of_round(self._commits.store, row, self._sheets)
        return document.to_dict() if document else NoSuchRound(code)

    async def read_shoe(self, viewer: PlayerId, table: str, number: int) -> dict[str, object] | Refusal:
        """A shoe by its number. One that no round was dealt from is for everybody who may see its table; one with
        rounds for who played one of them (H-8).
        """
        await self._commits.flush()
        document = await shoe_documents.read_document(self._commits.store, table, number, self._sheets)
        if document is None:
            return NoSuchShoe(table, number)
        for record in document.rounds:
            if not isinstance(await self._find_allowed(viewer, record.code), Refusal):
                return document.to_dict()
        return ShoePlayed(table, number) if document.rounds else document.to_dict()

    async def _find_allowed(self, viewer: PlayerId, code: str) -> RoundRow | Refusal:
        row = await self._commits.store.find_round(code)
        account = self._accounts.get(viewer)
        if row is None or account is None:
            return NoSuchRound(code)
        shares = await self._commits.store.list_round_shares(code)
        outcome = account_history.check_access(
            self._audit, code, viewer, account.player.effective_role, shares, self._commits.now()
        )
        return row if outcome is None else await self._commits.commit(outcome) or row

    async def read_table_records(self, stream: str, after: int, last: int) -> list[Record]:
        """What was written of a table between two records."""
        return await self._commits.store.read_records(stream, after, last)

    async def read_turnover(self, first: int, last: int) -> list[TurnoverLine]:
        """What was staked, returned and put right on each of these days since 1970, game by game."""
        await self._commits.flush()
        return await self._turnover.read(first, last, self._corrections.state.corrections, self._commits.now())

    async def run_export(self, days: tuple[int, int] | None = None) -> IO[bytes] | Refusal:
        """The file for a regulator, made beside the tables; without private streams and undealt cards (X-14, H-1)."""
        await self._commits.flush()
        return await self._exporter.run(self._commits.now(), days)

    async def export(self, path: Path, *, whole: bool = False) -> None:
        """The file for a laboratory; a `whole` one holds secrets and never leaves the house (X-14)."""
        collected = await export.collect(self._commits.store)
        lines = export.encode_export(collected, self._commits.now(), whole=whole)
        await asyncio.to_thread(lambda: path.write_bytes(b"".join(lines)))
