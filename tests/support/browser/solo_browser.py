"""Whoever is at a table for one in these tests, in a browser that is open already: a page loaded anew is what costs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count

import pytest
from playwright.sync_api import Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.support.browser.picture_house import settled
from tests.support.browser.screens import faults
from tests.support.browser.solo_player import SoloPlayer

Come = Callable[..., SoloPlayer]
ANSWERS = re.compile("^(Stai|Rifiuto|Carta sinistra|Gira|Salta|Continua|Stand|Decline|Left card)")
SUMS = re.compile("^(Il conto|Round details)$")
PHONE, DESK = (360, 740), (1280, 800)
SIX_TEN = "9D 6H TS TC 5D 6S"
"""19 against a six with a ten under it, who draws 5 and has 21."""
_accounts: defaultdict[str, Iterator[int]] = defaultdict(lambda: count(1))


@pytest.fixture
def one(alone: Come) -> SoloPlayer:
    """Somebody who comes to every practice table of these tests."""
    return alone("Prova")


def paying(come: Come, game: str) -> SoloPlayer:
    """Somebody who has never been at his own table of this game; at that of another, perhaps."""
    return come(f"Conto{next(_accounts[game])}")


@contextmanager
def seen_at(page: Page, width: int, height: int) -> Iterator[None]:
    """The page at another size, as long as the block lasts."""
    page.set_viewport_size({"width": width, "height": height})
    try:
        yield
    finally:
        page.set_viewport_size({"width": DESK[0], "height": DESK[1]})


def untidy(page: Page) -> list[str]:
    """What lies over, under or out of anything; but for the code of a round, as long as the number of its table is."""
    settled(page)
    return [fault for fault in faults(page, touch=False) if "«practice-" not in fault]


def play_out(page: Page) -> None:
    """Answers whatever is asked, never asking for a card, until the round is paid; a key may go while it is sought."""
    sums = page.get_by_role("button", name=SUMS)
    for _ in range(40):
        asked = page.get_by_role("button", name=ANSWERS)
        expect(asked.or_(sums).first).to_be_visible()
        if sums.count():
            return
        with suppress(PlaywrightTimeout):
            asked.first.click(timeout=3_000)
        expect(page.locator("main [aria-busy=true]")).to_have_count(0)
    raise AssertionError("the round does not end")
