"""Receipts: the records of a table form a hash chain, its Merkle checkpoint is signed and handed to players.

Head k is `H(0x02 ‖ head k-1 ‖ H(record k))`, before the first 32 zero bytes; the heads are the leaves of a Merkle tree.
Any two receipts of a table can be compared: two different heads for one height prove that the house told two stories.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from typing import Any, ClassVar, NamedTuple

from ventuno.house.shoes import merkle
from ventuno.house.shoes.document_fields import read_part, write_fields
from ventuno.house.shoes.signed_documents import SignedDocument, Statement, read_signed, sign
from ventuno.house.store import canonical_json
from ventuno.house.store.signing_key import SigningKey

START = bytes(32)
COMMITMENT, ENTROPY, ROUND, OPENING = KINDS = ("commitment", "entropy", "round", "opening")


def hash_record(kind: str, commitment: bytes, body: object) -> bytes:
    """The hash of a record: its kind, the digest of the commitment it belongs to, and its content."""
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is none of {', '.join(KINDS)}")
    return canonical_json.digest({"kind": kind, "commitment": commitment.hex(), "body": body})


def hash_head(before: bytes, hashed: bytes) -> bytes:
    return sha256(b"\x02" + before + hashed).digest()


@dataclass(frozen=True, slots=True)
class Checkpoint(Statement):
    """The state of a table's chain after `height` records; `at` is the time in milliseconds."""

    context: ClassVar = b"ventuno/checkpoint/1\n"
    house: str
    table: str
    height: int
    head: bytes
    root: bytes
    at: int


@dataclass(frozen=True, slots=True)
class Receipt(SignedDocument):
    checkpoint: Checkpoint
    key: bytes
    signature: bytes


@dataclass(frozen=True, slots=True)
class Inclusion:
    """Where a record stands: its height from 1, the head before it, and the path of its own head to the root."""

    height: int
    before: bytes
    path: tuple[bytes, ...]

    def to_dict(self) -> dict[str, Any]:
        return write_fields(self)

    def is_valid(self, hashed: bytes, checkpoint: Checkpoint) -> bool:
        own_head = hash_head(self.before, hashed)
        if self.height == checkpoint.height and own_head != checkpoint.head:
            return False
        return (
            merkle.compute_root(merkle.hash_leaf(own_head), self.height - 1, checkpoint.height, self.path)
            == checkpoint.root
        )


class Base(NamedTuple):
    """All of a chain that whoever goes on with it must know."""

    height: int = 0
    head: bytes = START
    peaks: tuple[bytes, ...] = ()


BEGINNING = Base()


class Chain:
    """The chain of one table, from its first record or from a base; it proves what came after that."""

    __slots__ = ("_before", "_heads", "_tree", "house", "table")

    def __init__(self, house: str, table: str, records: Iterable[bytes] = (), base: Base = BEGINNING) -> None:
        self.house, self.table = house, table
        self.reset(base)
        for hashed in records:
            self.append(hashed)

    def reset(self, base: Base) -> None:
        """Go on from here, and know nothing of what was before."""
        self._before, self._heads, self._tree = base.height, [base.head], merkle.Tree.resume(base.height, base.peaks)

    @property
    def base(self) -> Base:
        return Base(self.height, self._heads[-1], self._tree.peaks)

    @property
    def height(self) -> int:
        return len(self._tree)

    def append(self, hashed: bytes) -> int:
        """Chain a record and give its height."""
        self._heads.append(hash_head(self._heads[-1], hashed))
        self._tree.append(merkle.hash_leaf(self._heads[-1]))
        return self.height

    def make_checkpoint(self, at: int) -> Checkpoint:
        return Checkpoint(self.house, self.table, self.height, self._heads[-1], self._tree.root(), at)

    def sign_receipt(self, key: SigningKey, at: int) -> Receipt:
        return sign(Receipt, key, self.make_checkpoint(at))

    def prove_inclusion(self, height: int, size: int | None = None) -> Inclusion:
        """The place of a record in the checkpoint of so many records, the newest if none is named."""
        if height <= self._before:
            raise IndexError(f"record {height} came before this chain was resumed at {self._before}")
        return Inclusion(height, self._heads[height - 1 - self._before], self._tree.path(height - 1, size))

    def prove_consistency(self, old: int, size: int | None = None) -> tuple[bytes, ...]:
        return self._tree.prove_consistency(old, size)


@dataclass(frozen=True, slots=True)
class Equivocation:
    """Two receipts that one house cannot have signed honestly: whoever holds both can show it to anybody."""

    first: Receipt
    second: Receipt

    @property
    def detail(self) -> str:
        checkpoint = self.first.checkpoint
        heads = f"{checkpoint.head.hex()[:16]}… and {self.second.checkpoint.head.hex()[:16]}…"
        return f"table {checkpoint.table} has two histories at height {checkpoint.height}: {heads}"


def find_equivocation(first: Receipt, second: Receipt) -> Equivocation | None:
    """The proof that a house told two stories, if these receipts are one."""
    left, right = first.checkpoint, second.checkpoint
    same = (first.key, left.house, left.table, left.height) == (second.key, right.house, right.table, right.height)
    if not same or (left.head, left.root) == (right.head, right.root):
        return None
    return Equivocation(first, second) if first.is_valid and second.is_valid else None


def is_continuation(older: Receipt, newer: Receipt, proof: Sequence[bytes]) -> bool:
    """Whether the newer receipt's chain begins with the older one's, by a proof of `Chain.prove_consistency`."""
    old, new = older.checkpoint, newer.checkpoint
    if (older.key, old.house, old.table) != (newer.key, new.house, new.table) or not (
        older.is_valid and newer.is_valid
    ):
        return False
    return merkle.is_consistent(old.height, old.root, new.height, new.root, proof)


def read(raw: object, at: str = "receipt") -> Receipt:
    return read_signed(Receipt, raw, at, checkpoint=partial(read_part, Checkpoint))


def read_inclusion(raw: object, at: str) -> Inclusion:
    return read_part(Inclusion, raw, at)
