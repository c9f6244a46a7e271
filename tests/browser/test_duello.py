"""21 Duello in a browser, criterion by criterion: practice tables with chosen cards, or money where it counts."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.browser import solo_browser
from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import plain
from tests.support.browser.picture_house import settled
from tests.support.browser.places import bounds
from tests.support.browser.places import overlap as shared
from tests.support.browser.screens import faults, sized
from tests.support.browser.solo_browser import DESK, PHONE, Come, paying, seen_at, untidy
from tests.support.browser.solo_player import SoloPlayer
from tests.support.browser.solo_table import closed, lines, named
from ventuno.core.messages.commands import TakeMoney

GAME = "duello"
one = solo_browser.one
NINETEEN = "8S 9D KC 8D 6H QC"
"""An eight, a king and another eight in the middle, a six hidden; the dealer has nine and king."""
THREE = {1: 100, 2: 100, 3: 100}


def test_d01_six_decks_shuffled_after_every_round_and_all_21s_are_equal(alone: Come) -> None:
    one = paying(alone, GAME).play(GAME, "AS AD KC QD 6H 5C")
    one.sees(re.compile("^6 mazzi"))
    one.sees(re.compile("Tutti i 21 sono pari"))
    for _ in range(2):
        expect(one.page.get_by_role("img", name="Sabot: 312 carte")).to_be_visible()
        one.bet({2: 100})
        one.key("Distribuisci").click()
        one.presses("^Carta sinistra")
        assert [line.returned for line in one.paid()] == [100, 100], "two 21s of two cards: even"
        one.key("Nuova puntata").click()


def test_d02_a_click_adds_the_chip_to_the_ante_and_a_right_click_takes_one_off(one: SoloPlayer) -> None:
    one.practise(GAME).chip(500)
    ante = one.spot(2, "ante")
    for amount in (5, 10):
        ante.click()
        expect(ante).to_have_accessible_name(re.compile(rf"mano 2: €\u00a0{amount}$"))
    ante.click(button="right")
    expect(ante).to_have_accessible_name(re.compile("mano 2: €\u00a05$"))


def test_d03_what_going_on_will_cost_is_said_before_the_deal_and_at_the_choice(alone: Come) -> None:
    one = paying(alone, GAME).play(GAME, NINETEEN, money=150)
    one.spot(2, "ante").click()
    one.told("Servono € 2,00, di cui € 1,00 per il rilancio; al tavolo hai € 1,50. Aggiungi denaro per continuare.")
    assert closed(one.key("Distribuisci")) == "Non c’è ancora nessuna puntata."
    other = paying(alone, GAME).play(GAME, NINETEEN, {2: 100}, money=250)
    expect(other.key(re.compile("^Carta sinistra"))).to_contain_text("+\u00a0€\u00a01,00")
    other.house.ask(other.table, TakeMoney(other.player, 100, 0), other.player)
    for name in ("^Carta sinistra", "^Carta destra", "^Prendi Re"):
        expect(other.key(re.compile(name))).to_have_attribute("aria-disabled", "true")
    expect(other.key(re.compile("^Carta sinistra"))).to_contain_text("il rilancio costa €\u00a01,00, hai €\u00a00,50")
    expect(other.key("Aggiungi denaro")).to_be_enabled()
    other.presses("^Passa")
    assert [line.returned for line in other.paid()] == [0]


def test_d04_two_up_takes_a_fifth_of_the_most(one: SoloPlayer) -> None:
    one.practise(GAME).chip(10000)
    one.spot(2, "ante").click()
    one.spot(2, "2-up").click()
    expect(one.spot(2, "2-up")).to_have_accessible_name(re.compile("€\u00a0100"))
    assert plain(closed(one.spot(2, "2-up"))) == "Limite raggiunto: 2 UP al massimo € 100,00."
    assert one.limits()["2 UP"] == "€ 1 – 100"
    assert one.limits()["Ante"] == "€ 1 – 500"


def test_d05_limits_follow_the_level_of_the_player_and_are_printed(alone: Come) -> None:
    one = alone("Socio")
    one.level(1)
    one.play(GAME)
    assert one.limits() == {"Ante": "€ 1 – 1.000", "2 UP": "€ 1 – 200"}


def test_d06_one_card_up_one_down_the_dealer_two_down_two_in_the_middle(one: SoloPlayer) -> None:
    one.practise(GAME, NINETEEN)
    one.spot(2, "ante").click()
    one.key("Distribuisci").click()
    expect(one.key("Prendi Re di fiori per € 1,00")).to_be_visible()
    assert one.cards(2) == ["8 di picche", "Carta coperta"]
    assert one.cards() == ["Carta coperta", "Carta coperta"]


@pytest.mark.parametrize(
    ("key", "card"),
    [("^Carta sinistra", "KC"), ("^Carta destra", "8D"), ("^Prendi Re", "KC"), ("^Prendi 8", "8D")],
)
def test_d07_left_or_right_by_key_or_on_the_card_places_the_raise(one: SoloPlayer, key: str, card: str) -> None:
    one.practise(GAME, NINETEEN, {2: 500}).presses(key)
    assert one.cards(2) == [*named(f"8S {card}"), "Carta coperta"]
    expect(one.box(2)).to_contain_text(re.compile("Rilancio.*€\u00a05"))
    one.sees("€\u00a09.990,00")


def test_d07_fold_loses_the_ante_and_two_up_is_still_paid(one: SoloPlayer) -> None:
    one.practise(GAME, NINETEEN, {2: 500, (2, "2-up"): 100}).presses("^Passa, perdi l’ante di €.5,00")
    assert [line[0:3:2] for line in lines(one)] == [("Mano 2, Ante", "€ 0,00"), ("Mano 2, 2 UP", "€ 4,00")]


def test_d07_on_a_phone_folding_says_what_it_costs_and_each_card_its_total(one: SoloPlayer) -> None:
    """D-07: folding costs the ante and is never called free; LEFT and RIGHT carry the total they would give."""
    one.practise(GAME, NINETEEN, {2: 500})
    for side, total in (("sinistra", 18), ("destra", 16)):
        expect(one.key(re.compile(f"^Carta {side}"))).to_contain_text(f"con questa carta {total}")
    with seen_at(one.page, *PHONE):
        expect(one.act("Passa")).to_contain_text("perdi €\u00a05,00")
        expect(one.page.get_by_text("senza costo")).to_have_count(0)
        expect(one.act("Carta sinistra")).to_contain_text("con questa carta 18")
        expect(one.act("Carta destra")).to_contain_text("con questa carta 16")
    one.presses("^Passa")
    expect(one.box(2)).to_contain_text("Passata")
    assert one.cards() == named("9D QC"), "the round is over: he turns his cards (reading 32)"
    expect(one.page.get_by_role("group", name="Carte comuni")).not_to_contain_text("Banco")


def test_d08_the_words_of_the_table_name_only_decisions_of_this_game(one: SoloPlayer) -> None:
    one.practise(GAME, NINETEEN, {2: 500})
    told = one.page.get_by_role("group", name="Il tavolo in parole")
    expect(told).to_contain_text(re.compile("Passa.*Carta sinistra.*Carta destra", re.S))
    for stranger in ("Raddoppia", "Dividi", "Incassa", "Abbandona"):
        expect(told).not_to_contain_text(stranger)


def test_d06_a_low_phone_has_a_table_with_room_for_each_part(one: SoloPlayer) -> None:
    """740 x 360: an arc with the dealer over it; hands, community cards and the dealer's lie apart from each other."""
    one.practise(GAME, "2S 3S 4S 9D TC 8D 5H 6H 7H QC", {1: 100, 2: 100, 3: 100, (2, "2-up"): 100})
    with seen_at(one.page, 740, 360):
        expect(one.page.locator("main .arc svg.felt")).to_be_visible()
        parts = [one.dealer.get_by_role("list"), one.page.get_by_role("group", name="Carte comuni")]
        places: list[Any] = [part.bounding_box() for part in (*parts, *map(one.box, (1, 2, 3)))]
        foot: Any = one.act("Passa").bounding_box()
        for at, place in enumerate(places):
            assert bottom(place) <= foot["y"] + 2, (at, place, foot)
            assert [other for other in places[at + 1 :] if overlap(place, other)] == [], place


