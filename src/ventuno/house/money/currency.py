"""Amounts in the viewer's currency (V-53). The house counts in euro cents; everything else is a way of showing them.

Rates are exact fractions of one euro. An amount is rounded once, when it is shown, to the nearest smallest unit of the
currency, a half away from zero; a shown amount is never counted with.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents

EURO = "EUR"
_RATE = re.compile(r"[0-9]{1,9}(\.[0-9]{1,12})?|[0-9]{1,12}/[1-9][0-9]{0,11}")


class NotARate(ValueError):
    """A rate is written `1.0837` or `10837/10000`: units of the currency for one euro, more than none."""


@dataclass(frozen=True, slots=True)
class NoSuchCurrency(Refusal):
    says = "{currency} is not shown here; currencies: {known}"
    currency: str
    known: str


@dataclass(frozen=True, slots=True)
class Currency:
    """`digits` after the point: 2 for most, 0 for yen."""

    code: str
    rate: Fraction
    digits: int = 2


@dataclass(frozen=True, slots=True)
class DisplayAmount:
    """An amount in smallest units of a currency; `exact` where rounding changed nothing."""

    code: str
    units: int
    digits: int
    exact: bool

    @property
    def text(self) -> str:
        sign = "-" if self.units < 0 else ""
        whole, rest = divmod(abs(self.units), 10**self.digits)
        return f"{sign}{whole}" + (f".{rest:0{self.digits}d}" if self.digits else "")


class Currencies:
    """The rates in force; the euro is always among them, at one."""

    def __init__(self, rates: Mapping[str, tuple[str, int]] | None = None, since: int = 0) -> None:
        self.since = since
        self._currencies = {EURO: Currency(EURO, Fraction(1))}
        self._currencies |= {
            code: Currency(code, parse_rate(text), digits) for code, (text, digits) in (rates or {}).items()
        }

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(self._currencies)

    def convert(self, amount: Cents, code: str) -> DisplayAmount | NoSuchCurrency:
        """
        >>> Currencies({"USD": ("1.0837", 2)}).shown(1000, "USD").text
        '10.84'
        """
        currency = self._currencies.get(code)
        if currency is None:
            return NoSuchCurrency(code, ", ".join(self._currencies))
        exact = Fraction(amount, 100) * currency.rate * 10**currency.digits
        units = round_half_away(exact)
        return DisplayAmount(code, units, currency.digits, units == exact)


def parse_rate(text: str) -> Fraction:
    if not _RATE.fullmatch(text) or not Fraction(text):
        raise NotARate(f"{text[:40]!r} is no rate: write 1.0837 or 10837/10000")
    return Fraction(text)


def round_half_away(exact: Fraction) -> int:
    """To the nearest whole number, a half away from zero.

    >>> rounded(Fraction(5, 2)), rounded(Fraction(-5, 2)), rounded(Fraction(12, 5))
    (3, -3, 2)
    """
    whole = (2 * abs(exact.numerator) + exact.denominator) // (2 * exact.denominator)
    return whole if exact >= 0 else -whole
