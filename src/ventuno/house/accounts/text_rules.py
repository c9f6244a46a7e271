"""Names and messages as text: one spelling, nothing that hides or turns letters around (ASVS 1.2, R-42).

A name is unique whatever its case or spelling; letters of two scripts in one name are refused, because they look alike,
and so is what is drawn as nothing.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from itertools import pairwise

from ventuno.core.messages.refusals import Refusal
from ventuno.house.accounts import word_filter

LEAST, MOST = 3, 20
GUEST = "Ospite"
BOT = "(bot)"
"""How the names of the house's own players end; nobody else may have a bracket in his (X-09)."""
RESERVED = ("ospite", "guest", "house", "banco", "dealer", "ventuno", "supervisor", "supervisore", "cashier", "adm")
_SIGNS = frozenset(" _-.'")
_MARKS = 2
"""Marks on one letter at most, once the letter is composed: languages need no more, towers of them hide their lines."""
_LIST = word_filter.make_skeletons(word_filter.IMPROPER)
_ALIKE = str.maketrans(
    "аеорсухіјѕһӏԁԛԝкмтвньαβεζηικμνορτυχɑɡı",
    "aeopcyxijshldqwkmtbhbabezhikmvoptyxagi",
)
"""Cyrillic, Greek and odd Latin letters that look like a common Latin one, small or capital. Not all there are."""


@dataclass(frozen=True, slots=True)
class NameUnfit(Refusal):
    least: int
    most: int
    reason: str
    sign: str = ""
    count: int = 0


@dataclass(frozen=True, slots=True)
class NameTaken(Refusal):
    name: str


def normalize(text: str) -> str:
    """One spelling of a text: composed, outer blanks gone, inner runs of them one."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def find_hidden(text: str) -> str:
    """The first character that is not shown or that changes how others are: control, bidi, surrogate; else empty."""
    return next(
        (
            character
            for character in text
            if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
        ),
        "",
    )


def fold_name(name: str) -> str:
    """What must be unique: case, width and composition make no difference."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def make_look(name: str) -> str:
    """What a name looks like: two names with one look are one name to who reads them, whatever is drawn as nothing.

    >>> look("Сосо") == look("COCO")
    True
    """
    return word_filter.remove_invisible(fold_name(word_filter.remove_invisible(name))).translate(_ALIKE)


def check_name(raw: str) -> str | NameUnfit:
    """The name as it is kept, or why not."""
    if sign := find_hidden(raw) or word_filter.find_invisible(raw):
        return NameUnfit(LEAST, MOST, "hidden-sign", f"U+{ord(sign):04X}")
    name = normalize(raw)
    if not LEAST <= len(name) <= MOST:
        return NameUnfit(LEAST, MOST, "wrong-length", count=len(name))
    for sign in name:
        if sign not in _SIGNS and unicodedata.category(sign)[0] not in "LNM":
            return NameUnfit(LEAST, MOST, "foreign-sign", sign)
    if not name[0].isalnum() or any(a in _SIGNS and b in _SIGNS for a, b in pairwise(name)):
        return NameUnfit(LEAST, MOST, "signs-alone")
    if len(_find_scripts(name)) > 1:
        return NameUnfit(LEAST, MOST, "mixed-scripts", ", ".join(sorted(_find_scripts(name))))
    if _has_stacked_marks(name):
        return NameUnfit(LEAST, MOST, "stacked-marks", count=_MARKS)
    if word_filter.is_improper(name, _LIST):
        return NameUnfit(LEAST, MOST, "improper-name")
    if make_look(name).split("-")[0] in RESERVED:
        return NameUnfit(LEAST, MOST, "house-name")
    return name


def _has_stacked_marks(name: str) -> bool:
    """Whether a mark stands on no letter, or too many on one."""
    count = _MARKS
    for character in name:
        is_mark = unicodedata.category(character)[0] == "M"
        count = count + 1 if is_mark else _MARKS if character in _SIGNS else 0
        if is_mark and count > _MARKS:
            return True
    return False


def _find_scripts(name: str) -> set[str]:
    """The scripts of the letters, as Unicode names them; an unnamed letter is a script of its own."""
    return {
        unicodedata.name(character, "unknown").split()[0]
        for character in name
        if unicodedata.category(character)[0] == "L"
    }
