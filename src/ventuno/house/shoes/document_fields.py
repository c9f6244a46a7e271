"""Parts of a document, dataclasses, as JSON and back: a wrong type or an unknown key is unreadable, and says where."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field, fields, is_dataclass
from functools import cache
from typing import Any, TypeVar, cast

from ventuno.core.rules.cards import Card, NotACard, card, cards, line
from ventuno.house.store.canonical_json import Unreadable

_HEX = re.compile(r"[0-9a-f]*")
HASH = 32
_PLAIN = frozenset((int, str, bool, type(None)))

Value = TypeVar("Value")
Reader = Callable[[object, str], Value]
"""Reads what stands at a place; Unreadable names the place."""


def optional(default: Any) -> Any:
    """A field of a part that is left out where it has its default: what older parts did not have, they hash without."""
    return field(default=default, metadata={"optional": True})


def write_fields(part: Any, *, sparse: bool = False) -> dict[str, Any]:
    """A dataclass as a JSON object; `sparse` leaves out what is None or empty."""
    written: dict[str, Any] = {}
    for name, is_optional, default in _list_fields(part.__class__):
        value = getattr(part, name)
        if (is_optional and value == default) or (sparse and (value is None or value == () or value == {})):
            continue
        written[name] = value if type(value) in _PLAIN else write_value(value, sparse=sparse)
    return written


@cache
def _list_fields(kind: type[Any]) -> tuple[tuple[str, bool, Any], ...]:
    """The name of each field, whether it is left out where it has its default, and that."""
    return tuple((each.name, "optional" in each.metadata, each.default) for each in fields(kind))


def write_value(value: Any, *, sparse: bool = False) -> Any:
    """A value as JSON: bytes as hexadecimal digits, keys as texts, a dataclass as the object of its fields."""
    if type(value) in _PLAIN:
        return value
    match value:
        case bytes():
            return value.hex()
        case str():
            return str(value)
        case tuple():
            return [write_value(entry, sparse=sparse) for entry in value]
        case _ if is_dataclass(value):
            return write_fields(value, sparse=sparse)
        case Mapping():
            return {str(key): write_value(entry, sparse=sparse) for key, entry in value.items()}
        case _:
            return value


def read_part(kind: type[Value], raw: object, at: str, /, **readers: Reader[Any]) -> Value:
    """A part of a document from the object of its fields: each by its own reader, or by that of its type."""
    types = {each.name: str(each.type) for each in fields(cast("Any", kind))}
    defaults = {each.name: each.default for each in fields(cast("Any", kind)) if "optional" in each.metadata}
    raw_values = read_mapping(raw, at, tuple(name for name in types if name not in defaults), tuple(defaults))
    chosen = {name: readers.get(name, _READERS.get(types[name], read_text)) for name in types if name in raw_values}
    values = {name: read(raw_values[name], f"{at}.{name}") for name, read in chosen.items()}
    if idle := [name for name, default in defaults.items() if name in values and values[name] == default]:
        raise Unreadable(f"{at}.{idle[0]}: left out where it says nothing")
    return kind(**values)


def read_mapping(raw: object, at: str, needed: tuple[str, ...], allowed: tuple[str, ...] = ()) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise Unreadable(f"{at}: an object is needed")
    if unknown := [key for key in raw if key not in needed and key not in allowed]:
        raise Unreadable(f"{at}: unknown key {unknown[0]!r}; keys: {', '.join((*needed, *allowed))}")
    if missing := [key for key in needed if key not in raw]:
        raise Unreadable(f"{at}: {missing[0]} is missing")
    return raw


def read_list(raw: object, at: str) -> list[Any]:
    if not isinstance(raw, list):
        raise Unreadable(f"{at}: a list is needed")
    return raw


def read_text(raw: object, at: str) -> str:
    if not isinstance(raw, str):
        raise Unreadable(f"{at}: a text is needed")
    return raw


def read_word(raw: object, at: str, choices: tuple[str, ...]) -> str:
    word = read_text(raw, at)
    if word not in choices:
        raise Unreadable(f"{at}: {word!r} is none of {', '.join(choices)}")
    return word


def read_whole(raw: object, at: str) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool) or raw < 0:
        raise Unreadable(f"{at}: a whole number, 0 or more, is needed")
    return raw


def read_hex(raw: object, at: str, size: int, *, empty: bool = False) -> bytes:
    """Bytes written as lower-case hexadecimal digits."""
    digits = read_text(raw, at)
    if empty and not digits:
        return b""
    if len(digits) != 2 * size or not _HEX.fullmatch(digits):
        raise Unreadable(f"{at}: {2 * size} lower-case hexadecimal digits are needed")
    return bytes.fromhex(digits)


def read_hash(raw: object, at: str) -> bytes:
    return read_hex(raw, at, HASH)


def read_each(raw: object, at: str, read: Reader[Value]) -> tuple[Value, ...]:
    """A list, each entry by the same reader."""
    return tuple(read(entry, f"{at}[{i}]") for i, entry in enumerate(read_list(raw, at)))


def read_hashes(raw: object, at: str) -> tuple[bytes, ...]:
    return read_each(raw, at, read_hash)


def read_card(raw: object, at: str) -> Card:
    try:
        return card(read_text(raw, at))
    except NotACard as fault:
        raise Unreadable(f"{at}: {fault}") from None


def read_cards(raw: object, at: str) -> tuple[Card, ...]:
    """Cards parted by one blank each."""
    written = read_text(raw, at)
    try:
        listed = cards(written)
    except NotACard as fault:
        raise Unreadable(f"{at}: {fault}") from None
    if line(listed) != written:
        raise Unreadable(f"{at}: cards are parted by one blank")
    return listed


_READERS: dict[Any, Reader[Any]] = {"int": read_whole, "bytes": read_hash, "tuple[bytes, ...]": read_hashes}
"""By the type of a field, as it is annotated; all others are texts."""
