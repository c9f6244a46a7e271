"""One certified figure: a bet, its return on both bases, and whether it is the one that was published.

Returns are percentages. A published figure is reproduced when ours, rounded to the digits it is printed with, is the
same (V-20, F-18, S-34, D-18); a published range when ours lies inside it (L-20).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

from ventuno.core.rules.sheet import Published

INITIAL = "initial"
TOTAL = "total"


@dataclass(frozen=True, slots=True)
class Claim:
    """What a certificate says of one bet; `hits` are chances per category, `maximum` is the largest win to one."""

    bet: str
    base: str
    rtp_initial: float
    rtp_total: float
    sd: float | None
    maximum: float
    method: str
    published: str | None = None
    matches: bool | None = None
    rtp_td: float | None = None
    exact: str | None = None
    hits: Mapping[str, float] | None = None

    @property
    def rtp(self) -> float:
        return self.rtp_total if self.base == TOTAL else self.rtp_initial

    def plain(self) -> dict[str, Any]:
        """The keys that scripts rely on, in their order."""
        found: dict[str, Any] = {
            "bet": self.bet,
            "base": self.base,
            "rtp": self.rtp,
            "rtp_initial": self.rtp_initial,
            "rtp_total": self.rtp_total,
        }
        if self.rtp_td is not None:
            found["rtp_td"] = self.rtp_td
        return found | {"published": self.published, "matches": self.matches, "sd": self.sd}

    def full(self) -> dict[str, Any]:
        """The same with what only a certificate says."""
        variance = None if self.sd is None else self.sd**2
        found = self.plain() | {"variance": variance, "maximum_win": self.maximum, "method": self.method}
        if self.exact is not None:
            found["exact"] = self.exact
        if self.hits is not None:
            found["hit_rates"] = dict(self.hits)
        return found


def printed(value: float | Fraction, like: str) -> str:
    """A percentage rounded to the digits of a published one.

    >>> printed(Fraction(79600, 830), like="95.90")
    '95.90'
    """
    exact = (
        Decimal(value.numerator) / Decimal(value.denominator) if isinstance(value, Fraction) else Decimal(repr(value))
    )
    return str(exact.quantize(Decimal(like), ROUND_HALF_UP))


def compared(bet: str, rtp: float | Fraction, published: Published) -> tuple[str | None, bool | None]:
    """The published figure or range of a bet as text, and whether ours agrees."""
    if bet in published.returns:
        figure = published.returns[bet]
        return figure, printed(rtp, figure) == figure
    if {"low", "high"} <= set(published.between):
        low, high = published.between["low"], published.between["high"]
        inside = Decimal(low) <= Decimal(printed(rtp, low)) and Decimal(printed(rtp, high)) <= Decimal(high)
        return f"{low}-{high}", inside
    return None, None
