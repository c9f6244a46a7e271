"""What the store keeps: records of streams in hash chains, postings, idempotency keys, rounds, shares and snapshots.

Everything is appended and nothing is ever changed. A stream is one history: `table:T1`, `player:17`, `house`. Events
and states are JSON, typed both ways: the log is readable by anybody, and read only as what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

import msgspec

from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.ledger import Posting
from ventuno.core.table.state import Table

ERASED = b"null"
"""The body of a record that was taken out: a person's, or one that was kept long enough. No event is written so."""
START = bytes(32)
"""The hash before the first record of a stream."""
_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Event)}
_FIELDS = get_type_hints(Table) | {"sheet": str, "follows": tuple[tuple[PlayerId, int, bool, bool], ...]}
_TABLE_DECODER: msgspec.json.Decoder[Any] = msgspec.json.Decoder(
    msgspec.defstruct(
        "Frozen", [(name, kind, Table._field_defaults.get(name, msgspec.NODEFAULT)) for name, kind in _FIELDS.items()]
    )
)
"""Reads a table as `freeze` writes it."""

Kind = TypeVar("Kind")


class Record(NamedTuple):
    """One event of a stream; `hash` covers it and, through its predecessor, all before it."""

    stream: str
    seq: int
    at: int
    kind: str
    body: bytes
    hash: bytes


class PostingRow(NamedTuple):
    """One side of a movement of money, with the record that caused it and the rule it follows (X-05)."""

    stream: str
    seq: int
    account: str
    amount: Cents
    criterion: str
    arithmetic: str


class KeyRow(NamedTuple):
    """A command that was accepted: same key and same body get the same answer, for the life of the ledger (I-4)."""

    key: str
    digest: bytes
    answer: bytes


class KeyReused(Refusal):
    """Same key, other body: nothing is done (I-4, G-7)."""

    key: str


class RoundRow(NamedTuple):
    """Where a round lies in its stream: found again by its code (V-66, R-14)."""

    code: str
    stream: str
    first: int
    last: int
    started: int
    ended: int
    game: str
    sheet: str
    voided: bool
    practice: bool = False


class ShareRow(NamedTuple):
    """What one player had in a round: the line of his account history (V-69)."""

    code: str
    player: PlayerId
    ended: int
    staked: Cents
    returned: Cents


class AccountRow(NamedTuple):
    """A share with what its round was: as an account history lists it (V-69)."""

    code: str
    game: str
    ended: int
    staked: Cents
    returned: Cents
    voided: bool


class NameRow(NamedTuple):
    """A name that is held once in the whole house: a login, the hash of a tax code (R-42). It is never given up."""

    kind: str
    name: str
    owner: str


class Snapshot(NamedTuple):
    """A stream's state after its record `seq`; only the newest is kept, but where it has a mark it stays for good.

    A mark grows with the stream, and is what a later reader knows of the place that he looks for.
    """

    stream: str
    seq: int
    body: bytes
    mark: int | None = None


class Batch(msgspec.Struct, frozen=True):
    """All that one command changes: committed together or not at all."""

    records: tuple[Record, ...] = ()
    postings: tuple[PostingRow, ...] = ()
    keys: tuple[KeyRow, ...] = ()
    rounds: tuple[RoundRow, ...] = ()
    shares: tuple[ShareRow, ...] = ()
    names: tuple[NameRow, ...] = ()
    erased: tuple[tuple[str, int], ...] = ()
    """Places whose bodies go; the log of the house names them in the same batch."""
    freed: tuple[NameRow, ...] = ()
    """Names that are given up."""


def merge(*batches: Batch | None) -> Batch:
    """Several changes as one: committed together or not at all."""
    merged = [batch for batch in batches if batch is not None]
    return Batch(*(tuple(row for batch in merged for row in getattr(batch, name)) for name in Batch.__struct_fields__))


class Head(NamedTuple):
    """The end of a stream's chain so far."""

    seq: int = 0
    hash: bytes = START


@dataclass(frozen=True, slots=True)
class Erased:
    """What a record says whose body was taken out: nothing. Its place, time, kind and hash are still there."""


class Unreadable(ValueError):
    """A stored record is not of the vocabulary it claims to be."""


class ChainBroken(ValueError):
    """A record was changed, is missing, or was put in: the message says where."""


def encode_event(event: object) -> tuple[str, bytes]:
    """The kind of an event and its body."""
    return type(event).__name__, msgspec.json.encode(event)


def make_reader(kinds: Iterable[type[Any]]) -> Callable[[str, bytes], Any]:
    """A decoder for one closed vocabulary."""
    decoders = {kind.__name__: msgspec.json.Decoder(kind) for kind in kinds}

    def read(kind: str, body: bytes) -> Any:
        if body == ERASED and kind in decoders:
            return Erased()
        decoder = decoders.get(kind)
        if decoder is None:
            raise Unreadable(f"{kind} is no known event")
        try:
            return decoder.decode(body)
        except (msgspec.ValidationError, msgspec.DecodeError) as fault:
            raise Unreadable(f"{kind}: {fault}") from None

    return read


