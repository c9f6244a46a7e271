"""The frame around every page: head, foot and their controls at every size (V-97, V-75)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser import screens
from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat
from tests.support.browser.picture_house import settled

Sit = Callable[..., Seat]
SIZES = (
    *((320, 640), (360, 740), (390, 844), (568, 320), (640, 360), (667, 375), (740, 360), (820, 1180)),
    *((1024, 768), (1180, 820), (1280, 800), (1366, 768), (1440, 900), (1920, 1080)),
)
ZOOMED = ((640, 400), (683, 384), (960, 540))
"""1280, 1366 and 1920 px at 200 %: half of the points, each twice as large."""
FINGER = 44
MEASURE = Path(screens.__file__).with_name("controls.js").read_text()
MEASURE = MEASURE[MEASURE.index("([where") :]
TABLE = ".panel-table > header, .panel-table > .foot, .bar"
LOBBY = "header:not(main header), nav:not(main nav)"


def resized(page: Page) -> Iterator[str]:
    """The same page at every size, under a finger and at 200 %; the pointer stays as its browser has it."""
    for width, height in (*SIZES, *ZOOMED):
        page.set_viewport_size({"width": width, "height": height})
        settled(page)
        yield f"{width}x{height}"


def wrong(page: Page, where: str, least: int) -> list[str]:
    return [f"{size}: {fault}" for size in resized(page) for fault in page.evaluate(MEASURE, [where, least])]


@pytest.mark.parametrize("touch", [True, False])
def test_v97_every_control_of_head_and_foot_is_inside_the_window(sit: Sit, room: LiveHouse, touch: bool) -> None:
    """Lobby and live table, seated with a bet: inside, large enough for a finger, none over another."""
    wishes: dict[str, Any] = {"has_touch": True} if touch else {}
    least = FINGER if touch else 24
    ada = sit(**wishes).at(room.table(), 4)
    ada.bet(4)
    expect(ada.spot(4)).to_have_accessible_name(re.compile("€.1$"))
    found = wrong(ada.page, TABLE, least)
    ada.visitor.walk("/")
    expect(ada.page.get_by_role("main")).to_be_visible()
    found += wrong(ada.page, LOBBY, least)
    assert not found, "\n".join(found)


def test_v97_v73_v74_what_must_never_fold_is_there_at_every_size(sit: Sit, room: LiveHouse) -> None:
    """Play responsibly, the cashier and the menu; what folded is in the menu."""
    ada = sit().at(room.table(), 4)
    for size in resized(ada.page):
        tools = ada.page.get_by_role("group", name="Strumenti")
        for name in ("Cassa", "Gioca responsabile", "Menu"):
            assert tools.get_by_role("button", name=re.compile(f"^{name}")).count() == 1, (size, name)
    ada.page.set_viewport_size({"width": 320, "height": 640})
    ada.tool("Menu").click()
    for name in ("Chat", "Aiuto", "Storico", "Impostazioni", "Lobby"):
        expect(ada.dialog.get_by_role("button", name=name, exact=True)).to_be_visible()
    ada.dialog.get_by_role("button", name="Chat", exact=True).click()
    expect(ada.page.get_by_role("log", name="Chat")).to_be_visible()


def test_x01_the_seal_opens_at_every_size_and_at_several_tables(sit: Sit, room: LiveHouse) -> None:
    """Which shoe is sealed, by what, and whose word a verdict rests on: where the felt has no room, in the menu."""
    ada = sit().at(table := room.table(), 4)
    root = room.seal(table)
    for width, height in ((320, 640), (360, 740), (667, 375), (820, 1180), (1366, 768)):
        ada.page.set_viewport_size({"width": width, "height": height})
        ada.tool("Menu").click()
        ada.dialog.get_by_role("button", name="Sigillo del sabot").click()
        for text in (root, "Su che cosa poggerà il verdetto", "I tuoi byte per il prossimo sabot"):
            expect(ada.dialog).to_contain_text(text)
        ada.page.keyboard.press("Escape")
        expect(ada.dialog).to_have_count(0)
    ada.page.set_viewport_size({"width": 1920, "height": 1080})
    room.seat(ada.player, other := room.table(), 4)
    ada.go(table, other)
    for name, seal in ((table, root), (other, room.seal(other))):
        panel = ada.page.get_by_role("region", name=re.compile(rf"{name}\b"))
        panel.get_by_role("button", name="Sigillo del sabot").click()
        expect(ada.dialog).to_contain_text(seal)
        ada.page.keyboard.press("Escape")
        expect(ada.dialog).to_have_count(0)


def test_v75_the_ids_are_one_chip_that_opens_and_copies(sit: Sit, room: LiveHouse) -> None:
    """Both ids of a seated player are read in the head at every size, and copied for support."""
    ada = sit(permissions=["clipboard-read", "clipboard-write"]).at(table := room.table(), 4)
    ids = room.doors.application.tables._concession.find_admission(ada.player, table)
    assert ids is not None
    chip = ada.page.get_by_role("button", name=re.compile(f"{ids.session}.*{ids.participation}"))
    for size in resized(ada.page):
        assert ids.session in chip.inner_text(), size
        assert ids.participation in chip.inner_text(), size
    chip.click()
    ada.dialog.get_by_role("button", name="Copia: ID partecipazione").click()
    expect(ada.dialog.get_by_role("button", name="Copia: ID partecipazione")).to_have_text("Copiato")
    assert ada.page.evaluate("() => navigator.clipboard.readText()") == ids.participation


REACH = """(control) => {
  const place = control.getBoundingClientRect();
  const [x, y] = [place.left + place.width / 2, place.top + place.height / 2];
  const hits = (dx, dy) => control.contains(document.elementFromPoint(x + dx, y + dy));
  const far = (dx, dy) => { let k = 0; while (k < 60 && hits(dx * (k + 1), dy * (k + 1))) k += 1; return k; };
  return hits(0, 0) ? [1 + far(-1, 0) + far(1, 0), 1 + far(0, -1) + far(0, 1)] : [0, 0];
}"""
"""How wide and how high a finger finds a control, whatever of it is drawn."""


@pytest.mark.parametrize("size", [(740, 360), (667, 375), (360, 740)])
def test_v97_what_lies_on_the_felt_is_large_enough_for_a_finger(
    sit: Sit, room: LiveHouse, size: tuple[int, int]
) -> None:
    """Seats, one's main circle, the button that leaves a seat: also where the arc is drawn small."""
    ada = sit("", width=size[0], height=size[1], has_touch=True).at(room.table(), 4)
    expect(ada.tool("Lascia il box 4")).to_be_visible()
    controls = [ada.tool("Lascia il box 4"), ada.spot(4), *ada.page.get_by_role("button", name="Siediti qui").all()]
    small = {one.get_attribute("aria-label"): one.evaluate(REACH) for one in controls}
    assert not {name: reach for name, reach in small.items() if min(reach) < FINGER - 1}
