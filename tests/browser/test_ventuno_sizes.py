"""The live table in little room: fingers, a panel that keeps its height, a moment that covers what it should."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat
from tests.support.browser.picture_house import settled
from tests.support.browser.places import bounds
from tests.support.browser.screens import faults
from tests.support.browser.solo_browser import seen_at

Sit = Callable[..., Seat]
COVERED = """() => {
  const [veil, felt] = ['.grand', '.panel-table > .felt'].map((where) => document.querySelector(where));
  if (!veil) return null;
  felt.scrollTop = felt.scrollHeight;
  const [over, under] = [veil, felt].map((one) => one.getBoundingClientRect());
  return [felt.scrollTop > 0, over.top <= under.top + 1, over.bottom >= under.bottom - 1];
}"""


def list_circle_faults(page: Page) -> list[str]:
    return [fault for fault in faults(page, True) if ".spot." in fault and fault.split(":")[0] in ("tiny", "covered")]


def test_v39_on_a_low_phone_each_circle_of_seven_boxes_takes_a_finger(sit: Sit, room: LiveHouse) -> None:
    """V-39: 21 circles at 740 x 360 and at 667 x 375, each 44 px and none over another; one that is smaller is seen."""
    ada = sit("").at(room.table(), 1, 2, 3, 4, 5, 6, 7)
    for size in ((740, 360), (667, 375)):
        with seen_at(ada.page, *size):
            settled(ada.page)
            expect(ada.page.locator("button.spot")).to_have_count(21)
            assert list_circle_faults(ada.page) == []
    with seen_at(ada.page, 740, 360):
        ada.spot(4, "21+3").evaluate("one => { one.style.scale = 0.7; }")
        assert [fault.split(":")[0] for fault in list_circle_faults(ada.page)] == ["tiny"]
        ada.spot(4, "21+3").evaluate("one => { one.style.scale = ''; }")


def test_v55_the_panel_of_a_decision_keeps_its_height_whatever_closes_a_key(sit: Sit) -> None:
    """V-55, X-19: open, and closed by the longest reasons: the table over it stays where it is."""
    ada = sit("Ada").plays("8S 6H 8D KC 3C TD 9C")
    panel = ada.page.locator(".decision")

    def measure() -> list[int]:
        heights = []
        for size in ((360, 740), (740, 360), (1280, 800)):
            with seen_at(ada.page, *size):
                settled(ada.page)
                heights.append(round(bounds(panel)[3] - bounds(panel)[1]))
        return heights

    expect(ada.act("Dividi")).to_be_enabled()
    before = measure()
    ada.decide("Carta")
    expect(ada.act("Dividi")).to_have_attribute("aria-disabled", "true")
    assert measure() == before


def test_v23_the_moment_of_a_great_win_covers_a_felt_that_is_scrolled(sit: Sit, room: LiveHouse) -> None:
    """V-23: on a phone whose felt is longer than its room no strip of it is left uncovered."""
    ada = sit("Ada").at(table := room.table("8S 9H 8S KC 5C TD"), 4)
    with seen_at(ada.page, 360, 480):
        room.bet(ada.player, table, 4, 100)
        room.bet(ada.player, table, 4, 100, "perfect-pairs")
        room.deal(ada.player, table)
        assert ada.page.wait_for_function(COVERED).json_value() == [True, True, True]
