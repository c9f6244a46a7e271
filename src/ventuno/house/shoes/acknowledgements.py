"""What the house signs for who takes part in a cut: that his promise, or his reveal, came in time.

Kept by the player. A house that calls a reveal missing which it acknowledged has signed both, and anybody sees it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from ventuno.core.rules.money import PlayerId
from ventuno.house.shoes.document_fields import read_hex, read_part, read_word, write_fields
from ventuno.house.store import canonical_json, signing_key
from ventuno.house.store.signing_key import KEY, SIGNATURE, SigningKey

CONTEXT = b"ventuno/acknowledgement/1\n"
PROMISE, REVEAL = KINDS = ("promise", "reveal")


@dataclass(frozen=True, slots=True)
class Taken:
    """A promise or a reveal that was taken: `promise` is the hash of the bytes in both cases, `at` the house's time."""

    house: str
    table: str
    shoe: int
    commitment: bytes
    player: PlayerId
    kind: str
    promise: bytes
    at: int

    def to_dict(self) -> dict[str, Any]:
        return write_fields(self)

    @property
    def message(self) -> bytes:
        return CONTEXT + canonical_json.encode(self.to_dict())


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    taken: Taken
    key: bytes
    signature: bytes

    def to_dict(self) -> dict[str, Any]:
        return write_fields(self)

    @property
    def is_valid(self) -> bool:
        return signing_key.is_valid(self.key, self.signature, self.taken.message)


def sign(key: SigningKey, taken: Taken) -> Acknowledgement:
    return Acknowledgement(taken, key.public, key.sign(taken.message))


def read(raw: object, at: str = "acknowledgement") -> Acknowledgement:
    return read_part(
        Acknowledgement,
        raw,
        at,
        taken=partial(read_part, Taken, kind=lambda raw, at: read_word(raw, at, KINDS)),
        key=lambda raw, at: read_hex(raw, at, KEY),
        signature=lambda raw, at: read_hex(raw, at, SIGNATURE),
    )
