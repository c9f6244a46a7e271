"""Every disabled control says why, in every phase and window of a live table (X-19)."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat, phase
from tests.support.browser.picture_house import settled
from tests.support.browser.places import bounds, overlap

Sit = Callable[..., Seat]
SILENT = """() => [...document.querySelectorAll('[aria-disabled="true"], :disabled')]
  .filter((one) => one.checkVisibility())
  .filter((one) => {
    const ids = (one.getAttribute('aria-describedby') ?? '').split(' ');
    const told = ids.map((id) => document.getElementById(id)?.textContent ?? '');
    const name = one.getAttribute('aria-label') ?? '';
    return !told.some((text) => text.trim().length > 5) && !name.includes(':');
  })
  .map((one) => one.outerHTML.slice(0, 200))"""
"""The closed controls on the screen without a reason that a reader of the screen would hear."""
CONTAINS = "(panel, one) => panel.contains(one)"
ON_TOP = "(one) => one.matches(':popover-open')"
CLOSED = "() => document.querySelectorAll('[aria-disabled=\"true\"], :disabled').length"


def silent(seat: Seat) -> list[str]:
    found: list[str] = seat.page.evaluate(SILENT)
    return found


def closed(seat: Seat) -> int:
    count: int = seat.page.evaluate(CLOSED)
    return count


@pytest.mark.parametrize("size", [(1280, 800), (360, 740), (740, 360)])
def test_x19_in_every_phase(sit: Sit, room: LiveHouse, size: tuple[int, int]) -> None:
    """Before a bet, at the limit, after the confirmation, while insurance and a decision are asked, at the end."""
    width, height = size
    ada = sit(width=width, height=height).at(table := room.table("9S AH 7D 8C TC"), 4, money=60_000)
    seen = list[int]()

    def look() -> None:
        seen.append(closed(ada))
        assert silent(ada) == []

    expect(ada.spot(4)).to_be_visible()
    look()
    room.bet(ada.player, table, 4, 50_000)
    expect(ada.spot(4)).to_be_disabled()
    look()
    room.deal(ada.player, table)
    expect(ada.act("Assicura")).to_be_visible()
    look()
    ada.decide("No, grazie")
    expect(ada.act("Stai")).to_be_visible()
    expect(ada.act("Raddoppia")).to_be_disabled()
    look()
    ada.decide("Stai").paid()
    look()
    assert min(seen[0], seen[1], seen[3]) >= 2, seen


def test_x19_a_press_on_a_closed_control_says_it_aloud(sit: Sit, room: LiveHouse) -> None:
    ada = sit("").at(room.table(), 4)
    settled(ada.page)
    ada.tool("Inizia ora").click(force=True)
    ada.told("Non c’è ancora nessuna puntata.")
    ada.page.get_by_role("button", name=re.compile("^Ripeti")).hover()
    expect(
        ada.page.get_by_role("tooltip").or_(ada.page.get_by_text("Non c’è una puntata precedente")).first
    ).to_be_attached()


def test_x19_in_the_windows_over_the_table(sit: Sit, room: LiveHouse) -> None:
    ada, bea = sit("Ada").at(table := room.table(), 2), sit().at(table, money=100)
    bea.tool("Punta alle spalle di Ada").click()
    expect(bea.dialog).to_be_visible()
    assert silent(bea) == []
    bea.page.keyboard.press("Escape")
    for name in ("Impostazioni", "Cassa", "Gioca responsabile"):
        bea.page.get_by_role("group", name="Strumenti").get_by_role("button", name=name).click()
        expect(bea.dialog.get_by_role("button").nth(2)).to_be_visible()
        assert silent(bea) == [], name
        bea.page.keyboard.press("Escape")
        expect(bea.dialog).to_have_count(0)
    phase(ada.page, "si raccolgono le puntate")


@pytest.mark.parametrize("size", [(1280, 800), (360, 740), (740, 360)])
def test_x19_a_bet_behind_a_linked_account_is_closed_and_says_why(
    sit: Sit, room: LiveHouse, size: tuple[int, int]
) -> None:
    """H-5: the control is there and closed; nobody has to press it to hear that it is refused."""
    ada, bea = sit("Ada").at(table := room.table(), 2), sit(width=size[0], height=size[1])
    assert room.run(room.doors.application.integrity.link(room.eva, ada.player, bea.player, "one family")) is None
    bea.at(table, money=10_000)
    if size == (360, 740):
        bea.page.get_by_role("button", name=re.compile("^Box 2:")).click()
        closed = bea.dialog.get_by_role("button", name=re.compile("^Aggiungi"))
    else:
        closed = bea.tool("Punta alle spalle di Ada")
    expect(closed).to_be_disabled()
    expect(closed).to_have_accessible_description("Box 2: fra conti collegati non si punta alle spalle.")
    assert silent(bea) == []
    closed.click(force=True)
    expect(bea.page.locator(".bubble")).to_have_text("Box 2: fra conti collegati non si punta alle spalle.")


def test_x19_a_planted_silence_is_found(sit: Sit, room: LiveHouse) -> None:
    ada = sit().at(room.table(), 4)
    expect(ada.tool("Inizia ora")).to_be_disabled()
    assert silent(ada) == []
    ada.page.evaluate("() => document.querySelector('[aria-disabled]').removeAttribute('aria-describedby')")
    assert len(silent(ada)) == 1


def test_a_planted_complaint_is_heard_at_a_table(sit: Sit, room: LiveHouse) -> None:
    """What the browser itself refuses or throws at a live table fails the test that saw it."""
    ada = sit().at(room.table(), 4)
    ada.page.evaluate("() => document.body.insertAdjacentHTML('beforeend', '<p style=color:red></p>')")
    ada.page.evaluate("() => setTimeout(() => { throw new Error('planted'); })")
    room.until(lambda: ada.page.evaluate("() => 1") == 1 and len(ada.visitor.complaints) >= 2)
    told = " ".join(ada.visitor.complaints)
    assert "policy: style-src-attr" in told
    assert "error: planted" in told
    ada.visitor.complaints.clear()


def test_x19_a_pointer_that_rests_on_a_key_which_closes_brings_no_bubble(sit: Sit) -> None:
    """It would lie over the keys beside it all through the round; a move asks why."""
    ada = sit("Ada").plays("TS 9H QD 8C")
    bubble = ada.page.locator(".bubble")
    expect(ada.act("Stai")).to_be_enabled()
    expect(bubble).to_have_count(0)
    ada.tool("Ripeti").hover(force=True)
    expect(bubble).to_be_visible()


def test_x19_a_bubble_is_inside_the_window_and_over_no_open_panel(sit: Sit) -> None:
    """V-97: on a closed tool beside the limits, on the last tool of the head, in a window over the table."""
    ada = sit("").plays("9S 6H 7D 8C TC")
    bubble = ada.page.locator(".bubble")
    panels = ada.page.locator(".limits.panel, .chat.panel, .decision.panel")
    assert panels.count() == 3
    last = ada.page.get_by_role("group", name="Strumenti").get_by_role("button").last
    for control in (ada.tool("Ripeti"), last, ada.act("Dividi")):
        control.hover(force=True)
        expect(bubble).to_be_visible()
        left, top, right, bottom = bounds(bubble)
        assert min(left, top) >= 0
        assert right <= 1280
        assert bottom <= 800
        apart = [one for one in panels.all() if not one.evaluate(CONTAINS, control.element_handle())]
        assert not [one for one in apart if overlap(bubble, one)], control
        ada.page.mouse.move(640, 300)
        expect(bubble).to_have_count(0)
    ada.tool("Aiuto").click()
    ada.dialog.get_by_role("button", name="Chiudi").first.focus()
    ada.page.keyboard.press("Shift+Tab")
    ada.page.keyboard.press("Tab")
    expect(bubble).to_have_text("Chiudi")
    assert bubble.evaluate(ON_TOP), "the bubble lies behind the window"


@pytest.mark.parametrize("size", [(1280, 800), (360, 740)])
def test_x19_no_word_is_in_a_native_title(sit: Sit, room: LiveHouse, size: tuple[int, int]) -> None:
    """What a title says nobody reads without a mouse: the bubble says it to keys and fingers too."""
    ada = sit("", width=size[0], height=size[1]).at(room.table(), 4)
    expect(ada.spot(4)).to_be_visible()
    assert ada.page.locator("[title]").count() == 0
    tool = ada.tool("Menu")
    tool.focus()
    ada.page.keyboard.press("Shift+Tab")
    ada.page.keyboard.press("Tab")
    expect(ada.page.locator(".bubble")).to_have_text("Menu")
