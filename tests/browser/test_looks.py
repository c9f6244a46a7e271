"""How every screen looks: golden images with a tolerance, and what can be measured of a page (issue of the client).

Every screen is built once in each language and looked at in every way: measured, pictured, in axe's eyes (X-07). The
usual run looks at `USUAL`; `test_looks_whole` at the other sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.gallery import LANGUAGES, Gallery
from tests.browser.looking import LOOKED_AT, SIZES, TILES, USUAL, Axe, faults, pictured, sized, wrong
from tests.browser.pictures import FOLDER, WRITE, Wall
from tests.browser.scenes import PICTURED

MOST = 6_000_000
"""Bytes that all golden images have together."""


@pytest.fixture(scope="module")
def wall(chromium: Browser) -> Iterator[Wall]:
    opened = Wall(chromium)
    yield opened
    opened.page.close()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_screen_looks_as_it_should(gallery: Gallery, wall: Wall, axe: Axe, name: str, language: str) -> None:
    """Nothing cut, nothing over anything, nothing too small, the picture that was looked at, nothing for axe."""
    sizes = (TILES,) if name == "four" else SIZES if WRITE else USUAL[language]
    assert wrong(gallery, wall, name, language, sizes, axe) == []


def test_the_golden_images_are_small_and_all_of_them_are_used() -> None:
    wanted = {f"{name}-{language}-{w}x{h}.webp" for name in PICTURED for language in LANGUAGES for w, h in SIZES}
    wanted |= {f"four-{language}-{TILES[0]}x{TILES[1]}.webp" for language in LANGUAGES}
    assert {file.name for file in FOLDER.iterdir()} == wanted
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) <= MOST


@pytest.fixture(scope="module")
def deciding(gallery: Gallery) -> Iterator[Page]:
    with gallery.scene(PICTURED["deciding"].build, "it", fresh=True, stranger=False) as page:
        yield page


HIDDEN = "() => { document.querySelector('.pill').style.visibility = 'hidden'; }"
MOVED = "() => { document.querySelector('.plaque').style.translate = '24px 0'; }"
DYED = "() => { document.querySelector('.decision button').style.background = 'rgb(250, 160, 140)'; }"
GONE = "() => { document.querySelector('.shoe').remove(); }"


@pytest.mark.parametrize("harm", [HIDDEN, MOVED, DYED, GONE])
def test_a_planted_change_of_the_picture_is_seen(deciding: Page, wall: Wall, harm: str) -> None:
    sized(deciding, 1280, 800)
    before = pictured(deciding)
    golden = wall.kept(before)
    assert not wall.compared(before, golden).seen
    deciding.evaluate(harm)
    after = pictured(deciding)
    deciding.reload()
    deciding.locator(".decision").first.wait_for()
    assert wall.compared(after, golden).seen


PLANTED: dict[str, Callable[[Page], None]] = {
    "wide": lambda page: page.evaluate("() => { document.body.style.width = '2000px'; }"),
    "small": lambda page: page.evaluate("() => { document.querySelector('h2').style.fontSize = '11px'; }"),
    "cut": lambda page: page.evaluate(
        """() => Object.assign(document.querySelector('.decision button b').style,
        { width: '20px', overflow: 'hidden', whiteSpace: 'nowrap' })"""
    ),
    "spills": lambda page: page.evaluate(
        "() => { document.querySelector('.decision button b').textContent = 'Raddoppiaraddoppiaraddoppia'; }"
    ),
    "over": lambda page: page.evaluate(
        """() => { const [a, b] = document.querySelectorAll('.decision button small');
        const [p, q] = [a.getBoundingClientRect(), b.getBoundingClientRect()];
        a.style.translate = `${q.x - p.x}px 0`; }"""
    ),
    "beyond": lambda page: page.evaluate(
        "() => { document.querySelector('.foot button').style.translate = '320px 0'; }"
    ),
    "covered": lambda page: page.evaluate(
        """() => { const [a, b] = document.querySelectorAll('.decision button');
        a.style.translate = `${b.getBoundingClientRect().x - a.getBoundingClientRect().x}px 0`; }"""
    ),
    "tiny": lambda page: page.evaluate(
        "() => { Object.assign(document.querySelector('header button').style, { width: '20px', height: '20px' }); }"
    ),
    "panel": lambda page: page.evaluate("() => { document.querySelector('.decision').style.translate = '0 -150px'; }"),
}


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_fault_is_measured(deciding: Page, kind: str) -> None:
    sized(deciding, 360, 740)
    assert faults(deciding, True) == []
    PLANTED[kind](deciding)
    found = {fault.split(":")[0] for fault in faults(deciding, True)}
    deciding.reload()
    deciding.locator(".decision").first.wait_for()
    assert kind in found
