"""A round that broke off stands as it stood: on a page loaded anew, on another device, after a killed house."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser.chosen_cards_server import COMMAND, FILE
from tests.support.browser.interruptions import POINTS, SPINS, Point, reached, seen, spun
from tests.support.browser.solo_browser import Come
from tests.support.browser.solo_player import SoloPlayer
from tests.support.browser.solo_table import Felt, lines
from tests.support.browser.visitor import Visitor
from tests.support.free_port import free_port
from tests.support.house import certify
from tests.support.patience import PATIENCE
from tests.support.server_process import ServerProcess

BROWSER: Any = {"locale": "it-IT", "reduced_motion": "reduce", "viewport": {"width": 1280, "height": 800}}
TROUBLE = re.compile("Ti stiamo riportando|La casa non risponde")
FROM_THE_DOOR = ("wheel turned to a board", "mega board", "duel, a card to choose")
"""Points at which who comes back comes to the door of the house, as somebody does who was away for long."""


def finished(felt: Felt, point: Point) -> None:
    """Played to its end from where it stands; what came back is what it would have been."""
    point.rest(felt)
    assert tuple(line[2].removeprefix("€ ") for line in lines(felt)) == point.returned


def stands(felt: Felt, point: Point, before: str, patience: float = PATIENCE) -> None:
    """The same felt again; where the wheel was told already, its result."""
    if point.same:
        until = time.monotonic() + patience
        while (now := seen(felt)) != before and time.monotonic() < until:
            felt.page.wait_for_timeout(50)
        assert now == before
    elif point.spins[0]["start"]:
        expect(felt.page.get_by_text(SPINS)).to_have_text("3 di 3")
        cells = felt.page.locator(".cells li").all_inner_texts()
        assert [at for at, text in enumerate(cells) if "×" in text] == list(point.spins[0]["start"])
    else:
        expect(felt.key("Il conto")).to_be_visible()


@pytest.fixture(scope="module")
def device(chromium: Browser) -> Iterator[Callable[[SoloPlayer], Felt]]:
    """A second device of somebody, with the same session."""
    with ExitStack() as closing:
        held: list[Felt] = []

        def of(one: SoloPlayer) -> Felt:
            if not held:
                context = chromium.new_context(storage_state=one.visitor.context.storage_state(), **BROWSER)
                closing.callback(context.close)
                held.append(Felt(Visitor(context, one.visitor.url)))
            return held[0]

        yield of
        assert [complaint for one in held for complaint in one.visitor.complaints] == []


@pytest.mark.parametrize("name", POINTS)
def test_l31_l32_d24_a_page_that_is_loaded_again_and_another_device(
    alone: Come, device: Callable[[SoloPlayer], Felt], name: str
) -> None:
    point = POINTS[name]
    one = alone("Rita").practise(point.game, point.cards, spins=point.spins)
    reached(one, point)
    before = seen(one)
    one.page.reload()
    stands(one, point, before)
    there = device(one)
    there.visitor.walk(one.page.url.removeprefix(one.visitor.url))
    stands(there, point, before)
    expect(one.page.get_by_text("Giochi da un altro dispositivo")).to_be_visible()
    finished(there, point)


def test_a_felt_that_stands_otherwise_is_caught(alone: Come) -> None:
    """Planted: one spin more than he saw who left."""
    point = POINTS["board"]
    one = alone("Rita").practise(point.game, point.cards, spins=point.spins)
    reached(one, point)
    before = seen(one)
    stands(one, point, before)
    spun(one, 1)
    with pytest.raises(AssertionError):
        stands(one, point, before, patience=1.0)


class Broken(NamedTuple):
    felt: Felt
    before: str


class Rigged:
    """A house of its own process with chosen cards, that can be killed and comes back at the same address."""

    def __init__(self, folder: Path, pages: Path, chromium: Browser, closing: ExitStack) -> None:
        self._folder, self._chromium, self._closing = certify(folder), chromium, closing
        self._chosen = folder / "chosen.json"
        self._chosen.write_text("{}")
        self._more = {
            "VENTUNO_PAGES": str(pages),
            "VENTUNO_PORT": str(free_port()),
            "VENTUNO_ENTRIES_PER_MINUTE": "1000",
            FILE: str(self._chosen),
        }
        self.house = ServerProcess(self._folder, command=COMMAND, **self._more)

    def killed(self) -> None:
        self.house.kill()

    def opened(self) -> None:
        self.house = ServerProcess(self._folder, command=COMMAND, **self._more)

    def broken(self, point: Point) -> Broken:
        """A new guest with money of his own, at this point of a round in a browser of his own."""
        context = self._chromium.new_context(**BROWSER)
        self._closing.callback(context.close)
        headers = {"X-Ventuno": "1", "Origin": self.house.url}
        assert context.request.post(f"{self.house.url}/api/guest", headers=headers, data={}).ok
        player = context.request.get(f"{self.house.url}/api/me").json()["player"]
        told = json.loads(self._chosen.read_text())
        told[f"{point.game}-{player}"] = {"cards": point.cards, "spins": point.spins}
        self._chosen.write_text(json.dumps(told))
        felt = Felt(Visitor(context, self.house.url))
        felt.visitor.go(f"/solo/{point.game}?lang=it")
        felt.key(re.compile(r"^Porta €.[\d.,]+$")).click()
        reached(felt, point)
        return Broken(felt, seen(felt))


@contextmanager
def rigged(folder: Path, pages: Path, chromium: Browser) -> Iterator[Rigged]:
    with ExitStack() as closing:
        opened = Rigged(folder, pages, chromium, closing)
        try:
            yield opened
        finally:
            opened.house.kill()


@pytest.mark.timeout(600)
def test_l31_l32_d24_a_house_that_was_killed_comes_back_to_the_very_point(
    pages: Path, chromium: Browser, tmp_path: Path, subtests: pytest.Subtests
) -> None:
    """A player at each of the points; then the house is killed, and started again.

    The page that was open all the time stands as it stood, one that is loaded anew too; the round is played to its end.
    """
    with rigged(tmp_path, pages, chromium) as house:
        here = {name: house.broken(point) for name, point in POINTS.items()}
        house.killed()
        for one in here.values():
            expect(one.felt.page.get_by_text(TROUBLE).first).to_be_visible()
        house.opened()
        for one in here.values():
            one.felt.page.evaluate("() => dispatchEvent(new Event('online'))")
        for name, (felt, before) in here.items():
            with subtests.test(name):
                resumed(felt, POINTS[name], before, from_the_door=name in FROM_THE_DOOR)


def resumed(felt: Felt, point: Point, before: str, *, from_the_door: bool) -> None:
    expect(felt.page.get_by_text(TROUBLE)).to_have_count(0, timeout=PATIENCE * 1000)
    if point.same:
        stands(felt, point, before)
    if from_the_door:
        felt.visitor.go("/")
        expect(felt.page).to_have_url(re.compile(f"/solo/{point.game}"))
    elif not point.same:
        felt.page.reload()
    stands(felt, point, before)
    finished(felt, point)
