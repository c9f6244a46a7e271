"""The log of significant events: who came in, what was changed, what was looked at (R-17).

One stream, `house`, chained like every other, written in the same batch as what it tells of. Values are data, never
parts of a line of text: nothing that a player types can forge an entry (ASVS 16).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias, get_args

from ventuno.core.messages.desk_events import (
    DeskLeft,
    DeskTaken,
    HelpCalled,
    MisdealDeclared,
    ScanTakenBack,
    ShoeDeclared,
)
from ventuno.core.messages.events import Event, LimitsChanged, RoundVoided, TableClosingBy, TablePausedBy, TableResumed
from ventuno.core.rules.money import PlayerId
from ventuno.house.store.records import Batch, Journal, Record, check_chain, make_reader
from ventuno.house.store.store import Store

STREAM = "house"
CLOCK_STEP = 1000
"""A clock that moves by more than this against the monotonic one has stepped (R-18)."""


@dataclass(frozen=True, slots=True)
class AccountOpened:
    player: PlayerId
    guest: bool


@dataclass(frozen=True, slots=True)
class LoggedIn:
    player: PlayerId
    session: str
    address: str


@dataclass(frozen=True, slots=True)
class LoginFailed:
    """`player` is empty where nobody has the name; the name itself is not kept: people type passwords there."""

    player: PlayerId
    account: str
    address: str
    reason: str


@dataclass(frozen=True, slots=True)
class SessionEnded:
    player: PlayerId
    session: str
    reason: str


@dataclass(frozen=True, slots=True)
class PasswordReplaced:
    player: PlayerId


@dataclass(frozen=True, slots=True)
class ProtectionChanged:
    """A limit, a pause, an exclusion: what was decided, by its kind."""

    player: PlayerId
    kind: str
    detail: str


@dataclass(frozen=True, slots=True)
class RightsChanged:
    player: PlayerId
    by: str
    what: str


@dataclass(frozen=True, slots=True)
class ChatMuted:
    player: PlayerId
    by: str
    reason: str
    until: int


@dataclass(frozen=True, slots=True)
class TableActed:
    """A supervisor's act at a table: open, pause, resume, void, limits, close; a dealer's: desk, shoe, unscan …"""

    table: str
    act: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class SupervisorViewed:
    """Somebody looked at what is not his own (H-8)."""

    by: PlayerId
    what: str
    subject: str


@dataclass(frozen=True, slots=True)
class ClockStepped:
    """The wall clock moved against the monotonic one (R-18)."""

    milliseconds: int


@dataclass(frozen=True, slots=True)
class RulesChanged:
    """Sheets, program or settings in force, by name and hash (R-19)."""

    what: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class ManifestTaken:
    """What a version of the program consists of, part by part (R-19)."""

    version: str
    digest: str
    reason: str
    parts: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ProgramVerified:
    """The files were read again and are those of the manifest (R-19)."""

    version: str
    digest: str
    why: str


@dataclass(frozen=True, slots=True)
class ProgramDiffers:
    """The files are not those of the manifest: no new rounds (R-19). The first differences, and how many there are."""

    version: str
    digest: str
    why: str
    differences: tuple[str, ...]
    count: int


@dataclass(frozen=True, slots=True)
class ChanceFailed:
    """The generator cannot be trusted (R-27)."""

    reason: str


@dataclass(frozen=True, slots=True)
class CorrectionAsked:
    """A correction was proposed or withdrawn; no money has moved (R-08)."""

    code: str
    by: PlayerId
    number: int
    act: str
    reason: str


@dataclass(frozen=True, slots=True)
class Corrected:
    """Money moved after settlement, by two persons (R-08)."""

    code: str
    first: PlayerId
    second: PlayerId
    reason: str


@dataclass(frozen=True, slots=True)
class VoidJudged:
    """How a voided round stood, by the cards on the felt: what the house would have won, negative where lost."""

    code: str
    game: str
    house: int


@dataclass(frozen=True, slots=True)
class ConcernRaised:
    """The supervisor's list has a new entry, of this kind and number; of whom it tells, the list says (R-39, R-46)."""

    kind: str
    number: int


@dataclass(frozen=True, slots=True)
class HouseAnnounced:
    """A supervisor's message to everybody who is here."""

    by: PlayerId
    text: str


