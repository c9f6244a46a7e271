"""The concession: session and participation ids before the first stake, and reports that are never lost (R-30…R-32).

The built-in issuer is local and says so on screen. Whatever the issuer is, ids come from it and reports go to it in the
order of their numbers, each once: a report whose receipt was lost is sent again under its number, and the issuer knows.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import NamedTuple, Protocol, TypeAlias, assert_never, cast, get_args

import msgspec

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.table.state import Table
from ventuno.house.store.records import (
    Batch,
    Head,
    Journal,
    Record,
    RoundRow,
    Snapshot,
    check_tail,
    decode_body,
    encode_event,
    make_reader,
)
from ventuno.house.store.store import Store

STREAM = "concession"
SEND_MOST = 1_000
"""Reports that are sent in one go."""
MAX_REPORTS = 1_000
"""Reports that the local issuer keeps to be looked at; the house's own stream has them all."""


class Unreachable(ConnectionError):
    """The issuer does not answer: no new sessions or tickets; what waits stays in the queue (R-31)."""


class Issuer(Protocol):
    """The central system. Asked twice for the same thing it gives the same id; a report's number counts once."""

    @property
    def label(self) -> str:
        """What the screen says of it."""

    def session(self, table: str, game: str, at: int) -> str: ...

    def participation(self, session: str, player: PlayerId, number: int, at: int) -> str: ...

    def report(self, number: int, body: bytes) -> None: ...


class LocalIssuer:
    """Stands in for the central system, and says so (V-75).

    Ids follow from what is asked, so asking again gives the same; the last reports are kept by their number.

    `answers` turned off is a central system that cannot be reached.
    """

    label = "LOCAL"

    def __init__(self) -> None:
        self.answers = True
        self.received: OrderedDict[int, bytes] = OrderedDict()

    def session(self, table: str, game: str, at: int) -> str:
        self._check_reachable()
        return f"S{_digest(table, game, str(at))}"

    def participation(self, session: str, player: PlayerId, number: int, at: int) -> str:
        self._check_reachable()
        return f"P{_digest(session, player, str(number), str(at))}"

    def report(self, number: int, body: bytes) -> None:
        """A number counts once; the next one must follow the last. A house that starts again goes on where it was."""
        self._check_reachable()
        last = next(reversed(self.received), number - 1)
        if number <= last:
            return
        if number != last + 1:
            raise ValueError(f"report {number} comes after {last}: one is missing")
        self.received[number] = body
        if len(self.received) > MAX_REPORTS:
            self.received.popitem(last=False)

    def _check_reachable(self) -> None:
        if not self.answers:
            raise Unreachable("the central system does not answer")


def _digest(*parts: str) -> str:
    return sha256("\x00".join(parts).encode()).hexdigest()[:12].upper()


@dataclass(frozen=True, slots=True)
class SessionBegun:
    session: str
    table: str
    game: str


@dataclass(frozen=True, slots=True)
class ParticipationBegun:
    participation: str
    session: str
    player: PlayerId


@dataclass(frozen=True, slots=True)
class Share:
    participation: str
    staked: Cents
    returned: Cents


@dataclass(frozen=True, slots=True)
class RoundReported:
    """What each participation had in a round, to the cent."""

    session: str
    code: str
    voided: bool
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class SessionEnded:
    """The totals of the session: the sums of its rounds (R-32)."""

    session: str
    rounds: int
    staked: Cents
    returned: Cents


@dataclass(frozen=True, slots=True)
class ReportSent:
    """The issuer has the reports up to this number."""

    number: int


ConcessionEvent: TypeAlias = SessionBegun | ParticipationBegun | RoundReported | SessionEnded | ReportSent
Report: TypeAlias = SessionBegun | ParticipationBegun | RoundReported | SessionEnded
read: Callable[[str, bytes], ConcessionEvent] = make_reader(get_args(ConcessionEvent))


class CentralUnreachable(Refusal):
    """R-31: open rounds finish; nothing new begins."""

    waiting: int


class Totals(NamedTuple):
    rounds: int = 0
    staked: Cents = 0
    returned: Cents = 0


class Admission(NamedTuple):
    """Shown at the top of the screen (V-75)."""

    session: str
    participation: str
    issuer: str


_NONE: Mapping[str, str] = MappingProxyType({})


