"""A real house on a real database with the built client, and browsers that note every complaint of theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.support.browser.browsers import ARGUMENTS, CHROMIUM, Browsers
from tests.support.browser.live_house import LiveHouse, open_live_house
from tests.support.browser.live_seat import Seat
from tests.support.browser.picture_house import PictureHouse, open_picture_house
from tests.support.browser.solo_player import SoloPlayer
from tests.support.browser.visitor import Visitor
from tests.support.built_pages import provide_pages
from tests.support.patience import PATIENCE
from tests.support.server_process import CLIENT, ServerProcess, running, wait_for_machine
from ventuno.sheets import GAMES, load

STILL: dict[str, Any] = {"reduced_motion": "reduce"}

expect.set_options(timeout=PATIENCE * 1000)
"""A busy machine is slow, not wrong; what passes does not wait."""


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return provide_pages(tmp_path_factory.mktemp("pages"))


@pytest.fixture(scope="session")
def house(pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """One house for all tests of a session: each test brings people of its own."""
    more: dict[str, Any] = {
        "VENTUNO_PAGES": str(pages),
        "VENTUNO_ENTRIES_PER_MINUTE": "1000",
        "VENTUNO_CALLS_PER_SECOND": "500",
    }
    with running(tmp_path_factory.mktemp("house"), plant=wait_for_machine, **more) as opened:
        yield opened


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    if not CHROMIUM:
        pytest.skip("no chromium: set VENTUNO_CHROMIUM, or put it on the PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def browsers(chromium: Browser) -> Browsers:
    """Those of all tests of a worker."""
    return Browsers(chromium)


@pytest.fixture
def visit(browsers: Browsers, house: ServerProcess, request: pytest.FixtureRequest) -> Iterator[Callable[..., Visitor]]:
    """Opens browsers; at the end none of them may have complained."""
    opened: list[Visitor] = []
    failures = request.session.testsfailed

    def open_one(width: int = 1280, height: int = 800, **wishes: Any) -> Visitor:
        opened.append(browsers.lend(house.url, width, height, **{**STILL, **wishes}))
        return opened[-1]

    yield open_one
    complaints = [complaint for one in opened for complaint in one.complaints]
    failed = request.session.testsfailed > failures
    for one in opened:
        (browsers.discard if failed else browsers.take_back)(one)
    assert complaints == []


@pytest.fixture(scope="session")
def room(browsers: Browsers, pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveHouse]:
    """One live room for all tests of a session: each test opens tables of its own."""
    with open_live_house(tmp_path_factory.mktemp("house"), pages, cut_seconds=0) as opened:
        yield opened
        browsers.leave(opened.url)


@pytest.fixture(scope="session")
def regulars() -> dict[str, Seat]:
    """Who has a browser already and comes again: a page that is open goes to another table in no time."""
    return {}


@pytest.fixture
def sit(
    browsers: Browsers, room: LiveHouse, regulars: dict[str, Seat], request: pytest.FixtureRequest
) -> Iterator[Callable[..., Seat]]:
    """Brings people to the live room; at the end none of their browsers may have complained.

    After a failure nobody keeps his browser: what went wrong in it is not the next test's.
    """
    here, lent, spoilt = list[Seat](), list[Visitor](), set[Visitor]()
    failures = request.session.testsfailed

    def come(name: str = "", *, again: Seat | None = None, spoils: bool = False, **wishes: Any) -> Seat:
        """A name is a regular, who keeps his browser; no name is somebody new; `again` is the same person once more.

        Who `spoils` his browser, by a clock of its own for one, leaves it to nobody.
        """
        if name and not wishes:
            seat = regulars.get(name) or Seat(browsers.lend(room.url, **STILL), room, room.player(name))
            regulars[name] = seat
            seat.visitor.complaints.clear()
        else:
            visitor = browsers.lend(room.url, **{**STILL, **wishes})
            seat = Seat(visitor, room, again.player if again else room.player(name))
            lent.append(visitor)
            spoilt.update([visitor] if spoils else [])
        here.append(seat)
        return seat

    yield come
    complaints = [complaint for one in here for complaint in one.visitor.complaints]
    failed = request.session.testsfailed > failures
    for visitor in lent:
        (browsers.discard if failed or visitor in spoilt else browsers.take_back)(visitor)
    for name, seat in list(regulars.items()):
        if failed and seat in here:
            browsers.discard(seat.visitor)
            regulars[name] = Seat(browsers.lend(room.url, **STILL), room, seat.player)
    assert complaints == []


@pytest.fixture(scope="session", name="gallery")
def _gallery(chromium: Browser, pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PictureHouse]:
    """One house whose people, cards and clocks are the same in every run, to be looked at."""
    with open_picture_house(chromium, pages, tmp_path_factory.mktemp("pictures")) as opened:
        yield opened


@pytest.fixture(scope="session")
def den(browsers: Browsers, pages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveHouse]:
    """One house with all games for the tables for one."""
    games = {game: load(game) for game in GAMES}
    with open_live_house(tmp_path_factory.mktemp("den"), pages, cut_seconds=0, games=games) as opened:
        yield opened
        browsers.leave(opened.url)


@pytest.fixture(scope="session")
def loners() -> dict[str, SoloPlayer]:
    """Who plays alone and comes again."""
    return {}


@pytest.fixture
def alone(
    browsers: Browsers, den: LiveHouse, loners: dict[str, SoloPlayer], request: pytest.FixtureRequest
) -> Iterator[Callable[..., SoloPlayer]]:
    """Brings people to tables for one; at the end none of their browsers may have complained."""
    here: list[SoloPlayer] = []
    failures = request.session.testsfailed

    def fresh(name: str, width: int = 1280, height: int = 800, **wishes: Any) -> SoloPlayer:
        visitor = browsers.lend(den.url, width, height, **{**STILL, **wishes})
        return SoloPlayer(Seat(visitor, den, den.player(name)))

    def come(name: str = "", *size: int, **wishes: Any) -> SoloPlayer:
        """A name alone is a regular; whoever wishes another browser gets another one."""
        if name and not size and not wishes:
            one = loners.setdefault(name, loners.get(name) or fresh(name))
            one.visitor.complaints.clear()
        else:
            one = fresh(name, *size, **wishes)
        here.append(one)
        return one

    yield come
    complaints = [complaint for one in here for complaint in one.visitor.complaints]
    failed = request.session.testsfailed > failures
    for one in here:
        if one not in loners.values():
            (browsers.discard if failed else browsers.take_back)(one.visitor)
    for name, one in list(loners.items()):
        if failed and one in here:
            browsers.discard(one.visitor)
            loners[name] = SoloPlayer(Seat(browsers.lend(den.url, **STILL), den, one.player))
    assert complaints == []


@pytest.fixture(scope="session")
def axe() -> Callable[[Page], list[str]]:
    """What axe-core finds wrong with a page, each fault with the place of it."""
    source = (CLIENT / "node_modules" / "axe-core" / "axe.min.js").read_text()

    def found(page: Page) -> list[str]:
        page.evaluate(f"() => {{ {source} }}")
        told = page.evaluate("() => axe.run(document, { resultTypes: ['violations'] })")
        return [
            f"{fault['id']}: {node['html'][:160]} ({node['failureSummary'][:200]})"
            for fault in told["violations"]
            for node in fault["nodes"]
        ]

    return found
