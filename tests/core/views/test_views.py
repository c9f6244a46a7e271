"""What each viewer sees: totals beside the cards, bets, streaks, offers; secrets stay with their owner."""

from __future__ import annotations

from dataclasses import replace

from tests.support.live_table import apply_commands, bet_on_box, open_live_table
from ventuno.core.messages.commands import (
    Act,
    ActEarly,
    ChooseFollow,
    DealNow,
    LoadShoe,
    Pause,
    PlaceBet,
    Resume,
    Spot,
    Tick,
)
from ventuno.core.messages.events import RoundSettled
from ventuno.core.messages.refusals import ActionNotAllowed, FundsMissing, Refusal
from ventuno.core.rules import hand
from ventuno.core.rules.cards import cards
from ventuno.core.table import legal
from ventuno.core.table.fold import advance, open_table
from ventuno.core.table.round import Action
from ventuno.core.views.private_view import build_empty_view, build_private_view, make_reason
from ventuno.core.views.public_view import Box, Chips, build_public_view
from ventuno.sheets import GAMES, load


def test_v05_soft_hands_show_both_values_until_resolved() -> None:
    """V-05."""
    assert hand.format_total(cards("AS 6D")) == "7/17"
    assert hand.format_total(cards("AS 6D"), resolved=True) == "17"
    assert hand.format_total(cards("AS 6D TH")) == "17"
    assert hand.format_total(cards("AS KD")) == "21"
    table = apply_commands(open_live_table("AS 7D 6D TH 3C"), bet_on_box("ada", 1), Tick(15_000))
    assert build_public_view(table).boxes[0].hands[0].total == "7/17"
    table = apply_commands(table, Act("ada", 1, Action.HIT, 15_001))
    assert build_public_view(table).boxes[0].hands[0].total == "10/20"
    table = apply_commands(table, Act("ada", 1, Action.STAND, 15_002))
    assert build_public_view(table).boxes[0].hands[0].total == "20"


def test_f06_every_hand_has_its_value_beside_it() -> None:
    """F-06."""
    table = open_table("T1", load("first-person"), "ada", {"ada": 100_000})
    table = apply_commands(
        table,
        LoadShoe(cards("AS 9S 7D 6D 9D TH"), 0, 0, stacked=True),
        PlaceBet("ada", (Spot(1, "main"), Spot(2, "main")), 500, 0),
        DealNow("ada", 0),
    )
    assert [box.hands[0].total for box in build_public_view(table).boxes] == ["7/17", "18"]
    assert build_public_view(table).dealer.total == "7"


def test_v46_only_chips_covered_by_the_balance_are_enabled() -> None:
    """V-46."""
    table = open_table("T1", load("ventuno"), purses={"ada": 700})
    assert [chip.value for chip in build_private_view(table, "ada").chips if chip.enabled] == [100, 500]


def test_v37_bets_are_shown_to_others_only_when_they_are_final() -> None:
    """V-37."""
    table = apply_commands(open_live_table("9S 9D 7D TC TS TH"), bet_on_box("ada", 1), bet_on_box("bea", 2))
    assert build_public_view(table).bets == build_private_view(table, "eve").bets == ()
    table = apply_commands(table, DealNow("ada", 2))
    assert build_public_view(table).bets == (Chips("ada", 1, "main", 1_000),)


def test_v54_an_early_decision_is_known_to_its_owner_alone() -> None:
    """V-54."""
    table = apply_commands(
        open_live_table("9S 9D 7D TC TS TH"), bet_on_box("ada", 1), bet_on_box("bea", 2), Tick(15_000)
    )
    table = apply_commands(table, ActEarly("bea", 2, Action.STAND, 15_001))
    assert [(box.box, box.early) for box in build_private_view(table, "bea").boxes] == [(2, "stand")]
    assert [(box.box, box.early) for box in build_private_view(table, "ada").boxes] == [(1, None)]
    assert not build_private_view(table, "").boxes
    assert "early" not in Box.__match_args__


def test_v35_the_longest_streak_is_highlighted_from_two_up() -> None:
    """V-35."""
    table = open_live_table("9S 9D 7D TC TS TH")._replace(streaks={"ada": 3, "bea": 2})
    assert [(seat.streak, seat.hottest) for seat in build_public_view(table).seats] == [(3, True), (2, False)]
    table = table._replace(streaks={"ada": 1})
    assert [(seat.streak, seat.hottest) for seat in build_public_view(table).seats] == [(0, False), (0, False)]


def test_f09_the_offer_is_on_the_owners_button_to_the_cent() -> None:
    """F-09."""
    sheet = load("first-person")
    table = open_table("T1", sheet, "ada", {"ada": 100_000})
    table = apply_commands(
        table,
        LoadShoe(cards("9S 7D TC TH"), 0, 0, stacked=True),
        PlaceBet("ada", (Spot(1, "main"),), 1_010, 0),
        DealNow("ada", 0),
    )
    offered = sheet.cash_out.hard["19"][5] * 1_010 // 100
    assert [box.offer for box in build_private_view(table, "ada").boxes] == [offered]
    assert not build_private_view(table, "eve").boxes
    assert "offer" not in Box.__match_args__
    table = apply_commands(table, Act("ada", 1, Action.CASH_OUT, 1))
    assert table.purse("ada") == 100_000 - 1_010 + offered


