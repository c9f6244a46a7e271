"""The catalogues: two languages say the same, every refusal and reason has its phrase, and no phrase is left over.

What only the client asks for is looked for by its own tests (client/src/tests/words.test.ts).
"""

from __future__ import annotations

import ast
import dataclasses
import importlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import ventuno
from ventuno import words
from ventuno.core.messages.certificate_notes import METHODS, NOTES
from ventuno.core.messages.refusals import Refusal
from ventuno.words import LANGUAGES

PACKAGE = Path(ventuno.__file__).parent
FIELD = re.compile(r"\{([\w-]+)(?::\w+)?(?:\|[^{}]*)?\}")
CLIENT_ONLY = {"Offline", "StillAsked"}
"""Refusals that the client gives itself."""
HOUSE_REASONS = {
    *("restart", "program-unverified", "generator-failed", "disk-full"),
    *("no-dealer", "dealer-pause", "misdeal"),
}
"""Why the house itself pauses, closes or voids: reasons of commands, where a supervisor's own words may stand too."""
DESK_REASONS = {
    "misread",
    "wrong-card",
    "card-dropped",
    "card-exposed",
    "wrong-place",
    "equipment",
    "question",
    "break",
}
"""Why a dealer takes a card back, pauses or calls: the client offers them at the desk."""
GIVES_REASONS = {"_forbidden", "_double_forbidden", "_split_forbidden", "_find_asked_early", "get_end_reason"}
"""Functions that return the code of a reason."""
TAKES_REASONS = {"_fail_with", "RandomnessFailed"}


def import_refusals() -> dict[str, type[Refusal]]:
    """Every refusal class of the package by its code."""
    for path in PACKAGE.rglob("*.py"):
        if "(Refusal):" in path.read_text(encoding="utf-8"):
            importlib.import_module(".".join(("ventuno", *path.relative_to(PACKAGE).with_suffix("").parts)))
    kinds = {kind.__name__: kind for kind in Refusal.__subclasses__()}
    return {name: kind for name, kind in kinds.items() if kind.__module__.startswith("ventuno.")}


REFUSALS = import_refusals()


def find_constants(node: ast.AST) -> Iterator[str]:
    """The codes that an expression can give; of a code with a value of the sheet in it, its beginning and a `*`."""
    for part in ast.walk(node):
        if isinstance(part, ast.JoinedStr):
            yield "".join(str(piece.value) if isinstance(piece, ast.Constant) else "*" for piece in part.values)
        elif isinstance(part, ast.Constant) and isinstance(part.value, str) and part.value:
            yield part.value


def find_reasons(source: str) -> Iterator[str]:
    """The codes of reasons that a module gives."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name | ast.Attribute):
            name = node.func.id if isinstance(node.func, ast.Name) else node.func.attr
            if name in TAKES_REASONS:
                yield from (code for argument in node.args for code in find_constants(argument))
            elif name in REFUSALS:
                places = [field.name for field in dataclasses.fields(REFUSALS[name])]
                given = [*zip(places, node.args, strict=False), *((word.arg, word.value) for word in node.keywords)]
                yield from (code for field, value in given if field == "reason" for code in literals(value))
        elif isinstance(node, ast.FunctionDef) and node.name in GIVES_REASONS:
            returned = [part.value for part in ast.walk(node) if isinstance(part, ast.Return) and part.value]
            yield from (code for value in returned for code in literals(value))


def literals(value: ast.expr) -> Iterator[str]:
    """The codes written out in an argument; what a variable holds is found where it was made."""
    match value:
        case ast.IfExp(body=body, orelse=orelse):
            yield from literals(body)
            yield from literals(orelse)
        case ast.Constant() | ast.JoinedStr():
            yield from (code.partition("*")[0] for code in list(find_constants(value))[:1])
        case _:
            return


def reasons_given() -> set[str]:
    rooms = [path for room in ("core", "house", "web") for path in (PACKAGE / room).rglob("*.py")]
    return (
        {reason for path in rooms for reason in find_reasons(path.read_text(encoding="utf-8"))}
        | HOUSE_REASONS
        | DESK_REASONS
    )


def matches(key: str, reason: str) -> bool:
    """Whether a key is this reason's phrase; a reason that ends in a dash goes on with a value of the sheet."""
    return key == f"reason.{reason}" or (reason.endswith("-") and key.startswith(f"reason.{reason}"))


def unsaid(reasons: set[str], language: str) -> set[str]:
    """The reasons without a phrase."""
    keys = words.load(language)
    return {reason for reason in reasons if not any(matches(key, reason) for key in keys)}


