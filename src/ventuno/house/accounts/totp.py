"""One-time codes from a shared secret and the time: TOTP as RFC 6238 has it, on SHA-1, six digits, thirty seconds.

SHA-1 because the apps that show the codes know no other; HMAC does not need a hash without collisions.
"""

from __future__ import annotations

import hmac
from base64 import b32decode, b32encode
from collections.abc import Iterator
from urllib.parse import quote

SIZE = 20
"""Bytes of a secret: as long as the hash, as RFC 4226 recommends."""
STEP = 30_000
"""Milliseconds for which a code is shown."""
WINDOW = 1
"""Steps before and after the present one whose code is taken: clocks differ, and people type slowly."""
DIGITS = 6


def compute_code(secret: bytes, step: int, digits: int = DIGITS, algorithm: str = "sha1") -> str:
    """The code of a step: four bytes of the HMAC, from the place its last nibble names.

    >>> code(b"12345678901234567890", 59_000 // STEP, 8)
    '94287082'
    """
    digest = hmac.digest(secret, step.to_bytes(8, "big"), algorithm)
    place = digest[-1] & 15
    number = int.from_bytes(digest[place : place + 4], "big") & 0x7FFF_FFFF
    return f"{number % 10**digits:0{digits}d}"


def find_step(secret: bytes, given: str, at: int, last: int) -> int | None:
    """The step whose code this is: one of the window, and later than the last that was used. All are compared."""
    steps = [step for step in _window(at) if step > last and hmac.compare_digest(compute_code(secret, step), given)]
    return steps[0] if steps else None


def _window(at: int) -> Iterator[int]:
    now = at // STEP
    yield from range(max(now - WINDOW, 0), now + WINDOW + 1)


def encode_secret(secret: bytes) -> str:
    """The secret as people type it."""
    return b32encode(secret).decode().rstrip("=")


def decode_secret(text: str) -> bytes:
    """The secret of a text as `written` gives it."""
    return b32decode(text + "=" * (-len(text) % 8))


def make_uri(secret: bytes, account: str, issuer: str) -> str:
    """What an app reads from a square code.

    >>> address(b"12345678901234567890", "Ada", "ventuno")
    'otpauth://totp/ventuno:Ada?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=ventuno'
    """
    return f"otpauth://totp/{quote(issuer)}:{quote(account)}?secret={encode_secret(secret)}&issuer={quote(issuer)}"
