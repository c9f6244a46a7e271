"""Small things at their edges: dates in game codes, bounds of switches, what a view says between two moments."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from tests.support.live_table import apply_commands, bet_on_box, open_live_table
from ventuno.core.messages.commands import Act, AllowBehind, ChooseFollow, DealNow, LoadShoe, PlaceBet, Spot, Tick
from ventuno.core.messages.refusals import UnknownPlayer
from ventuno.core.rules.cards import cards
from ventuno.core.rules.switches import Percent, Rising, SheetError, Whole, Window
from ventuno.core.scenario import notation
from ventuno.core.scenario.scenario import Malformed
from ventuno.core.table.betting import game_code
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.round import Action
from ventuno.core.views.public_view import Turn, build_public_view
from ventuno.sheets import load


def test_v66_the_date_in_a_code_is_the_calendars() -> None:
    """Every eleventh day over two centuries, leap days and century years among them."""
    day = datetime(1970, 1, 1, 23, 59, 58, tzinfo=UTC)
    while day.year < 2170:
        code = game_code("T", int(day.timestamp()) * 1000, 1)
        assert code == f"T-{day:%Y%m%d}-235958-1"
        day += timedelta(days=11)
    for leap in (
        datetime(2000, 2, 29, tzinfo=UTC),
        datetime(2100, 2, 28, tzinfo=UTC),
        datetime(2100, 3, 1, tzinfo=UTC),
    ):
        assert game_code("T", int(leap.timestamp()) * 1000, 1) == f"T-{leap:%Y%m%d}-000000-1"


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        (Rising(1, 9), [[1], [9], [1, 9]], [[0], [10], [1, 10], [2, 1], [2, 2], []]),
        (Whole(1, 8), [1, 8], [0, 9, True, 1.0, "1"]),
        (Window(1, 9), [[1, 9], [4, 4]], [[0, 4], [4, 10], [5, 4], [1], [1, 2, 3], [True, 2]]),
        (Percent(), ["99.29", "200.0"], ["200.1", "201.0", "99", "abc", 99.29]),
    ],
    ids=["rising", "whole", "window", "percent"],
)
def test_bounds_of_switches_are_inside(
    kind: Rising | Whole | Window | Percent, good: list[object], bad: list[object]
) -> None:
    for value in good:
        kind.read(value, "switch")
    for value in bad:
        with pytest.raises(SheetError):
            kind.read(value, "switch")


@pytest.mark.parametrize("line", ["ventuno | - | 1:p 100 | 9S XX", "Ventuno | - | 1:p 100", "ventuno | -", "x"])
def test_x18_lines_that_are_no_round(line: str) -> None:
    """X-18."""
    with pytest.raises(Malformed):
        notation.read(line)


def test_v23_side_bets_are_shown_right_after_the_deal() -> None:
    """A pair of nines pays while the hand is still being played; a stage is named only while a round runs."""
    table = apply_commands(
        open_live_table("9S 7D 9S TH 5C 5D"), bet_on_box("ada", 1), bet_on_box("ada", 1, 200, "perfect-pairs")
    )
    assert build_public_view(table).stage == ""
    table = apply_commands(table, Tick(15_000))
    seen = build_public_view(table)
    assert seen.stage == "play"
    assert seen.turn == Turn(1, 1)
    assert [(side.won, side.returned) for side in seen.boxes[0].sides] == [("perfect", 5_200)]
    table = apply_commands(table, Act("ada", 1, Action.STAND, 15_001))
    assert build_public_view(table).stage == ""
    assert build_public_view(table).turn is None


def test_l21_a_bonus_bet_shows_no_category_but_its_board() -> None:
    """L-21."""
    table = open_table("T", load("link"), "ada", {"ada": 10_000})
    table = apply_commands(
        table,
        LoadShoe(cards("AS 7D KS TH"), 0, 0, stacked=True),
        PlaceBet("ada", (Spot(1, "main"),), 1_000, 0),
        PlaceBet("ada", (Spot(1, "link"),), 200, 0),
        DealNow("ada", 0),
    )
    box = build_public_view(table).boxes[0]
    assert (box.sides[0].won, box.sides[0].returned) == (None, None)
    assert box.bonus is not None
    assert build_public_view(table).turn == Turn(1, 0)


def test_the_dealers_soft_total_is_one_number_when_the_round_is_over() -> None:
    table = apply_commands(open_live_table("9S AD 9C 6H"), bet_on_box("ada", 1), Tick(15_000))
    assert build_public_view(table).dealer.total == "1/11"
    table = apply_commands(table, Act("ada", 1, Action.DECLINE, 15_001), Act("ada", 1, Action.STAND, 15_002))
    assert build_public_view(table).dealer.total == "17"


@pytest.mark.parametrize("command", [AllowBehind("w", False, 0), ChooseFollow("w", 1, True, True, 0)])
def test_v33_who_only_watches_keeps_nothing_at_a_table(command: AllowBehind | ChooseFollow) -> None:
    """V-32, V-33: wishes about bets behind are those of players with money here; others would fill the table."""
    assert advance(open_table("T1", load("ventuno")), command) == UnknownPlayer("w")