def bottom(place: Any) -> float:
    return float(place["y"] + place["height"])


def overlap(one: Any, other: Any) -> bool:
    """Whether two places share more than a line."""
    return all(
        one[at] + 1 < other[at] + other[size] and other[at] + 1 < one[at] + one[size]
        for at, size in (("x", "width"), ("y", "height"))
    )


def test_d08_the_total_is_shown_hit_turns_the_hidden_card_and_a_bust_loses_both(one: SoloPlayer) -> None:
    one.practise(GAME, NINETEEN, {2: 500}).presses("^Carta sinistra")
    expect(one.page.get_by_role("heading", name="Mano 2: 18")).to_be_visible()
    one.sees("una coperta: CARTA la gira, STAI la scarta")
    one.acts("Carta")
    assert one.cards(2) == named("8S KC 6H")
    expect(one.box(2)).to_contain_text("Sballa 24")
    assert [line.returned for line in one.paid()] == [0, 0]
    assert one.cards() == named("9D QC"), "nothing depends on the dealer any more: he only turns his cards (reading 32)"


def test_d09_21_of_two_cards_stands_by_itself(one: SoloPlayer) -> None:
    one.practise(GAME, "AS 9D KC 8D 6H QC", {2: 100}).presses("^Carta sinistra")
    expect(one.box(2)).to_contain_text("21")
    assert [line.returned for line in one.paid()] == [200, 200]


