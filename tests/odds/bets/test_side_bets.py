"""Side bets by counting against the published figures and every deal of a real pack (V-20, S-34, D-18, L-20)."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb

import pytest

from ventuno.core.games.side_bets import find_win
from ventuno.core.rules.cards import pack
from ventuno.core.rules.money import odds
from ventuno.core.rules.sheet import SideBet
from ventuno.odds.bets.side_bets import SEQUENCES, Hit, count_kept_by_standing, count_side_bet, side_return
from ventuno.odds.exact.chart import UP_CARDS, Chart
from ventuno.sheets import GAMES, load

PAIRS = {"perfect": odds("25:1"), "coloured": odds("12:1"), "mixed": odds("6:1")}
THREE = {
    "suited-trips": odds("100:1"),
    "straight-flush": odds("40:1"),
    "trips": odds("30:1"),
    "straight": odds("10:1"),
    "flush": odds("5:1"),
}
NO_STRAIGHTS = {name: pays for name, pays in THREE.items() if "straight" not in name}
ODD = {"suited-trips": odds("2:1"), "trips": odds("30:1"), "flush": odds("50:1")}
BETS = {
    "pair": SideBet(kind="pair", pays=PAIRS),
    "dealer-pair": SideBet(kind="dealer-pair", pays={"mixed": odds("x5")}),
    "three-cards": SideBet(kind="three-cards", pays=THREE),
    "no straights": SideBet(kind="three-cards", pays=NO_STRAIGHTS),
    "dearest first": SideBet(kind="three-cards", pays=ODD),
    "two-up": SideBet(kind="two-up", pays={"pair": odds("3:1"), "trips": odds("20:1")}),
}


def played(side: SideBet, decks: int) -> dict[str, Fraction]:
    """The chance of each category, every deal settled by the rules of the table."""
    cards = 2 if "pair" in side.kind else 3
    found: Counter[str] = Counter()
    for deal in combinations(pack(decks), cards):
        if hit := find_win(side, deal):
            found[hit[0]] += 1
    return {name: Fraction(found[name], comb(52 * decks, cards)) for name in side.pays}


@pytest.mark.parametrize("decks", [1, 2])
@pytest.mark.parametrize("bet", BETS)
def test_counting_equals_every_deal(bet: str, decks: int) -> None:
    side = BETS[bet]
    chances = played(side, decks)
    assert {hit.category: hit.probability for hit in count_side_bet(side, decks).hits} == chances
    assert count_side_bet(side, decks).rtp == sum(chance * side.pays[name].total for name, chance in chances.items())


@pytest.mark.parametrize(
    ("game", "bet", "printed"),
    [
        (game, bet, printed)
        for game in GAMES
        for bet, printed in load(game).published.returns.items()
        if bet in load(game).sides
    ],
)
def test_published(game: str, bet: str, printed: str) -> None:
    assert f"{float(100 * side_return(load(game), bet).rtp):.2f}" == printed


def test_l19_three_cards_with_six_decks() -> None:
    assert f"{float(100 * side_return(load('link'), '21+3').rtp):.2f}" == "95.38"


def test_v22_king_ace_two_is_no_straight() -> None:
    """With a wrap there are 13 sequences and the published figure is missed."""
    side = load("ventuno").sides["21+3"]
    assert len(SEQUENCES) == 12
    assert "KA2" not in SEQUENCES
    wrapped = count_side_bet(side, 8, (*SEQUENCES, "KA2"))
    assert f"{float(100 * wrapped.rtp):.2f}" != "96.30"
    assert wrapped.rtp > count_side_bet(side, 8).rtp


@pytest.mark.parametrize(
    ("game", "bet", "category", "pays"),
    [
        ("ventuno", "perfect-pairs", "mixed", "5:1"),
        ("sisal", "21+3", "flush", "5:1"),
        ("duello", "2-up", "trips", "x20"),
    ],
)
def test_planted_payout_misses_the_published_figure(game: str, bet: str, category: str, pays: str) -> None:
    changed = load(game, {f"sides.{bet}.pays.{category}": pays})
    assert f"{float(100 * side_return(changed, bet).rtp):.2f}" != load(game).published.returns[bet]


def test_variance_and_maximum() -> None:
    found = count_side_bet(BETS["two-up"], 6)
    chances = {hit.category: hit.probability for hit in found.hits}
    lost = 1 - sum(hit.probability for hit in found.hits)
    mean = 3 * chances["pair"] + 20 * chances["trips"] - lost
    assert found.rtp == 1 + mean
    assert found.variance == 9 * chances["pair"] + 400 * chances["trips"] + lost - mean**2
    assert found.maximum == 20


def chart(stands_from: int) -> Chart:
    """Stand on hard totals from here on, hit below, split nothing but aces."""
    hard = {(total, up): "S" if total >= stands_from else "H" for total in range(4, 21) for up in UP_CARDS}
    soft = {(total, up): "H" for total in range(12, 21) for up in UP_CARDS}
    return Chart(hard, soft, {(value, up): value == 1 for value in range(1, 11) for up in UP_CARDS}, False)


def test_s27_pair_kept_by_standing() -> None:
    """Who stands on hard 20 alone keeps the pairs of tens, jacks, queens and kings: four ranks of thirteen."""
    sheet = load("sisal")
    certified = side_return(sheet, "perfect-pairs")
    assert count_kept_by_standing(sheet, "perfect-pairs", chart(20)).rtp == certified.rtp * 4 / 13
    assert count_kept_by_standing(sheet, "perfect-pairs", chart(4)).rtp == certified.rtp * 12 / 13


def test_bonus_is_not_counted() -> None:
    with pytest.raises(ValueError, match="counting"):
        side_return(load("link"), "link")


def test_hit_names_its_odds() -> None:
    assert count_side_bet(BETS["two-up"], 6).hits[0] == Hit(
        "pair", odds("3:1"), Fraction(13 * 276 * 12 * 24, comb(312, 3))
    )
