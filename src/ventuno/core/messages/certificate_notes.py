"""What a certificate says in words: how it was computed, and what is to be known beside the figures.

Every sentence is written from this table and nowhere else, and read again by it: whoever shows a certificate finds code
and numbers of a sentence and says it in the words of his own reader (X-16). The sentences are part of certificates that
are kept: one that changes here is no longer recognised in those.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

from ventuno.core.rules.money import euro

_BOX = "finite shoe without replacement, one box; splits "
_EXACT = "exact; each split hand is played best by its own cards, the other split card known to be gone"
_FIXED = "fixed strategy; exact return of up to {hands} hands, each played as after a first split"
_PAIR = "the player's pair is certified as kept by standing; played by the chart: "

METHODS: Mapping[str, str] = {
    "method-exact": _BOX + _EXACT,
    "method-fixed": _BOX + _FIXED,
    "method-duel": (
        "exact fraction: every deal of six cards without replacement, best plan for each visible state; one hand"
    ),
}
"""How a main bet was solved."""
NOTES: Mapping[str, str] = {
    "one-hand": "one hand; with several hands the shared cards change the best plans slightly",
    "unspread": "standard deviation and outcomes of a hand are not computed for more than two hands of a split",
    "fixed": "splits " + _FIXED,
    "pair": _PAIR + "{percent} % (reading 22)",
    "pair-unknown": _PAIR + "not computed (reading 22)",
    "cash-out": "the cash-out table is a reconstruction (reading 18)",
    "weights": "wheel and board weights are our own design; their return is exact (reading 28)",
    "max-win": "figures are before the maximum win of {amount} a round",
}
"""What is to be known beside the figures."""
_SAYS = {**METHODS, **NOTES}
_HELD = {
    "{hands}": r"(?P<hands>\d+)",
    "{percent}": r"(?P<percent>\d+\.\d{8})",
    "{amount}": r"€ (?P<amount>[\d.]+,\d\d)",
}

Number = int | str


class Remark(NamedTuple):
    """A sentence of a certificate: its code, and its numbers. Amounts are cents; shares are as they are printed."""

    code: str
    numbers: Mapping[str, Number]


def written(code: str, **numbers: Number) -> str:
    """The sentence of a certificate.

    >>> written("max-win", amount=50_000_000)
    'figures are before the maximum win of € 500.000,00 a round'
    """
    return _SAYS[code].format(**{name: _text(name, number) for name, number in numbers.items()})


def read(sentence: str) -> Remark | None:
    """What a sentence says; None where it is not one of these.

    >>> read("figures are before the maximum win of € 500.000,00 a round")
    Remark(code='max-win', numbers={'amount': 50000000})
    """
    for code, pattern in _PATTERNS.items():
        if found := pattern.fullmatch(sentence):
            return Remark(code, {name: _number(name, text) for name, text in found.groupdict().items()})
    return None


def _text(name: str, number: Number) -> str:
    match name:
        case "amount":
            return euro(int(number))
        case _:
            return str(number)


def _number(name: str, text: str) -> Number:
    match name:
        case "amount":
            return int(re.sub(r"\D", "", text))
        case "percent":
            return text
        case _:
            return int(text)


def _pattern(sentence: str) -> re.Pattern[str]:
    return re.compile("".join(_HELD.get(part, re.escape(part)) for part in re.split(r"(\{\w+\})", sentence)))


_PATTERNS = {code: _pattern(sentence) for code, sentence in _SAYS.items()}
