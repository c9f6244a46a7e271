"""The keyboard at a live table, and whole rounds without a pointer or an eye (V-91…V-94, X-07)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat, phase, plain

Sit = Callable[..., Seat]
HANDS = "TS 9H QD 8C"
HELD = """() => {
  const send = WebSocket.prototype.send, kept = [];
  WebSocket.prototype.send = function (text) {
    if (JSON.parse(text).type === 'ask') kept.push(() => send.call(this, text));
    else send.call(this, text);
  };
  window.letGo = () => { WebSocket.prototype.send = send; kept.forEach((one) => one()); };
}"""
"""Nothing that this browser asks reaches the house until it is let go; the line stands."""


def staked(seat: Seat, amount: str) -> None:
    expect(seat.in_words).to_contain_text(re.compile(f"puntata €.{amount}\\."))


def test_v91_figures_select_the_chips_from_the_lowest_up(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(room.table(), 4)
    chips = ada.page.get_by_role("radiogroup", name="Fiche")
    for key, value in enumerate((1, 5, 10, 25, 100, 500), 1):
        ada.page.keyboard.press(str(key))
        expect(chips.get_by_role("radio", name=re.compile(f"€.{value}$"))).to_have_attribute("aria-checked", "true")
    ada.page.keyboard.press("7")
    expect(chips.get_by_role("radio", name=re.compile("€.500$"))).to_have_attribute("aria-checked", "true")


def test_v92_space_repeats_the_last_bet_and_then_doubles_it(sit: Sit, room: LiveHouse) -> None:
    """After a press of the pointer SPACE still belongs to the table: it does not press the spot again."""
    ada = sit("Ada").plays(HANDS)
    ada.decide("Stai").paid()
    room.due(ada.here)
    phase(ada.page, "si raccolgono le puntate")
    ada.page.keyboard.press("Space")
    staked(ada, "1,00")
    ada.page.keyboard.press("Space")
    staked(ada, "2,00")
    ada.spot(4).click()
    staked(ada, "3,00")
    ada.page.keyboard.press("Space")
    staked(ada, "6,00")


def test_v93_undo_has_three_keys(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(room.table(), 4)
    for _ in range(4):
        ada.bet(4)
    staked(ada, "4,00")
    for key, left in (("Control+z", "3,00"), ("Meta+z", "2,00"), ("Delete", "1,00"), ("Backspace", "0,00")):
        ada.page.keyboard.press(key)
        staked(ada, left)


def test_v93_undo_held_for_three_seconds_takes_all(sit: Sit, room: LiveHouse) -> None:
    ada = sit(spoils=True)
    ada.page.clock.install()
    ada.at(table := room.table(), 4)
    for _ in range(5):
        ada.bet(4)
    staked(ada, "5,00")
    ada.page.keyboard.down("Backspace")
    staked(ada, "4,00")
    ada.page.clock.fast_forward(2_000)
    staked(ada, "4,00")
    ada.page.clock.fast_forward(1_100)
    staked(ada, "0,00")
    ada.page.keyboard.up("Backspace")
    assert room.state(table).slips[ada.player].totals() == {}


@pytest.mark.parametrize("name", ["Storico", "Impostazioni", "Aiuto", "Cassa", "Lobby"])
def test_v94_escape_closes_the_window_over_the_table(sit: Sit, room: LiveHouse, name: str) -> None:
    ada = sit("Ada").at(room.table(), 4)
    ada.tool(name).click()
    expect(ada.dialog).to_be_visible()
    ada.page.keyboard.press("Escape")
    expect(ada.dialog).to_have_count(0)
    expect(ada.box(4)).to_be_attached()


def test_what_is_typed_into_the_chat_is_no_command(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(room.table(), 4)
    ada.bet(4)
    staked(ada, "1,00")
    ada.page.get_by_label("Scrivi un messaggio").press_sequentially("1 2 3 ciao")
    ada.page.keyboard.press("Backspace")
    ada.page.keyboard.press("Enter")
    expect(ada.page.get_by_role("log", name="Chat").get_by_text("1 2 3 cia")).to_be_visible()
    staked(ada, "1,00")


def reached(seat: Seat, wanted: Locator) -> Seat:
    """By Tab alone, never further than round the page."""
    for _ in range(90):
        seat.page.keyboard.press("Tab")
        if wanted.evaluate("(one) => one === document.activeElement"):
            return seat
    raise AssertionError(f"Tab does not come to {wanted}")


def test_x07_a_round_by_keyboard_alone(sit: Sit, room: LiveHouse) -> None:
    """From the free seat to the next bet: Tab, Enter, arrows, letters; the pointer is never touched."""
    ada = sit()
    room.seat(ada.player, table := room.table("8S AH 8D 9C 3C TD 2H 9S"))
    keys = ada.go(table).page.keyboard
    reached(ada, ada.tool("Siediti qui, Box 4"))
    keys.press("Enter")
    expect(ada.box(4)).to_have_accessible_name("Box 4, Tu")
    keys.press("2")
    reached(ada, ada.spot(4))
    keys.press("Enter")
    staked(ada, "5,00")
    reached(ada, ada.tool("Inizia ora"))
    keys.press("Enter")
    expect(ada.page.get_by_role("heading", name="Box 4, assicurazione?")).to_be_visible()
    keys.press("n")
    expect(ada.page.get_by_role("heading", name="Box 4, tocca a te")).to_be_visible()
    keys.press("v")
    ada.sees("Box 4, mano 1")
    keys.press("c")
    expect(ada.act("Stai")).to_contain_text("con 13")
    assert ada.page.get_by_role("group", name="La tua decisione").get_by_role("button").count() == 4
    keys.press("s")
    ada.sees("Box 4, mano 2")
    reached(ada, ada.act("Stai"))
    keys.press("Enter")
    assert [(line.bet, line.stake) for line in ada.paid()] == [("main", 500), ("split", 500)]
    reached(ada, ada.tool("Il conto"))
    keys.press("Enter")
    expect(ada.dialog.get_by_role("heading", name="Il conto della mano")).to_be_visible()
    keys.press("Escape")
    expect(ada.dialog).to_have_count(0)
    room.due(table)
    phase(ada.page, "si raccolgono le puntate")
    keys.press("Space")
    staked(ada, "5,00")


def test_x07_a_decision_before_the_answer_to_the_last_is_not_taken_and_said_so(sit: Sit, room: LiveHouse) -> None:
    """Neither lost in silence nor kept for a hand that may have changed: by key and by button."""
    ada = sit("Ada").plays("2S 9H 3D 8C 4C 5D TC")
    ada.page.evaluate(HELD)
    ada.page.keyboard.press("c")
    expect(ada.act("Carta")).to_have_attribute("aria-busy", "true")
    notices = ada.page.get_by_role("group", name="Avvisi").get_by_text("La decisione di prima è ancora in arrivo")
    expect(notices).to_have_count(0)
    ada.page.keyboard.press("c")
    expect(notices.first).to_be_visible()
    ada.page.get_by_role("group", name="Avvisi").get_by_role("button").first.click()
    expect(notices).to_have_count(0)
    ada.act("Stai").click()
    expect(notices.first).to_be_visible()
    ada.page.evaluate("() => window.letGo()")
    expect(ada.box(4).get_by_text("Totale 9")).to_be_attached()
    expect(ada.act("Carta")).not_to_have_attribute("aria-busy", "true")
    assert len(room.state(ada.here).round.boxes[0].hands[0].cards) == 3


def test_x07_a_round_through_the_accessibility_tree_alone(sit: Sit, room: LiveHouse) -> None:
    """What a screen reader has, and no more: roles, names and the text of the table; it is enough to play and to count.

    Nothing is found by class, place or picture, and everything is pressed by its name.
    """
    ada = sit()
    room.seat(ada.player, table := room.table("5S 9H 6D 8C TC"))
    page = ada.go(table).page

    def button(name: str | re.Pattern[str]) -> Locator:
        return page.get_by_role("button", name=name)

    def heard(text: str | re.Pattern[str]) -> None:
        expect(page.locator("[aria-live]").filter(has_text=text).first).to_be_attached()

    words = page.get_by_role("group", name="Il tavolo in parole")
    expect(words.get_by_role("listitem").nth(3)).to_have_text("Box 4: libero.")
    button("Siediti qui, Box 4").press("Enter")
    expect(words.get_by_role("listitem").nth(3)).to_have_text("Box 4, Tu: nessuna carta.")
    page.get_by_role("radio", name="Fiche da €\u00a010", exact=True).press("Enter")
    button(re.compile("^Puntata principale, box 4: aggiungi €.10")).press("Enter")
    expect(words.get_by_role("listitem").nth(3)).to_have_text("Box 4, Tu: Puntata principale €\u00a010,00.")
    expect(button(re.compile("^Coppie Perfette, box 4"))).to_be_enabled()
    button("Inizia ora").press("Enter")
    heard(re.compile("Il banco mostra 9 di cuori.*Le tue carte, box 4: 5 di picche, 6 di quadri, totale 11"))
    heard(re.compile(r"Tocca a te, box 4: 11\. Puoi: Carta, Stai, Raddoppia \(€.10,00\)"))
    told = plain(words.inner_text())
    assert "Il banco ha 9 di cuori, una coperta, totale 9." in told
    assert "Dividi non si può: servono due carte di pari valore" in told
    button(re.compile("^Raddoppia")).press("Enter")
    heard(re.compile("Risultato della mano: \\+.€.20,00"))
    expect(words).to_contain_text("posta €\u00a020,00, Vince")
    expect(words).to_contain_text("Saldo €\u00a01.020,00")
    button("Il conto").press("Enter")
    rows = page.get_by_role("dialog", name="Il conto della mano").get_by_role("row")
    expect(rows.filter(has_text="Raddoppio")).to_contain_text("V-19")
    assert [line.returned for line in ada.paid()] == [2000, 2000]


def test_v94_escape_leaves_the_full_screen(sit: Sit, room: LiveHouse) -> None:
    ada = sit().at(room.table(), 4)
    ada.tool("Schermo intero").click()
    ada.page.wait_for_function("() => document.fullscreenElement !== null")
    ada.page.keyboard.press("Escape")
    ada.page.wait_for_function("() => document.fullscreenElement === null")
    expect(ada.tool("Schermo intero")).to_have_attribute("aria-pressed", "false")


def test_x07_the_main_bet_is_at_most_four_stops_away(sit: Sit, room: LiveHouse) -> None:
    """The first stop of the page leads past the tools to the bet; who only looked for the tools goes on with Tab."""
    ada = sit().at(room.table(), 4)
    ada.page.reload()
    expect(ada.spot(4)).to_be_visible()
    skip = ada.tool("Vai al tavolo")
    stops = 0
    while stops < 4 and not skip.evaluate("(one) => one === document.activeElement"):
        ada.page.keyboard.press("Tab")
        stops += 1
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    ada.page.keyboard.press("Enter")
    expect(ada.spot(4)).to_be_focused()
    expect(skip).not_to_be_in_viewport()


def test_x07_the_keyboard_is_called_to_the_decision_but_not_from_the_chat(sit: Sit, room: LiveHouse) -> None:
    """To the question, one stop before its answers; what is being written to the others is not cut off."""
    ada = sit().plays("8S 6H 9D TC 3C TD 2H", 4)
    expect(ada.page.get_by_role("heading", name="Box 4, tocca a te")).to_be_focused()
    ada.page.keyboard.press("Tab")
    expect(ada.act("Carta")).to_be_focused()
    bea = sit().at(room.table("8S 6H 9D TC 3C TD 2H"), 4)
    bea.bet(4)
    expect(bea.page.get_by_text("€\u00a01,00").first).to_be_visible()
    message = bea.page.get_by_label("Scrivi un messaggio")
    message.press_sequentially("buona ")
    room.deal(bea.player, bea.here)
    expect(bea.act("Carta")).to_be_visible()
    bea.page.keyboard.type("fortuna")
    expect(message).to_be_focused()
    expect(message).to_have_value("buona fortuna")


def test_x07_a_stray_space_or_enter_answers_nothing(sit: Sit, room: LiveHouse) -> None:
    """Whoever pressed once too often when the question came has decided nothing; the focused answer is taken."""
    ada = sit().plays("8S 6H 2D TC 3C TD 2H", 4)
    expect(ada.page.get_by_role("heading", name="Box 4, tocca a te")).to_be_focused()
    for key in ("Space", "Enter", "Space"):
        ada.page.keyboard.press(key)
    expect(ada.act("Carta")).not_to_have_attribute("aria-busy", "true")
    reached(ada, ada.act("Stai"))
    ada.page.keyboard.press("Space")
    ada.paid()
    assert len(room.state(ada.here).round.boxes[0].hands[0].cards) == 2
