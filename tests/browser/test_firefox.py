"""The main paths in Debian's stock Firefox: in as a guest, a round for one, the live table, history, the verifier."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tests.support.browser import firefox
from tests.support.browser.firefox import FIREFOX, Firefox
from tests.support.browser.solo_browser import ANSWERS
from tests.support.server_process import ServerProcess

SUMS = re.compile("^Il conto")


@pytest.fixture(scope="module")
def window() -> Iterator[Firefox]:
    if FIREFOX is None:
        pytest.skip("Firefox is not installed: apt install firefox-esr")
    with firefox.opened() as opened:
        yield opened
    assert opened.errors == []


@pytest.fixture(scope="module")
def guest(window: Firefox, house: ServerProcess) -> Firefox:
    window.go(f"{house.url}/?lang=it")
    window.press("button", re.compile("^Gioca come ospite"))
    window.wait_for("fetch('/api/me').then(answer => answer.ok)")
    return window


@pytest.mark.parametrize("game", ["first-person", "duello", "link", "sisal"])
def test_x07_a_round_for_one_in_firefox(guest: Firefox, house: ServerProcess, game: str) -> None:
    """Money with a first bet, each question answered with the pointer, until the sums can be seen."""
    guest.go(f"{house.url}/solo/{game}?lang=it")
    guest.press("button", re.compile("^Porta .* e gioca"))
    for _ in range(60):
        if guest.press_first(("button", SUMS), ("button", ANSWERS)) == 0:
            break
    else:
        raise AssertionError("the round does not end")
    guest.wait_for("/[FSDL]-[0-9][0-9]/.test(document.querySelector('dialog[open] table')?.textContent ?? '')")


def test_v83_the_live_table_is_shown_in_firefox(guest: Firefox, house: ServerProcess) -> None:
    """The socket is open and the table told: its dealer, its boxes, its code."""
    guest.go(f"{house.url}/table/Ventuno%201?lang=it")
    guest.wait_for("document.querySelector('[role=group][aria-label=Banco]') !== null")
    guest.wait_for("/Ventuno 1/.test(document.body.innerText)")
    assert guest.count("button", re.compile("Siediti|Sit here|siedi", re.I)) > 0


def test_v69_the_history_is_read_in_firefox(guest: Firefox, house: ServerProcess) -> None:
    guest.go(f"{house.url}/history?lang=it")
    guest.wait_for("document.querySelectorAll('[role=region] li, section li').length >= 1")
    assert "First Person" in guest.evaluate("document.body.innerText")
