"""The supervisor's list: markers of harm, signals of collusion, and accounts that he has linked (R-39, R-46, H-5).

Its stream, `concerns`, is chained like every other and never leaves the house but in a whole export: what it says of a
player is no other player's business. The audit log tells that an entry was made, and not of whom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple, TypeAlias, get_args

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import PlayerId
from ventuno.house.accounts.player_limits import DAY
from ventuno.house.integrity.collusion import Signal
from ventuno.house.integrity.harm_markers import Mark
from ventuno.house.store.audit_log import AuditLog, ConcernRaised
from ventuno.house.store.records import Batch, Journal, Record, make_reader

STREAM = "concerns"


@dataclass(frozen=True, slots=True)
class HarmMarked:
    """A marker stood for this player on this day; `day` counts from 1970."""

    player: PlayerId
    marker: str
    day: int
    numbers: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class CollusionSuspected:
    first: PlayerId
    second: PlayerId
    pattern: str
    day: int
    numbers: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class AccountsLinked:
    """A supervisor says that two accounts belong together: they no longer bet behind each other (H-5)."""

    first: PlayerId
    second: PlayerId
    by: PlayerId
    reason: str


@dataclass(frozen=True, slots=True)
class AccountsUnlinked:
    first: PlayerId
    second: PlayerId
    by: PlayerId
    reason: str


@dataclass(frozen=True, slots=True)
class DealerCalled:
    """A dealer calls the supervisor to his table; after a `misdeal` it stands still until he comes (V-76)."""

    table: str
    player: PlayerId
    misdeal: bool
    reason: str
    at: int


Alert: TypeAlias = HarmMarked | CollusionSuspected | AccountsLinked | AccountsUnlinked | DealerCalled
read: Callable[[str, bytes], Alert] = make_reader(get_args(Alert))


class LinkUnfit(Refusal):
    first: PlayerId
    second: PlayerId
    reason: str
    player: PlayerId = ""


class AlertEntry(NamedTuple):
    """A line of the list."""

    number: int
    at: int
    alert: Alert


class Alerts:
    """The list, in memory and in its stream; each marker or signal of somebody stands in it once a day."""

    def __init__(self, journal: Journal, audit: AuditLog) -> None:
        self._journal, self._audit = journal, audit
        self._entries: list[AlertEntry] = []
        self._known: set[tuple[str, ...]] = set()
        self._links: set[tuple[PlayerId, PlayerId]] = set()
        self.changes = 0
        """Counts what was written here."""

    def recover(self, records: Sequence[Record]) -> None:
        self._journal.resume(records)
        for record in records:
            self._apply(AlertEntry(record.seq, record.at, read(record.kind, record.body)))

    def add_marks(self, player: PlayerId, marks: Iterable[Mark], at: int) -> Batch | None:
        """Markers of a player, those that this day does not hold yet (R-39)."""
        return self._record([HarmMarked(player, mark.marker, at // DAY, mark.numbers) for mark in marks], at)

    def add_signals(self, signals: Iterable[Signal], at: int) -> Batch | None:
        """Signals between accounts, those that this day does not hold yet (R-46)."""
        alerts = [
            CollusionSuspected(signal.first, signal.second, signal.pattern, at // DAY, signal.numbers)
            for signal in signals
        ]
        return self._record(alerts, at)

    def add_call(self, call: DealerCalled) -> Batch | None:
        """A dealer's call, once however often it is told (V-76)."""
        return self._record([call], call.at)

    def link(self, first: PlayerId, second: PlayerId, by: PlayerId, reason: str, at: int) -> Batch | LinkUnfit:
        if first == second or self.are_linked(first, second):
            return LinkUnfit(first, second, "same-account" if first == second else "already-linked")
        return self._record([AccountsLinked(*_sort_pair(first, second), by, reason)], at) or Batch()

    def unlink(self, first: PlayerId, second: PlayerId, by: PlayerId, reason: str, at: int) -> Batch | LinkUnfit:
        if not self.are_linked(first, second):
            return LinkUnfit(first, second, "not-linked")
        return self._record([AccountsUnlinked(*_sort_pair(first, second), by, reason)], at) or Batch()

    def are_linked(self, first: PlayerId, second: PlayerId) -> bool:
        """Whether a supervisor has linked them."""
        return _sort_pair(first, second) in self._links

    def list_entries(self, before: int | None = None, limit: int = 50) -> list[AlertEntry]:
        """Newest first; `before` is the number of the last one already seen."""
        entries = self._entries if before is None else self._entries[: max(before - 1, 0)]
        return entries[: -limit - 1 : -1] if limit > 0 else []

    def list_of(self, player: PlayerId, limit: int = 50) -> list[AlertEntry]:
        """What the list says of one player, newest first."""
        return list(islice((entry for entry in reversed(self._entries) if _concerns(entry.alert, player)), limit))

    def has_marker(self, player: PlayerId, since: int) -> bool:
        """Whether a marker of harm stands for this player from a moment on."""
        return any(
            isinstance(entry.alert, HarmMarked) and entry.alert.player == player
            for entry in reversed(self._entries)
            if entry.at >= since
        )

    def _record(self, alerts: Sequence[Alert], at: int) -> Batch | None:
        new = [alert for alert in alerts if _make_key(alert) not in self._known]
        records = self._journal.write(STREAM, at, new)
        for record, alert in zip(records, new, strict=True):
            self._apply(AlertEntry(record.seq, at, alert))
        noted = [ConcernRaised(type(alert).__name__, record.seq) for record, alert in zip(records, new, strict=True)]
        return Batch(records=(*records, *self._audit.write(at, *noted))) if new else None

    def _apply(self, entry: AlertEntry) -> None:
        self._entries.append(entry)
        self.changes += 1
        match entry.alert:
            case AccountsLinked(first, second):
                self._links.add((first, second))
            case AccountsUnlinked(first, second):
                self._links.discard((first, second))
            case _:
                self._known.add(_make_key(entry.alert))


def _sort_pair(first: PlayerId, second: PlayerId) -> tuple[PlayerId, PlayerId]:
    return min(first, second), max(first, second)


def _concerns(alert: Alert, player: PlayerId) -> bool:
    return (
        alert.player == player
        if isinstance(alert, HarmMarked | DealerCalled)
        else player in (alert.first, alert.second)
    )


def _make_key(alert: Alert) -> tuple[str, ...]:
    """What stands in the list once; an act of a supervisor is never the same as another."""
    match alert:
        case HarmMarked(player, marker, day):
            return player, marker, str(day)
        case CollusionSuspected(first, second, pattern, day):
            return first, second, pattern, str(day)
        case DealerCalled(table, player, at=at):
            return table, player, str(at)
        case _:
            return ()
