"""A sheet with other switches: which there are, what is wrong with them, and what they change (X-16).

Nothing here computes an odd or knows a game: switches come from the sheet, figures from a certificate of its form. The
certificate of the changed rules is set beside that of the game's own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.sheet import Sheet
from ventuno.core.rules.sheet_reader import Switch, plain, read_canonical, switches
from ventuno.core.rules.switches import Choice, Flag, Kind, NoneOr, Payout, Several, SheetError, Some, Whole
from ventuno.web.http.rulebook import find_citations
from ventuno.web.messages.odds import (
    BetOdds,
    ChangedSwitch,
    ChartPanel,
    ChartRow,
    OddsResponse,
    OddsSwitch,
    Outcome,
    PanelKind,
    SwitchesResponse,
    read_note,
)

COUNTED = re.compile(
    r"shoe\.decks|charlie|surrender|pair_requires_stand|sides\.[^.]+\.pays\..+"
    r"|(dealer|dealer_blackjack_takes|blackjack|double|split|insurance|duel|cash_out|bonus)\..+"
)
"""The switches that a figure depends on. Limits, clocks, seats and what surrounds a round change no odds."""
REQUIRED_FIELDS = ("bets", "strategy", "outcomes", "method", "notes", "expected_stake", "strategy_class")
CARDS = tuple("23456789TA")
HAND_PANELS: tuple[PanelKind, ...] = ("hard", "soft", "pair")
Document = Mapping[str, Any]
"""A certificate."""


class NoSuchSwitch(Refusal):
    switch: str
    known: str


class SwitchUnfit(Refusal):
    switch: str
    value: str
    allowed: str


class SwitchesDisagree(Refusal):
    """Each is allowed, and together they are no game."""

    reason: str


def list_switches(sheet: Sheet) -> tuple[Switch, ...]:
    """What may be changed: the rest of a sheet enters no figure."""
    bonus = any(side.kind == "bonus" for side in sheet.sides.values())

    def is_shown(switch: Switch) -> bool:
        if isinstance(switch.kind, Several) or switch.path == "cash_out.margin":
            return False
        if switch.path.startswith("cash_out.") and not sheet.cash_out.hard:
            return False
        return bonus or not switch.path.startswith("bonus.")

    return tuple(switch for switch in switches(sheet) if COUNTED.fullmatch(switch.path) and is_shown(switch))


def describe_switches(sheet: Sheet) -> SwitchesResponse:
    levers = tuple(to_switch(switch) for switch in list_switches(sheet))
    return SwitchesResponse(sheet.game.id, sheet.game.name, sheet.hash, sheet.published.base, levers)


def change_switches(sheet: Sheet, wanted: Mapping[str, str]) -> Sheet | Refusal:
    """A copy of the sheet with these switches; a refusal names the first that is wrong and what it may be."""
    switches_by_path, content = {switch.path: switch for switch in list_switches(sheet)}, plain(sheet)
    for path, value in wanted.items():
        if path not in switches_by_path:
            return NoSuchSwitch(path, ", ".join(switches_by_path))
        if not _is_fit(switches_by_path[path].kind, content, path, value):
            return SwitchUnfit(path, value[:60], switches_by_path[path].legal)
    try:
        return read_canonical(content, wanted)
    except SheetError as fault:
        return SwitchesDisagree(str(fault))


def find_differences(own: Sheet, other: Sheet) -> tuple[ChangedSwitch, ...]:
    before = {switch.path: switch.value for switch in list_switches(own)}
    after = {switch.path: switch.value for switch in list_switches(other)}
    return tuple(
        ChangedSwitch(path, write_value(value), write_value(before[path]))
        for path, value in after.items()
        if path in before and before[path] != value
    )


def write_value(value: Any) -> str:
    """A value as it is sent: TOML where it is no bare word."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _is_fit(kind: Kind, content: Mapping[str, Any], path: str, value: str) -> bool:
    """Whether the value is one of its kind, whatever else the sheet says of it."""
    try:
        read_canonical(content, {path: value})
    except SheetError as fault:
        return not str(fault).endswith(f"legal: {' '.join(kind.legal.split())}")
    return True


