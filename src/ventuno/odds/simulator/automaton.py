"""A sheet and a chart compiled to a finite automaton that eats one card per step.

Row = what the round waits for, column = the card; an entry holds the next row in its low bits and, where the round is
over, the number of its outcome in the high ones. The kernel and `play_with` walk the same table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ventuno.core.rules.sheet import Sheet
from ventuno.odds.exact.strategy import Chart
from ventuno.odds.simulator.round_machine import Round
from ventuno.odds.simulator.situation import (
    ACTIONS,
    CASH_OUT,
    DECLINE,
    DOUBLE_IT,
    HIT_IT,
    INSURE,
    SPLIT,
    SPLIT_IT,
    STAND,
    STEPS_OF_THE_HOLE,
    SURRENDER,
    Decide,
    End,
    Situation,
    Wait,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OUTCOME_SHIFT = 24
"""Bits below: offset of the next row. Bits above: 0 while the round goes on, else the outcome, counted from 128."""
OUTCOME = 127


class TooManyStates(ValueError):
    """The sheet needs more states than the table can number; it can be solved, not simulated."""


@dataclass(frozen=True, slots=True)
class Automaton:
    """`entries[state * width + column]`; outcome k won `won[k]` units of `unit` to the stake and staked `staked[k]`."""

    entries: NDArray[np.uint32]
    width: int
    unit: int
    won: tuple[int, ...]
    staked: tuple[int, ...]
    natural: tuple[bool, ...]
    waits: tuple[Wait, ...]
    decisions: Mapping[tuple[int, int], tuple[str, ...]]
    """What the chart decided on the way, by state and column."""
    columns: tuple[int, ...]
    """The column of each of the 52 cards."""


def choose(chart: Chart, rules: Round, decide: Decide, cash_out: bool = False) -> int:
    """The chart's action where it is legal, else the one it names instead; or every offer (F-13)."""
    legal, hand, up = rules.list_legal(decide), decide.hand, decide.spot.up
    if decide.insurance:
        return INSURE if chart.insure else DECLINE
    if cash_out and CASH_OUT in legal:
        return CASH_OUT
    if SPLIT_IT in legal and chart.pair[rules.values[hand.pair], up]:
        return SPLIT_IT
    word = (chart.soft if hand.soft else chart.hard)[hand.total, up]
    if word in "Dd" and DOUBLE_IT in legal:
        return DOUBLE_IT
    if word in "Rr" and SURRENDER in legal:
        return SURRENDER
    return HIT_IT if word in "HDR" else STAND


def compile_automaton(sheet: Sheet, chart: Chart, *, whole: bool | None = None, cash_out: bool = False) -> Automaton:
    """The automaton of one box. `whole` (default: under a cut card) makes every round take its hole card."""
    import numpy as np

    rules = Round(sheet, sheet.shoe.reshuffle == "cut-card" if whole is None else whole)
    numbers: dict[Wait, int] = {rules.start(): 0}
    waits, outcomes = [rules.start()], dict[End, int]()
    decisions: dict[tuple[int, int], tuple[str, ...]] = {}
    entries: list[int] = []
    width = len(rules.values)
    for state, wait in enumerate(waits):
        for column in range(width):
            after, words = _follow_chart(rules, chart, rules.take_card(wait, column), cash_out)
            if words:
                decisions[state, column] = words
            if isinstance(after, End):
                entries.append(outcomes.setdefault(after, len(outcomes) + 128) << OUTCOME_SHIFT)
                continue
            if after not in numbers:
                numbers[after] = len(waits)
                waits.append(after)
            entries.append(numbers[after] * width)
    if len(waits) * width >= 1 << OUTCOME_SHIFT or len(outcomes) > OUTCOME + 1:
        raise TooManyStates(f"{sheet.game.id}: {len(waits)} states and {len(outcomes)} outcomes do not fit the table")
    return Automaton(
        entries=np.array(entries, dtype=np.uint32),
        width=width,
        unit=rules.unit,
        won=tuple(end.won for end in outcomes),
        staked=tuple(end.staked for end in outcomes),
        natural=tuple(end.natural for end in outcomes),
        waits=tuple(waits),
        decisions=decisions,
        columns=tuple(map(rules.column, range(52))),
    )


def _follow_chart(rules: Round, chart: Chart, now: Situation, cash_out: bool) -> tuple[Wait | End, tuple[str, ...]]:
    words: tuple[str, ...] = ()
    while isinstance(now, Decide):
        action = choose(chart, rules, now, cash_out)
        words += (ACTIONS[action],)
        now = rules.act(now, action)
    return now, words


class WalkedRound(NamedTuple):
    """A round walked through the table: what was decided, what was won in half stakes, how many cards left the shoe,
    and what had been staked in half stakes."""

    decisions: tuple[str, ...]
    result: float
    cards: int
    staked: float


def walk(automaton: Automaton, cards: Sequence[int]) -> WalkedRound:
    """Play one box with these cards (0…51) in the order in which a table deals them.

    The table deals the hole card fourth and both second cards of a split at once; the automaton asks for them later.
    """
    dealt, aside = 4, list[int]()
    state, words = 0, ""
    decisions: list[str] = []
    natural_order = iter(cards[:3])
    while True:
        wait = automaton.waits[state]
        if wait.step < 3:
            card = next(natural_order)
        elif wait.step in STEPS_OF_THE_HOLE:
            card = cards[3]
        elif wait.step == SPLIT and words != "split":
            card = aside.pop()
        else:
            card, dealt = cards[dealt], dealt + 1
            if wait.step == SPLIT:
                aside.append(cards[dealt])
                dealt += 1
        column = automaton.columns[card]
        now = automaton.decisions.get((state, column), ())
        decisions += now
        words = now[-1] if now else ""
        entry = int(automaton.entries[state * automaton.width + column])
        if entry >> OUTCOME_SHIFT:
            outcome = entry >> OUTCOME_SHIFT & OUTCOME
            won, staked = automaton.won[outcome] * 2 / automaton.unit, automaton.staked[outcome] * 2 / automaton.unit
            return WalkedRound(tuple(decisions), won, dealt, staked)
        state = entry // automaton.width
