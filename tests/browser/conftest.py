"""A real house on a real database with the built client, and browsers that note every complaint of theirs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, sync_playwright

from tests.web.running import ROOT, Running, running

CLIENT = ROOT / "client"
CHROMIUM = os.environ.get("VENTUNO_CHROMIUM") or shutil.which("chromium") or ""
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
REPORTED = """
document.addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective));
"""


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The client, built from the sources as they are."""
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


class Visitor:
    """One browser of one person. Whatever it complains about is kept, and must be nothing in the end."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.context, self.url = context, url
        self.complaints: list[str] = []
        context.add_init_script(REPORTED)
        self.page: Page = context.new_page()
        self.page.set_default_timeout(10_000)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda fault: self.complaints.append(f"error: {fault}"))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(f"{message.type}: {message.text}")

    def go(self, path: str) -> Page:
        self.page.goto(f"{self.url}{path}")
        return self.page


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
