"""Pauses, voids, broken lines and new shoes at a live table, in browsers (V-76…V-82)."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat, phase
from tests.support.browser.lost_connection import Tunnel, expect_dealer_text
from ventuno.core.messages.commands import Spot

Sit = Callable[..., Seat]
SWALLOWED = """() => {
  const send = WebSocket.prototype.send;
  let dark = null;
  WebSocket.prototype.send = function (data) {
    dark ??= this;
    if (this !== dark) send.call(this, data);
  };
}"""
"""The line that stands takes what is sent, and it goes nowhere."""
HANDS = "TS 9H QD 8C"
"""Twenty against seventeen."""


def test_v76_a_pause_stops_the_round_and_tells_everybody(sit: Sit, room: LiveHouse) -> None:
    ada, carlo = sit("Ada").plays(HANDS), sit("Carlo")
    carlo.go(ada.here)
    room.pause(ada.here, "carta girata male")
    for seat in (ada, carlo):
        expect(seat.page.get_by_role("heading", name="Tavolo in pausa")).to_be_visible()
        seat.sees("L’ispettore esamina la mano")
        expect_dealer_text(seat, "Signori, la mano è ferma: l’ispettore sta esaminando. carta girata male")
    expect(ada.page.get_by_role("group", name="La tua decisione")).to_have_count(0)
    room.move(60)
    assert len(ada.cards(4)) == 2
    phase(ada.page, "la mano è in corso")


def test_v77_after_a_pause_the_round_goes_on_from_the_very_state(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").plays(HANDS)
    before = (ada.cards(4), ada.cards())
    room.pause(ada.here, "controllo")
    expect(ada.page.get_by_role("heading", name="Tavolo in pausa")).to_be_visible()
    room.resume(ada.here)
    expect(ada.page.get_by_role("heading", name="Tavolo in pausa")).to_have_count(0)
    expect_dealer_text(ada, "Si riprende dallo stesso punto.")
    assert (ada.cards(4), ada.cards()) == before
    assert [line.returned for line in ada.decide("Stai").paid()] == [200]


def test_v77_v78_a_voided_round_gives_every_stake_back_and_takes_its_wins(sit: Sit, room: LiveHouse) -> None:
    """A side bet that had won already is no win any more, and the history says so."""
    ada, bea = sit().at(table := room.table("8C 8H 8S 7C KD"), 4), sit("Bea").at(table)
    ada.bet(4).bet(4, "perfect-pairs")
    room.bet(bea.player, table, 4, 500, "behind")
    ada.deal()
    ada.sees("Coppia colorata")
    room.pause(table, "sabot difettoso")
    room.void(table, "sabot difettoso")
    for seat, back in ((ada, "€\u00a02,00"), (bea, "€\u00a05,00")):
        expect(seat.page.get_by_role("heading", name="Mano annullata")).to_be_visible()
        seat.sees(f"Ti tornano {back}.")
        expect_dealer_text(seat, "Mano annullata: sabot difettoso. Tutte le poste tornano.")
        expect(seat.page.get_by_text("Si riprende dallo stesso punto.")).to_have_count(0)
        assert room.state(table).purse(seat.player) == 100_000
    room.due(table)
    phase(bea.page, "si raccolgono le puntate")
    bea.told("Mano annullata. sabot difettoso. Ti tornano €\u00a05,00")
    ada.tool("Storico").click()
    expect(ada.dialog.get_by_role("link").first).to_contain_text("annullata")


def test_v79_who_is_away_is_played_by_his_early_decision_and_then_by_the_clock(sit: Sit, room: LiveHouse) -> None:
    """Box 2 has an early decision, box 5 nothing: both are finished without a browser, and the history has it."""
    ada = sit().at(table := room.table("4S 9S 9H 5D 7D 8C TC"), 2, 5)
    ada.bet(2).deal()
    ada.tool("Box 5").click()
    ada.decide("Stai")
    expect(ada.box(5).get_by_text("Stai prenotato")).to_be_visible()
    ada.page.goto("about:blank")
    while room.state(table).round.stage.value != "done" and room.state(table).phase.value == "round":
        room.due(table)
    lines = room.state(table).round.lines
    assert [(line.box, line.stake, line.returned) for line in lines] == [(2, 100, 200), (5, 100, 0)]
    ada.visitor.go("/history")
    expect(ada.page.get_by_role("link", name=re.compile("Blackjack Ventuno"))).to_contain_text("€\u00a02,00")


def test_v80_who_comes_back_finds_his_seat_the_state_and_the_time(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").plays("5S 9H 3D 8C 4C TC")
    tunnel = Tunnel(ada)
    expect(ada.page.get_by_role("heading", name="Ti stiamo riportando al tavolo")).to_be_visible()
    ada.sees("Le tue puntate restano valide")
    assert ada.cards(4) == ["5 di picche", "3 di quadri"]
    room.due(ada.here)
    room.move(7)
    tunnel.over()
    expect(ada.page.get_by_role("heading", name="Ti stiamo riportando al tavolo")).to_have_count(0)
    expect(ada.box(4).get_by_text("Totale 12")).to_be_attached()
    expect(ada.box(4)).to_have_accessible_name("Box 4, Tu")
    expect(ada.page.get_by_role("timer").first).to_have_accessible_name(re.compile("Restano [0-5] secondi"))
    ada.decide("Carta")
    expect(ada.box(4).get_by_text("Sballa 22").first).to_be_attached()


def test_v80_what_was_asked_in_the_dark_is_sent_once_the_line_stands(sit: Sit, room: LiveHouse) -> None:
    """Pressed in the moment the line broke, a chip is placed once, whatever became of the first sending."""
    ada = sit("Ada").at(table := room.table(), 4)
    ada.bet(4)
    expect(ada.page.get_by_text("€\u00a01,00").first).to_be_visible()
    ada.page.evaluate(SWALLOWED)
    ada.spot(4).click()
    expect(ada.spot(4)).to_have_accessible_name(re.compile("in arrivo al banco"))
    tunnel = Tunnel(ada)
    expect(ada.page.get_by_role("heading", name="Ti stiamo riportando al tavolo")).to_be_visible()
    expect(ada.spot(4)).to_have_accessible_name(re.compile("in arrivo al banco"))
    assert dict(room.state(table).slips[ada.player].totals()) == {Spot(4, "main"): 100}
    tunnel.over()
    expect(ada.spot(4)).not_to_have_accessible_name(re.compile("in arrivo al banco"))
    assert dict(room.state(table).slips[ada.player].totals()) == {Spot(4, "main"): 200}


def test_v81_v82_the_cut_card_ends_the_shoe_after_the_round_and_the_other_set_comes(sit: Sit, room: LiveHouse) -> None:
    ada, carlo = sit("Ada").at(table := room.table(f"{HANDS} {HANDS} {HANDS}", "short"), 4), sit("Carlo").go(table)
    shoes = list[int]()
    for _ in range(3):
        ada.bet(4).deal().decide("Stai").paid()
        assert len(ada.cards(4)) == 2
        shoes.append(room.state(table).shoes)
        room.due(table)
        phase(ada.page, "si raccolgono le puntate")
    assert shoes[0] < shoes[-1]
    expect_dealer_text(carlo, "Cambio di sabot.")
    shoe = room.state(table).shoe
    left = len(shoe.cards) - shoe.position
    assert left > 400
    expect(carlo.in_words).to_contain_text(f"Nel sabot restano {left} carte.")
