"""Switches that none of the five games sets: their settlements, worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from ventuno.core.messages.commands import Act, DealNow, LoadShoe, PlaceBet, Spot
from ventuno.core.messages.refusals import FundsMissing, Refusal, TooLate
from ventuno.core.scenario import runner, scenario
from ventuno.core.scenario.scenario import DecisionEntry
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.round import Action
from ventuno.core.table.state import Table
from ventuno.sheets import GAMES, load


def settled(game: str, changes: dict[str, str], shoe: str, *decisions: str) -> dict[str, Any]:
    raw = {"game": game, "shoe": shoe, "boxes": [{"box": 1, "player": "p", "main": 1000}]}
    read = scenario.parse(raw, GAMES)
    words = tuple(DecisionEntry(1, word) for word in decisions)
    played = scenario.Scenario(read.game, read.shoe, read.boxes, decisions=words)
    return runner.write_settlement(runner.play_scenario(load(game, changes), played))


def returned(settlement: dict[str, Any]) -> list[tuple[str, int]]:
    return [(line["bet"], line["returned"]) for line in settlement["bets"]]


SPLIT_AND_DOUBLE = "8S TD 8H AD 3C 3D KS KH"
"""8-8 against a ten over an ace: both hands get a three and are doubled to 21."""


@pytest.mark.parametrize(
    ("takes", "expected"),
    [
        ("all", [("main", 0), ("double", 0), ("split", 0), ("double", 0)]),
        ("original-and-splits", [("main", 0), ("double", 1000), ("split", 0), ("double", 1000)]),
        ("original", [("main", 0), ("double", 1000), ("split", 1000), ("double", 1000)]),
    ],
)
def test_what_a_dealer_blackjack_takes(takes: str, expected: list[tuple[str, int]]) -> None:
    """L-12 and its two neighbours: all, all but doubles, the first stake alone."""
    found = settled("link", {"dealer_blackjack_takes.ten": takes}, SPLIT_AND_DOUBLE, "split", "double", "double")
    assert returned(found) == expected
    assert found["dealer"]["blackjack"]


def test_late_surrender_gives_half_back() -> None:
    found = settled("link", {"surrender": "late"}, "TS 9D 6C 8H", "surrender")
    assert found["hands"][0]["outcome"] == "surrendered"
    assert returned(found) == [("main", 500)]


def test_late_surrender_loses_to_an_unseen_blackjack() -> None:
    found = settled("link", {"surrender": "late"}, "TS TD 6C AH", "surrender")
    assert returned(found) == [("main", 0)]


@pytest.mark.parametrize(("rule", "dealer"), [("stand", "AD 6H"), ("hit", "AD 6H 4S")])
def test_soft_17(rule: str, dealer: str) -> None:
    """The dealer draws on soft 17 only where the sheet says so."""
    found = settled("sisal", {"dealer.soft_17": rule}, "TS AD 9C 6H 4S", "decline", "stand")
    assert found["dealer"]["cards"] == dealer


@pytest.mark.parametrize(("on", "shoe", "allowed"), [("9-11", "5S 9D 4C TH", True), ("10-11", "5S 9D 4C TH", False)])
def test_double_only_on_some_totals(on: str, shoe: str, allowed: bool) -> None:
    shoe += " 2C 7H 8H"
    if allowed:
        assert ("double", 0) in returned(settled("sisal", {"double.on": on}, shoe, "double"))
        return
    with pytest.raises(runner.Refused, match="only-10-11"):
        settled("sisal", {"double.on": on}, shoe, "double")


def test_split_to_four_hands() -> None:
    """Both hands of a split pair of eights get another eight: each is split again, and that is the end."""
    shoe = "8S 9D 8H TH 8D 8C 2S 3S 4S 5S KD"
    words = ("split", "split", "stand", "stand", "split")
    found = settled("link", {"split.hands": "4"}, shoe, *words, "stand", "stand")
    assert [one["cards"] for one in found["hands"]] == ["8S 2S", "8D 3S", "8H 4S", "8C 5S"]
    assert [line["bet"] for line in found["bets"]] == ["main", "split", "split", "split"]
    with pytest.raises(runner.Refused, match=r"hands-at-most.*most=3"):
        settled("link", {"split.hands": "3"}, shoe, *words)


def test_peek_under_a_ten_ends_the_round_before_any_decision() -> None:
    found = settled("sisal", {"dealer.peek": "[ten]"}, "8S TD 8H AD")
    assert returned(found) == [("main", 0)]


def after(table: Table, *commands: Any) -> Table:
    for command in commands:
        outcome = advance(table, command)
        assert not isinstance(outcome, Refusal), outcome
        table = outcome[1]
    return table


def test_a_larger_reserve_is_kept_for_later() -> None:
    """D-03 with three antes wanted: two hundred of four hundred cannot be bet."""
    table = open_table("T", load("duello", {"stakes.reserve": "3"}), "p", {"p": 500})
    table = after(table, LoadShoe((0, 1, 2, 3, 4, 5), 0, 0, stacked=True))
    answer = advance(table, PlaceBet("p", (Spot(1, "main"),), 200, 0))
    assert answer == FundsMissing(600, 500, raised=400)
    after(table, PlaceBet("p", (Spot(1, "main"),), 160, 0), DealNow("p", 0))


@pytest.mark.parametrize("late", [0, 1, 5_000])
def test_a_decision_after_its_deadline_is_refused(late: int) -> None:
    """R-10: at the deadline and at any time after it."""
    table = open_table("T", load("sisal"), "p", {"p": 10_000})
    table = after(
        table,
        LoadShoe((28, 22, 35, 33), 0, 0, stacked=True),
        PlaceBet("p", (Spot(1, "main"),), 1_000, 0),
        DealNow("p", 0),
    )
    assert table.deadline is not None
    at = table.deadline + late
    assert advance(table, Act("p", 1, Action.STAND, at)) == TooLate(table.deadline, at)