class ConcessionState(NamedTuple):
    """The fold of the stream: open sessions by table, participations by session and player, totals, the queue."""

    sessions: Mapping[str, str] = _NONE
    participations: Mapping[tuple[str, PlayerId], str] = MappingProxyType({})
    totals: Mapping[str, Totals] = MappingProxyType({})
    queued: tuple[tuple[int, Report], ...] = ()
    last: int = 0


EMPTY = ConcessionState()


def evolve(state: ConcessionState, event: ConcessionEvent) -> ConcessionState:
    match event:
        case SessionBegun(session, table):
            state = state._replace(
                sessions={**state.sessions, table: session}, totals={**state.totals, session: Totals()}
            )
        case ParticipationBegun(participation, session, player):
            state = state._replace(participations={**state.participations, (session, player): participation})
        case RoundReported(session, _, _, shares):
            before = state.totals[session]
            staked, returned = sum(entry.staked for entry in shares), sum(entry.returned for entry in shares)
            totals = Totals(before.rounds + 1, before.staked + staked, before.returned + returned)
            state = state._replace(totals={**state.totals, session: totals})
        case SessionEnded(session):
            open_now = {table: entry for table, entry in state.sessions.items() if entry != session}
            held_now = {key: entry for key, entry in state.participations.items() if key[0] != session}
            totals_now = {key: entry for key, entry in state.totals.items() if key != session}
            state = state._replace(sessions=open_now, participations=held_now, totals=totals_now)
        case ReportSent(number):
            return state._replace(queued=tuple(entry for entry in state.queued if entry[0] > number))
        case _:
            assert_never(event)
    return state._replace(queued=(*state.queued, (state.last + 1, event)), last=state.last + 1)


def fold(records: Iterable[Record], state: ConcessionState = EMPTY) -> ConcessionState:
    for record in records:
        state = evolve(state, read(record.kind, record.body))
    return state


class Concession:
    """Asks the issuer, writes down what it said, and keeps what it has yet to hear."""

    def __init__(self, journal: Journal, issuer: Issuer) -> None:
        self._journal, self.issuer = journal, issuer
        self.state = ConcessionState()
        self.at = 0
        """The newest time in the stream."""

    def recover(self, records: Sequence[Record], state: ConcessionState | None = None) -> None:
        """Go on after these records; their fold is brought along where it begins with a snapshot."""
        self.state = fold(records) if state is None else state
        self._journal.resume(records)
        self.at = records[-1].at if records else 0

    @property
    def head(self) -> Head:
        return self._journal.head(STREAM)

    def admit(self, player: PlayerId, table: str, game: str, at: int) -> tuple[Admission, Batch | None] | Refusal:
        """The ids under which a player plays at a table: the ones he has there, or new ones (R-30)."""
        session = self.state.sessions.get(table)
        participation = self.state.participations.get((session, player)) if session else None
        events: list[ConcessionEvent] = []
        try:
            if session is None:
                session = self.issuer.session(table, game, at)
                events.append(SessionBegun(session, table, game))
            if participation is None:
                number = sum(key[0] == session for key in self.state.participations) + 1
                participation = self.issuer.participation(session, player, number, at)
                events.append(ParticipationBegun(participation, session, player))
        except Unreachable:
            return CentralUnreachable(len(self.state.queued))
        batch = Batch(records=self._write(at, events)) if events else None
        return Admission(session, participation, self.issuer.label), batch

    def find_admission(self, player: PlayerId, table: str) -> Admission | None:
        """The ids of a player at a table, if he has any."""
        session = self.state.sessions.get(table, "")
        participation = self.state.participations.get((session, player))
        return Admission(session, participation, self.issuer.label) if participation else None

    def report_rounds(self, batch: Batch) -> Batch | None:
        """The reports of the rounds in a batch: both are committed, or neither (R-31, R-32)."""
        events: list[ConcessionEvent] = []
        at = 0
        for row in batch.rounds:
            session = self.state.sessions.get(row.stream.removeprefix("table:"))
            shares = [share for share in batch.shares if share.code == row.code]
            if session is not None and shares:
                participations = self.state.participations
                listed = tuple(
                    Share(participations.get((session, share.player), ""), share.staked, share.returned)
                    for share in shares
                )
                events.append(RoundReported(session, row.code, row.voided, listed))
                at = row.ended
        return Batch(records=self._write(at, events)) if events else None

    def end_session(self, table: Table, at: int) -> Batch | None:
        """Close the session of a table where nobody sits or has money; the next who comes begins anew (reading 35)."""
        session = self.state.sessions.get(table.id)
        if session is None or _is_occupied(table):
            return None
        return Batch(records=self._write(at, [SessionEnded(session, *self.state.totals[session])]))

    def send_reports(self, at: int, most: int = SEND_MOST) -> Batch | None:
        """Send what waits, in order, until it is all gone or the issuer falls silent."""
        sent = 0
        for number, report in self.state.queued[:most]:
            try:
                self.issuer.report(number, msgspec.json.encode({type(report).__name__: report}))
            except Unreachable:
                break
            sent = number
        return Batch(records=self._write(at, [ReportSent(sent)])) if sent else None

    def _write(self, at: int, events: Sequence[ConcessionEvent]) -> tuple[Record, ...]:
        for event in events:
            self.state = evolve(self.state, event)
        self.at = max(self.at, at)
        return self._journal.write(STREAM, at, events)