def test_d10_the_house_way_is_shown_and_explained(one: SoloPlayer) -> None:
    one.practise(GAME).key("Come sceglie il banco").click()
    window = one.page.get_by_role("dialog")
    rows = [row.locator("b").inner_text() for row in window.get_by_role("listitem").all()]
    assert rows[:9] == ["21", "20", "19", "11", "10", "9", "18", "17", "16 morbido"]
    assert rows[13:] == ["8", "7", "6", "5", "12", "13", "14", "15", "16", "4"]
    cards = [row.locator(".pairs").inner_text() for row in window.get_by_role("listitem").all()]
    assert cards[:4] == ["A-10", "A-9, 10-10", "A-8, 10-9", "9-2, 8-3, 7-4, 6-5"], "as the regulation composes them"
    expect(window).to_contain_text("prende la carta comune che fa la prima mano di questo elenco")
    one.page.keyboard.press("Escape")


def test_d11_two_and_ten_with_an_eight_the_dealer_takes_the_two(one: SoloPlayer) -> None:
    one.practise(GAME, "TS 8D 2C TD 6H 5C", {2: 100}).presses("^Carta destra").acts("Stai")
    assert one.paid()
    assert one.cards() == named("8D 2C 5C")
    expect(one.page.get_by_role("group", name="Carte comuni")).to_contain_text(re.compile("Banco.*Mano 2", re.S))


def test_d12_the_dealer_takes_one_card_to_16_and_none_from_17(one: SoloPlayer) -> None:
    one.practise(GAME, "TS 8D 8C TD 6H 5C", {2: 100}).presses("^Carta destra").acts("Stai")
    assert one.paid()
    assert one.cards() == [*named("8D TD"), "Carta coperta"]
    one.practise(GAME, "TS 6D 6C TD 6H 5C", {2: 100}).presses("^Carta destra").acts("Stai")
    assert one.paid()
    assert len(one.cards()) == 3
    assert "Carta coperta" not in one.cards()


