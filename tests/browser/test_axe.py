"""Axe's eyes (X-07): what they see of a planted fault, and of the page of the parts.

Every other screen and state is shown to axe where it is looked at anyway, in both languages: `test_looks`.
"""

from __future__ import annotations

import pytest

from tests.support.browser.picture_house import PictureHouse, settled
from tests.support.browser.screens import LOOKED_AT, Axe, sized
from tests.support.browser.table_scenes import SCENES


@pytest.mark.parametrize("name", [name for name in SCENES if name not in LOOKED_AT])
def test_axe_finds_nothing(gallery: PictureHouse, axe: Axe, name: str) -> None:
    """In one language: the words of the parts are those of the screens, and the page is by far the longest."""
    scene = SCENES[name]
    with gallery.scene(scene.build, "it", fresh=scene.fresh, stranger=scene.stranger) as page:
        sized(page, 1280, 800)
        assert axe(page) == []


PLANT = """(kind) => {
  const one = document.createElement(kind === 'button-name' ? 'button' : 'p');
  if (kind === 'color-contrast') one.textContent = 'Niente più puntate';
  Object.assign(one.style, { position: 'fixed', top: '0', color: 'rgb(90, 90, 90)', background: 'rgb(40, 40, 40)' });
  document.querySelector('main').append(one);
  if (kind === 'aria-required-attr') document.querySelector('[role=radio]').removeAttribute('aria-checked');
}"""


@pytest.mark.parametrize("fault", ["color-contrast", "button-name", "aria-required-attr"])
def test_axe_finds_a_fault_planted_at_a_table(gallery: PictureHouse, axe: Axe, fault: str) -> None:
    with gallery.scene(SCENES["betting"].build, "it", fresh=True, stranger=False) as page:
        settled(page)
        page.evaluate(PLANT, fault)
        assert any(found.startswith(fault) for found in axe(page))
