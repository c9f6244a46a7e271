"""What the house signs for who takes part in a cut: that his promise, or his reveal, came in time.

Kept by the player. A house that calls a reveal missing which it acknowledged has signed both, and anybody sees it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from ventuno.core.rules.money import PlayerId
from ventuno.house.shoes.document_fields import read_part, read_word
from ventuno.house.shoes.signed_documents import SignedDocument, Statement, read_signed

PROMISE, REVEAL = KINDS = ("promise", "reveal")


@dataclass(frozen=True, slots=True)
class Taken(Statement):
    """A promise or a reveal that was taken: `promise` is the hash of the bytes in both cases, `at` the house's time."""

    context: ClassVar = b"ventuno/acknowledgement/1\n"
    house: str
    table: str
    shoe: int
    commitment: bytes
    player: PlayerId
    kind: str
    promise: bytes
    at: int


@dataclass(frozen=True, slots=True)
class Acknowledgement(SignedDocument):
    taken: Taken
    key: bytes
    signature: bytes


def read(raw: object, at: str = "acknowledgement") -> Acknowledgement:
    read_taken = partial(read_part, Taken, kind=lambda raw, at: read_word(raw, at, KINDS))
    return read_signed(Acknowledgement, raw, at, taken=read_taken)
