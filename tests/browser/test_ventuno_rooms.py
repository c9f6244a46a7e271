"""The lobby while one plays, several tables in one window, a second device, the sizes (V-83…V-90, V-97)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat, phase, plain
from ventuno.core.messages.commands import Act
from ventuno.core.table.round import Action

Sit = Callable[..., Seat]
HANDS = "TS 9H QD 8C"
WIDE = {"width": 1920, "height": 1080}
WATCH_LEFT = """() => {
  window.leftShown = [];
  const left = location.pathname;
  let isAway = false;
  const look = () => {
    isAway ||= location.pathname !== left;
    if (document.querySelector('[aria-label="Carta coperta"]')) leftShown.push(isAway ? location.pathname : 'before');
  };
  look();
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
}"""
"""Notes where a page shows a card face down: `before` one goes away, and from that moment on at which address."""


def panel(seat: Seat, table: str) -> Locator:
    return seat.page.get_by_role("region", name=re.compile(rf"{re.escape(table)} "))


def card(seat: Seat, table: str) -> Locator:
    """A table as the lobby shows it over the game."""
    return seat.dialog.get_by_role("article").filter(has=seat.page.get_by_role("heading", name=table, exact=True))


def add(seat: Seat, table: str) -> None:
    seat.tool("+ Tavolo").click()
    card(seat, table).get_by_role("button", name=f"Aggiungi il tavolo {table}").click()
    expect(panel(seat, table).get_by_role("group", name="Banco")).to_be_visible()


def play(seat: Seat, table: str, room: LiveHouse) -> None:
    """A round at one of several tables, without touching the others."""
    here = panel(seat, table)
    here.get_by_role("button", name=re.compile("Puntata principale, box 4: ")).click()
    expect(here.get_by_role("definition").filter(has_text="€\u00a01,00").first).to_be_visible()
    here.get_by_role("button", name="Inizia ora").click()
    here.get_by_role("group", name="La tua decisione").get_by_role("button", name=re.compile("^Stai", re.I)).click()
    expect(here.get_by_text("Fase: si paga la mano.")).to_be_attached()
    assert [line.returned for line in room.state(table).round.lines] == [200]


def test_v83_the_lobby_over_a_round_interrupts_nothing(sit: Sit, room: LiveHouse) -> None:
    ada, other = sit("Ada").plays(HANDS), room.table()
    ada.tool("Lobby").click()
    expect(card(ada, other)).to_contain_text("0 di 7 posti")
    expect(card(ada, ada.here)).to_contain_text("1 di 7 posti · 1 giocatore · ci siedi tu")
    room.due(ada.here)
    phase(ada.page, "si paga la mano")
    ada.page.keyboard.press("Escape")
    expect(ada.dialog).to_have_count(0)
    ada.sees("Hai vinto €\u00a01,00")
    assert room.taken(ada.here) == {4}


def test_v83_the_lobby_page_keeps_the_seat_until_another_table_is_picked(sit: Sit, room: LiveHouse) -> None:
    ada, other = sit().at(table := room.table(), 4), room.table()
    ada.tool("Lobby").click()
    ada.dialog.get_by_role("button", name="Vai alla lobby").click()
    expect(ada.page.get_by_role("heading", name="Tavoli dal vivo")).to_be_visible()
    assert room.taken(table) == {4}
    ada.page.get_by_role("button", name=f"Entra al tavolo {other}").first.click()
    expect(panel(ada, other)).to_be_visible()
    expect(panel(ada, table)).to_have_count(0)
    ada.page.wait_for_function("() => fetch('/api/me').then((a) => a.json()).then((me) => me.tables.length === 0)")
    assert room.taken(table) == set()
    assert room.state(table).purse(ada.player) == 0


def test_v84_v86_tables_are_added_to_the_window_and_all_are_played(sit: Sit, room: LiveHouse) -> None:
    """V-84, V-86: the panels follow the size of the window, and none has a size of its own."""
    ada = sit(**WIDE).at(first := room.table(HANDS), 4)
    room.seat(ada.player, second := room.table(HANDS), 4)
    add(ada, second)
    for table in (first, second):
        play(ada, table, room)
    for width, height, across in ((1920, 1080, 2), (1600, 900, 2), (820, 1180, 1)):
        ada.page.set_viewport_size({"width": width, "height": height})
        ada.page.wait_for_function(f"() => document.querySelector('main').clientWidth === {width}")
        for table in (first, second):
            least, most = width / across - 4, width / across
            fits = f"(panel) => {least} <= panel.clientWidth && panel.clientWidth <= {most}"
            ada.page.wait_for_function(fits, arg=panel(ada, table).element_handle())
    assert ada.page.evaluate("() => getComputedStyle(document.querySelector('section')).resize") == "none"


def test_v85_a_table_alone_has_no_plus(sit: Sit, room: LiveHouse) -> None:
    """V-85: neither in the list of tables nor at the table itself."""
    ada, lone = sit("Ada").at(table := room.table(), 4), room.table(game="lone")
    ada.tool("+ Tavolo").click()
    expect(card(ada, lone)).to_be_visible()
    expect(ada.dialog.get_by_role("button", name=f"Aggiungi il tavolo {lone}")).to_have_count(0)
    expect(ada.dialog.get_by_role("button", name=f"Aggiungi il tavolo {room.table()}")).to_be_visible()
    ada.page.keyboard.press("Escape")
    ada.go(lone)
    expect(ada.tool("Lobby")).to_be_visible()
    expect(ada.tool("+ Tavolo")).to_have_count(0)
    assert table


def test_v87_x_leaves_one_table_and_not_the_others(sit: Sit, room: LiveHouse) -> None:
    ada = sit(**WIDE).at(first := room.table(HANDS), 4)
    room.seat(ada.player, second := room.table(), 4)
    add(ada, second)
    panel(ada, second).get_by_role("button", name=f"Chiudi il tavolo {second}").click()
    ada.dialog.get_by_role("button", name="Lascia il tavolo").click()
    expect(panel(ada, second)).to_have_count(0)
    expect(panel(ada, first).get_by_role("button", name="Lascia il box 4")).to_be_visible()
    expect(ada.page).to_have_url(re.compile(f"/table/{first.replace(' ', '%20')}$"))
    room.until(lambda: room.taken(second) == set())
    assert room.taken(first) == {4}


def test_v88_the_second_device_takes_the_table_over(sit: Sit) -> None:
    ada = sit("Ada").plays(HANDS)
    again = sit(again=ada)
    again.go(ada.here)
    expect(ada.page.get_by_role("heading", name="Giochi da un altro dispositivo")).to_be_visible()
    expect(ada.page.get_by_role("group", name="La tua decisione")).to_have_count(0)
    expect(again.act("Stai")).to_be_visible()
    ada.page.get_by_role("button", name="Torna qui").click()
    expect(again.page.get_by_role("heading", name="Giochi da un altro dispositivo")).to_be_visible()
    assert [line.returned for line in ada.decide("Stai").paid()] == [200]


def test_v89_the_picture_changes_table_instead_of_adding_one(sit: Sit, room: LiveHouse) -> None:
    """V-89: the table that was left is left, its seat too."""
    ada, other = sit("Ada").at(table := room.table(), 4), room.table()
    ada.tool("Lobby").click()
    card(ada, other).get_by_role("button", name=f"Entra al tavolo {other}").click()
    expect(panel(ada, other)).to_be_visible()
    expect(panel(ada, table)).to_have_count(0)
    room.until(lambda: room.taken(table) == set())


def test_v89_straight_to_another_table_and_back_the_felt_before_is_never_shown(sit: Sit, room: LiveHouse) -> None:
    """Every change of the page is looked at: a hand that was in play when one left, and is paid when one comes back, is
    shown neither at the table between nor at its own as if it went on."""
    table, other, owner = room.table("9S TS 7H KD 8C"), room.table(), room.player()
    room.seat(owner, table, 5)
    room.bet(owner, table, 5)
    room.deal(owner, table)
    ada = sit(reduced_motion="no-preference").go(other).go(table)
    expect(ada.page.get_by_role("img", name="Carta coperta").first).to_be_visible()
    ada.page.evaluate(WATCH_LEFT)
    ada.go(other)
    expect(panel(ada, other).get_by_role("button", name=re.compile("^Siediti qui, Box 5"))).to_be_visible()
    room.until(lambda: table not in room.doors.hub.broadcasts)
    room.ask(table, Act(owner, 5, Action.STAND, 0), owner)
    ada.go(table)
    expect(ada.page.get_by_role("img", name="Re di quadri")).to_be_visible()
    assert set(ada.page.evaluate("window.leftShown")) == {"before"}


@pytest.mark.parametrize(("width", "height", "count"), [(1280, 800, 1), (1920, 1080, 4)])
def test_v90_a_hint_says_how_many_tables_fit(sit: Sit, room: LiveHouse, width: int, height: int, count: int) -> None:
    ada = sit(width=width, height=height).go(room.table())
    ada.tool("+ Tavolo").click()
    expect(ada.dialog.get_by_text(f"Apri solo i tavoli che stanno bene sullo schermo: qui {count}.")).to_be_visible()


def test_v84_on_a_screen_for_one_table_the_others_are_a_tab_away(sit: Sit, room: LiveHouse) -> None:
    """Where it is one's turn at a table that is not shown, its tab says so, and so does the title of the window."""
    ada = sit().at(first := room.table(HANDS), 4)
    room.seat(ada.player, second := room.table(HANDS), 4)
    ada.go(first, second)
    tabs = ada.page.get_by_role("group", name="Tavoli aperti").last
    expect(tabs.get_by_role("button", name=first, exact=True)).to_have_attribute("aria-pressed", "true")
    room.bet(ada.player, second, 4)
    room.deal(ada.player, second)
    expect(tabs.get_by_role("button", name=f"{second}: tocca a te")).to_have_attribute("aria-pressed", "true")
    expect(ada.page).to_have_title(f"{second}: tocca a te")
    ada.decide("Stai")
    expect(ada.page.get_by_text("Hai vinto €\u00a05,00").first).to_be_visible()
    expect(ada.page).to_have_title(re.compile(f"{first} · {second} · "))


