"""Rates of currencies in which a viewer reads amounts (V-53). The house counts in euro cents; the client converts."""

from __future__ import annotations

import re
from fractions import Fraction

_RATE = re.compile(r"[0-9]{1,9}(\.[0-9]{1,12})?|[0-9]{1,12}/[1-9][0-9]{0,11}")


class NotARate(ValueError):
    """A rate is written `1.0837` or `10837/10000`: units of the currency for one euro, more than none."""


def parse_rate(text: str) -> Fraction:
    if not _RATE.fullmatch(text) or not Fraction(text):
        raise NotARate(f"{text[:40]!r} is no rate: write 1.0837 or 10837/10000")
    return Fraction(text)
