"""The path of a command through a house of people, step by step.

The steps around the authority are the two lists at the end: checks come first, and the first refusal wins; records
follow, and are committed in the batch of the command, or none of it is (R-17, R-30, R-31, X-01).

    known key · program · account · second factor · exclusion · links · money and ids ·
    rules with limits (`Authority.handle`) ·
    reports of rounds · audit log · shoe log · end of the session
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

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
from ventuno.core.messages.events import Event, TableClosed
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.state import Phase, Table
from ventuno.core.table.supervision import find_voidable
from ventuno.house.accounts.accounts import Account, Accounts
from ventuno.house.accounts.second_factor import SecondFactorMissing
from ventuno.house.shoes.entropy import RandomnessFailed
from ventuno.house.shoes.shoe_log import ShoeLogs
from ventuno.house.store.audit_log import AuditLog
from ventuno.house.store.records import Batch, merge
from ventuno.house.tables.authority import Authority
from ventuno.house.tables.concession import Concession
from ventuno.house.tables.live_table import LiveTable
from ventuno.house.tables.requests import Decision, NotYours, Request, refuse

_JOINS = (TakeSeat, PlaceBet, RepeatBets)
"""What nobody does who is excluded or pauses (R-38); stakes are checked with the limits besides."""
_BETS = (PlaceBet, RepeatBets, DoubleBets, DealNow)


@dataclass(frozen=True, slots=True)
class ChanceStopped(Refusal):
    """R-27: nothing is drawn from a generator that failed."""

    reason: str


@dataclass(frozen=True, slots=True)
class ProgramUnverified(Refusal):
    """R-19: open rounds are played to their end. What differs is the supervisor's to know."""


class PipelineBroken(RuntimeError):
    """A decision was made and what follows from it could not be written: leave the process and recover."""


class LinkCheck(Protocol):
    """Accounts that belong together do not bet behind each other (H-5)."""

    def refuses(self, table: Table, command: Command, at: int, /) -> Refusal | None: ...

    def find_barred_boxes(self, table: Table, player: PlayerId, at: int, /) -> tuple[int, ...]: ...


class Asked:
    """A request at a table for money: the table as it was, and the account of who asks (none: the house)."""

    __slots__ = ("account", "admission", "command", "live", "request")

    def __init__(self, request: Request, live: LiveTable, account: Account | None) -> None:
        self.request, self.command, self.live, self.account = request, request.command, live, account
        self.admission: Batch | None = None
        """New ids of a session and a participation, for money that is brought."""


