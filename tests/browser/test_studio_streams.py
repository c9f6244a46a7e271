"""V-72, V-67, V-68: what a viewer of a studio table hears, and streams of other servers (WHEP, HLS), played to the end.

Nothing leaves the machine: the other servers are answered for by the browser that asks.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser.browsers import ARGUMENTS, CHROMIUM
from tests.support.browser.dealer_desk import DealerDesk, appoint
from tests.support.browser.live_house import RATES, LiveHouse, open_live_house
from tests.support.browser.live_seat import Seat
from tests.support.browser.visitor import Visitor
from ventuno.core.messages.refusals import Refusal
from ventuno.web.operations.table_blocks import TableBlock

FAKE_CAMERA = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
"""A picture that moves, and a microphone that beeps once a second."""
FILMED = "Sala 1"
TABLES = {FILMED: "studio"}
HEARD = 0.001
"""A level that somebody hears; silence is none at all."""

TAP = """(() => {
  const connect = AudioNode.prototype.connect;
  const taps = new Map();
  window.loudest = 0;
  AudioNode.prototype.connect = function (to, ...more) {
    if (to instanceof AudioDestinationNode) {
      if (!taps.has(this.context)) taps.set(this.context, this.context.createAnalyser());
      connect.call(this, taps.get(this.context));
    }
    return connect.call(this, to, ...more);
  };
  setInterval(() => {
    for (const tap of taps.values()) {
      const samples = new Float32Array(tap.fftSize);
      tap.getFloatTimeDomainData(samples);
      window.loudest = Math.max(window.loudest, ...samples.map(Math.abs));
    }
  }, 20);
})();"""
"""Keeps the highest level of whatever reaches the loudspeakers."""
NEVER_MUTES = """(() => {
  const { get, set } = Object.getOwnPropertyDescriptor(AudioParam.prototype, 'value');
  Object.defineProperty(AudioParam.prototype, 'value', { get, set(value) { set.call(this, value || 0.8); } });
  const send = WebSocket.prototype.send;
  WebSocket.prototype.send = function (data) {
    send.call(this, typeof data === 'string' ? data.replace('"sound":false', '"sound":true') : data);
  };
})();"""
"""A client whose switches do nothing."""
NOBODY_SPEAKS = "AudioBufferSourceNode.prototype.start = () => {};"
"""A client that decodes what the dealer says and plays none of it."""


@pytest.fixture(scope="module")
def studio(pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveHouse]:
    blocks = tuple(
        TableBlock(name=name, game="ventuno", cards="scanned", video=video) for name, video in TABLES.items()
    )
    settings = {"pages": pages, "rates": RATES, "table": blocks}
    with open_live_house(tmp_path_factory.mktemp("streams"), pages, settings=settings) as house:
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


@pytest.fixture(scope="module")
def dealer(studio: LiveHouse, filming: Browser) -> Iterator[DealerDesk]:
    """On the air, with a microphone."""
    dora = DealerDesk(visit(filming, studio), studio, appoint(studio), FILMED)
    dora.take()
    dora.page.get_by_role("button", name="Accendi la telecamera").click()
    expect(dora.page.get_by_text("In onda.").first).to_be_visible()
    yield dora
    dora.page.context.close()


def visit(browser: Browser, house: LiveHouse, *scripts: str) -> Visitor:
    size: Any = {"width": 1366, "height": 768}
    visitor = Visitor(browser.new_context(viewport=size, locale="it-IT", reduced_motion="reduce"), house.url)
    for script in scripts:
        visitor.context.add_init_script(script)
    return visitor


def listen(page: Page) -> float:
    """The highest level of the next seconds: several beeps of the microphone."""
    page.evaluate("() => { window.loudest = 0; }")
    page.wait_for_timeout(2_500)
    level: float = page.evaluate("window.loudest")
    return level


def hear(browser: Browser, house: LiveHouse, *scripts: str, **chosen: object) -> tuple[float, float]:
    """What reaches the loudspeakers of somebody at the table: with AUDIO on, and after it was switched off."""
    seat = Seat(visit(browser, house, TAP, *scripts), house, house.player())
    if chosen:
        house.settings(seat.player, audio=chosen)
    seat.go(FILMED)
    expect(seat.page.locator(".film .picture.live canvas")).to_be_visible()
    seat.page.keyboard.press("Shift")
    seat.page.wait_for_timeout(1_500)
    on = listen(seat.page)
    seat.tool("Audio").click()
    seat.page.wait_for_timeout(1_500)
    off = listen(seat.page)
    seat.page.context.close()
    return on, off


def test_v67_v68_the_dealer_is_heard_and_both_switches_silence_him(
    studio: LiveHouse, filming: Browser, dealer: DealerDesk
) -> None:
    del dealer
    on, off = hear(filming, studio)
    quiet, _ = hear(filming, studio, voice=False)
    half, _ = hear(filming, studio, voice_volume=20)
    print(f"level {on:.4f}, at 20 of 80 {half:.4f}, AUDIO off {off:.4f}, voice off {quiet:.4f}")
    assert on > HEARD
    assert HEARD < half < on * 0.6
    assert (off, quiet) == (0, 0)


def test_v67_v68_switches_that_do_nothing_are_found(studio: LiveHouse, filming: Browser, dealer: DealerDesk) -> None:
    """Planted: a client that mutes nothing, and one that plays nothing."""
    del dealer
    _, off = hear(filming, studio, NEVER_MUTES)
    quiet, _ = hear(filming, studio, NEVER_MUTES, voice=False)
    mute, _ = hear(filming, studio, NOBODY_SPEAKS)
    assert off > HEARD
    assert quiet > HEARD
    assert mute == 0
