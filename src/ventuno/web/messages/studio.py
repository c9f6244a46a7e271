"""What a dealer asks over HTTP, and what is answered (X-27)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ventuno.house.studio import StudioTable
from ventuno.web.messages.fields import AsObject, Body, Key, Message


class ScanBody(Body):
    """A card as `TD`, or `CUT` for the cut card; `key` makes telling it again harmless."""

    card: Annotated[str, Field(pattern=r"^([2-9TJQKA][SHDC]|CUT)$")]
    key: Key


class StudioResponse(Message):
    """The tables at which one may deal. `dealer` is empty where nobody has the desk; `paused` is why nothing moves."""

    tables: tuple[Annotated[StudioTable, AsObject("StudioTable", StudioTable)], ...]
