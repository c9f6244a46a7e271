"""No rule lives in the client: tables of sheets it has never seen are shown as they are, with the same build (V-95)."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat, phase, plain

Sit = Callable[..., Seat]


def test_a_changed_sheet_is_shown_without_a_rebuild(sit: Sit, room: LiveHouse) -> None:
    """Seats, decks, chips, limits, odds, the dealer's rule and what there is at all come from the house."""
    ada = sit("Ada").at(room.table("AS 9H KD 8C", "other"), 3)
    assert [ada.box(number).count() for number in range(1, 8)] == [1] * 5 + [0] * 2
    ada.sees("Prova di scheda")
    shown = ada.text
    for text in ("6 mazzi", "Blackjack paga 6 a 5", "Il banco tira sul 17 morbido", "Assicurazione paga 3 a 1"):
        assert text.lower() in shown.lower(), text
    expect(ada.page.get_by_role("img", name=re.compile("^Sabot: 311 carte"))).to_be_visible()
    chips = ada.page.get_by_role("radiogroup", name="Fiche").get_by_role("radio")
    names = [plain(one.get_attribute("aria-label") or "") for one in chips.all()]
    assert names == ["Fiche da € 2", "Fiche da € 7", "Fiche da € 30"]
    panel = ada.page.get_by_role("group", name="Limiti del tavolo")
    expect(panel).to_contain_text(re.compile("Principale.*€.2 – 70"))
    expect(ada.page.get_by_role("group", name="Chat")).to_have_count(0)
    ada.bet(3).deal()
    assert [(line.stake, line.returned) for line in ada.paid()] == [(200, 440)]
    ada.sees("Hai vinto €\u00a02,40")
    ada.tool("Il conto").click()
    assert "€ 2,00 + 6/5 × € 2,00" in plain(ada.dialog.inner_text())


def test_v95_help_follows_the_changed_sheet(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(room.table(game="other"), 3)
    ada.tool("Aiuto").click()
    expect(ada.dialog.get_by_role("row", name=re.compile("Mazzi 6"))).to_be_visible()
    expect(ada.dialog.get_by_role("row", name=re.compile("Box al tavolo 5"))).to_be_visible()
    ada.dialog.get_by_role("link", name="Pagamenti").click()
    expect(ada.dialog.get_by_role("row", name=re.compile("Coppia perfetta"))).to_contain_text("31 a 1")
    expect(ada.dialog.get_by_role("row", name=re.compile("^Blackjack"))).to_contain_text("6 a 5")
    limits = ada.dialog.get_by_role("region", name="Limiti")
    row = plain(limits.get_by_role("row", name=re.compile("Puntata principale")).inner_text())
    assert re.search(r"€ 2\s+€ 70", row)


def test_v95_a_chapter_that_is_read_stays_open_while_the_round_goes_on(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(table := room.table("TS 9H QD 8C"), 4)
    ada.tool("Aiuto").click()
    ada.dialog.get_by_role("link", name="Limiti").click()
    room.bet(ada.player, table, 4)
    room.deal(ada.player, table)
    phase(ada.page, "la mano è in corso")
    limits = ada.dialog.get_by_role("region", name="Limiti")
    expect(limits.get_by_role("row", name=re.compile("Puntata principale"))).to_be_in_viewport()


def test_v24_the_limits_of_a_changed_sheet_are_those_of_the_spot(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(room.table(game="other"), 3)
    ada.page.get_by_role("radio", name="Fiche da €\u00a030").click()
    for _ in range(3):
        ada.bet(3)
    expect(ada.spot(3)).to_have_accessible_description(re.compile("Puntata principale al massimo €.70,00"))
    expect(ada.box(3).get_by_role("status")).to_have_text("Limite raggiunto")


def test_v20_help_prints_the_returns_of_the_sheet(sit: Sit, room: LiveHouse) -> None:
    ada = sit("Ada").at(room.table(), 3)
    ada.tool("Aiuto").click()
    returns = ada.dialog.get_by_role("region", name="Ritorno")
    for bet, printed in (("Puntata principale", "99,29"), ("Coppie Perfette", "95,90"), (r"21\+3", "96,30")):
        expect(returns.get_by_role("row", name=re.compile(f"^{bet}"))).to_contain_text(printed)
