"""What a house does by itself beside the tables, once a second: checks of books, program and clock, reports, sweeps."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping

from ventuno.core.messages.commands import Void
from ventuno.core.table.state import Phase
from ventuno.core.table.supervision import find_voidable
from ventuno.house.accounts.sessions import Tokens
from ventuno.house.history.chain_check import ChainChecker
from ventuno.house.history.program_check import ProgramCheck, ProgramChecker
from ventuno.house.store.audit_log import AuditLog, ClockWatch
from ventuno.house.store.clock import Clock
from ventuno.house.store.committer import Committer
from ventuno.house.store.records import Batch
from ventuno.house.store.store import StoreFailed, StoreSize
from ventuno.house.tables.authority import Request
from ventuno.house.tables.concession import Concession
from ventuno.house.tables.departures import Departures
from ventuno.house.tables.housekeeping import BY
from ventuno.house.tables.pipeline import Pipeline
from ventuno.house.tables.snapshots import Snapshots
from ventuno.house.tables.table_host import TableHost

TABLES_PER_CHECK = 50
"""Tables whose players are looked at in one go."""
SWEEP = 10_000
"""Milliseconds between two looks for sessions that ran out; whoever speaks in one is told at once."""
INTERVAL = 1.0
"""Seconds between two rounds."""
_log = logging.getLogger(__name__)


class ProgramInspection:
    """Compares the program with its manifest; where they differ no round begins (R-19)."""

    def __init__(self, host: TableHost, pipeline: Pipeline, checker: ProgramChecker) -> None:
        self._host, self._pipeline, self._checker = host, pipeline, checker
        self.is_due = checker.is_due

    @property
    def result(self) -> ProgramCheck:
        return self._checker.result

    async def check(self, why: str) -> None:
        """Compare, and write down what was found; whatever differs stops new rounds."""
        manifest = await asyncio.to_thread(self._checker.take_manifest)
        commits = self._host.commits
        await commits.commit(Batch(records=self._checker.check(manifest, commits.now(), why)))
        self._pipeline.halted = self.result.detail

    async def run(self, why: str) -> ProgramCheck:
        await self.check(why)
        await self.enforce()
        return self.result

    async def enforce(self) -> None:
        """Act on the last check: where it was not sound bets not dealt go back."""
        if not self.result.is_sound:
            _log.critical("the program is not what was verified: %s", self.result.detail)
            for name, live in list(self._host.authority.tables.items()):
                if live.table.phase is Phase.BETTING and find_voidable(live.table):
                    void = Void(BY, "program-unverified", 0, find_voidable(live.table))
                    await self._host.ask(Request(name, void, f"unverified {name} {live.version}"))


class StorageGrowth:
    """How much the books take up, and how much each round has added since the house opened."""

    def __init__(self, commits: Committer) -> None:
        self._commits = commits
        self.size = StoreSize()
        self._first: tuple[int, int] | None = None

    async def look(self) -> None:
        self.size = await self._commits.store.measure()
        self._first = self._first or (self.size.file, self._commits.rounds)

    @property
    def rounds(self) -> int:
        return self._commits.rounds

    @property
    def bytes_per_round(self) -> float:
        """What a round has added to the file; zero as long as none has ended."""
        size, rounds = self._first or (0, 0)
        return max(self.size.file - size, 0) / (self.rounds - rounds) if self.rounds > rounds else 0.0


class Maintenance:
    """`faults` is what the living books show wrong; empty in a sound house (G-2)."""

    def __init__(
        self,
        host: TableHost,
        clock: Clock,
        audit: AuditLog,
        inspection: ProgramInspection,
        concession: Concession,
        snapshots: Snapshots,
        tokens: Tokens,
        departures: Departures,
        start_player_check: Callable[[int], None],
        start_retention: Callable[[int], None],
    ) -> None:
        self._host, self._commits, self._clock, self._audit = host, host.commits, clock, audit
        self._inspection, self._concession, self._snapshots = inspection, concession, snapshots
        self._tokens, self._departures, self._start_player_check = tokens, departures, start_player_check
        self._start_retention = start_retention
        self.faults: list[str] = []
        self.chains = ChainChecker(host.commits.store)
        self._part, self._mismatches = 0, dict[int, list[str]]()
        self._swept = 0
        self.storage = StorageGrowth(host.commits)
        self._clock_watch = ClockWatch(clock.now(), clock.steady())
        host.commits.start_task(self.chains.run())
        self._loop = asyncio.create_task(self._run(), name="ventuno-maintenance")

    async def stop(self) -> None:
        """The last snapshots are taken, where the store still writes."""
        self._loop.cancel()
        await asyncio.gather(self._loop, return_exceptions=True)
        if not self._commits.failed.done():
            self._snapshots.close()

    def measure_storage(self) -> tuple[StoreSize, int, float]:
        """What the books take up, how many rounds have ended since the start, and what each of them has added."""
        return self.storage.size, self.storage.rounds, self.storage.bytes_per_round

    def measure_money(self) -> tuple[Mapping[str, int], int, int]:
        """Cents by where they are; cents staked and returned in rounds since the start."""
        return self._host.authority.wallet.sum_by_place(), self._commits.staked, self._commits.returned

    async def _run(self) -> None:
        while not self._commits.failed.done():
            await asyncio.sleep(INTERVAL)
            try:
                await self.run_once()
            except StoreFailed:
                raise
            except Exception:
                _log.exception("maintenance failed; it is tried again")

    async def run_once(self) -> None:
        """Reports go out, sessions that ran out end, books, clock and players are looked at (R-31, R-43, R-18, G-2)."""
        now, commits = self._commits.now(), self._commits
        self.faults = self._find_faults()
        if self.faults:
            _log.critical("the books are wrong: %s", "; ".join(self.faults))
        if step := self._clock_watch.check(self._clock.now(), self._clock.steady()):
            await commits.commit(Batch(records=self._audit.write(now, step)))
        if self._inspection.is_due(now):
            await self._inspection.run("daily")
        await commits.commit(self._concession.send_reports(now) or Batch())
        self._snapshots.take_due()
        if now - self._swept >= SWEEP:
            self._swept = now
            await commits.commit(self._tokens.sweep(now))
            await self.storage.look()
        await self._departures.check_tables(now)
        self._start_player_check(now)
        self._start_retention(now)

    def _find_faults(self) -> list[str]:
        """The invariants of the living books: all of the money, and the tables of some players, others each time (G-2).

        In a large house everybody has been looked at after some seconds, and nobody waits for it.
        """
        authority = self._host.authority
        parts = 1 + len(authority.tables) // TABLES_PER_CHECK
        self._part = (self._part + 1) % parts
        self._mismatches[self._part] = authority.find_mismatches(self._part, parts)
        mismatches = [fault for part, faults in self._mismatches.items() if part < parts for fault in faults]
        return [*authority.wallet.find_faults(), *mismatches, *self.chains.faults]
