"""Money in whole cents, and odds that say how they are written (V-07)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

Cents: TypeAlias = int
PlayerId: TypeAlias = str

TO_ONE = "to-one"
TOTAL_RETURN = "total-return"

_TO_ONE = re.compile(r"(\d{1,6})[:/](\d{1,4})")
_TOTAL = re.compile(r"x(\d{1,6})(?:\.(\d{1,2}))?")


class NotOdds(ValueError):
    """The text is no payout: write `3/2` or `25:1` for odds to one, `x25` or `x2.5` for a total return."""


@dataclass(frozen=True, slots=True)
class Odds:
    """What a winning stake brings, `up` for each `down`: `to-one` on top of it, `total-return` with it (V-19, S-27)."""

    up: int
    down: int
    notation: str

    @property
    def ratio(self) -> Fraction:
        return Fraction(self.up, self.down)

    @property
    def total(self) -> Fraction:
        """Everything that comes back for a stake of one."""
        return self.ratio + 1 if self.notation == TO_ONE else self.ratio

    @property
    def profit(self) -> Fraction:
        return self.total - 1

    def pay(self, stake: Cents) -> Cents:
        """Stake and win together. The sheet has checked that this is exact for its stakes (reading 2)."""
        won, rest = divmod(stake * self.up, self.down)
        if rest:
            raise ArithmeticError(f"{self} on {stake} is no whole number of cents")
        return stake + won if self.notation == TO_ONE else won

    def arithmetic(self, stake: Cents) -> str:
        """How the returned amount comes about, for the ledger (X-05)."""
        won = f"{self.up} x {stake}" if self.down == 1 else f"{self.up}/{self.down} x {stake}"
        return f"{stake} + {won}" if self.notation == TO_ONE else won

    def __str__(self) -> str:
        if self.notation == TO_ONE:
            return f"{self.up}:{self.down}"
        whole, rest = divmod(self.up * 100 // self.down, 100)
        return f"x{whole}" + (f".{rest:02d}".rstrip("0") if rest else "")


EVEN = Odds(1, 1, TO_ONE)


def odds(text: str) -> Odds:
    """Read a payout in either notation.

    >>> odds("3/2").pay(1000), odds("x2.5").pay(1000)
    (2500, 2500)
    """
    if match := _TO_ONE.fullmatch(text):
        if int(match[2]) == 0:
            raise NotOdds(f"{text!r} divides by zero")
        ratio, notation = Fraction(int(match[1]), int(match[2])), TO_ONE
    elif match := _TOTAL.fullmatch(text):
        ratio, notation = Fraction(f"{match[1]}.{match[2] or 0}"), TOTAL_RETURN
    else:
        raise NotOdds(f"{text!r} is no payout: '3/2' or '25:1' is to one, 'x25' is a total return")
    return Odds(ratio.numerator, ratio.denominator, notation)


def format_euro(amount: Cents) -> str:
    """Italian format, for messages: `€ 1.250,00`."""
    sign = "-" if amount < 0 else ""
    whole, rest = divmod(abs(amount), 100)
    return f"{sign}€ {whole:,}".replace(",", ".") + f",{rest:02d}"
