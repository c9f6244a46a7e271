"""One language of the house, as the terminal speaks it (X-21)."""

from __future__ import annotations

from ventuno import words
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.money import Cents


class Voice:
    """`voice("dealt")` is a phrase of the terminal, `voice.name("bet", "main")` one that the client has too."""

    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, key: str, **fields: object) -> str:
        return words.say(self.language, f"terminal.{key}", **fields)

    def name(self, family: str, word: str, **fields: object) -> str:
        """A bet, an action, an ending by its name; the word itself where no catalogue has it."""
        text = words.load(self.language).get(f"{family}.{word}", word)
        return words.fill(text, fields, self.language)

    def list_help(self, **fields: object) -> list[tuple[str, str]]:
        """What may be typed, each with its meaning."""
        keys = [key for key in words.load(self.language) if key.startswith("terminal.help.")]
        rows = [words.say(self.language, key, **fields).partition(" | ") for key in keys]
        return [(typed, meaning) for typed, _, meaning in rows]

    def money(self, amount: Cents) -> str:
        return words.format_money(amount, self.language)

    def refusal(self, refusal: Refusal) -> str:
        return words.describe_refusal(refusal, self.language)