def test_d13_a_dealer_below_13_does_not_qualify(one: SoloPlayer) -> None:
    one.practise(GAME, "5S 2D 3C 4D 6H 5C", {2: 500}).presses("^Carta sinistra").acts("Stai")
    expect(one.box(2)).to_contain_text("Banco non qualificato")
    assert lines(one) == [
        ("Mano 2, Ante", "2 × € 5,00", "€ 10,00", "D-13"),
        ("Mano 2, Rilancio", "€ 5,00", "€ 5,00", "D-13"),
    ]


def test_d14_a_higher_hand_wins_both_a_lower_loses_both_an_equal_gets_both_back(one: SoloPlayer) -> None:
    one.practise(GAME, "TS 9S 8S 9D TC 8D 2H 3H 4H QC", THREE)
    for _ in range(3):
        one.presses("^Carta sinistra").acts("Stai")
    assert [line.returned for line in one.paid()] == [200, 200, 100, 100, 0, 0]
    for box, word in ((1, "Vince"), (2, "Pari"), (3, "Perde")):
        expect(one.box(box)).to_contain_text(word)


def test_d15_two_up_pays_3_for_a_pair_and_20_for_three_of_a_rank(one: SoloPlayer) -> None:
    two_up = {(1, "2-up"): 100, (2, "2-up"): 100}
    one.practise(GAME, "8S 9S 9D 8C 8D 2H 3H QC", {1: 100, 2: 100, **two_up})
    expect(one.box(1)).to_contain_text(re.compile("2 UP · Tris.*20", re.S))
    expect(one.box(2)).to_contain_text(re.compile("2 UP · Coppia.*3", re.S))


def test_d16_three_hands_from_the_right_each_with_its_own_ante(one: SoloPlayer) -> None:
    one.practise(GAME, "2S 3S 4S 9D TC 8D 5H 6H 7H QC", {1: 100, 2: 200, 3: 300})
    assert [one.cards(box)[0] for box in (1, 2, 3)] == named("2S 3S 4S")
    spots = [one.box(box).bounding_box() for box in (1, 2, 3)]
    assert [place["x"] for place in spots if place] == sorted((place["x"] for place in spots if place), reverse=True)
    for amount, hand in ((1, 1), (2, 2), (3, 3)):
        expect(one.key(re.compile("^Carta sinistra"))).to_contain_text(f"€\u00a0{amount},00")
        one.presses("^Carta sinistra")
        expect(one.page.get_by_role("heading", name=re.compile(f"^Mano {hand}: "))).to_be_visible()
        one.acts("Stai")


def test_d17_new_game_clears_the_felt_and_repeat_bets_and_deals(one: SoloPlayer) -> None:
    one.practise(GAME, f"{NINETEEN} {NINETEEN}", {2: 500}).presses("^Passa").key("Nuova puntata").click()
    expect(one.box(2).get_by_role("listitem")).to_have_count(0)
    one.key(re.compile("^Ripeti e distribuisci")).click()
    expect(one.held(2, "ante")).to_have_accessible_name(re.compile("€\u00a05"))
    assert one.cards(2) == ["8 di picche", "Carta coperta"]


def test_d18_the_published_returns_are_told(one: SoloPlayer) -> None:
    rows = one.practise(GAME).help("Ritorno")
    assert (rows["Puntata principale"], rows["2 UP"]) == ("98,38 %", "93,47 %")


def test_d19_the_toolbar(alone: Come) -> None:
    one = alone("Barra").play(GAME)
    one.sees("€\u00a01.000,00")
    tools = one.page.get_by_role("group", name="Strumenti")
    for name in ("Storico", "Impostazioni", "Aiuto", "Cassa", "Lobby"):
        expect(tools.get_by_role("button", name=name)).to_be_visible()
    one.key("Aggiungi denaro").click()
    one.page.get_by_role("dialog").get_by_role("button", name=re.compile("porta", re.I)).last.click()
    one.sees("€\u00a01.100,00")
    one.key("Cassa").click()
    expect(one.page.get_by_role("dialog", name="Cassa")).to_contain_text("Movimenti")
    one.page.keyboard.press("Escape")
    one.key("Gioca per divertimento").click()
    one.sees(re.compile("^Per prova"))
    expect(tools.get_by_role("button", name="Storico")).to_have_count(0)
    tools.get_by_role("button", name="Lobby").click()
    expect(one.page).to_have_url(re.compile(r"/$"))


