"""Looking at a screen: at a size, measured, held beside its golden image, and shown to axe."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias
from weakref import WeakKeyDictionary

from playwright.sync_api import CDPSession, Page

from tests.browser.gallery import COVERED, Gallery, settled
from tests.browser.pictures import WRITE, Difference, Wall
from tests.browser.scenes import PICTURED, SCENES

Size: TypeAlias = tuple[int, int]
Axe: TypeAlias = Callable[[Page], list[str]]

SIZES: tuple[Size, ...] = ((360, 740), (740, 360), (820, 1180), (1280, 800), (1920, 1080))
USUAL: dict[str, tuple[Size, ...]] = {"it": ((360, 740), (1280, 800)), "en": ((740, 360), (820, 1180))}
"""What the usual run looks at: layouts do not depend on the language, and words do not on the layout."""
TOUCHED = {(360, 740), (740, 360), (820, 1180)}
TILES: Size = (1920, 1080)
LOOKED_AT = [name for name in SCENES if name != "parts"]
"""The page of the parts is a showroom: its pieces are shown small on purpose."""
MEASURES = (Path(__file__).parent / "measures.js").read_text()
COVER = """(text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets = [sheet];
}"""
_LINES: WeakKeyDictionary[Page, CDPSession] = WeakKeyDictionary()
"""What is emulated for a page holds as long as the session that asked for it."""


def _line(page: Page) -> CDPSession:
    return _LINES.get(page) or _LINES.setdefault(page, page.context.new_cdp_session(page))


def sized(page: Page, width: int, height: int) -> None:
    """A window of this size, under a finger where such windows are."""
    touch = {"enabled": True, "maxTouchPoints": 5} if (width, height) in TOUCHED else {"enabled": False}
    _line(page).send("Emulation.setTouchEmulationEnabled", touch)
    page.set_viewport_size({"width": width, "height": height})
    settled(page)


def faults(page: Page, touch: bool) -> list[str]:
    found: list[str] = page.evaluate(MEASURES[MEASURES.index("({ touch })") :], {"touch": touch})
    return found


def pictured(page: Page) -> bytes:
    """The window as it is, but for what differs from run to run; a quick picture, since it is thrown away."""
    page.evaluate(COVER, COVERED)
    told = _line(page).send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
    page.evaluate(COVER, "")
    return base64.b64decode(told["data"])


def _differs(page: Page, wall: Wall, at: str) -> Difference | None:
    """Looked at twice before it counts: on a crowded machine the first picture may be of a frame that came late."""
    if wall.differs(at, pictured(page)) is None:
        return None
    settled(page)
    return wall.differs(at, pictured(page))


def wrong(gallery: Gallery, wall: Wall, name: str, language: str, sizes: tuple[Size, ...], axe: Axe) -> list[str]:
    """What is wrong with a screen: measured, seen beside the picture that was looked at, and in axe's eyes (X-07)."""
    scene, found = SCENES[name], list[str]()
    with gallery.scene(scene.build, language, fresh=scene.fresh, stranger=scene.stranger) as page:
        for size in sizes:
            sized(page, *size)
            at = f"{name}-{language}-{size[0]}x{size[1]}"
            found += [f"{at}: {fault}" for fault in faults(page, size in TOUCHED)]
            if (name in PICTURED or name == "four") and (off := _differs(page, wall, at)):
                found.append(f"{at}: {off}")
        if not WRITE:
            found += [f"{at}: {fault}" for fault in axe(page)]
        page.set_viewport_size({"width": 1280, "height": 800})
    return found
