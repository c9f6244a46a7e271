"""What the house signs and players keep: a statement, the public key, and the signature over the statement."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, fields
from typing import Any, ClassVar, TypeVar

from ventuno.house.shoes.document_fields import Reader, read_hex, read_part, write_fields
from ventuno.house.store import canonical_json, signing_key
from ventuno.house.store.signing_key import KEY, SIGNATURE, SigningKey

Document = TypeVar("Document")
Signed = TypeVar("Signed", bound="Statement")


class Statement:
    """What is signed; its context comes first, so that no signature is valid for a statement of another kind."""

    __slots__ = ()
    context: ClassVar[bytes]

    def to_dict(self) -> dict[str, Any]:
        return write_fields(self)

    @property
    def message(self) -> bytes:
        return self.context + canonical_json.encode(self.to_dict())


class SignedDocument:
    """The statement is its first field, under a name of its own; `key` and `signature` follow."""

    __slots__ = ()
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def to_dict(self) -> dict[str, Any]:
        return write_fields(self)

    @property
    def is_valid(self) -> bool:
        statement, key, signature = (getattr(self, field.name) for field in fields(self))
        return signing_key.is_valid(key, signature, statement.message)


def sign(kind: Callable[[Signed, bytes, bytes], Document], key: SigningKey, statement: Signed) -> Document:
    return kind(statement, key.public, key.sign(statement.message))


def read_signed(kind: type[Document], raw: object, at: str, **statement: Reader[Any]) -> Document:
    """A signed document from JSON, with the reader of its statement."""
    key, signature = (lambda raw, at, size=size: read_hex(raw, at, size) for size in (KEY, SIGNATURE))
    return read_part(kind, raw, at, **statement, key=key, signature=signature)