def to_switch(switch: Switch) -> OddsSwitch:
    name, values, low, high = _kind(switch.kind)
    value = write_value(switch.value)
    return OddsSwitch(switch.path, name, value, values, low, high, switch.legal, *find_citations(switch))


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


def is_complete(certificate: Document | None) -> bool:
    """Whether a certificate says all that is shown here; one of another version may not."""
    return certificate is not None and all(name in certificate for name in REQUIRED_FIELDS)


def compare(own: Sheet, sheet: Sheet, before: Document, after: Document) -> OddsResponse:
    """The certificate of the changed sheet beside that of the game's own."""
    bets = tuple(_bets(before, after))
    chart = tuple(_panels(before["strategy"], after["strategy"]))
    main, base = bets[0], sheet.published.base
    rows = [row for panel in chart for row in panel.rows if row.own]
    return OddsResponse(
        game=own.game.id,
        name=own.game.name,
        sheet=sheet.hash,
        own=own.hash,
        base=base,
        changes=find_differences(own, sheet),
        bets=bets,
        edge=100 - (main.rtp_total if base == "total" else main.rtp_initial),
        stake=after["expected_stake"],
        outcomes=tuple(Outcome(float(net), chance) for net, chance in after["outcomes"].items()),
        chart=chart,
        cells=sum(cell != own_cell for row in rows for cell, own_cell in zip(row.cells, row.own, strict=True)),
        insure=after["strategy"].get("insure"),
        insure_own=before["strategy"].get("insure"),
        strategy_class=after["strategy_class"],
        method=read_note(after["method"]),
        notes=tuple(map(read_note, after["notes"])),
    )


def _bets(before: Document, after: Document) -> Iterator[BetOdds]:
    own = {bet["bet"]: bet["rtp"] for bet in before["bets"]}
    for bet in after["bets"]:
        delta = bet["rtp"] - own.get(bet["bet"], bet["rtp"])
        more = {"delta": round(delta, 12) + 0.0, "maximum": bet["maximum_win"], "hits": bet.get("hit_rates", {})}
        yield msgspec.convert({"rtp_td": None, "exact": None, **bet, **more}, BetOdds)


def _panels(before: Document, after: Document) -> Iterator[ChartPanel]:
    own = {(kind, of): answers for kind, of, _, answers in _read_chart(before)}
    for kind, of, columns, answers in _read_chart(after):
        beside = own.get((kind, of), {})
        rows = tuple(
            ChartRow(label, cells, own_cells if (own_cells := beside.get(label, cells)) != cells else ())
            for label, cells in answers.items()
        )
        yield ChartPanel(kind, of, columns, rows)


def _read_chart(strategy: Document) -> Iterator[tuple[PanelKind, str, tuple[str, ...], dict[str, tuple[str, ...]]]]:
    """The chart of a certificate as panels: kind, what it is of, columns, and answers by label."""
    if "choices" in strategy:
        yield from _duel(strategy["choices"])
        return
    for kind in HAND_PANELS:
        if kind in strategy:
            answers = {label: tuple(cells) for label, cells in strategy[kind].items()}
            yield kind, "", tuple(strategy["up_cards"]), answers


def _duel(choices: Mapping[str, Mapping[str, str]]) -> Iterator[tuple[PanelKind, str, tuple[str, ...], Any]]:
    """For each up-card the two community cards against each other; `8H` takes the eight and hits, `F` folds."""
    for up in CARDS:
        if up not in choices:
            continue
        answers = {}
        for place, first in enumerate(CARDS):
            cells = [_plan(choices[up], first, other) for other in CARDS[place:]]
            answers[first] = (*("" for _ in range(place)), *cells)
        yield "duel", up, CARDS, answers


def _plan(choices: Mapping[str, str], first: str, other: str) -> str:
    text = choices.get(f"{first} {other}") or choices.get(f"{other} {first}") or ""
    card, _, does = text.partition(" ")
    return "F" if card == "fold" else f"{card}{does[:1].upper()}"
