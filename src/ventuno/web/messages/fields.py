"""What all messages share: amounts, names, numbers, each with its bounds, and the form of a body (ASVS 2.2)."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

STRICT = ConfigDict(extra="forbid", strict=True)
"""An unknown field is an error, and so is 1.0, "1" or true where an integer belongs (ASVS 2.2)."""
LARGEST = 10**12

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
Hex32 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$", description="32 bytes in hexadecimal")]
Entropy = Annotated[str, Field(pattern=r"^([0-9a-f]{2}){16,64}$", description="16 to 64 bytes in hexadecimal")]


def _whole(text: str) -> str:
    """A text that can be written down: half of a pair of surrogates cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        raise ValueError("this is no text") from None
    return text


Name = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(_whole)]
Secret = Annotated[str, Field(min_length=1, max_length=512), AfterValidator(_whole)]
Sentence = Annotated[str, Field(min_length=1, max_length=400), AfterValidator(_whole)]
Word = Annotated[str, Field(max_length=40), AfterValidator(_whole)]
Code = Annotated[
    str, Field(pattern=r"^[0-9A-Za-z -]{6,24}$", description="of the second factor: six digits, or a recovery code")
]
LimitAmount = Annotated[int, Field(ge=0, le=LARGEST, description="integer cents")]
Moment = Annotated[int, Field(ge=0, le=2**53, description="milliseconds since 1970, in the house's clock")]


class Body(BaseModel):
    """Every body that is sent to the house: strict, closed, frozen."""

    model_config = ConfigDict(**STRICT, frozen=True)
