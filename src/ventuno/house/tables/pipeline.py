"""The path of a command through a house of people, step by step.

The steps around the authority are the two lists at the end: checks come first, and the first refusal wins; records
follow, and are committed in the batch of the command, or none of it is (R-17, R-30, R-31, X-01).

    known key · program · account · second factor and exclusion · links · money and ids ·
    rules with limits (`Authority.handle`) ·
    reports of rounds · audit log · shoe log · end of the session
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Protocol, get_args

from msgspec import Struct
from msgspec.structs import replace

from ventuno.core.messages.commands import (
    BringMoney,
    Command,
    DealNow,
    DeskCommand,
    DoubleBets,
    PlaceBet,
    RepeatBets,
    TakeDesk,
    TakeSeat,
    Tick,
)
from ventuno.core.messages.desk_events import (
    DeskLeft,
    DeskTaken,
    HelpCalled,
    MisdealDeclared,
    ScanTakenBack,
    ShoeDeclared,
)
from ventuno.core.messages.events import (
    BETS,
    Event,
    LimitsChanged,
    MoneyTaken,
    RoundSettled,
    RoundVoided,
    SeatFreed,
    TableClosed,
    TableClosingBy,
    TablePausedBy,
    TableResumed,
)
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.core.table.seats import check_seat, list_seated
from ventuno.core.table.state import Phase, Table
from ventuno.core.table.supervision import find_voidable
from ventuno.house.accounts.account_service import NotSupervisor
from ventuno.house.accounts.accounts import Account, Accounts
from ventuno.house.accounts.players import STAFF
from ventuno.house.accounts.rights import Right, RightMissing, has_right
from ventuno.house.accounts.second_factor import SecondFactorMissing
from ventuno.house.shoes.entropy import RandomnessFailed
from ventuno.house.shoes.shoe_log import ShoeLogs
from ventuno.house.store.audit_log import AuditLog
from ventuno.house.store.records import Batch, merge
from ventuno.house.tables.authority import Authority, Decision, LiveTable, NotYours, Request, refuse
from ventuno.house.tables.concession import Concession


class ChanceStopped(Refusal):
    """R-27: nothing is drawn from a generator that failed."""

    reason: str


class ProgramUnverified(Refusal):
    """R-19: open rounds are played to their end. What differs is the supervisor's to know."""


class DealerPlays(Refusal):
    """X-27: who deals at a table has no seat and no money there."""


class PipelineBroken(RuntimeError):
    """A decision was made and what follows from it could not be written: leave the process and recover."""


class LinkCheck(Protocol):
    """Accounts that belong together do not bet behind each other (H-5)."""

    def refuses(self, table: Table, command: Command, at: int, /) -> Refusal | None: ...

    def find_barred_boxes(self, table: Table, player: PlayerId, at: int, /) -> tuple[int, ...]: ...


