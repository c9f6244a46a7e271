"""One language of the house, as the terminal speaks it (X-21)."""

from __future__ import annotations

from ventuno import words
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents
from ventuno.core.rules.sheet import Sheet


def name_place(sheet: Sheet) -> str:
    """What a game prints where a hand lies: a box at a live table, else a hand or a seat, as its sheet says."""
    return sheet.looks.hand if sheet.game.solo else "box"


class Voice:
    """`voice("dealt")` is a phrase of the terminal, `voice.name("bet", "main")` one that the client has too.

    Of a game it calls the places of its table as the felt does (F-03, S-03, D-02, L-02).
    """

    def __init__(self, language: str, sheet: Sheet | None = None) -> None:
        self.language = language
        self._places: dict[str, object] = {}
        place = self.say(f"place.{name_place(sheet) if sheet else 'box'}")
        self._places = {"place": place, "Place": place.capitalize()}

    def __call__(self, key: str, **fields: object) -> str:
        return self.say(key, **fields)

    def say(self, key: str, **fields: object) -> str:
        return words.say(self.language, f"terminal.{key}", **self._places, **fields)

    def name(self, family: str, word: str, **fields: object) -> str:
        """A bet, an action, an ending by its name; the word itself where no catalogue has it."""
        text = words.load(self.language).get(f"{family}.{word}", word)
        return words.fill(text, fields, self.language)

    def list_help(self, **fields: object) -> list[tuple[str, str]]:
        """What may be typed, each with its meaning."""
        keys = [key for key in words.load(self.language) if key.startswith("terminal.help.")]
        rows = [words.say(self.language, key, **self._places, **fields).partition(" | ") for key in keys]
        return [(typed, meaning) for typed, _, meaning in rows]

    def money(self, amount: Cents) -> str:
        return words.format_money(amount, self.language)

    def refusal(self, refusal: Refusal) -> str:
        return words.describe_refusal(refusal, self.language)
