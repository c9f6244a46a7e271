"""What all messages share: amounts, names, numbers, each with its bounds, and the form of a body (ASVS 2.2)."""

from __future__ import annotations

from typing import Annotated, Any, get_type_hints

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema
from typing_extensions import TypedDict

from ventuno.core.rules import cards
from ventuno.core.rules.frozen_record import FrozenRecord

STRICT = ConfigDict(extra="forbid", strict=True)
"""An unknown field is an error, and so is 1.0, "1" or true where an integer belongs (ASVS 2.2)."""
LARGEST = 10**12
typed_dict: Any = TypedDict
"""For types that are made from others: mypy wants to read those that are written here."""

Amount = Annotated[int, Field(ge=1, le=LARGEST, description="integer cents, more than nothing")]
AmountOrAll = Annotated[int, Field(ge=0, le=LARGEST, description="integer cents; 0 means all of it")]
BoxNumber = Annotated[int, Field(ge=0, le=7, description="a box from 1; 0 is the table's own")]
TableName = Annotated[str, Field(min_length=1, max_length=80, pattern=r"^[a-zA-Z0-9 _.:-]+$")]
MessageId = Annotated[
    str, Field(min_length=1, max_length=64, pattern=r"^[\x21-\x7e]+$", description="chosen by the sender")
]
Key = Annotated[
    str,
    Field(
        min_length=8,
        max_length=64,
        pattern=r"^[A-Za-z0-9_-]+$",
        description="idempotency key: the same key and body again give the same answer and do nothing twice",
    ),
]
Version = Annotated[int, Field(ge=0, description="counts what everybody could see change")]
BetName = Annotated[str, Field(min_length=1, max_length=24, pattern=r"^[a-z0-9+-]+$")]
CardText = Annotated[
    str, Field(pattern=r"^[2-9TJQKA][SHDC]$", description="a card as `TD`"), AfterValidator(cards.card)
]
Hex32 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="32 bytes in hexadecimal")]
Hex64 = Annotated[str, Field(pattern=r"^[0-9a-f]{128}$", description="64 bytes in hexadecimal")]
Entropy = Annotated[str, Field(pattern=r"^([0-9a-f]{2}){16,64}$", description="16 to 64 bytes in hexadecimal")]


def check_text(text: str) -> str:
    """A text that can be written down: half of a pair of surrogates cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("this is no text") from None
    return text


Name = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(check_text)]
Secret = Annotated[str, Field(min_length=1, max_length=512), AfterValidator(check_text)]
Sentence = Annotated[str, Field(min_length=1, max_length=400), AfterValidator(check_text)]
DeskReason = Annotated[
    str, Field(min_length=1, max_length=120, description="why, in the dealer's words"), AfterValidator(check_text)
]
Word = Annotated[str, Field(max_length=40), AfterValidator(check_text)]
Code = Annotated[
    str, Field(pattern=r"^[0-9A-Za-z -]{6,24}$", description="of the second factor: six digits, or a recovery code")
]
LimitAmount = Annotated[int, Field(ge=0, le=LARGEST, description="integer cents")]
Moment = Annotated[int, Field(ge=0, le=2**53, description="milliseconds since 1970, in the house's clock")]


class Message(FrozenRecord):
    """What is sent, or a part of it."""


class Body(BaseModel):
    """Every body that is sent to the house: strict, closed, frozen."""

    model_config = ConfigDict(**STRICT, frozen=True)


def read_doc(kind: type) -> str | None:
    """The docstring of a class; None where it has none but the signature that Python writes."""
    return None if (kind.__doc__ or "").startswith(f"{kind.__name__}(") else kind.__doc__


class AsObject:
    """Marks a named tuple of the house that is written as an object of this name: its fields, and what it computes."""

    def __init__(self, name: str, kind: type, **computed: type) -> None:
        self._shape: Any = typed_dict(name, {**get_type_hints(kind), **computed})
        self._shape.__doc__ = read_doc(kind)

    def __get_pydantic_core_schema__(self, _source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(
            self._to_dict,
            handler.generate_schema(self._shape),
            serialization=core_schema.wrap_serializer_function_ser_schema(lambda row, write: write(self._to_dict(row))),
        )

    def _to_dict(self, row: Any) -> dict[str, Any]:
        return row if isinstance(row, dict) else {name: getattr(row, name) for name in self._shape.__annotations__}