def _is_occupied(table: Table) -> bool:
    """Whether somebody sits or has money here; a table for one is its owner's for good, so there it is the money."""
    has_money = any(purse or table.total_stake_of(player) for player, purse in table.purses.items())
    return has_money or (not table.sheet.game.solo and any(table.seats))


class StoredState(NamedTuple):
    """The fold in a snapshot; `hash` is that of the record it was taken at."""

    hash: str
    sessions: dict[str, str]
    participations: list[tuple[str, PlayerId, str]]
    totals: dict[str, Totals]
    queued: list[tuple[int, str, msgspec.Raw]]
    last: int


def encode_state(state: ConcessionState, hashed: bytes) -> bytes:
    queued = [
        (number, kind, msgspec.Raw(body)) for number, entry in state.queued for kind, body in [encode_event(entry)]
    ]
    participations = [(*key, entry) for key, entry in state.participations.items()]
    stored = StoredState(hashed.hex(), dict(state.sessions), participations, dict(state.totals), queued, state.last)
    return msgspec.json.encode(stored)


def decode_state(stored: StoredState) -> ConcessionState:
    queued = tuple((number, cast("Report", read(kind, body))) for number, kind, body in stored.queued)
    participations = {(session, player): participation for session, player, participation in stored.participations}
    return ConcessionState(stored.sessions, participations, stored.totals, queued, stored.last)


def restore_state(records: Sequence[Record], snapshot: Snapshot | None = None) -> ConcessionState:
    """All that these records say; where a snapshot was taken at the first of them, on top of that."""
    if snapshot is None:
        return fold(records)
    stored = decode_body(snapshot.body, StoredState)
    check_tail(records, snapshot, stored.hash)
    return fold(records[1:], decode_state(stored))


def take_snapshot(concession: Concession) -> Snapshot:
    """All as it is with what was decided. It stays: whoever looks for a report begins before its time."""
    seq, hashed = concession.head
    return Snapshot(STREAM, seq, encode_state(concession.state, hashed), concession.at)


async def find_admission(store: Store, row: RoundRow, player: PlayerId) -> Admission | None:
    """The ids under which a player was in a round that is stored, however long ago."""
    if row.practice:
        return None
    base = await store.find_permanent_snapshot(STREAM, row.ended - 1)
    state = decode_state(decode_body(base.body, StoredState)) if base else EMPTY
    records: list[Record] = []
    async for page in store.iterate_records(STREAM, after=base.seq if base else 0):
        records += [
            record for record in page if record.kind == ParticipationBegun.__name__ or row.code.encode() in record.body
        ]
        if page[-1].at > row.ended:
            break
    return read_admission(records, row.code, player, state)


def read_admission(
    records: Iterable[Record], code: str, player: PlayerId, state: ConcessionState = EMPTY
) -> Admission | None:
    """The ids under which a player was in a round, from the stream alone, or from its fold on (R-14, R-30)."""
    sessions = {
        participation: session for (session, who), participation in state.participations.items() if who == player
    }
    for record in records:
        event = read(record.kind, record.body)
        if isinstance(event, ParticipationBegun) and event.player == player:
            sessions[event.participation] = event.session
        elif isinstance(event, RoundReported) and event.code == code:
            participation = next(
                (share.participation for share in event.shares if share.participation in sessions), None
            )
            return Admission(sessions[participation], participation, "") if participation else None
    return None
