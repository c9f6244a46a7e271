"""Money at a live table: one button where the balance stands, at every size and in every state (V-44)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat
from ventuno.core.messages.commands import TakeMoney

Sit = Callable[..., Seat]
ADD = "Aggiungi denaro"
SIZES = ((1280, 800), (360, 740), (667, 375))
TOUCHES = "([one, other]) => Math.abs(one.top + one.height / 2 - other.top - other.height / 2) < 40"


def adding(seat: Seat) -> Locator:
    """The button, wherever it is; a notice that has one too is no place of it."""
    places = seat.page.locator(".panel-table header, .panel-table .foot")
    return places.get_by_role("button", name=re.compile(f"^{ADD}(: |$)"))


def bring(seat: Seat, euro: str) -> None:
    dialog = seat.dialog
    expect(dialog.get_by_label("Importo")).not_to_have_value("")
    dialog.get_by_label("Importo").fill(euro)
    dialog.get_by_role("button", name=re.compile("porta €", re.I)).last.click()
    expect(dialog).to_have_count(0)


@pytest.mark.parametrize("size", SIZES)
def test_v44_money_is_added_where_the_balance_stands(sit: Sit, room: LiveHouse, size: tuple[int, int]) -> None:
    """Watching, seated, broke, and while a decision is asked: one button, in the line of the balance."""
    ada = sit(width=size[0], height=size[1]).go(table := room.table("TS 9H QD 8C"))
    expect(adding(ada)).to_have_count(1)
    ada.at(table, 4, money=300)
    expect(adding(ada)).to_have_count(1)
    balance = ada.page.get_by_text("€\u00a03,00").first
    expect(balance).to_be_visible()  # the foot of who has sat down is drawn
    expect(adding(ada)).to_be_visible()
    places = [one.evaluate("one => one.getBoundingClientRect().toJSON()") for one in (adding(ada), balance)]
    assert ada.page.evaluate(TOUCHES, places), places
    room.ask(table, TakeMoney(ada.player, 300, 0), ada.player)
    expect(ada.page.get_by_text("€\u00a00,00").first).to_be_visible()
    adding(ada).click()
    bring(ada, "20")
    expect(ada.page.get_by_text("€\u00a020,00").first).to_be_visible()
    ada.bet(4).deal()
    expect(ada.act("Stai")).to_be_visible()
    expect(adding(ada)).to_be_visible()


def test_v44_who_comes_back_from_another_table_can_add_money(sit: Sit, room: LiveHouse) -> None:
    """The money went home with him who left; in several tables each has its own button."""
    ada = sit().at(first := room.table(), 4, money=1_000)
    ada.go(second := room.table())
    room.until(lambda: room.state(first).purse(ada.player) == 0)
    ada.go(first)
    expect(adding(ada)).to_have_count(1)
    ada.page.set_viewport_size({"width": 1920, "height": 1080})
    ada.go(first, second)
    expect(adding(ada)).to_have_count(2)
    adding(ada).last.click()
    bring(ada, "7")
    room.until(lambda: room.state(second).purse(ada.player) == 700)


def test_v44_v46_a_chip_that_is_not_covered_leads_to_the_money(sit: Sit, room: LiveHouse) -> None:
    """A press on a closed chip says what is missing, with the button that helps; so does a circle that refuses it."""
    ada = sit().at(table := room.table(), 4, money=300)
    ada.page.get_by_role("radio", name=re.compile("Fiche da €.25")).click(force=True)
    notice = ada.page.get_by_role("group", name="Avvisi")
    expect(notice.get_by_text("il saldo non basta")).to_be_visible()
    notice.get_by_role("button", name=ADD).click()
    expect(ada.dialog.get_by_role("heading", name="Porta denaro al tavolo")).to_be_visible()
    ada.page.keyboard.press("Escape")
    room.bet(ada.player, table, 4, 300)
    expect(ada.spot(4)).to_have_accessible_name(re.compile("€.3$"))
    ada.spot(4).click()
    expect(notice.get_by_text("Servono")).to_be_visible()
    notice.get_by_role("button", name=ADD).click()
    expect(ada.dialog).to_be_visible()


def test_v44_the_amount_is_proposed_when_the_account_is_known(sit: Sit, room: LiveHouse) -> None:
    """Until the house has said what is on the account nothing is proposed: no other sum goes than was read."""
    ada = sit().at(table := room.table(), 4, money=5_000)
    room.ask(table, TakeMoney(ada.player, 4_000, 0), ada.player)
    waiting = []
    ada.page.route("**/api/me", lambda route: waiting.append(route))
    adding(ada).click()
    field = ada.dialog.get_by_label("Importo")
    expect(field).to_have_attribute("aria-busy", "true")
    expect(field).to_have_value("")
    expect(ada.dialog.get_by_role("button", name=re.compile("porta", re.I)).last).to_be_disabled()
    for route in waiting:
        route.continue_()
    ada.page.unroute("**/api/me")
    expect(field).to_have_value("40")
    ada.dialog.get_by_role("button", name=re.compile("Porta €.40")).click()
    room.until(lambda: room.state(table).purse(ada.player) == 5_000)
