"""One way to write a value as JSON, so that its hash is one too, and a strict way to read it back.

Keys in the order of their code points, no blanks, everything but printable ASCII as `\\uxxxx`; whole numbers only,
within 2^53, so that every browser reads the same.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any, NoReturn

WHOLE_MOST = 2**53 - 1


class Unreadable(ValueError):
    """The input is no document of this kind: the message says what is wrong and where."""


def encode(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()


def digest(value: object) -> bytes:
    return sha256(encode(value)).digest()


def decode(raw: bytes) -> object:
    """Read JSON; a key twice, a fraction, or a number beyond 2^53 is unreadable."""
    try:
        return json.loads(
            raw.decode("utf-8-sig"),
            object_pairs_hook=_reject_duplicate_keys,
            parse_constant=_reject_number,
            parse_float=_reject_number,
            parse_int=_parse_integer,
        )
    except RecursionError:
        raise Unreadable("nested too deeply") from None
    except json.JSONDecodeError as fault:
        raise Unreadable(f"no JSON: {fault}") from None
    except UnicodeDecodeError:
        raise Unreadable("no UTF-8 text") from None


def _reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise Unreadable("a key stands twice in one object")
    return mapping


def _reject_number(word: str) -> NoReturn:
    raise Unreadable(f"{word[:40]} is no whole number")


def _parse_integer(word: str) -> int:
    if len(word) > 17 or abs(number := int(word)) > WHOLE_MOST:
        raise Unreadable(f"{word[:40]} is beyond 2^53")
    if str(number) != word:
        raise Unreadable(f"{word} is written {number}")
    return number