class Pipeline:
    def __init__(
        self,
        authority: Authority,
        accounts: Accounts,
        concession: Concession,
        audit: AuditLog,
        shoe_logs: ShoeLogs,
        links: LinkCheck,
    ) -> None:
        self.authority, self._accounts, self._concession = authority, accounts, concession
        self._audit, self._shoe_logs, self._links = audit, shoe_logs, links
        self.broken = ""
        """Why nothing more is decided here; empty in a sound house."""
        self.halted = ""
        """Why no round begins, for who runs the house; open ones go on (R-19)."""

    def handle(self, request: Request) -> Decision:
        """Decide one request, with all that follows from it."""
        if self.broken:
            raise PipelineBroken(self.broken)
        live = self.authority.tables.get(request.table)
        if live is None or self.authority.has_key(request.key):
            return self.authority.handle(request)
        if self.halted and _may_begin_round(live, request.command):
            return refuse(request.table, live.version, ProgramUnverified())
        if live.practice:
            return self._decide(request, live.version)
        asked = Asked(request, live, self._accounts.get(request.player))
        for check in CHECKS:
            if refusal := check(self, asked):
                return refuse(request.table, live.version, refusal)
        decision = self._decide(asked.request, live.version)
        batch = merge(asked.admission, decision.batch) if asked.admission else decision.batch
        if batch is not None and decision.events:
            try:
                batch = merge(batch, *[record(self, asked, batch, decision.events) for record in RECORDS])
            except Exception as fault:
                self.broken = f"{type(request.command).__name__} at {request.table}: {type(fault).__name__}: {fault}"
                raise PipelineBroken(self.broken) from fault
        return replace(decision, batch=batch)

    def _decide(self, request: Request, version: int) -> Decision:
        try:
            return self.authority.handle(request)
        except RandomnessFailed as fault:
            return refuse(request.table, version, ChanceStopped(str(fault)))

    def check_account(self, asked: Asked) -> Refusal | None:
        """Who plays for money has an account, and a second factor where his role needs one."""
        if asked.account is None:
            return NotYours(asked.request.player) if asked.request.player else None
        is_joining = isinstance(asked.command, (*_JOINS, BringMoney))
        return SecondFactorMissing() if is_joining and asked.account.player.needs_second_factor else None

    def check_exclusion(self, asked: Asked) -> Refusal | None:
        is_joining = asked.account is not None and isinstance(asked.command, _JOINS)
        return asked.account.player_limits.check_play(asked.command.at) if asked.account and is_joining else None

    def check_links(self, asked: Asked) -> Refusal | None:
        command = asked.command
        return self._links.refuses(asked.live.table, command, command.at) if asked.account else None

    def admit_money(self, asked: Asked) -> Refusal | None:
        """Ids first, then the money, in one batch; who is excluded or pauses brings nothing (R-30, R-38).

        The VIP level that comes with it is the account's own (D-05, L-05).
        """
        command, account, request = asked.command, asked.account, asked.request
        if not isinstance(command, BringMoney):
            return None
        if account is None or command.player != request.player or command.vip != account.player.vip:
            return NotYours(request.player)
        if refusal := account.player_limits.check_play(command.at):
            return refusal
        admitted = self._concession.admit(command.player, request.table, asked.live.table.sheet.game.id, command.at)
        if isinstance(admitted, Refusal):
            return admitted
        asked.admission = admitted[1]
        asked.request = replace(request, trusted=True)
        return None

    def report_rounds(self, _asked: Asked, batch: Batch, _events: tuple[Event, ...]) -> Batch | None:
        return self._concession.report_rounds(batch)

    def write_audit(self, asked: Asked, _batch: Batch, events: tuple[Event, ...]) -> Batch | None:
        return self._audit.write_table_acts(asked.request.table, asked.command.at, events)

    def write_shoe_log(self, asked: Asked, _batch: Batch, events: tuple[Event, ...]) -> Batch | None:
        records = self._shoe_logs.record_table_events(asked.live.table, events, asked.command.at)
        return Batch(records=records) if records else None

    def end_session(self, asked: Asked, _batch: Batch, events: tuple[Event, ...]) -> Batch | None:
        """A table that nobody has money at any more ends its session."""
        if not (isinstance(asked.command, TakeMoney) or isinstance(events[-1], TableClosed)):
            return None
        ended = self._concession.end_session(self.authority.tables[asked.request.table], asked.command.at)
        return ended if isinstance(ended, Batch) else None


CHECKS: tuple[Callable[[Pipeline, Asked], Refusal | None], ...] = (
    Pipeline.check_account,
    Pipeline.check_exclusion,
    Pipeline.check_links,
    Pipeline.admit_money,
)
"""Before the rules, in this order: the first refusal wins, and nothing is remembered of what is refused."""
RECORDS: tuple[Callable[[Pipeline, Asked, Batch, tuple[Event, ...]], Batch | None], ...] = (
    Pipeline.report_rounds,
    Pipeline.write_audit,
    Pipeline.write_shoe_log,
    Pipeline.end_session,
)
"""After the rules, in this order, in the batch of the command."""


def _may_begin_round(live: LiveTable, command: Command) -> bool:
    """Whether a round could begin with this: a bet, or the end of betting with bets on the table."""
    is_end = isinstance(command, Tick) and live.table.phase is Phase.BETTING and find_voidable(live.table)
    return isinstance(command, _BETS) or bool(is_end)
