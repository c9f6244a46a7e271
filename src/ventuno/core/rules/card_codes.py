"""The text of a printed code: which card it names, and the character that checks it (X-27).

`V21-TD-6` is the ten of diamonds, `V21-CUT-G` the cut card. The last character follows ISO/IEC 7064, MOD 37,36, over
the letters and figures before it: one misread character, or two neighbours swapped, is no code. What a person types
has no check character: `TD`, `CUT`. `client/src/scan/codes.ts` reads the same; both are tested by one list.
"""

from __future__ import annotations

import re

from ventuno.core.rules import cards

PREFIX = "V21-"
"""Who issued it."""
CUT = "CUT"
"""The cut card, where a card would stand."""
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NAMES = frozenset((*cards.NAMES, CUT))
_PRINTED = re.compile(rf"{PREFIX}(\w{{2,3}})-(\w)", re.ASCII)


def compute_check(body: str) -> str:
    """The check character of the letters and figures of a text, by ISO/IEC 7064, MOD 37,36.

    >>> compute_check("V21-TD")
    '6'
    """
    product = len(ALPHABET)
    for character in body.replace("-", ""):
        total = (product + ALPHABET.index(character)) % len(ALPHABET) or len(ALPHABET)
        product = total * 2 % (len(ALPHABET) + 1)
    return ALPHABET[(1 - product) % len(ALPHABET)]


def write_code(name: str) -> str:
    """What is printed on a card, or on the cut card.

    >>> write_code("TD")
    'V21-TD-6'
    """
    if name not in NAMES:
        raise cards.NotACard(f"{name!r} is neither a card, as 'TD', nor {CUT!r}")
    return f"{PREFIX}{name}-{compute_check(PREFIX + name)}"


def parse_code(text: str) -> str | None:
    """The card that a code names, or `CUT`; None for what is neither. Blanks around it and small letters do not matter.

    >>> parse_code("V21-TD-6"), parse_code("V21-TS-6"), parse_code("td")
    ('TD', None, 'TD')
    """
    word = text.strip().upper()
    printed = _PRINTED.fullmatch(word)
    if printed is None:
        return word if word in NAMES else None
    name = printed[1]
    return name if name in NAMES and word == write_code(name) else None
