"""How every screen looks at the sizes that the usual run leaves out."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support.browser.golden_pictures import Wall
from tests.support.browser.picture_house import LANGUAGES, PictureHouse
from tests.support.browser.screens import LOOKED_AT, SIZES, USUAL, Axe, wrong


@pytest.fixture(scope="module")
def wall(chromium: Browser) -> Iterator[Wall]:
    opened = Wall(chromium)
    yield opened
    opened.page.close()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", [name for name in LOOKED_AT if name != "four"])
def test_a_screen_looks_as_it_should_at_the_other_sizes(
    gallery: PictureHouse, wall: Wall, axe: Axe, name: str, language: str
) -> None:
    others = tuple(size for size in SIZES if size not in USUAL[language])
    assert wrong(gallery, wall, name, language, others, axe) == []
