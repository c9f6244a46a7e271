"""Cards read in a browser: by a camera that sees printed cards, by a scanner that types, by the pad of 52."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.support.browser.browsers import ARGUMENTS, CHROMIUM
from tests.support.browser.filmed_cards import render_cards, write_film
from tests.support.browser.scanner import scan
from tests.support.browser.visitor import Visitor
from tests.support.patience import PATIENCE
from tests.support.server_process import ServerProcess
from ventuno.core.rules import card_codes
from ventuno.core.rules.card_codes import CUT, write_code

Visit = Callable[..., Visitor]
SHOWN = ("TD", "KH", "AS", CUT)
WRONG = "V21-7S-X"
"""What is printed on the seven of clubs of this deck: no code at all."""


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four good cards and a misprint."""
    file = tmp_path_factory.mktemp("film") / "cards.mjpeg"
    with pytest.MonkeyPatch.context() as planted:
        planted.setattr(card_codes, "write_code", lambda name: WRONG if name == "7C" else write_code(name))
        cards = render_cards((*SHOWN, "7C"))
    write_film(file, cards.values())
    return file


@pytest.fixture
def filmed(chromium: Browser, house: ServerProcess, film: Path) -> Iterator[Visitor]:
    """A browser whose camera shows the film, over and over."""
    fake = ("--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream")
    arguments = [*ARGUMENTS, *fake, f"--use-file-for-fake-video-capture={film}"]
    browser = chromium.browser_type.launch(executable_path=CHROMIUM, args=arguments)
    visitor = Visitor(browser.new_context(viewport={"width": 1280, "height": 800}, locale="it-IT"), house.url)
    yield visitor
    browser.close()
    assert visitor.complaints == []


def words_of(page: Page, name: str) -> list[str]:
    """What was read or refused, the first one first."""
    return list(reversed((page.locator(".read").get_attribute(f"data-{name}") or "").split()))


def test_a_camera_reads_printed_cards_and_each_once_while_it_lies_there(filmed: Visitor) -> None:
    fetched: list[str] = []
    filmed.page.on("request", lambda request: fetched.append(request.url))
    page = filmed.go("/parts")
    page.locator("#scan").scroll_into_view_if_needed()
    assert [url for url in fetched if "decoder" in url or ".wasm" in url] == [], "fetched before a camera was asked for"
    page.get_by_role("button", name="Leggi con la telecamera").click()
    expect(page.locator(".camera")).to_have_attribute("data-phase", "reading")
    page.wait_for_function(
        "cards => { const { read, refused } = document.querySelector('.read').dataset;"
        " return refused && cards.every((card) => read.split(' ').includes(card)); }",
        arg=list(SHOWN),
        timeout=PATIENCE * 1000,
    )
    read = words_of(page, "read")
    assert set(read) == set(SHOWN)
    assert all(first != second for first, second in pairwise(read)), read
    assert set(words_of(page, "refused")) == {WRONG}
    if page.locator(".camera").get_attribute("data-reader") == "wasm":
        ours = [url for url in fetched if "decoder" in url or ".wasm" in url]
        assert ours
        assert all(url.startswith(filmed.url) for url in ours)
    page.get_by_role("button", name="Ferma la telecamera").click()
    expect(page.locator(".camera")).to_have_attribute("data-phase", "off")
    assert page.evaluate("document.querySelector('.camera video').srcObject") is None


def test_a_camera_that_is_not_there_is_said(visit: Visit) -> None:
    page = visit().go("/parts")
    page.get_by_role("button", name="Leggi con la telecamera").click()
    expect(page.locator(".camera [role=status]")).to_have_text(re.compile("Non c’è una telecamera|non è permessa"))
    expect(page.get_by_role("button", name="Leggi con la telecamera")).to_be_visible()


def test_no_other_page_may_use_a_camera(filmed: Visitor) -> None:
    """Also where the person would allow it: the house does not."""
    filmed.go("/login")
    ask = "navigator.mediaDevices.getUserMedia({ video: true }).then(() => 'allowed', (fault) => fault.name)"
    assert filmed.page.evaluate(ask) == "NotAllowedError"
    filmed.go("/parts")
    assert filmed.page.evaluate(ask) == "allowed"
    filmed.complaints[:] = [one for one in filmed.complaints if "ermission" not in one]


def test_a_scanner_types_codes_and_a_person_types_words(visit: Visit) -> None:
    page = visit().go("/parts")
    page.locator("#scan").scroll_into_view_if_needed()
    page.locator("#scan .pad button").first.focus()
    for code in (write_code("TD"), write_code(CUT), "V21-TS-6"):
        scan(page, code)
    expect(page.locator(".read")).to_have_attribute("data-read", f"{CUT} TD")
    assert words_of(page, "refused") == ["V21-TS-6"]
    field = page.locator("#chat input, #chat textarea").first
    field.fill("")
    field.focus()
    page.keyboard.type("ciao a tutti")
    scan(page, write_code("KH"))
    expect(page.locator(".read")).to_have_attribute("data-read", f"KH {CUT} TD")
    expect(field).to_have_value("ciao a tutti")


def test_what_a_person_types_is_no_scan(visit: Visit) -> None:
    page = visit().go("/parts")
    page.locator("#scan").scroll_into_view_if_needed()
    scan(page, write_code("TD"), gap=0.09)
    scan(page, write_code("KH"))
    expect(page.locator(".read")).to_have_attribute("data-read", "KH")
    assert words_of(page, "refused") == []


@pytest.mark.parametrize("width", [360, 667, 820, 1366])
def test_the_pad_takes_fingers_and_keys(visit: Visit, width: int) -> None:
    visitor: Any = visit(width, 900)
    page = visitor.go("/parts")
    pad = page.locator("#scan .pad .pad")
    pad.scroll_into_view_if_needed()
    sizes = pad.evaluate(
        "pad => [...pad.querySelectorAll('button')].map((key) => key.getBoundingClientRect())"
        ".map(({ width, height }) => [width, height])"
    )
    assert min(min(size) for size in sizes) >= 44
    if len(sizes) < 52:
        pad.get_by_role("button", name="10", exact=True).click()
        pad.get_by_role("button", name="10 di quadri").click()
    else:
        pad.get_by_role("button", name="10 di quadri").click()
    expect(page.locator(".read")).to_have_attribute("data-read", "TD")
    page.keyboard.type("kp", delay=120)
    expect(page.locator(".read")).to_have_attribute("data-read", "KS TD")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
