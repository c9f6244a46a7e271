"""Takes the fields of a decoded document one by one: the wrong type or an unknown key is unreadable, and says where."""

from __future__ import annotations

import re
from typing import Any

from ventuno.core.rules.cards import Card, NotACard, card, cards, line
from ventuno.house.store.canonical_json import Unreadable

_HEX = re.compile(r"[0-9a-f]*")
HASH = 32


def mapping(raw: object, at: str, needed: tuple[str, ...], allowed: tuple[str, ...] = ()) -> dict[str, Any]:
    if not isinstance(raw, dict):
        raise Unreadable(f"{at}: an object is needed")
    if unknown := [key for key in raw if key not in needed and key not in allowed]:
        raise Unreadable(f"{at}: unknown key {unknown[0]!r}; keys: {', '.join((*needed, *allowed))}")
    if missing := [key for key in needed if key not in raw]:
        raise Unreadable(f"{at}: {missing[0]} is missing")
    return raw


def listed(raw: object, at: str) -> list[Any]:
    if not isinstance(raw, list):
        raise Unreadable(f"{at}: a list is needed")
    return raw


def text(raw: object, at: str) -> str:
    if not isinstance(raw, str):
        raise Unreadable(f"{at}: a text is needed")
    return raw


def word(raw: object, at: str, known: tuple[str, ...]) -> str:
    found = text(raw, at)
    if found not in known:
        raise Unreadable(f"{at}: {found!r} is none of {', '.join(known)}")
    return found


def whole(raw: object, at: str) -> int:
    if not isinstance(raw, int) or isinstance(raw, bool) or raw < 0:
        raise Unreadable(f"{at}: a whole number, 0 or more, is needed")
    return raw


def octets(raw: object, at: str, size: int, *, empty: bool = False) -> bytes:
    """Bytes written as lower-case hexadecimal digits."""
    found = text(raw, at)
    if empty and not found:
        return b""
    if len(found) != 2 * size or not _HEX.fullmatch(found):
        raise Unreadable(f"{at}: {2 * size} lower-case hexadecimal digits are needed")
    return bytes.fromhex(found)


def hashes(raw: object, at: str) -> tuple[bytes, ...]:
    return tuple(octets(one, f"{at}[{i}]", HASH) for i, one in enumerate(listed(raw, at)))


def one_card(raw: object, at: str) -> Card:
    try:
        return card(text(raw, at))
    except NotACard as fault:
        raise Unreadable(f"{at}: {fault}") from None


def some_cards(raw: object, at: str) -> tuple[Card, ...]:
    """Cards parted by one blank each."""
    written = text(raw, at)
    try:
        found = cards(written)
    except NotACard as fault:
        raise Unreadable(f"{at}: {fault}") from None
    if line(found) != written:
        raise Unreadable(f"{at}: cards are parted by one blank")
    return found
