"""What the player types: lines read one by one, words of both languages understood (`1 pp 200`, `carta`, `hit`)."""

from __future__ import annotations

import re
import sys
import unicodedata
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from io import TextIOWrapper
from typing import NamedTuple

from ventuno.cli import output
from ventuno.core.rules.money import Cents
from ventuno.core.table.round import Action

LONGEST_LINE = 400
MOST_COMMANDS = 20
_CENTS = re.compile(r"[0-9]{1,9}")
_EURO = "€"
_EUROS = re.compile(r"([0-9]{1,7})(?:[.,]([0-9]{2}))?")
_GROUPED = {
    "it": re.compile(r"([0-9]{1,3}(?:\.[0-9]{3}){1,2})(?:,([0-9]{2}))?"),
    "en": re.compile(r"([0-9]{1,3}(?:,[0-9]{3}){1,2})(?:\.([0-9]{2}))?"),
}
"""Euros with the sign between thousands that each language writes."""
_SIGNED = ((re.compile(rf"{_EURO}\s+(?=[0-9])"), _EURO), (re.compile(rf"(?<=[0-9])\s+{_EURO}(?![0-9])"), _EURO))
"""An amount and the sign beside it are one word: before the number as the table writes it, or after it."""

SHORT = {"perfect-pairs": "pp", "21+3": "21", "dealer-pair": "dp", "link": "l", "2-up": "2up", "behind": "b"}
"""The short word of each side bet, as shown."""

BETS = {
    **dict.fromkeys(("m", "main", "puntata", "ante"), "main"),
    **dict.fromkeys(("pp", "coppia", "pair", "perfect-pairs"), "perfect-pairs"),
    **dict.fromkeys(("21", "21+3", "t"), "21+3"),
    **dict.fromkeys(("dp", "banco", "dealer", "dealer-pair"), "dealer-pair"),
    **dict.fromkeys(("l", "link"), "link"),
    **dict.fromkeys(("2up", "2-up", "up"), "2-up"),
    **dict.fromkeys(("b", "behind", "spalle"), "behind"),
}
ALL = ("tutti", "tutto", "all", "*")

VERBS = {
    **dict.fromkeys(("d", "dai", "deal", "carte", "start"), "deal"),
    **dict.fromkeys(("r", "ripeti", "repeat"), "repeat"),
    **dict.fromkeys(("a", "u", "annulla", "undo", "back"), "undo"),
    **dict.fromkeys(("c", "cancella", "clear"), "clear"),
    **dict.fromkeys(("x", "x2", "raddoppia", "double"), "double"),
    **dict.fromkeys(("ridai", "redeal", "rebet"), "redeal"),
    **dict.fromkeys(("siedi", "sit"), "sit"),
    **dict.fromkeys(("alzati", "leave"), "leave"),
    **dict.fromkeys(("togli", "remove"), "remove"),
}
"""Words of the betting time."""

ALWAYS = {
    **dict.fromkeys(("aiuto", "help", "?"), "help"),
    **dict.fromkeys(("perche", "why"), "why"),
    **dict.fromkeys(("quote", "pays", "limiti", "limits", "regole", "rules"), "pays"),
    **dict.fromkeys(("soldi", "money", "denaro"), "money"),
    **dict.fromkeys(("esci", "quit", "q", "exit", "fine"), "quit"),
}
"""Words that are understood at any time."""

_ACTIONS = {
    **dict.fromkeys(("c", "h", "carta", "hit"), Action.HIT),
    **dict.fromkeys(("s", "stai", "sto", "stand", "stay"), Action.STAND),
    **dict.fromkeys(("r", "d", "raddoppia", "double"), Action.DOUBLE),
    **dict.fromkeys(("v", "p", "dividi", "split"), Action.SPLIT),
    **dict.fromkeys(("b", "u", "abbandona", "surrender"), Action.SURRENDER),
    **dict.fromkeys(("i", "incassa", "cash", "cashout", "cash-out", "cash out"), Action.CASH_OUT),
    **dict.fromkeys(("f", "lascia", "passa", "fold"), Action.FOLD),
    **dict.fromkeys(("sx", "sinistra", "left"), Action.LEFT),
    **dict.fromkeys(("dx", "destra", "right"), Action.RIGHT),
}
_CHOICE = {"l": Action.LEFT, "r": Action.RIGHT, "s": None, "d": None}
_ANSWERS = {
    **dict.fromkeys(("s", "si", "y", "yes", "a", "assicura", "insure"), Action.INSURE),
    **dict.fromkeys(("e", "pari", "alla pari", "even", "even money"), Action.EVEN_MONEY),
    **dict.fromkeys(("n", "no", "rifiuta", "decline"), Action.DECLINE),
}
SPIN = frozenset(("", "g", "gira", "spin", "continua", "continue"))
SKIP = frozenset(("salta", "skip"))