class Asked(Struct):
    """A request at a table: the table as it was, and the account of who asks (none: the house).

    `admission` are new ids of a session and a participation, for a seat that is taken or money that is brought.
    """

    request: Request
    live: LiveTable
    account: Account | None
    admission: Batch | None = None


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
        live, command = self.authority.tables.get(request.table), request.command
        if live is None or request.key in self.authority.keys:
            return self.authority.handle(request)
        if self.halted and _may_begin_round(live, command):
            return refuse(request.table, live.version, ProgramUnverified())
        asked = Asked(request, live, self._accounts.get(request.player))
        if request.player and asked.account is None and not live.practice:  # who plays for money has an account
            return refuse(request.table, live.version, NotYours(request.player))
        for kinds, check in () if live.practice else CHECKS:
            if isinstance(command, kinds) and (refusal := check(self, asked)):
                return refuse(request.table, live.version, refusal)
        try:
            decision = self.authority.handle(asked.request)
        except RandomnessFailed as fault:
            return refuse(request.table, live.version, ChanceStopped(str(fault)))
        batches = [batch for batch in (asked.admission, decision.batch) if batch]
        if decision.events and not live.practice:
            try:
                concerned = find_records(frozenset(map(type, decision.events)))
                batches += [batch for record in concerned if (batch := record(self, asked, decision))]
            except Exception as fault:
                self.broken = f"{type(command).__name__} at {request.table}: {type(fault).__name__}: {fault}"
                raise PipelineBroken(self.broken) from fault
        if len(batches) <= 1 and not asked.admission:
            return decision
        return replace(decision, batch=merge(*batches))

    def check_protection(self, asked: Asked) -> Refusal | None:
        """A second factor where the role needs one (ASVS 6.3); no exclusion, no pause (R-38)."""
        if asked.account is None:
            return None
        if asked.account.player.needs_second_factor:
            return SecondFactorMissing()
        is_money = isinstance(asked.request.command, BringMoney)
        return None if is_money else asked.account.player_limits.check_play(asked.request.command.at)

    def check_dealer(self, asked: Asked) -> Refusal | None:
        """A dealer or a supervisor, with a second factor, who does not play at this table (X-27, ASVS 6.3)."""
        account, table = asked.account, asked.live.table
        if account is None:
            return NotYours(asked.request.player)
        player = account.player
        if player.role not in STAFF:
            return NotSupervisor(player.id)
        if player.needs_second_factor:
            return SecondFactorMissing()
        if not has_right(player.role, Right.DEAL):
            return RightMissing(player.role, Right.DEAL)
        plays = table.purse(player.id) or table.total_stake_of(player.id) or player.id in list_seated(table)
        return DealerPlays() if plays and isinstance(asked.request.command, TakeDesk) else None

    def check_not_dealer(self, asked: Asked) -> Refusal | None:
        """Who deals at a table does not play there (X-27)."""
        studio = asked.live.table.studio
        return DealerPlays() if studio and studio.dealer == asked.request.player else None

    def check_links(self, asked: Asked) -> Refusal | None:
        """No bet behind a box of somebody who belongs together with the player (H-5)."""
        command = asked.request.command
        return self._links.refuses(asked.live.table, command, command.at) if asked.account else None

    def admit_money(self, asked: Asked) -> Refusal | None:
        """Ids first, then the money, in one batch; who is excluded or pauses brings nothing (R-30, R-38).

        The VIP level that comes with it is the account's own (D-05, L-05).
        """
        request, account = asked.request, asked.account
        command = request.command
        assert isinstance(command, BringMoney)
        if account is None or command.player != request.player or command.vip != account.player.vip:
            return NotYours(request.player)
        if refusal := account.player_limits.check_play(command.at):
            return refusal
        asked.request = replace(request, trusted=True)
        return self._admit(asked)

    def admit_seat(self, asked: Asked) -> Refusal | None:
        """Who was here before and took his money away has ids again before he sits (V-75); the rules say if he may."""
        command = asked.request.command
        assert isinstance(command, TakeSeat)
        is_own = asked.account is not None and command.player == asked.request.player
        may_sit = is_own and check_seat(asked.live.table, command.player, command.box) is None
        return self._admit(asked) if may_sit else None

    def _admit(self, asked: Asked) -> Refusal | None:
        request, live = asked.request, asked.live
        admitted = self._concession.admit(request.player, request.table, live.table.sheet.game.id, request.command.at)
        if isinstance(admitted, Refusal):
            return admitted
        asked.admission = admitted[1]
        return None

    def report_rounds(self, _asked: Asked, decision: Decision) -> Batch | None:
        return self._concession.report_rounds(decision.batch) if decision.batch else None

    def write_audit(self, asked: Asked, decision: Decision) -> Batch | None:
        """What a supervisor or a dealer did (R-17)."""
        return self._audit.write_table_acts(asked.request.table, asked.request.command.at, decision.events)

    def write_shoe_log(self, asked: Asked, decision: Decision) -> Batch | None:
        """Rounds that ended and shoes that retired, for who verifies them (X-01)."""
        records = self._shoe_logs.record_table_events(asked.live.table, decision.events, asked.request.command.at)
        return Batch(records=records) if records else None

    def end_session(self, asked: Asked, _decision: Decision) -> Batch | None:
        """The session of a table ends when nobody sits there any more nor has money there (R-30, reading 35)."""
        return self._concession.end_session(self.authority.tables[asked.request.table].table, asked.request.command.at)


_JOINS = (TakeSeat, PlaceBet, RepeatBets, BringMoney)
"""What nobody does who is excluded or pauses (R-38); stakes are checked with the limits besides."""
_BETS = (PlaceBet, RepeatBets, DoubleBets, DealNow)
_DESK = (DeskTaken, DeskLeft, ShoeDeclared, ScanTakenBack, MisdealDeclared, HelpCalled)
_SUPERVISION = (RoundVoided, TablePausedBy, TableResumed, TableClosingBy, LimitsChanged, *_DESK)
_SHOE_LOG = tuple(kind for kind in get_args(Event) if kind not in BETS)
"""All but bets, which come before a round: the log of a shoe has its rounds whole."""

Check = Callable[[Pipeline, Asked], Refusal | None]
CHECKS: tuple[tuple[type | tuple[type, ...], Check], ...] = (
    (_JOINS, Pipeline.check_protection),
    (_JOINS, Pipeline.check_not_dealer),
    (get_args(DeskCommand), Pipeline.check_dealer),
    ((PlaceBet, RepeatBets, DoubleBets), Pipeline.check_links),
    (BringMoney, Pipeline.admit_money),
    (TakeSeat, Pipeline.admit_seat),
)
"""Before the rules, in this order, by the commands they concern: the first refusal wins."""
WriteRecords = Callable[[Pipeline, Asked, Decision], Batch | None]
RECORDS: tuple[tuple[type | tuple[type, ...], WriteRecords], ...] = (
    ((RoundSettled, RoundVoided), Pipeline.report_rounds),
    (_SUPERVISION, Pipeline.write_audit),
    (_SHOE_LOG, Pipeline.write_shoe_log),
    ((MoneyTaken, SeatFreed, TableClosed), Pipeline.end_session),
)
"""After the rules, in this order, by the events they concern, in the batch of the command."""


@lru_cache(maxsize=1 << 12)
def find_records(happened: frozenset[type]) -> tuple[WriteRecords, ...]:
    """What is to be written where events of these types happened."""
    return tuple(record for kinds, record in RECORDS if any(issubclass(kind, kinds) for kind in happened))


def _may_begin_round(live: LiveTable, command: Command) -> bool:
    """Whether a round could begin with this: a bet, or the end of betting with bets on the table."""
    is_end = isinstance(command, Tick) and live.table.phase is Phase.BETTING and find_voidable(live.table)
    return isinstance(command, _BETS) or bool(is_end)
