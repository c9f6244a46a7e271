"""Best-play charts as panels of cells: what the terminal, the page, the drawing and the JSON all print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ventuno.odds.exact.chart import UP_CARDS, Chart, pair_action
from ventuno.odds.exact.duel import DuelSolution, Plan

MEANINGS = {
    "H": "hit",
    "S": "stand",
    "D": "double, else hit",
    "d": "double, else stand",
    "P": "split",
    "R": "surrender, else hit",
    "r": "surrender, else stand",
}
_KEY = {code: (code, meaning) for code, meaning in MEANINGS.items()}
_DUEL_KEY = {"H": ("9+", "take that card and hit"), "S": ("9", "take it and stand"), "F": ("F", "fold")}
INKS = {
    "H": ("#f4ecd8", "#0d1411"),
    "S": ("#14503a", "#f4ecd8"),
    "D": ("#c8a45d", "#0d1411"),
    "d": ("#dcc48e", "#0d1411"),
    "P": ("#1d5fae", "#fffdf6"),
    "R": ("#b3202a", "#fffdf6"),
    "r": ("#d98b7f", "#0d1411"),
    "F": ("#b3202a", "#fffdf6"),
}
"""Ground and ink of each action, the same everywhere."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One answer: the action decides the colour, the text is what is printed. An empty action is no cell."""

    action: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One block of a chart."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Cell, ...]], ...]
    key: Mapping[str, tuple[str, str]]
    """How each action is printed in a legend: a sample and its meaning."""


def card_name(value: int) -> str:
    return {1: "A", 10: "T"}.get(value, str(value))


def build_panels(chart: Chart) -> tuple[Panel, ...]:
    """Hard totals, soft totals and pairs against the ten up-cards."""
    columns = tuple(card_name(up) for up in UP_CARDS)
    totals = sorted({total for total, _ in chart.hard}, reverse=True)
    softs = sorted({total for total, _ in chart.soft}, reverse=True)
    return (
        Panel("Hard", columns, tuple((str(row), _line(chart.hard, row)) for row in totals), _KEY),
        Panel("Soft", columns, tuple((f"A {card_name(row - 11)}", _line(chart.soft, row)) for row in softs), _KEY),
        Panel(
            "Pairs", columns, tuple((f"{card_name(row)} {card_name(row)}", _pair(chart, row)) for row in _VALUES), _KEY
        ),
    )


_VALUES = (1, 10, 9, 8, 7, 6, 5, 4, 3, 2)


def _line(rows: Mapping[tuple[int, int], str], total: int) -> tuple[Cell, ...]:
    return tuple(Cell(rows[total, up], rows[total, up]) for up in UP_CARDS)


def _pair(chart: Chart, value: int) -> tuple[Cell, ...]:
    return tuple(Cell(action, action) for action in (pair_action(chart, value, up) for up in UP_CARDS))


def plan_cell(plan: Plan) -> Cell:
    """A plan as the card to take, coloured by hit or stand; or a fold."""
    if plan.folds:
        return Cell("F", "F")
    return Cell("H", f"{card_name(plan.card)}+") if plan.hits else Cell("S", card_name(plan.card))


def build_duel_panels(solution: DuelSolution) -> tuple[Panel, ...]:
    """For each up-card, the two community cards against each other; the halves are alike, so one is printed."""
    columns = tuple(card_name(value) for value in UP_CARDS)
    blocks = []
    for up in UP_CARDS:
        rows = []
        for place, first in enumerate(UP_CARDS):
            seen = UP_CARDS[place:]
            cells = [plan_cell(solution.chart[up, min(first, second), max(first, second)].plan) for second in seen]
            rows.append((card_name(first), (*(Cell() for _ in range(place)), *cells)))
        blocks.append(Panel(f"Up-card {card_name(up)}", columns, tuple(rows), _DUEL_KEY))
    return tuple(blocks)


def plain(chart: Chart) -> dict[str, Any]:
    """The chart for scripts: one row of ten answers for each total or pair."""
    hard, soft, pair = build_panels(chart)
    document: dict[str, Any] = {"up_cards": list(hard.columns)}
    for name, panel in (("hard", hard), ("soft", soft), ("pair", pair)):
        document[name] = {label.replace(" ", ""): [cell.text for cell in cells] for label, cells in panel.rows}
    return document | {
        "insure": chart.insure,
        "legend": {code: meaning for _, code, meaning in legend((hard, soft, pair))},
    }


def duel_plain(solution: DuelSolution) -> dict[str, Any]:
    """The chart for scripts: by up-card and community cards, `fold` or the card to take with hit or stand."""
    choices: dict[str, dict[str, str]] = {}
    for (up, left, right), choice in sorted(solution.chart.items()):
        plan = choice.plan
        text = "fold" if plan.folds else f"{card_name(plan.card)} {'hit' if plan.hits else 'stand'}"
        choices.setdefault(card_name(up), {})[f"{card_name(left)} {card_name(right)}"] = text
    return {"by": "up-card, then community cards by value", "choices": choices}


def legend(many: tuple[Panel, ...]) -> list[tuple[str, str, str]]:
    """The actions that occur: each with a sample of how it is printed, and what it means."""
    seen = {cell.action for panel in many for _, cells in panel.rows for cell in cells}
    return [(action, *words) for action, words in many[0].key.items() if action in seen]