def test_s32_only_usable_decisions_are_enabled_and_the_rest_say_why() -> None:
    """S-32."""
    table = open_table("T1", load("sisal"), "ada", {"ada": 100_000})
    table = apply_commands(
        table,
        LoadShoe(cards("9S 7D TC TH"), 0, 0, stacked=True),
        PlaceBet("ada", (Spot(1, "main"),), 1_000, 0),
        DealNow("ada", 0),
    )
    decisions = {option.action: option for option in build_private_view(table, "ada").options.decisions}
    assert decisions["hit"].price == 0
    assert decisions["double"].price == 1_000
    refusal = ActionNotAllowed("split", "equal-rank")
    assert (decisions["split"].price, decisions["split"].reasons) == (None, (make_reason(refusal),))


def test_d08_a_choice_shows_its_total_whoever_refuses_it() -> None:
    """D-08, X-19: the rules, or a limit of his own; and what is restricted is the verdict, nothing else."""
    table = apply_commands(
        open_table("T1", load("duello"), "ada", {"ada": 100_000}),
        LoadShoe(cards("9S 7D TC TH 5S 6H 2C 3D"), 0, 0, stacked=True),
        PlaceBet("ada", (Spot(1, "main"),), 1_000, 0),
        DealNow("ada", 0),
    )
    refusal = FundsMissing(1_000, 0)

    def refuse_raises(options: legal.Options) -> legal.Options:
        return options._replace(
            decisions={place: (refusal,) if price else 0 for place, price in options.decisions.items()}
        )

    free, bound = (build_private_view(table, "ada", restrict=restrict) for restrict in (None, refuse_raises))
    for before, after in zip(free.options.decisions, bound.options.decisions, strict=True):
        assert (before.box, before.action, before.total) == (after.box, after.action, after.total)
        assert after.price == (None if before.price != 0 else 0)
    totals = {option.action: option.total for option in bound.options.decisions if option.total}
    assert totals.keys() == {"left", "right"}
    assert make_reason(refusal) in next(option for option in bound.options.decisions if option.action == "left").reasons


def test_x05_every_line_of_a_settlement_cites_a_criterion_and_its_arithmetic() -> None:
    """X-05."""
    for game in GAMES:
        assert all(criterion.partition("-")[2].isdigit() for criterion in load(game).cites.values())
    table = apply_commands(
        open_live_table("AS 9D 7D TC TS TH"),
        bet_on_box("ada", 1),
        bet_on_box("ada", 1, 200, "21+3"),
        bet_on_box("bea", 2),
    )
    outcome = advance(apply_commands(table, Tick(15_000)), Act("bea", 2, Action.STAND, 15_001))
    assert not isinstance(outcome, Refusal)
    settled = next(event for event in outcome[0] if isinstance(event, RoundSettled))
    assert all(line.criterion and line.arithmetic for line in settled.lines)
    blackjack = next(line for line in settled.lines if line.bet == "main" and line.player == "ada")
    assert (blackjack.returned, blackjack.criterion, blackjack.arithmetic) == (2_500, "V-19", "1000 + 3/2 x 1000")


def test_x06_a_spectator_sees_no_private_field() -> None:
    """X-06."""
    table = apply_commands(
        open_live_table("AS 9D AD TC TS TH"), bet_on_box("ada", 1), bet_on_box("bea", 2), Tick(15_000)
    )
    table = apply_commands(table, Act("ada", 1, Action.INSURE, 15_001))
    seen = build_public_view(table)
    assert build_private_view(table, "") == build_empty_view("")
    assert [box.insurance for box in seen.boxes] == [None, None]
    assert build_private_view(table, "ada").boxes[0].insurance == 500
    assert seen.dealer.cards == ("AD",)
    assert seen.dealer.face_down == 1


def test_v45_one_true_clock_from_the_first_chip_on() -> None:
    """After a shuffle nobody is timed; the first bet has the whole time before it, whoever joins sees the same."""
    opened = open_live_table("9S 9D 7D TC TS TH")
    assert (build_public_view(opened).deadline, build_public_view(opened).span) == (None, None)
    table = apply_commands(opened, replace(bet_on_box("ada", 1), at=7_000))
    assert (build_public_view(table).deadline, build_public_view(table).span) == (22_000, 15_000)
    table = apply_commands(table, replace(bet_on_box("bea", 2), at=9_000))
    assert (build_public_view(table).deadline, build_public_view(table).span) == (22_000, 15_000)


def test_v38_v45_deal_now_shortens_the_clock_and_says_who_asked() -> None:
    """The shown clock is as long as it is; a bet of somebody who has not pressed gives the whole time back."""
    table = apply_commands(open_live_table("9S 9D 7D TC TS TH"), bet_on_box("ada", 1))
    assert build_public_view(table).hurried_by == ()
    table = apply_commands(table, DealNow("ada", 1_000))
    seen = build_public_view(table)
    assert (seen.deadline, seen.span, seen.hurried_by) == (4_000, 4_000, ("ada",))
    paused = apply_commands(table, Pause("anna", "a look", 2_000), Resume("anna", 60_000))
    seen = build_public_view(paused)
    assert (seen.deadline, seen.span, seen.hurried_by) == (65_000, 4_000, ("ada",)), "five seconds are the least left"
    table = apply_commands(table, replace(bet_on_box("bea", 2), at=3_000))
    seen = build_public_view(table)
    assert (seen.deadline, seen.span, seen.hurried_by) == (15_000, 15_000, ())


def test_v32_who_bets_behind_sees_what_his_bet_follows_all_through_the_round() -> None:
    table = apply_commands(
        open_live_table("9S 9D 7D TC TS TH"),
        bet_on_box("ada", 1),
        bet_on_box("bea", 2),
        ChooseFollow("eve", 1, double=True, split=False, at=0),
        bet_on_box("eve", 1, kind="behind"),
        Tick(15_000),
    )
    (own,) = build_private_view(table, "eve").behind
    assert (own.box, own.follow_double, own.follow_split) == (1, True, False)
    assert build_private_view(table, "bea").behind == ()