def unused(keys: set[str], reasons: set[str]) -> set[str]:
    """The reasons of the catalogue that nobody gives; the label of a key is that of its reason."""
    phrases = {key.removesuffix(".label") for key in keys if key.startswith("reason.")}
    return {key for key in phrases if not any(matches(key, reason) for reason in reasons)}


def test_both_languages_have_the_same_keys_and_fields() -> None:
    italian, english = (words.load(language) for language in LANGUAGES)
    assert italian.keys() == english.keys()
    assert len(italian) > 1_500
    unlike = [key for key in italian if fields_of(italian[key]) != fields_of(english[key])]
    assert unlike == []


def fields_of(text: str) -> set[str]:
    """The fields of a phrase; that a word agrees with a number in one language alone is no difference."""
    return {field.partition("|")[0] for field in re.findall(r"\{([^}]*)\}", text)}


def test_no_phrase_stands_in_two_rooms() -> None:
    for language in LANGUAGES:
        rooms = (PACKAGE / "words" / language).glob("*.json")
        lines = [line for room in rooms for line in re.findall(r'^  "([^"]+)":', room.read_text("utf-8"), re.MULTILINE)]
        assert len(lines) == len(set(lines)) == len(words.load(language))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_refusal_has_a_phrase_with_numbers_that_it_carries(language: str) -> None:
    assert len(REFUSALS) > 140
    phrases = words.load(language)
    assert [name for name in REFUSALS if f"refusal.{name}" not in phrases] == []
    for name, kind in REFUSALS.items():
        carried = {field.name for field in dataclasses.fields(kind)}
        assert set(FIELD.findall(phrases[f"refusal.{name}"])) <= carried, name


def test_every_phrase_of_a_refusal_has_its_refusal() -> None:
    named = {key.split(".")[1] for key in words.load("it") if key.startswith("refusal.")}
    assert named - REFUSALS.keys() == CLIENT_ONLY


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_reason_has_a_phrase(language: str) -> None:
    reasons = reasons_given()
    assert {"first-two-cards", "hands-at-most", "only-", "no-activity", "logged-out", "self-test"} <= reasons
    assert unsaid(reasons, language) == set()
    planted = set(find_reasons('ActionNotAllowed(action, "planted" if x else f"only-{y}")'))
    assert planted == {"planted", "only-"}
    assert unsaid(planted, language) == {"planted"}


def test_no_reason_is_left_over() -> None:
    keys = set(words.load("it"))
    assert unused(keys, reasons_given()) == set()
    for planted in ("reason.planted", "reason.planted.label"):
        assert unused({*keys, planted}, reasons_given()) == {"reason.planted"}


def test_every_note_of_a_certificate_has_a_phrase() -> None:
    keys = {key for key in words.load("en") if key.startswith(("note.", "method."))}
    assert keys == {code.replace("-", ".", 1) for code in METHODS} | {f"note.{code}" for code in NOTES}


def test_the_terminal_asks_for_each_of_its_phrases_and_for_no_other() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in (PACKAGE / "cli").rglob("*.py"))
    keys = {key.removeprefix("terminal.") for key in words.load("it") if key.startswith("terminal.")}
    families = ("help.", *re.findall(r"""(?:voice|say)\(f["'](\w+\.)\{""", source))
    asked = set(re.findall(r"""(?:voice|say)\(["']([\w-]+)["']""", source))
    assert len(asked) > 50
    assert asked <= keys

    def leftover(phrases: set[str]) -> set[str]:
        return {
            key
            for key in phrases
            if not key.startswith(families) and not re.search(f"[\"']{re.escape(key)}[\"']", source)
        }

    assert leftover(keys) == set()
    assert leftover({*keys, "planted"}) == {"planted"}


def test_fields_are_written_as_what_they_are() -> None:
    def say(language: str, text: str, **fields: object) -> str:
        return words.fill(text, fields, language)

    assert say("it", "{a:money} {b:signed}", a=125_000, b=-5) == "€ 1.250,00 -€ 0,05"
    assert say("en", "{a:money} {b:signed}", a=125_000, b=500) == "€1,250.00 +€5.00"
    assert say("en", "{a:time} {b:day}", a=0, b=10**18) == "00:00:00 9999-12-31 23:59"
    assert say("it", "{a:percent} {b:seconds}", a=84.578, b=1_001) == "84,58 % 2 s"
    assert say("en", "{a:card}, {b:bet}, {c:act}, {d:phase}", a="AS", b="main", c="hit", d="round") == (
        "Ace of spades, Main bet, Hit, the round is being played"
    )
    assert say("en", "{a:reason}; {b:reason}", a="hands-at-most", b="a glass fell over", most=3) == (
        "3 hands at most; a glass fell over"
    )
    assert (
        say("en", "{a:limit}, {b:limit}, {c}", a="loss:day", b="session:minutes") == "Losses a day, Session length, {c}"
    )


