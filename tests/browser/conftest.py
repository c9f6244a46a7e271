"""A real house on a real database with the built client, and browsers that note every complaint of theirs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.alone import Alone
from tests.browser.gallery import Gallery, gallery
from tests.browser.parlour import Parlour, parlour
from tests.browser.seat import Seat
from tests.browser.visitor import Visitor
from tests.web.running import ROOT, Running, running
from ventuno.sheets import GAMES, load

CLIENT = ROOT / "client"
CHROMIUM = os.environ.get("VENTUNO_CHROMIUM") or shutil.which("chromium") or ""
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)

expect.set_options(timeout=15_000)
"""A busy machine is slow, not wrong; what passes does not wait."""


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client, built from the sources as they are; or a build that VENTUNO_PAGES names."""
    if built := os.environ.get("VENTUNO_PAGES"):
        return Path(built)
    if not (CLIENT / "node_modules").is_dir():
        pytest.skip("the client's packages are not installed: npm ci in client/")
    folder = tmp_path_factory.mktemp("pages")
    command = ["npx", "vite", "build", "--outDir", str(folder), "--emptyOutDir"]
    made = subprocess.run(command, cwd=CLIENT, capture_output=True, text=True, timeout=180, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    return folder


@pytest.fixture(scope="session")
def house(pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One house for all tests of a session: each test brings people of its own."""
    more = {"VENTUNO_PAGES": str(pages), "VENTUNO_ENTRIES_PER_MINUTE": "1000", "VENTUNO_CALLS_PER_SECOND": "500"}
    with running(tmp_path_factory.mktemp("house"), **more) as opened:
        yield opened


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if not CHROMIUM:
        pytest.skip("no chromium: set VENTUNO_CHROMIUM, or put it on the PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium: Browser, house: Running) -> Iterator[Callable[..., Visitor]]:
    """Opens browsers; at the end none of them may have complained."""
    opened: list[Visitor] = []

    def open_one(width: int = 1280, height: int = 800, locale: str = "it-IT", **more: Any) -> Visitor:
        context = chromium.new_context(viewport={"width": width, "height": height}, locale=locale, **more)
        opened.append(Visitor(context, house.url))
        return opened[-1]

    yield open_one
    complaints = [complaint for one in opened for complaint in one.complaints]
    for one in opened:
        one.context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def room(pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parlour]:
    """One live room for all tests of a session: each test opens tables of its own."""
    with parlour(tmp_path_factory.mktemp("parlour"), pages, cut_seconds=0) as opened:
        yield opened


@pytest.fixture(scope="session")
def regulars() -> dict[str, Seat]:
    """Who has a browser already and comes again: a page that is open goes to another table in no time."""
    return {}


@pytest.fixture(scope="session")
def strangers() -> list[Visitor]:
    """Browsers that are free for somebody new: what they have kept of the pages is loaded no second time."""
    return []


@pytest.fixture
def sit(
    chromium: Browser, room: Parlour, regulars: dict[str, Seat], strangers: list[Visitor]
) -> Iterator[Callable[..., Seat]]:
    """Brings people to the live room; at the end none of their browsers may have complained."""
    here, closing = list[Seat](), list[Visitor]()

    def browser(width: int = 1280, height: int = 800, **more: Any) -> Visitor:
        wishes = {"locale": "it-IT", "reduced_motion": "reduce", **more}
        return Visitor(chromium.new_context(viewport={"width": width, "height": height}, **wishes), room.url)

    def come(name: str = "", *, again: Seat | None = None, **wishes: Any) -> Seat:
        """A name is a regular, no name somebody new, `again` the same person once more; wishes need a new browser."""
        if name and not wishes:
            seat = regulars.setdefault(name, regulars.get(name) or Seat(browser(), room, room.player(name)))
            seat.visitor.complaints.clear()
        else:
            visitor = browser(**wishes) if wishes or not strangers else strangers.pop().forgotten()
            seat = Seat(visitor, room, again.player if again else room.player(name))
            if wishes:
                closing.append(visitor)
        here.append(seat)
        return seat

    yield come
    complaints = [complaint for one in here for complaint in one.visitor.complaints]
    for visitor in closing:
        visitor.context.close()
    kept = {*closing, *(one.visitor for one in regulars.values())}
    strangers += [one.visitor for one in here if one.visitor not in kept]
    assert complaints == []


@pytest.fixture(scope="session", name="gallery")
def _gallery(chromium: Browser, pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gallery]:
    """One house whose people, cards and clocks are the same in every run, to be looked at."""
    with gallery(chromium, pages, tmp_path_factory.mktemp("gallery")) as opened:
        yield opened


@pytest.fixture(scope="session")
def den(pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Parlour]:
    """One house with all games for the tables for one."""
    games = {game: load(game) for game in GAMES}
    with parlour(tmp_path_factory.mktemp("den"), pages, cut_seconds=0, games=games) as opened:
        yield opened


@pytest.fixture(scope="session")
def loners() -> dict[str, Alone]:
    """Who plays alone and comes again."""
    return {}


@pytest.fixture
def alone(chromium: Browser, den: Parlour, loners: dict[str, Alone]) -> Iterator[Callable[..., Alone]]:
    """Brings people to tables for one; at the end none of their browsers may have complained."""
    here: list[Alone] = []

    def fresh(name: str, width: int = 1280, height: int = 800, **more: Any) -> Alone:
        wishes = {"locale": "it-IT", "reduced_motion": "reduce", **more}
        context = chromium.new_context(viewport={"width": width, "height": height}, **wishes)
        return Alone(Seat(Visitor(context, den.url), den, den.player(name)))

    def come(name: str = "", *size: int, **more: Any) -> Alone:
        """A name alone is a regular; whoever wishes another browser gets a new one."""
        if name and not size and not more:
            one = loners.setdefault(name, loners.get(name) or fresh(name))
            one.visitor.complaints.clear()
        else:
            one = fresh(name, *size, **more)
        here.append(one)
        return one

    yield come
    complaints = [complaint for one in here for complaint in one.visitor.complaints]
    for one in here:
        if one not in loners.values():
            one.visitor.context.close()
    assert complaints == []


@pytest.fixture(scope="session")
def axe() -> Callable[[Page], list[str]]:
    """What axe-core finds wrong with a page, each fault with the place of it."""
    source = (CLIENT / "node_modules" / "axe-core" / "axe.min.js").read_text()

    def found(page: Page) -> list[str]:
        page.evaluate(f"() => {{ {source} }}")
        told = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
        return [
            f"{fault['id']}: {node['html'][:160]} ({node['failureSummary'][:200]})"
            for fault in told["violations"]
            for node in fault["nodes"]
        ]

    return found
