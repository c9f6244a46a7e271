"""What the house says to people: one catalogue for each language, read here for the terminal and by the client's build.

A refusal, a reason, a note of a certificate is a code with numbers everywhere else. A field of a phrase may name what
its number is: `{maximum:money}`, `{deadline:time}`, `{reason:reason}`, or have a form for one and one for any other
number: `{left} {left|card|cards}`. A folder is a language, a file a room.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files

from ventuno.core.messages.certificate_notes import Note
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents, format_euro

LANGUAGES = ("it", "en")
_FIELD = re.compile(r"\{([\w-]+)(?::(\w+))?(?:\|([^|{}]*)\|([^|{}]*))?\}")
_LAST = 253_402_300_799_000
"""The end of the year 9999, in milliseconds."""


@cache
def load(language: str) -> Mapping[str, str]:
    """Every phrase of a language by its key."""
    phrases: dict[str, str] = {}
    for room in files(__name__).joinpath(language).iterdir():
        phrases |= json.loads(room.read_text(encoding="utf-8"))
    return phrases


def say(language: str, key: str, **fields: object) -> str:
    """A phrase with its fields."""
    return fill(load(language)[key], fields, language)


def fill(text: str, fields: Mapping[str, object], language: str) -> str:
    """The fields of a text, each written as what it is; one that is missing stays as it stands."""

    def write(field: re.Match[str]) -> str:
        name, kind, single, plural = field.groups()
        if name not in fields:
            return field[0]
        if plural is not None:
            return str(single if str(fields[name]) == "1" else plural)
        return _write(kind, fields[name], fields, language)

    return _FIELD.sub(write, text)


def describe_refusal(refusal: Refusal, language: str = "en") -> str:
    """Why not, in one sentence with its numbers (X-19)."""
    return describe(refusal.code, asdict(refusal), language)


def describe(code: str, numbers: Mapping[str, object], language: str = "en") -> str:
    """The same of a refusal that has only its code and numbers left; an unknown one is shown by its code."""
    phrases, key = load(language), f"refusal.{code}"
    text = phrases.get(f"{key}.{_find_variant(numbers)}") or phrases.get(key, code)
    return " ".join(fill(text, numbers, language).split())


def describe_reason(reason: str, numbers: Mapping[str, object], language: str = "en") -> str:
    """The phrase of a reason's code. What a person wrote, or an older version of the house, is shown as it is."""
    text = load(language).get(f"reason.{reason}")
    return reason if text is None else fill(text, numbers, language)


def say_note(note: Note, language: str = "en") -> str:
    """A note of a certificate: `method-exact` is the phrase `method.exact`, any other code is in `note`."""
    key = note.code.replace("-", ".", 1) if note.code.startswith("method-") else f"note.{note.code}"
    return say(language, key, **note.numbers)


def format_money(amount: Cents, language: str) -> str:
    """`€ 1.250,00` in Italian, `€1,250.00` in English."""
    text = format_euro(amount)
    return text if language == "it" else text.translate(str.maketrans(".,", ",.")).replace("€ ", "€")


def _find_variant(numbers: Mapping[str, object]) -> str:
    """An exclusion may have no end; missing funds may be for a raise; a limit may count minutes instead of money."""
    if numbers.get("until") == 0:
        return "endless"
    if raised := numbers.get("raised"):
        return "raise" if raised == numbers.get("needed") else "with-raise"
    return "minutes" if str(numbers.get("name", "")).endswith(":minutes") else ""


def _write(kind: str | None, value: object, numbers: Mapping[str, object], language: str) -> str:
    phrases = load(language)
    match kind, value:
        case "money", int():
            return format_money(value, language)
        case "percent", int() | float():
            return f"{value:.2f}".replace(".", "," if language == "it" else ".") + (" %" if language == "it" else "%")
        case "signed", int():
            return ("+" if value > 0 else "") + format_money(value, language)
        case "time" | "day", int():
            moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=min(value, _LAST))
            return moment.strftime("%H:%M:%S" if kind == "time" else "%Y-%m-%d %H:%M")
        case "seconds", int():
            return fill(phrases["decide.seconds"], {"seconds": -(-value // 1000)}, language)
        case "bet" | "act" | "phase" | "terminal", str():
            return phrases.get(f"{kind}.{value}", value)
        case "cut", str():
            return phrases.get(f"cut-phase.{value}", value)
        case "reason", str():
            return describe_reason(value, numbers, language)
        case "card", str():
            rank, suit = (phrases.get(key, "") for key in (f"rank.{value[:1]}", f"suit.{value[1:]}"))
            return fill(phrases["card.name"], {"rank": rank, "suit": suit}, language)
        case "limit", str():
            name, _, period = value.partition(":")
            words = (phrases.get(f"guard.{word}", word) for word in (name, period))
            return phrases["guard.session"] if period == "minutes" else " ".join(words)
        case _:
            return str(value)
