"""A sheet with other switches: which there are, what is wrong with them, and what they change (X-16).

Nothing here computes an odd or knows a game: switches come from the sheet, figures from a certificate of its form.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_reader import Switch, plain, reread, switches
from ventuno.core.rules.switches import Choice, Flag, Kind, NoneOr, Payout, Several, SheetError, Some, Whole
from ventuno.web.messages.odds import Changed, Lever, LeversTold

COUNTED = re.compile(
    r"shoe\.decks|charlie|surrender|pair_requires_stand|sides\.[^.]+\.pays\..+"
    r"|(dealer|dealer_blackjack_takes|blackjack|double|split|insurance|duel|cash_out|bonus)\..+"
)
"""The switches that a figure depends on. Limits, clocks, seats and what surrounds a round change no odds."""
_CRITERION, _READING = re.compile(r"\b[VFSDLXR]-\d{2}\b"), re.compile(r"⚑(\d{1,2})")


@dataclass(frozen=True, slots=True)
class NoSuchSwitch(Refusal):
    says = "{switch}: there is no such switch here; switches: {known}"
    switch: str
    known: str


@dataclass(frozen=True, slots=True)
class SwitchUnfit(Refusal):
    says = "{switch}: {value} is not allowed; allowed: {allowed}"
    switch: str
    value: str
    allowed: str


@dataclass(frozen=True, slots=True)
class SwitchesDisagree(Refusal):
    """Each is allowed, and together they are no game."""

    says = "these switches do not go together: {reason}"
    reason: str


def listed(sheet: Sheet) -> tuple[Switch, ...]:
    """What may be changed: the rest of a sheet enters no figure."""
    bonus = any(side.kind == "bonus" for side in sheet.sides.values())

    def is_here(one: Switch) -> bool:
        if isinstance(one.kind, Several) or one.path == "cash_out.margin":
            return False
        if one.path.startswith("cash_out.") and not sheet.cash_out.hard:
            return False
        return bonus or not one.path.startswith("bonus.")

    return tuple(one for one in switches(sheet) if COUNTED.fullmatch(one.path) and is_here(one))


def told(sheet: Sheet) -> LeversTold:
    base = sheet.published.base
    return LeversTold(sheet.game.id, sheet.game.name, sheet.hash, base, tuple(_lever(one) for one in listed(sheet)))


def changed(sheet: Sheet, wanted: Mapping[str, str]) -> Sheet | Refusal:
    """A copy of the sheet with these switches; a refusal names the first that is wrong and what it may be."""
    known, content = {one.path: one for one in listed(sheet)}, plain(sheet)
    for path, value in wanted.items():
        if path not in known:
            return NoSuchSwitch(path, ", ".join(known))
        if not _is_fit(known[path].kind, content, path, value):
            return SwitchUnfit(path, value[:60], known[path].legal)
    try:
        return reread(content, wanted)
    except SheetError as fault:
        return SwitchesDisagree(str(fault))


def differences(own: Sheet, other: Sheet) -> tuple[Changed, ...]:
    before = {one.path: one.value for one in listed(own)}
    after = {one.path: one.value for one in listed(other)}
    return tuple(
        Changed(path, written(value), written(before[path]))
        for path, value in after.items()
        if path in before and before[path] != value
    )


def written(value: Any) -> str:
    """A value as it is sent: TOML where it is no bare word."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_fit(kind: Kind, content: Mapping[str, Any], path: str, value: str) -> bool:
    """Whether the value is one of its kind, whatever else the sheet says of it."""
    try:
        reread(content, {path: value})
    except SheetError as fault:
        return not str(fault).endswith(f"legal: {' '.join(kind.legal.split())}")
    return True


def _lever(one: Switch) -> Lever:
    name, values, low, high = _kind(one.kind)
    criteria = tuple(dict.fromkeys(_CRITERION.findall(one.note)))
    readings = tuple(dict.fromkeys(map(int, _READING.findall(one.note))))
    return Lever(one.path, name, written(one.value), values, low, high, one.legal, criteria, readings)


def _kind(kind: Kind) -> tuple[Any, tuple[str, ...], int | None, int | None]:
    match kind:
        case Flag():
            return "flag", ("true", "false"), None, None
        case Choice(values):
            return "choice", values, None, None
        case Some(values):
            return "some", values, None, None
        case Whole(low, high):
            return "whole", (), low, high
        case NoneOr(_, high):
            return "whole", kind.values, 0, high
        case Payout():
            return "odds", (), None, None
        case _:
            return "text", (), None, None


def rows(strategy: Mapping[str, Any]) -> Iterator[tuple[str, str, tuple[str, ...], dict[str, tuple[str, ...]]]]:
    """The chart of a certificate as panels: kind, what it is of, columns, and answers by label."""
    if "choices" in strategy:
        yield from _duel(strategy["choices"])
        return
    for kind in ("hard", "soft", "pair"):
        if kind in strategy:
            held = {label: tuple(cells) for label, cells in strategy[kind].items()}
            yield kind, "", tuple(strategy["up_cards"]), held


CARDS = tuple("23456789TA")


def _duel(choices: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[str, str, tuple[str, ...], Any]]:
    """For each up-card the two community cards against each other; `8H` takes the eight and hits, `F` folds."""
    for up in CARDS:
        if up not in choices:
            continue
        held = {}
        for place, first in enumerate(CARDS):
            cells = [_plan(choices[up], first, other) for other in CARDS[place:]]
            held[first] = (*("" for _ in range(place)), *cells)
        yield "duel", up, CARDS, held


def _plan(choices: Mapping[str, str], first: str, other: str) -> str:
    text = choices.get(f"{first} {other}") or choices.get(f"{other} {first}") or ""
    card, _, does = text.partition(" ")
    return "F" if card == "fold" else f"{card}{does[:1].upper()}"
