"""Events and states as JSON and back, typed both ways: the log is readable by anybody, and read only as what it is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, get_args, get_type_hints

import msgspec

from ventuno.core.messages.events import Event
from ventuno.core.rules.money import PlayerId
from ventuno.core.rules.sheet import Sheet
from ventuno.core.table.state import Table

_KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Event)}
_FIELDS = get_type_hints(Table) | {"sheet": str, "follows": tuple[tuple[PlayerId, int, bool, bool], ...]}
_TABLE_DECODER: msgspec.json.Decoder[Any] = msgspec.json.Decoder(
    msgspec.defstruct(
        "Frozen", [(name, kind, Table._field_defaults.get(name, msgspec.NODEFAULT)) for name, kind in _FIELDS.items()]
    )
)
"""Reads a table as `freeze` writes it."""

Kind = TypeVar("Kind")


class Unreadable(ValueError):
    """A stored record is not of the vocabulary it claims to be."""


def encode(event: object) -> tuple[str, bytes]:
    """The kind of an event and its body."""
    return type(event).__name__, msgspec.json.encode(event)


def make_reader(kinds: Iterable[type[Any]]) -> Callable[[str, bytes], Any]:
    """A decoder for one closed vocabulary."""
    decoders = {kind.__name__: msgspec.json.Decoder(kind) for kind in kinds}

    def read(kind: str, body: bytes) -> Any:
        decoder = decoders.get(kind)
        if decoder is None:
            raise Unreadable(f"{kind} is no known event")
        try:
            return decoder.decode(body)
        except (msgspec.ValidationError, msgspec.DecodeError) as fault:
            raise Unreadable(f"{kind}: {fault}") from None

    return read


def decode(body: bytes, kind: type[Kind]) -> Kind:
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
