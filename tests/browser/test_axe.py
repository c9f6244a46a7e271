"""Axe's eyes (X-07): what they see of a planted fault, and of the page of the parts.

Every other screen and state is shown to axe where it is looked at anyway, in both languages: `test_looks`.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.support.browser.picture_house import PictureHouse, settled
from tests.support.browser.screens import LOOKED_AT, Axe, sized
from tests.support.browser.table_scenes import SCENES
from tests.support.free_port import free_port
from tests.support.project_files import ROOT


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


@pytest.fixture(scope="module")
def documentation(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site as `dev.py docs` builds it, served; its address."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--site-dir", str(folder)]
    subprocess.run(command, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=True)
    port = free_port()
    command = [sys.executable, "-m", "http.server", "--bind", "127.0.0.1", "--directory", str(folder), str(port)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not is_listening(port):
            assert server.poll() is None
        yield f"http://127.0.0.1:{port}"
    finally:
        server.kill()
        server.wait()


def is_listening(port: int) -> bool:
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


@pytest.mark.parametrize("width", [360, 1366])
def test_axe_finds_nothing_on_the_site(documentation: str, chromium: Browser, axe: Axe, width: int) -> None:
    """Pages with tables that scroll, examples that are copied, and every kind of menu."""
    page = chromium.new_page(viewport={"width": width, "height": 800})
    for name in ("", "bots/", "odds/", "operations/", "games/"):
        page.goto(f"{documentation}/{name}")
        assert axe(page) == [], name
    page.evaluate("document.querySelector('.md-search').removeAttribute('aria-label')")
    assert any(fault.startswith("aria-dialog-name") for fault in axe(page)), "a planted fault is found"
    page.close()