def test_d20_tab_goes_to_the_next_button_and_enter_presses_it(one: SoloPlayer) -> None:
    """D-20: the button is seen to be chosen before it is pressed."""
    one.practise(GAME, NINETEEN, {2: 100})
    one.tab_to(one.key(re.compile("^Carta destra")))
    outline = one.page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none"
    one.page.keyboard.press("Enter")
    expect(one.page.get_by_role("heading", name="Mano 2: 16")).to_be_visible()


def test_d21_space_clears_for_a_new_game_and_again_bets_as_before(one: SoloPlayer) -> None:
    """D-21: two presses, two acts."""
    one.practise(GAME, NINETEEN, {2: 500}).presses("^Passa")
    expect(one.key("Il conto")).to_be_visible()
    one.page.keyboard.press(" ")
    expect(one.key("Il conto")).to_have_count(0)
    expect(one.key(re.compile("^Ripeti e"))).to_be_enabled()
    one.page.keyboard.press(" ")
    expect(one.spot(2, "ante")).to_have_accessible_name(re.compile("€\u00a05"))


def test_d22_a_number_adds_its_chip_and_no_more_numbers_than_chips(one: SoloPlayer) -> None:
    """D-22: a key beyond the chips that are allowed adds nothing."""
    one.practise(GAME)
    for key, total in (("2", "5,00"), ("1", "6,00"), ("3", "16,00"), ("9", "16,00")):
        one.page.keyboard.press(key)
        one.sees(f"In tutto €\u00a0{total}")


def test_d23_escape_leaves_the_game_for_the_lobby(alone: Come) -> None:
    """D-23: before the cards, in a round, with a chip in hand, with the words of the table open.

    By somebody with no other hand open: the lobby would take him back to it.
    """
    one = paying(alone, GAME).practise(GAME)
    one.page.keyboard.press("Escape")
    expect(one.page).to_have_url(re.compile(r"/$"))
    one.practise(GAME).chip(500).page.keyboard.press("Escape")
    expect(one.page).to_have_url(re.compile(r"/$"))
    one.practise(GAME, NINETEEN, {2: 500})
    expect(one.key(re.compile("^Carta sinistra"))).to_be_visible()
    one.page.keyboard.press("t")
    one.page.keyboard.press("Escape")
    expect(one.page).to_have_url(re.compile(r"/$"))


def test_d25_a_malfunction_voids_and_the_fun_mode_keeps_no_history(alone: Come, den: LiveHouse) -> None:
    one = paying(alone, GAME).play(GAME, NINETEEN, {2: 500})
    expect(one.key(re.compile("^Carta sinistra"))).to_be_visible()
    den.void(one.table, "guasto")
    one.told(re.compile("Mano annullata.*5,00"))
    one.practise(GAME, NINETEEN, {2: 500}).presses("^Passa")
    expect(one.key("Il conto")).to_be_visible()
    told = [line for line in one.past() if "21 Duello" in line]
    assert len(told) == 1, "the voided round, and nothing of the practice table"
    assert "annullata" in told[0]


def test_d07_on_a_phone_who_took_a_card_lies_over_no_outcome(one: SoloPlayer) -> None:
    """D-07, D-14: the words under the community cards and those of each hand are read apart, upright and flat."""
    one.practise(GAME, "9D 7C 8H QC 6S JD 5C 8S KD 4H 3C 2D", THREE)
    for _ in range(3):
        one.does("left", "stand")
    one.paid()
    for size in (PHONE, (667, 375)):
        with seen_at(one.page, *size):
            expect(one.page.locator(".net")).to_have_count(3)
            labels, outcomes = one.page.locator(".taken").all(), one.page.locator(".net").all()
            assert len(labels) > 0
            assert not [
                size
                for label in labels
                for outcome in outcomes
                if overlap(label.bounding_box(), outcome.bounding_box())
            ]


