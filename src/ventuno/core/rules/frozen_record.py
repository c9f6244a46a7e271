"""What refusals, views and messages have in common."""

from __future__ import annotations

from dataclasses import MISSING, Field, dataclass, fields
from typing import Any, ClassVar, dataclass_transform


@dataclass_transform(frozen_default=True)
class FrozenRecord:
    """Each class that is derived from this is a frozen data class; records of two classes are never equal.

    Its `__init__` writes into the mapping of the new record, and that mapping is compared. What data classes do by
    default, field by field, takes three times as long, and a view of a table is a hundred records.
    """

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls) -> None:
        dataclass(frozen=True, init=False, eq=False)(cls)
        defaults = {field.name: field.default for field in fields(cls) if field.default is not MISSING}
        names = [field.name for field in fields(cls)]
        parameters = [f"{name}=defaults[{name!r}]" if name in defaults else name for name in names]
        lines = [f"def __init__({', '.join(['self', *parameters])}):", "record = self.__dict__"]
        scope: dict[str, Any] = {"defaults": defaults}
        exec("\n    ".join([*lines, *[f"record[{name!r}] = {name}" for name in names]]), scope)
        type.__setattr__(cls, "__init__", scope["__init__"])

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))
