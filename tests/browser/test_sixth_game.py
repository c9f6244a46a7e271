"""X-22: a game that is nothing but a file of an operator, from the lobby to the odds room, in a browser."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.browser.browsers import Browsers
from tests.support.browser.solo_browser import play_out
from tests.support.server_process import ServerProcess, running
from ventuno.core.rules.sheet_writer import write
from ventuno.sheets import load

CHANGES = {
    "game.id": "vienna",
    "game.name": "Blackjack Vienna",
    "split.hands": "3",
    "blackjack.pays": "6/5",
    "published.returns": "{}",
}


@pytest.fixture(scope="module")
def served(pages: Path, browsers: Browsers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A house whose operator has a sheet of his own in a folder; it computes the certificate when it opens."""
    folder, data = tmp_path_factory.mktemp("sheets"), tmp_path_factory.mktemp("house")
    (folder / "vienna.toml").write_text(write(load("first-person", CHANGES)), encoding="utf-8")
    with running(data, VENTUNO_PAGES=str(pages), VENTUNO_SHEETS=str(folder), VENTUNO_TABLES="1") as house:
        yield house
        browsers.leave(house.url)


def test_x22_a_game_of_a_file_is_played_from_the_lobby_to_the_odds_room(
    browsers: Browsers, served: ServerProcess
) -> None:
    """Found in the lobby, played to its sums, taught by the help, computed in the odds room: without a word of code."""
    visitor = browsers.lend(served.url, reduced_motion="reduce")
    page = visitor.go("/?lang=it")
    page.get_by_role("button", name="Gioca come ospite").click()
    page.locator("a[href='/solo/vienna']").first.click()
    page.get_by_role("button", name=re.compile("^Porta .* e gioca")).click()
    expect(page.locator("[role=img][aria-label*=' di ']").first).to_be_visible()
    play_out(page)
    page.get_by_role("button", name="Il conto").click()
    expect(page.get_by_role("dialog").get_by_role("table")).to_contain_text(re.compile(r"F-\d\d"))
    page.keyboard.press("Escape")
    visitor.walk("/help/vienna")
    expect(page.locator("main")).to_contain_text("Blackjack Vienna")
    expect(page.locator("main")).to_contain_text("6 a 5")
    visitor.walk("/odds/vienna")
    expect(page.locator("main")).to_contain_text("Blackjack Vienna")
    expect(page.locator("main")).to_contain_text(re.compile(r"9\d,\d\d"))
    assert visitor.complaints == []
