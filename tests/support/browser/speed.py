"""How fast the client is, by its own clock and by the browser's trace.

Wall clocks lie on a machine that others use. So a time is the best of a few tries, and its bound is stretched by
`busy`: how much longer than its own CPU time a plain loop takes here and now, which is 1 on a machine that is ours
alone. Frames are judged by the CPU time of the tasks in the trace, which nobody else's work lengthens.
"""

from __future__ import annotations

import gzip
import json
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, Page, Route, WebSocketRoute, expect

from tests.support.browser.live_house import LiveHouse
from tests.support.patience import PATIENCE
from ventuno.core.rules.money import PlayerId

SCRIPTS = re.compile(r'<(?:script|link)[^>]*(?:src|href)="(/assets/[^"]+\.js)"')
INTERACTIVE = """
const look = () => {
  const spot = document.querySelector('button.spot.open');
  if (!spot || document.querySelector('[data-interactive]')) return;
  document.body.dataset.interactive = String(performance.now());
};
document.addEventListener('DOMContentLoaded', () => {
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
});
"""
GAPS = """() => {
  window.gaps = [];
  let before = performance.now();
  const next = (now) => { window.gaps.push(now - before); before = now; window.frame = requestAnimationFrame(next); };
  window.frame = requestAnimationFrame(next);
}"""
PRESSED = """(button) => new Promise((done) => {
  const from = performance.now();
  button.click();
  const asked = () => button.getAttribute('aria-busy') === 'true';
  requestAnimationFrame(() => done({ shown: asked(), after: performance.now() - from }));
})"""
SLOWER = 4
CARDS = "AS KD TC 7H 6S 5C 9D 8H TS 9C 2D 4S 3H 6C 7C 5H 8D TD 6D"


def initial_bytes(pages: Path) -> int:
    """All JavaScript that the first page names, gzipped."""
    names = SCRIPTS.findall((pages / "index.html").read_text())
    assert names, "the page names no script"
    return sum(len(gzip.compress((pages / name.lstrip("/")).read_bytes(), 9)) for name in names)


def busy(seconds: float = 0.05) -> float:
    """By how much others slow this machine down: 1 when nobody does."""
    wall, cpu = time.perf_counter(), time.thread_time()
    while time.thread_time() - cpu < seconds:
        pass
    return max(1.0, (time.perf_counter() - wall) / (time.thread_time() - cpu))


def _waited(route: Route, late: int) -> None:
    time.sleep(late / 1000)
    route.continue_()


class Entered(NamedTuple):
    milliseconds: float
    busy: float


def cold_table(browser: Browser, room: LiveHouse, player: PlayerId, table: str, late: int = 0) -> Entered:
    """From the address of a table to a circle that takes a chip, with nothing in the cache; `late` plants a wait."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, locale="it-IT")
    try:
        cookie: Any = {"name": "ventuno", "value": room.token(player), "url": room.url}
        context.add_cookies([cookie])
        context.add_init_script(INTERACTIVE)
        page = context.new_page()
        line = context.new_cdp_session(page)
        line.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        if late:
            page.route(re.compile("/api/lobby"), lambda route: _waited(route, late))
        before = busy()
        page.goto(f"{room.url}/table/{table.replace(' ', '%20')}", wait_until="commit")
        page.locator("[data-interactive]").wait_for(state="attached", timeout=PATIENCE * 1000)
        told = float(page.locator("body").get_attribute("data-interactive") or 0)
        return Entered(told, max(before, busy()))
    finally:
        context.close()


class Dealt(NamedTuple):
    """A deal: the longest task of the page by its CPU time, the longest by the clock, the longest gap of two frames."""

    task: float
    wall: float
    gap: float
    frames: int


@contextmanager
def traced(browser: Browser, page: Page) -> Iterator[list[dict[str, Any]]]:
    found: list[dict[str, Any]] = []
    browser.start_tracing(page=page, categories=["devtools.timeline", "toplevel", "__metadata"])
    yield found
    told = json.loads(browser.stop_tracing())
    found.extend(told["traceEvents"] if isinstance(told, dict) else told)


def tasks(events: list[dict[str, Any]]) -> list[tuple[float, float]]:
    """CPU time and duration of every task of the pages' main threads, in milliseconds."""
    main = {
        (one["pid"], one["tid"])
        for one in events
        if one.get("name") == "thread_name" and one["args"].get("name") == "CrRendererMain"
    }
    assert main, "the trace names no main thread"
    return [
        (one.get("tdur", one["dur"]) / 1000, one["dur"] / 1000)
        for one in events
        if one.get("ph") == "X" and one.get("name") in ("RunTask", "ThreadControllerImpl::RunTask")
        if (one["pid"], one["tid"]) in main
    ]


def dealt(browser: Browser, page: Page, room: LiveHouse, table: str, player: PlayerId) -> Dealt:
    """Seven boxes are dealt while the page is watched."""
    page.evaluate(GAPS)
    with traced(browser, page) as events:
        room.deal(player, table)
        expect(page.get_by_role("group", name=re.compile("^Box 7,")).get_by_role("listitem")).to_have_count(2)
        page.wait_for_timeout(1_800)
    gaps = page.evaluate("() => { cancelAnimationFrame(window.frame); return window.gaps; }")
    found = tasks(events)
    return Dealt(max(one for one, _ in found), max(one for _, one in found), max(gaps[1:]), len(gaps))


def seven(room: LiveHouse, player: PlayerId) -> str:
    """A table whose seven boxes are one player's, each with a bet."""
    table = room.table(CARDS)
    room.seat(player, table, *range(1, 8))
    for box in range(1, 8):
        room.bet(player, table, box)
    return table


class Gate:
    """The line of a page, whose frames from the house wait while it is shut: all, or those with a mark in them."""

    def __init__(self, page: Page, mark: str = "") -> None:
        self.shut, self._mark, self._held = False, mark, list[tuple[WebSocketRoute, str | bytes]]()
        page.route_web_socket(re.compile("/socket"), self._opened)

    def _opened(self, line: WebSocketRoute) -> None:
        house = line.connect_to_server()
        house.on_message(lambda frame: self._heard(line, frame))

    def _heard(self, line: WebSocketRoute, frame: str | bytes) -> None:
        if self.shut and self._mark in (frame if isinstance(frame, str) else frame.decode()):
            self._held.append((line, frame))
        else:
            line.send(frame)

    def open(self) -> None:
        self.shut = False
        for line, frame in self._held:
            line.send(frame)
        self._held.clear()
