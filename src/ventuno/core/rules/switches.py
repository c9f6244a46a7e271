"""The kinds of value a sheet may hold: each reads, checks and prints one kind of switch."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Protocol

from ventuno.core.rules.cards import NAMES
from ventuno.core.rules.money import NotOdds, Odds, odds


class SheetError(ValueError):
    """A sheet says something impossible; the message, one line, names the switch and lists what is legal."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


class Kind(Protocol):
    @property
    def legal(self) -> str:
        """The legal values, for people."""

    def read(self, value: object, path: str) -> Any:
        """Check a TOML value and give the typed one, or raise SheetError."""


def refuse(path: str, value: object, legal: str) -> SheetError:
    shown = repr(value)
    return SheetError(f"{path}: {shown if len(shown) <= 60 else shown[:57] + '...'} is not legal; legal: {legal}")


@dataclass(frozen=True, slots=True)
class Flag:
    @property
    def legal(self) -> str:
        return "true, false"

    def read(self, value: object, path: str) -> bool:
        if not isinstance(value, bool):
            raise refuse(path, value, self.legal)
        return value


@dataclass(frozen=True, slots=True)
class Whole:
    low: int
    high: int

    @property
    def legal(self) -> str:
        return f"a whole number {self.low}-{self.high}"

    def read(self, value: object, path: str) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not self.low <= value <= self.high:
            raise refuse(path, value, self.legal)
        return value


@dataclass(frozen=True, slots=True)
class NoneOr:
    """0 where there is none, else a whole number: a count that means nothing below `low` (Charlie, L-14)."""

    low: int
    high: int

    @property
    def values(self) -> tuple[str, ...]:
        return ("0", *map(str, range(self.low, self.high + 1)))

    @property
    def legal(self) -> str:
        return ", ".join(self.values)

    def read(self, value: object, path: str) -> int:
        if type(value) is not int or not (value == 0 or self.low <= value <= self.high):
            raise refuse(path, value, self.legal)
        return value


@dataclass(frozen=True, slots=True)
class Choice:
    values: tuple[str, ...]

    @property
    def legal(self) -> str:
        return ", ".join(self.values)

    def read(self, value: object, path: str) -> str:
        if not isinstance(value, str) or value not in self.values:
            raise refuse(path, value, self.legal)
        return value


@dataclass(frozen=True, slots=True)
class Some:
    """Any of the values, each once, in any order."""

    values: tuple[str, ...]

    @property
    def legal(self) -> str:
        return f"a list of any of {', '.join(self.values)}, or []"

    def read(self, value: object, path: str) -> frozenset[str]:
        if isinstance(value, str) and value.startswith("[") and value.endswith("]"):
            value = [word.strip() for word in value[1:-1].split(",")]
        if (
            not isinstance(value, list)
            or any(item not in self.values for item in value)
            or len(set(value)) < len(value)
        ):
            raise refuse(path, value, self.legal)
        return frozenset(value)


@dataclass(frozen=True, slots=True)
class TwoCards:
    """Two cards in their order: a picture."""

    @property
    def legal(self) -> str:
        return 'two cards, as ["AS", "JH"]'

    def read(self, value: object, path: str) -> tuple[str, ...]:
        if not isinstance(value, list) or len(value) != 2 or any(name not in NAMES for name in value):
            raise refuse(path, value, self.legal)
        return tuple(value)


@dataclass(frozen=True, slots=True)
class Text:
    @property
    def legal(self) -> str:
        return "a text"

    def read(self, value: object, path: str) -> str:
        if not isinstance(value, str) or not value or len(value) > 2000:
            raise refuse(path, value, self.legal)
        return value


