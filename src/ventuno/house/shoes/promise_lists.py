"""All promises of a cut, in the order in which they came, signed before anybody reveals (X-24).

Kept by whoever takes part. A house that knows an honest reveal can no longer write a promise for a player of its own:
it would have to be one that it signed beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ventuno.core.rules.money import PlayerId
from ventuno.house.shoes.document_fields import read_each, read_part
from ventuno.house.shoes.signed_documents import SignedDocument, Statement, read_signed


@dataclass(frozen=True, slots=True)
class Promise:
    player: PlayerId
    promise: bytes


@dataclass(frozen=True, slots=True)
class PromiseList(Statement):
    """Nothing is added to it and nothing changed, for this shoe and this very commitment."""

    context: ClassVar = b"ventuno/promises/1\n"
    house: str
    table: str
    shoe: int
    commitment: bytes
    promises: tuple[Promise, ...]


@dataclass(frozen=True, slots=True)
class SignedPromises(SignedDocument):
    listed: PromiseList
    key: bytes
    signature: bytes


def read(raw: object, at: str = "promise_list") -> SignedPromises:
    read_promises = partial(read_each, read=partial(read_part, Promise))
    return read_signed(SignedPromises, raw, at, listed=partial(read_part, PromiseList, promises=read_promises))
