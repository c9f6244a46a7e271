"""What refusals, views and messages have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import dataclass_transform


@dataclass_transform(frozen_default=True)
class FrozenRecord:
    """Each class that is derived from this is a frozen data class; records of two classes are never equal.

    Two records are compared by the mappings of their fields: what data classes do, field by field, takes longer.
    """

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, eq=False)(cls)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))
