"""How every screen looks: golden images with a tolerance, and what can be measured of a page (issue of the client).

Every screen is built once in each language and looked at in every way: measured, pictured, in axe's eyes (X-07). The
usual run looks at `USUAL`; `test_looks_whole` at the other sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Browser, Page

from tests.support.browser.golden_pictures import FOLDER, WRITE, Wall
from tests.support.browser.picture_house import LANGUAGES, PictureHouse
from tests.support.browser.screens import (
    LOOKED_AT,
    SIZES,
    TILES,
    USUAL,
    Axe,
    Size,
    at_rest,
    faults,
    pictured,
    sized,
    wrong,
)
from tests.support.browser.table_scenes import PICTURED

MOST = 6_400_000
"""Bytes that all golden images have together."""


@pytest.fixture(scope="module")
def wall(chromium: Browser) -> Iterator[Wall]:
    opened = Wall(chromium)
    yield opened
    opened.page.close()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", LOOKED_AT)
def test_a_screen_looks_as_it_should(gallery: PictureHouse, wall: Wall, axe: Axe, name: str, language: str) -> None:
    """Nothing cut, nothing over anything, nothing too small, the picture that was looked at, nothing for axe."""
    sizes = (TILES,) if name == "four" else SIZES if WRITE else USUAL[language]
    assert wrong(gallery, wall, name, language, sizes, axe) == []


def test_the_golden_images_are_small_and_all_of_them_are_used() -> None:
    wanted = {f"{name}-{language}-{w}x{h}.webp" for name in PICTURED for language in LANGUAGES for w, h in SIZES}
    wanted |= {f"four-{language}-{TILES[0]}x{TILES[1]}.webp" for language in LANGUAGES}
    assert {file.name for file in FOLDER.iterdir()} == wanted
    assert sum(file.stat().st_size for file in FOLDER.iterdir()) <= MOST


@pytest.fixture(scope="module")
def deciding(gallery: PictureHouse) -> Iterator[Page]:
    with gallery.scene(PICTURED["deciding"].build, "it", fresh=True, stranger=False) as page:
        yield page


HARMS = {
    "hidden": "() => { document.querySelector('.pill').style.visibility = 'hidden'; }",
    "moved": "() => { document.querySelector('.plaque').style.translate = '24px 0'; }",
    "nudged": "() => { document.querySelector('.plaque').style.translate = '6px 0'; }",
    "dyed": "() => { document.querySelector('.decision button').style.background = 'rgb(250, 160, 140)'; }",
    "inked": "() => { document.querySelector('.decision button small').style.color = 'var(--brass-deep)'; }",
    "gone": "() => { document.querySelector('.shoe').remove(); }",
    "word": "() => { document.querySelector('.decision button small').textContent = 'una carta'; }",
    "figure": "() => { document.querySelector('.pill [aria-hidden]').textContent = '11'; }",
    "chip": """() => {
      const piles = [...document.querySelectorAll('svg.stack')];
      const label = (one) => one.querySelector('text').textContent;
      piles.find((one) => label(one) === '5').innerHTML = piles.find((one) => label(one) !== '5').innerHTML;
    }""",
}
"""What is planted, from a part that is gone to one digit of a total."""
FAINT = """() => {
  const one = document.createElement('i');
  const style = { position: 'fixed', top: '90px', left: '90px', width: '12px', height: '12px', zIndex: 9 };
  Object.assign(one.style, { ...style, background: 'rgb(255 255 255 / .03)' });
  document.body.append(one);
}"""
"""A few points a shade lighter, as from one run to the next."""


def _after(page: Page, change: str) -> bytes:
    page.evaluate(change)
    after = pictured(page)
    page.reload()
    page.locator(".decision").first.wait_for()
    return after


@pytest.mark.parametrize("size", [(1280, 800), (360, 740)])
@pytest.mark.parametrize("harm", HARMS)
def test_a_planted_change_of_the_picture_is_seen(deciding: Page, wall: Wall, harm: str, size: Size) -> None:
    sized(deciding, *size)
    golden = wall.kept(at_rest(deciding))
    assert not wall.compared(wall.kept(at_rest(deciding)), golden).seen
    assert wall.compared(wall.kept(_after(deciding, HARMS[harm])), golden).seen


def test_a_shade_that_nobody_sees_is_no_change_of_the_picture(deciding: Page, wall: Wall) -> None:
    sized(deciding, 1280, 800)
    golden = wall.kept(at_rest(deciding))
    other = wall.kept(_after(deciding, FAINT))
    assert other != golden
    assert not wall.compared(other, golden).seen


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
        "() => { document.querySelector('.acts button').style.translate = '320px 0'; }"
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
