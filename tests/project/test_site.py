"""The documentation site: it builds without a warning, asks no other host for anything, and has every section."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import NamedTuple

import pytest

import dev
import ventuno
from docs.site import criteria_page
from docs.site.doctest_blocks import fence_examples
from docs.site.hooks import fill_menu, list_modules
from docs.site.links import Links
from tests.support.patience import PATIENCE
from ventuno import client, odds
from ventuno.sheets import GAMES

ROOT = dev.ROOT
SECTIONS = [
    *("Start", "Play", "The five games", "Odds", "Library", "Environments", "Bots", "Operate", "Fairness"),
    *("Write a game", "Architecture", "Criteria", "Changelog"),
]
MOST_SECONDS = 60
FETCHED = {
    "script": ("src",),
    "link": ("href",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "video": ("src", "poster"),
    "audio": ("src",),
    "embed": ("src",),
    "object": ("data",),
    "use": ("href",),
    "form": ("action",),
}
"""What a browser fetches by itself when it opens a page; a link is followed by a person."""
FOREIGN = re.compile(r"(?:[a-z]+:)?//(?!127\.0\.0\.1)", re.IGNORECASE)
IN_STYLE = re.compile(r"""(?:url\(\s*['"]?|@import\s+['"])((?:[a-z]+:)?//[^'")]+)""", re.IGNORECASE)


class Site(NamedTuple):
    """The built site, and the time of the processor that it took."""

    folder: Path
    seconds: float


class Fetches(HTMLParser):
    """The addresses of others that a page would be fetched from."""

    def __init__(self) -> None:
        super().__init__()
        self.foreign = list[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in FETCHED.get(tag, ()) and value and FOREIGN.match(value):
                self.foreign.append(value)
            if name == "style" and value:
                self.foreign += IN_STYLE.findall(value)


def find_foreign(html: str) -> list[str]:
    fetches = Fetches()
    fetches.feed(html)
    return fetches.foreign


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Site:
    """As `dev.py docs` builds it, strictly."""
    folder, before = tmp_path_factory.mktemp("site"), sum(os.times()[2:4])
    command = [sys.executable, "-m", "mkdocs", "build", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False, timeout=3 * PATIENCE
    )
    assert done.returncode == 0, done.stderr
    return Site(folder, sum(os.times()[2:4]) - before)


def list_pages(site: Site) -> Iterator[tuple[str, str]]:
    for path in sorted(site.folder.rglob("*.html")):
        yield path.relative_to(site.folder).as_posix(), path.read_text(encoding="utf-8")


def test_the_site_is_built_in_a_minute_with_every_section(site: Site) -> None:
    assert site.seconds < MOST_SECONDS
    first = (site.folder / "index.html").read_text(encoding="utf-8")
    tabs = re.search(r'<ul class="md-tabs__list">(.*?)</ul>', first, re.DOTALL)
    assert tabs is not None
    names = re.findall(r'<a [^>]*class="md-tabs__link">(.*?)</a>', tabs[1], re.DOTALL)
    assert [re.sub(r"<[^>]*>", "", name).strip() for name in names] == SECTIONS


def test_no_page_asks_another_host(site: Site) -> None:
    """Neither by an element that is fetched, nor in a style; no font, no icon, no count of visitors."""
    assert [(name, find_foreign(html)) for name, html in list_pages(site) if find_foreign(html)] == []
    styles = {path.name: path.read_text(encoding="utf-8") for path in site.folder.rglob("*.css")}
    assert "ventuno.css" in styles
    assert {name: IN_STYLE.findall(text) for name, text in styles.items() if IN_STYLE.search(text)} == {}


@pytest.mark.parametrize(
    "planted",
    [
        '<script src="https://example.org/x.js"></script>',
        '<link rel="stylesheet" href="//example.org/fonts.css">',
        '<img alt="" srcset="https://example.org/a.png 2x">',
        '<p style="background: url(https://example.org/a.png)">',
    ],
)
def test_a_planted_foreign_address_is_caught(planted: str) -> None:
    assert find_foreign(planted)
    assert not find_foreign('<a href="https://example.org">x</a><img src="a.webp" alt=""><script>"http://x"</script>')
    assert IN_STYLE.search("@import 'https://example.org/a.css'")


def test_every_game_has_its_page_and_picture_in_both_languages(site: Site) -> None:
    for game in GAMES:
        for folder in ("games", "it/games"):
            page = (site.folder / folder / game / "index.html").read_text(encoding="utf-8")
            (picture,) = re.findall(r'<img [^>]*src="([^"]+\.webp)"', page)
            assert (site.folder / folder / game / picture).resolve().is_file()


def test_the_reference_has_every_public_name(site: Site) -> None:
    modules = {module.__name__: module.__all__ for module in (ventuno, odds, client)}
    assert set(modules) < set(list_modules())
    for module, names in modules.items():
        page = (site.folder / "reference" / module / "index.html").read_text(encoding="utf-8")
        assert [name for name in names if f'id="{module}.{name}"' not in page] == []


def test_the_search_finds_pages_that_lie_elsewhere(site: Site) -> None:
    entries = json.loads((site.folder / "search" / "search_index.json").read_text(encoding="utf-8"))["docs"]
    places = {entry["location"].partition("#")[0] for entry in entries}
    assert {"architecture/", "games/link/", "it/play/", "reference/ventuno.client/"} <= places


def test_criteria_name_the_tests_that_hold_them(site: Site) -> None:
    """Each on its own line; what is shown is the name of a test, and never a sentence of a regulation."""
    page = (site.folder / "criteria" / "index.html").read_text(encoding="utf-8")
    lines = dict(re.findall(r'<li id="([^"]+)"><strong>.*?</strong>(.*?)</details></li>', page, re.DOTALL))
    assert all(f"{letter}-01" in lines for letter in "vfsdlr")
    assert "tests/scenarios/ventuno/V-09-" in lines["v-09"]
    assert "tests/project/test_requirements.py" in lines["g-26"]
    assert "every requirement is named by a test" in lines["g-26"]


def test_who_holds_a_criterion() -> None:
    source = '''
def test_v09_x01_a_ten_is_not_looked_under():
    """As reading 12 has it, R-30…R-32."""

async def test_other(): ...

def helper():
    """V-10."""
'''
    named = [
        name for name, holder in criteria_page.read_tests(source, "f") if holder.says == "a ten is not looked under"
    ]
    assert named == ["V-09", "X-01", "R-30", "R-31", "R-32", "⚑12"]
    assert len(list(criteria_page.read_tests(source, "f"))) == len(named)


def test_links_of_the_repository_lead_to_pages_of_the_site() -> None:
    links = Links(ROOT, {"README.md": "readme.md", "docs/odds.md": "odds.md", "docs/bots.md": "bots.md"})
    text = "[a](docs/odds.md#figures) [b](examples/bot.py) [c](docs/) [d](https://x.org) `[e](docs/odds.md)` [f](#g)"
    assert links.rewrite("README.md", "readme.md", text) == (
        "[a](odds.md#figures) [b](files/examples/bot.py) c [d](https://x.org) `[e](docs/odds.md)` [f](#g)"
    )
    assert list(links.list_files("README.md", text)) == ["examples/bot.py"]
    assert links.rewrite("README.md", "readme.md", "[`a` b](docs/odds.md)") == "[`a` b](odds.md)"
    assert links.rewrite("README.md", "readme.md", "```\n[a](docs/odds.md)\n```") == "```\n[a](docs/odds.md)\n```"
    assert links.rewrite("docs/odds.md", "odds.md", "[x](../README.md)") == "[x](readme.md)"
    assert links.rewrite("README.md", "it/readme.md", "[x](docs/odds.md)") == "[x](../odds.md)"


def test_a_link_that_leads_nowhere_is_left_to_the_strict_build() -> None:
    """Planted: mkdocs warns of what it does not find; a folder is plain text, since no page is there to go to."""
    links = Links(ROOT, {"README.md": "readme.md"})
    assert links.rewrite("README.md", "readme.md", "[x](docs/gone.md)") == "[x](docs/gone.md)"


def test_the_menu_has_the_pages_that_are_made() -> None:
    assert fill_menu(["a.md", {"B": ["GAMES", "c.md"]}], {"GAMES": ["x.md", "y.md"]}) == [
        "a.md",
        {"B": ["x.md", "y.md", "c.md"]},
    ]


def test_an_example_of_a_docstring_is_a_block() -> None:
    text = "One.\n\n>>> 1 + 1\n2\n\nTwo."
    assert fence_examples(text) == "One.\n\n```python\n>>> 1 + 1\n2\n```\n\nTwo."


def test_every_landmark_of_a_page_has_a_name(site: Site) -> None:
    """What the theme leaves unnamed; what its script makes later is named by docs/assets/keyboard.js."""
    for name, html in list_pages(site):
        assert html.count('role="dialog"') == html.count('role="dialog" aria-label="Search"'), name
        assert not re.search(r'<nav class="md-nav" data-md-level="\d+" aria-labelledby', html), name
        assert not re.search(r"<th[^>]*></th>", html), name
        assert "assets/keyboard.js" in html, name
    index = (site.folder / "index.html").read_text(encoding="utf-8")
    assert '<nav class="md-nav" data-md-level="1" aria-label="Start"' in index