@pytest.mark.parametrize(("width", "height"), [(360, 740), (740, 360), (820, 1180), (1280, 800)])
def test_v97_a_round_by_touch_at_every_size(sit: Sit, room: LiveHouse, width: int, height: int) -> None:
    """Sit, bet, undo, deal and decide with the finger alone; nothing needs a pointer that hovers."""
    ada = sit(width=width, height=height, has_touch=True, is_mobile=width != 1280)
    room.seat(ada.player, table := room.table("5S 9H 6D 8C TC"))
    ada.go(table).tool("Siediti qui, Box 4").tap()
    expect(ada.spot(4)).to_be_enabled()
    for _ in range(2):
        ada.spot(4).tap()
    expect(ada.spot(4)).to_have_accessible_name(re.compile("€\u00a02$"))
    ada.tool("Annulla").tap()
    expect(ada.spot(4)).to_have_accessible_name(re.compile("box 4: €\u00a01$"))
    ada.tool("Inizia ora").tap()
    ada.act("Raddoppia").tap()
    assert sorted(line.returned for line in ada.paid()) == [200, 200]
    ada.sees(re.compile("Hai vinto €.2,00"))


def test_x08_a_practice_table_deals_the_chosen_cards_for_credit(sit: Sit) -> None:
    """Opened from the room with chosen cards: they come in that order, and no money of the account moves."""
    ada = sit()
    page = ada.visitor.go("/practice")
    page.get_by_label("Gioco").select_option("ventuno")
    for card in (
        "8 di picche",
        "6 di cuori",
        "8 di quadri",
        "10 di fiori",
        "3 di fiori",
        "10 di quadri",
        "9 di picche",
    ):
        page.get_by_role("button", name=f"Aggiungi {card}").click()
    page.get_by_role("button", name="Apri il tavolo").click()
    expect(page.get_by_role("region", name=re.compile("Tavolo di prova"))).to_be_visible()
    ada.bet(1).deal().decide("Dividi")
    ada.sees("Box 1, mano 1")
    told = plain(ada.in_words.inner_text())
    assert "8 di picche, 3 di fiori, totale 11" in told
    assert "8 di quadri, 10 di quadri, totale 18" in told
    told = page.evaluate("() => fetch('/api/cashier').then((answer) => answer.json())")
    assert (told["balance"], told["at_tables"]) == (0, 0)
