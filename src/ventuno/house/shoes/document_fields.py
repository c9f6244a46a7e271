"""Takes the fields of a decoded document one by one: the wrong type or an unknown key is unreadable, and says where."""

from __future__ import annotations

import re
from typing import Any

from ventuno.core.rules.cards import Card, NotACard, card, cards, line
from ventuno.house.store.canonical_json import Unreadable

_HEX = re.compile(r"[0-9a-f]*")
HASH = 32


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


def read_hashes(raw: object, at: str) -> tuple[bytes, ...]:
    return tuple(read_hex(digest, f"{at}[{i}]", HASH) for i, digest in enumerate(read_list(raw, at)))


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