class PlayerLeft(Exception):
    """The player has gone: end of input, an interrupt, or the word for it."""


class Stake(NamedTuple):
    bet: str
    amount: Cents


def words(line: str) -> list[str]:
    """Lower case, without accents and control characters."""
    bare = unicodedata.normalize("NFKD", line.casefold())
    kept = "".join(letter if letter.isprintable() else " " for letter in bare if not unicodedata.combining(letter))
    for sign, joined in _SIGNED:
        kept = sign.sub(joined, kept)
    return kept.split()


def amount(word: str, language: str = "it") -> Cents | None:
    """Cents, or euros as the table shows them: `500`, `5,00` and `€5` are the same, and so are `1.000,50`, `100050`.

    Two decimals are understood in either way; a sign between thousands is the language's own, or there is no amount.
    """
    bare = word.removeprefix(_EURO) if word.startswith(_EURO) else word.removesuffix(_EURO)
    if bare == word and _CENTS.fullmatch(word):
        return int(word)
    match = _GROUPED[language].fullmatch(bare) or _EUROS.fullmatch(bare)
    return int(re.sub("[.,]", "", match[1])) * 100 + int(match[2] or 0) if match else None


def number(word: str) -> int | None:
    return int(word) if _CENTS.fullmatch(word) else None


def stakes(typed: list[str], language: str = "it") -> list[Stake] | None:
    """`500`, `pp 200` or `500 pp 200 21 100`; None where it is none of these."""
    typed_stakes: list[Stake] = []
    rest = deque(typed)
    while rest:
        bet = "main"
        if rest[0] in BETS and len(rest) > 1 and amount(rest[1], language) is not None:
            bet = BETS[rest.popleft()]
        value = amount(rest.popleft(), language)
        if value is None:
            return None
        typed_stakes.append(Stake(bet, value))
    return typed_stakes or None


def action(typed: list[str], offered: tuple[Action, ...]) -> Action | None:
    """The decision that these words mean while `offered` is what is asked."""
    text = " ".join(typed)
    if Action.DECLINE in offered:
        answer = _ANSWERS.get(text)
        return Action.EVEN_MONEY if answer is Action.INSURE and Action.INSURE not in offered else answer
    if Action.FOLD in offered and text in _CHOICE:
        return _CHOICE[text]
    return _ACTIONS.get(text)


class Reader:
    """Commands from a line source; one line may hold several, parted by semicolons."""

    def __init__(self, line: Callable[[], str]) -> None:
        self._line = line
        self._queue: deque[list[str]] = deque()

    @property
    def is_empty(self) -> bool:
        """Nothing is waiting: the next command will be asked for."""
        return not self._queue

    def drop(self) -> None:
        """Forget what was typed ahead, as something was refused."""
        self._queue.clear()

    def next(self) -> list[str]:
        if not self._queue:
            self._queue.extend(_commands(self._line()))
        return self._queue.popleft()


def _commands(line: str) -> Iterator[list[str]]:
    parts = line[:LONGEST_LINE].split(";")[:MOST_COMMANDS]
    for part in parts:
        if typed := words(part):
            yield typed
        elif len(parts) == 1:
            yield []
    if len(parts) > 1 and not any(words(part) for part in parts):
        yield []


def read_line() -> str:
    """One line from the keyboard or a pipe; whatever ends the input means that the player has gone."""
    try:
        if output.is_lost():
            raise PlayerLeft
        line = input("> ")
        if not sys.stdin.isatty():
            print("".join(letter if letter.isprintable() else " " for letter in line[:LONGEST_LINE]))
    except (EOFError, KeyboardInterrupt, RuntimeError, OSError, ValueError):
        raise PlayerLeft from None
    return line


def prepare_streams() -> None:
    """Odd bytes are replaced, never a fault; line editing where the terminal has it."""
    for stream in (sys.stdin, sys.stdout):
        with suppress(ValueError, OSError):
            if isinstance(stream, TextIOWrapper):
                stream.reconfigure(errors="replace")
    with suppress(ImportError, AttributeError):
        if sys.stdin.isatty():
            import_module("readline")  # importing it is what gives line editing