def _above_the_foot(one: SoloPlayer) -> list[str]:
    """What of the hands lies under the foot of the table, whether or not it could be scrolled to."""
    foot = bounds(one.page.locator(".foot"))[1]
    parts = [*(one.box(box) for box in (1, 2, 3)), *one.page.locator(".hand .spot :is(button, [role=img])").all()]
    return [part.inner_text() for part in parts if part.count() and bounds(part)[3] > foot + 2]


@pytest.mark.parametrize("done", [(), ("left",), ("left", "stand") * 3], ids=["choosing", "second", "paid"])
def test_d04_the_circles_of_every_hand_lie_above_the_foot_of_a_phone(one: SoloPlayer, done: tuple[str, ...]) -> None:
    """D-04, D-16: three hands with 2 UP, upright and flat, whatever the foot asks; nothing under anything."""
    bets: dict[Any, int] = {**THREE, **{(box, "2-up"): 100 for box in THREE}}
    one.practise(GAME, "TS 9S 8S 9D TC 8D 2H 3H 4H QC", bets).does(*done)
    expect(one.key(re.compile("^(Passa|Stai|Il conto)")).first).to_be_visible()
    for size in (PHONE, (667, 375)):
        with seen_at(one.page, *size):
            settled(one.page)
            assert _above_the_foot(one) == [], size
            assert untidy(one.page) == [], size


def test_d14_the_cards_of_a_small_hand_are_read_beside_its_outcome(one: SoloPlayer) -> None:
    """D-13, D-14: what a hand brought lies on no card of it and on no other hand's, however long the word is."""
    one.practise(GAME, "5S 5H 5C 2D 3C 4D 6H 6S 6D 5C", THREE).does(*("left", "stand") * 3)
    one.paid()
    with seen_at(one.page, *PHONE):
        one.sees("Banco non qualificato")
        outcomes = one.page.locator(".net").all()
        assert len(outcomes) == 3
        for at, outcome in enumerate(outcomes):
            assert [other for other in outcomes[at + 1 :] if shared(outcome, other)] == []
            cards = one.page.locator(".hand").get_by_role("listitem").all()
            assert [card for card in cards if shared(outcome, card)] == []


LAID = """() => {
  const own = Element.prototype.animate;
  window.laid = new Set();
  Element.prototype.animate = function (...given) {
    if (this.parentElement?.classList.contains('pick')) window.laid.add(this);
    return own.apply(this, given);
  };
}"""
"""From here on the page keeps every community card that comes."""


def test_d06_a_community_card_is_laid_once_and_not_again_when_it_is_asked_for(alone: Come) -> None:
    """D-06, D-07: it lies there while hands choose, and when none does; it never comes from the dealer anew."""
    one = alone("Comuni", reduced_motion="no-preference").practise(GAME, NINETEEN)
    one.spot(2, "ante").click()
    one.page.evaluate(LAID)
    one.key("Distribuisci").click()
    one.presses("^Prendi Re").acts("Stai")
    one.paid()
    assert one.page.evaluate("() => window.laid.size") == 2


def test_d07_ante_and_raise_lie_each_in_a_circle_of_its_own(one: SoloPlayer) -> None:
    """D-07: no chip of the raise lies with the ante; what is lost goes from both, and with it how much it was."""
    one.practise(GAME, NINETEEN, {2: 500}).presses("^Prendi Re")
    circles = [one.box(2).locator(f".{place}") for place in ("ante", "raise")]
    for circle in circles:
        expect(circle.locator("svg.stack")).to_have_count(1)
        expect(circle.locator(".amount")).to_have_text("€\u00a05")
    one.acts("Carta")
    one.paid()
    expect(circles[0].locator(".amount")).to_have_css("opacity", "0")
    expect(circles[1].locator(".amount")).to_have_count(0)
    for circle in circles:
        expect(circle.locator(".swept")).to_have_css("opacity", "0")


