"""The desk: the authority as it works in a house of people. What follows from a command is committed with it.

Money comes to a table by the floor alone; rounds are reported to the concession (R-31), supervisors' acts to the audit
log (R-17), rounds and shoes to the trail of the cards (X-01): all in the batch of the command, or none of it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from ventuno.core.messages.commands import (
    BringMoney,
    Command,
    DealNow,
    DoubleBets,
    PlaceBet,
    RepeatBets,
    TakeMoney,
    TakeSeat,
    Tick,
)
from ventuno.core.messages.events import TableClosed
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.state import Phase
from ventuno.core.table.supervision import find_voidable
from ventuno.house.accounts.accounts import Accounts
from ventuno.house.accounts.second_factor import SecondFactorMissing
from ventuno.house.integrity.account_links import AccountLinks
from ventuno.house.protection.limit_check import Allowance, LimitCheck
from ventuno.house.shoes.entropy import RandomnessFailed
from ventuno.house.shoes.shoe_log import ShoeLogs
from ventuno.house.store.audit_log import AuditLog
from ventuno.house.store.records import Batch, merge
from ventuno.house.tables.authority import Authority, Chance
from ventuno.house.tables.concession import Concession
from ventuno.house.tables.live_table import LiveTable
from ventuno.house.tables.requests import Decision, NotYours, Request, refuse
from ventuno.house.tables.table_money import Floor

_JOINS = (TakeSeat, PlaceBet, RepeatBets)
"""What nobody does who is excluded or pauses (R-38); stakes are the guard's besides."""
_BETS = (PlaceBet, RepeatBets, DoubleBets, DealNow)


@dataclass(frozen=True, slots=True)
class ChanceStopped(Refusal):
    """R-27: nothing is drawn from a generator that failed."""

    reason: str


@dataclass(frozen=True, slots=True)
class NotCertified(Refusal):
    """A table for money opens on a sheet whose returns were computed: `ventuno certify GAME --out FOLDER`."""

    game: str
    sheet: str


@dataclass(frozen=True, slots=True)
class ProgramUnverified(Refusal):
    """R-19: open rounds are played to their end. What differs is the supervisor's to know."""


class PipelineBroken(RuntimeError):
    """A decision was made and what follows from it could not be written: leave the process and recover."""


class CommandDesk(Authority):
    def __init__(
        self,
        guard: LimitCheck,
        chance: Chance,
        sheets: Mapping[str, Sheet],
        accounts: Accounts,
        concession: Concession,
        audit: AuditLog,
        provenance: ShoeLogs,
        links: AccountLinks,
    ) -> None:
        super().__init__(guard, chance, sheets)
        self._accounts, self._concession, self._protects = accounts, concession, guard
        self._audit, self._provenance, self._links = audit, provenance, links
        self._floor = Floor(self, accounts, concession)
        self._on_floor = False
        self._broken = ""
        self.halted = ""
        """Why no round begins, for who runs the house; open ones go on (R-19)."""

    @property
    def broken(self) -> str:
        """Why nothing more is decided here; empty in a sound house."""
        return self._broken

    def find_barred_boxes(self, live: LiveTable, player: PlayerId, at: int) -> tuple[int, ...]:
        """The boxes behind which this player may not bet, for his options: asked of him it is refused (H-5, X-19)."""
        return (
            ()
            if live.practice or player not in self._accounts
            else self._links.find_barred_boxes(live.table, player, at)
        )

    def find_allowance(self, live: LiveTable, player: PlayerId, at: int) -> Allowance | None:
        """What his own limits say to a stake here, for his options; practice is no money (X-08, X-19)."""
        return None if live.practice else self._protects.allowance(player, at)

    def handle(self, request: Request) -> Decision:
        if self._broken:
            raise PipelineBroken(self._broken)
        if self._on_floor:
            return super().handle(request)
        live = self.tables.get(request.table)
        try:
            decided = self._asked(request, live)
        except RandomnessFailed as fault:
            return refuse(request.table, live.version if live else 0, ChanceStopped(str(fault)))
        if live is None or decided.batch is None or not decided.events:
            return decided
        try:
            return replace(decided, batch=self._followed(live, request, decided, decided.batch))
        except Exception as fault:
            self._broken = f"{type(request.command).__name__} at {request.table}: {type(fault).__name__}: {fault}"
            raise PipelineBroken(self._broken) from fault

    def _asked(self, request: Request, live: LiveTable | None) -> Decision:
        command = request.command
        if live and self.halted and _begins(live, command) and not self.has_key(request.key):
            return refuse(request.table, live.version, ProgramUnverified())
        if live is None or live.practice or self.has_key(request.key):
            return super().handle(request)
        account = self._accounts.get(request.player)
        if request.player and account is None:
            return refuse(request.table, live.version, NotYours(request.player))
        if account and account.player.needs_second_factor and isinstance(command, (*_JOINS, BringMoney)):
            return refuse(request.table, live.version, SecondFactorMissing())
        if account and isinstance(command, _JOINS) and (no := account.player_limits.check_play(command.at)):
            return refuse(request.table, live.version, no)
        if account and (linked := self._links.refuses(live.table, command, command.at)):
            return refuse(request.table, live.version, linked)
        if not isinstance(command, BringMoney):
            return super().handle(request)
        if account is None or command.player != request.player or command.vip != account.player.vip:
            return refuse(request.table, live.version, NotYours(request.player))
        self._on_floor = True
        try:
            return self._floor.bring(command.player, request.table, command.amount, request.key, command.at).decided
        finally:
            self._on_floor = False

    def _followed(self, before: LiveTable, request: Request, decided: Decision, batch: Batch) -> Batch:
        if before.practice:
            return batch
        at, after = request.command.at, self.tables[request.table]
        reported = self._concession.report_rounds(batch)
        noted = self._audit.write_table_acts(request.table, at, decided.events)
        cards = self._provenance.record_table_events(before.table, decided.events, at)
        left = isinstance(request.command, TakeMoney) or isinstance(decided.events[-1], TableClosed)
        ended = self._concession.end_session(after, at) if left else None
        return merge(reported, noted, Batch(records=cards), ended if isinstance(ended, Batch) else None)


def _begins(live: LiveTable, command: Command) -> bool:
    """Whether a round could begin with this: a bet, or the end of betting with bets on the table."""
    ends = isinstance(command, Tick) and live.table.phase is Phase.BETTING and find_voidable(live.table)
    return isinstance(command, _BETS) or bool(ends)


def check_certificate(sheet: Sheet, folder: Path) -> NotCertified | None:
    """Why a table may not open on this sheet: no certificate of it lies in the folder, named by its hash (V-20)."""
    try:
        certificate = json.loads((folder / f"{sheet.hash}.json").read_bytes())
    except (OSError, ValueError):
        return NotCertified(sheet.game.id, sheet.hash)
    named = certificate.get("sheet") if isinstance(certificate, dict) else None
    return None if named == sheet.hash else NotCertified(sheet.game.id, sheet.hash)
