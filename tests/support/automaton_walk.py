"""A round walked through the table of an automaton, card by card: what the kernel does, in plain Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from ventuno.odds.simulator.automaton import OUTCOME, OUTCOME_SHIFT, Automaton
from ventuno.odds.simulator.round_machine import SPLIT, STEPS_OF_THE_HOLE


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