@pytest.mark.parametrize("done", [("left", "hit"), ("left", "stand")], ids=["bust", "stood"])
def test_d14_on_a_low_phone_the_cards_of_the_middle_hand_are_read(one: SoloPlayer, done: tuple[str, ...]) -> None:
    """D-08, D-14: how it ended lies over them, and a bust is said once."""
    one.practise(GAME, NINETEEN, {2: 500}).does(*done)
    one.paid()
    with seen_at(one.page, 667, 375):
        settled(one.page)
        outcome = one.box(2).locator(".net")
        tops = [bounds(card.get_by_role("img"))[1] for card in one.box(2).get_by_role("listitem").all()]
        assert len(tops) == 3
        assert bounds(outcome)[3] <= min(tops) + 6
        seen = [word for word in one.box(2).get_by_text("Sballa 24").all() if bounds(word)[2] - bounds(word)[0] > 2]
        assert len(seen) == (1 if "hit" in done else 0)


def test_d04_on_a_low_phone_every_circle_has_room_for_a_finger(one: SoloPlayer) -> None:
    """D-04: the name over a circle takes nothing of it."""
    one.practise(GAME).bet({2: 500, (2, "2-up"): 100})
    expect(one.key("Distribuisci")).to_be_enabled()
    sized(one.page, 667, 375)
    found = [fault for fault in faults(one.page, touch=True) if "2 UP" in fault or "Ante" in fault]
    sized(one.page, *DESK)
    assert found == []


def test_d15_what_two_up_won_is_read_in_english_too(alone: Come) -> None:
    """D-15: three of a kind is long; it lies on no circle and on no other hand."""
    one = alone("Trips", 1366, 768)
    one.house.settings(one.player, general={"language": "en"})
    bets: dict[Any, int] = {**THREE, **{(box, "2-up"): 100 for box in THREE}}
    one.practise(GAME, "8S 8C 8H 9D 8D 8S 2H 3H 4H 2C", bets).does("left", "hit", "right", "stand")
    expect(one.key(re.compile("^Left card"))).to_be_visible()
    one.sees(re.compile("Three of a kind"))
    assert untidy(one.page) == []
    hand = one.page.get_by_role("group", name="Hand 2", exact=True)
    assert not shared(hand.locator(".side .name"), hand.locator(".ante .place"))


def test_d07_the_keys_of_both_cards_are_alike(one: SoloPlayer) -> None:
    """D-07: each on one line and as high as the other, whatever total stands on it."""
    one.practise(GAME, "TS 9D TC 8D 6H QC", {2: 1000})
    keys = [one.key(re.compile(f"^Carta {side}")) for side in ("sinistra", "destra")]
    for size in ((1180, 820), (1366, 768), (1920, 1080)):
        with seen_at(one.page, *size):
            settled(one.page)
            tops, heights = {bounds(key)[1] for key in keys}, {bounds(key)[3] - bounds(key)[1] for key in keys}
            assert (len(tops), len(heights)) == (1, 1), size
            assert [key for key in keys if key.evaluate("one => one.scrollWidth > one.clientWidth")] == []


def test_d07_both_totals_of_an_ace_stand_beside_the_name_of_the_card(one: SoloPlayer) -> None:
    """In Italian, whose names are the longer ones: neither lies over the other."""
    one.practise(GAME, "AS 9D 9C 2D 6H QC", {2: 100})
    for name, total in (("^Carta sinistra", "10/20"), ("^Carta destra", "3/13")):
        key = one.key(re.compile(name))
        expect(key).to_contain_text(total)
        beyond = key.locator("b").evaluate("({ scrollWidth, clientWidth }) => scrollWidth - clientWidth")
        assert beyond <= 0, (name, beyond)
