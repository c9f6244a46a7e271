"""A scenario: one round as data, cards and decisions in, payouts out (X-20). Its form is fixed by contract."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ventuno.core.rules import spelling
from ventuno.core.rules.cards import Card, NotACard, card
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.rules.sheet import BETS
from ventuno.core.table.round import Action

T = TypeVar("T")
TIMEOUT = "timeout"
WORDS = frozenset((*map(str, Action), TIMEOUT)) - {str(Action.SURRENDER)}
"""The decision words of the contract; no published game has surrender, which sheets may switch on."""

SIDES = frozenset(BETS) - {"main", "behind", "dealer-pair"}
TABLE_BETS = frozenset(("dealer-pair",))


MOST = 10**18
"""Cents that a player may bring at most: what a round can add still fits 63 bits, as every ledger keeps them."""


class Malformed(ValueError):
    """The input is no scenario: the message says what is wrong and where."""


@dataclass(frozen=True, slots=True)
class BehindEntry:
    player: PlayerId
    stake: Cents
    follow_double: bool = False
    follow_split: bool = False


@dataclass(frozen=True, slots=True)
class BoxEntry:
    box: int
    player: PlayerId
    main: Cents | None
    sides: Mapping[str, Cents] = field(default_factory=dict)
    behind: tuple[BehindEntry, ...] = ()


@dataclass(frozen=True, slots=True)
class DecisionEntry:
    box: int
    do: str
    player: PlayerId | None = None


@dataclass(frozen=True, slots=True)
class BonusEntry:
    wheel: str
    boxes: tuple[str, ...] = ()
    start: Mapping[int, int] = field(default_factory=dict)
    spins: tuple[Mapping[int, int], ...] = ()
    diamonds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scenario:
    game: str
    shoe: tuple[Card, ...]
    boxes: tuple[BoxEntry, ...]
    players: Mapping[PlayerId, Cents] = field(default_factory=dict)
    table: Mapping[str, Cents] = field(default_factory=dict)
    decisions: tuple[DecisionEntry, ...] = ()
    bonus: tuple[BonusEntry, ...] = ()


def parse(raw: object, games: tuple[str, ...]) -> Scenario:
    """Check the form of a decoded JSON document; what the rules think of it comes later."""
    top = _object(raw, "the scenario", ("game", "shoe", "boxes"), ("players", "table", "decisions", "bonus"))
    game = _text(top["game"], "game")
    if game not in games:
        raise Malformed(f"game: {game!r} is no game; {spelling.propose(game, games)}games: {', '.join(games)}")
    players = {
        _name(name, "players"): _balance(amount, f"players.{name}")
        for name, amount in _require(top.get("players", {}), dict, "players", "an object").items()
    }
    return Scenario(
        game=game,
        shoe=_cards(top["shoe"]),
        boxes=_entries(top, "boxes", _box),
        players=players,
        table=_stakes(top.get("table", {}), "table", TABLE_BETS),
        decisions=_entries(top, "decisions", _decision),
        bonus=_entries(top, "bonus", _bonus),
    )


def _box(raw: object, at: str) -> BoxEntry:
    content = _object(raw, at, ("box", "player"), ("main", "sides", "behind"))
    sides = _stakes(content.get("sides", {}), f"{at}.sides", SIDES)
    behind = _entries(content, "behind", _behind, f"{at}.")
    main = _whole(content["main"], f"{at}.main") if "main" in content else None
    if main == 0 and not behind:
        raise Malformed(f"{at}.main: a stake is a positive whole number; 0 means sitting out with bets behind")
    if main is None and not sides:
        raise Malformed(f"{at}.main: missing")
    return BoxEntry(_number(content["box"], f"{at}.box"), _name(content["player"], f"{at}.player"), main, sides, behind)


def _behind(raw: object, at: str) -> BehindEntry:
    content = _object(raw, at, ("player", "stake"), ("follow_double", "follow_split"))
    return BehindEntry(
        _name(content["player"], f"{at}.player"),
        _stake(content["stake"], f"{at}.stake"),
        _require(content.get("follow_double", False), bool, f"{at}.follow_double", "true or false"),
        _require(content.get("follow_split", False), bool, f"{at}.follow_split", "true or false"),
    )


def _decision(raw: object, at: str) -> DecisionEntry:
    content = _object(raw, at, ("box", "do"), ("player",))
    word = _text(content["do"], f"{at}.do")
    if word not in WORDS:
        raise Malformed(f"{at}.do: {word!r} is no decision; decisions: {', '.join(sorted(WORDS))}")
    player = _name(content["player"], f"{at}.player") if "player" in content else None
    return DecisionEntry(_number(content["box"], f"{at}.box"), word, player)


def _bonus(raw: object, at: str) -> BonusEntry:
    content = _object(raw, at, ("wheel",), ("boxes", "start", "spins", "diamonds"))
    return BonusEntry(
        _text(content["wheel"], f"{at}.wheel"),
        _words(content, "boxes", at),
        _cells(content.get("start", {}), f"{at}.start"),
        _entries(content, "spins", _cells, f"{at}."),
        _words(content, "diamonds", at),
    )


def _cells(raw: object, at: str) -> Mapping[int, int]:
    cells = {}
    for key, value in _require(raw, dict, at, "an object").items():
        if not (key.isascii() and key.isdigit()) or len(key) > 3 or str(int(key)) != key:
            raise Malformed(f"{at}: {key!r} is no cell number")
        cells[int(key)] = _number(value, f"{at}.{key}")
    return cells


def _cards(raw: object) -> tuple[Card, ...]:
    shoe = []
    for place, word in enumerate(_text(raw, "shoe", empty=True).split(), start=1):
        try:
            shoe.append(card(word))
        except NotACard as fault:
            raise Malformed(f"shoe: card {place}: {fault}") from None
    return tuple(shoe)


def _stakes(raw: object, at: str, allowed: frozenset[str]) -> Mapping[str, Cents]:
    for bet in (entries := _require(raw, dict, at, "an object")):
        if bet not in allowed:
            raise Malformed(f"{at}: {bet!r} is no bet here; bets: {', '.join(sorted(allowed))}")
    return {bet: _stake(amount, f"{at}.{bet}") for bet, amount in entries.items()}


def _object(raw: object, at: str, needed: tuple[str, ...], allowed: tuple[str, ...]) -> dict[str, Any]:
    content = _require(raw, dict, at, "an object")
    for key in content:
        if key not in needed and key not in allowed:
            raise Malformed(f"{at}: unknown key {key!r}; keys: {', '.join((*needed, *allowed))}")
    if missing := [key for key in needed if key not in content]:
        raise Malformed(f"{at}: {missing[0]} is missing")
    return content


def _entries(content: Mapping[str, Any], key: str, read: Callable[[object, str], T], at: str = "") -> tuple[T, ...]:
    """The entries of a list, which may be missing; each is named by its place."""
    entries = _require(content.get(key, []), list, f"{at}{key}", "a list")
    return tuple(read(entry, f"{at}{key}[{i}]") for i, entry in enumerate(entries))


def _words(content: Mapping[str, Any], key: str, at: str) -> tuple[str, ...]:
    words = _require(content.get(key, []), list, f"{at}.{key}", "a list")
    return tuple(_text(word, f"{at}.{key}") for word in words)


def _require(raw: object, kind: type[T], at: str, needed: str) -> T:
    if type(raw) is not kind:
        raise Malformed(f"{at}: {needed} is needed")
    return raw


def _text(raw: object, at: str, *, empty: bool = False) -> str:
    if not isinstance(raw, str) or not (raw or empty):
        raise Malformed(f"{at}: a text is needed")
    return raw


def _name(raw: object, at: str) -> PlayerId:
    name = _text(raw, at)
    if len(name) > 64 or not name.isprintable() or name != name.strip():
        raise Malformed(f"{at}: a player's name is up to 64 printable characters")
    return name


def _number(raw: object, at: str) -> int:
    return _require(raw, int, at, "a whole number")


def _whole(raw: object, at: str) -> int:
    number = _number(raw, at)
    if number < 0:
        raise Malformed(f"{at}: a whole number of cents, 0 or more, is needed")
    return number


def _balance(raw: object, at: str) -> Cents:
    if (number := _whole(raw, at)) > MOST:
        raise Malformed(f"{at}: nobody has more than {MOST} cents")
    return number


def _stake(raw: object, at: str) -> Cents:
    number = _number(raw, at)
    if number <= 0:
        raise Malformed(f"{at}: a stake is a positive whole number of cents")
    return number
