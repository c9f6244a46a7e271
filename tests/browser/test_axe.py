"""Accessibility of every screen and state in axe's eyes, in both languages, on a desk and on a phone (X-07)."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.gallery import LANGUAGES, Gallery, settled
from tests.browser.scenes import SCENES

Axe = Callable[[Page], list[str]]
DESK, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}
WIDE = {"width": 1920, "height": 1080}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", SCENES)
def test_axe_finds_nothing(gallery: Gallery, axe: Axe, name: str, language: str) -> None:
    """Italian on the desk, English on the phone: layouts do not depend on the language, words do not on the layout."""
    scene = SCENES[name]
    with gallery.scene(scene.build, language, fresh=scene.fresh, stranger=scene.stranger) as page:
        page.set_viewport_size(WIDE if name == "four" else DESK if language == "it" else PHONE)  # type: ignore[arg-type]
        settled(page)
        found = axe(page)
        page.set_viewport_size(DESK)  # type: ignore[arg-type]
    assert found == []


PLANT = """(kind) => {
  const one = document.createElement(kind === 'button-name' ? 'button' : 'p');
  if (kind === 'color-contrast') one.textContent = 'Niente più puntate';
  Object.assign(one.style, { position: 'fixed', top: '0', color: 'rgb(90, 90, 90)', background: 'rgb(40, 40, 40)' });
  document.querySelector('main').append(one);
  if (kind === 'aria-required-attr') document.querySelector('[role=radio]').removeAttribute('aria-checked');
}"""


@pytest.mark.parametrize("fault", ["color-contrast", "button-name", "aria-required-attr"])
def test_axe_finds_a_fault_planted_at_a_table(gallery: Gallery, axe: Axe, fault: str) -> None:
    with gallery.scene(SCENES["betting"].build, "it", fresh=True, stranger=False) as page:
        settled(page)
        page.evaluate(PLANT, fault)
        assert any(found.startswith(fault) for found in axe(page))
