"""Blackjack Link in a browser, criterion by criterion: bets, insurance, decisions and payouts. Its bonus is apart."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.browser import solo_browser
from tests.support.browser.live_house import LiveHouse
from tests.support.browser.picture_house import settled
from tests.support.browser.places import bounds
from tests.support.browser.solo_browser import PHONE, SIX_TEN, Come, paying, seen_at, untidy
from tests.support.browser.solo_player import SoloPlayer
from tests.support.browser.solo_table import closed, lines, named
from ventuno.core.messages.commands import TakeMoney

GAME = "link"
one = solo_browser.one
SIDES = ("perfect-pairs", "21+3", "link")


def test_l01_six_decks_shuffled_after_every_round(alone: Come) -> None:
    one = paying(alone, GAME).play(GAME, SIX_TEN)
    one.sees(re.compile("^6 mazzi"))
    for _ in range(2):
        expect(one.page.get_by_role("img", name="Sabot: 312 carte")).to_be_visible()
        one.bet({3: 100})
        one.key("Distribuisci").click()
        one.acts("Stai").key("Nuova puntata").click()


def test_l02_five_circles_three_small_ones_under_each_and_one_by_the_dealer(one: SoloPlayer) -> None:
    one.practise(GAME)
    for box in range(1, 6):
        for bet in ("main", *SIDES):
            expect(one.spot(box, bet)).to_be_visible()
    expect(one.page.get_by_role("button", name=re.compile("^Coppia del banco"))).to_have_count(1)


@pytest.mark.parametrize(("width", "height"), [(740, 360), (667, 375)])
def test_l02_circles_lie_apart_on_a_low_phone(one: SoloPlayer, width: int, height: int) -> None:
    """A9: no circle of a hand over another, nor over one of the next hand."""
    one.practise(GAME)
    with seen_at(one.page, width, height):
        expect(one.page.locator(".arc.flat")).to_be_visible()
        circles = [one.spot(box, bet).bounding_box() for box in range(1, 6) for bet in ("main", *SIDES)]
        for at, circle in enumerate(circles):
            for other in circles[at + 1 :]:
                assert circle
                assert other
                radius = (circle["width"] + other["width"]) / 2
                across = circle["x"] + circle["width"] / 2 - other["x"] - other["width"] / 2
                down = circle["y"] + circle["height"] / 2 - other["y"] - other["height"] / 2
                assert across**2 + down**2 >= (radius - 1) ** 2, (circle, other)


def test_l03_all_side_bets_together_and_none_without_the_main_bet(one: SoloPlayer) -> None:
    one.practise(GAME)
    for bet, name in (("perfect-pairs", "Coppia del giocatore"), ("21+3", "21+3"), ("link", "LINK")):
        assert closed(one.spot(3, bet)) == f"{name}: prima serve la puntata principale."
    assert closed(one.spot(0, "dealer-pair")) == "Coppia del banco: prima serve la puntata principale."
    one.spot(3).click()
    for box, bet in (*((3, side) for side in SIDES), (0, "dealer-pair")):
        one.spot(box, bet).click()
    one.sees("In tutto € 5,00")
    assert closed(one.spot(2, "link")), "a hand without a bet has no side bets"


def test_l04_clear_back_and_double_before_the_deal(one: SoloPlayer) -> None:
    one.practise(GAME)
    one.spot(3).click()
    one.chip(500).spot(3, "link").click()
    one.sees("In tutto € 6,00")
    one.key(re.compile("^2× Raddoppia")).click()
    one.sees("In tutto € 12,00")
    one.key("Annulla").click()
    one.sees("In tutto € 6,00")
    one.key("Annulla").click()
    one.sees("In tutto € 1,00")
    one.key("Cancella").click()
    one.sees("Scegli una fiche, tocca un cerchio.")


def test_l05_limits_bind_the_first_bet_alone_and_follow_the_level(alone: Come) -> None:
    one = alone("Socio")
    one.level(2)
    one.play(GAME, "8D 6H 8S TC 5D 6S 7C", money=1_500_000)
    assert one.limits()["Principale"] == "€ 1 – 2.500"
    one.bet({3: 250_000})
    one.key("Distribuisci").click()
    for name in ("Raddoppia", "Dividi"):
        expect(one.act(name)).to_contain_text("+\u00a0€\u00a02.500,00")


def test_l06_cards_go_clockwise_from_the_right_and_hands_act_in_that_order(one: SoloPlayer) -> None:
    one.practise(GAME, "2D 3D 4D 5D 6D 7D 8D 9D", {1: 100, 3: 100, 5: 100})
    assert [one.cards(box) for box in (1, 3, 5)] == [named("2D 6D"), named("3D 7D"), named("4D 8D")]
    assert one.cards() == [*named("5D"), "Carta coperta"]
    for hand in (1, 3, 5):
        expect(one.page.get_by_role("heading", name=re.compile(f"^Mano {hand}, "))).to_be_visible()
        one.acts("Stai")


ACE = "9D 8H AS TC 7D KC"


def test_l07_insurance_for_this_hand_or_all_of_them_at_half_the_first_bet(one: SoloPlayer) -> None:
    one.practise(GAME, ACE, {1: 200, 3: 400, (1, "21+3"): 100})
    expect(one.page.get_by_role("heading", name="Assicurazione?")).to_be_visible()
    for name in ("Accetto mano 1, € 1", "Accetto per tutte", "Rifiuto mano 1", "Rifiuto per tutte"):
        expect(one.key(re.compile(f"^{name}"))).to_be_visible()
    one.presses("^Rifiuto mano 1").presses("^Accetto mano 3, € 2")
    one.acts("Stai", "Stai")
    assert [(line.box, line.bet, line.returned) for line in one.paid() if line.bet == "insurance"] == [
        (3, "insurance", 600)
    ]


@pytest.mark.parametrize(("answer", "insured"), [("^Accetto per tutte", 2), ("^Rifiuto per tutte", 0)])
def test_l07_one_answer_for_all_hands(one: SoloPlayer, answer: str, insured: int) -> None:
    one.practise(GAME, ACE, {1: 200, 3: 400}).presses(answer)
    expect(one.act("Stai")).to_be_visible()
    expect(one.page.get_by_text(re.compile("^Assicurato"))).to_have_count(insured)


def test_l08_a_blackjack_under_an_ace_is_offered_even_money(one: SoloPlayer) -> None:
    one.practise(GAME, "AS AC KD KC", {3: 500})
    expect(one.page.get_by_role("heading", name="Alla pari?")).to_be_visible()
    one.presses("^Accetto")
    assert lines(one) == [("Mano 3, Puntata principale", "€ 5,00 + 1 × € 5,00", "€ 10,00", "L-08")]
    one.practise(GAME, "AS AC KD KC", {3: 500}).presses("^Rifiuto")
    assert [line.returned for line in one.paid()] == [500], "declined: two Blackjacks are even"


def test_l09_no_early_look_whatever_the_upcard(one: SoloPlayer) -> None:
    one.practise(GAME, "9D AH 7S KC 3D", {3: 200}).presses("^Accetto").acts("Carta")
    assert one.cards() == [*named("AH"), "Carta coperta"], "a Blackjack lies there and nobody looked"
    one.acts("Stai")
    assert [(line.bet, line.returned) for line in one.paid()] == [("main", 0), ("insurance", 300)]


def test_l10_split_equal_values_once_and_aces_get_one_card(one: SoloPlayer) -> None:
    one.practise(GAME, "KD 6H QS TC 9D QC 5D", {3: 100}).acts("Dividi", "Stai")
    assert closed(one.act("Dividi")) == "al massimo 2 mani"
    one.practise(GAME, "AD 6H AS TC KD 5C 5D", {3: 100}).acts("Dividi")
    assert [line.returned for line in one.paid()] == [100, 0], "21 is no Blackjack, and nobody was asked again"


def test_l11_double_before_the_third_card_after_a_split_too(one: SoloPlayer) -> None:
    one.practise(GAME, "8D 6H 8S TC 3D 2C 9D 9C 5D", {3: 100}).acts("Dividi")
    expect(one.act("Raddoppia")).to_contain_text("+\u00a0€\u00a01,00")
    one.acts("Raddoppia", "Carta")
    assert closed(one.act("Raddoppia")) == "solo con le prime due carte"


def test_l12_a_blackjack_under_a_ten_gives_the_double_back_under_an_ace_it_does_not(one: SoloPlayer) -> None:
    one.practise(GAME, "5D TH 6S AC 9D", {3: 100}).acts("Raddoppia")
    assert [(line.bet, line.returned) for line in one.paid()] == [("main", 0), ("double", 100)]
    one.practise(GAME, "5D AH 6S TC 9D", {3: 100}).presses("^Rifiuto").acts("Raddoppia")
    assert [(line.bet, line.returned) for line in one.paid()] == [("main", 0), ("double", 0)]


def test_l13_the_dealer_draws_to_16_and_not_at_all_when_every_hand_has_bust(one: SoloPlayer) -> None:
    one.practise(GAME, SIX_TEN, {3: 100}).acts("Stai")
    assert one.paid()
    assert one.cards() == named("6H TC 5D")
    one.practise(GAME, "9D 6H 7S TC KD 5D", {3: 100}).acts("Carta")
    assert one.paid()
    assert one.cards() == named("6H TC")


def test_l14_ten_cards_win_at_once(one: SoloPlayer) -> None:
    one.practise(GAME, "2D 6H 2S TC 2H 2C 2D 2S AH AD AC AS 9C", {3: 500}).does(*["hit"] * 7)
    expect(one.box(3).get_by_role("listitem")).to_have_count(9)
    one.acts("Carta")
    expect(one.box(3)).to_contain_text("Charlie")
    assert lines(one) == [("Mano 3, Puntata principale", "€ 5,00 + 1 × € 5,00", "€ 10,00", "L-14")]


def test_l15_without_funds_double_split_and_insurance_wait_for_money(alone: Come) -> None:
    one = paying(alone, GAME).play(GAME, "8D 6H 8S TC 5D", {3: 500}, money=600)
    expect(one.act("Stai")).to_be_visible()
    for name in ("Raddoppia", "Dividi"):
        assert closed(one.act(name)) == "servono €\u00a05,00, hai €\u00a01,00"
    one.key("Aggiungi denaro").click()
    one.page.get_by_role("dialog").get_by_role("button", name=re.compile("porta", re.I)).last.click()
    expect(one.act("Raddoppia")).to_be_enabled()
    other = paying(alone, GAME).play(GAME, "9D AS TC 7D 5C", {3: 500}, money=600)
    assert other.key(re.compile("^Accetto")).get_attribute("aria-disabled") == "true"
    expect(other.key(re.compile("^Rifiuto"))).to_be_enabled()


def test_l16_repeat_then_deal_rebet_and_deal_double_and_deal(one: SoloPlayer) -> None:
    bets = {3: 100, (3, "link"): 100}
    one.practise(GAME, f"{SIX_TEN} " * 4, bets).does("stand").key("Nuova puntata").click()
    one.key(re.compile("^Ripeti, €.2,00")).click()
    one.sees("In tutto € 2,00")
    one.key("Distribuisci").click()
    one.acts("Stai").key(re.compile("^Ripeti e distribuisci, €.2,00")).click()
    expect(one.held(3)).to_have_accessible_name(re.compile("€.1$"))
    one.acts("Stai").key("Raddoppia e distribuisci").click()
    expect(one.held(3)).to_have_accessible_name(re.compile("€.2$"))
    expect(one.held(3, "link")).to_have_accessible_name(re.compile("€.2$"))


def test_l17_payouts_are_to_one_with_the_stake_on_top(one: SoloPlayer) -> None:
    one.practise(GAME, "AD 9D 6H KS KD TC TD", {1: 200, 3: 200}).acts("Stai")
    assert [line[1:3] for line in lines(one)] == [
        ("€ 2,00 + 3/2 × € 2,00", "€ 5,00"),
        ("€ 2,00 + 1 × € 2,00", "€ 4,00"),
    ]


def test_l18_pairs_of_the_player_and_of_the_dealer(one: SoloPlayer) -> None:
    sides = {(1, "perfect-pairs"): 100, (3, "perfect-pairs"): 100, (0, "dealer-pair"): 100}
    one.practise(GAME, "9D 8D 6H 9D 8H 6D 9C 9H", {1: 100, 3: 100, **sides})
    expect(one.box(1)).to_contain_text("Coppia perfetta+\u00a0€\u00a025")
    expect(one.box(3)).to_contain_text("Coppia colorata+\u00a0€\u00a012")
    one.acts("Stai", "Stai")
    assert [line.returned for line in one.paid() if line.bet == "dealer-pair"] == [1300]
    expect(one.page.get_by_role("img", name=re.compile("^Coppia del banco.*vince €.12"))).to_be_visible()


def test_l19_21_plus_3_has_five_categories_of_three_cards(one: SoloPlayer) -> None:
    bets = {(box, "21+3"): 100 for box in range(1, 6)}
    one.practise(GAME, "7H 5H 7S 8C 2H 7H 7H 6H 7D 9D KH TC", {**dict.fromkeys(range(1, 6), 100), **bets})
    told = ["Tris dello stesso seme", "Scala colore", "Tris", "Scala", "Colore"]
    for box, (name, gain) in enumerate(zip(told, (100, 40, 30, 10, 5), strict=True), 1):
        expect(one.box(box)).to_contain_text(f"{name}+\u00a0€\u00a0{gain}")


def test_l20_the_published_returns_are_told(one: SoloPlayer) -> None:
    rows = one.practise(GAME).help("Ritorno")
    assert (rows["Puntata principale"], rows["Coppia del giocatore"]) == ("99,57 %", "93,89 %")


def test_l33_history_is_in_the_tools_of_a_desk_and_the_menu_of_a_phone(alone: Come) -> None:
    """L-33: on a desk and on a phone, with the round that was just played."""
    one = alone("Storico").play(GAME, SIX_TEN, {3: 100}).does("stand")
    one.key("Storico").click()
    expect(one.page.get_by_role("dialog").locator("li")).to_have_count(1)
    one.page.keyboard.press("Escape")
    with seen_at(one.page, *PHONE):
        one.key("Menu").click()
        one.page.get_by_role("dialog").get_by_role("button", name="Storico").click()
        expect(one.page.get_by_role("dialog").locator("li")).to_have_count(1)


def test_l35_a_malfunction_voids_the_round(alone: Come, den: LiveHouse) -> None:
    one = paying(alone, GAME).play(GAME, SIX_TEN, {3: 500, (3, "link"): 100})
    expect(one.act("Stai")).to_be_visible()
    den.void(one.table, "guasto")
    one.told(re.compile("Mano annullata.*6,00"))
    one.sees("€\u00a01.000,00")


def test_l36_add_money_is_in_the_bottom_bar(alone: Come) -> None:
    one = paying(alone, GAME).play(GAME, money=500)
    one.sees("€\u00a05,00")
    one.house.ask(one.table, TakeMoney(one.player, 400, 0), one.player)
    one.key("Aggiungi denaro").click()
    one.page.get_by_role("dialog").get_by_role("button", name=re.compile("porta", re.I)).last.click()
    one.sees("€\u00a0101,00")


def test_l02_what_a_circle_won_or_lost_lies_clear_of_the_circle_below(one: SoloPlayer) -> None:
    """L-02: two side circles lie one over the other; the note of the upper one does not touch the lower."""
    bets = {3: 500, (3, "perfect-pairs"): 500, (3, "link"): 100}
    one.practise(GAME, "8S 6H 9D TC 3D 2S 9C", bets)
    expect(one.act("Stai")).to_be_visible()
    note, below = one.held(3, "perfect-pairs").locator(".amount"), one.held(3, "link")
    assert bounds(note)[3] <= bounds(below)[1]


NEAT = ((360, 740), (667, 375), (1180, 820), (1366, 768))
SEATS = range(1, 6)
FIVE: dict[Any, int] = {**dict.fromkeys(SEATS, 2500), **{(box, side): 500 for box in SEATS for side in SIDES}}


@pytest.mark.parametrize(
    ("cards", "bets", "done"),
    [
        ("2D 2D 6H 2S 2S TC 2H 2C 2D 2S AH AD AC AS 9C", {3: 500, 4: 500, (3, "link"): 500}, ["hit"] * 7),
        ("2D 6H 2S TC 2H 2C 2D 2S AH AD AC AS 9C", {3: 500, (3, "perfect-pairs"): 500}, ["hit"] * 8),
        ("7H 5H 7S 8C 2H 7H 7H 6H 7D 9D KH TC", {**FIVE, (0, "dealer-pair"): 500}, ["stand"] * 5),
    ],
    ids=["nine-cards", "charlie", "five-paid"],
)
def test_l02_however_full_a_hand_is_nothing_lies_over_anything(
    one: SoloPlayer, cards: str, bets: Any, done: list[str]
) -> None:
    """L-02, L-14, L-16: long hands, won side bets, results of five hands; upright, flat, on a desk."""
    one.practise(GAME, cards, bets).does(*done)
    expect(one.page.locator(".decision, .settled").first).to_be_visible()
    for width, height in NEAT:
        with seen_at(one.page, width, height):
            assert untidy(one.page) == [], (width, height)


def test_l10_the_total_of_a_split_hand_lies_clear_of_the_chips(one: SoloPlayer) -> None:
    """L-10: on a phone, where hands are large and the circle is right below them."""
    one.practise(GAME, "8D 6H 8S TC 3D 2C 9D 9C 5D", {3: 2500}).does("split")
    with seen_at(one.page, *PHONE):
        expect(one.act("Stai")).to_be_visible()
        chips = min(bounds(pile)[1] for pile in one.held(3).locator("svg.stack").all())
        totals = one.page.locator(".own .total").all()
        assert len(totals) == 2
        assert max(bounds(total)[3] for total in totals) <= chips


def test_l07_on_a_low_phone_it_is_read_that_a_hand_is_insured(one: SoloPlayer) -> None:
    one.practise(GAME, ACE, {1: 200, 3: 400}).presses("^Accetto per tutte")
    expect(one.act("Stai")).to_be_visible()
    with seen_at(one.page, 667, 375):
        foot = bounds(one.page.locator(".foot"))[1]
        tags = one.page.get_by_text(re.compile("^Assicurato")).all()
        assert [bounds(tag)[3] <= foot for tag in tags] == [True, True]
        assert untidy(one.page) == []


def test_l06_a_long_question_stays_within_its_panel(one: SoloPlayer) -> None:
    """L-06: the totals of a soft hand and of an ace are the longest words of its head."""
    one.practise(GAME, "AD AS 9H TC 7D KC", {3: 200}).presses("^Rifiuto")
    for width, height in NEAT[2:]:
        with seen_at(one.page, width, height):
            assert untidy(one.page) == [], (width, height)


@pytest.mark.parametrize("height", [740, 690])
def test_l02_the_circle_of_a_phone_lies_above_the_foot_with_a_hint_too(one: SoloPlayer, height: int) -> None:
    """L-02: a hint of the first round takes as much height as a lower phone has less."""
    one.practise(GAME)
    with seen_at(one.page, 360, height):
        settled(one.page)
        assert bounds(one.spot(3))[3] <= bounds(one.page.locator(".foot"))[1] + 1


def test_l07_on_a_phone_the_hand_that_is_asked_about_lies_above_the_question(one: SoloPlayer) -> None:
    one.practise(GAME, ACE, {1: 200, 3: 400})
    with seen_at(one.page, *PHONE):
        expect(one.key(re.compile("^Accetto per tutte"))).to_be_visible()
        settled(one.page)
        assert bounds(one.held(1).last)[3] <= bounds(one.page.locator(".foot"))[1] + 1
