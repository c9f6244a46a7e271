"""First Person Blackjack in a browser, criterion by criterion: chosen cards, and money where it counts."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.support.browser import solo_browser
from tests.support.browser.live_house import LiveHouse
from tests.support.browser.solo_browser import SIX_TEN, Come, paying
from tests.support.browser.solo_player import SoloPlayer
from tests.support.browser.solo_table import closed, lines, named

GAME = "first-person"
one = solo_browser.one


def test_f01_one_player_eight_decks_shuffled_before_every_round(alone: Come) -> None:
    one = paying(alone, GAME).play(GAME, SIX_TEN)
    one.sees(re.compile("^8 mazzi"))
    expect(one.page.get_by_role("button", name=re.compile("Siediti"))).to_have_count(0)
    for _ in range(2):
        expect(one.page.get_by_role("img", name="Sabot: 416 carte")).to_be_visible()
        one.bet({3: 100})
        one.key("Distribuisci").click()
        expect(one.page.get_by_role("img", name="Sabot: 412 carte")).to_be_visible()
        one.acts("Stai").key("Nuova puntata").click()


def test_f02_the_rule_sheet_ten_values_split_once_and_no_double_after(one: SoloPlayer) -> None:
    one.practise(GAME, "KD 6H QS TC 9D QC 5D", {3: 500})
    expect(one.act("Raddoppia")).to_contain_text("+ € 5")
    one.acts("Dividi")
    expect(one.page.get_by_role("heading", name="Mano 3, 1 di 2")).to_be_visible()
    assert closed(one.act("Raddoppia")) == "niente raddoppio dopo una divisione"
    one.acts("Stai")
    assert closed(one.act("Dividi")) == "al massimo 2 mani"
    one.acts("Stai")
    assert one.cards() == named("6H TC 5D"), "the dealer draws to 16"


def test_f03_five_hands_any_of_them_with_any_amount(one: SoloPlayer) -> None:
    one.practise(GAME, "9D 8C 6H TS 9S TC 5D 6S")
    for box in range(1, 6):
        expect(one.spot(box)).to_be_enabled()
    one.chip(500).spot(2).click()
    one.chip(1000).spot(4).click()
    one.key("Distribuisci").click()
    expect(one.held(2)).to_have_accessible_name(re.compile("€\u00a05"))
    expect(one.held(4)).to_have_accessible_name(re.compile("€\u00a010"))
    assert [len(one.cards(box)) for box in range(1, 6)] == [0, 2, 0, 2, 0]


def test_f04_deal_waits_for_a_bet_and_no_clock_runs(one: SoloPlayer) -> None:
    one.practise(GAME, SIX_TEN)
    assert closed(one.key("Distribuisci"))
    one.spot(3).click()
    one.sees("In tutto € 1,00")
    one.key("Distribuisci").click()
    one.sees("Senza fretta")
    assert one.page.get_by_role("timer").count() == 0


def test_f05_cards_go_clockwise_from_the_shoe_the_dealer_last_and_down(one: SoloPlayer) -> None:
    one.practise(GAME, "2D 3D 4D 5D 6D 7D 8D 9D", {1: 100, 3: 100, 5: 100})
    assert [one.cards(box) for box in (1, 3, 5)] == [named("2D 6D"), named("3D 7D"), named("4D 8D")]
    assert one.cards() == [*named("5D"), "Carta coperta"]
    right, middle = one.box(1).bounding_box(), one.box(3).bounding_box()
    assert right
    assert middle
    assert right["x"] > middle["x"], "the first hand is nearest the shoe, at the right"


def test_f06_the_value_stands_beside_each_hand(one: SoloPlayer) -> None:
    one.practise(GAME, "AD 9D 6H 6S 7S TC 3D", {1: 100, 3: 100})
    expect(one.box(1)).to_contain_text("7/17")
    expect(one.box(3)).to_contain_text("16")
    one.acts("Carta")
    expect(one.box(1)).to_contain_text("10/20")


def test_f07_insurance_under_an_ace_alone_then_the_peek_and_none_under_a_ten(one: SoloPlayer) -> None:
    one.practise(GAME, "9D KD AH 9S AS KC 5D", {1: 200, 3: 200})
    for name in ("Accetto mano 1, € 1", "Accetto per tutte", "Rifiuto mano 1", "Rifiuto per tutte"):
        expect(one.key(re.compile(f"^{name}"))).to_be_visible()
    one.presses("^Rifiuto mano 1").presses("^Accetto mano 3, € 1")
    expect(one.key("Il conto")).to_be_visible()
    assert one.cards() == named("AH KC"), "the hole card is looked at, and the round is over"
    assert lines(one) == [
        ("Mano 1, Puntata principale", "€ 2,00 × 0", "€ 0,00", "F-07"),
        ("Mano 3, Puntata principale", "€ 2,00", "€ 2,00", "F-02"),
        ("Mano 3, Assicurazione", "€ 1,00 + 2 × € 1,00", "€ 3,00", "F-07"),
    ]
    one.practise(GAME, "9D TH 9S AC 5D", {3: 200})
    expect(one.act("Stai")).to_be_visible()
    assert one.key(re.compile("^Accetto")).count() == 0
    assert one.cards()[1] == "Carta coperta"


def test_f08_hands_are_asked_one_after_the_other(one: SoloPlayer) -> None:
    one.practise(GAME, "9D 5C 6H TS 6S TC 4D 5D", {1: 100, 3: 100})
    expect(one.page.get_by_role("heading", name="Mano 1, 19 contro 6")).to_be_visible()
    for name in ("Carta", "Stai", "Raddoppia", "Dividi"):
        expect(one.act(name)).to_be_visible()
    one.acts("Stai")
    expect(one.page.get_by_role("heading", name="Mano 3, 11 contro 6")).to_be_visible()
    one.acts("Raddoppia")
    expect(one.box(3)).to_contain_text("15")
    expect(one.key("Il conto")).to_be_visible()


def test_f09_cash_out_ends_the_hand_for_the_amount_on_its_key(one: SoloPlayer) -> None:
    one.practise(GAME, SIX_TEN, {3: 1000})
    expect(one.act("Incassa")).to_contain_text("€\u00a014,70 subito")
    one.acts("Incassa")
    assert lines(one) == [("Mano 3, Puntata principale", "147/100 × € 10,00", "€ 14,70", "F-09")]
    expect(one.box(3)).to_contain_text("Incassata")


@pytest.mark.parametrize(
    ("cards", "amount"), [("TD TH 6S TC", "4,00"), ("TD 8H KS TC", "17,70"), ("AD 6H 7S TC", "13,60")]
)
def test_f10_the_offer_follows_total_and_upcard(one: SoloPlayer, cards: str, amount: str) -> None:
    one.practise(GAME, cards, {3: 1000})
    expect(one.act("Incassa")).to_contain_text(f"€\u00a0{amount} subito")


def test_f11_cash_out_leaves_side_bets_and_insurance_alone(one: SoloPlayer) -> None:
    one.practise(GAME, "9D AH 9D 9C 5D", {3: 1000, (3, "perfect-pairs"): 100})
    one.presses("^Accetto").acts("Incassa")
    assert [line[0] for line in lines(one)] == [
        *("Mano 3, Puntata principale", "Mano 3, Assicurazione", "Mano 3, Coppie Perfette")
    ]
    assert [(line.bet, line.returned) for line in one.paid()] == [
        *(("main", 880), ("insurance", 0), ("perfect-pairs", 2600))
    ]


def test_f12_a_setting_hides_cash_out(one: SoloPlayer) -> None:
    """F-12: the offer goes from the panel, the other decisions stay; it comes back as it went."""
    one.practise(GAME, SIX_TEN, {3: 100})
    expect(one.act("Incassa")).to_be_visible()
    for shown in (0, 1):
        one.key("Impostazioni").click()
        window = one.page.get_by_role("dialog")
        window.get_by_role("tab", name="Gioco").click()
        window.get_by_role("switch", name="Mostra l’incasso anticipato").click()
        window.get_by_role("button", name="Salva").click()
        expect(one.act("Incassa")).to_have_count(shown)
        one.page.keyboard.press("Escape")
        expect(one.act("Stai")).to_be_visible()


def test_f13_the_return_of_always_cashing_out_is_told_beside_the_best(one: SoloPlayer) -> None:
    rows = one.practise(GAME).help("Ritorno")
    assert rows["Incassando sempre"] == "96,80 %"
    assert rows["Puntata principale"] == "99,29 %"


def test_f14_a_side_bet_needs_the_main_bet_and_lives_without_its_luck(one: SoloPlayer) -> None:
    one.practise(GAME, "9D 6H 9S TC 5D")
    assert closed(one.spot(3, "perfect-pairs")) == "Coppie Perfette: prima serve la puntata principale."
    one.spot(3).click()
    one.spot(3, "perfect-pairs").click()
    one.sees("In tutto € 2,00")
    one.key("Distribuisci").click()
    one.acts("Stai")
    assert [(line.bet, line.returned) for line in one.paid()] == [("main", 0), ("perfect-pairs", 700)]
    expect(one.box(3)).to_contain_text("Coppia mista")


def test_f15_perfect_pairs_pay_25_12_and_6_to_one(one: SoloPlayer) -> None:
    pairs = {(box, "perfect-pairs"): 100 for box in (1, 2, 3)}
    one.practise(GAME, "9D 8D KC 6H 9D 8H KD TC", {1: 100, 2: 100, 3: 100, **pairs})
    for box, (name, gain) in enumerate((("perfetta", 25), ("colorata", 12), ("mista", 6)), 1):
        expect(one.box(box)).to_contain_text(f"Coppia {name}+\u00a0€\u00a0{gain}")


def test_f16_21_plus_3_has_five_categories(one: SoloPlayer) -> None:
    bets = {(box, "21+3"): 100 for box in range(1, 6)}
    main = dict.fromkeys(range(1, 6), 100)
    one.practise(GAME, "7H 5H 7S 8C 2H 7H 7H 6H 7D 9D KH TC", {**main, **bets})
    told = ["Tris perfetto", "Scala colore", "Tris", "Scala", "Colore"]
    for box, (name, gain) in enumerate(zip(told, (100, 40, 30, 10, 5), strict=True), 1):
        expect(one.box(box)).to_contain_text(f"{name}+\u00a0€\u00a0{gain}")


def test_f17_a_split_21_is_no_blackjack(one: SoloPlayer) -> None:
    one.practise(GAME, "AD 6H AS TC KD QC 5D", {3: 500}).acts("Dividi")
    assert one.paid()
    assert one.box(3).get_by_text("Blackjack").count() == 0
    assert [line.returned for line in one.paid()] == [500, 500], "21 each against the dealer's 21: even"


def test_f18_the_published_returns_are_told(one: SoloPlayer) -> None:
    rows = one.practise(GAME).help("Ritorno")
    assert [rows[bet] for bet in ("Puntata principale", "Coppie Perfette", "21+3")] == ["99,29 %", "95,90 %", "96,30 %"]


def test_f19_a_malfunction_voids_the_round_and_the_stake_is_back(alone: Come, den: LiveHouse) -> None:
    one = paying(alone, GAME).play(GAME, SIX_TEN, {3: 500})
    expect(one.act("Stai")).to_be_visible()
    den.void(one.table, "guasto")
    one.told("annullata")
    expect(one.act("Stai")).to_have_count(0)
    one.sees("€\u00a01.000,00")
