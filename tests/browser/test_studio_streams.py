"""V-72, V-67, V-68: what a viewer of a studio table hears, and streams of other servers (WHEP, HLS), played to the end.

Nothing leaves the machine: the other servers are answered for by the browser that asks.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.support.browser.browsers import ARGUMENTS, CHROMIUM
from tests.support.browser.dealer_desk import DealerDesk, appoint
from tests.support.browser.live_house import RATES, LiveHouse, open_live_house
from tests.support.browser.live_seat import Seat
from tests.support.browser.visitor import Visitor
from tests.support.patience import PATIENCE
from ventuno.core.messages.refusals import Refusal
from ventuno.web.operations.table_blocks import TableBlock

FAKE_CAMERA = ("--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream")
"""A picture that moves, and a microphone that beeps once a second."""
FILMED = "Sala 1"
FIXTURE = Path(__file__).parents[1] / "fixtures" / "hls"
"""Six seconds of green and a tone of 440 Hz."""
SERVER = "https://streams.example"
WHEP, HLS, PLAIN = "Sala 2", "Sala 3", "Sala 4"
TABLES = {FILMED: "studio", WHEP: f"whep:{SERVER}/t1", HLS: f"hls:{SERVER}/index.m3u8", PLAIN: ""}
RED, GREEN = (200, 40, 45), (0, 160, 0)
PLAYER = re.compile(r"/assets/hls[^/]*\.js$")
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

ANSWER = """async (offer) => {
  const peer = new RTCPeerConnection();
  const canvas = document.createElement('canvas');
  const pen = canvas.getContext('2d');
  [canvas.width, canvas.height] = [320, 180];
  let turn = 0;
  window.drawing = setInterval(() => {
    pen.fillStyle = `rgb(200 40 ${(turn += 1) % 2 ? 40 : 50})`;
    if (!window.silent) pen.fillRect(0, 0, 320, 180);
  }, 40);
  await peer.setRemoteDescription({ type: 'offer', sdp: offer });
  peer.addTrack(canvas.captureStream(25).getVideoTracks()[0]);
  peer.addTrack(new AudioContext().createMediaStreamDestination().stream.getAudioTracks()[0]);
  await peer.setLocalDescription(await peer.createAnswer());
  if (peer.iceGatheringState !== 'complete')
    await new Promise((done) => {
      peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && done();
    });
  window.peer = peer;
  return peer.localDescription.sdp;
}"""
"""A server of WHEP in a page: it sends a canvas that is red."""
NO_PLAYER = """(() => {
  const ask = HTMLMediaElement.prototype.canPlayType;
  HTMLMediaElement.prototype.canPlayType = function (kind) {
    return kind.includes('mpegurl') ? '' : ask.call(this, kind);
  };
})();"""
"""A browser that cannot play HLS by itself."""
TOUCHED_BY_KEYS = """(() => {
  let touched = false;
  addEventListener('keydown', () => { touched = true; }, true);
  Object.defineProperty(UserActivation.prototype, 'hasBeenActive', { get: () => touched });
})();"""
"""What a test evaluates in a page counts as a touch: here only a key does."""
PIXEL = """(video) => {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [1, 1];
  const pen = canvas.getContext('2d');
  pen.drawImage(video, 0, 0, 1, 1);
  return [...pen.getImageData(0, 0, 1, 1).data].slice(0, 3);
}"""


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


def watch_whep(browser: Browser, house: LiveHouse, sender: Page, *, status: int = 201) -> tuple[Seat, list[str]]:
    """Somebody at the table whose stream the sender answers for; what was asked of the server is kept."""
    seat, asked = Seat(visit(browser, house, TOUCHED_BY_KEYS), house, house.player()), list[str]()

    def answer(route: Route) -> None:
        asked.append(route.request.method)
        told = {"Access-Control-Allow-Origin": "*", "Access-Control-Expose-Headers": "Location", "Location": "/t1/7"}
        if route.request.method != "POST" or status != 201:
            route.fulfill(status=status, headers=told)
        else:
            body = sender.evaluate(ANSWER, route.request.post_data)
            route.fulfill(status=201, headers=told, content_type="application/sdp", body=body)

    seat.page.route(f"{SERVER}/**", answer)
    return seat, asked


def wait_until(page: Page, what: Callable[[], bool]) -> None:
    """While the browsers go on: it is they who answer."""
    until = time.monotonic() + PATIENCE
    while not what():
        assert time.monotonic() < until, "it did not happen"
        page.wait_for_timeout(50)


def picture(seat: Seat) -> Locator:
    return seat.page.locator(".film video")


def expect_drawn(seat: Seat) -> None:
    """The drawn dealer has the table, and the player can play on."""
    expect(seat.page.locator(".film.missing")).to_have_count(1)
    expect(seat.page.locator(".panel-table.filmed")).to_have_count(0)


def expect_picture(seat: Seat, colour: tuple[int, int, int] | None) -> None:
    """It is there, it moves, and it is the one that was sent, where a page may read what another server sent."""
    expect(seat.page.locator(".film video.live")).to_be_visible()
    expect(seat.page.locator(".film.missing")).to_have_count(0)
    assert picture(seat).evaluate("(video) => video.videoWidth") > 0
    first = picture(seat).evaluate("(video) => video.currentTime")
    seat.page.wait_for_function("(first) => document.querySelector('.film video').currentTime > first + 0.5", arg=first)
    if colour is None:
        return
    seen = picture(seat).evaluate(PIXEL)
    assert all(abs(one - other) < 40 for one, other in zip(seen, colour, strict=True)), seen


def expect_sound_after_touch(seat: Seat) -> None:
    """Before it no browser plays what is heard; AUDIO is over this sound too (V-67)."""
    expect(picture(seat)).to_have_js_property("muted", True)
    for key, muted in (("Shift", False), ("Audio", True)):
        if key == "Shift":
            seat.page.keyboard.press(key)
        else:
            seat.tool(key).click()
        expect(picture(seat)).to_have_js_property("muted", muted)
        expect(picture(seat)).to_have_js_property("paused", False)


def test_v72_a_stream_by_whep_is_played_and_its_end_is_seen(studio: LiveHouse, filming: Browser) -> None:
    sender = filming.new_page()
    seat, asked = watch_whep(filming, studio, sender)
    seat.go(WHEP)
    expect_picture(seat, RED)
    expect_sound_after_touch(seat)
    sender.evaluate("window.peer.close()")
    expect_drawn(seat)
    expect_picture(seat, RED)
    sender.evaluate("clearInterval(window.drawing)")
    expect_drawn(seat)
    assert asked.count("POST") == 2
    seat.visitor.walk("/")
    wait_until(seat.page, lambda: "DELETE" in asked)
    seat.page.context.close()
    sender.context.close()


@pytest.mark.parametrize("status", [404, 201], ids=["no server", "a server that sends nothing"])
def test_v72_without_a_stream_by_whep_the_dealer_is_drawn(studio: LiveHouse, filming: Browser, status: int) -> None:
    """It is asked for again, and an answer alone is no picture."""
    sender = filming.new_page()
    sender.evaluate("window.silent = true")
    seat, asked = watch_whep(filming, studio, sender, status=status)
    seat.go(WHEP)
    wait_until(seat.page, lambda: asked.count("POST") > 1)
    expect_drawn(seat)
    expect(picture(seat)).to_be_hidden()
    seat.page.context.close()
    sender.context.close()


def watch_hls(browser: Browser, house: LiveHouse, *scripts: str, lost: str = "") -> tuple[Seat, list[str]]:
    """Somebody before a server of HLS that has the fixture, or all of it but one file; what was asked is kept."""
    seat, asked = Seat(visit(browser, house, *scripts), house, house.player()), list[str]()

    def answer(route: Route) -> None:
        name = urlsplit(route.request.url).path.strip("/")
        asked.append(name)
        headers = {"Access-Control-Allow-Origin": "*"}
        if name == lost or not (FIXTURE / name).is_file():
            route.fulfill(status=404, headers=headers)
        else:
            kind = "application/vnd.apple.mpegurl" if name.endswith("m3u8") else "video/mp4"
            route.fulfill(body=(FIXTURE / name).read_bytes(), headers=headers, content_type=kind)

    seat.page.route(f"{SERVER}/**", answer)
    return seat, asked


def note_scripts(seat: Seat) -> list[str]:
    loaded: list[str] = []
    seat.page.on("request", lambda request: loaded.append(urlsplit(request.url).path))
    return loaded


PLAYERS = pytest.mark.parametrize("scripts", [(NO_PLAYER,), ()], ids=["hls.js", "the browser's own"])


@PLAYERS
def test_v72_a_stream_by_hls_is_played_and_its_end_is_seen(
    studio: LiveHouse, filming: Browser, scripts: tuple[str, ...]
) -> None:
    """Its player is loaded where the browser has none."""
    seat, asked = watch_hls(filming, studio, *scripts)
    loaded = note_scripts(seat)
    colour = GREEN if scripts else None
    seat.go(HLS)
    expect_picture(seat, colour)
    assert "part0.m4s" in asked
    assert any(PLAYER.search(path) for path in loaded) is bool(scripts)
    expect_drawn(seat)
    expect_picture(seat, colour)
    seat.page.context.close()


@PLAYERS
@pytest.mark.parametrize("lost", ["index.m3u8", "part0.m4s"])
def test_v72_without_a_stream_by_hls_the_dealer_is_drawn(
    studio: LiveHouse, filming: Browser, scripts: tuple[str, ...], lost: str
) -> None:
    seat, asked = watch_hls(filming, studio, *scripts, lost=lost)
    seat.go(HLS)
    wait_until(seat.page, lambda: asked.count("index.m3u8") > 1 and asked.count(lost) > 1)
    expect_drawn(seat)
    expect(picture(seat)).to_be_hidden()
    seat.page.context.close()


def test_v72_no_other_table_loads_the_player_of_hls(studio: LiveHouse, filming: Browser) -> None:
    """In a browser that would need it; at the table of such a stream it does."""
    seat, _ = watch_hls(filming, studio, NO_PLAYER)
    loaded = note_scripts(seat)
    for table in (PLAIN, FILMED, WHEP):
        seat.go(table)
        seat.page.wait_for_load_state("networkidle")
    expect(picture(seat)).to_have_count(1)
    assert not any(PLAYER.search(path) for path in loaded)
    seat.go(HLS)
    wait_until(seat.page, lambda: any(PLAYER.search(path) for path in loaded))
    seat.page.context.close()
