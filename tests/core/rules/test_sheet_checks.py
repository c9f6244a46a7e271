"""A full round always fits behind the cut (reading 16): the most cards it can need, counted by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ventuno.core.rules.sheet_checks import cards_for_a_round, check, has_room_for_round
from ventuno.core.rules.switches import SheetError
from ventuno.sheets import load


@pytest.mark.parametrize(
    ("game", "changes", "cards"),
    [
        # 14 hands and the dealer: 296 points are 32 aces, 32 twos, 32 threes and 26 fours; then 15 last cards.
        ("ventuno", {}, 122 + 15),
        # 10 hands: 216 points are 32 aces, 32 twos, 32 threes and 6 fours; then 11 last cards.
        ("first-person", {"split.hands": "2"}, 32 + 32 + 32 + 6 + 11),
        # 6 decks, 10 hands: 216 points are 24 aces, 24 twos, 24 threes and 18 fours; then 11.
        ("link", {}, 24 + 24 + 24 + 18 + 11),
        # One deck has 52 cards, and no round needs more.
        ("ventuno", {"shoe.decks": "1"}, 52),
    ],
)
def test_v02_no_round_needs_more_cards_than_the_smallest_make(game: str, changes: dict[str, str], cards: int) -> None:
    assert cards_for_a_round(load(game, changes)) == cards


def test_v02_a_round_fits_behind_the_deepest_cut_to_the_card() -> None:
    """Of 416 cards 279 may be out when a round of 137 begins: 67 percent are 278, 68 are 282."""
    assert has_room_for_round(load("ventuno", {"shoe.cut": "[50, 67]"}))
    assert not has_room_for_round(load("ventuno", {"shoe.cut": "[50, 68]"}))


@pytest.mark.parametrize("part", ["wheel", "start", "cell", "boxes", "diamonds", "prizes"])
def test_l22_a_bonus_bet_among_others_needs_all_of_its_wheel_and_boards(part: str) -> None:
    with pytest.raises(SheetError, match=f"bonus.{part}: a bonus bet needs it"):
        load("link", {f"bonus.{part}": "{}"})


@pytest.mark.parametrize("game", ["ventuno", "link"])
def test_d15_side_bets_on_a_hand_of_blackjack_are_none_of_a_duel(game: str) -> None:
    duel = load("duello")
    for bet, side in load(game).sides.items():
        stakes = replace(duel.stakes, limits={"main": duel.stakes.limits["main"], bet: duel.stakes.limits["2-up"]})
        with pytest.raises(SheetError, match=f"{side.kind} belongs to the blackjack family"):
            check(replace(duel, sides={bet: side}, stakes=stakes))
