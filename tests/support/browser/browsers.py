"""The browsers of one worker: one program, and in it one browser for each person who is there."""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from typing import Any

from playwright.sync_api import Browser

from tests.support.browser.visitor import Visitor

CHROMIUM = os.environ.get("VENTUNO_CHROMIUM") or shutil.which("chromium") or ""
ARGUMENTS = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
COARSE = 0.5
"""Half of the points a screen has, in a page of the same size: what is found and pressed is the same, and is drawn in
a fraction of the time. What is about looks opens browsers of its own.
"""


class Browsers:
    """Lends browsers and takes them back.

    A new browser costs more than most tests. One that comes back is emptied of its person and given to the next who
    wishes the same; so its pages come out of its own store.
    """

    def __init__(self, chromium: Browser) -> None:
        self._chromium = chromium
        self._free: dict[tuple[str, str], list[Visitor]] = defaultdict(list)
        self._lent: dict[Visitor, tuple[str, str]] = {}

    def lend(self, url: str, width: int = 1280, height: int = 800, **wishes: Any) -> Visitor:
        """For the house at `url`; the wishes are those of a context. Who asks for service workers has the house's."""
        kind = url, repr(sorted(wishes.items()))
        size: Any = {"width": width, "height": height}
        if self._free[kind]:
            visitor = self._free[kind].pop()
            visitor.page.set_viewport_size(size)
        else:
            wanted = {"locale": "it-IT", "device_scale_factor": COARSE, **wishes}
            keeps_files = "service_workers" in wishes
            visitor = Visitor(self._chromium.new_context(viewport=size, **wanted), url, keeps_files=keeps_files)
        self._lent[visitor] = kind
        return visitor

    def take_back(self, visitor: Visitor) -> None:
        self._free[self._lent.pop(visitor)].append(visitor.forgotten())

    def leave(self, url: str) -> None:
        """Everybody goes from the house at `url` before it closes."""
        free = [visitor for kind, visitors in self._free.items() if kind[0] == url for visitor in visitors]
        for visitor in (*free, *(visitor for visitor, kind in self._lent.items() if kind[0] == url)):
            visitor.context.close()

    def discard(self, visitor: Visitor) -> None:
        """After something that cannot be undone."""
        del self._lent[visitor]
        visitor.context.close()
