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

from ventuno.core.messages.certificate_notes import Note
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
    method: Note
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
        document: dict[str, Any] = {
            "bet": self.bet,
            "base": self.base,
            "rtp": self.rtp,
            "rtp_initial": self.rtp_initial,
            "rtp_total": self.rtp_total,
        }
        if self.rtp_td is not None:
            document["rtp_td"] = self.rtp_td
        return document | {"published": self.published, "matches": self.matches, "sd": self.sd}

    def full(self) -> dict[str, Any]:
        """The same with what only a certificate says."""
        variance = None if self.sd is None else self.sd**2
        document = self.plain() | {"variance": variance, "maximum_win": self.maximum, "method": self.method.plain()}
        if self.exact is not None:
            document["exact"] = self.exact
        if self.hits is not None:
            document["hit_rates"] = dict(self.hits)
        return document


def round_like(value: float | Fraction, like: str) -> str:
    """A percentage rounded to the digits of a published one.

    >>> round_like(Fraction(79600, 830), like="95.90")
    '95.90'
    """
    exact = (
        Decimal(value.numerator) / Decimal(value.denominator) if isinstance(value, Fraction) else Decimal(repr(value))
    )
    return str(exact.quantize(Decimal(like), ROUND_HALF_UP))


def compare(bet: str, rtp: float | Fraction, published: Published) -> tuple[str | None, bool | None]:
    """The published figure or range of a bet as text, and whether ours agrees."""
    if bet in published.returns:
        figure = published.returns[bet]
        return figure, round_like(rtp, figure) == figure
    if {"low", "high"} <= set(published.between):
        low, high = published.between["low"], published.between["high"]
        inside = Decimal(low) <= Decimal(round_like(rtp, low)) and Decimal(round_like(rtp, high)) <= Decimal(high)
        return f"{low}-{high}", inside
    return None, None
