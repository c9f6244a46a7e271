"""Small things at their edges: dates in game codes, bounds of switches, what a view says between two moments."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC, datetime, timedelta

import pytest

from tests.support.live_table import apply_commands, bet_on_box, open_live_table
from ventuno.core.messages.commands import (
    Act,
    ActAll,
    AllowBehind,
    ChooseFollow,
    DealNow,
    KeepSeat,
    LeaveSeat,
    LoadShoe,
    Pause,
    PlaceBet,
    Spot,
    TakeMoney,
    Tick,
)
from ventuno.core.messages.events import BetRemoved, SeatFreed, SeatKept, SeatLeaving, SeatWarned, TablePausedBy, Wager
from ventuno.core.messages.refusals import (
    ActionNotAllowed,
    AmountNotPositive,
    BonusImpossible,
    LimitReached,
    NoSuchBox,
    NotSeated,
    NotYourTurn,
    Refusal,
    ShoeUnfit,
    UnknownPlayer,
)
from ventuno.core.rules.cards import cards
from ventuno.core.rules.switches import Percent, Rising, SheetError, Whole, Window
from ventuno.core.scenario import notation
from ventuno.core.scenario.scenario import Malformed, parse
from ventuno.core.table import legal, seats
from ventuno.core.table.betting import game_code
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.round import Action, Box, Hand, Status
from ventuno.core.table.state import Phase, Seat, Slip, Table
from ventuno.core.views.private_view import make_reason
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


@pytest.mark.parametrize(
    "line",
    [
        "ventuno | - | 1:p 100 | 9S XX",
        "Ventuno | - | 1:p 100",
        "ventuno | -",
        "x",
        "ventuno | - | 1:p 100 nonsense 200 | 9S 7D TC TH | 1 stand",
        "ventuno | - | 1:p 100 21+3 all | 9S 7D TC TH | 1 stand",
        "link | - | 1:p 100; table 21+3 100 | 9S 7D TC TH | 1 stand",
    ],
)
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


@pytest.mark.parametrize(("on", "doubled"), [("any-two", range(4, 21)), ("9-11", (9, 10, 11)), ("10-11", (10, 11))])
def test_v11_two_cards_are_doubled_on_these_totals_and_on_no_other(on: str, doubled: Iterable[int]) -> None:
    """V-11, S-21: hard totals above eleven too."""
    pairs = {4: "2S 2D", 12: "TS 2D", 13: "TS 3D", 14: "TS 4D", 15: "TS 5D", 16: "TS 6D", 17: "TS 7D", 18: "TS 8D"}
    pairs |= {19: "TS 9D", 20: "TS KD", 5: "2S 3D", 6: "2S 4D", 7: "2S 5D", 8: "2S 6D", 9: "2S 7D", 10: "2S 8D"}
    table = open_table("T1", load("first-person", {"double.on": on}), "ada", {"ada": 100_000})
    for total, pair in {**pairs, 11: "2S 9D"}.items():
        box = Box(1, "ada", 1_000, (), (Hand(cards(pair), 1_000, Status.PLAYING),))
        verdict = legal.price(table, box, 0, Action.DOUBLE)
        refusal = ActionNotAllowed("double", f"only-{on}")
        assert verdict == (1_000 if total in doubled else (refusal,)), total


def test_v41_who_leaves_between_the_bell_and_the_deal_leaves_his_bet_in_play() -> None:
    """V-27, V-41: up to the deadline a bet goes back with its seat; at the deadline it is played."""
    table = apply_commands(open_live_table("9S 9D 7D TC TS TH 2C 3C"), bet_on_box("ada", 1), bet_on_box("bea", 2))
    bell = table.deadline
    assert bell is not None
    early, late = (advance(table, LeaveSeat("ada", 1, at)) for at in (bell - 1, bell))
    assert not isinstance(early, Refusal)
    assert not isinstance(late, Refusal)
    assert [type(event) for event in early[0]] == [BetRemoved, SeatFreed]
    assert late[0] == [SeatLeaving("ada", 1)]
    assert late[1].purse("ada") == 99_000
    dealt = apply_commands(late[1], Tick(bell))
    assert dealt.round is not None
    assert [box.player for box in dealt.round.boxes] == ["ada", "bea"]


def test_v42_each_idle_round_warns_until_the_seat_is_lost_and_a_bet_forgets_them() -> None:
    """V-42, reading 10: also where there are rounds between the first warning and the loss."""
    sheet = load("ventuno", {"seats.warned_after": "2", "seats.lost_after": "5"})
    table = open_table("T1", sheet, purses={"ada": 100_000})
    told = {idle: list(seats.warn_or_free_idle_seats(with_idle(table, idle), frozenset())) for idle in range(5)}
    assert told == {
        0: [],
        1: [SeatWarned("ada", 1, 2)],
        2: [SeatWarned("ada", 1, 3)],
        3: [SeatWarned("ada", 1, 4)],
        4: [SeatFreed("ada", 1, "inactive")],
    }
    assert [seats.find_warned(with_idle(table, idle), "ada") for idle in range(4)] == [(), (), (1,), (1,)]
    slip = Slip(((Wager(1, "main", 1_000),),))
    assert [seats.count_idle_round(with_idle(table, idle))[0] for idle in (0, 3)] == [Seat("ada", 1), Seat("ada", 4)]
    betting = with_idle(table, 3)._replace(slips={"ada": slip})
    assert seats.count_idle_round(betting)[0] == Seat("ada", 0)
    assert list(seats.warn_or_free_idle_seats(betting, frozenset({"ada"}))) == []


def with_idle(table: Table, idle: int) -> Table:
    return table._replace(seats=(Seat("ada", idle), *table.seats[1:]))


def test_v70_results_without_a_clock_give_way_to_bets_at_once() -> None:
    """Reading 17: the long clock of an abandoned round is for decisions."""
    table = open_table("T1", load("first-person", {"clocks.results": "0"}), "ada", {"ada": 100_000})
    bet = PlaceBet("ada", (Spot(1, "main"),), 1_000, 0)
    table = apply_commands(table, LoadShoe(cards("TS TD TH 9C"), 0, 0, stacked=True), bet, DealNow("ada", 0))
    assert table.round is not None
    assert table.deadline == table.sheet.clocks.abandoned * 1000
    table = apply_commands(table, Act("ada", 1, Action.STAND, 0))
    assert (table.phase, table.deadline) == (Phase.BETTING, None)


def test_r06_a_pause_after_the_bell_leaves_no_time_and_never_less() -> None:
    """R-06: what is left of a clock is written with the pause; a late tick does not make it negative."""
    table = apply_commands(open_live_table("9S 9D 7D TC TS TH 2C 3C"), bet_on_box("ada", 1))
    assert table.deadline is not None
    for late, left in ((-5, 5), (0, 0), (5, 0)):
        paused = advance(table, Pause("eva", "check", table.deadline + late))
        assert not isinstance(paused, Refusal)
        assert paused[0] == [TablePausedBy("eva", "check", left, table.deadline + late)]


def test_x18_a_box_without_any_stake_is_no_box() -> None:
    scenario = {"game": "ventuno", "shoe": "9S 9D 7D TC", "boxes": [{"box": 1, "player": "p1"}]}
    with pytest.raises(Malformed, match=r"boxes\[0\].main: missing"):
        parse(scenario, ("ventuno",))


@pytest.mark.parametrize("length", [64, 65])
def test_x18_a_name_has_at_most_64_characters(length: int) -> None:
    boxes = [{"box": 1, "player": "p" * length, "main": 1_000}]
    scenario = {"game": "ventuno", "shoe": "9S 9D 7D TC", "boxes": boxes, "decisions": [{"box": 1, "do": "stand"}]}
    if length == 64:
        assert parse(scenario, ("ventuno",)).boxes[0].player == "p" * 64
    else:
        with pytest.raises(Malformed, match="up to 64 printable characters"):
            parse(scenario, ("ventuno",))


@pytest.mark.parametrize("amount", [0, -1])
def test_i2_nothing_is_no_amount_to_take_from_a_table(amount: int) -> None:
    table = open_live_table("9S 9D 7D TC TS TH")
    assert advance(table, TakeMoney("ada", amount, 0)) == AmountNotPositive(amount)
    assert not isinstance(advance(table, TakeMoney("ada", 1, 0)), Refusal)


def test_v32_only_a_box_of_the_table_is_followed() -> None:
    table = open_live_table("9S 9D 7D TC TS TH")
    outcomes = {box: advance(table, ChooseFollow("eve", box, True, True, 0)) for box in (0, 1, 7, 8)}
    assert {box for box, outcome in outcomes.items() if outcome == NoSuchBox(box, 7)} == {0, 8}


def test_v81_a_table_without_a_shoe_shows_none() -> None:
    public = build_public_view(open_table("T1", load("ventuno")))
    assert (public.shoe, public.cards_left) == (0, 0)


def test_l07_who_has_answered_for_all_boxes_is_asked_no_more() -> None:
    """One answer for every box, then none is waiting: no box is named."""
    table = apply_commands(open_live_table("9S 9D AD TC TS TH 2C 3C"), bet_on_box("ada", 1), bet_on_box("bea", 2))
    assert table.deadline is not None
    at = table.deadline
    table = apply_commands(table, Tick(at), ActAll("ada", Action.DECLINE, at))
    assert advance(table, ActAll("ada", Action.DECLINE, at)) == NotYourTurn(0)


def test_x19_a_reason_without_numbers_has_none() -> None:
    """What a reason does not speak of is empty or nought, so that no sentence can show it."""
    assert asdict(BonusImpossible("no-board")) == {
        "reason": "no-board",
        "asked": "",
        "allowed": "",
        "count": 0,
        "most": 0,
    }
    assert asdict(ShoeUnfit("not-the-cards", 8)) == {
        "reason": "not-the-cards",
        "decks": 8,
        "least": 0,
        "most": 0,
        "asked": 0,
    }


def test_v42_only_a_box_of_the_table_is_kept_and_only_by_who_sits_there() -> None:
    table = with_idle(open_table("T1", load("ventuno"), purses={"ada": 100_000, "bea": 100_000}), 1)
    table = table._replace(seats=(*table.seats[:-1], Seat("bea", 1)))
    last = len(table.seats)
    kept = advance(table, KeepSeat("bea", last, 0))
    assert not isinstance(kept, Refusal)
    assert kept[0] == [SeatKept("bea", last)]
    for player, box in (("bea", 0), ("bea", last + 1), ("bea", 1), ("ada", 2)):
        assert advance(table, KeepSeat(player, box, 0)) == NotSeated(box), box


def test_x19_two_refusals_of_one_code_keep_their_own_numbers() -> None:
    """X-19: what is shown is made once for each refusal, not once for each code."""
    first, second = (make_reason(LimitReached("main", 5_000, asked)) for asked in (6_000, 7_000))
    assert (first.code, first.numbers) == ("LimitReached", {"bet": "main", "maximum": 5_000, "asked": 6_000})
    assert (second.code, second.numbers) == ("LimitReached", {"bet": "main", "maximum": 5_000, "asked": 7_000})
