"""A round as one readable line, both ways (X-18).

    ventuno | p1=100000 p2=50000 | 1:p1 1000 perfect-pairs 200 <p2 500 d | 9S 7D TC TH | 1 stand

Six fields are parted by ` | `: game, balances, boxes, cards, decisions, bonus draws; trailing empty ones are left out.
Boxes are parted by `; `, each `number:player stake`, then its side bets, then `<bettor stake` with `d` and `s` where he
follows a double or a split; `table dealer-pair 100` is the table's own bet. A decision is `box word`, or `box@player
word` where a bettor behind answers. A bonus is `wheel`, or `wheel [boxes] {start} {spin} ... <diamonds>`.
Names have `%` escapes for blanks and for the signs used here. docs/notation.md has the grammar.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from ventuno.core.rules import cards
from ventuno.core.rules.money import Cents, PlayerId
from ventuno.core.scenario.scenario import (
    SIDES,
    TABLE_BETS,
    BehindEntry,
    BonusEntry,
    BoxEntry,
    DecisionEntry,
    Malformed,
    Scenario,
)

_PART = " | "
_ITEM = "; "
_PLAIN = re.compile(r"[A-Za-z0-9_.+-]")
_DECISION = re.compile(r"(-?[0-9]{1,18})(?:@(\S+))? ([a-z-]+)")
_BOX = re.compile(
    r"(-?[0-9]{1,18}):(\S+)(?: ([0-9]{1,18}))?((?: (?!<)\S+ [0-9]+)*)((?: <\S+ [0-9]{1,18}(?: [ds]{1,2})?)*)"
)
_BEHIND = re.compile(r"<(\S+) ([0-9]{1,18})(?: ([ds]{1,2}))?")
_NUMBER = re.compile(r"[0-9]{1,18}")
_BONUS = re.compile(r"(\S+)(?: \[([^\]]*)\])?((?: \{[^}]*\})*)(?: <([^>]*)>)?")


def write(scenario: Scenario) -> str:
    """The line of a round."""
    fields = [
        scenario.game,
        " ".join(f"{_name(player)}={amount}" for player, amount in scenario.players.items()),
        _ITEM.join([*map(_box, scenario.boxes), *(f"table {bet} {stake}" for bet, stake in scenario.table.items())]),
        cards.line(scenario.shoe),
        _ITEM.join(map(_decision, scenario.decisions)),
        _ITEM.join(map(_bonus, scenario.bonus)),
    ]
    while len(fields) > 3 and not fields[-1]:
        fields.pop()
    return _PART.join(field or "-" for field in fields)


def read(line: str) -> Scenario:
    """The round of a line; Malformed says where it goes wrong."""
    fields = ["" if field == "-" else field for field in line.strip().split(_PART)]
    if not 3 <= len(fields) <= 6:
        raise Malformed(f"a round has three to six fields parted by '{_PART}', not {len(fields)}")
    game, players, boxes, shoe, decisions, bonus = [*fields, "", "", ""][:6]
    if not re.fullmatch(r"[a-z0-9-]+", game):
        raise Malformed(f"{game!r} is no name of a game")
    entries = boxes.split(_ITEM) if boxes else []
    try:
        shoe_cards = cards.cards(shoe)
    except cards.NotACard as fault:
        raise Malformed(f"cards: {fault}") from None
    return Scenario(
        game=game,
        shoe=shoe_cards,
        boxes=tuple(_read_box(entry) for entry in entries if not entry.startswith("table ")),
        players=dict(_read_balance(word) for word in players.split()),
        table=_read_table([entry for entry in entries if entry.startswith("table ")]),
        decisions=tuple(_read_decision(entry) for entry in decisions.split(_ITEM)) if decisions else (),
        bonus=tuple(_read_bonus(entry) for entry in bonus.split(_ITEM)) if bonus else (),
    )


def _name(player: PlayerId) -> str:
    return "".join(
        letter if _PLAIN.fullmatch(letter) else "".join(f"%{byte:02X}" for byte in letter.encode()) for letter in player
    )


def _read_name(word: str) -> PlayerId:
    try:
        raw = re.sub(r"%([0-9A-F]{2})", lambda match: chr(int(match[1], 16)), word)
        return raw.encode("latin-1").decode()
    except UnicodeError:
        raise Malformed(f"{word!r} is no name") from None


def _box(entry: BoxEntry) -> str:
    main = "" if entry.main is None else f" {entry.main}"
    sides = "".join(f" {bet} {stake}" for bet, stake in entry.sides.items())
    return f"{entry.box}:{_name(entry.player)}{main}{sides}{''.join(map(_behind, entry.behind))}"


def _behind(entry: BehindEntry) -> str:
    flags = "d" * entry.follow_double + "s" * entry.follow_split
    return f" <{_name(entry.player)} {entry.stake}" + (f" {flags}" if flags else "")


def _read_box(text: str) -> BoxEntry:
    match = _BOX.fullmatch(text)
    if not match:
        raise Malformed(f"{text!r} is no box: write '1:name stake'")
    words = match[4].split()
    sides = _bets(zip(words[::2], words[1::2], strict=True), SIDES)
    behind = tuple(
        BehindEntry(_read_name(name), int(stake), "d" in flags, "s" in flags)
        for name, stake, flags in _BEHIND.findall(match[5])
    )
    return BoxEntry(int(match[1]), _read_name(match[2]), int(match[3]) if match[3] else None, sides, behind)


def _read_table(entries: list[str]) -> Mapping[str, Cents]:
    words = [entry.split() for entry in entries]
    if any(len(word) != 3 for word in words):
        raise Malformed("a table's bet is written 'table dealer-pair 100'")
    return _bets(((word[1], word[2]) for word in words), TABLE_BETS)


def _bets(pairs: Iterable[tuple[str, str]], allowed: frozenset[str]) -> Mapping[str, Cents]:
    bets = {}
    for bet, stake in pairs:
        if bet not in allowed or not _NUMBER.fullmatch(stake):
            raise Malformed(f"'{bet} {stake}' is no bet; bets: {', '.join(sorted(allowed))}")
        bets[bet] = int(stake)
    return bets


def _read_balance(word: str) -> tuple[PlayerId, Cents]:
    name, sign, amount = word.partition("=")
    if not sign or not _NUMBER.fullmatch(amount):
        raise Malformed(f"{word!r} is no balance: write name=cents")
    return _read_name(name), int(amount)


def _decision(entry: DecisionEntry) -> str:
    who = f"@{_name(entry.player)}" if entry.player is not None else ""
    return f"{entry.box}{who} {entry.do}"


def _read_decision(text: str) -> DecisionEntry:
    match = _DECISION.fullmatch(text)
    if not match:
        raise Malformed(f"{text!r} is no decision: write '1 stand'")
    return DecisionEntry(int(match[1]), match[3], _read_name(match[2]) if match[2] else None)


def _bonus(entry: BonusEntry) -> str:
    if not (entry.boxes or entry.start or entry.spins or entry.diamonds):
        return entry.wheel
    draws = "".join(f" {_cells(draw)}" for draw in (entry.start, *entry.spins))
    diamonds = f" <{' '.join(entry.diamonds)}>" if entry.diamonds else ""
    return f"{entry.wheel} [{' '.join(entry.boxes)}]{draws}{diamonds}"


def _cells(locks: Mapping[int, int]) -> str:
    return "{" + " ".join(f"{cell}={value}" for cell, value in locks.items()) + "}"


def _read_bonus(text: str) -> BonusEntry:
    match = _BONUS.fullmatch(text)
    if not match:
        raise Malformed(f"{text!r} is no bonus")
    draws = [_read_cells(cells) for cells in re.findall(r"\{([^}]*)\}", match[3])]
    start, spins = (draws[0], tuple(draws[1:])) if draws else ({}, ())
    return BonusEntry(match[1], tuple((match[2] or "").split()), start, spins, tuple((match[4] or "").split()))


def _read_cells(text: str) -> Mapping[int, int]:
    pairs = [word.partition("=") for word in text.split()]
    if any(not (_NUMBER.fullmatch(cell) and _NUMBER.fullmatch(value)) for cell, _, value in pairs):
        raise Malformed(f"{text!r} are no prizes: write 'cell=value'")
    return {int(cell): int(value) for cell, _, value in pairs}
