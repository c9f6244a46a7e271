"""Random play stays inside the vocabulary, reaches all of it, and never raises (T-1, T-8)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from hypothesis import given

from tests.support.random_table import GAMES, Step, often, seeds, sheet_of, walk
from ventuno.core.messages.commands import Act, ActAll, ActEarly, Command
from ventuno.core.messages.events import Event
from ventuno.core.messages.refusals import Refusal
from ventuno.core.table.round import Action
from ventuno.core.table.scanning import find_wanted
from ventuno.core.table.state import Phase

EVENTS: tuple[type, ...] = get_args(Event)
COMMANDS: tuple[type, ...] = get_args(Command)
RARE = (52, 28, 25, 17, 36, 50)


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(30)
def test_nothing_that_can_be_asked_raises(game: str, seed: int) -> None:
    """Commands of the right types but of any content give events of the vocabulary or a refusal."""
    for step in walk(sheet_of(game), seed, 250, wild=0.3, strict=True):
        assert isinstance(step.outcome, Refusal) or all(type(event) in EVENTS for event in step.outcome)


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(10)
def test_a_table_never_waits_for_nobody(game: str, seed: int) -> None:
    """After every command somebody is asked, or a clock runs, or the house has to bring cards (V-56, V-57)."""
    for step in walk(sheet_of(game), seed, 200):
        table = step.after
        if table.pause is None and table.phase in (Phase.ROUND, Phase.RESULTS):
            assert table.deadline is not None or find_wanted(table), step.command
        if table.phase is Phase.SHUFFLING and table.pause is None:
            assert table.shoe is None or find_wanted(table), step.command


def long_play() -> Iterator[Step]:
    """Long walks at every table, enough to meet the rare words; first those that met them when they were chosen."""
    for seed in (*RARE, *range(60)):
        for game in GAMES:
            yield from walk(sheet_of(game), seed, 400, wild=0.1)


def test_every_word_is_reached() -> None:
    """Each event happens, each command is accepted and refused somewhere, each action is taken, early ones too."""
    wanted: set[tuple[str, Any]] = {
        *(("event", kind) for kind in EVENTS),
        *((outcome, kind) for outcome in ("accepted", "refused") for kind in COMMANDS),
        *(("action", action) for action in Action),
        *(("early", action) for action in (Action.HIT, Action.STAND, Action.DOUBLE, Action.SPLIT, None)),
    }
    for step in long_play():
        wanted -= set(list_words(step))
        if not wanted:
            return
    pytest.fail(f"never: {sorted(map(str, wanted))}")


def list_words(step: Step) -> Iterator[tuple[str, Any]]:
    """What a step has shown."""
    if isinstance(step.outcome, Refusal):
        yield "refused", type(step.command)
        return
    yield "accepted", type(step.command)
    yield from (("event", type(event)) for event in step.outcome)
    if isinstance(step.command, Act | ActAll):
        yield "action", step.command.action
    if isinstance(step.command, ActEarly):
        yield "early", step.command.action
