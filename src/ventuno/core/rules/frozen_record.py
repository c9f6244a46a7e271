"""What refusals, views and messages have in common."""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields, make_dataclass
from typing import Any, ClassVar, dataclass_transform


@dataclass_transform(frozen_default=True)
class FrozenRecord:
    """Each class that is derived from this is a frozen data class."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __init_subclass__(cls, *, eq: bool = True) -> None:
        dataclass(frozen=True, eq=eq)(cls)


class QuickRecordType(type):
    """Fills a record as an open data class, then freezes it: to set each field of a frozen one takes twice as long."""

    _open: type[Any]

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        record = cls._open(*args, **kwargs)
        record.__class__ = cls
        return record


class QuickRecord(FrozenRecord, metaclass=QuickRecordType):
    """A frozen record of several fields that is made and compared often: a view of a table is a hundred of them."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__(eq=False)
        entries = [(each.name, Any, field(default=each.default)) for each in fields(cls)]
        cls._open = make_dataclass(cls.__name__, entries)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.values()))
