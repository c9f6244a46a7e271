"""Every scenario dealt from a real shoe: cards scanned one by one as they are wanted give what a shoe of the same
cards gives, to the cent and to the line (X-27).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.support.random_rounds import RandomRounds
from ventuno import sheets
from ventuno.core.games import blackjack
from ventuno.core.messages import desk_events, events
from ventuno.core.messages.events import Event
from ventuno.core.rules.cards import text
from ventuno.core.rules.sheet import SCANNED, Sheet
from ventuno.core.rules.sheet_reader import with_cards
from ventuno.core.scenario.runner import Refused, play_scenario, write_settlement
from ventuno.core.scenario.scenario import Malformed, Scenario, parse
from ventuno.core.table import scanning
from ventuno.core.table.fold import evolve, open_table
from ventuno.core.table.round import DEAL, CardPlace, Round
from ventuno.core.table.state import Table
from ventuno.core.views.public_view import PublicView, build_public_view

HERE = Path(__file__).parents[2] / "scenarios"
FILES = sorted(file for file in HERE.glob("*/*.json") if not file.name.endswith(".table.json"))
ONE_KIND = (
    *(desk_events.DeskTaken, desk_events.ShoeDeclared, desk_events.CardScanned),
    *(events.DecisionTaken, events.ShoeLoaded),
)
"""What one kind of table alone has in its log."""


@cache
def list_scenarios() -> tuple[tuple[str, Scenario], ...]:
    found = []
    for file in FILES:
        try:
            scenario = parse(json.loads(file.read_text(encoding="utf-8"))["scenario"], sheets.GAMES)
        except Malformed:
            continue
        found.append((f"{file.parent.name}/{file.stem}", scenario))
    return tuple(found)


def settle(sheet: Sheet, scenario: Scenario) -> dict[str, Any]:
    """Settlement, purses and what happened; or the refusal and its place."""
    try:
        played = play_scenario(sheet, scenario)
    except Refused as refused:
        return {"refused": refused.refusal, "at": refused.at}
    happened = [strip(event) for event in played.log if not isinstance(event, ONE_KIND)]
    return {**write_settlement(played), "purses": played.table.purses, "events": happened}


def strip(event: Event) -> Event:
    """An event without the moments and without when its stakes moved: that is what differs."""
    match event:
        case events.HandDoubled() | events.HandSplit():
            return replace(event, paid=False)
        case events.DecisionAsked():
            return replace(event, deadline=None)
        case events.RoundSettled() | events.BettingOpened():
            return replace(event, deadline=None, at=0)
        case _:
            return event


def find_unlike(scenarios: Sequence[tuple[str, Scenario]]) -> list[str]:
    """The scenarios that a table with scanned cards settles otherwise."""
    unlike = []
    for name, scenario in scenarios:
        sheet = sheets.load(scenario.game)
        if settle(sheet, scenario) != settle(with_cards(sheet, SCANNED), scenario):
            unlike.append(name)
    return unlike


def test_the_whole_corpus_settles_as_from_a_shoe_of_the_same_cards() -> None:
    scenarios = list_scenarios()
    assert len(scenarios) > 600
    assert find_unlike(scenarios) == []


def test_a_wrong_follow_or_card_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: decisions that wait for their card lose their followers."""
    whole = blackjack._take_decision

    def forget_followers(*asked: Any) -> list[Event]:
        return [replace(e, follows=()) if isinstance(e, events.DecisionTaken) else e for e in whole(*asked)]

    monkeypatch.setattr(blackjack, "_take_decision", forget_followers)
    unlike = find_unlike([entry for entry in list_scenarios() if any(box.behind for box in entry[1].boxes)])
    assert len(unlike) > 3


@pytest.mark.parametrize("game", sheets.GAMES)
def test_random_rounds_settle_alike(game: str) -> None:
    sheet = sheets.load(game)
    rounds = RandomRounds(sheet, 27)
    scenarios = [found[0] for _ in range(60) if (found := rounds.round())]
    assert len(scenarios) > 30
    for scenario in (*scenarios, *rounds.forbidden, *rounds.refused):
        assert settle(sheet, scenario) == settle(with_cards(sheet, SCANNED), scenario)


def list_shown(sheet: Sheet, scenario: Scenario) -> Iterator[tuple[desk_events.CardScanned, Table]]:
    """Each scan of a scenario, and the table as it is shown after it; those of the deal also once it is complete."""
    try:
        played = play_scenario(sheet, scenario)
    except Refused:
        return
    started = replace(sheet, shoe=played.table.sheet.shoe)
    table = open_table("scenario", started, next(iter(played.before)), played.before)
    last: desk_events.CardScanned | None = None
    scans: list[desk_events.CardScanned] = []
    for event in played.log:
        if last and isinstance(event, desk_events.CardScanned | events.DecisionTaken):
            yield last, table
            last = None
        table = evolve(table, event)
        if isinstance(event, desk_events.CardScanned):
            last = event
            scans.append(event)
        if isinstance(event, events.HandsDealt | events.DuelDealt):
            yield from ((scan, table) for scan in scans if scan.place.face == "up")
    if last:
        yield last, table


def find_card(view: PublicView, place: CardPlace) -> str | None:
    """What lies at a place, as everybody sees it."""
    if place.place == "community":
        cards: tuple[str, ...] = view.dealer.community
    elif place.place == "dealer":
        cards = view.dealer.cards
    else:
        box = next(box for box in view.boxes if box.box == place.box)
        cards = box.hands[place.hand - 1].cards if len(box.hands) >= place.hand else ()
    return cards[place.card - 1] if len(cards) >= place.card else None


def find_misplaced(scenarios: Sequence[tuple[str, Scenario]]) -> list[str]:
    """Scans whose card does not lie where it was wanted, or is seen while it lies face down."""
    faults = []
    for name, scenario in scenarios:
        sheet = with_cards(sheets.load(scenario.game), SCANNED)
        for event, table in list_shown(sheet, scenario):
            seen, face_up = find_card(build_public_view(table), event.place), event.place.face == "up"
            is_dealing = table.round is not None and table.round.stage is DEAL
            if seen != text(event.card) if face_up else is_dealing and seen is not None:
                faults.append(f"{name}: {text(event.card)} at {event.place}")
    return faults


def test_every_card_lies_where_it_was_wanted() -> None:
    assert find_misplaced(list_scenarios()[::6]) == []


def test_a_wrong_place_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: the dealer is told to give the boxes in the wrong order."""
    right = blackjack.list_deal_places

    def reverse_boxes(play: Round) -> tuple[CardPlace, ...]:
        return tuple(
            place._replace(box=len(play.boxes) + 1 - place.box) if place.box else place for place in right(play)
        )

    several = [entry for entry in list_scenarios() if [box.box for box in entry[1].boxes] == [1, 2]]
    assert several
    assert find_misplaced(several) == []
    monkeypatch.setattr(blackjack, "list_deal_places", reverse_boxes)
    assert find_misplaced(several)


def test_a_hole_card_that_is_shown_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Planted: a face-down card lies open as long as the deal waits for another."""
    right = scanning._lay_out_deal

    def show_all(play: Round, cards: Any) -> Round:
        return right(play, [(place._replace(face="up"), card) for place, card in cards])

    duels = [entry for entry in list_scenarios() if entry[0].startswith("duello")]
    assert find_misplaced(duels) == []
    monkeypatch.setattr(scanning, "_lay_out_deal", show_all)
    assert find_misplaced(duels)
