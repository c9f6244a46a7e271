"""A real house on a real database with the built client, and browsers that note every complaint of theirs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.parlour import Parlour, parlour
from tests.browser.seat import Seat
from tests.browser.visitor import Visitor
from tests.web.running import ROOT, Running, running

CLIENT = ROOT / "client"
CHROMIUM = os.environ.get("VENTUNO_CHROMIUM") or shutil.which("chromium") or ""
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)


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


@pytest.fixture
def sit(chromium: Browser, room: Parlour, regulars: dict[str, Seat]) -> Iterator[Callable[..., Seat]]:
    """Brings people to the live room; at the end none of their browsers may have complained."""
    here: list[Seat] = []

    def fresh(name: str, width: int = 1280, height: int = 800, **more: Any) -> Seat:
        wishes = {"locale": "it-IT", "reduced_motion": "reduce", **more}
        context = chromium.new_context(viewport={"width": width, "height": height}, **wishes)
        return Seat(Visitor(context, room.url), room, room.player(name))

    def come(name: str = "", **more: Any) -> Seat:
        """A name alone is a regular; whoever wishes another browser gets a new one."""
        if name and not more:
            seat = regulars.setdefault(name, regulars.get(name) or fresh(name))
            seat.visitor.complaints.clear()
        else:
            seat = fresh(name, **more)
        here.append(seat)
        return seat

    yield come
    complaints = [complaint for one in here for complaint in one.visitor.complaints]
    for one in here:
        if one not in regulars.values():
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
