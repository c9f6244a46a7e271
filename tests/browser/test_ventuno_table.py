"""A round of Blackjack Ventuno as browsers show it: cards, decisions, side bets, payment (V-01…V-24, V-54…V-60)."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat, phase, plain
from tests.support.browser.speed import Gate
from ventuno.core.messages.commands import TakeMoney

Sit = Callable[..., Seat]


def test_v01_seven_boxes_and_one_dealer(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").go(room.table())
    expect(ada.page.get_by_role("group", name="Banco")).to_have_count(1)
    assert [ada.box(number).count() for number in range(1, 9)] == [1] * 7 + [0]


def test_v02_eight_decks_pictures_are_ten_and_an_ace_is_what_helps(sit: Sit) -> None:
    ada = sit("Ada").plays("AS JS 9H 5D QC 8C TD", 2, 5)
    expect(ada.page.get_by_role("region", name="8 mazzi")).to_be_visible()
    expect(ada.page.get_by_role("img", name="Sabot: 409 carte")).to_be_visible()
    expect(ada.box(2).get_by_text("Totale 6/16")).to_be_attached()
    expect(ada.box(5).get_by_text("Totale 20")).to_be_attached()
    ada.decide("Carta")
    expect(ada.box(2).get_by_text("Totale 16", exact=True)).to_be_attached()


def test_v03_v19_a_blackjack_says_so_and_is_paid_three_to_two(sit: Sit) -> None:
    ada = sit("Ada").plays("AS 9H KD 8C")
    expect(ada.box(4).get_by_text("Totale Blackjack")).to_be_attached()
    assert [(line.stake, line.returned) for line in ada.paid()] == [(100, 250)]
    ada.sees("Hai vinto €\u00a01,50")


def test_v04_two_cards_each_and_one_of_the_dealer_face_down(sit: Sit) -> None:
    ada = sit("Ada").plays("5S 6S 9H 7D 8D QC", 2, 5)
    assert (ada.cards(2), ada.cards(5)) == (["5 di picche", "7 di quadri"], ["6 di picche", "8 di quadri"])
    assert ada.cards() == ["9 di cuori", "Carta coperta"]
    expect(ada.box(3).get_by_role("listitem")).to_have_count(0)


def test_v05_totals_stand_beside_the_hands_both_while_soft(sit: Sit) -> None:
    ada = sit("Ada").plays("AD QH 6S 7C TD")
    expect(ada.box(4).get_by_text("Totale 7/17")).to_be_attached()
    ada.decide("Carta")
    expect(ada.box(4).get_by_text("Totale 17", exact=True)).to_be_attached()
    expect(ada.box(4).get_by_text("7/17")).to_have_count(0)


def test_v06_v08_insurance_is_asked_at_half_and_paid_two_to_one(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(table := room.table("TS AH 9D KC"), 4)
    room.bet(ada.player, table, 4, 1000)
    ada.deal()
    expect(ada.page.get_by_role("heading", name="Box 4, assicurazione?")).to_be_visible()
    assert "€ 5,00" in plain(ada.act("Assicura").inner_text())
    ada.decide("Assicura")
    assert {line.bet: line.returned for line in ada.paid()} == {"main": 0, "insurance": 1500}
    assert ada.cards() == ["Asso di cuori", "Re di fiori"]


def test_v07_halves_are_exact_to_the_cent(sit: Sit, room: LiveHouse) -> None:
    """Half of 1,10 and three halves of 1,10: no cent is lost, and none is shown that is not paid."""
    ada = sit("Ada").at(table := room.table("AS AH KD 8C"), 4)
    room.bet(ada.player, table, 4, 110)
    ada.deal()
    assert "€ 0,55" in plain(ada.act("Assicura").inner_text())
    ada.decide("Assicura")
    assert {line.bet: (line.stake, line.returned) for line in ada.paid()} == {"main": (110, 275), "insurance": (55, 0)}
    ada.sees("Hai vinto €\u00a01,10")


def test_v09_under_a_ten_nothing_is_asked_and_all_is_lost_at_the_end(sit: Sit) -> None:
    ada = sit("Ada").plays("6S KH 5D AC 9C")
    expect(ada.act("Raddoppia")).to_be_visible()
    expect(ada.page.get_by_text("assicurazione?")).to_have_count(0)
    ada.decide("Raddoppia")
    assert [(line.stake, line.returned) for line in ada.paid()] == [(100, 0), (100, 0)]


def test_v10_the_active_box_is_marked_for_everybody(sit: Sit, room: LiveHouse) -> None:
    ada, carlo = sit("Ada").at(table := room.table("5S 6S 9H 7D 8D QC"), 2, 5), sit("Carlo").go(table)
    ada.bet(2).deal()
    for browser in (ada, carlo):
        expect(browser.in_words.get_by_text(re.compile("^Box 2, .*tocca a"))).to_be_attached()
    ada.decide("Stai")
    for browser in (ada, carlo):
        expect(browser.in_words.get_by_text(re.compile("^Box 5, .*tocca a"))).to_be_attached()


def test_v11_v18_double_takes_one_card_and_the_dealer_draws_to_seventeen(sit: Sit) -> None:
    ada = sit("Ada").plays("6S 6H 5D TC TD 5C")
    ada.decide("Raddoppia")
    assert [(line.bet, line.returned) for line in ada.paid()] == [("main", 0 + 100), ("double", 100)]
    assert (len(ada.cards(4)), len(ada.cards())) == (3, 3)
    expect(ada.spot_image(4)).to_have_attribute("aria-label", re.compile("€\u00a02"))


def test_v12_v13_hit_as_often_as_wished_until_twenty_one_or_bust(sit: Sit) -> None:
    ada = sit("Ada").plays("2S 3S 9H 2D 8D 8C 8H 7C 9D", 2, 5)
    for total in (12, 19):
        ada.decide("Carta")
        expect(ada.box(2).get_by_text(f"Totale {total}")).to_be_attached()
    ada.decide("Carta")
    expect(ada.box(2).get_by_text("Sballa 28").first).to_be_attached()
    expect(ada.page.get_by_role("heading", name="Box 5, tocca a te")).to_be_visible()


def test_v12_a_hand_of_twenty_one_stands_by_itself(sit: Sit) -> None:
    ada = sit("Ada").plays("5S 9H 6D 8C TD")
    ada.decide("Carta")
    assert [line.returned for line in ada.paid()] == [200]


def test_v14_v16_v17_a_split_makes_two_hands_that_do_not_double(sit: Sit) -> None:
    ada = sit("Ada").plays("KS 6H QD TC AC 5D 9C")
    ada.decide("Dividi")
    ada.sees("Box 4, mano 2")
    expect(ada.act("Raddoppia")).to_be_disabled()
    expect(ada.act("Raddoppia")).to_have_accessible_description("niente raddoppio dopo una divisione")
    ada.decide("Stai")
    assert [(line.bet, line.returned) for line in ada.paid()] == [("main", 200), ("split", 200)]
    assert len(ada.cards(4)) == 4


def test_v15_split_aces_take_one_card_each(sit: Sit) -> None:
    ada = sit("Ada").plays("AS 6H AD TC 5C 9D 9C")
    ada.decide("Dividi")
    assert [line.bet for line in ada.paid()] == ["main", "split"]
    assert len(ada.cards(4)) == 4


def test_v19_x05_the_sums_show_each_bet_with_its_arithmetic(sit: Sit) -> None:
    ada = sit("Ada").plays("TS 9H QD 8C")
    ada.decide("Stai").paid()
    ada.sees("Hai vinto €\u00a01,00")
    ada.tool("Il conto").click()
    expect(ada.dialog.get_by_role("row", name=re.compile("Box 4, Puntata principale"))).to_contain_text("V-19")
    assert "€ 1,00 + 1 × € 1,00" in plain(ada.dialog.inner_text())
    assert "€ 2,00 − € 1,00 = + € 1,00" in plain(ada.dialog.inner_text())


def test_v21_v22_v23_side_bets_are_decided_with_the_deal(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(room.table("8C 8H 8S 7C KD"), 4)
    for bet in ("perfect-pairs", "21+3"):
        expect(ada.spot(4, bet)).to_be_disabled()
        expect(ada.spot(4, bet)).to_have_accessible_description(re.compile("prima serve la puntata principale"))
    ada.bet(4).bet(4, "perfect-pairs").bet(4, "21+3").deal()
    expect(ada.act("Stai")).to_be_visible()
    ada.sees("Coppia colorata")
    expect(ada.box(4).get_by_role("img", name=re.compile("Coppie Perfette.*vince €.12"))).to_be_visible()
    expect(ada.box(4).get_by_role("img", name=re.compile(r"21\+3.*vince €.30"))).to_be_visible()
    ada.decide("Stai")
    assert {line.bet: line.returned for line in ada.paid()} == {"main": 200, "perfect-pairs": 1300, "21+3": 3100}


def test_v54_an_early_decision_is_booked_changed_and_carried_out(sit: Sit, room: LiveHouse) -> None:
    ada, bea = sit("Ada").at(table := room.table("5S 6S 9H 7D 5D 8C TC 4C"), 2), sit("Bea").at(table, 5)
    ada.bet(2)
    bea.bet(5)
    ada.deal()
    bea.deal()
    expect(bea.page.get_by_role("heading", name="Box 5, scegli prima")).to_be_visible()
    bea.decide("Carta")
    expect(bea.act("Carta")).to_have_attribute("aria-pressed", "true")
    bea.decide("Raddoppia")
    expect(bea.box(5).get_by_text("Raddoppio prenotato")).to_be_visible()
    expect(ada.box(5).get_by_text("prenotato")).to_have_count(0)
    ada.decide("Stai")
    assert [(line.bet, line.stake) for line in bea.paid()] == [("main", 100), ("double", 100)]


def test_v54_a_press_that_meets_its_turn_is_the_decision(sit: Sit, room: LiveHouse) -> None:
    """The page still shows the early choice when the house has come to the box already: nothing pressed is lost."""
    bea = sit(spoils=True)
    gate = Gate(bea.page)
    ada = sit("Ada").at(table := room.table("5S 6S 9H 7D 5D 8C TC 4C"), 2)
    bea.at(table, 5)
    ada.bet(2)
    bea.bet(5)
    ada.deal()
    bea.deal()
    expect(bea.page.get_by_role("heading", name="Box 5, scegli prima")).to_be_visible()
    gate.shut = True
    ada.decide("Stai")
    ada.sees("«Box 5, 11.»")
    bea.decide("Raddoppia")
    gate.open()
    assert [(line.bet, line.stake) for line in bea.paid()] == [("main", 100), ("double", 100)]


def test_v55_all_options_are_there_and_only_the_legal_ones_are_open(sit: Sit) -> None:
    ada = sit("Ada").plays("9S 9H 7D 8C")
    assert [ada.act(name).is_enabled() for name in ("Carta", "Stai", "Raddoppia", "Dividi")] == [
        True,
        True,
        True,
        False,
    ]
    expect(ada.act("Dividi")).to_have_accessible_description("servono due carte di pari valore")


def test_v56_v57_the_panel_counts_down_and_a_time_out_stands_above_eleven(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").plays("9S 9H 7D 8C")
    expect(ada.page.get_by_role("timer").first).to_have_accessible_name(re.compile(r"Restano \d+ secondi"))
    ada.sees("Allo scadere: Stai")
    room.due(ada.here)
    assert [line.returned for line in ada.paid()] == [0]
    assert len(ada.cards(4)) == 2


def test_v57_a_time_out_hits_up_to_eleven(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").plays("4S 9H 5D 8C 6C")
    ada.sees("Allo scadere: Carta")
    room.due(ada.here)
    expect(ada.box(4).get_by_text("Totale 15")).to_be_attached()
    ada.sees("Allo scadere: Stai")


def test_v58_v59_without_funds_double_is_closed_and_a_booked_one_is_replaced(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(table := room.table("5S 4S 9H 6D 4D 8C TC 9C"), 2, 5, money=300)
    ada.bet(2).deal()
    ada.tool("Box 5").click()
    ada.decide("Raddoppia")
    expect(ada.box(5).get_by_text("Raddoppio prenotato")).to_be_visible()
    room.ask(table, TakeMoney(ada.player, 100, 0), ada.player)
    ada.tool("Box 2").click()
    expect(ada.act("Raddoppia")).to_be_disabled()
    expect(ada.act("Raddoppia")).to_have_accessible_description("servono €\u00a01,00, hai €\u00a00,00")
    ada.decide("Stai")
    ada.told("Box 5: per «Raddoppia» mancavano €\u00a01,00. Si è fatto «Carta».")


def test_v60_an_insurance_that_is_not_answered_is_declined(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").plays("TS AH 9D 8C")
    ada.sees("Allo scadere: No, grazie")
    room.due(ada.here)
    expect(ada.page.get_by_role("heading", name="Box 4, tocca a te")).to_be_visible()
    assert room.state(ada.here).round.boxes[0].insurance == 0


def test_s26_one_answer_for_all_boxes(sit: Sit) -> None:
    ada = sit("Ada").plays("TS TH AH 9D 9C 8C", 2, 5)
    ada.decide("Assicura tutti")
    expect(ada.page.get_by_role("heading", name="Box 2, tocca a te")).to_be_visible()
    ada.sees("Assicurato €\u00a00,50")
    phase(ada.page, "la mano è in corso")
