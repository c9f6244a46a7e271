"""The live table in little room: fingers, a panel that keeps its height, a moment that covers what it should."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.support.browser.live_house import LiveHouse
from tests.support.browser.live_seat import Seat
from tests.support.browser.picture_house import settled
from tests.support.browser.places import bounds, is_inside, overlap
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


def list_foot_faults(page: Page) -> list[str]:
    """What of the money stands in two lines, and what of one's own place lies under the foot, on each phone."""
    found = []
    for size in ((390, 844), (320, 640), (360, 740)):
        page.set_viewport_size({"width": size[0], "height": size[1]})
        settled(page)
        felt, amounts = page.locator(".panel-table > .felt"), page.locator(".foot dl.compact dd").all()
        tops = {round(bounds(amount)[1]) for amount in amounts}
        found += [f"{size}: money in {len(tops)} lines"] if len(amounts) != 2 or len(tops) > 1 else []
        whole = (".own .spot.main", ".own .plaque")
        found += [f"{size}: {name}" for name in whole if not is_inside(page.locator(name).first, felt)]
        found += [f"{size}: {fault}" for fault in faults(page, True)]
    return found


@pytest.mark.parametrize("language", ["it", "en"])
def test_v44_v52_every_foot_of_a_phone_leaves_money_and_circle_whole(sit: Sit, room: LiveHouse, language: str) -> None:
    """V-44, V-52: nothing bet, bet, insurance, decision, split, result; what is out of place is seen."""
    ada = sit(f"Piede_{language}", width=360, height=740, has_touch=True, is_mobile=True)
    room.settings(ada.player, general={"language": language})
    page, others = ada.page, [room.player() for _ in range(3)]
    split, stand = {"it": ("Dividi", "Stai"), "en": ("Split", "Stand")}[language]

    def come(cards: str, *, dealt: bool) -> str:
        table = room.table(cards)
        for other, box in zip(others, (1, 3, 7), strict=True):
            room.seat(other, table, box)
        room.seat(ada.player, table, 6, money=1_854_500)
        if dealt:
            room.bet(ada.player, table, 6, 2_500)
            room.deal(ada.player, table)
        ada.visitor.walk(f"/table/{table.replace(' ', '%20')}")
        expect(page.locator(f"section[data-table='{table}'] .foot")).to_be_visible()
        return table

    def press(name: str) -> None:
        page.get_by_role("button", name=re.compile(f"^{name}", re.I)).first.click()

    table = come("8S AH 8D KC 3C TD 9C", dealt=False)
    assert list_foot_faults(page) == []
    for height in range(620, 800, 20):
        page.set_viewport_size({"width": 360, "height": height})
        settled(page)
        assert is_inside(page.locator(".own .plaque").first, page.locator(".panel-table > .felt")), height
    page.set_viewport_size({"width": 360, "height": 740})
    room.bet(ada.player, table, 6, 2_500)
    room.bet(ada.player, table, 6, 500, "perfect-pairs")
    expect(page.locator(".own .spot.side .chips")).to_be_visible()
    assert list_foot_faults(page) == []
    room.deal(ada.player, table)
    expect(page.locator(".decision")).to_be_visible()
    assert list_foot_faults(page) == []
    come("8S 6H 8D KC 3C TD 9C 5D 4H", dealt=True)
    expect(page.locator(".decision")).to_be_visible()
    assert list_foot_faults(page) == []
    press(split)
    expect(page.locator(".own .hands .one")).to_have_count(2)
    assert list_foot_faults(page) == []
    press(stand)
    expect(page.locator(".decision h2")).to_have_text(re.compile("2$"))
    press(stand)
    expect(page.locator(".now.paid")).to_be_visible()
    assert list_foot_faults(page) == []
    page.locator(".own").first.evaluate("own => { own.style.translate = '0 90px'; }")
    page.locator(".foot dl").evaluate("list => { list.style.display = 'block'; }")
    assert {fault.split(": ")[1] for fault in list_foot_faults(page)} >= {"money in 2 lines", ".own .spot.main"}


def test_v54_a_booked_decision_leaves_the_neighbours_name_readable(sit: Sit, room: LiveHouse) -> None:
    """V-39, V-54: on a phone that lies on its side what is booked is a mark; a plaque with all its words is seen."""
    ada, other = sit("Ada"), room.player()
    table = room.table("TS 9S 6H 7D 5C KD 4C 8H")
    for box in (2, 4):
        room.seat(other, table, box)
        room.bet(other, table, box, 100)
    ada.at(table, 3)
    room.bet(ada.player, table, 3, 100)
    room.deal(ada.player, table)
    room.deal(other, table)
    with seen_at(ada.page, 667, 375):
        ada.act("Raddoppia").click()
        plaques = [ada.box(box).locator(".plaque .plaque, .plaque").last for box in (2, 3, 4)]
        expect(plaques[1]).to_contain_text("Raddoppio prenotato")
        settled(ada.page)
        assert [overlap(plaques[0], plaques[1]), overlap(plaques[1], plaques[2])] == [False, False]
        plaques[1].evaluate("one => { one.style.minWidth = '190px'; }")
        assert overlap(plaques[0], plaques[1]) or overlap(plaques[1], plaques[2])
