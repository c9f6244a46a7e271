"""A round that broke off stands as it stood: on a page loaded anew, on another device, after a killed house."""

from __future__ import annotations

import json
import re
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.alone import Alone
from tests.browser.felt import Felt, lines
from tests.browser.interrupted import POINTS, SPINS, Point, reached, seen, spun
from tests.browser.rigged import COMMAND, FILE
from tests.browser.visitor import Visitor
from tests.web.running import Running, certified

Come = Callable[..., Alone]
GUEST = """async () => {
  const headers = {'X-Ventuno': '1', 'Content-Type': 'application/json'};
  await fetch('/api/guest', {method: 'POST', headers, body: '{}'});
  return (await (await fetch('/api/me')).json()).player;
}"""


def finished(felt: Felt, point: Point) -> None:
    """Played to its end from where it stands; what came back is what it would have been."""
    point.rest(felt)
    assert tuple(line[2].removeprefix("€ ") for line in lines(felt)) == point.returned


def stands(felt: Felt, point: Point, before: str) -> None:
    """The same felt again; where the wheel was told already, its result."""
    if point.same:
        expect(felt.page.locator("section > .felt")).to_be_visible()
        felt.page.wait_for_function("() => !document.querySelector('main [aria-busy=true]')")
        assert seen(felt) == before
    elif point.spins[0]["start"]:
        expect(felt.page.get_by_text(SPINS)).to_have_text("3 di 3")
        cells = felt.page.locator(".cells li").all_inner_texts()
        assert [at for at, text in enumerate(cells) if "×" in text] == list(point.spins[0]["start"])
    else:
        expect(felt.key("Il conto")).to_be_visible()


@pytest.mark.parametrize("name", POINTS)
def test_l_31_l_32_d_24_a_page_that_is_loaded_again_and_another_device(
    alone: Come, chromium: Browser, name: str
) -> None:
    point = POINTS[name]
    one = alone("Rita").practise(point.game, point.cards, spins=point.spins)
    reached(one, point)
    before = seen(one)
    one.page.reload()
    stands(one, point, before)
    context = chromium.new_context(
        storage_state=one.visitor.context.storage_state(),
        locale="it-IT",
        reduced_motion="reduce",
        viewport={"width": 1280, "height": 800},
    )
    there = Felt(Visitor(context, one.visitor.url))
    there.visitor.go(one.page.url.removeprefix(one.visitor.url))
    stands(there, point, before)
    expect(one.page.get_by_text("Giochi da un altro dispositivo")).to_be_visible()
    finished(there, point)
    assert there.visitor.complaints == []
    context.close()


def test_a_felt_that_stands_otherwise_is_caught(alone: Come) -> None:
    """Planted: one spin more than he saw who left."""
    point = POINTS["board"]
    one = alone("Rita").practise(point.game, point.cards, spins=point.spins)
    reached(one, point)
    before = seen(one)
    stands(one, point, before)
    spun(one, 1)
    with pytest.raises(AssertionError):
        stands(one, point, before)


class Broken(NamedTuple):
    felt: Felt
    before: str


@pytest.fixture(scope="module")
def killed(pages: Path, chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Broken]]:
    """A player at each of the points, with money of his own; then the house is killed, and started again."""
    folder = certified(tmp_path_factory.mktemp("killed"))
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    file = folder / "chosen.json"
    told: dict[str, object] = {}
    file.write_text("{}")
    more = {
        "VENTUNO_PAGES": str(pages),
        "VENTUNO_PORT": str(port),
        "VENTUNO_ENTRIES_PER_MINUTE": "1000",
        FILE: str(file),
    }
    house = Running(folder, command=COMMAND, **more)
    here: dict[str, Broken] = {}
    try:
        for name, point in POINTS.items():
            context = chromium.new_context(
                viewport={"width": 1280, "height": 800}, locale="it-IT", reduced_motion="reduce"
            )
            felt = Felt(Visitor(context, house.url))
            player = felt.visitor.go("/lobby").evaluate(GUEST)
            told = json.loads(file.read_text())
            told[f"{point.game}-{player}"] = {"cards": point.cards, "spins": point.spins}
            file.write_text(json.dumps(told))
            felt.visitor.go(f"/solo/{point.game}?lang=it")
            felt.key(re.compile(r"^Porta €.[\d.,]+$")).click()
            reached(felt, point)
            here[name] = Broken(felt, seen(felt))
        house.signal(signal.SIGKILL)
        house.ended()
        expect(felt.page.get_by_text(re.compile("Ti stiamo riportando|La casa non risponde")).first).to_be_visible()
        house = Running(folder, command=COMMAND, **more)
        yield here
    finally:
        for one in here.values():
            one.felt.visitor.context.close()
        house.process.kill()
        house.process.wait()


@pytest.mark.parametrize("name", POINTS)
def test_l_31_l_32_d_24_a_house_that_was_killed_comes_back_to_the_very_point(
    killed: dict[str, Broken], name: str
) -> None:
    """The page that was open all the time stands as it stood; loaded anew too, and the round is played to its end."""
    point, (felt, before) = POINTS[name], killed[name]
    expect(felt.page.get_by_text(re.compile("Ti stiamo riportando|La casa non risponde"))).to_have_count(
        0, timeout=20_000
    )
    if point.same:
        assert seen(felt) == before
    felt.page.reload()
    stands(felt, point, before)
    finished(felt, point)
