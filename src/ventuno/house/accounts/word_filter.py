"""Improper language, in messages and in names: one list, found however it is spelt (V-63)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable

_LIST = """
stronzo stronza stronzi coglione coglioni cazzo merda puttana troia bastardo bastardi vaffanculo fanculo frocio negro
idiota cretino fuck fucker fucking shit bitch asshole cunt bastard nigger faggot whore
"""
IMPROPER = frozenset(_LIST.split())
_LEET = str.maketrans("@4310$57", "aaeiosst")
_WORD = re.compile(r"[^\W\d_]+")
_DRAWN_OUT = re.compile(r"(.)\1+")
_IGNORABLE = (
    *((0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)),
    *((0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)
"""Default_Ignorable_Code_Point of Unicode: drawn as nothing at all, whatever their category says."""
_GONE = {code: None for first, last in _IGNORABLE for code in range(first, last + 1)}
_BLANK = {**_GONE, 0x2800: None}
"""With the empty pattern of Braille, which is a sign by its category and a blank to the eye."""


def find_invisible(text: str) -> str:
    r"""The first character that is drawn as nothing; else empty.

    >>> unseen("A\u034fda") == chr(0x34F)
    True
    """
    return next((character for character in text if ord(character) in _GONE), "")


def remove_invisible(text: str) -> str:
    """A text without what is drawn as nothing."""
    return text.translate(_GONE)


def is_blank(text: str) -> bool:
    r"""Whether nobody sees anything of it.

    >>> is_blank("\u3164 \u2800")
    True
    """
    return not text.translate(_BLANK).strip()


def make_skeletons(words: Iterable[str]) -> frozenset[str]:
    """A list as `improper` compares it."""
    return frozenset(_make_skeleton(word) for word in words)


def is_improper(text: str, words: Collection[str]) -> bool:
    """Whether a word of the list is in it: with accents, figures for letters, letters drawn out or spaced out.

    >>> improper("C.A.Z.Z.O", skeletons(["cazzo"]))
    True
    """
    words_of_text = _WORD.findall(_make_skeleton(text))
    single = "".join(word if len(word) == 1 else " " for word in words_of_text)
    return any(word in words for word in (*words_of_text, *map(_make_skeleton, single.split())))


def _make_skeleton(text: str) -> str:
    """Lower case, figures read as letters, accents and what nobody sees gone, letters drawn out once."""
    plain = unicodedata.normalize("NFKD", remove_invisible(text).casefold().translate(_LEET))
    return _DRAWN_OUT.sub(r"\1", "".join(character for character in plain if not unicodedata.combining(character)))
