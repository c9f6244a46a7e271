"""Looking at a screen: at a size, measured, and held beside its golden image."""

from __future__ import annotations

from pathlib import Path
from weakref import WeakKeyDictionary

from playwright.sync_api import CDPSession, Page

from tests.browser.gallery import COVERED, Gallery, settled
from tests.browser.pictures import WRITE, Wall
from tests.browser.scenes import PICTURED, SCENES

SIZES = ((360, 740), (740, 360), (820, 1180), (1280, 800), (1920, 1080))
TOUCHED = {(360, 740), (740, 360), (820, 1180)}
TILES = (1920, 1080)
LOOKED_AT = [name for name in SCENES if name != "parts"]
"""The page of the parts is a showroom: its pieces are shown small on purpose."""
MEASURES = (Path(__file__).parent / "measures.js").read_text()
COVER = """(text) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets = [sheet];
  return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""


_LINES: WeakKeyDictionary[Page, CDPSession] = WeakKeyDictionary()
"""What is emulated for a page holds as long as the session that asked for it."""


def sized(page: Page, width: int, height: int) -> None:
    """A window of this size, under a finger where such windows are."""
    line = _LINES.get(page) or _LINES.setdefault(page, page.context.new_cdp_session(page))
    touched = (width, height) in TOUCHED
    line.send("Emulation.setTouchEmulationEnabled", {"enabled": touched, **({"maxTouchPoints": 5} if touched else {})})
    page.set_viewport_size({"width": width, "height": height})
    settled(page)


def faults(page: Page, touch: bool) -> list[str]:
    found: list[str] = page.evaluate(MEASURES[MEASURES.index("({ touch })") :], {"touch": touch})
    return found


def pictured(page: Page) -> bytes:
    page.evaluate(COVER, COVERED)
    picture = page.screenshot(caret="hide")
    page.evaluate(COVER, "")
    return picture


def wrong(gallery: Gallery, wall: Wall, name: str, language: str, sizes: tuple[tuple[int, int], ...]) -> list[str]:
    """What is wrong with a screen at these sizes: measured, and seen beside the picture that was looked at."""
    scene, found = SCENES[name], list[str]()
    with gallery.scene(scene.build, language, fresh=scene.fresh, stranger=scene.stranger) as page:
        for size in sizes:
            sized(page, *size)
            at = f"{name}-{language}-{size[0]}x{size[1]}"
            if not WRITE:
                found += [f"{at}: {fault}" for fault in faults(page, size in TOUCHED)]
            if (name in PICTURED or name == "four") and (off := wall.differs(at, pictured(page))):
                found.append(f"{at}: {off}")
        sized(page, 1280, 800)
    return found
