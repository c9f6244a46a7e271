"""Names and messages as text: one spelling, nothing that hides or turns letters around, no improper words (V-63).

A name is unique whatever its case or spelling; letters of two scripts in one name are refused, because they look alike,
and so is what is drawn as nothing (ASVS 1.2, R-42).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from itertools import pairwise

from ventuno.core.messages.refusals import Refusal

LEAST, MOST = 3, 20
MAIL = re.compile(r"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,188}[A-Za-z0-9])?$")
"""An address for mail, as most have one; nothing that steers a header."""
GUESTS = {"it": "Ospite", "en": "Guest"}
"""What a guest is called before his number, by the language he came in."""
BOT = "(bot)"
"""How the names of the house's own players end; nobody else may have a bracket in his (X-09)."""
_STAFF = """
ospite guest house banco casino ventuno adm aams dealer croupier mazziere supervisor supervisore cashier cassa
cassiere cassiera admin administrator amministratore amministratrice amministrazione moderator moderatore
moderatrice mod staff operator operatore operatrice support supporto assistenza helpdesk security sicurezza
system sistema root official ufficiale director direttore direttrice direzione manager gestore pitboss ispettore
inspector arbitro referee regulator bot
"""
RESERVED = frozenset(_STAFF.split())
"""What the house and its people are called: nobody else is, alone or as a word of his name."""
_TITLES = """
mr mrs ms miss sir madam dr dott dottor dottore dottssa dottoressa prof professor professore professoressa ing ingegnere
avv avvocato sig signor signore signora signorina rag ragioniere geom geometra cav cavaliere onorevole
"""
TITLES = frozenset(_TITLES.split())
"""What stands before a name to give it weight; where it is set off from the rest it is refused."""
_SIGNS = frozenset("_-.'")
_MARKS = 2
"""Marks on one letter at most, once the letter is composed: languages need no more, towers of them hide their lines."""
_ALIKE = str.maketrans(
    "аеорсухіјѕһӏԁԛԝкмтвньαβεζηικμνορτυχɑɡı",
    "aeopcyxijshldqwkmtbhbabezhikmvoptyxagi",
)
"""Cyrillic, Greek and odd Latin letters that look like a common Latin one, small or capital. Not all there are."""
_IMPROPER = """
stronzo stronza stronzi coglione coglioni cazzo merda puttana troia bastardo bastardi vaffanculo fanculo frocio negro
idiota cretino fuck fucker fucking shit bitch asshole cunt bastard nigger faggot whore
"""
IMPROPER = frozenset(_IMPROPER.split())
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


class NameUnfit(Refusal):
    least: int
    most: int
    reason: str
    sign: str = ""
    count: int = 0


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

    >>> make_look("Сосо") == make_look("COCO")
    True
    """
    return remove_invisible(fold_name(remove_invisible(name))).translate(_ALIKE)


def check_name(raw: str) -> str | NameUnfit:
    """The name as it is kept, or why not."""
    if sign := find_hidden(raw) or find_invisible(raw):
        return NameUnfit(LEAST, MOST, "hidden-sign", f"U+{ord(sign):04X}")
    name = normalize(raw)
    if " " in name:
        return NameUnfit(LEAST, MOST, "blank-in-name")
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
    if is_improper(name, _SKELETONS):
        return NameUnfit(LEAST, MOST, "improper-name")
    for words in _split_words(name):
        if not _STAFF_SKELETONS.isdisjoint((*words, "".join(words))):
            return NameUnfit(LEAST, MOST, "house-name")
        if len(words) > 1 and words[0] in _TITLE_SKELETONS:
            return NameUnfit(LEAST, MOST, "title-in-name")
    return name


def _split_words(name: str) -> list[list[str]]:
    """The words of a name as they are compared: with figures read as letters, and with figures left out."""
    look = make_look(name)
    return [[_make_skeleton(word) for word in _WORD.findall(text)] for text in (look.translate(_LEET), look)]


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


def find_invisible(text: str) -> str:
    r"""The first character that is drawn as nothing; else empty.

    >>> find_invisible("A\u034fda") == chr(0x34F)
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
    """A list as `is_improper` compares it."""
    return frozenset(_make_skeleton(word) for word in words)


def is_improper(text: str, words: Collection[str]) -> bool:
    """Whether a word of the list is in it: with accents, figures for letters, letters drawn out or spaced out.

    >>> is_improper("C.A.Z.Z.O", make_skeletons(["cazzo"]))
    True
    """
    words_of_text = _WORD.findall(_make_skeleton(text))
    single = "".join(word if len(word) == 1 else " " for word in words_of_text)
    return any(word in words for word in (*words_of_text, *map(_make_skeleton, single.split())))


def _make_skeleton(text: str) -> str:
    """Lower case, figures read as letters, accents and what nobody sees gone, letters drawn out once."""
    plain = unicodedata.normalize("NFKD", remove_invisible(text).casefold().translate(_LEET))
    return _DRAWN_OUT.sub(r"\1", "".join(character for character in plain if not unicodedata.combining(character)))


_SKELETONS = make_skeletons(IMPROPER)
_STAFF_SKELETONS, _TITLE_SKELETONS = make_skeletons(RESERVED), make_skeletons(TITLES)
