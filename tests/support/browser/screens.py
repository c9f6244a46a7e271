"""Looking at a screen: at a size, measured, held beside its golden image, and shown to axe."""

from __future__ import annotations

import base64
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias
from weakref import WeakKeyDictionary

from playwright.sync_api import CDPSession, Page

from tests.support.browser.golden_pictures import WRITE, Difference, Wall
from tests.support.browser.picture_house import COVERED, NUMBERED, SAMPLES, PictureHouse, settled
from tests.support.browser.table_scenes import PICTURED, SCENES

Size: TypeAlias = tuple[int, int]
Axe: TypeAlias = Callable[[Page], list[str]]

SIZES: tuple[Size, ...] = ((360, 740), (740, 360), (820, 1180), (1280, 800), (1920, 1080))
USUAL: dict[str, tuple[Size, ...]] = {"it": ((360, 740), (1280, 800)), "en": ((740, 360), (820, 1180))}
"""What the usual run looks at: layouts do not depend on the language, and words do not on the layout."""
TOUCHED = {(360, 740), (740, 360), (820, 1180)}
TILES: Size = (1920, 1080)
LOOKED_AT = [name for name in SCENES if name != "parts"]
"""The page of the parts is a showroom: its pieces are shown small on purpose."""
TURNS, AGAIN = 20, (0, 1, 3)
"""How often a page may be seen to change, and after how many seconds a picture that differs is taken again."""
MEASURES = Path(__file__).with_name("measures.js").read_text()
COVER = """async ([text, names, samples]) => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  document.adoptedStyleSheets = [sheet];
  const words = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  globalThis.covered = [];
  const numbered = new RegExp(`(${names.join('|')}) ?\\\\d+`, 'g');
  while (words.nextNode()) {
    const [one, was] = [words.currentNode, words.currentNode.data];
    const start = was.replace(numbered, '$1');
    const shown = samples.reduce((now, [sign, sample]) => now.replace(new RegExp(sign, 'g'), sample), start);
    if (shown !== was) { one.data = shown; globalThis.covered.push([one, was]); }
  }
  await Promise.all([...document.images].map((one) => one.decode().catch(() => null)));
  for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame);
}"""
UNCOVER = """() => {
  document.adoptedStyleSheets = [];
  for (const [one, was] of globalThis.covered) one.data = was;
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
    page.evaluate(COVER, [COVERED, NUMBERED, [*SAMPLES.items()]])
    told = _line(page).send("Page.captureScreenshot", {"format": "png", "optimizeForSpeed": True})
    page.evaluate(UNCOVER)
    return base64.b64decode(told["data"])


def at_rest(page: Page) -> bytes:
    """The picture of which two in a row are the same: on a crowded machine a part of a page may be drawn late."""
    before = pictured(page)
    for _ in range(TURNS):
        settled(page)
        if (now := pictured(page)) == before:
            return now
        before = now
    raise AssertionError("the page does not come to rest")


def _differs(page: Page, wall: Wall, at: str) -> Difference | None:
    """Looked at again before it counts: a line that broke on a crowded machine is back in a moment."""
    found = wall.differs(at, at_rest(page) if WRITE else pictured(page))
    for seconds in AGAIN:
        if found is None:
            break
        page.wait_for_timeout(seconds * 1000)
        found = wall.differs(at, at_rest(page))
    return found


def wrong(gallery: PictureHouse, wall: Wall, name: str, language: str, sizes: tuple[Size, ...], axe: Axe) -> list[str]:
    """What is wrong with a screen: measured, seen beside the picture that was looked at, and in axe's eyes (X-07)."""
    scene, found = SCENES[name], list[str]()
    with gallery.scene(scene.build, language, fresh=scene.fresh, stranger=scene.stranger) as page:
        page.mouse.move(0, 0)
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
