"""A line that breaks is seen at once, promises nothing, and costs nothing (V-79, V-80)."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat
from tests.support.browser.lost_connection import Tunnel
from tests.support.browser.solo_table import closed
from tests.support.browser.speed import Gate
from tests.support.stopwatch import Stopwatch

Sit = Callable[..., Seat]
LOST = re.compile("Ti stiamo riportando al tavolo|La casa non risponde")
SEEN = """(words) => new Promise((done) => {
  const from = performance.now();
  const look = () => {
    if (!document.body.innerText.includes(words)) return;
    seen.disconnect();
    done(performance.now() - from);
  };
  const seen = new MutationObserver(look);
  seen.observe(document.body, { subtree: true, childList: true, characterData: true });
  look();
})"""
IS_ON_TOP = """(notice) => {
  const { left, top, width, height } = notice.getBoundingClientRect();
  const seen = document.elementFromPoint(left + width / 2, top + height / 2);
  return top >= 0 && left >= 0 && left + width <= innerWidth && top + height <= innerHeight && notice.contains(seen);
}"""
WITHIN = 3_000
REST, SHARE = 4.0, 0.03


def see_lost_line(seat: Seat) -> None:
    with Stopwatch() as watch:
        expect(seat.page.get_by_role("heading", name=LOST)).to_be_visible()
        assert watch.seconds * 1000 < WITHIN


def test_v80_a_network_that_is_gone_is_seen_at_once_and_no_key_promises(sit: Sit, room: LiveHouse) -> None:
    """No decision is offered, tools are closed and say why; with the network the table is back by itself."""
    ada = sit("", reduced_motion="reduce", spoils=True).plays("5S 9H 6D 8C 4D TD")
    ada.visitor.context.set_offline(True)
    see_lost_line(ada)
    expect(ada.page.get_by_role("group", name="La tua decisione")).to_have_count(0)
    assert "caduta" in closed(ada.page.get_by_role("button", name=re.compile("^Ripeti")))
    state = room.state(ada.here)
    ada.page.keyboard.press("s")
    assert room.state(ada.here) == state
    ada.visitor.context.set_offline(False)
    expect(ada.page.get_by_role("heading", name=LOST)).to_have_count(0)
    ada.decide("Stai").paid()
    ada.visitor.complaints.clear()


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (360, 740), (667, 375)])
def test_v80_a_press_without_a_line_is_told_and_stays_told_when_the_line_is_back(
    sit: Sit, room: LiveHouse, width: int, height: int
) -> None:
    """The notice is in sight, under nothing, and is not gone with the line that comes back within the second."""
    ada = sit("", width=width, height=height, spoils=True).at(room.table(), 4)
    expect(ada.spot(4)).to_be_visible()
    ada.visitor.context.set_offline(True)
    see_lost_line(ada)
    ada.spot(4).evaluate("(spot) => spot.click()")
    notice = ada.page.get_by_role("group", name="Avvisi").get_by_text("caduta")
    expect(notice).to_be_visible()
    ada.page.get_by_role("group", name="Avvisi").get_by_role("button").focus()  # it does not go from under one's hand
    ada.visitor.context.set_offline(False)
    expect(ada.page.get_by_role("heading", name=LOST)).to_have_count(0)
    expect(notice).to_be_visible()
    assert notice.evaluate(IS_ON_TOP)
    ada.visitor.complaints.clear()


def test_v80_a_house_that_falls_silent_is_seen_within_three_seconds(sit: Sit) -> None:
    """Nothing closes the line, nothing comes through it: the page asks, and says that it hears no answer."""
    ada = sit("", reduced_motion="reduce", spoils=True)
    gate = Gate(ada.page)
    ada.plays("5S 9H 6D 8C 4D TD")
    gate.shut = True
    with Stopwatch() as watch:
        waited = float(ada.page.evaluate(SEEN, "Ti stiamo riportando al tavolo"))
        assert min(waited, watch.seconds * 1000) <= WITHIN, waited
    assert "caduta" in closed(ada.page.get_by_role("button", name=re.compile("^Ripeti")))
    gate.open()
    expect(ada.page.get_by_role("heading", name=LOST)).to_have_count(0)
    ada.decide("Stai").paid()


def share(page: Page) -> float:
    """How much of a core the page's own thread takes at rest."""
    line = page.context.new_cdp_session(page)
    line.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        told = line.send("Performance.getMetrics")["metrics"]
        return next(float(one["value"]) for one in told if one["name"] == "TaskDuration")

    spent()
    before, since = spent(), time.monotonic()
    page.wait_for_timeout(REST * 1000)
    return (spent() - before) / (time.monotonic() - since)


def test_a_table_at_rest_or_without_a_line_costs_at_most_three_hundredths_of_a_core(sit: Sit, room: LiveHouse) -> None:
    """Cards that fly elsewhere are no excuse: nobody sits here, and later nobody answers."""
    ada = sit("", reduced_motion="no-preference", device_scale_factor=1).go(room.table())
    settled = [share(ada.page) for _ in range(2)]
    assert min(settled) <= SHARE, settled
    tunnel = Tunnel(ada)
    expect(ada.page.get_by_role("heading", name=LOST)).to_be_visible()
    lost = [share(ada.page) for _ in range(2)]
    assert min(lost) <= SHARE, lost
    tunnel.over()
    expect(ada.page.get_by_role("heading", name=LOST)).to_have_count(0)
