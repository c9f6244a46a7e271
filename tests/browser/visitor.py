"""One browser of one person, whose every complaint is kept."""

from __future__ import annotations

from typing import Self
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Page

REPORTED = """
document.addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective));
"""


class Visitor:
    """One browser of one person. Whatever it complains about is kept, and must be nothing in the end."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        self.context, self.url = context, url
        self.complaints: list[str] = []
        context.add_init_script(REPORTED)
        self.page: Page = context.new_page()
        self.page.set_default_timeout(15_000)
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda fault: self.complaints.append(f"error: {fault}"))

    def _heard(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            where = urlsplit(message.location["url"]).path if "Failed to load" in message.text else ""
            self.complaints.append(f"{message.type}: {message.text} {where}".strip())

    def forgotten(self) -> Self:
        """The same browser for somebody else: nothing of the person before is left in it."""
        if self.page.url.startswith(self.url):
            self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self.page.goto("about:blank")
        self.context.clear_cookies()
        self.complaints.clear()
        return self

    def go(self, path: str) -> Page:
        self.page.goto(f"{self.url}{path}")
        return self.page