def test_a_word_agrees_with_its_number() -> None:
    """“Restano 1 carte” is not said: one card, two cards, no cards."""
    texts = [words.say("it", "words.shoe", left=left) for left in (1, 2, 0)]
    assert texts == ["Nel sabot resta 1 carta.", "Nel sabot restano 2 carte.", "Nel sabot restano 0 carte."]
    assert words.say("en", "words.shoe", left=1) == "1 card is left in the shoe."
    assert words.describe("TryLater", {"seconds": 1}, "it") == "Troppi tentativi. Riprova fra 1 secondo."


COUNTED = re.compile(
    r"\{[\w-]+\} (?:carte|mani|minuti|secondi|giorni|ore|posti|righe|mazzi|"
    r"cards|rounds|hands|minutes|seconds|days|decks)\b"
)
NEVER_ONE = {
    *("best.text", "con.pace", "con.seats", "lobby.seats", "note.fixed", "odds.cost", "reason.cut-outside"),
    *("reason.not-the-cards", "reason.session-too-long", "refusal.CheckUnfit", "refusal.MuteUnfit"),
    *("refusal.NoSuchExclusion", "refusal.OddsTooLong", "refusal.TooFast", "refusal.TooManyCopies", "refusal.TooSlow"),
    *("terminal.felt-charlie", "ver.fault.decks", "ver.rules-ok"),
}
"""Phrases whose number is two or more by its own rule, or is said beside another."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_phrase_counts_one_of_many(language: str) -> None:
    """A number before a plural has a form for one, by `{count|carta|carte}` or by a phrase of its own."""
    phrases = words.load(language)
    counted = {key for key, text in phrases.items() if COUNTED.search(text) and not key.endswith(".other")}
    assert counted - NEVER_ONE == set()


SUSPICIOUS = {
    "it": r"the|and|of|your|with|bets?|dealer(?! pair)|hand|hands|card|cards|shoe|seat|round|rounds|stake|behind|push|"
    r"win|lose|settings|help|history|cashier|password's|split|double|hit|stand|deal|undo|fold",
    "en": r"il|la|lo|gli|di|del|della|dei|puntata|puntate|banco|mano|mani|carta|carte|fiche|posta|saldo|cassa|"
    r"tavolo|tavoli|giro|vincita|storico|aiuto|sabot|mazzo|mazzi",
}
"""Words of the other language that nobody would let stand in a sentence."""
NAMES = {"house.language.it", "house.language.en", "nav.language", "terminal.help.decisions"}
"""A language is named in itself; the terminal tells the words it takes in both."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_word_of_the_other_language_slips_in(language: str) -> None:
    pattern = re.compile(rf"(?<![\w’'{{|:-])(?:{SUSPICIOUS[language]})(?![\w’'-])", re.IGNORECASE)
    phrases = {key: re.sub(r"\{[\w:-]+", "{", text) for key, text in words.load(language).items() if key not in NAMES}
    assert {key: text for key, text in phrases.items() if pattern.search(text)} == {}
    assert pattern.search({"it": "chi ha the cards", "en": "the mano is over"}[language])


def test_nothing_is_called_as_no_casino_would() -> None:
    """Names that were read aloud and sent back, whole phrases or parts of them."""
    awkward = re.compile(
        r"parola d.ordine|lascia stare|ridai la parola|figura\b|the sums|is no more|corrections that wait|never mind|"
        r"limits of your level|limiti del tuo livello|stanza dei conti|secondo fattore|second factor",
        re.IGNORECASE,
    )
    for language in LANGUAGES:
        assert {key: text for key, text in words.load(language).items() if awkward.search(text)} == {}


def test_a_refusal_may_have_no_end_or_count_minutes() -> None:
    assert words.describe("PlayExcluded", {"until": 0}) == "You are excluded from play indefinitely."
    limit = {"name": "session:minutes", "limit": 60, "used": 60, "asked": 0}
    assert "€" not in words.describe("ProtectionLimit", limit)
    assert "€0.60" in words.describe("ProtectionLimit", {**limit, "name": "loss:day"})
    assert words.describe("SomethingNew", {}) == "SomethingNew"


def test_d03_missing_funds_for_a_raise_name_it() -> None:
    """D-03: before the deal as part of what is needed, at the choice alone; another stake has no raise."""
    missing = {"needed": 200, "available": 150, "raised": 100}
    assert "€1.00 of it for the raise" in words.describe("FundsMissing", missing)
    assert words.describe("FundsMissing", {**missing, "needed": 100}).startswith("The raise costs €1.00")
    assert "raise" not in words.describe("FundsMissing", {**missing, "raised": 0})
