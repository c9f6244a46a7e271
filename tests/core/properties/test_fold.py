"""The table is a fold: its log gives its state again, and nothing that was once a state ever changes (I-6, X-02)."""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.support.random_table import GAMES, often, seeds, sheet_of, walk
from ventuno.core.messages.desk_events import CardScanned, ScanTakenBack
from ventuno.core.messages.events import Event, RoundVoided
from ventuno.core.messages.refusals import Refusal
from ventuno.core.table.fold import decide, evolve, replay
from ventuno.core.table.shoes import count_cards
from ventuno.core.table.state import Table

STEPS = 200


def photograph(table: Table) -> str:
    """Everything in a state but the sheet, as text: what a later change in place would alter."""
    return repr(table._replace(sheet=None))  # type: ignore[arg-type]


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(12)
def test_the_log_gives_the_state_at_every_step(game: str, seed: int) -> None:
    log: list[Event] = []
    folded: Table | None = None
    opening: Table | None = None
    for step in walk(sheet_of(game), seed, STEPS):
        if folded is None:
            folded = opening = step.before
        if not isinstance(step.outcome, Refusal):
            assert step.outcome, "an accepted command leaves a trace"
            for event in step.outcome:
                folded = evolve(folded, event)
            log += step.outcome
        assert folded == step.after, step.command
    if opening is not None:
        assert replay(opening, log) == folded
        assert replay(opening, iter(log[: len(log) // 2])) == replay(opening, log[: len(log) // 2])


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(12)
def test_decide_says_what_advance_does(game: str, seed: int) -> None:
    """Asked twice, it says the same twice."""
    for step in walk(sheet_of(game), seed, STEPS):
        assert decide(step.before, step.command) == step.outcome
        assert type(decide(step.before, step.command)) is type(step.outcome)


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(10)
def test_a_state_once_seen_never_changes(game: str, seed: int) -> None:
    """Neither the states nor the events that led to them, however far play goes on from there."""
    kept: list[tuple[Table, str]] = []
    said: list[tuple[Event, str]] = []
    for step in walk(sheet_of(game), seed, STEPS):
        kept.append((step.after, photograph(step.after)))
        if not isinstance(step.outcome, Refusal):
            said += [(event, repr(event)) for event in step.outcome]
    assert [photograph(table) for table, _ in kept] == [shot for _, shot in kept]
    assert [repr(event) for event, _ in said] == [shot for _, shot in said]


@pytest.mark.parametrize("game", GAMES)
@given(seed=seeds)
@often(6)
def test_cards_leave_the_shoe_as_events_say(game: str, seed: int) -> None:
    """The record of a round counts its cards without playing it again."""
    counted = 0
    for step in walk(sheet_of(game), seed, STEPS):
        table = step.before
        for event in [] if isinstance(step.outcome, Refusal) else step.outcome:
            after = evolve(table, event)
            is_scanning = table.studio and isinstance(event, CardScanned | ScanTakenBack | RoundVoided)
            if table.shoe and after.shoe and table.shoe.number == after.shoe.number and not is_scanning:
                assert after.shoe.position - table.shoe.position == count_cards(event), event
                counted += count_cards(event)
            table = after
    assert counted or not any(step.after.rounds for step in walk(sheet_of(game), seed, STEPS))


@pytest.mark.parametrize("game", GAMES)
def test_play_is_a_function_of_what_is_asked(game: str) -> None:
    """No clock, chance or memory inside: the same commands give the same events, in a second run too."""
    first = [step.outcome for step in walk(sheet_of(game), 11, 300)]
    assert first == [step.outcome for step in walk(sheet_of(game), 11, 300)]


def test_the_comparison_can_fail() -> None:
    """One event left out of a log, and the fold ends elsewhere."""
    steps = list(walk(sheet_of("ventuno"), 3, 120))
    log = [event for step in steps if not isinstance(step.outcome, Refusal) for event in step.outcome]
    short = [event for event in log if event != log[0]]
    assert replay(steps[0].before, log) == steps[-1].after
    assert replay(steps[0].before, log[:1]) != steps[0].before
    assert len(short) < len(log)
    assert photograph(steps[0].before) != photograph(steps[-1].after)
