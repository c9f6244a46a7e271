"""The words that all messages share: amounts, names, numbers, each with its bounds."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field

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
