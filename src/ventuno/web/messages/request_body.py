"""The form of every body that is sent to the house: strict, closed, frozen (ASVS 2.2)."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ventuno.web.messages.fields import LARGEST


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


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
