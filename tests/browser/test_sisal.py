"""Sisal Blackjack in a browser, criterion by criterion: the table, its circles and its keys. Its rounds are apart."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.support.browser import solo_browser
from tests.support.browser.live_seat import plain
from tests.support.browser.solo_browser import DESK, PHONE, SIX_TEN, Come, paying, seen_at
from tests.support.browser.solo_player import SoloPlayer
from tests.support.browser.solo_table import closed

GAME = "sisal"
one = solo_browser.one


def test_s01_eight_decks_shuffled_at_the_start_of_every_round(alone: Come) -> None:
    one = paying(alone, GAME).play(GAME, SIX_TEN)
    one.sees(re.compile("^8 mazzi"))
    for _ in range(2):
        expect(one.page.get_by_role("img", name="Sabot: 416 carte")).to_be_visible()
        one.bet({3: 100})
        one.key("Inizia").click()
        one.acts("Stai").key("Nuova puntata").click()


def test_s02_chips_are_printed_in_cents(one: SoloPlayer) -> None:
    one.practise(GAME)
    chips = one.page.get_by_role("radiogroup", name="Fiche")
    assert re.findall(r"\d+", chips.inner_text()) == ["10", "50", "100", "500", "1000", "5000"]
    expect(chips.get_by_role("radio", name="Fiche da € 1", exact=True)).to_contain_text("100")


def test_s03_five_seats_with_three_circles_and_one_dealer_pair(one: SoloPlayer) -> None:
    one.practise(GAME)
    for box in range(1, 6):
        for bet, word in (("main", "Tocca per giocare"), ("perfect-pairs", "Coppia"), ("21+3", "21+3")):
            expect(one.spot(box, bet)).to_contain_text(word)
    expect(one.page.get_by_role("button", name=re.compile("^Coppia del banco"))).to_have_count(1)


def test_s04_each_circle_in_cents_and_each_seat_in_euro(one: SoloPlayer) -> None:
    """S-04: of every bet below its circle, of all of them in the box of the seat."""
    one.practise(GAME).bet({3: 550, (3, "21+3"): 100})
    expect(one.spot(3)).to_contain_text("550")
    expect(one.spot(3, "21+3")).to_contain_text("100")
    one.sees("Posto 3 € 6,50")
    one.sees("Posto 2 € 0,00")


def test_s05_credits_at_the_bottom_right_in_italian_figures(one: SoloPlayer) -> None:
    """S-05: with the separators of Italian, in the corner."""
    one.practise(GAME)
    credit = one.page.locator("dl div").filter(has=one.page.get_by_text("Crediti", exact=True))
    assert plain(credit.locator("dd").inner_text()) == "€ 1.000,00"
    place = credit.bounding_box()
    assert place
    assert place["x"] + place["width"] > 1280 - 40
    assert place["y"] + place["height"] > 800 - 40


def test_s06_pay_tables_and_volume_at_the_top_left_and_i_opens_the_help(one: SoloPlayer) -> None:
    one.practise(GAME)
    for name in ("Coppia del giocatore, ritorno totale", "21+3, ritorno totale"):
        place = one.page.get_by_role("heading", name=name).bounding_box()
        assert place
        assert place["x"] < 240
        assert place["y"] < 300
    level = one.page.get_by_role("group", name="Audio").get_by_role("status")
    before = int(re.findall(r"\d+", level.inner_text())[0])
    one.key("Abbassa il volume").click()
    expect(level).to_have_text(f"Volume {before - 10} %")
    one.page.keyboard.press("+")
    expect(level).to_have_text(f"Volume {before} %")
    one.key("Aiuto (tasto i)").click()
    expect(one.page.get_by_role("dialog", name="Aiuto")).to_be_visible()
    one.page.keyboard.press("Escape")
    one.page.keyboard.press("i")
    expect(one.page.get_by_role("dialog", name="Aiuto")).to_be_visible()
    one.page.keyboard.press("Escape")


def test_s07_the_ace_takes_its_best_value(one: SoloPlayer) -> None:
    one.practise(GAME, "AD 6H 5S TC 9D 4C 5D", {3: 100})
    expect(one.box(3)).to_contain_text("6/16")
    one.acts("Carta")
    expect(one.box(3)).to_contain_text("Totale 15")


def test_s08_side_circles_wake_with_the_standard_bet(one: SoloPlayer) -> None:
    one.practise(GAME)
    for box, bet in ((3, "perfect-pairs"), (3, "21+3"), (0, "dealer-pair")):
        assert "prima serve la puntata principale" in closed(one.spot(box, bet))
    one.spot(3).click()
    for box, bet in ((3, "perfect-pairs"), (3, "21+3"), (0, "dealer-pair")):
        expect(one.spot(box, bet)).to_be_enabled()
    assert closed(one.spot(2, "21+3")), "another seat has no bet"


def test_s09_the_least_and_the_most_are_printed_on_the_table(one: SoloPlayer) -> None:
    one.practise(GAME)
    for size in (PHONE, DESK):
        with seen_at(one.page, *size):
            one.sees(re.compile("Minimo 100 · Massimo 50000"))


def test_s10_all_stakes_of_a_round_stay_within_the_legal_limit_later_ones_too(one: SoloPlayer) -> None:
    rounds = "AS 6H KS TC" + " 8D 9D 7D 6H 8S 9S 7S TC 5D"
    one.practise(GAME, rounds, {3: 50_000})
    one.sees("In tutto non oltre € 1.000")
    one.bet({1: 50_000, 2: 42_000}).chip(5000).spot(3).click()
    one.sees("In tutto € 970,00")
    one.spot(3).click()
    one.told("In una mano si puntano al massimo € 1.000,00 in tutto: con questa sarebbero € 1.020,00.")
    for total in ("980,00", "990,00", "1.000,00"):
        one.chip(1000).spot(3).click()
        one.sees(f"In tutto € {total}")
    one.sees("€\u00a0750,00")
    assert closed(one.spot(1)).startswith("Limite raggiunto")
    for box, bet in ((4, "main"), (3, "21+3"), (0, "dealer-pair")):
        assert plain(closed(one.spot(box, bet))).startswith("In una mano si puntano al massimo € 1.000,00 in tutto")
    one.key("Inizia").click()
    for name in ("Raddoppia", "Dividi"):
        assert "1.000" in closed(one.act(name)), "the legal limit is the reason"


def test_s11_no_bet_above_the_credit(alone: Come) -> None:
    one = paying(alone, GAME).play(GAME, money=250)
    for value in ("5", "10", "50"):
        expect(one.page.get_by_role("radio", name=f"Fiche da € {value}: il saldo non basta")).to_be_visible()
    one.chip(100)
    for total in (1, 2):
        one.spot(3).click()
        one.sees(f"In tutto € {total},00")
    expect(one.page.get_by_role("radio", name="Fiche da € 1: il saldo non basta")).to_be_visible()


def test_s12_chips_of_different_value_add_up_on_a_circle(one: SoloPlayer) -> None:
    one.practise(GAME)
    for value, total in ((100, "100"), (500, "600"), (50, "650")):
        one.chip(value).spot(3).click()
        expect(one.spot(3)).to_contain_text(total)


def test_s13_delete_clears_all_bets(one: SoloPlayer) -> None:
    one.practise(GAME).bet({3: 100, 1: 100, (3, "21+3"): 100, (0, "dealer-pair"): 100})
    one.sees("In tutto € 4,00")
    one.key("Cancella").click()
    one.sees("Scegli una fiche, tocca un cerchio.")


def test_s14_the_clear_chip_is_first_and_empties_a_side_circle_or_the_whole_seat(one: SoloPlayer) -> None:
    one.practise(GAME).bet({3: 100, (3, "perfect-pairs"): 100, (3, "21+3"): 100, 1: 100})
    erase, first = one.key("Togli"), one.page.get_by_role("radio").first
    places = erase.bounding_box(), first.bounding_box()
    assert places[0]
    assert places[1]
    assert places[0]["x"] < places[1]["x"]
    erase.click()
    expect(erase).to_have_attribute("aria-pressed", "true")
    one.spot(3, "21+3").click()
    one.sees("Posto 3 € 2,00")
    one.spot(3).click()
    one.sees("Posto 3 € 0,00")
    one.sees("Posto 1 € 1,00")
    one.bet({1: 49_900, 2: 50_000})
    one.sees("In tutto € 1.000,00")
    one.spot(1).click()
    one.sees("Posto 1 € 0,00")


def test_s15_start_becomes_repeat_and_is_start_again_with_a_bet_by_hand(one: SoloPlayer) -> None:
    one.practise(GAME, f"{SIX_TEN} " * 3, {3: 100}).does("stand").key("Nuova puntata").click()
    repeat = one.key(re.compile("^Ripeti"))
    expect(repeat).to_have_count(1)
    expect(one.key("Inizia")).to_have_count(0)
    one.spot(1).click()
    expect(one.key("Inizia")).to_be_enabled()
    expect(repeat).to_have_count(0)
    one.key("Cancella").click()
    repeat.click()
    expect(one.held(3)).to_have_accessible_name(re.compile("€.1$"))
    expect(one.act("Stai")).to_be_visible()


def test_s16_bets_are_locked_after_start(one: SoloPlayer) -> None:
    one.practise(GAME, SIX_TEN)
    one.spot(3).click()
    one.key("Inizia").click()
    expect(one.held(3)).to_be_visible()
    expect(one.page.get_by_role("button", name=re.compile("^Puntata principale, posto"))).to_have_count(0)
    for name in ("Annulla", "Cancella"):
        assert closed(one.key(name)) == "Niente più puntate: si riapre alla prossima mano."
