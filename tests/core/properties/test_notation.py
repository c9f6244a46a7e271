"""A round as one line, both ways; a played round as a scenario that plays the same again (X-02, X-18, R-16)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.random_table import SIXTH, often, seeds, sheet_of, shrinking, walk
from ventuno import sheets
from ventuno.core.messages.commands import Act, ChooseFollow, LoadShoe, PlaceBet, Spot, TakeSeat, Tick
from ventuno.core.messages.events import BettingEnded, Event, RoundSettled
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.cards import cards
from ventuno.core.rules.sheet import Sheet
from ventuno.core.scenario import notation, recorder, runner
from ventuno.core.scenario.scenario import (
    SIDES,
    WORDS,
    BehindEntry,
    BonusEntry,
    BoxEntry,
    DecisionEntry,
    Malformed,
    Scenario,
    parse,
)
from ventuno.core.table.fold import advance, evolve, open_table
from ventuno.core.table.round import Action, Line
from ventuno.core.table.state import Table

PLAYED = (*sheets.GAMES, SIXTH)

names = st.text(min_size=1, max_size=12).filter(lambda name: name.isprintable() and name == name.strip())
stakes = st.integers(1, 10**9)
cells = st.dictionaries(st.integers(0, 99), st.integers(1, 5000), max_size=4)
behinds = st.builds(BehindEntry, names, stakes, st.booleans(), st.booleans())
sides = st.dictionaries(st.sampled_from(sorted(SIDES)), stakes, max_size=4)
boxes = st.builds(
    BoxEntry, st.integers(-3, 99), names, stakes | st.just(0), sides, st.lists(behinds, max_size=3).map(tuple)
)
bare = st.builds(BoxEntry, st.integers(-3, 99), names, st.none(), sides.filter(bool))
decisions = st.builds(DecisionEntry, st.integers(-3, 99), st.sampled_from(sorted(WORDS)), st.none() | names)
bonuses = st.builds(
    BonusEntry,
    st.from_regex(r"x[0-9]{1,4}|link|mega-link", fullmatch=True),
    st.lists(st.sampled_from(("x2", "x3", "x5", "diamond")), max_size=6).map(tuple),
    cells,
    st.lists(cells, max_size=4).map(tuple),
    st.lists(st.sampled_from(("MINI", "MINOR", "MAJOR", "GRAND")), max_size=3).map(tuple),
)
scenarios = st.builds(
    Scenario,
    st.sampled_from(sheets.GAMES),
    st.lists(st.integers(0, 51), max_size=30).map(tuple),
    st.lists(boxes | bare, max_size=4).map(tuple),
    st.dictionaries(names, st.integers(0, 10**12), max_size=4),
    st.dictionaries(st.just("dealer-pair"), stakes),
    st.lists(decisions, max_size=6).map(tuple),
    st.lists(bonuses, max_size=3).map(tuple),
)


@given(scenarios)
@shrinking(250)
def test_any_scenario_can_be_written_as_a_line_and_read_back(scenario: Scenario) -> None:
    line = notation.write(scenario)
    assert "\n" not in line
    assert notation.read(line) == scenario
    assert notation.write(notation.read(line)) == line


@given(st.text() | st.lists(st.sampled_from([*"| ;:<>@={}[]-%1²٣", " | ", "; ", "ventuno", "p1", "9S"])).map("".join))
@example("ventuno | p1=² | 1:p1 100")
@example("ventuno | - | 1:p1 100 21+3 ²")
@example("link | - | 1:p1 100 | - | - | link [x2] {²=1}")
@example("ventuno | p1=" + "9" * 5000 + " | 1:p1 100")
@example("ventuno | - | 1:p1 " + "9" * 5000)
@shrinking(250)
def test_any_other_text_is_malformed(text: str) -> None:
    """Nothing but the one error, with one line of reason."""
    said = fault_of(lambda: notation.read(text))
    assert said is None or type(said) is Malformed, repr(said)[:200]


def fault_of(act: Callable[[], object]) -> Exception | None:
    try:
        act()
    except Exception as fault:
        return fault.with_traceback(None)
    return None


KEYS = ("game", "shoe", "boxes", "box", "player", "main", "behind", "sides", "decisions", "do", "bonus", "table")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.sampled_from(sheets.GAMES),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=5),
        max_leaves=12,
    )
)
@shrinking(200)
def test_any_document_is_a_scenario_or_malformed(raw: Any) -> None:
    said = fault_of(lambda: parse(raw, sheets.GAMES))
    assert said is None or type(said) is Malformed, repr(said)[:200]
    assert said is None or len(str(said).splitlines()) == 1


class Played(NamedTuple):
    """A settled round: the state its log leads on from, the log up to the settlement, the lines."""

    opening: Table
    log: tuple[Event, ...]
    lines: tuple[Line, ...]


def rounds(game: str, seed: int, steps: int, *, money: bool) -> Iterator[Played]:
    """Every settled round of a walk, each from where the one before ended."""
    opening: Table | None = None
    log: list[Event] = []
    for step in walk(sheet_of(game), seed, steps, wild=0.05, money=money):
        table = step.before
        opening = opening or table
        for event in [] if isinstance(step.outcome, Refusal) else step.outcome:
            table = evolve(table, event)
            log.append(event)
            if isinstance(event, RoundSettled):
                yield Played(opening, tuple(log), event.lines)
                opening, log = table, []


def sheet_in_force(played: Played) -> Sheet:
    """The sheet with the limits of that round: a scenario has no others, so they are given with it (V-43, D-05)."""
    table = begun = played.opening
    for event in played.log:
        table = evolve(table, event)
        if isinstance(event, BettingEnded):
            begun = table
    limits = {bet: begun.limit(bet, max(begun.vip, key=begun.vip.__getitem__)) for bet in begun.limits}
    return replace(begun.sheet, stakes=replace(begun.sheet.stakes, limits=limits))


def lines_again(played: Played) -> Counter[Line]:
    """The lines of a round enacted again from its own one-line record, in any order."""
    scenario = recorder.extract_scenario(played.opening, played.log)
    again = notation.read(notation.write(scenario))
    assert again == scenario
    play = runner.play_scenario(sheet_in_force(played), again).table.round
    assert play is not None
    return Counter(play.lines)


@pytest.mark.parametrize("game", PLAYED)
@given(seed=seeds)
@often(12)
def test_a_recorded_round_plays_the_same_again(game: str, seed: int) -> None:
    """R-16, where money stays put during a round: the same lines, to the cent."""
    for played in rounds(game, seed, 250, money=False):
        assert lines_again(played) == Counter(played.lines)


@pytest.mark.parametrize("game", PLAYED)
@given(seed=seeds)
@often(12)
def test_a_recorded_round_plays_the_same_again_although_money_came_or_went(game: str, seed: int) -> None:
    """R-16 for every stored round: D-19 and L-36 let money move in the middle of one."""
    for played in rounds(game, seed, 200, money=True):
        assert lines_again(played) == Counter(played.lines)


@pytest.mark.parametrize("game", PLAYED)
@given(seed=seeds)
@often(5)
def test_the_record_of_a_round_does_not_depend_on_what_came_after(game: str, seed: int) -> None:
    """The last round of a log is the same with or without the new shoe, seats and bets that follow it."""
    opening: Table | None = None
    log: list[Event] = []
    last: Scenario | None = None
    for step in walk(sheet_of(game), seed, 200, wild=0.05, money=False):
        opening = opening or step.before
        events = [] if isinstance(step.outcome, Refusal) else step.outcome
        for place, event in enumerate(events):
            if isinstance(event, BettingEnded):
                opening, log, last = step.before, events[:place], None
            log.append(event)
            if isinstance(event, RoundSettled):
                last = recorder.extract_scenario(opening, log)
        if last is not None:
            assert recorder.extract_scenario(opening, log) == last, step.command


def test_bettors_are_asked_in_the_order_of_the_file() -> None:
    """Contract: insurance is asked box by box, for the owner and then each bettor behind, as they are listed."""
    scenario = Scenario(
        "ventuno",
        cards("9S 8S AD 8C 9H 7D"),
        (
            BoxEntry(1, "p1", 1000, {}, (BehindEntry("p2", 500),)),
            BoxEntry(2, "p4", 1000, {}, (BehindEntry("p3", 500), BehindEntry("p2", 500))),
        ),
        decisions=(
            DecisionEntry(1, "decline"),
            DecisionEntry(1, "decline", "p2"),
            DecisionEntry(2, "decline"),
            DecisionEntry(2, "insure", "p3"),
            DecisionEntry(2, "decline", "p2"),
            DecisionEntry(1, "stand"),
            DecisionEntry(2, "stand"),
        ),
    )
    settled = runner.write_settlement(runner.play_scenario(sheets.load("ventuno"), scenario))
    assert {bet["player"] for bet in settled["bets"] if bet["bet"] == "behind-insurance"} == {"p3"}


def test_a_pre_decision_changed_after_it_was_carried_out() -> None:
    """V-32: bruno follows the double and then changes his mind; the record keeps the double that he followed."""
    table = open_table("T", sheets.load("ventuno"), None, {"ada": 5000, "bruno": 5000})
    log: list[Event] = []
    opening = table
    at = 15_000
    for command in (
        LoadShoe(cards("5S TS 9S 6D 8H TH KC 5D"), 0, 0, stacked=True),
        TakeSeat("ada", 1, 0),
        TakeSeat("ada", 2, 0),
        PlaceBet("ada", (Spot(1, "main"), Spot(2, "main")), 1000, 0),
        ChooseFollow("bruno", 1, True, False, 0),
        PlaceBet("bruno", (Spot(1, "behind"),), 1000, 0),
        Tick(at),
        Act("ada", 1, Action.DOUBLE, at + 1),
        ChooseFollow("bruno", 1, False, False, at + 2),
        Act("ada", 2, Action.STAND, at + 3),
    ):
        answer = advance(table, command)
        assert not isinstance(answer, Refusal), (command, answer)
        log += answer[0]
        table = answer[1]
    settled = log[-1]
    assert isinstance(settled, RoundSettled)
    assert "behind-double" in {line.bet for line in settled.lines}
    assert lines_again(Played(opening._replace(vip={"ada": 0}), tuple(log), settled.lines)) == Counter(settled.lines)


def test_the_line_of_the_documentation_reads_as_it_says() -> None:
    line = "ventuno | p1=100000 p2=50000 | 1:p1 1000 perfect-pairs 200 <p2 500 d | 9S 7D TC TH | 1 stand"
    scenario = notation.read(line)
    assert scenario.players == {"p1": 100000, "p2": 50000}
    assert scenario.boxes[0].behind == (BehindEntry("p2", 500, True, False),)
    assert notation.write(scenario) == line
    assert notation.read(line.replace("9S", "9H")) != scenario
