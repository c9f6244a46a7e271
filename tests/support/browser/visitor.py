"""One browser of one person, whose every complaint is kept."""

from __future__ import annotations

import re
import time
from typing import Self
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Page

from tests.support.patience import PATIENCE

REPORTED = """
document.addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective));
"""

PLAYED = """
try {
  if (localStorage.getItem('ventuno-guide') === null) localStorage.setItem('ventuno-guide', 'seen');
} catch {}
"""
"""Somebody who has seen a first round to its end, so that no guide comes; whoever wants it sets another value."""

WITHOUT_WORKER = "if (navigator.serviceWorker) navigator.serviceWorker.register = () => new Promise(() => {});"
"""No file of the house goes through a cache of its own: each new browser would fill it anew."""

NOTICES = """
(() => {
  const seen = new WeakSet();
  window.noticesTold = [];
  new MutationObserver(() => {
    for (const one of document.querySelectorAll('.toast'))
      if (!seen.has(one) && one.checkVisibility()) {
        seen.add(one);
        window.noticesTold.push(one.querySelector('p').textContent);
      }
  }).observe(document, { subtree: true, childList: true });
})();
"""
"""Keeps what notices say: they go by themselves, and whoever looks for one on a slow machine comes too late."""
TOLD = "() => [...window.noticesTold, ...[...document.querySelectorAll('.toast p')].map((one) => one.textContent)]"
"""Also those that stood there before: told again, a notice stays the same one."""
THERE = "(path) => { history.pushState(null, '', path); dispatchEvent(new PopStateEvent('popstate')); }"
WAITING = "/offline.html"
"""A page of the house without a program: where a browser waits for its next person."""


class Visitor:
    """One browser of one person. Whatever it complains about is kept, and must be nothing in the end."""

    def __init__(self, context: BrowserContext, url: str, *, keeps_files: bool = False) -> None:
        self.context, self.url = context, url
        self.complaints: list[str] = []
        context.add_init_script(REPORTED)
        context.add_init_script(PLAYED)
        context.add_init_script(NOTICES)
        if not keeps_files:
            context.add_init_script(WITHOUT_WORKER)
        self.page: Page = context.new_page()
        self.page.set_default_timeout(PATIENCE * 1000)
        self._wire = context.new_cdp_session(self.page)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda fault: self.complaints.append(f"error: {fault}"))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            where = urlsplit(message.location["url"]).path if "Failed to load" in message.text else ""
            self.complaints.append(f"{message.type}: {message.text} {where}".strip())

    def forgotten(self) -> Self:
        """The same browser for somebody else: nothing of the person before is left in it but pictures and programs."""
        self.context.set_offline(False)
        for other in self.context.pages[1:]:
            other.close()
        self.page.unroute_all(behavior="ignoreErrors")
        self.context.clear_cookies()
        self.page.goto(f"{self.url}{WAITING}")
        self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self._wire.send("Storage.clearDataForOrigin", {"origin": self.url, "storageTypes": "all"})
        self.complaints.clear()
        return self

    def walk(self, path: str) -> None:
        """As a link of the house does it, without a new page, where a page of it is open already."""
        inside = self.page.url.startswith(self.url) and not self.page.url.endswith(WAITING)
        if inside:
            self.page.evaluate("() => { window.noticesTold = []; }")
            self.page.evaluate(THERE, path)
        else:
            self.go(path)

    def told(self, text: str | re.Pattern[str]) -> None:
        """A notice has been shown since the page was gone to, whether or not it is still there."""
        wanted = text if isinstance(text, re.Pattern) else re.compile(re.escape(" ".join(text.split())), re.I)
        until = time.monotonic() + PATIENCE
        notices: list[str] = []
        while time.monotonic() < until:
            notices = self.page.evaluate(TOLD)
            if any(wanted.search(" ".join(one.split())) for one in notices):
                return
            self.page.wait_for_timeout(50)
        raise AssertionError(f"{wanted.pattern!r} was not told; there was {notices}")

    def go(self, path: str) -> Page:
        self.page.goto(f"{self.url}{path}")
        return self.page
