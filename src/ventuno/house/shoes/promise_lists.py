"""All promises of a cut, in the order in which they came, signed before anybody reveals (X-24).

Kept by whoever takes part. A house that knows an honest reveal can no longer write a promise for a player of its own:
it would have to be one that it signed beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from ventuno.core.rules.money import PlayerId
from ventuno.house.shoes.document_fields import read_each, read_hex, read_part, write_fields
from ventuno.house.store import canonical_json, signing_key
from ventuno.house.store.signing_key import KEY, SIGNATURE, SigningKey

CONTEXT = b"ventuno/promises/1\n"


@dataclass(frozen=True, slots=True)
class Promise:
    player: PlayerId
    promise: bytes


@dataclass(frozen=True, slots=True)
class PromiseList:
    """Nothing is added to it and nothing changed, for this shoe and this very commitment."""

    house: str
    table: str
    shoe: int
    commitment: bytes
    promises: tuple[Promise, ...]

    @property
    def message(self) -> bytes:
        return CONTEXT + canonical_json.encode(write_fields(self))


@dataclass(frozen=True, slots=True)
class SignedPromises:
    listed: PromiseList
    key: bytes
    signature: bytes

    def to_dict(self) -> dict[str, Any]:
        return write_fields(self)

    @property
    def is_valid(self) -> bool:
        return signing_key.is_valid(self.key, self.signature, self.listed.message)


def sign(key: SigningKey, listed: PromiseList) -> SignedPromises:
    return SignedPromises(listed, key.public, key.sign(listed.message))


def read(raw: object, at: str = "promise_list") -> SignedPromises:
    return read_part(
        SignedPromises,
        raw,
        at,
        listed=partial(
            read_part, PromiseList, promises=lambda raw, at: read_each(raw, at, partial(read_part, Promise))
        ),
        key=lambda raw, at: read_hex(raw, at, KEY),
        signature=lambda raw, at: read_hex(raw, at, SIGNATURE),
    )