@dataclass(frozen=True, slots=True)
class Payout:
    """Odds with their notation."""

    to_one_only: bool = False

    @property
    def legal(self) -> str:
        return "odds to one, as 3/2 or 25:1" + ("" if self.to_one_only else "; or a total return, as x25")

    def read(self, value: object, path: str) -> Odds:
        try:
            payout = odds(value if isinstance(value, str) else "")
        except NotOdds:
            raise refuse(path, value, self.legal) from None
        if payout.profit <= 0 or (self.to_one_only and payout.notation != "to-one"):
            raise refuse(path, value, self.legal)
        return payout


@dataclass(frozen=True, slots=True)
class Percent:
    """A published percentage, kept as printed: its digits are its precision."""

    @property
    def legal(self) -> str:
        return "a percentage as printed, as 99.29"

    def read(self, value: object, path: str) -> str:
        if not isinstance(value, str) or not re.fullmatch(r"\d{1,3}\.\d{1,8}", value) or Decimal(value) > 200:
            raise refuse(path, value, self.legal)
        return value


@dataclass(frozen=True, slots=True)
class Window:
    """Two whole numbers, the lower first."""

    low: int
    high: int

    @property
    def legal(self) -> str:
        return f"[least, most] with {self.low} <= least <= most <= {self.high}"

    def read(self, value: object, path: str) -> tuple[int, int]:
        numbers = isinstance(value, list) and len(value) == 2 and all(type(item) is int for item in value)
        if not isinstance(value, list) or not numbers or not self.low <= value[0] <= value[1] <= self.high:
            raise refuse(path, value, self.legal)
        return value[0], value[1]


@dataclass(frozen=True, slots=True)
class Rising:
    """Whole numbers, each greater than the one before: a chip set."""

    low: int
    high: int

    @property
    def legal(self) -> str:
        return f"a rising list of whole numbers {self.low}-{self.high}"

    def read(self, value: object, path: str) -> tuple[int, ...]:
        if not isinstance(value, list) or not value or any(type(item) is not int for item in value):
            raise refuse(path, value, self.legal)
        if sorted(set(value)) != value or not self.low <= value[0] <= value[-1] <= self.high:
            raise refuse(path, value, self.legal)
        return tuple(value)


@dataclass(frozen=True, slots=True)
class Ranked:
    """Every one of the words, in an order that matters: the house way (D-10)."""

    words: tuple[str, ...]

    @property
    def legal(self) -> str:
        return "all of these, in order of rank: " + " ".join(self.words)

    def read(self, value: object, path: str) -> tuple[str, ...]:
        words = isinstance(value, list) and all(isinstance(item, str) for item in value)
        if not isinstance(value, list) or not words or sorted(value) != sorted(self.words):
            raise refuse(path, value, self.legal)
        return tuple(value)


@dataclass(frozen=True, slots=True)
class Several:
    """A table of names, each with a value of one kind."""

    kind: Kind
    names: tuple[str, ...] = ()
    pattern: str = ""

    @property
    def legal(self) -> str:
        names = ", ".join(self.names) if self.names else self.pattern or "any name"
        return f"a table of ({names}) = {self.kind.legal}"

    def read(self, value: object, path: str) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise refuse(path, value, self.legal)
        for name in value:
            if (self.names and name not in self.names) or (self.pattern and not re.fullmatch(self.pattern, name)):
                raise SheetError(f"{path}.{name}: unknown key; known: {', '.join(self.names) or self.pattern}")
        return {name: self.kind.read(item, f"{path}.{name}") for name, item in value.items()}


@dataclass(frozen=True, slots=True)
class Row:
    """Ten whole numbers, one for each up-card 2…9, ten, ace: a line of the cash-out table (F-10)."""

    low: int
    high: int

    @property
    def legal(self) -> str:
        return f"ten whole numbers {self.low}-{self.high}, for the up-cards 2 to 9, ten, ace"

    def read(self, value: object, path: str) -> tuple[int, ...]:
        if not isinstance(value, list) or len(value) != 10 or any(type(item) is not int for item in value):
            raise refuse(path, value, self.legal)
        if min(value) < self.low or max(value) > self.high:
            raise refuse(path, value, self.legal)
        return tuple(value)
