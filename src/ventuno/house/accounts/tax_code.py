"""The Italian tax code (codice fiscale): its form and its check letter (R-42)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ventuno.core.messages.refusals import Refusal

_DIGIT = "[0-9LMNP-V]"
_FORM = re.compile(rf"[A-Z]{{6}}{_DIGIT}{{2}}[A-EHLMPRST]{_DIGIT}{{2}}[A-Z]{_DIGIT}{{3}}[A-Z]")
_ODD = (1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23)
"""What a letter counts at an odd place; a digit counts as the letter of the same number."""


@dataclass(frozen=True, slots=True)
class TaxIdUnfit(Refusal):
    reason: str


@dataclass(frozen=True, slots=True)
class TaxIdTaken(Refusal):
    """One account per person (R-42); an excluded person opens no other (R-38)."""


def check_tax_code(raw: str) -> str | TaxIdUnfit:
    """The code in capitals, or why it is none.

    >>> check_tax_code("rssmra85t10a562s")
    'RSSMRA85T10A562S'
    """
    code = "".join(raw.split()).upper()
    if not _FORM.fullmatch(code):
        return TaxIdUnfit("tax-form")
    return code if code[15] == compute_check_letter(code[:15]) else TaxIdUnfit("tax-check-letter")


def compute_check_letter(code: str) -> str:
    total = 0
    for place, sign in enumerate(code):
        value = int(sign) if sign.isdigit() else ord(sign) - ord("A")
        total += value if place % 2 else _ODD[value]
    return chr(ord("A") + total % 26)
