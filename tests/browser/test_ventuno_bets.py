"""Betting at a live table in browsers: chips, limits, tools, deal now, all own seats, the clock (V-24, V-36…V-53)."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat, phase
from ventuno.core.messages.commands import ChangeLimits

Sit = Callable[..., Seat]
SLOW = """() => {
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (text) { setTimeout(() => send.call(this, text), 400); };
}"""
"""What this browser sends takes a while."""
FRAMES = """() => new Promise((told) => {
  const spot = [...document.querySelectorAll('button')].find((one) => /principale, box 4/.test(one.textContent));
  let frames = 0;
  const look = () => {
    frames += 1;
    if (spot.textContent.includes('in arrivo al banco')) told(frames);
    else if (frames < 30) requestAnimationFrame(look);
    else told(-1);
  };
  spot.click();
  requestAnimationFrame(look);
})"""
"""How many frames after a press a chip says that it is on its way."""


def lying(room: LiveHouse, seat: Seat) -> dict[tuple[int, str], int]:
    """What the house has on the felt for somebody."""
    slip = room.state(seat.here).slips.get(seat.player)
    return dict(slip.totals()) if slip else {}


def total(seat: Seat, text: str) -> None:
    """The balance has the button that adds to it beside it."""
    shown = re.compile(f"^{text}(Aggiungi denaro)?$")
    expect(seat.page.get_by_role("definition").filter(has_text=shown).first).to_be_visible()


def test_v24_v43_the_limits_panel_follows_the_operator(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(table := room.table("TS 9H QD 8C"), 4)
    panel = ada.page.get_by_role("group", name="Limiti del tavolo")
    expect(panel).to_contain_text(re.compile("Principale.*€.1 – 500"))
    expect(panel).to_contain_text(re.compile(r"21\+3.*€.1 – 100"))
    expect(panel).to_contain_text(re.compile("Puntata alle spalle.*€.1 – 500"))
    room.system(table, ChangeLimits({"main": (500, 20_000)}, "operator", 0))
    ada.bet(4).bet(4).bet(4).bet(4).bet(4)
    total(ada, "€.5,00")
    ada.deal().decide("Stai").paid()
    room.due(table)
    phase(ada.page, "si raccolgono le puntate")
    expect(panel).to_contain_text(re.compile("Principale.*€.5 – 200"))
    ada.told("I limiti del tavolo sono cambiati.")


def test_v36_v37_v38_deal_now_finalises_and_starts_when_all_have_pressed(sit: Sit, room: LiveHouse) -> None:
    ada, bea = sit("Ada").at(table := room.table("5S 6S 9H TD TC QC"), 2), sit("Bea").at(table, 5)
    expect(ada.tool("Inizia ora")).to_be_disabled()
    expect(ada.tool("Inizia ora")).to_have_accessible_description("Non c’è ancora nessuna puntata.")
    ada.bet(2)
    bea.bet(5)
    total(bea, "€.1,00")
    expect(bea.spot_image(2)).to_have_accessible_name(re.compile("vuoto"))
    ada.deal()
    expect(bea.spot_image(2)).to_have_accessible_name(re.compile("€.1"))
    expect(ada.spot(2)).to_have_accessible_description("Hai confermato: le puntate di questa mano sono definitive.")
    expect(ada.tool("Annulla")).to_be_disabled()
    phase(ada.page, "si raccolgono le puntate")
    bea.deal()
    phase(ada.page, "la mano è in corso")


def test_v44_v46_v52_balance_total_bet_and_only_chips_that_are_covered(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(room.table(), 4, money=2_600)
    chips = ada.page.get_by_role("radiogroup", name="Fiche")
    assert [one.is_enabled() for one in chips.get_by_role("radio").all()] == [True, True, True, True, False, False]
    expect(chips.get_by_role("radio", name=re.compile("Fiche da €.100: il saldo non basta"))).to_be_disabled()
    chips.get_by_role("radio", name=re.compile("€.25$")).click()
    ada.bet(4)
    total(ada, "€.25,00")
    total(ada, "€.1,00")
    expect(chips.get_by_role("radio", name=re.compile("€.5: il saldo non basta"))).to_be_disabled()


def test_v45_the_timer_is_seen_by_all_and_a_late_bet_is_refused_with_a_reason(sit: Sit, room: LiveHouse) -> None:
    ada, carlo = sit("Ada").at(table := room.table("TS 9H QD 8C"), 4), sit("Carlo").go(table)
    ada.bet(4)
    for browser in (ada, carlo):
        expect(browser.page.get_by_role("timer").first).to_have_accessible_name(
            re.compile(r"Restano (1\d|[1-9]) secondi")
        )
    ada.page.evaluate(SLOW)
    ada.spot(4).click()
    room.due(table)
    ada.told("Niente più puntate: si riapre alla prossima mano.")
    assert [box.main for box in room.state(table).round.boxes] == [100]
    ada.page.reload()


def test_v47_at_the_maximum_a_note_stands_over_the_spot(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(room.table(), 4)
    ada.page.get_by_role("radio", name=re.compile("€.500$")).click()
    ada.bet(4)
    expect(ada.box(4).get_by_role("status")).to_have_text("Limite raggiunto")
    expect(ada.spot(4)).to_be_disabled()
    expect(ada.spot(4)).to_have_accessible_description(re.compile("Puntata principale al massimo €.500,00"))
    assert lying(room, ada) == {(4, "main"): 50_000}


def test_v48_on_a_desktop_the_main_bet_goes_on_all_own_seats(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(room.table(), 2, 4)
    ada.bet(4)
    total(ada, "€.2,00")
    ada.bet(4, "21+3")
    total(ada, "€.3,00")
    assert lying(room, ada) == {(2, "main"): 100, (4, "main"): 100, (4, "21+3"): 100}
    ada.spot(2).click(modifiers=["Shift"])
    total(ada, "€.4,00")
    assert lying(room, ada)[2, "main"] == 200
    ada.page.get_by_role("switch", name="Su tutti i miei box").click()
    ada.bet(2)
    total(ada, "€.5,00")
    assert (lying(room, ada)[2, "main"], lying(room, ada)[4, "main"]) == (300, 100)


def test_v48_on_a_phone_side_bets_go_on_all_own_seats_too(sit: Sit, room: LiveHouse) -> None:
    ada = sit(width=360, height=740, has_touch=True, is_mobile=True).at(room.table(), 2, 4)
    ada.spot(4).tap()
    total(ada, "€.2,00")
    ada.spot(2, "perfect-pairs").tap()
    total(ada, "€.4,00")
    assert set(lying(room, ada)) == {(box, bet) for box in (2, 4) for bet in ("main", "perfect-pairs")}


def test_v49_v50_repeat_before_the_first_chip_double_after_it(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").plays("TS 9H QD 8C")
    ada.decide("Stai").paid()
    room.due(ada.here)
    expect(ada.tool("2× Raddoppia")).to_be_disabled()
    ada.page.get_by_role("button", name=re.compile("^Ripeti")).click()
    total(ada, "€.1,00")
    expect(ada.page.get_by_role("button", name=re.compile("^Ripeti"))).to_have_accessible_description(
        "Si ripete solo prima della prima fiche della mano."
    )
    ada.page.get_by_role("button", name=re.compile("^2× Raddoppia")).click()
    total(ada, "€.2,00")


def test_v51_undo_goes_back_step_by_step_and_held_takes_all(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(room.table(), 4)
    ada.bet(4).bet(4, "21+3").bet(4)
    total(ada, "€.3,00")
    ada.tool("Annulla").click()
    total(ada, "€.2,00")
    assert lying(room, ada) == {(4, "main"): 100, (4, "21+3"): 100}
    ada.tool("Annulla").click(delay=900)
    total(ada, "€.0,00")
    assert lying(room, ada) == {}


def test_v53_what_others_stake_is_shown_in_ones_own_currency(sit: Sit, room: LiveHouse) -> None:
    bea = sit("Bea").at(table := room.table(), 5)
    ada = sit()
    room.settings(ada.player, general={"currency": "USD"})
    ada.at(table, 4)
    bea.page.get_by_role("radio", name=re.compile("€.25$")).click()
    bea.bet(5).deal()
    expect(ada.spot_image(5)).to_have_accessible_name(re.compile(r"\$.27,09"))
    expect(bea.spot_image(5)).to_have_accessible_name(re.compile("€.25"))
    expect(ada.page.get_by_role("definition").filter(has_text="€\u00a01.000,00").first).to_be_visible()


def test_a_chip_is_shown_as_pending_within_one_frame(sit: Sit, room: LiveHouse) -> None:
    """Between the press and the house's answer the chip already lies there, and says that it is on its way."""
    ada = sit("Ada").at(room.table(), 4)
    expect(ada.spot(4)).to_be_enabled()
    ada.page.evaluate(SLOW)
    assert ada.page.evaluate(FRAMES) == 1
    total(ada, "€.1,00")
    ada.page.reload()
