"""The kinds of value a sheet may hold: each checks one kind of switch and names its legal values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from ventuno.core.rules.cards import NAMES
from ventuno.core.rules.money import NotOdds, Odds, odds


class SheetError(ValueError):
    """A sheet says something impossible; the message, one line, names the switch and lists what is legal."""

    def __init__(self, message: str) -> None:
        super().__init__(" ".join(message.split()))


def refuse(path: str, value: object, legal: str) -> SheetError:
    shown = repr(value)
    return SheetError(f"{path}: {shown if len(shown) <= 60 else shown[:57] + '...'} is not legal; legal: {legal}")


class Kind:
    """One kind of value. `legal` names the legal values for people."""

    __slots__ = ()

    @property
    def legal(self) -> str:
        raise NotImplementedError

    def accepts(self, value: Any) -> bool:
        """Whether a TOML value is of this kind."""
        raise NotImplementedError

    def read(self, value: object, path: str) -> Any:
        """Check a TOML value and give the typed one, or raise SheetError."""
        if not self.accepts(value):
            raise refuse(path, value, self.legal)
        return tuple(value) if isinstance(value, list) else value


def _are_whole(value: object) -> bool:
    return isinstance(value, list) and all(type(item) is int for item in value)


@dataclass(frozen=True, slots=True)
class Flag(Kind):
    legal = "true, false"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Whole(Kind):
    low: int
    high: int

    @property
    def legal(self) -> str:
        return f"a whole number {self.low}-{self.high}"

    def accepts(self, value: Any) -> bool:
        return type(value) is int and self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class NoneOr(Kind):
    """0 where there is none, else a whole number: a count that means nothing below `low` (Charlie, L-14)."""

    low: int
    high: int

    @property
    def values(self) -> tuple[str, ...]:
        return ("0", *map(str, range(self.low, self.high + 1)))

    @property
    def legal(self) -> str:
        return ", ".join(self.values)

    def accepts(self, value: Any) -> bool:
        return type(value) is int and (value == 0 or self.low <= value <= self.high)


@dataclass(frozen=True, slots=True)
class Choice(Kind):
    values: tuple[str, ...]

    @property
    def legal(self) -> str:
        return ", ".join(self.values)

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and value in self.values


@dataclass(frozen=True, slots=True)
class Some(Kind):
    """Any of the values, each once, in any order."""

    values: tuple[str, ...]

    @property
    def legal(self) -> str:
        return f"a list of any of {', '.join(self.values)}, or []"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, list) and all(item in self.values for item in value) and len(set(value)) == len(value)

    def read(self, value: object, path: str) -> frozenset[str]:
        if isinstance(value, str) and value.startswith("[") and value.endswith("]"):
            value = [word.strip() for word in value[1:-1].split(",")]
        return frozenset(Kind.read(self, value, path))


@dataclass(frozen=True, slots=True)
class TwoCards(Kind):
    """Two cards in their order: a picture."""

    legal = 'two cards, as ["AS", "JH"]'

    def accepts(self, value: Any) -> bool:
        return isinstance(value, list) and len(value) == 2 and all(name in NAMES for name in value)


@dataclass(frozen=True, slots=True)
class Text(Kind):
    legal = "a text"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and 0 < len(value) <= 2000


@dataclass(frozen=True, slots=True)
class Payout(Kind):
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
class Percent(Kind):
    """A published percentage, kept as printed: its digits are its precision."""

    legal = "a percentage as printed, as 99.29"

    def accepts(self, value: Any) -> bool:
        return isinstance(value, str) and bool(re.fullmatch(r"\d{1,3}\.\d{1,8}", value)) and Decimal(value) <= 200


@dataclass(frozen=True, slots=True)
class Window(Kind):
    """Two whole numbers, the lower first."""

    low: int
    high: int

    @property
    def legal(self) -> str:
        return f"[least, most] with {self.low} <= least <= most <= {self.high}"

    def accepts(self, value: Any) -> bool:
        return _are_whole(value) and len(value) == 2 and self.low <= value[0] <= value[1] <= self.high


@dataclass(frozen=True, slots=True)
class Rising(Kind):
    """Whole numbers, each greater than the one before: a chip set."""

    low: int
    high: int

    @property
    def legal(self) -> str:
        return f"a rising list of whole numbers {self.low}-{self.high}"

    def accepts(self, value: Any) -> bool:
        rises = _are_whole(value) and bool(value) and sorted(set(value)) == value
        return rises and self.low <= value[0] <= value[-1] <= self.high


@dataclass(frozen=True, slots=True)
class Ranked(Kind):
    """Every one of the words, in an order that matters: the house way (D-10)."""

    words: tuple[str, ...]

    @property
    def legal(self) -> str:
        return "all of these, in order of rank: " + " ".join(self.words)

    def accepts(self, value: Any) -> bool:
        words = isinstance(value, list) and all(isinstance(item, str) for item in value)
        return words and sorted(value) == sorted(self.words)


@dataclass(frozen=True, slots=True)
class Row(Kind):
    """Ten whole numbers, one for each up-card 2…9, ten, ace: a line of the cash-out table (F-10)."""

    low: int
    high: int

    @property
    def legal(self) -> str:
        return f"ten whole numbers {self.low}-{self.high}, for the up-cards 2 to 9, ten, ace"

    def accepts(self, value: Any) -> bool:
        return _are_whole(value) and len(value) == 10 and self.low <= min(value) <= max(value) <= self.high


@dataclass(frozen=True, slots=True)
class Several(Kind):
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