def decode_body(body: bytes, kind: type[Kind]) -> Kind:
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.ValidationError, msgspec.DecodeError) as fault:
        raise Unreadable(f"{kind.__name__}: {fault}") from None


read_table_event = make_reader(_KINDS.values())
"""Reads an event of a table."""


def encode_table(table: Table) -> bytes:
    """A snapshot of a table: every field, with the sheet by its hash and keyed pairs as lists."""
    fields = table._asdict() | {
        "sheet": table.sheet.hash,
        "follows": [(*key, *value) for key, value in table.follows.items()],
    }
    return msgspec.json.encode(fields, enc_hook=dict)


def decode_table(body: bytes, sheet: Sheet) -> Table:
    """The table of a snapshot; its sheet must be the one it was taken under (T-11).

    A field that an earlier version did not know is as it is at a new table.
    """
    try:
        stored = _TABLE_DECODER.decode(body)
    except (msgspec.ValidationError, msgspec.DecodeError) as fault:
        raise Unreadable(f"snapshot: {fault}") from None
    if stored.sheet != sheet.hash:
        raise Unreadable(f"snapshot of sheet {stored.sheet[:12]}, not {sheet.hash[:12]}")
    follows = {(player, box): (double, split) for player, box, double, split in stored.follows}
    return Table(**msgspec.structs.asdict(stored) | {"sheet": sheet, "follows": follows})


def hash_record(previous: bytes, stream: str, seq: int, at: int, kind: str, body: bytes) -> bytes:
    """The hash of a record in its hash chain. Lengths are part of it, so no two different records read alike."""
    head = f"{stream}\x00{seq}\x00{at}\x00{kind}\x00{len(body)}\x00".encode()
    return sha256(previous + head + body).digest()


def chain_events(head: Head, stream: str, at: int, entries: list[tuple[str, bytes]]) -> tuple[tuple[Record, ...], Head]:
    """Records for these entries, chained to what is there."""
    records = []
    seq, last = head
    for kind, body in entries:
        seq += 1
        last = hash_record(last, stream, seq, at, kind, body)
        records.append(Record(stream, seq, at, kind, body, last))
    return tuple(records), Head(seq, last)


def check_chain(records: list[Record], head: Head | None = None) -> Head:
    """The end of a sound chain; any change, gap or insertion raises ChainBroken (G-11).

    A body that was taken out is not compared: the hash of its record is held by the one after it, and whether it may
    be missing `audit_log.find_unexplained` says.
    """
    last, previous = head or Head()
    for stream, seq, at, kind, body, written in records:
        if seq != last + 1:
            raise ChainBroken(f"{stream}: record {last + 1} is missing, {seq} follows")
        if body != ERASED and written != hash_record(previous, stream, seq, at, kind, body):
            raise ChainBroken(f"{stream}: record {seq} is not what was written")
        last, previous = seq, written
    return Head(last, previous)


def describe_fault(stream: str, fault: Exception) -> str:
    """A fault of a stream, for the list of all that is wrong."""
    return str(fault) if isinstance(fault, ChainBroken) else f"{stream}: {type(fault).__name__}: {fault}"


def make_posting_rows(record: Record, postings: Iterable[Posting]) -> tuple[PostingRow, ...]:
    """The rows of what a record moves."""
    return tuple(
        PostingRow(record.stream, record.seq, posting.account, posting.amount, posting.criterion, posting.arithmetic)
        for posting in postings
    )


class Journal:
    """The ends of the streams that one part of the house writes, and the records that come next.

    It is ahead of the store: it stands where all that was decided stands once committed.
    """

    def __init__(self) -> None:
        self._heads: dict[str, Head] = {}

    def head(self, stream: str) -> Head:
        return self._heads.get(stream, Head())

    def write(self, stream: str, at: int, events: Iterable[object]) -> tuple[Record, ...]:
        """The records of these events, chained to what is there."""
        records, head = chain_events(self.head(stream), stream, at, [*map(encode_event, events)])
        self._heads[stream] = head
        return records

    def resume(self, records: Sequence[Record]) -> None:
        """Go on after what was committed; raises ChainBroken where it is not whole.

        Where the first record is not the first of its stream, a snapshot vouches for it (see `check_tail`).
        """
        if records:
            self._heads[records[0].stream] = check_tail(records)


def check_tail(records: Sequence[Record], snapshot: Snapshot | None = None, hashed: str = "") -> Head:
    """The end of a stream whose records begin where a snapshot was taken, or at the first."""
    first = records[0]
    if snapshot and (first.seq != snapshot.seq or first.hash.hex() != hashed):
        raise ChainBroken(f"{snapshot.stream}: record {snapshot.seq} is not the one its snapshot was taken at")
    return check_chain(list(records)) if first.seq == 1 else check_chain(list(records[1:]), Head(first.seq, first.hash))