@dataclass(frozen=True, slots=True)
class RecordsErased:
    """Bodies that were taken out, by stream and number: of a person who is no longer kept, or old enough to go."""

    why: str
    by: str
    places: Mapping[str, tuple[int, ...]]


AuditEvent: TypeAlias = (
    AccountOpened
    | HouseAnnounced
    | ConcernRaised
    | VoidJudged
    | LoggedIn
    | LoginFailed
    | SessionEnded
    | PasswordReplaced
    | ProtectionChanged
    | RightsChanged
    | ChatMuted
    | TableActed
    | SupervisorViewed
    | ClockStepped
    | RulesChanged
    | ManifestTaken
    | ProgramVerified
    | ProgramDiffers
    | ChanceFailed
    | CorrectionAsked
    | Corrected
    | RecordsErased
)
read: Callable[[str, bytes], AuditEvent] = make_reader(get_args(AuditEvent))


class AuditEntry(NamedTuple):
    seq: int
    at: int
    event: AuditEvent


class AuditLog:
    """Writes the log; each entry belongs into the batch of what it tells of."""

    def __init__(self, journal: Journal, stream: str = STREAM) -> None:
        self._journal, self._stream = journal, stream

    def write(self, at: int, *events: AuditEvent) -> tuple[Record, ...]:
        return self._journal.write(self._stream, at, events)

    def write_table_acts(self, table: str, at: int, events: Iterable[Event]) -> Batch | None:
        """What a supervisor did at a table, from the table's own events."""
        acts = [act for event in events if (act := _describe_act(table, event))]
        return Batch(records=self.write(at, *acts)) if acts else None


def _describe_act(table: str, event: Event) -> TableActed | None:
    match event:
        case RoundVoided(by, reason):
            return TableActed(table, "void", by, reason)
        case TablePausedBy(by, reason):
            return TableActed(table, "pause", by, reason)
        case TableResumed(by):
            return TableActed(table, "resume", by, "")
        case TableClosingBy(by, reason):
            return TableActed(table, "close", by, reason)
        case LimitsChanged(limits, by, reason):
            text = ", ".join(f"{bet} {least}-{most}" for bet, (least, most) in limits.items())
            return TableActed(table, "limits", by, f"{reason}: {text}" if reason else text)
        case DeskTaken(player):
            return TableActed(table, "desk", player, "")
        case DeskLeft(player):
            return TableActed(table, "desk-left", player, "")
        case ShoeDeclared(player=player):
            return TableActed(table, "shoe", player, "")
        case ScanTakenBack(player, reason):
            return TableActed(table, "unscan", player, reason)
        case MisdealDeclared(player, reason):
            return TableActed(table, "misdeal", player, reason)
        case HelpCalled(player, reason):
            return TableActed(table, "help", player, reason)
        case _:
            return None


def read_entries(records: Sequence[Record]) -> list[AuditEntry]:
    """The log, checked: an edit, a gap or an insertion raises ChainBroken, an unknown kind Unreadable."""
    check_chain(list(records))
    return [AuditEntry(record.seq, record.at, read(record.kind, record.body)) for record in records]


def find_unexplained(empty: Iterable[tuple[str, int]], log: Iterable[Record]) -> list[str]:
    """Places without a body that the log of the house does not name: somebody took out what he may not."""
    named = {
        (stream, seq)
        for record in log
        if record.kind == RecordsErased.__name__ and isinstance(event := read(record.kind, record.body), RecordsErased)
        for stream, seqs in event.places.items()
        for seq in seqs
    }
    return [
        f"{stream}: record {seq} was taken out, and nothing says why"
        for stream, seq in empty
        if (stream, seq) not in named
    ]


async def read_audit_page(store: Store, end: int, before: int | None = None, limit: int = 50) -> list[AuditEntry]:
    """So many entries before a number, newest first; `end` is the number of the last entry there is."""
    last = end if before is None else min(before - 1, end)
    records = await store.read_records(STREAM, max(last - limit, 0), last)
    return [AuditEntry(record.seq, record.at, read(record.kind, record.body)) for record in reversed(records)]


class ClockWatch:
    """Compares the wall clock with the monotonic one: a step is told once, by its size (R-18)."""

    def __init__(self, wall: int, steady: int) -> None:
        self._offset = wall - steady

    def check(self, wall: int, steady: int) -> ClockStepped | None:
        step = wall - steady - self._offset
        if abs(step) <= CLOCK_STEP:
            return None
        self._offset += step
        return ClockStepped(step)
