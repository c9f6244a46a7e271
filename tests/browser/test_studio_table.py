"""X-27, V-72: a studio table with its picture: where it lies, that cards keep step with it, and what if it is lost."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.support.browser.browsers import ARGUMENTS, CHROMIUM
from tests.support.browser.dealer_desk import DealerDesk, appoint
from tests.support.browser.live_house import RATES, LiveHouse, open_live_house
from tests.support.browser.live_seat import Seat
from tests.support.browser.visitor import Visitor
from ventuno.core.messages.refusals import Refusal
from ventuno.core.rules.card_codes import write_code
from ventuno.web.operations.table_blocks import TableBlock

FAKE_CAMERA = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
TABLES = tuple(f"Sala {number}" for number in range(1, 5))
APART = 300
"""Milliseconds between the picture and the felt, at most."""
SEEN = """(label) => new Promise((seen) => {
  const look = () => document.querySelector(`section[data-table] [aria-label='${label}']`) && seen(Date.now());
  if (!look()) new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
})"""


@pytest.fixture(scope="module")
def studio(pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveHouse]:
    blocks = tuple(TableBlock(name=name, game="ventuno", cards="scanned", video="studio") for name in TABLES)
    settings = {"pages": pages, "rates": RATES, "table": blocks}
    with open_live_house(tmp_path_factory.mktemp("filmed"), pages, settings=settings) as house:
        for name in TABLES:
            answer = house.run(house.doors.application.tables.open(name, "studio"))
            assert not isinstance(answer, Refusal), answer
        yield house


@pytest.fixture(scope="module")
def filming(chromium: Browser) -> Iterator[Browser]:
    """Beside the other browsers of a worker, with a camera that is not there."""
    browser = chromium.browser_type.launch(executable_path=CHROMIUM, args=[*ARGUMENTS, *FAKE_CAMERA])
    yield browser
    browser.close()


@contextmanager
def passing_time(house: LiveHouse) -> Iterator[None]:
    """The house's clock goes as that of the browsers does: the age of what it tells is reckoned with it."""
    over = threading.Event()

    def pass_time() -> None:
        last = time.monotonic()
        while not over.wait(0.02):
            now = time.monotonic()
            house.move(now - last)
            last = now

    thread = threading.Thread(target=pass_time, daemon=True)
    thread.start()
    yield
    over.set()
    thread.join()


def visit(browser: Browser, house: LiveHouse, width: int, height: int) -> Visitor:
    size: Any = {"width": width, "height": height}
    return Visitor(browser.new_context(viewport=size, locale="it-IT", reduced_motion="reduce"), house.url)


def film(browser: Browser, house: LiveHouse, table: str) -> DealerDesk:
    """A dealer whose camera is on the air, with a shoe ready."""
    dora = DealerDesk(visit(browser, house, 820, 1180), house, appoint(house), table)
    dora.take()
    dora.make_shoe("2C")
    dora.page.get_by_role("button", name="Accendi la telecamera").click()
    expect(dora.page.get_by_text("In onda.").first).to_be_visible()
    return dora


def watch(browser: Browser, house: LiveHouse, table: str, width: int = 1366, height: int = 768) -> Seat:
    seat = Seat(visit(browser, house, width, height), house, house.player())
    return seat.at(table, 3)


def picture(seat: Seat) -> Locator:
    return seat.page.locator(".film .picture.live canvas")


def wait_for_measure(seat: Seat) -> int:
    """The delay that the client has measured, once it is steady."""
    seat.page.wait_for_timeout(1_500)
    return int(re.findall(r"\d+", seat.page.locator(".film .delay").inner_text())[0])


@pytest.mark.parametrize("late", [0.0, 0.5], ids=["as it is", "half a second late"])
def test_x27_a_card_is_on_the_felt_when_it_is_seen_in_the_picture(
    studio: LiveHouse, filming: Browser, late: float
) -> None:
    """However late the stream is: the felt waits for it, and never by more than the stream is late."""
    table = TABLES[0] if not late else TABLES[1]
    relay = studio.doors.app.state.video.relay
    passed = relay.relay

    def relay_late(name: str, data: bytes) -> None:
        studio._loop.call_later(late, passed, name, data)

    with patch.object(relay, "relay", relay_late if late else passed), passing_time(studio):
        dora = film(filming, studio, table)
        ada = watch(filming, studio, table)
        expect(picture(ada)).to_be_visible()
        studio.bet(ada.player, table, 3)
        studio.due(table)
        delay = wait_for_measure(ada)
        dora.page.keyboard.type(write_code("8S"))
        began = time.time() * 1000
        dora.page.keyboard.press("Enter")
        shown = ada.page.evaluate(SEEN, "8 di picche") - began
        dora.page.context.close()
        ada.page.context.close()
    print(f"picture {delay} ms late, felt {shown:.0f} ms")
    assert delay >= late * 1000
    assert abs(shown - delay) <= APART


def test_x27_a_lost_camera_leaves_the_drawn_dealer_and_the_cards_go_on(studio: LiveHouse, filming: Browser) -> None:
    """The picture lies behind the felt or above it; the theatre makes it large; without it nothing is missing."""
    table = TABLES[2]
    dora = film(filming, studio, table)
    ada = watch(filming, studio, table)
    expect(picture(ada)).to_be_visible()
    studio.bet(ada.player, table, 3)
    studio.due(table)
    dora.scan("8S", "9H", "5D", "7C")
    expect(ada.act("Carta")).to_be_visible()
    said = ada.page.locator("[aria-live=polite]:visible", has_text="Box 3, 13")
    expect(said).to_have_count(1)
    for width, height in ((360, 740), (740, 360), (820, 1180), (1366, 768), (1920, 1080)):
        ada.page.set_viewport_size({"width": width, "height": height})
        film_place, act = picture(ada).bounding_box(), ada.act("Carta").bounding_box()
        assert film_place is not None
        assert act is not None
        assert act["y"] + act["height"] <= height + 1, "the keys stay on the screen"
        if height > width:
            felt = ada.page.locator(".panel-table > .felt").bounding_box()
            assert felt is not None
            assert film_place["y"] + film_place["height"] <= felt["y"] + 1, "above the felt"
    small = picture(ada).bounding_box()
    ada.page.get_by_role("button", name="Teatro").click()
    expect(ada.page.locator(".panel-table.theatre")).to_be_visible()
    expect(ada.page.locator(".film .caption")).to_contain_text("Box 3, 13")
    expect(ada.act("Carta")).to_be_visible()
    assert small is not None
    ada.page.get_by_role("button", name="Chiudi il teatro").click()
    dora.page.get_by_role("button", name="Spegni la telecamera").click()
    expect(ada.page.locator(".panel-table.filmed")).to_have_count(0)
    ada.decide("Carta")
    dora.scan("6H")
    expect(ada.box(3).get_by_role("img", name="6 di cuori")).to_be_visible()
    dora.page.context.close()
    ada.page.context.close()
