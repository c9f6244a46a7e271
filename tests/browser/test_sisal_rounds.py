"""Rounds of Sisal Blackjack in a browser, criterion by criterion: deal, decisions, insurance, payouts, the past."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.support.browser import solo_browser
from tests.support.browser.live_house import LiveHouse
from tests.support.browser.solo_browser import SIX_TEN, Come, paying
from tests.support.browser.solo_player import SoloPlayer
from tests.support.browser.solo_table import closed, lines, named

GAME = "sisal"
one = solo_browser.one


def test_s17_the_deal_begins_at_the_right_and_ends_with_the_dealers_card_down(one: SoloPlayer) -> None:
    one.practise(GAME, "2D 3D 4D 5D 6D 7D 8D 9D", {1: 100, 3: 100, 5: 100})
    assert [one.cards(box) for box in (1, 3, 5)] == [named("2D 6D"), named("3D 7D"), named("4D 8D")]
    assert one.cards() == [*named("5D"), "Carta coperta"]
    places = [one.box(box).bounding_box() for box in (1, 3, 5)]
    assert [place["x"] for place in places if place] == sorted((place["x"] for place in places if place), reverse=True)


def test_s18_play_starts_at_the_right_and_moves_left(one: SoloPlayer) -> None:
    one.practise(GAME, "2D 3D 4D 5D 6D 7D 8D 9D", {1: 100, 3: 100, 5: 100})
    for seat in (1, 3, 5):
        expect(one.page.get_by_role("heading", name=re.compile(f"^Posto {seat}, "))).to_be_visible()
        one.acts("Stai")


def test_s19_stay_keeps_the_total_and_passes_on(one: SoloPlayer) -> None:
    one.practise(GAME, "9D 8C 6H TS 8S TC 5D", {1: 100, 3: 100}).acts("Stai")
    expect(one.box(1)).to_contain_text("Totale 19")
    expect(one.page.get_by_role("heading", name=re.compile("^Posto 3, 16"))).to_be_visible()


def test_s20_hit_gives_a_card_and_over_21_is_labelled_bust(one: SoloPlayer) -> None:
    one.practise(GAME, "5D 6H 6S TC 4D 9C", {3: 100}).acts("Carta")
    expect(one.box(3)).to_contain_text("15")
    expect(one.act("Stai")).to_be_enabled()
    one.acts("Carta")
    expect(one.box(3)).to_contain_text("Sballa 24")
    assert [line.returned for line in one.paid()] == [0]


def test_s21_double_only_as_the_first_action(one: SoloPlayer) -> None:
    one.practise(GAME, "5D 4C 6H 6S 3S TC KD 2C 5D", {1: 100, 3: 100}).acts("Raddoppia")
    expect(one.box(1)).to_contain_text("21")
    expect(one.page.get_by_role("heading", name=re.compile("^Posto 3, 7"))).to_be_visible()
    one.acts("Carta")
    assert closed(one.act("Raddoppia")) == "solo con le prime due carte"


def test_s22_split_a_pair_of_one_rank_once(one: SoloPlayer) -> None:
    one.practise(GAME, "KD 6H QS TC 5D", {3: 100})
    assert closed(one.act("Dividi")) == "servono due carte uguali"
    one.practise(GAME, "KD 6H KS TC 9D KC 5D", {3: 100, (3, "21+3"): 100}).acts("Dividi")
    expect(one.page.get_by_role("heading", name="Posto 3, 1 di 2")).to_be_visible()
    assert closed(one.act("Raddoppia")) == "niente raddoppio dopo una divisione"
    one.acts("Stai")
    assert closed(one.act("Dividi")) == "al massimo 2 mani"
    one.acts("Stai")
    assert [line.bet for line in one.paid()] == ["main", "split", "21+3"], "one side bet, for the seat as it was dealt"


def test_s23_split_aces_may_draw(one: SoloPlayer) -> None:
    one.practise(GAME, "AD 6H AS TC 3D 5C 4D KC 5D", {3: 100}).acts("Dividi", "Carta")
    assert one.cards(3)[:3] == named("AD 3D 4D")


def test_s24_no_peek_and_a_blackjack_takes_doubles_and_splits(one: SoloPlayer) -> None:
    one.practise(GAME, "5D TH 6S AC 9D", {3: 100})
    assert one.cards() == [*named("TH"), "Carta coperta"]
    one.acts("Raddoppia")
    assert [line.returned for line in one.paid()] == [0, 0]
    assert one.cards() == named("TH AC")


def test_s25_insurance_costs_half_and_pays_two_to_one_on_the_first_stake_alone(one: SoloPlayer) -> None:
    one.practise(GAME, "5D AH 6S TC 9D", {3: 200}).presses("^Accetto posto 3, €.1").acts("Raddoppia")
    assert [(line.bet, line.stake, line.returned) for line in one.paid()] == [
        *(("main", 200, 0), ("double", 200, 0), ("insurance", 100, 300))
    ]


def test_s26_four_keys_answer_for_one_seat_or_for_all(one: SoloPlayer) -> None:
    cards, bets = "9D 8H AS TC TD 7H 2C", {1: 100, 3: 100}
    one.practise(GAME, cards, bets)
    marks = {"Accetto posto 1": "rgb(28, 122, 68)", "Accetto per tutte": "rgb(28, 122, 68)"}
    marks |= {"Rifiuto posto 1": "rgb(179, 32, 42)", "Rifiuto per tutte": "rgb(179, 32, 42)"}
    for name, colour in marks.items():
        mark = one.key(re.compile(f"^{name}")).locator(".mark")
        assert mark.evaluate("one => getComputedStyle(one).backgroundColor") == colour
        assert mark.evaluate("one => getComputedStyle(one).color") == "rgb(255, 255, 255)"
    one.presses("^Accetto posto 1")
    expect(one.key(re.compile("^Accetto posto 3"))).to_be_visible()
    one.presses("^Rifiuto posto 3")
    expect(one.page.get_by_text(re.compile("^Assicurato"))).to_have_count(1)
    for answer, insured in (("^Accetto per tutte", 2), ("^Rifiuto per tutte", 0)):
        one.practise(GAME, cards, bets).presses(answer)
        expect(one.act("Stai")).to_be_visible()
        expect(one.page.get_by_text(re.compile("^Assicurato"))).to_have_count(insured)


def test_s27_a_pair_is_paid_in_total_if_the_seat_stands_and_a_card_forfeits_it(one: SoloPlayer) -> None:
    pairs = {(box, "perfect-pairs"): 100 for box in (1, 2, 3)}
    one.practise(GAME, "9D 8D KC 6H 9D 8H KD TC 5D", {1: 100, 2: 100, 3: 100, **pairs})
    for seat, amount in ((1, 25), (2, 12), (3, 5)):
        expect(one.page.get_by_role("heading", name=re.compile(f"^Posto {seat}, "))).to_be_visible()
        one.sees(f"Chiedendo carta perdi la coppia (€ {amount}).")
        one.acts("Stai")
    assert [line.returned for line in one.paid() if line.bet == "perfect-pairs"] == [2500, 1200, 500]
    one.practise(GAME, "2D 6H 2D TC 9D 5D", {3: 100, (3, "perfect-pairs"): 100}).acts("Carta", "Stai")
    assert [line.returned for line in one.paid() if line.bet == "perfect-pairs"] == [0]


def test_s28_the_dealer_pair_is_decided_by_the_hole_card_which_is_always_turned(one: SoloPlayer) -> None:
    one.practise(GAME, "9D 6H 8S 6D TC", {3: 100, (0, "dealer-pair"): 100}).acts("Carta")
    expect(one.box(3)).to_contain_text("Sballa 27")
    assert [line.returned for line in one.paid() if line.bet == "dealer-pair"] == [1200]
    assert one.cards() == named("6H 6D")


def test_s29_21_plus_3_pays_flush_trips_and_suited_trips_and_no_straights(one: SoloPlayer) -> None:
    bets = {(box, "21+3"): 100 for box in range(1, 6)}
    one.practise(GAME, "7H 5H 7S 8C 2H 7H 7H 6H 7D 9D KH TC", {**dict.fromkeys(range(1, 6), 100), **bets})
    for box, told in ((1, "Tris dello stesso seme"), (2, "Colore"), (3, "Tris"), (5, "Colore")):
        expect(one.box(box)).to_contain_text(told)
    for _ in range(5):
        one.does("stand")
    assert [line.returned for line in one.paid() if line.bet == "21+3"] == [10000, 500, 3000, 0, 500]


def test_s30_the_dealer_draws_below_17_and_stands_on_soft_17(one: SoloPlayer) -> None:
    one.practise(GAME, SIX_TEN, {3: 100}).acts("Stai")
    assert one.paid()
    assert one.cards() == named("6H TC 5D")
    one.practise(GAME, "9D 6H TS AC 5D", {3: 100}).acts("Stai")
    assert one.paid()
    assert one.cards() == named("6H AC")


def test_s31_payouts_are_told_as_all_that_comes_back(one: SoloPlayer) -> None:
    one.practise(GAME, "AD 9D 8C 6H KS KD 9C TC AC", {1: 200, 2: 200, 3: 200})
    one.sees(re.compile("Blackjack paga 2,5 volte", re.I))
    one.acts("Stai", "Stai")
    assert [line[2] for line in lines(one)] == ["€ 5,00", "€ 4,00", "€ 2,00"], "Blackjack, a win, a tie"


def test_s32_only_usable_keys_are_open(one: SoloPlayer) -> None:
    one.practise(GAME, "KD 6H QS TC 5D")
    for name in ("Inizia", "Annulla", "Cancella"):
        assert closed(one.key(name))
    assert one.page.get_by_role("group", name="La tua decisione").count() == 0
    one.spot(3).click()
    for name in ("Inizia", "Annulla", "Cancella"):
        expect(one.key(name)).to_be_enabled()
    one.key("Inizia").click()
    expect(one.act("Stai")).to_be_enabled()
    assert closed(one.act("Dividi"))


def test_s33_the_past_of_the_game_is_told_in_cents(alone: Come) -> None:
    """S-33: in the list and in the round itself."""
    one = paying(alone, GAME).play(GAME, "AD 6H KS TC 5D", {3: 250})
    assert one.paid()
    line = one.past()[0]
    assert "Sisal Blackjack" in line
    assert "625 cent" in line
    assert "250 cent" in line
    one.page.get_by_role("region", name="Storico").get_by_role("link").first.click()
    expect(one.page.locator("article header")).to_contain_text("625 cent")


def test_s34_the_published_returns_are_told(one: SoloPlayer) -> None:
    rows = one.practise(GAME).help("Ritorno")
    told = [rows[bet] for bet in ("Puntata principale", "21+3", "Coppia del giocatore", "Coppia del banco")]
    assert told == ["99,46 %", "48,40 %", "84,58 %", "84,58 %"]


def test_s35_a_malfunction_voids_the_round(alone: Come, den: LiveHouse) -> None:
    one = paying(alone, GAME).play(GAME, SIX_TEN, {3: 500, (3, "21+3"): 100})
    expect(one.act("Stai")).to_be_visible()
    den.void(one.table, "guasto")
    one.told(re.compile("Mano annullata.*6,00"))
    one.sees("€\u00a01.000,00")
